// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel CCA, with the choice of the ridge.

#ifndef MERCER_EXAMPLES_KCA_CCA_HPP
#define MERCER_EXAMPLES_KCA_CCA_HPP

#include <cmath>

#include <mercer/models/kernel_cca.hpp>

#include <examples/kca/fit_parts.hpp>

namespace kca {

template <class S>
[[nodiscard]] Results fit_cca(const Task& task, const Choices& choices, const S& solver_x,
                              const S& solver_y) {
  const Options& o = task.options;
  const mercer::Matrix<double>&x = task.pairs.x.fitted, &y = task.pairs.y.fitted;
  const mercer::AnyKernel &kernel_x = choices.front().kernel.kernel,
                          &kernel_y = choices.back().kernel.kernel;
  const mercer::Views solvers(solver_x, solver_y);
  mercer::KernelCcaParams params{.components = task.components,
                                 .regularization = o.regularization,
                                 .rank = o.rank,
                                 .centered = o.centered,
                                 .memory_budget = o.memory_budget.value_or(0),
                                 .seed = o.seed};
  RidgeTable ridges;
  mercer::Status status_of_folds = mercer::Status::Converged;
  if (o.choose_regularization) {
    const mercer::KernelCca candidate{kernel_x, kernel_y, solvers, params};
    const auto choice = candidate.choose_regularization(
        x, y, mercer::KernelCca<mercer::AnyKernel, mercer::AnyKernel>::powers_of_ten(), 5,
        task.observer);
    if (choice.status != mercer::Status::Cancelled) {
      status_of_folds = choice.status;
      // A choice is none if there is no component with any ridge; nor is there one with the
      // default.
      if (std::isfinite(choice.best)) params.regularization = choice.best;
      ridges = {choice.grid, choice.scores};
    }
  }
  const mercer::KernelCca cca{kernel_x, kernel_y, solvers, params};
  const auto model = cca.fit(x, y, task.observer);
  Results results = judged(model, task);
  results.report.status = mercer::detail::worse(results.report.status, status_of_folds);
  results.ridges = ridges;
  results.regularization = params.regularization.value_or(1 / static_cast<double>(x.rows()));
  results.values = to_std(model.correlations());
  if (o.permutations > 0) results.null = cca.permutation_null(x, y, o.permutations, task.observer);
  return results;
}

}  // namespace kca

#endif  // MERCER_EXAMPLES_KCA_CCA_HPP
