// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The counter-based generator Philox4x64-10.

#ifndef MERCER_CORE_MATH_PHILOX_HPP
#define MERCER_CORE_MATH_PHILOX_HPP

#include <array>
#include <cstdint>

namespace mercer::detail {

/// A 128-bit product in two words.
struct WideProduct {
  std::uint64_t high, low;
};

/// The product by products of half words, where the compiler has no type of 128 bits.
[[nodiscard]] constexpr WideProduct multiply_halves(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t low = 0xffffffffU;
  const std::uint64_t first = (a >> 32U) * (b & low) + (((a & low) * (b & low)) >> 32U);
  const std::uint64_t second = (a & low) * (b >> 32U) + (first & low);
  return {(a >> 32U) * (b >> 32U) + (first >> 32U) + (second >> 32U), a * b};
}

[[nodiscard]] constexpr WideProduct multiply_wide(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;  // one instruction
  return {static_cast<std::uint64_t>(product >> 64U), static_cast<std::uint64_t>(product)};
#else
  return multiply_halves(a, b);
#endif
}

/// Four random words: a bijection of \p counter for each \p key.
/// Cost: 20 products of two words.
/// Source: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011,
///   section 3.3: N = 4, W = 64, 10 rounds.
[[nodiscard]] constexpr std::array<std::uint64_t, 4> philox4x64(
    const std::array<std::uint64_t, 4>& counter, const std::array<std::uint64_t, 2>& key) {
  constexpr std::uint64_t multiplier_0 = 0xd2e7470ee14c6c93U, multiplier_1 = 0xca5a826395121157U;
  // The fractional parts of the golden ratio and of the square root of 3.
  constexpr std::uint64_t weyl_0 = 0x9e3779b97f4a7c15U, weyl_1 = 0xbb67ae8584caa73bU;
  constexpr int rounds = 10;
  auto [c0, c1, c2, c3] = counter;
  auto [k0, k1] = key;
  for (int round = 0; round < rounds; ++round, k0 += weyl_0, k1 += weyl_1) {
    const WideProduct from_0 = multiply_wide(multiplier_0, c0);
    const WideProduct from_2 = multiply_wide(multiplier_1, c2);
    c0 = from_2.high ^ c1 ^ k0;
    c1 = from_2.low;
    c2 = from_0.high ^ c3 ^ k1;
    c3 = from_0.low;
  }
  return {c0, c1, c2, c3};
}

}  // namespace mercer::detail

#endif  // MERCER_CORE_MATH_PHILOX_HPP
