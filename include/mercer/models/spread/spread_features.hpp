// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Principal components of random features of samples whose rows are in several processes.

#ifndef MERCER_MODELS_SPREAD_SPREAD_FEATURES_HPP
#define MERCER_MODELS_SPREAD_SPREAD_FEATURES_HPP

#include <algorithm>
#include <cmath>
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
#include <mercer/models/spread/spread_pca.hpp>
#include <mercer/solvers/doubly_stochastic/detail/batch_reader.hpp>
#include <mercer/solvers/doubly_stochastic/detail/feature_components.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/feature_solver.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

namespace detail {

/// Features [Z_1(x) ... Z_B(x)] of rows, a tile of rows at a time.
/// Lifetime: refers to the map.
template <Real S>
class TiledFeatures {
 public:
  TiledFeatures(FeatureBlocks<S>& map, Index blocks) : map_(map), blocks_(blocks) {
    map.prepare(static_cast<Index>(thread_count()), blocks);
  }

  [[nodiscard]] Index columns() const { return map_.columns() * blocks_; }

  /// The features of \p size rows of \p samples from \p first on, less \p shift.
  template <OwnedSamples X>
  void evaluate(const X& samples, Index first, Index size, const Vector<S>& shift,
                GramOut<S> out) const {
    const PhaseTimer timer(Phase::Features, static_cast<std::size_t>(out.size()) * sizeof(S));
    const Index tiles = tile_count(size),
                workers = (std::min)(static_cast<Index>(thread_count()), tiles);
    parallel_for(workers, [&](Index worker) {
      for (Index t = worker; t < tiles; t += workers) {
        const Range tile = Range::tile(t, size);
        const Matrix<S> x(samples.middleRows(first + tile.begin, tile.size));
        GramOut<S> rows = out.middleRows(tile.begin, tile.size);
        for (Index b = 0; b < blocks_; ++b)
          map_.evaluate(static_cast<std::uint64_t>(b), worker, x,
                        rows.middleCols(b * map_.columns(), map_.columns()));
        rows.rowwise() -= shift.transpose();
      }
    });
  }

 private:
  FeatureBlocks<S>& map_;
  Index blocks_;
};

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

/// The sums over the features of all rows. Stops early if the observer of any process says so; the
/// sums are then over the rows so far.
///
/// Sums are about the mean of the features of a few rows, which are the same for any number of
/// processes. Features have no bound that is known before, so order-free sums begin with one far
/// above the features of these rows; if that is exceeded, they are summed again.
/// \param most  rows in memory at one time
/// \param source  HeldRows or StreamedRows
/// \param weights  of the rows, in all of these sums
/// Cost: one pass over the samples; seldom two.
/// Collective.
template <class Source, Real S = typename Source::Scalar>
[[nodiscard]] MomentSum<S> spread_feature_moments(Source& source, const TiledFeatures<S>& features,
                                                  Index most, bool centered,
                                                  const RowWeights& weights,
                                                  const Observer& observer, bool& stopped) {
  constexpr int reserve = 16;  // rows may have features 2^16 times as large as the few have
  const RowSpace rows = source.rows();
  const auto few = source.rows_at(spaced_numbers(rows.total()));
  const Index m = features.columns();
  Vector<S> shift = Vector<S>::Zero(m);
  Matrix<S> first(few.rows(), m);
  features.evaluate(few, 0, few.rows(), shift, first);
  if (centered) shift = first.colwise().mean().transpose();
  rows.agree(shift);
  first.rowwise() -= shift.transpose();
  double largest = Exponent::of(static_cast<double>(first.cwiseAbs().maxCoeff()));
  rows.agree(largest);

  const Index group = tile_count(most) * tile_size, n = rows.local();
  for (int bound = static_cast<int>(largest) + reserve;;) {
    rows.together([&] {
      if (rows.order_free() && 2 * bound + exponent_of_count(rows.total()) > ScaledInteger::largest)
        fail("mercer::FeaturePca: features are not finite, or too large for their squares");
    });
    ScatterSum<S> sums(rows, m, bound);
    stopped = false;
    rows.together([&] {
      Matrix<S> values;
      for (Index begin = 0; begin < n; begin += group) {
        stopped = !go_on(observer, {"features", begin, n});
        if (stopped) return;
        values.resize((std::min)(group, n - begin), m);
        source.visit(begin, values.rows(), [&](const auto& samples, Index at) {
          features.evaluate(samples, at, values.rows(), shift, values);
        });
        if (weights.any)
          sums.add(values, weights.values.segment(begin, values.rows()).template cast<S>());
        else
          sums.add(values);
      }
    });
    double count[1] = {static_cast<double>(sums.count())};
    rows.processes().sum(count);
    stopped = rows.any(stopped);
    if (!rows.all(sums.within())) {
      bound = sums.least_bound();
      continue;
    }
    sums.reduce();
    const auto total = static_cast<Index>(count[0]);
    double weight = count[0];
    if (weights.any) {
      Matrix<double> added = weights.values;
      added.bottomRows(n - sums.count()).setZero();
      weight = block_sums<double>(rows, added)(0);
    }
    if (!(weight > 0))  // stopped before the first rows that have weight
      return MomentSum<S>(centered, 0, Vector<double>::Zero(shift.size()),
                          Matrix<double>::Zero(shift.size(), shift.size()));
    const Vector<double> step = sums.sum() / weight;
    Matrix<double> scatter = std::move(sums.scatter());
    if (centered) scatter -= weight * step * step.transpose();
    // As of rows whose weights have the mean 1: not so if the run was stopped.
    scatter *= count[0] / weight;
    return MomentSum<S>(centered, total, shift.template cast<double>() + step, std::move(scatter));
  }
}

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
  require_same_fit(pca.kernel(), wanted, rows);
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
  bool stopped = false;
  const TiledFeatures<S> features(map, params.blocks);
  const MomentSum<S> sums = spread_feature_moments(source, features, params.batch, wanted.centered,
                                                   weights, observer, stopped);

  const KernelRequest request{
      .pairs = {.components = wanted.components, .zero_threshold = wanted.zero_threshold},
      .centered = wanted.centered};
  FeatureSolution<S> solution;
  Report& report = solution.report;
  report.reason = "solver as asked for; " + describe_rows(rows);
  report.dimension = source.cols();
  report.kernel = describe(pca.kernel());
  if (stopped) report.status = Status::Cancelled;
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
/// the model has the same bits on any number of processes.
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
