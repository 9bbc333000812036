// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Spectral clustering: k-means of the coordinates of a spectral embedding.

#ifndef MERCER_MODELS_SPECTRAL_SPECTRAL_CLUSTERING_HPP
#define MERCER_MODELS_SPECTRAL_SPECTRAL_CLUSTERING_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/models/spectral/spectral_embedding.hpp>
#include <mercer/solvers/nystrom/kmeans_landmarks.hpp>

namespace mercer {

struct SpectralClusteringParams {
  Index clusters = 2;             ///< c
  double density_exponent = 0;    ///< as in SpectralEmbeddingParams
  Index starts = 10;              ///< of k-means; the best result counts
  Index iterations = 300;         ///< of each start, at most
  std::uint64_t seed = 1;         ///< of k-means
  std::size_t memory_budget = 0;  ///< as in SpectralEmbeddingParams
};

/// Centres in the space of coordinates, and the samples around them.
struct Clusters {
  std::vector<Index> labels;         ///< for each sample its centre, 0, 1, ...
  Matrix<double> centres;            ///< one per row
  double inertia = 0;                ///< the sum of squared distances of samples to their centres
  Status status = Status::Finished;  ///< Cancelled: the best of fewer starts than were wanted
};

namespace detail {

// These are templates so that only files which use them compile them.

/// For each row of \p y the nearest row of \p centres; -1 for a row that is not finite. Adds the
/// squared distances to \p inertia.
template <Real S>
[[nodiscard]] std::vector<Index> nearest_centres(const Matrix<S>& y, const Matrix<S>& centres,
                                                 double& inertia) {
  std::vector<Index> labels(static_cast<std::size_t>(y.rows()), -1);
  for (Index i = 0; i < y.rows(); ++i) {
    if (!y.row(i).allFinite()) continue;
    const Vector<S> distances = (centres.rowwise() - y.row(i)).rowwise().squaredNorm();
    inertia += static_cast<double>(distances.minCoeff(&labels[static_cast<std::size_t>(i)]));
  }
  return labels;
}

/// The best of several runs of k-means.
template <Real S>
[[nodiscard]] Clusters best_clusters(const Matrix<S>& y, const SpectralClusteringParams& params,
                                     const Observer& observer) {
  Clusters best;
  best.inertia = std::numeric_limits<double>::infinity();
  RandomStream stream(params.seed, "spectral clustering");
  for (Index start = 0; start < params.starts; ++start) {
    if (start > 0 && !go_on(observer, {"k-means", start, params.starts})) {
      best.status = Status::Cancelled;
      break;
    }
    KMeans<Matrix<S>> means(y);
    static_cast<void>(means.seed(params.clusters, stream, {}));
    for (Index i = 0; i < params.iterations && means.iterate(); ++i) {
    }
    Clusters found{.labels = {}, .centres = means.centres()};
    found.labels = nearest_centres<S>(y, found.centres, found.inertia);
    if (found.inertia < best.inertia) best = std::move(found);
  }
  return best;
}

}  // namespace detail

/// A fitted spectral clustering.
template <KernelOrPrecomputed K, OwnedSamples X>
class SpectralClusteringModel {
 public:
  SpectralClusteringModel(SpectralEmbeddingModel<K, X> embedding, Clusters clusters)
      : embedding_(std::move(embedding)), clusters_(std::move(clusters)) {}

  /// The cluster of each training sample, from 0. There are fewer clusters than asked for if there
  /// are fewer different samples.
  [[nodiscard]] const std::vector<Index>& labels() const { return clusters_.labels; }
  /// The labels and the centres.
  [[nodiscard]] const Clusters& clusters() const { return clusters_; }
  /// Cancelled if the observer stopped a part of the fit, else the status of the coordinates.
  [[nodiscard]] Status status() const {
    return clusters_.status == Status::Cancelled ? Status::Cancelled : embedding_.report().status;
  }
  /// The coordinates that were clustered.
  [[nodiscard]] const SpectralEmbeddingModel<K, X>& embedding() const { return embedding_; }

  /// The clusters of new samples: those of the nearest centres of their coordinates; -1 for a
  /// sample whose similarities to all training samples are zero.
  /// Cost and errors as SpectralEmbeddingModel::transform().
  template <class Q>
  [[nodiscard]] std::vector<Index> predict(const Q& q) const {
    double inertia = 0;
    return detail::nearest_centres<double>(embedding_.transform(q).template cast<double>(),
                                           clusters_.centres, inertia);
  }

 private:
  SpectralEmbeddingModel<K, X> embedding_;
  Clusters clusters_;
};

/// Spectral clustering into c groups: k-means of the first c - 1 eigenvectors of the random walk on
/// the samples. The trivial eigenvector is constant and would change no distance.
///
/// \code
///   const auto model = mercer::SpectralClustering{mercer::Gaussian{0.3}, {.clusters = 2}}.fit(X);
///   model.labels();     // n
///   model.predict(Q);   // new samples
/// \endcode
/// Cost: that of SpectralEmbedding, and O(n c^2) for each iteration of k-means.
/// Random: params.seed, purpose "spectral clustering"; and as the solver.
/// Source: Shi, Malik, Normalized cuts and image segmentation, 2000; Meila, Shi, A random walks
///   view of spectral segmentation, 2001.
template <KernelOrPrecomputed K, class S = BlockKrylov>
class SpectralClustering {
 public:
  using Params = SpectralClusteringParams;

  explicit SpectralClustering(K kernel, SpectralClusteringParams params = {}, S solver = S{})
      : kernel_(std::move(kernel)), params_(params), solver_(std::move(solver)) {}

  [[nodiscard]] const SpectralClusteringParams& params() const { return params_; }

  /// Fits to samples as SpectralEmbedding::fit().
  /// Throws InvalidArgument also for clusters outside [2, n], and for starts or iterations below 1.
  template <class Samples>
  [[nodiscard]] auto fit(const Samples& x, const Observer& observer = {}) const {
    using X = OwnedSamplesOf<Samples>;
    constexpr std::string_view who = "SpectralClustering";
    if (params_.clusters < 2 || params_.clusters > x.rows())
      detail::fail("mercer::", who, ": clusters must be between 2 and the number of samples, ",
                   x.rows(), ", got ", params_.clusters);
    detail::require_at_least(who, "starts", params_.starts, Index{1});
    detail::require_at_least(who, "iterations", params_.iterations, Index{1});
    const SpectralEmbedding maps{
        kernel_,
        SpectralEmbeddingParams{.components = params_.clusters - 1,
                                .density_exponent = params_.density_exponent,
                                .memory_budget = params_.memory_budget},
        solver_};
    SpectralEmbeddingModel<K, X> embedding = maps.fit(x, observer);
    Clusters clusters = detail::best_clusters(embedding.eigenvectors(), params_, observer);
    return SpectralClusteringModel<K, X>(std::move(embedding), std::move(clusters));
  }

 private:
  K kernel_;
  SpectralClusteringParams params_;
  S solver_;
};

template <KernelOrPrecomputed K>
SpectralClustering(K) -> SpectralClustering<K>;
template <KernelOrPrecomputed K>
SpectralClustering(K, SpectralClusteringParams) -> SpectralClustering<K>;
template <KernelOrPrecomputed K, class S>
SpectralClustering(K, SpectralClusteringParams, S) -> SpectralClustering<K, S>;

}  // namespace mercer

#endif  // MERCER_MODELS_SPECTRAL_SPECTRAL_CLUSTERING_HPP
