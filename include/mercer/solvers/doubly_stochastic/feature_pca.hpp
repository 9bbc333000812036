// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Principal components of random features: one pass over a stream of samples.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_FEATURE_PCA_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_FEATURE_PCA_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/moment_sum.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/feature_blocks.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/solvers/dense/detail/dense_eigen.hpp>
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

/// The principal components of the m features z(x) = B^(-1/2) [Z_1(x) ... Z_B(x)].
template <Real S>
class FeaturePcaFit {
 public:
  FeaturePcaFit(FeatureBlocks<S>& map, const FeaturePcaParams& params, const KernelRequest& request,
                const Observer& observer)
      : map_(map),
        params_(params),
        request_(request),
        observer_(observer),
        moments_(map.columns() * params.blocks, request.centered) {
    solution_.report.reason = request.choice;
  }

  /// \p batch is the first batch; reads the rest of the stream.
  [[nodiscard]] FeatureSolution<S> solve(Matrix<S> batch, BatchReader<S>& reader) {
    map_.prepare(1, params_.blocks);
    Report& report = solution_.report;
    while (batch.rows() > 0) {
      if (!go_on(observer_,
                 {"features", moments_.count(), reader.rows() == endless ? 0 : reader.rows()})) {
        report.status = Status::Cancelled;
        break;
      }
      add(batch);
      reader.read(params_.batch, batch);
    }
    report.dimension = reader.dimension();
    find_components(reader.samples());
    return std::move(solution_);
  }

 private:
  void add(const Matrix<S>& batch) {
    features_.resize(batch.rows(), map_.columns() * params_.blocks);
    evaluate_blocks<S>(map_, params_.blocks, batch, features_);
    moments_.add(features_);
  }

  void find_components(Index samples) {
    const FeatureMoments moments{.scatter = moments_.scatter(),
                                 .squares = moments_.squares(),
                                 .mean = moments_.mean(),
                                 .samples = samples,
                                 .blocks = params_.blocks};
    static_cast<void>(feature_components(moments, request_, solution_));
    Report& report = solution_.report;
    report.solver_form =
        to_text(params_.blocks) + " blocks of " + to_text(map_.columns()) + " features";
    report.storage = "covariance of the features";
    report.bytes = moments_.bytes() + map_.bytes() +
                   static_cast<std::size_t>(features_.size()) * sizeof(S) +
                   DenseEigen<double>::bytes(moments.scatter.rows());
    solution_.seed = params_.seed;
  }

  FeatureBlocks<S>& map_;
  FeaturePcaParams params_;
  const KernelRequest& request_;
  const Observer& observer_;
  MomentSum<S> moments_;
  Matrix<S> features_;
  FeatureSolution<S> solution_;
};

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

  template <Kernel K, Real S>
  [[nodiscard]] FeatureSolution<S> solve(const K& kernel, SampleStreamView<S> stream,
                                         const KernelRequest& request,
                                         const Observer& observer = {}) const {
    if (stream.seekable() && stream.rows() == endless)
      detail::fail("mercer::FeaturePca: ", stream.name(), " does not end");
    if (stream.seekable()) stream.seek({});
    detail::BatchReader<S> reader(stream, KernelView<Matrix<S>>(kernel));
    Matrix<S> first = reader.first(params_.batch);
    const SampleBounds bounds = sample_bounds(first);
    detail::FeatureBlocksOf map(map_.template bind<S>(kernel, bounds, params_.seed),
                                request.memory_budget);
    detail::require_enough_features("FeaturePca", request.pairs.components,
                                    map.columns() * params_.blocks);
    FeatureSolution<S> solution =
        detail::FeaturePcaFit<S>(map, params_, request, observer).solve(std::move(first), reader);
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
