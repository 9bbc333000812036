// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A fit by any solver, with the results that are judged.

#ifndef MERCER_BENCHMARKS_CERTIFICATES_FIT_HPP
#define MERCER_BENCHMARKS_CERTIFICATES_FIT_HPP

#include <cstdint>
#include <optional>
#include <string>

#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/runtime/any_kernel.hpp>
#include <mercer/runtime/parameter.hpp>

namespace certificates {

/// What to fit with.
struct Job {
  std::string solver;  ///< as in solver_table(), or power-iteration
  mercer::Settings settings;
  mercer::Index components = 1;
  bool centered = true;
  std::optional<mercer::Precision> precision = {};
  std::uint64_t seed = 1;
};

/// What came of it, in double.
struct Fitted {
  mercer::Vector<double> values;  ///< mu, k
  mercer::Matrix<double> scores;  ///< of the samples, n x k
  mercer::Report report;
};

/// Throws what KernelPca throws.
template <mercer::Real S>
[[nodiscard]] Fitted fit(const mercer::AnyKernel& kernel, const mercer::Matrix<S>& x,
                         const Job& job);

extern template Fitted fit(const mercer::AnyKernel&, const mercer::Matrix<float>&, const Job&);
extern template Fitted fit(const mercer::AnyKernel&, const mercer::Matrix<double>&, const Job&);

}  // namespace certificates

#endif  // MERCER_BENCHMARKS_CERTIFICATES_FIT_HPP
