// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Counter-based random numbers: every draw is a function of (seed, purpose, block, position).

#ifndef MERCER_CORE_RANDOM_HPP
#define MERCER_CORE_RANDOM_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/math/normal_quantile.hpp>
#include <mercer/core/math/philox.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

namespace detail {

/// FNV-1a, 64 bits.
[[nodiscard]] constexpr std::uint64_t hash_name(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : name) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return hash;
}

}  // namespace detail

/// A sequence of 64-bit random words that depends only on (seed, purpose, block).
///
/// The generator is Philox4x64-10. Its key is (seed, hash of the purpose), and its counter is
/// (position, block, 0, 0). The 64-bit variant is used because these numbers fit into its key and
/// counter uncut. So two different pairs (seed, block) never share a key and counter, and a draw is
/// one word.
///
/// Models std::uniform_random_bit_generator. Copies continue independently.
/// \code
///   RandomStream stream(params.seed, "frequencies", block);
///   const double u = stream.uniform();
/// \endcode
/// Source: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3, 2011.
class RandomStream {
 public:
  /// What a call returns.
  using result_type = std::uint64_t;

  /// @param purpose  what the numbers are for, e.g. "frequencies"; use a name for one purpose only
  constexpr RandomStream(std::uint64_t seed, std::string_view purpose, std::uint64_t block = 0)
      : seed_(seed), purpose_(detail::hash_name(purpose)), block_(block) {}

  /// The smallest word.
  [[nodiscard]] static constexpr result_type(min)() { return 0; }
  /// The largest word.
  [[nodiscard]] static constexpr result_type(max)() {
    return (std::numeric_limits<result_type>::max)();
  }

  /// The next word.
  result_type operator()() {
    constexpr std::uint64_t words = 4;
    if (position_ % words == 0)
      buffer_ = detail::philox4x64({position_ / words, block_, 0, 0}, {seed_, purpose_});
    return buffer_[static_cast<std::size_t>(position_++ % words)];
  }

  /// Uniform on the 2^52 midpoints of (0, 1): never 0, never 1. Takes one word.
  double uniform() { return (static_cast<double>((*this)() >> 12U) + 0.5) * 0x1p-52; }

  /// Standard normal, by inversion of one uniform(): takes one word, |value| < 8.3.
  double normal() { return normal_quantile(uniform()); }

  /// Uniform on 0, ..., bound - 1 without bias, for bound >= 1. Takes one word, rarely more.
  /// Source: Lemire, Fast random integer generation in an interval, 2019, algorithm 5.
  std::uint64_t below(std::uint64_t bound) {
    MERCER_ASSERT(bound > 0);
    detail::WideProduct product = detail::multiply_wide((*this)(), bound);
    if (product.low < bound) {
      const std::uint64_t biased = (0 - bound) % bound;
      while (product.low < biased) product = detail::multiply_wide((*this)(), bound);
    }
    return product.high;
  }

 private:
  std::uint64_t seed_;
  std::uint64_t purpose_;
  std::uint64_t block_;
  std::uint64_t position_ = 0;
  std::array<std::uint64_t, 4> buffer_{};
};

/// The block of random_matrix() in \p rows and \p cols. Who needs one block of vectors after
/// another takes further columns: blocks of seed + 1, + 2, ... would be those of neighbouring
/// seeds.
template <Real Scalar, class Draw>
  requires std::is_invocable_r_v<double, const Draw&, RandomStream&>
[[nodiscard]] Matrix<Scalar> random_block(detail::Range rows, detail::Range cols,
                                          std::uint64_t seed, std::string_view purpose,
                                          const Draw& draw) {
  constexpr Index block_rows = 1024;
  const Index end = rows.begin + rows.size, first_block = rows.begin / block_rows;
  const Index blocks = rows.size > 0 ? (end + block_rows - 1) / block_rows - first_block : 0;
  Matrix<Scalar> out(rows.size, cols.size);
  parallel_for(blocks * cols.size, [&](Index task) {
    const Index column = task / blocks;
    const Index block = first_block + task % blocks;
    RandomStream stream(seed, purpose,
                        (static_cast<std::uint64_t>(cols.begin + column) << 32U) |
                            static_cast<std::uint64_t>(block));
    for (Index i = block * block_rows; i < (std::min)(end, (block + 1) * block_rows); ++i) {
      const double value = draw(stream);
      if (i >= rows.begin) out(i - rows.begin, column) = static_cast<Scalar>(value);
    }
  });
  return out;
}

/// A matrix of independent draws: each entry is a value of \p draw(stream), rounded from double to
/// \p Scalar.
/// Random: entry (i, j) comes from the stream of block (j, i / 1024), in order of i. So it depends
///   only on seed, purpose, i and j, if every draw takes the same number of words. It does not
///   depend on the number of threads. A larger matrix extends a smaller one.
template <Real Scalar, class Draw>
  requires std::is_invocable_r_v<double, const Draw&, RandomStream&>
[[nodiscard]] Matrix<Scalar> random_matrix(Index rows, Index cols, std::uint64_t seed,
                                           std::string_view purpose, const Draw& draw) {
  if (rows < 0 || cols < 0)
    detail::fail("mercer::random_matrix: negative size ", rows, " x ", cols);
  return random_block<Scalar>({0, rows}, {0, cols}, seed, purpose, draw);
}

/// A matrix of independent standard normals; see random_matrix.
template <Real Scalar>
[[nodiscard]] Matrix<Scalar> normal_matrix(Index rows, Index cols, std::uint64_t seed,
                                           std::string_view purpose) {
  return random_matrix<Scalar>(rows, cols, seed, purpose,
                               [](RandomStream& stream) { return stream.normal(); });
}

/// The block of normal_matrix() in \p rows and \p cols; see random_block.
template <Real Scalar>
[[nodiscard]] Matrix<Scalar> normal_block(detail::Range rows, detail::Range cols,
                                          std::uint64_t seed, std::string_view purpose) {
  return random_block<Scalar>(rows, cols, seed, purpose,
                              [](RandomStream& stream) { return stream.normal(); });
}

/// A uniformly random order of 0, ..., n - 1 (Fisher-Yates).
[[nodiscard]] inline std::vector<Index> random_permutation(Index n, RandomStream& stream) {
  if (n < 0) detail::fail("mercer::random_permutation: n must not be negative, got ", n);
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[stream.below(i)]);
  return order;
}

/// k different numbers out of 0, ..., n - 1, every subset equally likely, in ascending order.
/// Cost: O(k log k) time.
/// Memory: O(k).
/// Source: Bentley and Floyd, A sample of brilliance, CACM 30 (1987) 754-757.
[[nodiscard]] inline std::vector<Index> sample_without_replacement(Index n, Index k,
                                                                   RandomStream& stream) {
  if (k < 0 || k > n)
    detail::fail("mercer::sample_without_replacement: cannot take ", k, " out of ", n);
  std::unordered_set<Index> taken;
  for (Index last = n - k; last < n; ++last) {
    const auto pick = static_cast<Index>(stream.below(static_cast<std::uint64_t>(last) + 1));
    if (!taken.insert(pick).second) taken.insert(last);
  }
  std::vector<Index> sample(taken.begin(), taken.end());
  std::sort(sample.begin(), sample.end());
  return sample;
}

/// \p count numbers out of 0, ..., n - 1, drawn with replacement in proportion to n shares, which
/// are not negative and not all 0. A number whose share is 0 is not drawn.
/// Cost: O(n + count log n) time.
/// Memory: O(n + count).
[[nodiscard]] inline std::vector<Index> draw_in_proportion(const Vector<double>& shares,
                                                           Index count, RandomStream& stream) {
  std::vector<double> sums(static_cast<std::size_t>(shares.size()));
  std::partial_sum(shares.begin(), shares.end(), sums.begin());
  const double sum = sums.back();
  std::vector<Index> drawn(static_cast<std::size_t>(count));
  for (Index& i : drawn) {
    // The first partial sum above a number < sum is that of a positive share.
    const double at = (std::min)(stream.uniform() * sum, std::nextafter(sum, 0.0));
    i = std::upper_bound(sums.begin(), sums.end(), at) - sums.begin();
  }
  return drawn;
}

}  // namespace mercer

#endif  // MERCER_CORE_RANDOM_HPP
