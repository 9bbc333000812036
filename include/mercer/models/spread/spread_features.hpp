// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Principal components of random features of samples whose rows are in several processes.

#ifndef MERCER_MODELS_SPREAD_SPREAD_FEATURES_HPP
#define MERCER_MODELS_SPREAD_SPREAD_FEATURES_HPP

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/machine/memory.hpp>
#include <mercer/core/moment_sum.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/order_free_sum.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/core/rows/report_message.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/scatter_sum.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/rows/spread_stream.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/feature_blocks.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread/feature_pass.hpp>
#include <mercer/models/spread/spread_pca.hpp>
#include <mercer/solvers/doubly_stochastic/detail/batch_reader.hpp>
#include <mercer/solvers/doubly_stochastic/detail/feature_components.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/feature_solver.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

namespace detail {

/// Samples that are spread over processes, in memory.
/// Lifetime: refers to the samples.
template <OwnedSamples X>
class HeldRows {
 public:
  using Scalar = typename X::Scalar;

  explicit HeldRows(const SpreadRows<X>& samples) : samples_(samples) {}

  [[nodiscard]] const RowSpace& rows() const { return samples_.rows(); }
  [[nodiscard]] Index cols() const { return samples_.cols(); }
  /// The rows with these numbers, on all processes. Collective.
  [[nodiscard]] X rows_at(const std::vector<Index>& indices) const {
    return take_rows(rows(), samples_.local(), indices);
  }
  /// Calls work(samples, first), where the rows from \p begin on of this process are those of
  /// \p samples from \p first on.
  template <class Work>
  void visit(Index begin, Index /*size*/, const Work& work) const {
    work(samples_.local(), begin);
  }

 private:
  const SpreadRows<X>& samples_;
};

/// Samples in a stream of all rows that each process has, of which it reads its own.
/// Lifetime: refers to the stream.
template <Real S>
class StreamedRows {
 public:
  using Scalar = S;

  /// Throws InvalidArgument for a stream of samples without columns.
  StreamedRows(const RowSpace& rows, SampleStreamView<S> stream, KernelView<Matrix<S>> kernel)
      : rows_(rows), reader_(stream, std::move(kernel)) {}

  [[nodiscard]] const RowSpace& rows() const { return rows_; }
  [[nodiscard]] Index cols() const { return reader_.dimension(); }
  [[nodiscard]] Matrix<S> rows_at(const std::vector<Index>& indices) {
    return take_rows_by(rows_, indices, [&](const std::vector<Index>& mine) {
      Matrix<S> found(static_cast<Index>(mine.size()), cols());
      rows_.together([&] {
        for (Index i = 0, size = 0; i < found.rows(); i += size) {
          const auto number = [&](Index at) { return mine[static_cast<std::size_t>(at)]; };
          size = 1;  // of rows in a line
          while (i + size < found.rows() && number(i + size) == number(i) + size) ++size;
          read(number(i), size);
          found.middleRows(i, size) = batch_;
        }
      });
      return found;
    });
  }
  template <class Work>
  void visit(Index begin, Index size, const Work& work) {
    read(begin, size);
    work(batch_, Index{0});
  }

 private:
  /// \param begin  counted from the first row of this process
  void read(Index begin, Index size) {
    reader_.resume({0, rows_.first() + begin}, 0);
    reader_.read(size, batch_);
  }

  RowSpace rows_;
  BatchReader<S> reader_;
  Matrix<S> batch_;
};

/// fit_spread() of samples that have been checked, or are when they are read.
/// \param source  HeldRows or StreamedRows
/// \param weights  that have been checked, or none
template <Kernel K, FeatureMap F, class Source>
[[nodiscard]] FeaturePcaModel<K, F, typename Source::Scalar> fit_source(
    const KernelPca<K, FeaturePca<F>>& pca, Source source, const RowWeights& weights,
    const Observer& observer) {
  using S = typename Source::Scalar;
  static_assert(FeatureMapFor<F, K>,
                "mercer::fit_spread: the solver's feature map has no features for this kernel");
  const FitClock clock;
  const RowSpace rows = source.rows();
  const KernelPcaParams& wanted = pca.params();
  const FeaturePcaParams& params = pca.solver().params();
  require_same_fit(pca.kernel(), wanted, rows, /*keeps_record=*/true);
  std::string words = "blocks " + to_text(params.blocks);
  words.append(", batch ").append(to_text(params.batch));
  words.append(", seed ").append(to_text(params.seed));
  if constexpr (HasDescription<F>) words.append(", ").append(pca.solver().map().describe());
  require_same(rows.processes(), "settings of FeaturePca", words);

  std::vector<Index> head(static_cast<std::size_t>((std::min)(params.batch, rows.total())));
  std::iota(head.begin(), head.end(), Index{0});
  Vector<double> first_weights;
  if (weights.any) first_weights = take_rows(rows, Matrix<double>(weights.values), head).col(0);
  const SampleBounds bounds = bounds_of_weighted(source.rows_at(head), first_weights);
  const std::size_t budget = own_budget(rows.processes(), wanted.memory_budget);
  FeatureBlocksOf map(pca.solver().map().template bind<S>(pca.kernel(), bounds, params.seed),
                      budget);
  require_enough_features("FeaturePca", wanted.components, map.columns() * params.blocks);
  const TiledFeatures<S> features(map, params.blocks);
  FeaturePass<Source> pass(source, features, params.batch, wanted.centered, weights);
  if (wanted.record) pass.record_in(*wanted.record, describe(pca.kernel()));
  const MomentSum<S> sums = pass.run(observer);

  const KernelRequest request{
      .pairs = {.components = wanted.components, .zero_threshold = wanted.zero_threshold},
      .centered = wanted.centered};
  FeatureSolution<S> solution;
  Report& report = solution.report;
  report.reason = "solver as asked for; " + describe_rows(rows);
  report.dimension = source.cols();
  report.kernel = describe(pca.kernel());
  if (wanted.record) add_reason(pass.resumed_in_words(), report);
  if (pass.stopped()) report.status = Status::Cancelled;
  find_components(sums, sums.count(), params, map.columns(), request, solution);
  report.bytes += map.bytes();
  solution.bounds = bounds;
  rows.agree(solution.eigenvalues);
  rows.agree(solution.coefficients);
  rows.agree(solution.offset);
  agree(rows.processes(), report);
  clock.report(report);
  return FeaturePcaModel<K, F, S>(pca.kernel(), pca.solver().map(), std::move(solution),
                                  wanted.centered);
}

/// fit_spread() with weights that have been checked, or none.
template <Kernel K, FeatureMap F, OwnedSamples X>
[[nodiscard]] FeaturePcaModel<K, F, typename X::Scalar> fit_weighted(
    const KernelPca<K, FeaturePca<F>>& pca, const SpreadRows<X>& samples, const RowWeights& weights,
    const Observer& observer) {
  require_spread_samples("fit_spread", pca.kernel(), samples);
  return fit_source(pca, HeldRows<X>(samples), weights, observer);
}

/// fit_spread() of a stream that each process has, with weights that have been checked, or none.
template <Kernel K, FeatureMap F, Real S>
[[nodiscard]] FeaturePcaModel<K, F, S> fit_stream(const KernelPca<K, FeaturePca<F>>& pca,
                                                  const RowSpace& rows, SampleStreamView<S> stream,
                                                  const RowWeights& weights,
                                                  const Observer& observer) {
  return fit_source(pca, StreamedRows<S>(rows, stream, KernelView<Matrix<S>>(pca.kernel())),
                    weights, observer);
}

}  // namespace detail

/// Kernel PCA by principal components of random features, of samples whose rows are in several
/// processes. The model is an ordinary one, the same on all of them: its transform() has the scores
/// of any rows.
///
/// The map learns its bounds from the first rows of all, as in one process. With order-free sums
/// the model has the same bits on any number of processes. With KernelPcaParams::record, the sums
/// are kept there up to 32 times in the pass, at most once in record->every() batches of each
/// process. A fit that goes on, on any number of processes, reads again the rows that are summed,
/// to check that they are the same, but not their features.
/// Cost: that of FeaturePca over P processes, and its eigenproblem on each. All sums over rows are
///   one message of m^2 numbers.
/// Throws InvalidArgument, on all processes, in the cases of KernelPca::fit(), and if processes
///   have different kernels, numbers of components or settings. Collective.
template <Kernel K, FeatureMap F, OwnedSamples X>
[[nodiscard]] FeaturePcaModel<K, F, typename X::Scalar> fit_spread(
    const KernelPca<K, FeaturePca<F>>& pca, const SpreadRows<X>& samples,
    const Observer& observer = {}) {
  return detail::fit_weighted(pca, samples, {}, observer);
}

/// The same of samples in a stream that every process opens, such as an io::NpyStream: samples need
/// not fit into the memory of all processes together. The stream has an end and numbers its rows.
/// Each process reads its own rows, as many at a time as the batch of the solver has. With
/// order-free sums the model has the bits of spread samples.
/// Throws InvalidArgument, on all processes, also as the stream does on any, and for streams of
///   different numbers of rows or columns. Collective.
template <Kernel K, FeatureMap F, SeekableStream R>
[[nodiscard]] FeaturePcaModel<K, F, typename R::Scalar> fit_spread(
    const KernelPca<K, FeaturePca<F>>& pca, const Processes& processes, R& stream,
    RowSums sums = RowSums::OrderFree, const Observer& observer = {}) {
  const SampleStreamView<typename R::Scalar> view(stream);
  const RowSpace rows = RowSpace::spread(SharedStream(processes, view).rows(), processes, sums);
  return detail::fit_stream(pca, rows, view, {}, observer);
}

/// The same for rows with weights, which are not streamed: each process gives those of its rows, in
/// one column. Sums are as of the weights.
/// Throws InvalidArgument, on all processes, also for weights that are negative, not finite, or all
///   0, and for another number of them than the stream has rows. Collective.
template <Kernel K, FeatureMap F, SeekableStream R, Real T>
[[nodiscard]] FeaturePcaModel<K, F, typename R::Scalar> fit_spread(
    const KernelPca<K, FeaturePca<F>>& pca, const Processes& processes, R& stream,
    const SpreadRows<Matrix<T>>& weights, const Observer& observer = {}) {
  const SampleStreamView<typename R::Scalar> view(stream);
  const RowSums sums = weights.rows().order_free() ? RowSums::OrderFree : RowSums::Plain;
  const RowSpace rows = RowSpace::spread(SharedStream(processes, view).rows(), processes, sums);
  return detail::fit_stream(pca, rows, view, detail::row_weights(rows, weights), observer);
}

}  // namespace mercer

#endif  // MERCER_MODELS_SPREAD_SPREAD_FEATURES_HPP
