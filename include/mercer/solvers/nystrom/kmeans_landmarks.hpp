// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Landmarks at the centres of clusters.

#ifndef MERCER_SOLVERS_NYSTROM_KMEANS_LANDMARKS_HPP
#define MERCER_SOLVERS_NYSTROM_KMEANS_LANDMARKS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_blocks.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/blocks.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>

namespace mercer {

namespace detail {

/// k-means of a few thousand samples in the Euclidean distance. Centres are dense, one per column.
template <OwnedSamples X>
class KMeans {
 public:
  using S = typename X::Scalar;

  explicit KMeans(X samples)
      : x_(std::move(samples)),
        shift_(Vector<S>::Zero(x_.cols())),
        nearest_(Clusters::Constant(x_.rows(), -1)) {
    if constexpr (DenseSamples<X>) {
      // Far from the origin, squared distances would lose digits by cancellation.
      shift_ = centre_columns(x_);
    }
    // A power of two is exact. It keeps the squares from overflow and underflow.
    const double largest = largest_magnitude(x_);
    if (largest > 0 && std::isfinite(largest))
      scale_ = std::ldexp(
          S(1), std::clamp(-std::ilogb(largest), limits::min_exponent, limits::max_exponent - 1));
    x_ *= scale_;
    norms_ = squared_norms(x_);
  }

  /// Chooses the first centres by k-means++: each is a sample, drawn in proportion to its squared
  /// distance to the centres before it. There are fewer centres if there are fewer different
  /// samples. Returns false if cancelled.
  bool seed(Index count, RandomStream& stream, const Observer& observer) {
    centres_.resize(x_.cols(), count);
    Vector<double> distance = Vector<double>::Constant(x_.rows(), 1);
    Index chosen = 0;
    for (; chosen < count; ++chosen) {
      if (!go_on(observer, {"k-means++", chosen, count})) break;
      const double total = distance.sum();
      if (!(total > 0)) break;
      const Index row = draw(distance, total * stream.uniform());
      centres_.col(chosen) = Matrix<S>(x_.middleRows(row, 1)).transpose();
      lower_distances(chosen, distance);
    }
    const bool cancelled = chosen < count && distance.sum() > 0;
    centres_.conservativeResize(Eigen::NoChange, chosen);
    return !cancelled;
  }

  /// One iteration of Lloyd: moves samples to the nearest centre, and centres to the mean of their
  /// samples. Drops empty clusters. Returns true if a sample changed its cluster.
  bool iterate() {
    const bool changed = assign();
    Matrix<S> sums = Matrix<S>::Zero(centres_.rows(), centres_.cols());
    Vector<S> sizes = Vector<S>::Zero(centres_.cols());
    for (Index i = 0; i < x_.rows(); ++i) {
      add_row(i, sums.col(nearest_(i)));
      sizes(nearest_(i)) += 1;
    }
    Index kept = 0;
    std::vector<Index> new_number(static_cast<std::size_t>(centres_.cols()));
    for (Index j = 0; j < centres_.cols(); ++j) {
      new_number[static_cast<std::size_t>(j)] = kept;
      if (sizes(j) > 0) centres_.col(kept++) = sums.col(j) / sizes(j);
    }
    centres_.conservativeResize(Eigen::NoChange, kept);
    for (Index& cluster : nearest_) cluster = new_number[static_cast<std::size_t>(cluster)];
    return changed;
  }

  /// The centres in the coordinates of the given samples, one per row.
  [[nodiscard]] X centres() const {
    return to_owned<X>(Matrix<S>((centres_ / scale_).colwise() + shift_).transpose().eval());
  }

 private:
  using Clusters = Eigen::Matrix<Index, Eigen::Dynamic, 1>;
  using limits = std::numeric_limits<S>;

  /// The first row, of positive weight, at which the cumulative sum of weights exceeds \p at.
  [[nodiscard]] static Index draw(const Vector<double>& weights, double at) {
    Index row = 0, last = 0;
    for (double sum = 0; row < weights.size(); ++row) {
      if (weights(row) > 0) last = row;
      if ((sum += weights(row)) > at) return row;
    }
    return last;
  }

  void lower_distances(Index centre, Vector<double>& distance) const {
    const Vector<S> c = centres_.col(centre);
    const S c_norm = c.squaredNorm();
    // A smaller squared distance is only rounding error of terms that cancelled.
    const S zero = 8 * std::numeric_limits<S>::epsilon();
    const bool first = centre == 0;
    const auto lower = [&](Index, Index begin, Index size) {
      const Vector<S> products = x_.middleRows(begin, size) * c;
      for (Index i = 0; i < size; ++i) {
        const S terms = norms_(begin + i) + c_norm;
        const S squared = terms - 2 * products(i);
        const double value = squared <= zero * terms ? 0 : static_cast<double>(squared);
        double& least = distance(begin + i);
        least = first ? value : (std::min)(least, value);
      }
    };
    constexpr Index worth_threads = Index{1} << 20U;
    if (stored_entries(x_) < worth_threads)
      lower(0, 0, x_.rows());
    else
      for_row_blocks(x_.rows(), lower);
  }

  bool assign() {
    const Vector<S> half = centres_.colwise().squaredNorm().transpose() / S(2);
    std::vector<char> changed(static_cast<std::size_t>(x_.rows()));
    for_row_blocks(x_.rows(), [&](Index, Index begin, Index size) {
      const Matrix<S> products = x_.middleRows(begin, size) * centres_;
      for (Index i = 0; i < size; ++i) {
        Index best = 0;
        (products.row(i) - half.transpose()).maxCoeff(&best);
        changed[static_cast<std::size_t>(begin + i)] = best != nearest_(begin + i);
        nearest_(begin + i) = best;
      }
    });
    return std::find(changed.begin(), changed.end(), 1) != changed.end();
  }

  template <class Column>
  void add_row(Index i, Column&& column) const {
    if constexpr (DenseSamples<X>)
      column += x_.row(i).transpose();
    else
      for (typename X::InnerIterator entry(x_, i); entry; ++entry)
        column(entry.col()) += entry.value();
  }

  X x_;  // minus the shift, times the scale
  Vector<S> shift_, norms_;
  S scale_ = 1;
  Matrix<S> centres_;  // d x m, likewise
  Clusters nearest_;   // for each sample the number of its centre; -1 before the first iteration
};

}  // namespace detail

struct KMeansLandmarksParams {
  Index iterations = 5;  ///< Lloyd's iterations at most; 0: landmarks are samples of k-means++

  /// Throws InvalidArgument for iterations < 0.
  void validate() const {
    if (iterations < 0)
      detail::fail("mercer::KMeansLandmarks: iterations must not be negative, got ", iterations);
  }
};

/// Landmarks are the centres of clusters of samples; they are not samples themselves. They are good
/// for smooth kernels in few dimensions, and need no kernel values.
///
/// Runs k-means++ and Lloyd's iterations on min(n, max(20 m, 2000)) samples drawn uniformly, or in
/// proportion to their weights, in the Euclidean distance. Gives fewer than m landmarks if there
/// are fewer different samples. Centres are dense: even for sparse samples they take m d numbers.
/// Cost: O(m^2 d) time for each iteration, independent of n.
/// Random: the request's seed, purposes "k-means subsample" (with weights "weighted landmarks") and
///   "k-means++".
/// Source: Zhang, Tsang, Kwok, Improved Nystroem low-rank approximation and error analysis, 2008.
/// Source: Arthur, Vassilvitskii, k-means++: the advantages of careful seeding, 2007.
class KMeansLandmarks {
 public:
  using Params = KMeansLandmarksParams;

  KMeansLandmarks() = default;

  /// Throws InvalidArgument for iterations < 0.
  explicit KMeansLandmarks(Params params) : params_(params) { params.validate(); }

  [[nodiscard]] const Params& params() const { return params_; }

  template <OwnedSamples X>
  [[nodiscard]] Landmarks<X> select(const KernelView<X>&, const X& samples,
                                    const LandmarkRequest& request, const Observer& observer) const;

 private:
  Params params_;
};

template <OwnedSamples X>
Landmarks<X> KMeansLandmarks::select(const KernelView<X>&, const X& samples,
                                     const LandmarkRequest& request,
                                     const Observer& observer) const {
  const Index n = samples.rows(), m = request.count;
  const Index drawn = (std::min)(n, (std::max)(20 * m, Index{2000}));
  RandomStream rows(request.seed, "k-means subsample"), seeds(request.seed, "k-means++");
  detail::KMeans<X> clusters(detail::take_rows(
      samples, request.weights.size() > 0
                   ? detail::weighted_rows("KMeansLandmarks", request.weights, drawn, request.seed)
                   : sample_without_replacement(n, drawn, rows)));
  Landmarks<X> out;
  out.cancelled = !clusters.seed(m, seeds, observer);
  for (Index i = 0; i < params_.iterations && !out.cancelled; ++i) {
    out.cancelled = !detail::go_on(observer, {"k-means", i, params_.iterations});
    if (!out.cancelled && !clusters.iterate()) break;
  }
  out.points = clusters.centres();
  out.method = drawn < n
                   ? "k-means on " + detail::to_text(drawn) + " of " + detail::to_text(n) + " rows"
                   : "k-means";
  out.bytes = static_cast<std::size_t>(drawn + 2 * m) * static_cast<std::size_t>(samples.cols()) *
              sizeof(typename X::Scalar);
  return out;
}

#define MERCER_SELECT(X)                                              \
  MERCER_INSTANTIATE_NYSTROM(Landmarks<X> KMeansLandmarks::select<X>( \
      const KernelView<X>&, const X&, const LandmarkRequest&, const Observer&) const)
MERCER_FOR_SAMPLES(MERCER_SELECT)
#undef MERCER_SELECT

}  // namespace mercer

#endif  // MERCER_SOLVERS_NYSTROM_KMEANS_LANDMARKS_HPP
