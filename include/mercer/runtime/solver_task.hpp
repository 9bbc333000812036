// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What goes into the making of a solver beside its settings, and what comes out.

#ifndef MERCER_RUNTIME_SOLVER_TASK_HPP
#define MERCER_RUNTIME_SOLVER_TASK_HPP

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/runtime/any_kernel.hpp>
#include <mercer/runtime/any_solver.hpp>
#include <mercer/runtime/parameter.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic_checkpoint.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/spgd/spgd_params.hpp>

namespace mercer {

/// What a solver is made for. Some defaults follow from it; what is left out is taken to fit.
struct SolverTask {
  /// Features and estimators must fit it. Needed for solvers over features, unless their map is
  /// given.
  std::optional<AnyKernel> kernel = {};
  Components components = 2;
  Index samples = 0;       ///< n, 0 if not known
  Index dimension = 0;     ///< d, needed for maps that work coordinate by coordinate
  std::uint64_t seed = 1;  ///< of all that is random in the solver
  /// So many of the samples, for the map nystrom.
  std::function<Matrix<double>(Index count)> landmarks = {};
  SpgdCheckpoints spgd_checkpoints = {};                    ///< of the solver spgd
  DoublyStochasticCheckpoints stochastic_checkpoints = {};  ///< of the solver doubly-stochastic
};

/// What make_solver() returns.
struct MadeSolver {
  AnySolver solver;  ///< the solver
  /// The values that settings have in the solver, given or not, that no report tells.
  std::vector<std::pair<std::string, ParameterValue>> settings = {};
  /// The most components that there can be, if the samples are not the only bound.
  std::optional<Index> most_components = {};
};

}  // namespace mercer

#endif  // MERCER_RUNTIME_SOLVER_TASK_HPP
