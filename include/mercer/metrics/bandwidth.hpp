// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel widths from the data: percentiles of the pairwise distances, and scikit-learn's gamma
/// rules.

#ifndef MERCER_METRICS_BANDWIDTH_HPP
#define MERCER_METRICS_BANDWIDTH_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/sample_weights.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/kernels/prepared_samples.hpp>
#include <mercer/kernels/squared_distances.hpp>

namespace mercer {

/// How many samples are used for a percentile of the distances.
struct BandwidthParams {
  /// Up to this many samples, all pairs are used. With more samples, the pairs of a random subset
  /// of this size are used.
  Index max_samples = 4000;
  std::uint64_t seed = 0;
  /// Of the samples, n: a pair counts as the product of its two weights. Samples without weight do
  /// not count. Empty: 1 each. A sample with the weight 2 is not quite two equal samples: these
  /// would make one more pair, of distance 0.
  Vector<double> weights = {};

  void validate() const {
    if (max_samples < 2)
      detail::fail("mercer::BandwidthParams: max_samples must be at least 2, got ", max_samples);
  }
};

namespace detail {

/// Dense samples in either storage order, without a copy if they are already in memory.
template <DenseSamples X>
[[nodiscard]] Eigen::Ref<const typename X::PlainObject> readable(const X& x) {
  return x;
}

template <SparseSamples X>
[[nodiscard]] SparseMatrix<typename X::Scalar> readable(const X& x) {
  return x;
}

/// |scale (x_i - x_j)|^2 for all pairs j < i, pair (i, j) at position i (i - 1)/2 + j.
template <OwnedSamples X>
[[nodiscard]] Vector<double> squared_pair_distances(const X& x, double scale) {
  const Index m = x.rows(), tiles = tile_count(m);
  Vector<double> distances = in_huge_pages(Vector<double>(m * (m - 1) / 2));
  PreparedSamples<X> prepared;
  prepared.samples = &x;
  PreparedDistances<X>::prepare(prepared, scale);
  parallel_for(tiles * tiles, [&](Index task) {
    if (task % tiles > task / tiles) return;
    const Range later = Range::tile(task / tiles, m), earlier = Range::tile(task % tiles, m);
    Matrix<double> tile(earlier.size, later.size);
    PreparedDistances<X>::squared({prepared, earlier}, {prepared, later}, scale, tile);
    for (Index c = 0; c < later.size; ++c) {
      const Index i = later.begin + c, count = (std::min)(earlier.size, i - earlier.begin);
      distances.segment(i * (i - 1) / 2 + earlier.begin, count) = tile.col(c).head(count);
    }
  });
  return distances;
}

/// Values that are at consecutive ranks of a sorted list.
struct RankedValues {
  Index first = 0;             ///< the rank of the least of them
  std::vector<double> values;  ///< in any order
};

/// The values of a long list around a rank, counted from 0. Which ranks they have depends on the
/// list; there may be none.
/// Threads: over parts of the list. The result does not depend on their number.
/// Cost: O(N) time, of which the search in the result is a small part.
[[nodiscard]] inline RankedValues values_around(const Vector<double>& list, Index rank) {
  // The values between two of some that are drawn at regular places. The rank is between them
  // unless it is off by four standard deviations.
  constexpr Index drawn = 4096, margin = 128, part = 1 << 16;
  const Index n = list.size(), parts = (n + part - 1) / part;
  std::vector<double> some(static_cast<std::size_t>(drawn));
  for (Index i = 0; i < drawn; ++i)
    some[static_cast<std::size_t>(i)] = list(static_cast<Index>(
        static_cast<double>(n) * (static_cast<double>(i) + 0.5) / static_cast<double>(drawn)));
  std::sort(some.begin(), some.end());
  const auto place = static_cast<Index>(static_cast<double>(rank) / static_cast<double>(n) *
                                        static_cast<double>(drawn));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double low = place < margin ? -infinity : some[static_cast<std::size_t>(place - margin)];
  const double high =
      place + margin < drawn ? some[static_cast<std::size_t>(place + margin)] : infinity;
  const auto part_of = [&](Index p) {
    return list.segment(p * part, (std::min)(part, n - p * part)).array();
  };
  std::vector<Index> below(static_cast<std::size_t>(parts)), inside(below);
  parallel_for(parts, [&](Index p) {
    const auto values = part_of(p);
    below[static_cast<std::size_t>(p)] = (values < low).count();
    inside[static_cast<std::size_t>(p)] = (values >= low && values <= high).count();
  });
  RankedValues out;
  const Index count = std::accumulate(inside.begin(), inside.end(), Index{0});
  if (count > n / 2) return out;  // many equal values
  out.first = std::accumulate(below.begin(), below.end(), Index{0});
  out.values.resize(static_cast<std::size_t>(count));
  std::exclusive_scan(inside.begin(), inside.end(), inside.begin(), Index{0});
  parallel_for(parts, [&](Index p) {
    auto next = static_cast<std::size_t>(inside[static_cast<std::size_t>(p)]);
    for (const double value : part_of(p))
      if (value >= low && value <= high) out.values[next++] = value;
  });
  return out;
}

/// The percentile of the square roots of \p squares. May change the order of \p squares.
[[nodiscard]] inline double percentile_of_roots(Vector<double>& squares, double percent) {
  constexpr Index few = 1 << 18;
  const double rank = static_cast<double>(squares.size() - 1) * percent / 100;
  const auto whole = static_cast<Index>(std::floor(rank));
  const double fraction = rank - std::floor(rank);
  const auto interpolate = [&](auto begin, auto end, Index at) {
    const auto below = begin + at;
    std::nth_element(begin, below, end);
    const double low = std::sqrt(*below);
    if (fraction == 0) return low;
    return low + fraction * (std::sqrt(*std::min_element(below + 1, end)) - low);
  };
  if (squares.size() > few) {
    RankedValues around = values_around(squares, whole);
    const Index at = whole - around.first, count = static_cast<Index>(around.values.size());
    if (at >= 0 && at + 1 < count)
      return interpolate(around.values.begin(), around.values.end(), at);
  }
  return interpolate(squares.begin(), squares.end(), whole);
}

/// The percentile of the square roots of \p squares, of which each counts as its weight: the one at
/// the place where the middles of the weights, put one after the other, are that share of the way
/// from the first middle to the last, with linear interpolation.
/// \param weights  positive; equal ones give percentile_of_roots()
[[nodiscard]] inline double weighted_percentile_of_roots(const Vector<double>& squares,
                                                         const Vector<double>& weights,
                                                         double percent) {
  std::vector<std::pair<double, double>> pairs(static_cast<std::size_t>(squares.size()));
  for (Index i = 0; i < squares.size(); ++i)
    pairs[static_cast<std::size_t>(i)] = {squares(i), weights(i)};
  std::sort(pairs.begin(), pairs.end());
  const double ends = (pairs.front().second + pairs.back().second) / 2;
  const double wanted = (weights.sum() - ends) * percent / 100;
  double place = 0;  // of the middle of pairs[i]
  for (std::size_t i = 0; i + 1 < pairs.size(); ++i) {
    const double step = (pairs[i].second + pairs[i + 1].second) / 2;
    if (place + step > wanted) {
      const double low = std::sqrt(pairs[i].first), high = std::sqrt(pairs[i + 1].first);
      return low + (wanted - place) / step * (high - low);
    }
    place += step;
  }
  return std::sqrt(pairs.back().first);
}

/// w_i w_j for all pairs j < i, in the order of squared_pair_distances().
[[nodiscard]] inline Vector<double> pair_weights(const Vector<double>& weights) {
  const Index m = weights.size();
  Vector<double> products(m * (m - 1) / 2);
  for (Index i = 1; i < m; ++i) products.segment(i * (i - 1) / 2, i) = weights(i) * weights.head(i);
  return products;
}

/// The rows with weight; all without weights.
[[nodiscard]] inline std::vector<Index> weighted_rows(std::string_view who, Index n,
                                                      const Vector<double>& weights) {
  std::vector<Index> rows;
  if (weights.size() > 0) {
    const std::string name = "mercer::" + std::string(who) + ": ";
    require_as_many_weights(name, n, weights.size());
    static_cast<void>(largest_weight(name, weights));
  }
  for (Index i = 0; i < n; ++i)
    if (weights.size() == 0 || weights(i) > 0) rows.push_back(i);
  return rows;
}

/// Throws InvalidArgument for a distance of zero, which is no valid bandwidth. The message says why
///   it is zero.
[[noreturn]] inline void fail_zero_distance(std::string_view who, const Vector<double>& squares) {
  const Index zeros = (squares.array() == 0).count();
  if (zeros == squares.size())
    fail("mercer::", who, ": all samples coincide, so their distances give no bandwidth");
  fail("mercer::", who, ": the distance is 0, which is no bandwidth: ", zeros, " of ",
       squares.size(), " pairs of samples coincide; take a higher percentile");
}

template <class X>
[[nodiscard]] double distance_percentile(std::string_view who, const X& x, double percent,
                                         const BandwidthParams& params) {
  params.validate();
  if (!(percent >= 0 && percent <= 100))
    fail("mercer::", who, ": percent must be between 0 and 100, got ", percent);
  std::vector<Index> rows = weighted_rows(who, x.rows(), params.weights);
  const auto n = static_cast<Index>(rows.size());
  if (n < 2)
    fail("mercer::", who, ": need at least 2 samples",
         params.weights.size() > 0 ? " with weight" : "", ", got ", n);
  const auto& samples = readable(x);
  require_finite_samples(who, samples);
  if (n > params.max_samples) {
    RandomStream stream(params.seed, "bandwidth");
    std::vector<Index> drawn = sample_without_replacement(n, params.max_samples, stream);
    for (Index& row : drawn) row = rows[static_cast<std::size_t>(row)];
    rows = std::move(drawn);
  }
  const auto taken = take_rows<double>(samples, rows);
  // The scale is a power of two, so scaling is exact. It keeps the squares from overflow and
  // underflow.
  const double largest = largest_magnitude(taken);
  const double scale = largest > 0 ? std::ldexp(1.0, (std::min)(-std::ilogb(largest), 1023)) : 1.0;
  Vector<double> squares = squared_pair_distances(taken, scale);
  Vector<double> weights;
  if (params.weights.size() > 0) weights = take_entries(params.weights, rows);
  // In units of the largest, so that products neither overflow nor all vanish.
  const bool equal = weights.size() == 0 || weights.minCoeff() == weights.maxCoeff();
  const double distance =
      (equal ? percentile_of_roots(squares, percent)
             : weighted_percentile_of_roots(squares, pair_weights(weights / weights.maxCoeff()),
                                            percent)) /
      scale;
  if (!(distance > 0)) fail_zero_distance(who, squares);
  return distance;
}

/// Calls use(value) for every value that the samples store.
template <OwnedSamples X, class Use>
void for_stored_values(const X& x, const Use& use) {
  for (Index outer = 0; outer < x.outerSize(); ++outer)
    for (typename X::InnerIterator entry(x, outer); entry; ++entry)
      use(static_cast<double>(entry.value()));
}

/// The values that samples store.
struct StoredRange {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  Index count = 0;
};
template <OwnedSamples X>
[[nodiscard]] StoredRange stored_range(const X& x) {
  StoredRange range;
  for_stored_values(x, [&](double value) {
    range.least = (std::min)(range.least, value);
    range.most = (std::max)(range.most, value);
    ++range.count;
  });
  return range;
}

}  // namespace detail

/// The percentile of the Euclidean distances \f$ |x_i - x_j| \f$, \f$ i < j \f$: a bandwidth for a
/// Gaussian, in the units of x.
///
/// The N distances are sorted in ascending order. The result is the value at rank (N - 1)
/// percent/100, counted from 0, with linear interpolation (NumPy's default). Zhang et al., 2016,
/// use the 20th percentile.
/// \code
///   mercer::Gaussian kernel{mercer::percentile_distance(X, 20)};
/// \endcode
/// @param x        n x d dense (either storage order) or sparse, one sample per row
/// @param percent  from 0 (smallest distance) to 100 (largest distance)
/// Cost: O(m^2 d) time for m = min(n, params.max_samples), and O(n d) to check the samples.
/// Memory: m^2/2 doubles, 64 MB by default, a part of these a second time, and up to two copies of
///   the m samples; with weights that differ, four times as many doubles.
/// Throws InvalidArgument for fewer than 2 samples, for a value that is not finite (the message
///   gives row and column), and for percent outside [0, 100]. Also for a distance of 0, which no
///   kernel accepts: then all samples coincide, or so many that the percentile falls on a pair of
///   equal samples.
/// Random: params.seed, stream "bandwidth"; used only if n > params.max_samples.
/// Threads: over tiles of pairs. The result does not depend on their number.
/// Accuracy: computed in double precision for samples of either precision, also for
///   near-duplicates. A random subset of 4000 typically changes the median by 1 % or less.
template <class X>
  requires DenseSamples<X> || SparseSamples<X>
[[nodiscard]] double percentile_distance(const X& x, double percent, BandwidthParams params = {}) {
  return detail::distance_percentile("percentile_distance", x, percent, params);
}

/// The median of the Euclidean distances \f$ |x_i - x_j| \f$, \f$ i < j \f$. The rest is as for
/// percentile_distance.
///
/// `Gaussian{median_distance(X)}` is \f$ \exp(-|x-y|^2/(2 s^2)) \f$ with s the median. Some codes
/// write \f$ \exp(-|x-y|^2/s^2) \f$ instead: that is
/// `Gaussian{median_distance(X) / std::sqrt(2.0)}`.
template <class X>
  requires DenseSamples<X> || SparseSamples<X>
[[nodiscard]] double median_distance(const X& x, BandwidthParams params = {}) {
  return detail::distance_percentile("median_distance", x, 50, params);
}

/// \f$ \gamma = 1/(d \, \mathrm{Var}(X)) \f$ with the variance of all n d entries. This is
/// scikit-learn's gamma="scale". For `Gaussian::from_gamma` and other kernels with a gamma.
/// Cost: O(n d) time.
/// Memory: one copy of x.
/// Throws InvalidArgument if there are no entries, if a value is not finite, if all entries are
///   equal, or if their spread is so small or large that gamma is out of the range of double.
template <class X>
  requires DenseSamples<X> || SparseSamples<X>
[[nodiscard]] double scale_gamma(const X& x) {
  const OwnedSamplesOf<X>& samples = x;
  const Index entries = samples.rows() * samples.cols();
  if (entries == 0)
    detail::fail("mercer::scale_gamma: no values in ", x.rows(), " x ", x.cols(), " samples");
  detail::require_finite_samples("scale_gamma", samples);
  const auto [least, most, stored] = detail::stored_range(samples);
  const auto left_out = static_cast<double>(entries - stored);  // zeros of a sparse matrix
  const double low = left_out > 0 ? (std::min)(least, 0.0) : least;
  const double high = left_out > 0 ? (std::max)(most, 0.0) : most;
  if (low == high)
    detail::fail("mercer::scale_gamma: all values equal ", low, ", so the variance is 0");
  // Values less the least one, as a mean of equal values need not be equal to them; in units of a
  // power of two, so that squares neither overflow nor underflow.
  const double largest = (std::max)(std::abs(low), std::abs(high));
  const double scale = std::ldexp(1.0, (std::min)(-std::ilogb(largest), 1023));
  const double zero = -low * scale, count = static_cast<double>(entries);
  double sum = left_out * zero;
  detail::for_stored_values(samples, [&](double v) { sum += v * scale + zero; });
  const double mean = sum / count;
  double squares = left_out * (zero - mean) * (zero - mean);
  detail::for_stored_values(samples, [&](double v) {
    const double deviation = v * scale + zero - mean;
    squares += deviation * deviation;
  });
  const double gamma = scale / (static_cast<double>(samples.cols()) * (squares / count)) * scale;
  if (!(gamma > 0 && std::isfinite(gamma)))
    detail::fail("mercer::scale_gamma: 1 / variance is out of range for values from ", low, " to ",
                 high, "; multiply the samples by a number that brings them near 1");
  return gamma;
}

/// \f$ \gamma = 1/d \f$. This is scikit-learn's gamma="auto", the default of its KernelPCA.
/// Throws InvalidArgument if the samples have no columns.
template <class X>
  requires DenseSamples<X> || SparseSamples<X>
[[nodiscard]] double auto_gamma(const X& x) {
  if (x.cols() == 0) detail::fail("mercer::auto_gamma: samples have no columns");
  return 1 / static_cast<double>(x.cols());
}

}  // namespace mercer

#endif  // MERCER_METRICS_BANDWIDTH_HPP
