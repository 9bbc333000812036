// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// One type for the blocks of any feature map, with parameters kept in memory or drawn again.

#ifndef MERCER_FEATURES_DETAIL_FEATURE_BLOCKS_HPP
#define MERCER_FEATURES_DETAIL_FEATURE_BLOCKS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>

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

}  // namespace mercer::detail

#endif  // MERCER_FEATURES_DETAIL_FEATURE_BLOCKS_HPP
