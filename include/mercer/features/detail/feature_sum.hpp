// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Sums over the blocks of a feature map.

#ifndef MERCER_FEATURES_DETAIL_FEATURE_SUM_HPP
#define MERCER_FEATURES_DETAIL_FEATURE_SUM_HPP

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/feature_blocks.hpp>
#include <mercer/features/detail/feature_rows.hpp>

namespace mercer::detail {

/// Sums over the blocks of a feature map. Keeps its work storage between calls.
template <Real S>
class FeatureSum {
 public:
  /// Called with each tile Z_b(x_first), Z_b(x_first + 1), ... of a sum, concurrently for different
  /// blocks.
  using With = std::function<void(Index block, Index first, const Points<S>& features)>;

  /// Extra work on the blocks of a sum. Hooks run on any thread, and for several blocks at once.
  struct Hooks {
    std::function<void(Index block, Index worker)> before = {};  ///< before a block is used
    With with = {};
    Index known_block = -1;  ///< number of a block whose features are already known; -1 for none
    const Matrix<S>* known = nullptr;  ///< Z_b(X) of that block
  };

  static constexpr Index panel_rows = 1024;

  explicit FeatureSum(FeatureBlocks<S>& blocks) : blocks_(blocks) {}

  /// out = sum_b Z_b(X) C_b over the first \p count blocks. C_b is the block of columns() rows of
  /// \p c that starts at row b columns().
  ///
  /// Hooks need all rows of X in a single panel, of panel_rows or \p panel rows.
  /// Cost: that of the features, and O(n count columns() k) time.
  /// Memory: panels of n x k values and, for each thread, a tile of features.
  /// Threads: panels of rows and blocks run in parallel. The parts of the blocks are added in a
  ///   fixed order, so the bits do not depend on the number of threads.
  void evaluate(const FeatureRows<S>& x, Index count, const Points<S>& c, GramOut<S> out,
                const Hooks& hooks = {}, Index panel = panel_rows) {
    out.setZero();
    if (out.cols() == 0) return;
    const Index tasks = count * ((x.size() + panel - 1) / panel);
    const auto workers = static_cast<Index>(thread_count());
    make_room(workers, count, (std::min)(panel, x.size()), out.cols());
    for (Index first = 0; first < tasks; first += at_once) {
      const Index last = (std::min)(tasks, first + at_once);
      parallel_for((std::min)(workers, last - first), [&](Index worker) {
        for (Index task = first + worker; task < last; task += workers)
          add_block(x, c, hooks, worker, panel_range(task / count, panel, x.size()), task % count,
                    parts_[static_cast<std::size_t>(task - first)]);
      });
      for (Index task = first; task < last; ++task) {
        const Range rows = panel_range(task / count, panel, x.size());
        out.middleRows(rows.begin, rows.size) +=
            parts_[static_cast<std::size_t>(task - first)].topRows(rows.size);
      }
    }
  }

  /// What a sum over \p rows rows of a panel holds.
  [[nodiscard]] static double bytes_for(Index rows, Index functions, Index columns) {
    const Index tiles = static_cast<Index>(thread_count()) * tile_size * columns;
    return static_cast<double>(at_once * rows * functions + tiles) * static_cast<double>(sizeof(S));
  }

  [[nodiscard]] std::size_t bytes() const {
    std::size_t values = 0;
    for (const Matrix<S>& part : parts_) values += static_cast<std::size_t>(part.size());
    for (const Matrix<S>& tile : tiles_) values += static_cast<std::size_t>(tile.size());
    return values * sizeof(S);
  }

 private:
  static constexpr Index at_once = 64;  // number of parts computed before they are added

  [[nodiscard]] static Range panel_range(Index index, Index panel, Index n) {
    return {index * panel, (std::min)(panel, n - index * panel)};
  }

  void make_room(Index workers, Index count, Index rows, Index cols) {
    blocks_.prepare(workers, count);
    parts_.resize(static_cast<std::size_t>(at_once));
    for (Matrix<S>& part : parts_)
      if (part.rows() < rows || part.cols() != cols) part.resize(rows, cols);
    if (static_cast<Index>(tiles_.size()) < workers)
      tiles_.resize(static_cast<std::size_t>(workers), Matrix<S>(tile_size, blocks_.columns()));
  }

  /// part = Z_b(X) C_b for these rows.
  void add_block(const FeatureRows<S>& x, const Points<S>& c, const Hooks& hooks, Index worker,
                 Range rows, Index b, Matrix<S>& part) {
    const Index columns = blocks_.columns();
    Matrix<S>& tile = tiles_[static_cast<std::size_t>(worker)];
    part.topRows(rows.size).setZero();
    if (hooks.before) hooks.before(b, worker);
    const Points<S> coefficients = c.middleRows(b * columns, columns);
    for (Index t = 0; t < tile_count(rows.size); ++t) {
      const Range at = Range::tile(t, rows.size);
      GramOut<S> sum = part.middleRows(at.begin, at.size);
      if (b == hooks.known_block) {
        multiply_add<S>(hooks.known->middleRows(rows.begin + at.begin, at.size), coefficients, sum);
        continue;
      }
      GramOut<S> features = tile.topRows(at.size);
      x.evaluate(blocks_, b, worker, {rows.begin + at.begin, at.size}, features);
      if (hooks.with) hooks.with(b, rows.begin + at.begin, features);
      multiply_add<S>(features, coefficients, sum);
    }
  }

  FeatureBlocks<S>& blocks_;
  std::vector<Matrix<S>> parts_;  // Z_b(X) C_b of the blocks and panels of a round
  std::vector<Matrix<S>> tiles_;  // features, one for each worker
};

}  // namespace mercer::detail

#endif  // MERCER_FEATURES_DETAIL_FEATURE_SUM_HPP
