// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// One type for the blocks of any feature map, kept in memory or drawn again, and sums over the
/// blocks.

#ifndef MERCER_FEATURES_DETAIL_FEATURE_BLOCKS_HPP
#define MERCER_FEATURES_DETAIL_FEATURE_BLOCKS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/product.hpp>

namespace mercer::detail {

/// A bound feature map of any type behind one interface, so that sums over its blocks are compiled
/// only once.
/// Threads: evaluate() may run concurrently for different workers.
template <Real S>
class FeatureBlocks {
 public:
  FeatureBlocks() = default;
  FeatureBlocks(const FeatureBlocks&) = delete;
  FeatureBlocks& operator=(const FeatureBlocks&) = delete;
  virtual ~FeatureBlocks() = default;

  [[nodiscard]] virtual Index columns() const = 0;
  [[nodiscard]] virtual Index dimension() const = 0;
  /// Makes room for this many workers. Keeps the parameters of the first \p blocks blocks as far as
  /// the budget allows.
  virtual void prepare(Index workers, Index blocks) = 0;
  /// out = Z_b(X). The parameters of block b are kept ones, or are drawn into the storage of the
  /// worker.
  virtual void evaluate(std::uint64_t b, Index worker, const Points<S>& x, GramOut<S> out) = 0;
  /// Number of blocks whose parameters are kept in memory.
  [[nodiscard]] virtual Index kept() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

template <BoundFeatureMap B>
class FeatureBlocksOf final : public FeatureBlocks<typename B::Scalar> {
 public:
  using S = typename B::Scalar;

  /// \param budget  bytes available for the parameters that are kept
  FeatureBlocksOf(B map, std::size_t budget)
      : FeatureBlocksOf(std::make_shared<const B>(std::move(map)), budget) {}
  FeatureBlocksOf(std::shared_ptr<const B> map, std::size_t budget)
      : map_(std::move(map)), budget_(budget) {}

  [[nodiscard]] Index columns() const override { return map_->columns(); }
  [[nodiscard]] Index dimension() const override { return map_->dimension(); }
  [[nodiscard]] Index kept() const override { return static_cast<Index>(kept_.size()); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

  void prepare(Index workers, Index blocks) override {
    if (static_cast<Index>(drawn_.size()) < workers)
      drawn_.resize(static_cast<std::size_t>(workers));
    if constexpr (HasBytes<typename B::Block>)
      while (kept() < blocks && !full_) {
        typename B::Block block;
        map_->draw(static_cast<std::uint64_t>(kept()), block);
        full_ = block.bytes() > budget_ - bytes_;
        if (full_) break;
        bytes_ += block.bytes();
        kept_.push_back(std::move(block));
      }
  }

  void evaluate(std::uint64_t b, Index worker, const Points<S>& x, GramOut<S> out) override {
    if (b < kept_.size()) return map_->evaluate(kept_[b], x, out);
    Drawn& drawn = drawn_[static_cast<std::size_t>(worker)];
    if (drawn.number != b + 1) {
      map_->draw(b, drawn.block);
      drawn.number = b + 1;
    }
    map_->evaluate(drawn.block, x, out);
  }

 private:
  struct Drawn {
    typename B::Block block;
    std::uint64_t number = 0;  // number of the block plus 1; 0 means none yet
  };

  std::shared_ptr<const B> map_;
  std::size_t budget_;
  std::size_t bytes_ = 0;
  bool full_ = false;
  std::vector<typename B::Block> kept_;
  std::vector<Drawn> drawn_;  // one for each worker
};

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
  void evaluate(const Points<S>& x, Index count, const Points<S>& c, GramOut<S> out,
                const Hooks& hooks = {}, Index panel = panel_rows) {
    out.setZero();
    if (out.cols() == 0) return;
    const Index tasks = count * ((x.rows() + panel - 1) / panel);
    const auto workers = static_cast<Index>(thread_count());
    make_room(workers, count, (std::min)(panel, x.rows()), out.cols());
    for (Index first = 0; first < tasks; first += at_once) {
      const Index last = (std::min)(tasks, first + at_once);
      parallel_for((std::min)(workers, last - first), [&](Index worker) {
        for (Index task = first + worker; task < last; task += workers)
          add_block(x, c, hooks, worker, panel_range(task / count, panel, x.rows()), task % count,
                    parts_[static_cast<std::size_t>(task - first)]);
      });
      for (Index task = first; task < last; ++task) {
        const Range rows = panel_range(task / count, panel, x.rows());
        out.middleRows(rows.begin, rows.size) +=
            parts_[static_cast<std::size_t>(task - first)].topRows(rows.size);
      }
    }
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
  void add_block(const Points<S>& x, const Points<S>& c, const Hooks& hooks, Index worker,
                 Range rows, Index b, Matrix<S>& part) {
    const Index columns = blocks_.columns();
    Matrix<S>& tile = tiles_[static_cast<std::size_t>(worker)];
    part.topRows(rows.size).setZero();
    if (hooks.before) hooks.before(b, worker);
    const Points<S> coefficients = c.middleRows(b * columns, columns);
    for (Index t = 0; t < tile_count(rows.size); ++t) {
      const Range at = Range::tile(t, rows.size);
      const Index begin = x.cols() == 0 ? 0 : rows.begin + at.begin;
      GramOut<S> sum = part.middleRows(at.begin, at.size);
      if (b == hooks.known_block) {
        multiply_add<S>(hooks.known->middleRows(rows.begin + at.begin, at.size), coefficients, sum);
        continue;
      }
      GramOut<S> features = tile.topRows(at.size);
      blocks_.evaluate(static_cast<std::uint64_t>(b), worker, x.middleRows(begin, at.size),
                       features);
      if (hooks.with) hooks.with(b, rows.begin + at.begin, features);
      multiply_add<S>(features, coefficients, sum);
    }
  }

  FeatureBlocks<S>& blocks_;
  std::vector<Matrix<S>> parts_;  // Z_b(X) C_b of the blocks and panels of a round
  std::vector<Matrix<S>> tiles_;  // features, one for each worker
};

}  // namespace mercer::detail

#endif  // MERCER_FEATURES_DETAIL_FEATURE_BLOCKS_HPP
