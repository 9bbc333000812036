// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel SIR, and how well its functions tell the responses.

#ifndef MERCER_EXAMPLES_KCA_SIR_HPP
#define MERCER_EXAMPLES_KCA_SIR_HPP

#include <limits>
#include <string>
#include <vector>

#include <Eigen/QR>

#include <mercer/core/samples.hpp>
#include <mercer/models/kernel_sir.hpp>

#include <examples/kca/fit_parts.hpp>

namespace kca {

using mercer::detail::take_rows;

[[nodiscard]] inline mercer::SirTarget sir_target(Target target) {
  return target == Target::Classes  ? mercer::SirTarget::Classes
         : target == Target::Slices ? mercer::SirTarget::Slices
                                    : mercer::SirTarget::Outputs;
}

/// How well functions of x tell a response, at the rows to fit to and at those held out.
struct Judge {
  const mercer::Matrix<double>& functions;  ///< at all rows
  const mercer::Matrix<double>& responses;  ///< at all rows
  const Pairs& pairs;

  using Rows = std::vector<mercer::Index>;

  /// A judgement of each kind that fits the responses.
  [[nodiscard]] std::vector<Judgement> all(Target target) const {
    if (target == Target::Classes)
      return {judgement("accuracy", [&, guesses = nearest_class()](const Rows& rows) {
        double right = 0;
        for (const mercer::Index row : rows) right += guesses(row) == responses(row, 0) ? 1 : 0;
        return right / static_cast<double>(rows.size());
      })};
    const mercer::Matrix<double> guesses = least_squares();
    const auto errors = [&](const Rows& rows) {
      return (take_rows(guesses, rows) - take_rows(responses, rows)).squaredNorm();
    };
    return {judgement("mean_squared_error",
                      [&](const Rows& rows) {
                        const auto count = static_cast<double>(rows.size());
                        return errors(rows) / (count * static_cast<double>(responses.cols()));
                      }),
            judgement("explained_variance", [&](const Rows& rows) {
              const mercer::Matrix<double> y = take_rows(responses, rows);
              return 1 - errors(rows) / (y.rowwise() - y.colwise().mean()).squaredNorm();
            })};
  }

 private:
  template <class Measure>
  [[nodiscard]] Judgement judgement(const std::string& name, const Measure& measure) const {
    Judgement out{.name = name, .training = measure(pairs.fitted), .holdout = {}};
    if (!pairs.held.empty()) out.holdout = measure(pairs.held);
    return out;
  }

  /// For each row, the class whose mean of the functions, over the rows to fit to, is nearest.
  [[nodiscard]] mercer::Vector<double> nearest_class() const {
    const mercer::Vector<double> classes = responses.col(0);
    const auto count = static_cast<mercer::Index>(classes.maxCoeff()) + 1;
    mercer::Matrix<double> means = mercer::Matrix<double>::Zero(count, functions.cols());
    mercer::Vector<double> sizes = mercer::Vector<double>::Zero(count);
    for (const mercer::Index row : pairs.fitted) {
      const auto h = static_cast<mercer::Index>(classes(row));
      means.row(h) += functions.row(row);
      ++sizes(h);
    }
    mercer::Vector<double> nearest(functions.rows());
    for (mercer::Index i = 0; i < functions.rows(); ++i) {
      double least = std::numeric_limits<double>::infinity();
      for (mercer::Index h = 0; h < count; ++h) {
        if (sizes(h) == 0) continue;  // all of its rows are held out
        const double distance = (functions.row(i) - means.row(h) / sizes(h)).squaredNorm();
        if (!(distance < least)) continue;
        least = distance;
        nearest(i) = static_cast<double>(h);
      }
    }
    return nearest;
  }

  /// What least squares on the functions and a constant, over the rows to fit to, gives for all.
  [[nodiscard]] mercer::Matrix<double> least_squares() const {
    mercer::Matrix<double> inputs(functions.rows(), functions.cols() + 1);
    inputs << mercer::Vector<double>::Ones(functions.rows()), functions;
    const mercer::Matrix<double> fitted = take_rows(inputs, pairs.fitted);
    return inputs * fitted.colPivHouseholderQr().solve(take_rows(responses, pairs.fitted)).eval();
  }
};

template <class S>
[[nodiscard]] Results fit_sir(const Task& task, const Choices& choices, const S& solver) {
  const Options& o = task.options;
  const mercer::Matrix<double>& responses = task.responses.values;
  const mercer::Index slices = o.slices.value_or(mercer::KernelSirParams{}.slices);
  const mercer::KernelSir sir{choices.front().kernel.kernel,
                              solver,
                              {.components = task.components,
                               .regularization = o.regularization,
                               .target = sir_target(task.responses.target),
                               .slices = slices,
                               .rank = o.rank,
                               .memory_budget = o.memory_budget.value_or(0)}};
  const mercer::Matrix<double> fitted = take_rows(responses, task.pairs.fitted);
  const auto model = sir.fit(task.pairs.x.fitted, fitted, task.observer);
  Results results;
  results.report = model.report();
  results.report.holdout_samples = static_cast<mercer::Index>(task.pairs.held.size());
  results.scores_x = model.transform(task.pairs.x.all);
  results.values = to_std(model.eigenvalues());
  if (task.responses.target == Target::Slices)
    results.slices = mercer::detail::SliceNumbers::slices(fitted.col(0), slices).count();
  results.regularization = o.regularization.value_or(1 / static_cast<double>(task.pairs.to_fit()));
  if (!results.values.empty())
    results.judgements = Judge{results.scores_x, responses, task.pairs}.all(task.responses.target);
  return results;
}

}  // namespace kca

#endif  // MERCER_EXAMPLES_KCA_SIR_HPP
