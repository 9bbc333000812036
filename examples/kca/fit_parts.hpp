// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What the fits of all methods share. Included by fit.cpp alone, which compiles all of them once.

#ifndef MERCER_EXAMPLES_KCA_FIT_PARTS_HPP
#define MERCER_EXAMPLES_KCA_FIT_PARTS_HPP

#include <variant>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/runtime/any_kernel.hpp>
#include <mercer/runtime/any_solver.hpp>
#include <mercer/solvers/dense/ridge_cholesky.hpp>

#include <examples/kca/fit.hpp>
#include <examples/kpca/kernel_choice.hpp>
#include <examples/kpca/solver_code.hpp>

namespace kca {

/// The kernel and the solver of a view.
struct Choice {
  kpca::KernelChoice kernel;
  std::variant<mercer::AnyKernelSolver, mercer::AnyFeatureSolver, mercer::RidgeCholesky> solver;
  NamedValues settings = {};  ///< of the solver
};

/// Those of both views, or of one for sir.
using Choices = std::vector<Choice>;

/// Calls \p use with the solvers of both views, which are of one type.
template <class Use>
[[nodiscard]] Results with_solvers(const Choices& choices, const Use& use) {
  return std::visit(
      [&]<class S>(const S& solver_x) { return use(solver_x, std::get<S>(choices.back().solver)); },
      choices.front().solver);
}

template <class Values>
[[nodiscard]] std::vector<double> to_std(const Values& values) {
  return {values.begin(), values.end()};
}

/// The scores of all rows and the correlations of the pairs held out.
template <class Model>
[[nodiscard]] Results judged(const Model& model, const Task& task) {
  const Pairs& pairs = task.pairs;
  Results results;
  results.report = model.report();
  results.scores_x = model.transform_x(pairs.x.all);
  results.scores_y = model.transform_y(pairs.y.all);
  if (pairs.held.empty()) return results;
  results.report.holdout_samples = pairs.x.held.rows();
  results.report.holdout_correlations = model.correlations(pairs.x.held, pairs.y.held);
  return results;
}

}  // namespace kca

#endif  // MERCER_EXAMPLES_KCA_FIT_PARTS_HPP
