// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The order in which threads visit the tiles of a symmetric matrix, and a function that fills such
/// a matrix.

#ifndef MERCER_CORE_SYMMETRIC_TILES_HPP
#define MERCER_CORE_SYMMETRIC_TILES_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <vector>

#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// Counts the rounds that each block of rows has finished. With it, tasks wait for single blocks
/// and need no barrier.
class RoundCounter {
 public:
  explicit RoundCounter(Index blocks) : rounds_(static_cast<std::size_t>(blocks)) {}

  /// Waits until the block has finished all rounds before \p round and returns true, or returns
  /// false when a task has failed. The thread sleeps while it waits. If there are more threads than
  /// free cores, a polling thread would occupy the core that the thread it waits for needs.
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
    // Does not overwrite the mark of a failure.
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

  std::vector<std::atomic<int>> rounds_;  // int, as a futex waits on an int
};

/// Visits every tile (i, j), i >= j, of a symmetric matrix with \p count block rows once, on all
/// threads. visit(i, j) may add to the rows of block i and of block j: no other task does so at the
/// same time. The order in which a block meets the others does not depend on the number of threads.
///
/// The order is that of a round-robin tournament (the circle method). With an odd number of
/// players, in round r the players r + s and r - s, modulo the number of players, meet. Player r
/// stays alone: this is the tile on the diagonal. A game begins when both players have finished
/// their previous game. Games begin in order, so tasks seldom wait, and never in a circle.
template <class Visit>
void for_symmetric_tiles(Index count, const Visit& visit) {
  const Index players = count % 2 == 0 ? count + 1 : count;  // an absent player makes it odd
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

/// Fills the symmetric n x n matrix whose tiles (i, j), i >= j, are written by tile(i, j, out).
/// Each tile is asked for once and copied to both triangles. Tiles on the diagonal are made
/// symmetric to the last bit.
/// Threads: over tiles; the result does not depend on their number.
template <Real S, class Tile>
void fill_symmetric(Index n, const Tile& tile, GramOut<S> out) {
  for_symmetric_tiles(tile_count(n), [&](Index i, Index j) {
    const Range rows = Range::tile(i, n), cols = Range::tile(j, n);
    Matrix<S> values(rows.size, cols.size);
    tile(i, j, values);
    if (i == j) values.template triangularView<Eigen::StrictlyUpper>() = values.transpose();
    out.block(rows.begin, cols.begin, rows.size, cols.size) = values;
    if (i != j) out.block(cols.begin, rows.begin, cols.size, rows.size) = values.transpose();
  });
}

/// Copies the lower triangle of a symmetric matrix to the upper one.
/// Threads: over tiles.
template <Real S>
void copy_lower_to_upper(Matrix<S>& a) {
  const Index n = a.rows(), tiles = tile_count(n);
  parallel_for(tiles * tiles, [&](Index task) {
    const Index i = task / tiles, j = task % tiles;
    if (i < j) return;
    const Range rows = Range::tile(i, n), cols = Range::tile(j, n);
    auto lower = a.block(rows.begin, cols.begin, rows.size, cols.size);
    auto upper = a.block(cols.begin, rows.begin, cols.size, rows.size);
    if (i == j)
      upper.template triangularView<Eigen::StrictlyUpper>() = lower.transpose();
    else
      upper = lower.transpose();
  });
}

}  // namespace mercer::detail

#endif  // MERCER_CORE_SYMMETRIC_TILES_HPP
