// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Symmetric matrix times block of vectors from the tiles of one triangle.

#ifndef MERCER_OPERATORS_SYMMETRIC_TILES_HPP
#define MERCER_OPERATORS_SYMMETRIC_TILES_HPP

#include <algorithm>
#include <atomic>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/operators/tile_product.hpp>

namespace mercer::detail {

/// Rounds that blocks of rows have behind them: who waits for whom, without a barrier.
class RoundCounter {
 public:
  explicit RoundCounter(Index blocks) : rounds_(static_cast<std::size_t>(blocks)) {}

  /// Returns true when the block has played all rounds before this one, false when a task has
  /// failed. Sleeps in the meantime: where there are more threads than free cores, a thread that
  /// polls would keep the one that it waits for from its core.
  [[nodiscard]] bool wait_for(Index block, Index round) const {
    const std::atomic<int>& rounds = rounds_[static_cast<std::size_t>(block)];
    int played = rounds.load(std::memory_order_acquire);
    while (played < round) {
      rounds.wait(played, std::memory_order_acquire);
      played = rounds.load(std::memory_order_acquire);
    }
    return played != failed;
  }
  void finish(Index block, Index round) {
    std::atomic<int>& rounds = rounds_[static_cast<std::size_t>(block)];
    auto played = static_cast<int>(round);
    // What has failed stays so.
    rounds.compare_exchange_strong(played, played + 1, std::memory_order_release);
    rounds.notify_all();
  }
  void fail() {
    for (std::atomic<int>& rounds : rounds_) {
      rounds.store(failed, std::memory_order_release);
      rounds.notify_all();
    }
  }

 private:
  static constexpr int failed = (std::numeric_limits<int>::max)();

  std::vector<std::atomic<int>> rounds_;  // int: what a futex waits on
};

/// Visits every tile (i, j), i >= j, of a symmetric matrix with \p count block rows once, on all
/// threads. visit(i, j) may add to the rows of block i and of block j: nobody else does so at the
/// same time, and every block meets the others in an order that the number of threads has no part
/// in.
///
/// The order is that of a round-robin tournament (the circle method): with an odd number of
/// players, in round r players r + s and r - s modulo the number meet, and player r stays alone,
/// which is the tile on the diagonal. A game begins when both players are done with their last one;
/// games begin in order, so that one is seldom waited for, and never in a circle.
template <class Visit>
void for_symmetric_tiles(Index count, const Visit& visit) {
  const Index players = count % 2 == 0 ? count + 1 : count;  // one that never comes makes it odd
  const Index games = (players + 1) / 2;
  RoundCounter rounds(players);
  parallel_for(players * games, [&](Index task) {
    const Index round = task / games, step = task % games;
    const Index a = (round + step) % players, b = (round + players - step) % players;
    if (!rounds.wait_for(a, round) || !rounds.wait_for(b, round)) return;
    try {
      if (a < count && b < count) visit((std::max)(a, b), (std::min)(a, b));
    } catch (...) {
      rounds.fail();
      throw;
    }
    rounds.finish(a, round);
    rounds.finish(b, round);
  });
}

/// A block of vectors in precision T, row by row, padded with zero columns for tile products.
/// Columns are divided by powers of two that keep them in the range of T.
template <Real T, Real S>
struct NarrowBlock {
  explicit NarrowBlock(const Points<S>& v)
      : values(v.rows(), (v.cols() + padded_to<T> - 1) / padded_to<T> * padded_to<T>),
        scales(v.cols()) {
    for (Index j = 0; j < v.cols(); ++j) scales(j) = power_of_two(v.col(j));
    for_row_blocks(v.rows(), [&](Index, Index first, Index size) {
      auto rows = values.middleRows(first, size);
      rows.rightCols(values.cols() - v.cols()).setZero();
      for (Index j = 0; j < v.cols(); ++j)
        rows.col(j) = (v.col(j).segment(first, size) / scales(j)).template cast<T>();
    });
  }

  RowMajorMatrix<T> values;
  Vector<S> scales;

 private:
  template <class Column>
  [[nodiscard]] static S power_of_two(const Column& column) {
    if constexpr (std::same_as<T, S>) return 1;
    const S largest = column.size() > 0 ? column.cwiseAbs().maxCoeff() : S(0);
    return largest > 0 && std::isfinite(largest) ? std::ldexp(S(1), std::ilogb(largest)) : S(1);
  }
};

/// out = A v for the symmetric n x n matrix A whose tile (i, j), i >= j, in precision T is
/// tile(i, j): a matrix of the rows of Range::tile(i, n) and the columns of Range::tile(j, n).
/// Each tile is asked for once and used for both triangles. Products of a tile with a block are
/// formed in T and added up in S. Threads: over tiles, same bits for any number.
/// Cost: 2 n^2 b operations and n^2 / 2 values of tiles; memory n (b + 8) values, in T and in S.
template <Real T, Real S, class Tile>
void symmetric_tile_product(Index n, const Tile& tile, const Points<S>& v, GramOut<S> out) {
  if (v.cols() == 0) return;
  const NarrowBlock<T, S> right(v);
  const Index w = right.values.cols();
  RowMajorMatrix<S> sums = RowMajorMatrix<S>::Zero(n, w);
  const auto add = [&](const StridedTile<T>& part, Range rows, Range cols) {
    const T* block = right.values.data() + cols.begin * w;
    if constexpr (std::same_as<T, S>) {
      add_tile_product(part, block, w, sums.data() + rows.begin * w);
    } else {
      RowMajorMatrix<T> product = RowMajorMatrix<T>::Zero(rows.size, w);
      add_tile_product(part, block, w, product.data());
      sums.middleRows(rows.begin, rows.size) += product.template cast<S>();
    }
  };
  for_symmetric_tiles(tile_count(n), [&](Index i, Index j) {
    const Range rows = Range::tile(i, n), cols = Range::tile(j, n);
    const auto& values = tile(i, j);
    const StridedTile<T> part{values.data(), rows.size, cols.size, 1, values.outerStride()};
    add(part, rows, cols);
    if (i != j) add(part.transposed(), cols, rows);
  });
  for_row_blocks(n, [&](Index, Index first, Index size) {
    out.middleRows(first, size) = sums.block(first, 0, size, v.cols()) * right.scales.asDiagonal();
  });
}

}  // namespace mercer::detail

#endif  // MERCER_OPERATORS_SYMMETRIC_TILES_HPP
