// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Rows of a matrix, drawn at random for an estimate of a sum over all rows.

#ifndef MERCER_SOLVERS_DETAIL_DRAWN_ROWS_HPP
#define MERCER_SOLVERS_DETAIL_DRAWN_ROWS_HPP

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <utility>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// So many kernel values in double take some milliseconds: where they are many rows of K, or all
/// of them, a certificate uses as many, whatever the number of rows that was asked for.
inline constexpr Index cheap_certificate_values = Index{1} << 20;

/// Some of n rows: first those that are certain, then those that were drawn at random. So a sum of
/// terms over all rows is estimated by the sum of the terms of these rows times their weights.
struct DrawnRows {
  std::vector<Index> rows;
  Index certain = 0;       ///< how many rows are certain; none of the others is one of them
  Vector<double> weights;  ///< 1 for certain rows, else 1 / (expected number of its draws)

  [[nodiscard]] Index count() const { return static_cast<Index>(rows.size()); }
  /// How many rows were drawn at random. With none, all rows are here, and sums are exact.
  [[nodiscard]] Index draws() const { return count() - certain; }

  /// The standard error of the weighted sum, from its weighted terms. With one draw it is not known
  /// and taken as 0.
  [[nodiscard]] double standard_error(const Vector<double>& weighted_terms) const {
    if (draws() < 2) return 0;
    const auto m = static_cast<double>(draws());
    const Vector<double> random = weighted_terms.tail(draws());
    return std::sqrt((random.array() - random.mean()).square().sum() * m / (m - 1));
  }
};

[[nodiscard]] inline DrawnRows all_rows(Index n) {
  DrawnRows drawn{std::vector<Index>(static_cast<std::size_t>(n)), n, Vector<double>::Ones(n)};
  std::iota(drawn.rows.begin(), drawn.rows.end(), Index{0});
  return drawn;
}

/// These rows of n, which are a uniform sample without replacement.
[[nodiscard]] inline DrawnRows uniform_rows(std::vector<Index> rows, Index n) {
  const auto count = static_cast<Index>(rows.size());
  const double weight = static_cast<double>(n) / static_cast<double>(count);
  return {std::move(rows), count == n ? n : 0, Vector<double>::Constant(count, weight)};
}

/// Adds |weights|, scaled to sum 1, to the shares; adds nothing if all weights are 0. Weights must
/// be finite.
inline void add_share(const Vector<double>& weights, Vector<double>& shares) {
  const double largest = weights.size() > 0 ? weights.cwiseAbs().maxCoeff() : 0;
  if (!(largest > 0)) return;
  const Vector<double> scaled = weights.cwiseAbs() / largest;
  if (scaled.allFinite()) shares += scaled / scaled.sum();
}

/// A seed that nobody can know before the vectors are computed. So samples cannot be arranged such
/// that the drawn rows miss some of them.
[[nodiscard]] inline std::uint64_t seed_from(const Matrix<double>& vectors) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const double value : vectors.reshaped()) {
    hash ^= std::bit_cast<std::uint64_t>(value);
    hash *= 0x100000001b3U;
    hash ^= hash >> 32U;
  }
  return hash;
}

/// \p count rows, drawn with replacement in proportion to the shares, which are not negative and
/// not all 0.
[[nodiscard]] inline DrawnRows rows_by_shares(const Vector<double>& shares, Index count,
                                              RandomStream& stream) {
  DrawnRows drawn{draw_in_proportion(shares, count, stream), 0, Vector<double>(count)};
  const double expected = static_cast<double>(count) / shares.sum();
  for (Index i = 0; i < count; ++i)
    drawn.weights(i) = 1 / (expected * shares(drawn.rows[static_cast<std::size_t>(i)]));
  return drawn;
}

/// The rows that hold a sixteenth of the square of one of these unit vectors, ascending.
/// Threads: over tiles of rows.
[[nodiscard]] inline std::vector<Index> large_rows(const Matrix<double>& vectors) {
  constexpr double large = 1.0 / 16;
  const Index n = vectors.rows();
  std::vector<std::vector<Index>> found(static_cast<std::size_t>(tile_count(n)));
  parallel_for(tile_count(n), [&](Index t) {
    const Range tile = Range::tile(t, n);
    const Matrix<double> squares = vectors.middleRows(tile.begin, tile.size).cwiseAbs2();
    for (Index i = 0; i < tile.size; ++i)
      if (squares.row(i).maxCoeff() >= large)
        found[static_cast<std::size_t>(t)].push_back(tile.begin + i);
  });
  std::vector<Index> all;
  for (const std::vector<Index>& rows : found) all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

/// The sum over the vectors of their squares, each scaled to sum 1 over the rows but the \p certain
/// ones; of vectors that have nothing else, nothing.
/// Threads: over vectors, then over tiles of rows; the bits do not depend on their number.
[[nodiscard]] inline Vector<double> shares_of_squares(const Matrix<double>& vectors,
                                                      const std::vector<Index>& certain) {
  const Index n = vectors.rows(), k = vectors.cols();
  // In steps, as squares of small entries underflow.
  Vector<double> largest = Vector<double>::Zero(k), sums = Vector<double>::Zero(k);
  parallel_for(k, [&](Index j) {
    Vector<double> squares = vectors.col(j).cwiseAbs2();
    for (const Index i : certain) squares(i) = 0;
    largest(j) = n > 0 ? squares.maxCoeff() : 0;
    if (!(largest(j) > 0)) return;
    squares /= largest(j);
    sums(j) = squares.sum();
  });
  Vector<double> shares(n);
  parallel_for(tile_count(n), [&](Index t) {
    const Range tile = Range::tile(t, n);
    Vector<double> here = Vector<double>::Zero(tile.size);
    for (Index j = 0; j < k; ++j)
      if (largest(j) > 0 && std::isfinite(sums(j)))
        here += vectors.col(j).segment(tile.begin, tile.size).cwiseAbs2() / largest(j) / sums(j);
    shares.segment(tile.begin, tile.size) = here;
  });
  for (const Index i : certain) shares(i) = 0;
  return shares;
}

/// \p count rows, drawn with replacement and in equal parts uniformly, in proportion to the squares
/// of \p vectors, and in proportion to each of \p others (those that are empty or constant are left
/// out: the latter would only make the uniform part larger). Rows that
/// hold a sixteenth of the square of a vector are certain: the errors of a vector with few large
/// entries are in these rows, and of many such vectors the draws would miss some. What the certain
/// rows leave of each vector has the same share, since its errors may be in few rows, too. Returns
/// all rows if there are at most 2 \p count, beside the certain ones.
/// \param vectors  n x k, unit vectors
/// \param others   n entries each, not negative
/// Random: seeded by the vectors, purpose "certificate".
[[nodiscard]] inline DrawnRows draw_rows(
    const Matrix<double>& vectors, Index count,
    std::initializer_list<std::reference_wrapper<const Vector<double>>> others) {
  const Index n = vectors.rows();
  const std::vector<Index> certain = large_rows(vectors);
  const Vector<double> of_vectors = shares_of_squares(vectors, certain);
  Vector<double> shares = Vector<double>::Zero(n);
  add_share(Vector<double>::Ones(n), shares);
  for (const Vector<double>& other : others)
    if (other.size() > 0 && other.minCoeff() < other.maxCoeff()) add_share(other, shares);
  add_share(of_vectors, shares);
  for (const Index i : certain) shares(i) = 0;
  const auto kept = static_cast<Index>(certain.size());
  if (n - kept <= 2 * count || !(shares.sum() > 0)) return all_rows(n);
  RandomStream stream(seed_from(vectors), "certificate");
  DrawnRows drawn = rows_by_shares(shares, count, stream);
  drawn.rows.insert(drawn.rows.begin(), certain.begin(), certain.end());
  Vector<double> weights(kept + count);
  weights << Vector<double>::Ones(kept), drawn.weights;
  return {std::move(drawn.rows), kept, std::move(weights)};
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DETAIL_DRAWN_ROWS_HPP
