// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/rows/row_blocks.hpp>

#include <atomic>
#include <cstddef>
#include <vector>

#include <mercer/core/threads.hpp>
#include <tests/support/catch.hpp>

namespace row_blocks_test {

using namespace mercer;

TEST_CASE("row blocks: every row is visited once", "[core]") {
  const Index rows = GENERATE(0, 1, 1024, 1025, 40'000);
  std::vector<std::atomic<int>> visits(static_cast<std::size_t>(rows));
  std::atomic<bool> placed = true;
  detail::for_row_blocks(rows, [&](Index block, Index first, Index size) {
    if (first != block * detail::row_block) placed = false;
    for (Index i = first; i < first + size; ++i) ++visits[static_cast<std::size_t>(i)];
  });
  CHECK(placed);
  for (const auto& count : visits) REQUIRE(count == 1);
}

TEST_CASE("row blocks: sums have the same bits on any number of threads", "[core]") {
  const Index rows = GENERATE(0, 3, 1025, 40'000);  // more than the blocks of one step
  const auto sum_on = [&](int threads) {
    set_thread_count(threads);
    Matrix<float> sum = Matrix<float>::Constant(1, 1, 2.0F);
    detail::add_row_blocks(
        rows,
        [](Index first, Index size) -> Matrix<float> {
          float part = 0;
          for (Index i = first; i < first + size; ++i) part += 1 / static_cast<float>(i + 1);
          return Matrix<float>::Constant(1, 1, part);
        },
        sum);
    return sum(0, 0);
  };
  const int before = thread_count();
  const float one = sum_on(1), two = sum_on(2);
  set_thread_count(before);
  CHECK(one == two);
  double exact = 2;
  for (Index i = 0; i < rows; ++i) exact += 1 / static_cast<double>(i + 1);
  CHECK(one == Approx(exact).epsilon(1e-4));  // sums of 1024 rounded terms
}

TEST_CASE("row blocks: an empty sum stays as it is", "[core]") {
  Matrix<double> none(0, 0);
  detail::add_row_blocks(
      5, [](Index, Index) -> Matrix<double> { return Matrix<double>::Ones(1, 1); }, none);
  CHECK(none.size() == 0);
}

}  // namespace row_blocks_test
