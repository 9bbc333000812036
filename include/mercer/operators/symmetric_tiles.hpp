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
#include <thread>
#include <utility>
#include <vector>

#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/product.hpp>

namespace mercer::detail {

/// Rounds that blocks of rows have behind them: who waits for whom, without a barrier.
class RoundCounter {
 public:
  explicit RoundCounter(Index blocks) : rounds_(static_cast<std::size_t>(blocks)) {}

  /// Returns when the block has played all rounds before this one, or when a task has failed.
  void wait_for(Index block, Index round) const {
    while (at(block).load(std::memory_order_acquire) < round &&
           !failed_.load(std::memory_order_relaxed))
      std::this_thread::yield();
  }
  void finish(Index block, Index round) {
    rounds_[static_cast<std::size_t>(block)].store(round + 1, std::memory_order_release);
  }
  void fail() { failed_.store(true, std::memory_order_relaxed); }

 private:
  [[nodiscard]] const std::atomic<Index>& at(Index block) const {
    return rounds_[static_cast<std::size_t>(block)];
  }

  std::vector<std::atomic<Index>> rounds_;
  std::atomic<bool> failed_ = false;
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
    rounds.wait_for(a, round);
    rounds.wait_for(b, round);
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

/// Columns of \p v in another precision, each divided by a power of two that keeps it in range.
template <Real T, Real S>
[[nodiscard]] Matrix<T> scaled_columns(const Points<S>& v, Vector<S>& scales) {
  Matrix<T> out(v.rows(), v.cols());
  scales.resize(v.cols());
  for (Index j = 0; j < v.cols(); ++j) {
    const S largest = v.rows() > 0 ? v.col(j).cwiseAbs().maxCoeff() : S(0);
    scales(j) =
        largest > 0 && std::isfinite(largest) ? std::ldexp(S(1), std::ilogb(largest)) : S(1);
    out.col(j) = (v.col(j) / scales(j)).template cast<T>();
  }
  return out;
}

/// out = A v for the symmetric n x n matrix A whose tile (i, j), i >= j, in precision T is
/// tile(i, j): a matrix of the rows of Range::tile(i, n) and the columns of Range::tile(j, n).
/// Each tile is asked for once and used for both triangles. Products of a tile with a block are
/// formed in T and added up in S. Threads: over tiles, same bits for any number.
/// Cost: 2 n^2 b operations and n^2 / 2 values of tiles.
template <Real T, Real S, class Tile>
void symmetric_tile_product(Index n, const Tile& tile, const Points<S>& v, GramOut<S> out) {
  if (v.cols() == 0) return;
  out.setZero();
  Matrix<T> converted;
  Vector<S> scales;
  if constexpr (!std::same_as<T, S>) converted = scaled_columns<T, S>(v, scales);
  const Points<T> right = [&]() -> Points<T> {
    if constexpr (std::same_as<T, S>)
      return v;
    else
      return converted;
  }();
  for_symmetric_tiles(tile_count(n), [&](Index i, Index j) {
    const Range rows = Range::tile(i, n), cols = Range::tile(j, n);
    const auto& values = tile(i, j);
    Matrix<T> product = Matrix<T>::Zero(rows.size, v.cols());
    multiply_add<T>(values, right.middleRows(cols.begin, cols.size), product);
    out.middleRows(rows.begin, rows.size) += product.template cast<S>();
    if (i == j) return;
    product.setZero(cols.size, v.cols());
    product.noalias() += values.transpose() * right.middleRows(rows.begin, rows.size);
    out.middleRows(cols.begin, cols.size) += product.template cast<S>();
  });
  if constexpr (!std::same_as<T, S>) out *= scales.asDiagonal();
}

}  // namespace mercer::detail

#endif  // MERCER_OPERATORS_SYMMETRIC_TILES_HPP
