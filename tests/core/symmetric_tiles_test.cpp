// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/symmetric_tiles.hpp>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <mercer/core/threads.hpp>
#include <tests/support/catch.hpp>

namespace symmetric_tiles_test {

using namespace mercer;

namespace {

/// Runs \p action with this many threads.
template <class Action>
void with_threads(int threads, Action&& action) {
  const int before = thread_count();
  set_thread_count(threads);
  action();
  set_thread_count(before);
}

/// Per block, what it met, in order.
using Meetings = std::vector<std::vector<std::pair<Index, Index>>>;

Meetings meetings(Index count, int threads) {
  Meetings met(static_cast<std::size_t>(count));
  with_threads(threads, [&] {
    detail::for_symmetric_tiles(count, [&](Index i, Index j) {
      // No lock: the loop promises that nobody else has these two blocks.
      met[static_cast<std::size_t>(i)].emplace_back(i, j);
      if (i != j) met[static_cast<std::size_t>(j)].emplace_back(i, j);
    });
  });
  return met;
}

}  // namespace

TEST_CASE("symmetric_tiles: every tile once", "[core]") {
  const Index count = GENERATE(0, 1, 2, 3, 8, 9, 20);
  for (const int threads : {1, 2, 3}) {
    std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count * count));
    std::atomic<bool> lower = true;
    with_threads(threads, [&] {
      detail::for_symmetric_tiles(count, [&](Index i, Index j) {
        if (j > i || j < 0 || i >= count) lower = false;
        ++visits[static_cast<std::size_t>(i * count + j)];
      });
    });
    CHECK(lower);
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < count; ++j)
        CHECK(visits[static_cast<std::size_t>(i * count + j)] == (j <= i ? 1 : 0));
  }
}

TEST_CASE("symmetric_tiles: two visits at a time share no block", "[core]") {
  const Index count = GENERATE(2, 3, 8, 9);
  for (const int threads : {2, 3, 4}) {
    std::vector<std::atomic<int>> busy(static_cast<std::size_t>(count));
    std::atomic<int> clashes = 0;
    with_threads(threads, [&] {
      detail::for_symmetric_tiles(count, [&](Index i, Index j) {
        const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
        if (busy[a].fetch_add(1) > 0) ++clashes;
        if (a != b && busy[b].fetch_add(1) > 0) ++clashes;
        for (int turn = 0; turn < 20; ++turn) std::this_thread::yield();
        --busy[a];
        if (a != b) --busy[b];
      });
    });
    CHECK(clashes == 0);
  }
}

TEST_CASE("symmetric_tiles: a block meets the others in one order on any number of threads",
          "[core]") {
  const Index count = GENERATE(1, 2, 3, 8, 9, 21);
  const Meetings one = meetings(count, 1);
  for (Index block = 0; block < count; ++block)
    CHECK(one[static_cast<std::size_t>(block)].size() == static_cast<std::size_t>(count));
  for (const int threads : {2, 3}) CHECK(meetings(count, threads) == one);
}

TEST_CASE("symmetric_tiles: an exception in a visit comes out", "[core]") {
  const Index count = 9;
  for (const int threads : {1, 2, 3})
    for (Index bad = 0; bad < count; ++bad) {
      std::atomic<int> visits = 0;
      with_threads(threads, [&] {
        CHECK_THROWS_AS(detail::for_symmetric_tiles(count,
                                                    [&](Index i, Index j) {
                                                      ++visits;
                                                      if (i == bad && j == bad / 2)
                                                        throw std::domain_error("from a visit");
                                                    }),
                        std::domain_error);
      });
      CHECK(visits <= 45);
      // The next loop is not held up by it.
      CHECK(meetings(count, threads) == meetings(count, 1));
    }
}

TEST_CASE("symmetric_tiles: the lower triangle copied to the upper one", "[core]") {
  for (const Index n : {0, 1, 255, 256, 600}) {
    const Matrix<double> a = Matrix<double>::Random(n, n);
    Matrix<double> copied = a;
    detail::copy_lower_to_upper(copied);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i)
        if (copied(i, j) != a((std::max)(i, j), (std::min)(i, j))) FAIL(i << ", " << j);
  }
}

}  // namespace symmetric_tiles_test
