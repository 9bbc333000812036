// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A random order of any number of things that takes no memory.

#ifndef MERCER_CORE_RANDOM_ORDER_HPP
#define MERCER_CORE_RANDOM_ORDER_HPP

#include <cstdint>
#include <string_view>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// A pseudo-random permutation of 0, ..., n - 1, fixed by (seed, purpose, epoch) alone, that is
/// evaluated where it is needed: a Feistel network of eight rounds with Philox as round function,
/// over the next power of 4, walked until it meets a number below n.
/// Cost: O(1) time and memory; some four walks at most on average.
/// Source: Luby, Rackoff, How to construct pseudorandom permutations, 1988; Black, Rogaway, Ciphers
/// with arbitrary finite domains, 2002 (the walk).
class RandomOrder {
 public:
  RandomOrder(Index n, std::uint64_t seed, std::string_view purpose, std::uint64_t epoch)
      : n_(static_cast<std::uint64_t>(n)), key_{{seed, hash_name(purpose)}}, epoch_(epoch) {
    while (half_ < 31 && (std::uint64_t{1} << (2 * half_)) < n_) ++half_;
  }

  /// The number at place \p i of the order, 0 <= i < n.
  [[nodiscard]] Index operator()(Index i) const {
    auto value = static_cast<std::uint64_t>(i);
    MERCER_ASSERT(value < n_);
    do value = encrypt(value);
    while (value >= n_);
    return static_cast<Index>(value);
  }

 private:
  [[nodiscard]] std::uint64_t encrypt(std::uint64_t value) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_) - 1;
    std::uint64_t left = value >> half_, right = value & mask;
    for (std::uint64_t round = 0; round < 8; ++round) {
      // The last word of the counter keeps these apart from the words of a RandomStream.
      const auto words = r123::Philox4x64()({{right, round, epoch_, 1}}, key_);
      const std::uint64_t next = left ^ (words[0] & mask);
      left = right;
      right = next;
    }
    return left << half_ | right;
  }

  std::uint64_t n_;
  r123::Philox4x64::key_type key_;
  std::uint64_t epoch_;
  unsigned half_ = 1;
};

}  // namespace mercer::detail

#endif  // MERCER_CORE_RANDOM_ORDER_HPP
