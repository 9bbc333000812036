// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Fits and models over features, of which only streams of samples are known: compiled once for all
/// kernels, maps and forms of samples.

#ifndef MERCER_EXAMPLES_KPCA_FIT_FEATURES_HPP
#define MERCER_EXAMPLES_KPCA_FIT_FEATURES_HPP

#include <optional>
#include <string>

#include <mercer/core/types.hpp>
#include <mercer/runtime/any_kernel.hpp>
#include <mercer/runtime/any_solver.hpp>

#include <examples/kpca/fit.hpp>
#include <examples/kpca/inputs.hpp>

namespace mercer::io {
class Archive;
}

namespace kpca {

/// fit() with a solver that draws features. Files that are streams are read piece by piece.
template <mercer::Real S>
[[nodiscard]] Results<S> fit_features(const mercer::AnyKernel& kernel,
                                      const mercer::AnyFeatureSolver& solver,
                                      const SampleFile<S>& training,
                                      const std::optional<SampleFile<S>>& fresh,
                                      const FitSettings& settings);

#if defined(MERCER_HAS_CEREAL)  // by the CMake target mercer::archive
/// project() for a model over features.
template <mercer::Real S>
[[nodiscard]] Results<S> project_features(const mercer::io::Archive& archive,
                                          const std::string& fresh,
                                          const mercer::io::ColumnChoice& columns);
#endif

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_FIT_FEATURES_HPP
