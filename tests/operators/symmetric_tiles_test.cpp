// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/operators/symmetric_tiles.hpp>

#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <mercer/core/threads.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

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

TEST_CASE("symmetric_tiles: every tile once", "[operators]") {
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

TEST_CASE("symmetric_tiles: two visits at a time share no block", "[operators]") {
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
          "[operators]") {
  const Index count = GENERATE(1, 2, 3, 8, 9, 21);
  const Meetings one = meetings(count, 1);
  for (Index block = 0; block < count; ++block)
    CHECK(one[static_cast<std::size_t>(block)].size() == static_cast<std::size_t>(count));
  for (const int threads : {2, 3}) CHECK(meetings(count, threads) == one);
}

TEST_CASE("symmetric_tiles: an exception in a visit comes out", "[operators]") {
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

TEST_CASE("symmetric_tiles: the product with a matrix of any number of tiles", "[operators]") {
  for (const Index n : {1, 255, 256, 257, 600}) {
    const Matrix<double> half = test::uniform_samples<double>(n, n, 1);
    const Matrix<double> a = half + half.transpose();
    const Matrix<double> v = test::uniform_samples<double>(n, 3, 2);
    const auto tile = [&](Index i, Index j) -> Matrix<double> {
      const auto rows = detail::Range::tile(i, n), cols = detail::Range::tile(j, n);
      return a.block(rows.begin, cols.begin, rows.size, cols.size);
    };
    Matrix<double> out(n, 3);
    detail::symmetric_tile_product<double, double>(n, tile, v, out);
    // n products of size 2 and their sum.
    const double tolerance = 4 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
    CHECK((out - a * v).cwiseAbs().maxCoeff() <= tolerance);
    detail::symmetric_tile_product<double, double>(n, tile, Matrix<double>(n, 0), out.leftCols(0));
  }
}

TEST_CASE("symmetric_tiles: columns in single precision keep their directions", "[operators]") {
  Matrix<double> v = test::uniform_samples<double>(50, 7, 3);
  const std::vector<double> sizes = {1, 0x1p-1000, 0x1p1000, 0, 1e-300, 1e300, 5e-324};
  for (Index j = 0; j < 7; ++j) v.col(j) *= sizes[static_cast<std::size_t>(j)];
  const detail::NarrowBlock<float, double> narrow(v);
  REQUIRE(narrow.scales.size() == 7);
  REQUIRE(narrow.values.rows() == 50);
  REQUIRE(narrow.values.cols() >= 7);
  CHECK(narrow.values.allFinite());
  CHECK(narrow.values.rightCols(narrow.values.cols() - 7).isZero(0));
  for (Index j = 0; j < 7; ++j) {
    const double scale = narrow.scales(j);
    CHECK(std::ldexp(1.0, std::ilogb(scale)) == scale);  // a power of two
    CHECK(narrow.values.col(j).cwiseAbs().maxCoeff() <= 2);
    const Vector<double> back = scale * narrow.values.col(j).cast<double>();
    CHECK((back - v.col(j)).cwiseAbs().maxCoeff() <=
          std::numeric_limits<float>::epsilon() * v.col(j).cwiseAbs().maxCoeff());
  }
}

TEST_CASE("symmetric_tiles: values that are not finite stay so", "[operators]") {
  Matrix<double> v = Matrix<double>::Ones(3, 2);
  v(1, 0) = std::numeric_limits<double>::infinity();
  v(2, 1) = std::numeric_limits<double>::quiet_NaN();
  const detail::NarrowBlock<float, double> narrow(v);
  CHECK_FALSE(narrow.values.col(0).allFinite());
  CHECK_FALSE(narrow.values.col(1).allFinite());
}

TEST_CASE("symmetric_tiles: a block in its own precision is taken as it is", "[operators]") {
  const Matrix<double> v = 1e200 * test::uniform_samples<double>(1100, 3, 4);
  const detail::NarrowBlock<double, double> same(v);
  CHECK((same.values.leftCols(3) == v));
  CHECK((same.scales.array() == 1).all());
}
