// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Principal components of random features: one pass over a stream of samples.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_FEATURE_PCA_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_FEATURE_PCA_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/moment_sum.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/feature_blocks.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/solvers/dense/detail/dense_eigen.hpp>
#include <mercer/solvers/doubly_stochastic/detail/batch_reader.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/feature_solver.hpp>

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
    report.samples = reader.samples();
    report.dimension = reader.dimension();
    find_components();
    return std::move(solution_);
  }

 private:
  void add(const Matrix<S>& batch) {
    const Index columns = map_.columns();
    features_.resize(batch.rows(), columns * params_.blocks);
    for (Index b = 0; b < params_.blocks; ++b)
      map_.evaluate(static_cast<std::uint64_t>(b), 0, batch,
                    features_.middleCols(b * columns, columns));
    moments_.add(features_);
  }

  void find_components() {
    Report& report = solution_.report;
    const auto blocks = static_cast<double>(params_.blocks);
    Matrix<double> scatter = moments_.scatter() / blocks;
    require_finite_squares("FeaturePca", scatter);
    report.trace = scatter.trace();
    report.solver = SolverId::FeaturePca;
    report.solver_form =
        to_text(params_.blocks) + " blocks of " + to_text(map_.columns()) + " features";
    report.precision = precision_of<S>;
    report.storage = "covariance of the features";
    report.bytes = moments_.bytes() + map_.bytes() +
                   static_cast<std::size_t>(features_.size()) * sizeof(S) +
                   DenseEigen<double>::bytes(scatter.rows());
    EigenRequest pairs = request_.pairs;
    pairs.noise_scale = (std::max)(pairs.noise_scale, moments_.squares() / blocks);
    pairs.epsilon = std::numeric_limits<S>::epsilon();
    const SingleThread one;
    DenseEigen<double> eigen(scatter);
    const Vector<double> values = eigen.eigenvalues().reverse();
    Index k = eigen.ok() ? select_components(values, report.samples, pairs, report) : 0;
    Matrix<double> vectors = eigen.leading_vectors(k) / std::sqrt(blocks);
    if (eigen.ok()) {
      if (report.status != Status::Cancelled) report.status = Status::Converged;
    } else {
      vectors.resize(vectors.rows(), 0);
      k = report.components = 0;
      add_reason("the eigenproblem of the covariance was not solved", report);
    }
    fix_signs(vectors);
    solution_.eigenvalues = values.head(k).template cast<S>();
    solution_.coefficients = vectors.template cast<S>();
    solution_.offset = Vector<S>::Zero(k);
    if (request_.centered)
      solution_.offset = (vectors.transpose() * moments_.mean()).template cast<S>();
    solution_.blocks = params_.blocks;
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
/// Status: Converged if the eigenproblem is solved, or Cancelled with the components of the rows read so far.
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

 private:
  F map_;
  FeaturePcaParams params_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_FEATURE_PCA_HPP
