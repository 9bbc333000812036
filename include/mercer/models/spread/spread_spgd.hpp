// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Stochastic proximal gradient descent on samples whose rows are in several processes.

#ifndef MERCER_MODELS_SPREAD_SPREAD_SPGD_HPP
#define MERCER_MODELS_SPREAD_SPREAD_SPGD_HPP

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <mercer/core/machine/memory.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/core/rows/report_message.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/types.hpp>
#include <mercer/estimators/estimator.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/kernel_pca_parts.hpp>
#include <mercer/models/spread/spread_pca.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/spgd/spgd.hpp>

namespace mercer {

namespace detail {

/// The settings that processes must have in common, in words.
template <class E>
[[nodiscard]] std::string settings_in_words(const Spgd<E>& solver) {
  const SpgdParams& p = solver.params();
  std::string words = "lambda " + (p.lambda ? to_text(*p.lambda) : "by rule");
  const auto add = [&](const char* name, const std::string& value) {
    words.append(", ").append(name).append(" ").append(value);
  };
  add("rule", std::string(to_string(p.lambda_rule)));
  add("iterations", to_text(p.iterations));
  add("lambda_samples", to_text(p.lambda_samples));
  add("landmarks", to_text(p.landmarks));
  add("step_offset", to_text(p.step_offset));
  add("max_rank", to_text(p.max_rank));
  add("eigenvalues", p.positive_only ? "positive" : "all");
  add("certificate_rows", to_text(p.certificate_rows));
  add("tolerance", to_text(p.tolerance));
  add("seed", to_text(p.seed));
  const E& estimator = solver.estimator();
  if constexpr (HasDescription<E>) add("estimator", estimator.describe());
  if constexpr (requires { estimator.columns; }) add("columns", to_text(estimator.columns));
  if constexpr (requires { estimator.replacement; })
    add("columns drawn", estimator.replacement ? "with replacement" : "once");
  for (const Index iteration : solver.checkpoints().iterations)
    add("checkpoint", to_text(iteration));
  return words;
}

/// The bytes that an iterate of all rows may have. Collective.
/// \param given  what the caller has set; 0: half of the free memory of all machines
[[nodiscard]] inline std::size_t memory_limit(const Processes& processes, std::size_t given) {
  if (given > 0) return least_budget(processes, given);
  // Of half of the memory of a machine, each of its processes counts its part.
  const auto sharing = static_cast<std::size_t>(processes.size_on_machine());
  const std::size_t each = least_budget(processes, available_memory() / 2 / sharing);
  const auto size = static_cast<std::size_t>(processes.size());
  return each > unlimited_memory / size ? unlimited_memory : each * size;
}

/// The parts of a model by stochastic proximal gradient descent.
/// \param choice  why this solver
template <Kernel K, class E, OwnedSamples X>
[[nodiscard]] KernelPcaParts<K, X> fit_parts(const KernelPca<K, Spgd<E>>& pca,
                                             const SpreadRows<X>& samples,
                                             const std::string& choice, const Observer& observer) {
  const FitClock clock;
  const RowSpace& rows = samples.rows();
  const KernelPcaParams& params = pca.params();
  require_spread_fit(pca.kernel(), params, samples, keeps_record(pca.solver()));
  require_same(rows.processes(), "settings of Spgd", settings_in_words(pca.solver()));
  const KernelRequest request{
      .pairs = {.components = params.components, .zero_threshold = params.zero_threshold},
      .centered = params.centered,
      .memory_limit = memory_limit(rows.processes(), params.memory_budget),
      .choice = choice + "; " + describe_rows(rows),
      .record = params.record.get()};
  KernelSolution<X> found =
      pca.solver().solve_rows(pca.kernel(), rows, samples.local(), request, observer);
  agree(rows.processes(), found.report);
  const auto signs = fix_signs(rows, found.training_scores);
  found.coefficients *= signs.asDiagonal();
  found.offset = signs.cwiseProduct(found.offset).eval();
  auto parts =
      parts_before_fit(pca.kernel(), std::make_shared<const X>(0, samples.cols()), params.centered);
  parts.report.samples = rows.total();
  take_solution(std::move(found), parts, true);
  if (!parts.training_scores)  // no rows here, or no components
    parts.training_scores =
        std::make_shared<const Matrix<typename X::Scalar>>(rows.local(), parts.eigenvalues.size());
  clock.report(parts.report);
  return parts;
}

}  // namespace detail

/// Kernel PCA by stochastic proximal gradient descent of samples whose rows are in several
/// processes. All of them make the same draws, and each holds its rows of draws and iterates. With
/// order-free sums, all results have the same bits on any number of processes.
///
/// Checkpoints see the rows of their process. A memory budget that is set is that of one process
/// with all rows, so that no result depends on the number of processes. Without one, iterates may
/// take half of the free memory of all machines.
/// \tparam E  models SpreadEstimator: an UnbiasedFeatureMap, ColumnSampling or
///   SymmetricColumnSampling
/// Cost: that of Spgd over P processes; an iteration sends a few messages of (r + a)^2 numbers, for
///   an iterate of rank r and draws of rank a.
/// Memory: that of Spgd for the rows of the process. The samples that lambda, a start and the
///   certificate are found from are on all processes, and the m x m matrix of the first ones.
/// Throws InvalidArgument, on all processes, in the cases of KernelPca::fit(), and if processes
///   have different kernels, numbers of components or settings. Collective.
template <Kernel K, class E, OwnedSamples X>
[[nodiscard]] SpreadPcaModel<K, X> fit_spread(const KernelPca<K, Spgd<E>>& pca,
                                              SpreadRows<X> samples,
                                              const Observer& observer = {}) {
  static_assert(SpreadEstimator<E>,
                "mercer::fit_spread: the draws of this estimator need all rows in one process; "
                "take random features, ColumnSampling or SymmetricColumnSampling, or give the "
                "estimator a bind() that takes a RowSpace, too");
  KernelPcaParts<K, X> parts = detail::fit_parts(pca, samples, detail::as_asked_for, observer);
  return SpreadPcaModel<K, X>(std::move(parts), std::move(samples));
}

}  // namespace mercer

#endif  // MERCER_MODELS_SPREAD_SPREAD_SPGD_HPP
