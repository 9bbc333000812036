// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel SVD.

#ifndef MERCER_EXAMPLES_KCA_SVD_HPP
#define MERCER_EXAMPLES_KCA_SVD_HPP

#include <mercer/models/kernel_svd.hpp>

#include <examples/kca/fit_parts.hpp>

namespace kca {

template <class S>
[[nodiscard]] Results fit_svd(const Task& task, const Choices& choices, const S& solver_x,
                              const S& solver_y) {
  const Options& o = task.options;
  const mercer::KernelSvd svd{choices.front().kernel.kernel,
                              choices.back().kernel.kernel,
                              mercer::Views(solver_x, solver_y),
                              {.components = task.components,
                               .rank = o.rank,
                               .centered = o.centered,
                               .memory_budget = o.memory_budget.value_or(0),
                               .seed = o.seed}};
  const auto model = svd.fit(task.pairs.x.fitted, task.pairs.y.fitted, task.observer);
  Results results = judged(model, task);
  results.values = to_std(model.singular_values());
  results.dependence = model.dependence();
  results.explained = to_std(model.explained_dependence_ratio());
  return results;
}

}  // namespace kca

#endif  // MERCER_EXAMPLES_KCA_SVD_HPP
