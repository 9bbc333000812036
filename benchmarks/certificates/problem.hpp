// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Random problems that are hard for a certificate: clusters, multiple eigenvalues, tiny gaps,
/// outliers, wide scales, integers, data that is almost constant.

#ifndef MERCER_BENCHMARKS_CERTIFICATES_PROBLEM_HPP
#define MERCER_BENCHMARKS_CERTIFICATES_PROBLEM_HPP

#include <string>

#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>
#include <mercer/runtime/parameter.hpp>

namespace certificates {

using mercer::Index;
using mercer::Matrix;

struct Problem {
  std::string data;     ///< the kind of samples, for messages
  Matrix<double> x;     ///< n x d
  bool floats = false;  ///< all samples are numbers of float, too
  std::string kernel;   ///< as in kernel_table()
  mercer::Settings parameters;
};

/// Draws a problem of at most \p most samples. Most problems are small.
[[nodiscard]] Problem draw_problem(mercer::RandomStream& stream, Index most);

/// Uniform on [low, high), and 10 to such a power.
[[nodiscard]] double between(mercer::RandomStream& stream, double low, double high);
[[nodiscard]] double power_of_ten(mercer::RandomStream& stream, double low, double high);
/// A whole number from low to high.
[[nodiscard]] Index whole(mercer::RandomStream& stream, Index low, Index high);

}  // namespace certificates

#endif  // MERCER_BENCHMARKS_CERTIFICATES_PROBLEM_HPP
