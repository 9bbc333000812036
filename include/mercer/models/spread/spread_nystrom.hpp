// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Nystroem's method on samples whose rows are in several processes.

#ifndef MERCER_MODELS_SPREAD_SPREAD_NYSTROM_HPP
#define MERCER_MODELS_SPREAD_SPREAD_NYSTROM_HPP

#include <memory>
#include <string>
#include <utility>

#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/rows/report_message.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/kernel_pca_parts.hpp>
#include <mercer/models/spread/spread_pca.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/nystrom/detail/spread_landmarks.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>

namespace mercer {

namespace detail {

/// The parts of a model by Nystroem's method.
/// \param choice  why this solver
template <KernelOrPrecomputed K, LandmarkSelector L, OwnedSamples X>
[[nodiscard]] KernelPcaParts<K, X> fit_parts(const KernelPca<K, Nystrom<L>>& pca,
                                             const SpreadRows<X>& samples,
                                             const std::string& choice, const Observer& observer,
                                             const RowWeights& weights = {}) {
  const FitClock clock;
  const RowSpace& rows = samples.rows();
  const KernelPcaParams& params = pca.params();
  require_spread_fit(pca.kernel(), params, samples);
  const NystromParams& settings = pca.solver().params();
  std::string words = "landmarks " + to_text(settings.landmarks);
  words.append(" to ").append(to_text(settings.max_landmarks));
  words.append(", trace tolerance ").append(to_text(settings.trace_tolerance));
  words.append(", certificate rows ").append(to_text(settings.certificate_rows));
  words.append(", seed ").append(to_text(settings.seed));
  words.append("; ").append(settings_in_words(pca.solver().selector()));
  require_same(rows.processes(), "settings of Nystrom", words);

  KernelRequest request{
      .pairs = {.components = params.components, .zero_threshold = params.zero_threshold},
      .centered = params.centered,
      .memory_budget = least_budget(rows.processes(), params.memory_budget),
      .choice = choice + "; " + describe_rows(rows)};
  if (weights.any) request.weights = rows.everywhere(weights.values);
  const KernelView<X> kernel(pca.kernel());
  KernelSolution<X> found = pca.solver().template solve_rows<X>(
      kernel, rows, samples.local(), request, observer, [&](const LandmarkRequest& ask) {
        return spread_landmarks(pca.solver().selector(), kernel, rows, samples.local(), ask,
                                observer);
      });
  agree(rows.processes(), found.report);

  auto parts =
      parts_before_fit(pca.kernel(), std::make_shared<const X>(0, samples.cols()), params.centered);
  parts.report.samples = rows.total();
  // The signs are fixed already, by the scores of all rows.
  take_solution(std::move(found), parts, true);
  clock.report(parts.report);
  return parts;
}

/// fit_spread() with weights that have been checked. There are some.
template <KernelOrPrecomputed K, LandmarkSelector L, OwnedSamples X>
[[nodiscard]] SpreadPcaModel<K, X> fit_weighted(const KernelPca<K, Nystrom<L>>& pca,
                                                SpreadRows<X> samples, const RowWeights& weights,
                                                const Observer& observer) {
  KernelPcaParts<K, X> parts = fit_parts(pca, samples, as_asked_for, observer, weights);
  return SpreadPcaModel<K, X>(std::move(parts), std::move(samples));
}

}  // namespace detail

/// Kernel PCA by Nystroem's method of samples whose rows are in several processes. Landmarks,
/// coefficients and report are the same on all; each process has the scores of its rows.
///
/// RpCholesky, GreedyCholesky and SequentialGreedy choose landmarks with the rows of their factor
/// over the processes. Uniform and Given draw rows. KMeansLandmarks and the others choose from a
/// pool of rows, which each process gets. Kernel values are in the precision of the samples.
/// With order-free sums, all results have the same bits on any number of processes.
/// Cost: that of Nystrom over P processes, and O(m^3) on each. All sums over rows are one
///   message of m^2 numbers.
/// Memory: n m / P values if n m values fit into the memory budget of one process. If samples have
///   weights, those of all are on each process.
/// Throws InvalidArgument, on all processes, in the cases of KernelPca::fit(), and if processes
///   have different kernels, numbers of components or settings; with order-free sums also for
///   kernel values that no positive semidefinite kernel has. Collective.
template <KernelOrPrecomputed K, LandmarkSelector L, OwnedSamples X>
[[nodiscard]] SpreadPcaModel<K, X> fit_spread(const KernelPca<K, Nystrom<L>>& pca,
                                              SpreadRows<X> samples,
                                              const Observer& observer = {}) {
  KernelPcaParts<K, X> parts = detail::fit_parts(pca, samples, detail::as_asked_for, observer);
  return SpreadPcaModel<K, X>(std::move(parts), std::move(samples));
}

}  // namespace mercer

#endif  // MERCER_MODELS_SPREAD_SPREAD_NYSTROM_HPP
