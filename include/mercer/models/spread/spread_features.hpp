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
#include <mercer/core/rows/report_message.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/scatter_sum.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/feature_blocks.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread/spread_pca.hpp>
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

/// The sums over the features of all rows. Stops early if the observer of any process says so; the
/// sums are then over the rows so far.
///
/// Sums are about the mean of the features of a few rows, which are the same for any number of
/// processes. Features have no bound that is known before, so order-free sums begin with one far
/// above the features of these rows; if that is exceeded, they are summed again.
/// \param most  rows in memory at one time
/// Cost: one pass over the samples; seldom two.
/// Collective.
template <OwnedSamples X, Real S = typename X::Scalar>
[[nodiscard]] MomentSum<S> spread_feature_moments(const RowSpace& rows, const X& samples,
                                                  const TiledFeatures<S>& features, Index most,
                                                  bool centered, const Observer& observer,
                                                  bool& stopped) {
  constexpr int reserve = 16;  // rows may have features 2^16 times as large as the few have
  const X few = spaced_rows(rows, samples);
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
        features.evaluate(samples, begin, values.rows(), shift, values);
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
    if (total == 0)  // stopped before the first rows
      return MomentSum<S>(centered, 0, Vector<double>::Zero(shift.size()),
                          Matrix<double>::Zero(shift.size(), shift.size()));
    const Vector<double> step = sums.sum() / count[0];
    Matrix<double> scatter = std::move(sums.scatter());
    if (centered) scatter -= count[0] * step * step.transpose();
    return MomentSum<S>(centered, total, shift.template cast<double>() + step, std::move(scatter));
  }
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
  using S = typename X::Scalar;
  static_assert(FeatureMapFor<F, K>,
                "mercer::fit_spread: the solver's feature map has no features for this kernel");
  const detail::FitClock clock;
  const RowSpace& rows = samples.rows();
  const KernelPcaParams& wanted = pca.params();
  const FeaturePcaParams& params = pca.solver().params();
  detail::require_spread_fit(pca.kernel(), wanted, samples);
  std::string words = "blocks " + detail::to_text(params.blocks);
  words.append(", batch ").append(detail::to_text(params.batch));
  words.append(", seed ").append(detail::to_text(params.seed));
  if constexpr (HasDescription<F>) words.append(", ").append(pca.solver().map().describe());
  detail::require_same(rows.processes(), "settings of FeaturePca", words);

  std::vector<Index> head(static_cast<std::size_t>((std::min)(params.batch, rows.total())));
  std::iota(head.begin(), head.end(), Index{0});
  const SampleBounds bounds = sample_bounds(detail::take_rows(rows, samples.local(), head));
  const std::size_t budget = detail::own_budget(rows.processes(), wanted.memory_budget);
  detail::FeatureBlocksOf map(
      pca.solver().map().template bind<S>(pca.kernel(), bounds, params.seed), budget);
  detail::require_enough_features("FeaturePca", wanted.components, map.columns() * params.blocks);
  bool stopped = false;
  const detail::TiledFeatures<S> features(map, params.blocks);
  const detail::MomentSum<S> sums = detail::spread_feature_moments(
      rows, samples.local(), features, params.batch, wanted.centered, observer, stopped);

  const KernelRequest request{
      .pairs = {.components = wanted.components, .zero_threshold = wanted.zero_threshold},
      .centered = wanted.centered};
  FeatureSolution<S> solution;
  Report& report = solution.report;
  report.reason = "solver as asked for; " + detail::describe_rows(rows);
  report.dimension = samples.cols();
  report.kernel = detail::describe(pca.kernel());
  if (stopped) report.status = Status::Cancelled;
  detail::find_components(sums, sums.count(), params, map.columns(), request, solution);
  report.bytes += map.bytes();
  solution.bounds = bounds;
  rows.agree(solution.eigenvalues);
  rows.agree(solution.coefficients);
  rows.agree(solution.offset);
  detail::agree(rows.processes(), report);
  clock.report(report);
  return FeaturePcaModel<K, F, S>(pca.kernel(), pca.solver().map(), std::move(solution),
                                  wanted.centered);
}

}  // namespace mercer

#endif  // MERCER_MODELS_SPREAD_SPREAD_FEATURES_HPP
