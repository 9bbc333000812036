// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A random permutation of any size that takes no memory.

#ifndef MERCER_CORE_RANDOM_ORDER_HPP
#define MERCER_CORE_RANDOM_ORDER_HPP

#include <array>
#include <cstdint>
#include <string_view>

#include <mercer/core/errors.hpp>
#include <mercer/core/math/philox.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// A pseudo-random permutation of 0, ..., n - 1 that depends only on (seed, purpose, epoch). Each
/// value is computed when it is needed, by a Feistel network of eight rounds with Philox as round
/// function. The network permutes the numbers below the next power of 4. It is applied again until
/// the result is below n.
/// Cost: O(1) time and memory; on average at most about four applications of the network.
/// Source: Luby, Rackoff, How to construct pseudorandom permutations, 1988; Black, Rogaway, Ciphers
///   with arbitrary finite domains, 2002 (the repeated application).
class RandomOrder {
 public:
  RandomOrder(Index n, std::uint64_t seed, std::string_view purpose, std::uint64_t epoch)
      : n_(static_cast<std::uint64_t>(n)), key_{seed, hash_name(purpose)}, epoch_(epoch) {
    while (half_ < 31 && (std::uint64_t{1} << (2 * half_)) < n_) ++half_;
  }

  /// The number at position \p i of the permutation, 0 <= i < n.
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
      // The 1 in the last word of the counter keeps these words apart from those of a RandomStream.
      const auto words = detail::philox4x64({right, round, epoch_, 1}, key_);
      const std::uint64_t next = left ^ (words[0] & mask);
      left = right;
      right = next;
    }
    return left << half_ | right;
  }

  std::uint64_t n_;
  std::array<std::uint64_t, 2> key_;
  std::uint64_t epoch_;
  unsigned half_ = 1;
};

}  // namespace mercer::detail

#endif  // MERCER_CORE_RANDOM_ORDER_HPP
