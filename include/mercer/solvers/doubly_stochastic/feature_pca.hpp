// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Principal components of random features: one pass over a stream of samples.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_FEATURE_PCA_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_FEATURE_PCA_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/moment_sum.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/feature_blocks.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/solvers/detail/covariance_pairs.hpp>
#include <mercer/solvers/doubly_stochastic/detail/batch_reader.hpp>
#include <mercer/solvers/doubly_stochastic/detail/feature_components.hpp>
#include <mercer/solvers/doubly_stochastic/pairs/detail/feature_bases.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/feature_solver.hpp>
#include <mercer/solvers/pair_solver.hpp>

namespace mercer {

struct FeaturePcaParams {
  Index blocks = 1;    ///< blocks of the map, used together
  Index batch = 2048;  ///< rows in memory at one time
  std::uint64_t seed = 1;

  /// Throws InvalidArgument for values below 1.
  void validate() const {
    detail::require_at_least("FeaturePca", "blocks", blocks, Index{1});
    detail::require_at_least("FeaturePca", "batch", batch, Index{1});
  }
};

namespace detail {

/// Adds the features [Z_1(x) ... Z_B(x)] of samples that arrive in batches to a sum.
/// Lifetime: refers to the map and the sum.
template <Real S>
class FeatureSums {
 public:
  FeatureSums(FeatureBlocks<S>& map, Index blocks, MomentSum<S>& moments)
      : map_(map), blocks_(blocks), moments_(moments) {
    map.prepare(1, blocks);
  }

  /// \p batch is the first batch; reads the rest of the stream, \p most rows at a time. Returns
  /// false if the observer stopped it.
  /// \param weights  of all rows, in their order; empty: 1 each
  /// Throws InvalidArgument for another number of rows than weights.
  [[nodiscard]] bool add(Matrix<S> batch, BatchReader<S>& reader, Index most,
                         const Observer& observer, const Vector<double>& weights = {}) {
    const auto require = [&](bool fits) {
      if (weights.size() > 0 && !fits)
        fail("mercer::FeaturePca: there are ", weights.size(),
             " weights, and the stream has another number of rows");
    };
    const Index before = moments_.count(), rows = reader.rows() == endless ? 0 : reader.rows();
    while (batch.rows() > 0) {
      const Index done = moments_.count() - before;
      if (!go_on(observer, {"features", done, rows})) return false;
      require(batch.rows() <= weights.size() - done);
      features_.resize(batch.rows(), map_.columns() * blocks_);
      evaluate_blocks<S>(map_, blocks_, batch, features_);
      moments_.add(features_, weights.size() > 0
                                  ? Vector<double>(weights.segment(done, batch.rows()))
                                  : Vector<double>());
      reader.read(most, batch);
    }
    require(moments_.count() - before == weights.size());
    return true;
  }

  [[nodiscard]] std::size_t bytes() const { return map_.bytes() + bytes_of(features_); }

 private:
  FeatureBlocks<S>& map_;
  Index blocks_;
  MomentSum<S>& moments_;
  Matrix<S> features_;
};

/// The bounds of the first rows of a stream, of those that have weight if there are some.
template <OwnedSamples X>
[[nodiscard]] SampleBounds bounds_of_weighted(const X& first, const Vector<double>& weights) {
  std::vector<Index> rows;
  for (Index i = 0; i < (std::min)(first.rows(), weights.size()); ++i)
    if (weights(i) > 0) rows.push_back(i);
  return rows.empty() ? sample_bounds(first) : sample_bounds(take_rows(first, rows));
}

/// Sets the principal components of the m features z(x) = B^(-1/2) [Z_1(x) ... Z_B(x)] of n samples
/// from their sums, and what the report says of them.
/// \param columns  of a block
/// Cost: as covariance_pairs.
/// Throws InvalidArgument if the squares of the features overflow.
template <Real S>
void find_components(const MomentSum<S>& sums, Index samples, const FeaturePcaParams& params,
                     Index columns, const KernelRequest& request, FeatureSolution<S>& solution) {
  // The weights of the rows have the mean 1, unless the run was stopped before it had seen all.
  const double scale = sums.weight() > 0 ? static_cast<double>(sums.count()) / sums.weight() : 1;
  const FeatureMoments moments{.scatter = scale * sums.scatter(),
                               .squares = scale * sums.squares(),
                               .mean = sums.mean(),
                               .samples = samples,
                               .blocks = params.blocks};
  static_cast<void>(feature_components(moments, request, solution));
  Report& report = solution.report;
  report.solver_form = to_text(params.blocks) + " blocks of " + to_text(columns) + " features";
  report.storage = "covariance of the features";
  report.bytes = sums.bytes() + covariance_pairs_bytes(sums.columns(), report.components);
  solution.seed = params.seed;
}

}  // namespace detail

/// Kernel PCA by principal components of random features. The expected inner products of the
/// features are the kernel. The result is exact for the kernel that the features define, and takes
/// one pass over the samples.
///
/// \code
///   KernelPca pca{Gaussian{1.5}, FeaturePca{RandomFourier{.features = 500}}, {.components = 10}};
///   io::NpyStream<double> samples("large.npy");
///   const auto model = pca.fit(samples);
/// \endcode
/// FeaturePcaMoments sum over parts of the rows, on several machines, and merge to the same model.
/// Samples may have weights; those of a stream are in the order of its rows.
/// The first batch gives the radius of the map's SampleBounds. Signs: the largest coefficient of
/// each component is positive.
///
/// \tparam F  models FeatureMap
/// Shapes: m features, the columns of params.blocks blocks together.
/// Cost: O(n m (d + m)) time, and an m x m eigenproblem.
/// Memory: O(m^2) doubles and a batch of features, independent of n.
/// Accuracy: the error of eigenvalues and components is that of the features, of order m^(-1/2).
/// Threads: the result is the same to the last bit for any number.
/// Status: Converged if the eigenproblem is solved, or Cancelled with the components of the rows
///   read so far.
/// Random: params.seed, with the purposes of the map.
/// Throws InvalidArgument for parameters out of range, and as the stream does.
/// Source: Lopez-Paz, Sra, Smola, Ghahramani, Schoelkopf, Randomized nonlinear component analysis,
///   2014.
template <FeatureMap F>
class FeaturePca {
 public:
  using Params = FeaturePcaParams;

  /// Throws InvalidArgument for parameters out of range.
  explicit FeaturePca(F map, FeaturePcaParams params = {}) : map_(std::move(map)), params_(params) {
    params.validate();
  }

  /// The same settings with another map.
  template <FeatureMap G>
  [[nodiscard]] FeaturePca<G> with_map(G map) const {
    return FeaturePca<G>(std::move(map), params_);
  }

  [[nodiscard]] const F& map() const { return map_; }
  [[nodiscard]] const FeaturePcaParams& params() const { return params_; }
  /// Whether it follows the weights of samples.
  [[nodiscard]] static constexpr bool takes_weights() { return true; }

  template <Kernel K, Real S>
  [[nodiscard]] FeatureSolution<S> solve(const K& kernel, SampleStreamView<S> stream,
                                         const KernelRequest& request,
                                         const Observer& observer = {}) const {
    if (stream.seekable() && stream.rows() == endless)
      detail::fail("mercer::FeaturePca: ", stream.name(), " does not end");
    if (stream.seekable()) stream.seek({});
    detail::BatchReader<S> reader(stream, KernelView<Matrix<S>>(kernel));
    Matrix<S> first = reader.first(params_.batch);
    const SampleBounds bounds = detail::bounds_of_weighted(first, request.weights);
    detail::FeatureBlocksOf map(map_.template bind<S>(kernel, bounds, params_.seed),
                                request.memory_budget);
    detail::require_enough_features("FeaturePca", request.pairs.components,
                                    map.columns() * params_.blocks);
    detail::MomentSum<S> moments(map.columns() * params_.blocks, request.centered);
    detail::FeatureSums<S> sums(map, params_.blocks, moments);
    FeatureSolution<S> solution;
    Report& report = solution.report;
    report.reason = request.choice;
    report.dimension = reader.dimension();
    if (!sums.add(std::move(first), reader, params_.batch, observer, request.weights))
      report.status = Status::Cancelled;
    detail::find_components(moments, moments.count(), params_, map.columns(), request, solution);
    report.bytes += sums.bytes();
    solution.bounds = bounds;
    return solution;
  }

  /// Bases of two views from one pass over their pairs; see PairBasisSolver. The batches are those
  /// of this object.
  template <FeatureMap G, Kernel Kx, Kernel Ky, Real S>
  [[nodiscard]] FeatureBases<S> bases(const Kx& kernel_x, const FeaturePca<G>& other,
                                      const Ky& kernel_y, SampleStreamView<S> stream,
                                      Index columns_x, const KernelRequest& request,
                                      const Components& rank_y,
                                      const Observer& observer = {}) const {
    if (stream.seekable() && stream.rows() == endless)
      detail::fail("mercer::FeaturePca: ", stream.name(), " does not end");
    if (stream.seekable()) stream.seek({});
    detail::BatchReader<S> reader("FeaturePca", stream,
                                  detail::check_domains<S>(kernel_x, kernel_y, columns_x));
    Matrix<S> first = reader.first(params_.batch);
    const SampleBounds bounds_x = sample_bounds(first.leftCols(columns_x)),
                       bounds_y = sample_bounds(first.rightCols(first.cols() - columns_x));
    const Index blocks_x = params_.blocks, blocks_y = other.params().blocks;
    detail::FeatureBlocksOf x(map_.template bind<S>(kernel_x, bounds_x, params_.seed),
                              request.memory_budget / 2);
    detail::FeatureBlocksOf y(other.map().template bind<S>(kernel_y, bounds_y, other.params().seed),
                              request.memory_budget / 2);
    detail::require_enough_features("FeaturePca, view x", request.pairs.components,
                                    x.columns() * blocks_x);
    detail::require_enough_features("FeaturePca, view y", rank_y, y.columns() * blocks_y);
    FeatureBases<S> found =
        detail::FeatureBasesFit<S>({&x, blocks_x, request.pairs.components}, {&y, blocks_y, rank_y},
                                   params_.batch, request, observer)
            .solve(std::move(first), columns_x, reader);
    found.x.bounds = bounds_x;
    found.x.seed = params_.seed;
    found.y.bounds = bounds_y;
    found.y.seed = other.params().seed;
    return found;
  }

 private:
  F map_;
  FeaturePcaParams params_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_FEATURE_PCA_HPP
