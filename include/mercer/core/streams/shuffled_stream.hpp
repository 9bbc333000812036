// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The rows of a stream, in a different random order in every pass.

#ifndef MERCER_CORE_STREAMS_SHUFFLED_STREAM_HPP
#define MERCER_CORE_STREAMS_SHUFFLED_STREAM_HPP

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/random_order.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

struct ShuffleParams {
  Index block_rows = 64;     ///< rows that are read together
  Index window_blocks = 32;  ///< blocks that are in memory together
  std::uint64_t seed = 1;

  /// Throws InvalidArgument for values below 1.
  void validate() const {
    detail::require_at_least("ShuffledStream", "block_rows", block_rows, Index{1});
    detail::require_at_least("ShuffledStream", "window_blocks", window_blocks, Index{1});
  }
};

/// The rows of a stream in random order, every row once in each pass. Blocks of rows are taken in
/// random order. A window of several blocks is in memory, and its rows are shuffled again. So a
/// sorted file gives mixed batches, and is still read in large pieces, as a disk needs. Models
/// SeekableStream and NumbersRows; the numbers are those of the rows in the stream's first pass.
/// Shapes: as the stream.
/// Cost: that of reading, and one copy; numbers of rows need no reading.
/// Memory: one window of rows.
/// Random: the order of a pass depends only on (params, epoch): purposes "block order" and "row
///   order" of the seed.
/// Lifetime: refers to the stream, which nobody else may move.
template <Real S>
class ShuffledStream {
 public:
  using Scalar = S;

  /// Throws InvalidArgument if the stream cannot seek or has no end, or if params are out of range.
  explicit ShuffledStream(SampleStreamView<S> stream, ShuffleParams params = {})
      : stream_(stream), params_(params) {
    params.validate();
    if (!stream.seekable() || stream.rows() == endless)
      detail::fail("mercer::ShuffledStream: ", stream.name(),
                   " cannot be shuffled: it cannot seek, or does not end");
    // No more than there is: the order is the same, and sums of rows do not overflow.
    params_.block_rows = std::clamp(rows(), Index{1}, params_.block_rows);
    params_.window_blocks = std::clamp(blocks(), Index{1}, params_.window_blocks);
    window_.resize(0, stream.dimension());
  }

  [[nodiscard]] Index dimension() const { return stream_.dimension(); }
  [[nodiscard]] Index rows() const { return stream_.rows(); }
  [[nodiscard]] std::string name() const { return stream_.name(); }
  [[nodiscard]] StreamPosition position() const { return position_; }

  [[nodiscard]] bool rewind() {
    seek({position_.epoch + 1, 0});
    return true;
  }

  /// Cost: O(1) time within the window. Elsewhere that of the order of one window and, once in each
  ///   pass, O(rows / block_rows) to find the short block. Rows are read when they are needed.
  /// Throws InvalidArgument if the position is outside the rows.
  void seek(StreamPosition position) {
    if (position.epoch < 0 || position.row < 0 || position.row > rows())
      detail::fail("mercer::ShuffledStream: there is no row ", position.row, " of pass ",
                   position.epoch, " in ", rows(), " rows");
    if (position.epoch != begin_.epoch || position.row < begin_.row ||
        position.row > begin_.row + ordered_rows()) {
      go_to_window_of(position);
      if (position.row > begin_.row) begin_window();
    }
    used_ = position.row - begin_.row;
    position_ = position;
  }

  [[nodiscard]] Index read(GramOut<S> out) {
    const Index count = (std::min)(out.rows(), rows() - position_.row);
    for_window_rows(count, [&](Index first, std::span<const Index> order) {
      load_window();
      for (Index j = 0; j < out.cols(); ++j)
        for (std::size_t i = 0; i < order.size(); ++i)
          out(first + static_cast<Index>(i), j) = window_(order[i], j);
    });
    return count;
  }

  [[nodiscard]] Index read_numbers(std::span<Index> numbers) {
    const Index count = (std::min)(static_cast<Index>(numbers.size()), rows() - position_.row);
    for_window_rows(count, [&](Index first, std::span<const Index> order) {
      for (std::size_t i = 0; i < order.size(); ++i)
        numbers[static_cast<std::size_t>(first) + i] =
            row_numbers_[static_cast<std::size_t>(order[i])];
    });
    return count;
  }

 private:
  [[nodiscard]] Index blocks() const {
    const Index full = rows() / params_.block_rows;
    return rows() % params_.block_rows == 0 ? full : full + 1;
  }

  [[nodiscard]] detail::RandomOrder block_order(Index epoch) const {
    return {blocks(), params_.seed, "block order", static_cast<std::uint64_t>(epoch)};
  }

  /// The rows of the window that have an order: all of them, or none before it has begun.
  [[nodiscard]] Index ordered_rows() const { return static_cast<Index>(order_.size()); }

  /// The window of a pass in which the last block of the stream is, which may be short.
  [[nodiscard]] Index window_of_last_block(Index epoch) {
    if (epoch != searched_epoch_) {
      const detail::RandomOrder order = block_order(epoch);
      const Index last = blocks() - 1;
      Index place = 0;
      while (order(place) != last) ++place;
      window_of_last_block_ = place / params_.window_blocks;
      searched_epoch_ = epoch;
    }
    return window_of_last_block_;
  }

  /// Goes to the first row of the window that has this position, or that ends with it.
  void go_to_window_of(StreamPosition position) {
    const Index full = params_.block_rows * params_.window_blocks;  // rows of a window
    const Index lacking = blocks() * params_.block_rows - rows();   // in the short block
    Index window = position.row / full, first = window * full;
    // The windows after that of the short block begin so much earlier. None of them begins before
    // the row full - lacking, so up to there the block is not looked for.
    if (lacking > 0 && position.row >= full - lacking &&
        position.row >= (window_of_last_block(position.epoch) + 1) * full - lacking) {
      window = (position.row + lacking) / full;
      first = window * full - lacking;
    }
    order_.clear();
    used_ = 0;
    next_block_ = window * params_.window_blocks;
    position_ = begin_ = {position.epoch, first};
  }

  /// Moves on by \p count rows. For those of each window, calls use(first, order) with the first of
  /// them, counted from here, and where they lie in the window.
  template <class Use>
  void for_window_rows(Index count, Use&& use) {
    for (Index done = 0; done < count;) {
      if (used_ == ordered_rows()) begin_window();
      const Index size = (std::min)(count - done, ordered_rows() - used_);
      use(done, std::span<const Index>(order_).subspan(static_cast<std::size_t>(used_),
                                                       static_cast<std::size_t>(size)));
      used_ += size;
      position_.row += size;  // here, so that both are right after an exception, too
      done += size;
    }
  }

  /// Reads the rows of the window, unless it has them already.
  void load_window() {
    if (loaded_ == begin_) return;
    loaded_ = no_window;
    const auto size = static_cast<Index>(row_numbers_.size());
    if (window_.rows() < size) {
      window_.resize(size, dimension());
      detail::ask_for_huge_pages(window_);
    }
    for (Index filled = 0; filled < size;) {
      const Index first = row_numbers_[static_cast<std::size_t>(filled)];
      const Index count = (std::min)(params_.block_rows, rows() - first);
      stream_.seek({0, first});
      filled += stream_.read(window_.middleRows(filled, count));
    }
    loaded_ = begin_;
  }

  /// Sets which rows the next window has, and their order.
  void begin_window() {
    begin_.row += ordered_rows();
    order_.clear();
    used_ = 0;
    row_numbers_.clear();
    const detail::RandomOrder order = block_order(begin_.epoch);
    const Index last = next_block_ + (std::min)(params_.window_blocks, blocks() - next_block_);
    for (Index i = next_block_; i < last; ++i) {
      const Index first = order(i) * params_.block_rows;
      const Index count = (std::min)(params_.block_rows, rows() - first);
      for (Index row = 0; row < count; ++row) row_numbers_.push_back(first + row);
    }
    const auto window = static_cast<std::uint64_t>(next_block_ / params_.window_blocks);
    RandomStream draws(params_.seed, "row order",
                       static_cast<std::uint64_t>(begin_.epoch) << 32U | window);
    order_ = random_permutation(static_cast<Index>(row_numbers_.size()), draws);
    next_block_ = last;
  }

  static constexpr StreamPosition no_window{-1, 0};

  SampleStreamView<S> stream_;
  ShuffleParams params_;
  StreamPosition position_;
  StreamPosition begin_;            // of the window, which this tells from all others
  Index next_block_ = 0;            // of the next window, in the order of the pass
  std::vector<Index> row_numbers_;  // of the rows of the window, in the stream
  std::vector<Index> order_;        // of the rows of the window, empty before it has begun
  Index used_ = 0;                  // rows of the window that were passed
  Matrix<S> window_;
  StreamPosition loaded_ = no_window;  // the beginning of the window whose rows window_ has
  Index searched_epoch_ = -1;          // the pass that window_of_last_block_ is of
  Index window_of_last_block_ = 0;
};

template <SeekableStream T>
ShuffledStream(T&, ShuffleParams) -> ShuffledStream<typename T::Scalar>;
template <SeekableStream T>
ShuffledStream(T&) -> ShuffledStream<typename T::Scalar>;

}  // namespace mercer

#endif  // MERCER_CORE_STREAMS_SHUFFLED_STREAM_HPP
