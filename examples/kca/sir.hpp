// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel SIR.

#ifndef MERCER_EXAMPLES_KCA_SIR_HPP
#define MERCER_EXAMPLES_KCA_SIR_HPP

#include <mercer/models/kernel_sir.hpp>

#include <examples/kca/fit_parts.hpp>

namespace kca {

[[nodiscard]] inline mercer::SirTarget sir_target(Target target) {
  return target == Target::Classes  ? mercer::SirTarget::Classes
         : target == Target::Slices ? mercer::SirTarget::Slices
                                    : mercer::SirTarget::Outputs;
}

template <class S>
[[nodiscard]] Results fit_sir(const Task& task, const Choices& choices, const S& solver) {
  const Options& o = task.options;
  const mercer::KernelSir sir{choices.front().kernel.kernel,
                              solver,
                              {.components = task.components,
                               .regularization = o.regularization,
                               .target = sir_target(task.responses.target),
                               .slices = o.slices,
                               .rank = o.rank,
                               .memory_budget = o.memory_budget.value_or(0)}};
  const auto model = sir.fit(task.pairs.x.fitted, task.responses.values, task.observer);
  Results results;
  results.report = model.report();
  results.scores_x = model.transform(task.pairs.x.all);
  results.values = to_std(model.eigenvalues());
  results.regularization = o.regularization.value_or(1 / static_cast<double>(task.pairs.to_fit()));
  return results;
}

}  // namespace kca

#endif  // MERCER_EXAMPLES_KCA_SIR_HPP
