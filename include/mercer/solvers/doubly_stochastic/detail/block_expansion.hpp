// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Functions over blocks of features whose coefficients change with every step of a run.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_BLOCK_EXPANSION_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_BLOCK_EXPANSION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/feature_blocks.hpp>
#include <mercer/features/detail/feature_rows.hpp>
#include <mercer/features/detail/feature_sum.hpp>

namespace mercer::detail {

/// k functions H(X) = sum_b Z_b(X) C_b. A step multiplies the C_b of all blocks by a k x k matrix,
/// and adds to those of one block. The multiplication is put off until the next step has the block
/// in the cache for H, so it needs no pass of its own.
/// Threads: over blocks; the bits do not depend on their number.
template <Real S>
class BlockExpansion {
 public:
  using With = typename FeatureSum<S>::With;

  /// \param who          for messages
  /// \param coefficients  of the first blocks, one below the other
  /// \param capacity     the number of blocks that may come to have coefficients
  /// Throws InvalidArgument for coefficients that are not of whole blocks, not all finite, or all
  ///   zero, which no step would change.
  BlockExpansion(std::string_view who, std::unique_ptr<FeatureBlocks<S>> blocks,
                 const Matrix<S>& coefficients, Index capacity);

  [[nodiscard]] Index dimension() const { return blocks_->dimension(); }
  [[nodiscard]] Index columns() const { return blocks_->columns(); }
  [[nodiscard]] Index functions() const { return coefficients_.cols(); }
  /// Number of blocks that have coefficients.
  [[nodiscard]] Index drawn() const { return drawn_; }
  /// Number of blocks whose parameters are in memory.
  [[nodiscard]] Index kept_blocks() const { return blocks_->kept(); }
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(coefficients_.size() + features_.size()) * sizeof(S) +
           blocks_->bytes() + sum_.bytes();
  }

  /// What it comes to hold beside parameters of features, with samples in panels of \p rows rows.
  [[nodiscard]] static double bytes_for(Index rows, Index functions, Index columns, Index blocks) {
    const auto values = static_cast<double>(blocks * columns * functions + rows * columns);
    return values * static_cast<double>(sizeof(S)) +
           FeatureSum<S>::bytes_for((std::max)(rows, FeatureSum<S>::panel_rows), functions,
                                    columns);
  }

  /// Keeps the features of samples with these numbers.
  void keep(KeptFeatures<S>& kept, std::span<const Index> numbers, const Points<S>& x) {
    const PhaseTimer timer(Phase::Features,
                           static_cast<std::size_t>(x.rows() * kept.features()) * sizeof(S));
    kept.add(*blocks_, numbers, x);
  }

  /// Throws InvalidArgument for samples of another dimension or not finite.
  void require_samples(std::string_view who, const FeatureRows<S>& rows) const {
    if (rows.samples() == nullptr) return;  // checked when their features were evaluated
    const Points<S>& x = *rows.samples();
    if (x.cols() != dimension())
      fail("mercer::", who, ": samples have ", x.cols(),
           " columns, the features are for dimension ", dimension());
    if (!x.allFinite()) fail("mercer::", who, ": samples must be finite");
  }

  /// h = H(batch), and features() = Z_visited(batch). Their bits are the same if the batch is cut
  /// at the edges of tiles of 256 rows.
  void sum(const FeatureRows<S>& batch, Index visited, Matrix<S>& h);
  [[nodiscard]] Matrix<S>& features() { return features_; }

  /// C_b <- C_b decay for all blocks, then C_visited += increment. An empty \p decay changes
  /// nothing. Call it after sum().
  void update(Matrix<S> decay, Index visited, const Matrix<S>& increment);

  /// H at these samples, x.rows() x k. With \p with, x must fit in one panel of the sum, 1024 rows.
  [[nodiscard]] Matrix<S> evaluate(const FeatureRows<S>& x, const With& with = {}) {
    decay_all();
    Matrix<S> h(x.size(), functions());
    sum_.evaluate(x, drawn_, coefficients_, h, {.with = with});
    return h;
  }

  /// The C_b of the blocks drawn, one below the other.
  [[nodiscard]] Matrix<S> coefficients() const;

 private:
  [[nodiscard]] auto block(Index b) { return coefficients_.middleRows(b * columns(), columns()); }

  /// Does what the last step put off for this block.
  void decay_block(Index b, Matrix<S>& scratch) {
    if (b == done_block_ || b >= decaying_) return;
    scratch.noalias() = block(b) * decay_;
    block(b) = scratch;
  }

  /// Does all that the last step put off.
  void decay_all() {
    for (Index b = 0; b < decaying_; ++b) decay_block(b, scratch_.front());
    decaying_ = 0;
  }

  std::unique_ptr<FeatureBlocks<S>> blocks_;
  FeatureSum<S> sum_;
  Matrix<S> coefficients_;  // of all blocks; zero for blocks not drawn yet
  Index drawn_ = 0;
  // The decay of the last step that is still to be applied: all blocks below decaying_, except
  // done_block_, must be multiplied by decay_.
  Matrix<S> decay_;
  Index decaying_ = 0;
  Index done_block_ = -1;
  Matrix<S> features_;
  std::vector<Matrix<S>> scratch_;  // one for each thread
};

template <Real S>
BlockExpansion<S>::BlockExpansion(std::string_view who, std::unique_ptr<FeatureBlocks<S>> blocks,
                                  const Matrix<S>& given, Index capacity)
    : blocks_(std::move(blocks)), sum_(*blocks_), scratch_(1) {
  drawn_ = columns() > 0 ? given.rows() / columns() : 0;
  if (given.cols() == 0 || drawn_ == 0 || given.rows() % columns() != 0 || drawn_ > capacity)
    fail("mercer::", who, ": ", given.rows(), " x ", given.cols(), " coefficients do not fit ",
         capacity, " blocks of ", columns(), " features");
  if (!given.allFinite()) fail("mercer::", who, ": coefficients must be finite");
  if (given.isZero(0))
    fail("mercer::", who,
         ": all coefficients are zero, which no step changes; start from a principal component "
         "analysis of the first features");
  coefficients_ = Matrix<S>::Zero(capacity * columns(), given.cols());
  coefficients_.topRows(given.rows()) = given;
}

template <Real S>
Matrix<S> BlockExpansion<S>::coefficients() const {
  Matrix<S> out = coefficients_.topRows(drawn_ * columns());
  Matrix<S> scratch;
  for (Index b = 0; b < decaying_; ++b) {
    if (b == done_block_) continue;
    scratch.noalias() = out.middleRows(b * columns(), columns()) * decay_;
    out.middleRows(b * columns(), columns()) = scratch;
  }
  return out;
}

template <Real S>
void BlockExpansion<S>::sum(const FeatureRows<S>& batch, Index visited, Matrix<S>& h) {
  features_.resize(batch.size(), columns());
  h.resize(batch.size(), functions());
  const auto values = static_cast<std::size_t>(features_.size());
  {
    const PhaseTimer timer(Phase::Features, values * sizeof(S));
    if (batch.samples() != nullptr) blocks_->prepare(1, visited + 1);
    // Tile by tile, each in the same place, as in the sum: so the bits of its features do not
    // depend on the other rows that there are.
    Matrix<S> z;
    for (Index t = 0; t < tile_count(batch.size()); ++t) {
      const Range at = Range::tile(t, batch.size());
      z.resize(at.size, columns());
      batch.evaluate(*blocks_, visited, 0, at, z);
      features_.middleRows(at.begin, at.size) = z;
    }
  }
  if (batch.size() == 0) return decay_all();  // the rows of the batch are on other processes
  // Features of the other blocks are evaluated tile by tile, within their product.
  const PhaseTimer timer(Phase::Products, values * static_cast<std::size_t>(drawn_) * sizeof(S));
  const auto workers = static_cast<std::size_t>(thread_count());
  if (scratch_.size() < workers) scratch_.resize(workers);
  sum_.evaluate(batch, drawn_, coefficients_, h,
                {.before =
                     [this](Index b, Index worker) {
                       decay_block(b, scratch_[static_cast<std::size_t>(worker)]);
                     },
                 .known_block = visited,
                 .known = &features_},
                (std::max)(batch.size(), Index{1}));
  decaying_ = 0;
}

template <Real S>
void BlockExpansion<S>::update(Matrix<S> decay, Index visited, const Matrix<S>& increment) {
  decay_ = std::move(decay);
  decaying_ = decay_.size() > 0 ? drawn_ : 0;
  done_block_ = -1;
  decay_block(visited, scratch_.front());
  done_block_ = visited;
  block(visited) += increment;
  drawn_ = (std::max)(drawn_, visited + 1);
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_BLOCK_EXPANSION_HPP
