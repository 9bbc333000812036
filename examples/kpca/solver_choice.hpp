// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// From the options to a solver.

#ifndef MERCER_EXAMPLES_KPCA_SOLVER_CHOICE_HPP
#define MERCER_EXAMPLES_KPCA_SOLVER_CHOICE_HPP

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/recorded.hpp>
#include <mercer/runtime/any_solver.hpp>
#include <mercer/runtime/parameter.hpp>
#include <mercer/runtime/solver_task.hpp>
#include <mercer/solvers/eigenpairs.hpp>

#include <examples/kpca/options.hpp>

namespace kpca {

/// The solver, and the values that its settings took, by name.
struct SolverChoice {
  mercer::AnySolver solver;
  std::vector<std::pair<std::string, mercer::ParameterValue>> settings;
  /// The most components that there can be, where the samples are not the only bound.
  std::optional<mercer::Index> most_components = {};
  /// Keeps the state of the fit in a folder, if that was asked for.
  std::shared_ptr<mercer::FitRecord> record = {};
};

/// Throws mercer::InvalidArgument, with the option at fault, for dual where it was not
/// compiled in, and for settings that do not fit the kernel or the number of samples.
[[nodiscard]] SolverChoice make_solver(const SolverOptions& options, mercer::SolverTask task);

/// The number of components, or the fraction of variance: \p by_default, or the number of samples
/// if that is less, where none was asked for.
/// Throws mercer::InvalidArgument for more than there are rows in the file \p input.
[[nodiscard]] mercer::Components components_for(const std::optional<mercer::Components>& asked,
                                                mercer::Index by_default, mercer::Index samples,
                                                const std::string& input);

/// Limits the default number of components to what the solver can find. A number that was asked for
/// or chosen stays: the solver says why it is too large.
[[nodiscard]] mercer::Components with_bound(mercer::Components components, bool asked,
                                            const SolverChoice& choice);

/// The tolerance of residuals, for solvers that have one.
[[nodiscard]] std::optional<double> tolerance(const mercer::AnySolver& solver);

/// Throws mercer::InvalidArgument for a solver that does not follow the weights that \p option gives
/// the samples.
void require_weights_taken(const SolverChoice& choice, const SolverOptions& options,
                           const std::string& option);

/// The option's name of the solver that ran, "block-krylov" for example.
[[nodiscard]] std::string solver_name(const mercer::Report& report);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_SOLVER_CHOICE_HPP
