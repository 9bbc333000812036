// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/random_order.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include <tests/support/catch.hpp>

namespace random_order_test {

using namespace mercer;

TEST_CASE("random_order: a permutation for any size", "[core][random]") {
  for (const Index n : {1, 2, 3, 4, 5, 63, 64, 65, 1000}) {
    const detail::RandomOrder order(n, 7, "test", 3), other(n, 7, "test", 4);
    std::set<Index> seen;
    Index moved = 0;
    for (Index i = 0; i < n; ++i) {
      seen.insert(order(i));
      if (order(i) != other(i)) ++moved;
    }
    CHECK(static_cast<Index>(seen.size()) == n);
    CHECK(*seen.begin() == 0);
    CHECK(*seen.rbegin() == n - 1);
    if (n >= 63) CHECK(moved > n / 2);
  }
}

// Checkpoints of a shuffled stream go on in this order, so it must never change.
TEST_CASE("random_order: the order that it always had", "[core][random]") {
  const detail::RandomOrder order(10, 7, "order", 2), large(Index{1} << 40, 7, "order", 2);
  const std::vector<Index> expected{4, 7, 0, 5, 8, 1, 9, 6, 2, 3};
  for (Index i = 0; i < 10; ++i) CHECK(order(i) == expected[static_cast<std::size_t>(i)]);
  CHECK(large(0) == 49803494935);
  CHECK(large(1) == 612984011319);
}

TEST_CASE("random_order: places are uniform", "[core][random]") {
  // Each of 10 numbers comes first with frequency 1/10; standard error of 20000 draws 0.0021, and a
  // five-sigma deviation has probability 6e-7 each.
  constexpr int draws = 20000;
  std::vector<int> first(10), last(10);
  for (int epoch = 0; epoch < draws; ++epoch) {
    const detail::RandomOrder order(10, 5, "test", static_cast<std::uint64_t>(epoch));
    ++first[static_cast<std::size_t>(order(0))];
    ++last[static_cast<std::size_t>(order(9))];
  }
  for (const auto& counts : {first, last})
    for (const int count : counts) CHECK(std::abs(count / double{draws} - 0.1) <= 5 * 0.0021);
}

}  // namespace random_order_test
