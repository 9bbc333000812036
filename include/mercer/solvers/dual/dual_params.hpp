// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Settings of the dual solver.

#ifndef MERCER_SOLVERS_DUAL_DUAL_PARAMS_HPP
#define MERCER_SOLVERS_DUAL_DUAL_PARAMS_HPP

#include <cstdint>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// What Dual compares with its tolerance.
enum class DualStop {
  Residual,  ///< |K u - mu u| / mu_1, the largest of all components
  Gradient,  ///< |grad p(H)|_F / |H|_F
  Objective  ///< the relative error of sum mu_i, as far as it can be estimated; see Dual
};

/// Where Dual starts from.
enum class DualStart {
  Random,  ///< independent standard normals
  Sketch   ///< Nystroem on up to 1000 rows, plus noise; Random if the operator has no samples
};

struct DualParams {
  DualStop stop = DualStop::Residual;   ///< what the tolerance is for
  double tolerance = 1e-6;              ///< see stop
  DualStart start = DualStart::Random;  ///< where the minimisation begins
  Index memory = 10;           ///< pairs of steps and gradient differences in L-BFGS, at least 3
  Index max_iterations = 500;  ///< line searches: products with a block of k vectors
  std::uint64_t seed = 1;

  /// Throws InvalidArgument for a tolerance that is not positive, memory < 3 or max_iterations < 1.
  void validate() const {
    detail::require_positive("Dual", "tolerance", tolerance);
    detail::require_at_least("Dual", "memory", memory, Index{3});
    detail::require_at_least("Dual", "max_iterations", max_iterations, Index{1});
  }
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_DUAL_DUAL_PARAMS_HPP
