// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel PCA of samples whose rows are in several processes, by a solver chosen by their number.

#ifndef MERCER_MODELS_SPREAD_SPREAD_AUTO_HPP
#define MERCER_MODELS_SPREAD_SPREAD_AUTO_HPP

#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include <mercer/core/observer.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/kernel_pca_parts.hpp>
#include <mercer/models/spread/spread_exact.hpp>
#include <mercer/models/spread/spread_nystrom.hpp>
#include <mercer/models/spread/spread_pca.hpp>
#include <mercer/solvers/auto.hpp>

namespace mercer {

namespace detail {

/// The choice of Auto for samples of all processes, the same on all. Collective.
template <OwnedSamples X>
[[nodiscard]] Choice choose_spread(const Auto& rule, const KernelPcaParams& params,
                                   const SpreadRows<X>& samples) {
  const RowSpace& rows = samples.rows();
  std::string words = "tolerance " + to_text(rule.tolerance());
  words.append(", seed ").append(to_text(rule.params().seed));
  require_same(rows.processes(), "settings of Auto", words);
  const std::size_t budget = least_budget(rows.processes(), params.memory_budget);
  // Exact needs all samples on one process, beside the matrix.
  const bool fits = gathered_bytes(samples, params.components) <= budget;
  return rule.choose({.samples = rows.total(),
                      .components = params.components,
                      .value_bytes = sizeof(typename X::Scalar),
                      .memory_budget = fits ? budget : 0});
}

/// fit_spread() with weights that have been checked, or none.
template <KernelOrPrecomputed K, OwnedSamples X>
[[nodiscard]] SpreadPcaModel<K, X> fit_weighted(const KernelPca<K, Auto>& pca,
                                                SpreadRows<X> samples, const RowWeights& weights,
                                                const Observer& observer) {
  require_spread_fit(pca.kernel(), pca.params(), samples, /*keeps_record=*/true);
  const Choice choice = choose_spread(pca.solver(), pca.params(), samples);
  KernelPcaParams params = pca.params();
  KernelPcaParts<K, X> parts = std::visit(
      [&](const auto& solver) {
        if (!keeps_record(as_kernel_solver(solver))) params.record = nullptr;
        const KernelPca chosen(pca.kernel(), solver, params);
        return fit_parts(chosen, samples, choice.reason, observer, weights);
      },
      choice.solver);
  note_record_not_kept(pca.params().record && !params.record, parts.report);
  pca.solver().judge(parts.eigenvalues, parts.report);
  return SpreadPcaModel<K, X>(std::move(parts), std::move(samples), weights.any);
}

}  // namespace detail

/// Kernel PCA of samples whose rows are in several processes, by the solver that Auto takes for so
/// many samples: Exact, gathered on the first process; BlockKrylov; or Nystrom. The rule is that of
/// one process, except that Exact also needs room for all samples. It knows the number of samples,
/// not that of processes: name BlockKrylov where there are enough of them for many passes over
/// more than 250 000 samples.
/// With order-free sums, all results have the same bits on any number of processes.
/// Throws InvalidArgument, on all processes, in the cases of KernelPca::fit(), and if processes
///   have different kernels, numbers of components or settings. Collective.
template <KernelOrPrecomputed K, OwnedSamples X>
[[nodiscard]] SpreadPcaModel<K, X> fit_spread(const KernelPca<K, Auto>& pca, SpreadRows<X> samples,
                                              const Observer& observer = {}) {
  return detail::fit_weighted(pca, std::move(samples), {}, observer);
}

}  // namespace mercer

#endif  // MERCER_MODELS_SPREAD_SPREAD_AUTO_HPP
