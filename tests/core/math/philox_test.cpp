// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Known answers of Philox4x64-10, and products of 128 bits.

#include <tests/support/catch.hpp>

#include <array>
#include <cstdint>

#include <mercer/core/math/philox.hpp>

namespace philox_test {

namespace {

using mercer::detail::multiply_halves;
using mercer::detail::multiply_wide;
using mercer::detail::philox4x64;
using Block = std::array<std::uint64_t, 4>;
using Key = std::array<std::uint64_t, 2>;

constexpr std::uint64_t ones = ~std::uint64_t{0};

static_assert(multiply_wide(ones, ones).high == ones - 1);
static_assert(multiply_wide(ones, ones).low == 1);
static_assert(multiply_wide(ones, 2).high == 1);
static_assert(multiply_wide(std::uint64_t{1} << 63U, 6).high == 3);
static_assert(multiply_wide(0xffffffffU, 0xffffffffU).high == 0);

}  // namespace

// The file kat_vectors that the authors of the paper publish with their library Random123.
TEST_CASE("philox: Philox4x64-10 gives the published known answers", "[random]") {
  CHECK(philox4x64(Block{0, 0, 0, 0}, Key{0, 0}) ==
        Block{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b});
  CHECK(philox4x64(Block{ones, ones, ones, ones}, Key{ones, ones}) ==
        Block{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0});
  // Digits of pi.
  CHECK(philox4x64(
            Block{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
            Key{0x452821e638d01377, 0xbe5466cf34e90c6c}) ==
        Block{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6});
}

TEST_CASE("philox: a product of two words is exact, with and without a type of 128 bits",
          "[random]") {
  // 0x123456789abcdef0 * 0xfedcba9876543210, worked with exact integers.
  CHECK(multiply_wide(0x123456789abcdef0U, 0xfedcba9876543210U).high == 0x121fa00ad77d7422U);
  CHECK(multiply_wide(0x123456789abcdef0U, 0xfedcba9876543210U).low == 0x236d88fe5618cf00U);
  for (const std::uint64_t a : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xffffffffU},
                                std::uint64_t{1} << 32U, 0x123456789abcdef0U, ones - 1, ones}) {
    for (const std::uint64_t b : {std::uint64_t{3}, std::uint64_t{0x80000001U},
                                  std::uint64_t{1} << 63U, 0xfedcba9876543210U, ones}) {
      CHECK(multiply_halves(a, b).high == multiply_wide(a, b).high);
      CHECK(multiply_halves(a, b).low == multiply_wide(a, b).low);
    }
  }
}

}  // namespace philox_test
