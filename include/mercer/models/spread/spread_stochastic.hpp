// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Doubly stochastic gradients on samples whose rows are in several processes.

#ifndef MERCER_MODELS_SPREAD_SPREAD_STOCHASTIC_HPP
#define MERCER_MODELS_SPREAD_SPREAD_STOCHASTIC_HPP

#include <algorithm>
#include <string>
#include <utility>

#include <mercer/core/machine/memory.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/report_message.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/rows/spread_stream.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread/spread_pca.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic_checkpoint.hpp>
#include <mercer/solvers/feature_solver.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

namespace detail {

/// The settings that processes must have in common, in words.
template <FeatureMap F>
[[nodiscard]] std::string settings_in_words(const DoublyStochastic<F>& solver) {
  const DoublyStochasticParams& p = solver.params();
  const DoublyStochasticCheckpoints& checkpoints = solver.checkpoints();
  std::string words = "rule " + std::string(to_string(p.rule));
  const auto add = [&](const char* name, const std::string& value) {
    words.append(", ").append(name).append(" ").append(value);
  };
  if constexpr (HasDescription<F>) add("map", solver.map().describe());
  add("blocks", to_text(p.blocks));
  add("data_batch", to_text(p.data_batch));
  add("epochs", to_text(p.epochs));
  add("steps", to_text(p.steps));
  if (p.step) add("step", to_text(*p.step));
  if (p.decay) add("decay", to_text(*p.decay));
  add("start_rows", to_text(p.start_rows));
  add("evaluation_rows", to_text(p.evaluation_rows));
  add("order", p.shuffle ? "shuffled" : "as they come");
  add("tolerance", to_text(p.tolerance));
  add("seed", to_text(p.seed));
  add("checkpoints every", to_text(checkpoints.every));
  if (checkpoints.resume) add("resumed from step", to_text(checkpoints.resume->run.steps));
  return words;
}

/// The solver, with checkpoints that only the first process sees.
template <FeatureMap F>
[[nodiscard]] DoublyStochastic<F> with_one_visitor(const DoublyStochastic<F>& solver,
                                                   const Processes& processes) {
  DoublyStochasticCheckpoints checkpoints = solver.checkpoints();
  if (checkpoints.every > 0)
    checkpoints.visit = [visit = checkpoints.visit,
                         &processes](const DoublyStochasticCheckpoint& checkpoint) {
      together(processes, [&] {
        if (processes.rank() == 0) visit(checkpoint);
      });
    };
  return DoublyStochastic<F>(solver.map(), solver.params(), std::move(checkpoints));
}

/// fit_spread() of a stream that all processes read alike, whose rows are \p rows.
template <Kernel K, FeatureMap F, Real S>
[[nodiscard]] FeaturePcaModel<K, F, S> fit_stream(const KernelPca<K, DoublyStochastic<F>>& pca,
                                                  const RowSpace& rows, SampleStreamView<S> stream,
                                                  const Observer& observer) {
  static_assert(FeatureMapFor<F, K>,
                "mercer::fit_spread: the solver's feature map has no features for this kernel");
  const FitClock clock;
  const Processes& processes = rows.processes();
  const KernelPcaParams& params = pca.params();
  require_same_fit(pca.kernel(), params, rows);
  require_same(processes, "settings of DoublyStochastic", settings_in_words(pca.solver()));

  const Observer all = [&](const Progress& progress) { return rows.go_on(observer, progress); };
  const KernelRequest request{
      .pairs = {.components = params.components, .zero_threshold = params.zero_threshold},
      .centered = params.centered,
      .memory_budget = own_budget(processes, params.memory_budget),
      .choice = std::string(as_asked_for) + "; " + describe_rows(rows)};
  FeatureSolution<S> solution = with_one_visitor(pca.solver(), processes)
                                    .solve_rows(pca.kernel(), rows, stream, request, all);
  Report& report = solution.report;
  report.kernel = describe(pca.kernel());
  const Index tiles = tile_count((std::min)(pca.solver().params().data_batch, rows.total()));
  if (tiles < processes.size())
    add_reason(
        "a batch keeps " + to_text(tiles) + " of " + to_text(processes.size()) + " processes busy",
        report);
  rows.agree(solution.eigenvalues);
  rows.agree(solution.coefficients);
  rows.agree(solution.offset);
  agree(processes, report);
  clock.report(report);
  return FeaturePcaModel<K, F, S>(pca.kernel(), pca.solver().map(), std::move(solution),
                                  params.centered);
}

}  // namespace detail

/// Kernel PCA by doubly stochastic gradients, of samples whose rows are in several processes. The
/// model is an ordinary one, the same on all of them.
///
/// All processes read the same batches, in the order of a fit in one process. Each evaluates the
/// functions at its part of a batch, in tiles of 256 rows, and the sums of a step are messages of
/// (F + k) k numbers, for F features of a block and k components. So a step keeps data_batch / 256
/// processes busy: take larger batches for more of them. Start and residuals are found by each
/// process, and the evaluation keeps at most four busy. With order-free sums the model has the same
/// bits on any number of processes.
///
/// Checkpoints are handed out on process 0. All processes must resume from the same one; their
/// number may be another.
/// Cost: that of DoublyStochastic over P processes; each receives all samples in each pass.
/// Memory: as in one process, and the samples of the process.
/// Throws InvalidArgument, on all processes, in the cases of KernelPca::fit(), and if processes
///   have different kernels, numbers of components or settings. Collective.
template <Kernel K, FeatureMap F, OwnedSamples X>
[[nodiscard]] FeaturePcaModel<K, F, typename X::Scalar> fit_spread(
    const KernelPca<K, DoublyStochastic<F>>& pca, const SpreadRows<X>& samples,
    const Observer& observer = {}) {
  detail::require_spread_samples("fit_spread", pca.kernel(), samples);
  SpreadStream<X> stream(samples);
  return detail::fit_stream(pca, samples.rows(), SampleStreamView<typename X::Scalar>(stream),
                            observer);
}

/// The same of samples in a stream that every process opens, such as an io::NpyStream: samples need
/// not fit into the memory of all processes together. The stream has an end and numbers its rows.
/// Each process reads all rows of all batches. With order-free sums the model has the bits of
/// spread samples.
/// Throws InvalidArgument, on all processes, also as the stream does on any, and for streams of
///   different numbers of rows or columns. Collective.
template <Kernel K, FeatureMap F, SeekableStream R>
[[nodiscard]] FeaturePcaModel<K, F, typename R::Scalar> fit_spread(
    const KernelPca<K, DoublyStochastic<F>>& pca, const Processes& processes, R& stream,
    RowSums sums = RowSums::OrderFree, const Observer& observer = {}) {
  using S = typename R::Scalar;
  SharedStream<S> shared(processes, SampleStreamView<S>(stream));
  return detail::fit_stream(pca, RowSpace::spread(shared.rows(), processes, sums),
                            SampleStreamView<S>(shared), observer);
}

}  // namespace mercer

#endif  // MERCER_MODELS_SPREAD_SPREAD_STOCHASTIC_HPP
