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

  /// Cost: O(rows / block_rows) time, and the reading of one window.
  /// Throws InvalidArgument if the position is outside the rows.
  void seek(StreamPosition position) {
    if (position.epoch < 0 || position.row < 0 || position.row > rows())
      detail::fail("mercer::ShuffledStream: there is no row ", position.row, " of pass ",
                   position.epoch, " in ", rows(), " rows");
    position_ = position;
    next_block_ = 0;
    order_.clear();
    used_ = 0;
    Index begin = 0;  // of the window
    for (Index size = 0; begin < position.row; begin += size) {
      size = window_rows();
      if (begin + size > position.row) {
        begin_window();
        used_ = position.row - begin;
      } else {
        next_block_ += params_.window_blocks;
      }
    }
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
    return (rows() + params_.block_rows - 1) / params_.block_rows;
  }

  /// Calls use(first row, number of rows) for the blocks of the next window.
  template <class Use>
  void visit_window(Use&& use) const {
    const detail::RandomOrder order(blocks(), params_.seed, "block order",
                                    static_cast<std::uint64_t>(position_.epoch));
    const Index last = (std::min)(next_block_ + params_.window_blocks, blocks());
    for (Index i = next_block_; i < last; ++i) {
      const Index first = order(i) * params_.block_rows;
      use(first, (std::min)(params_.block_rows, rows() - first));
    }
  }

  [[nodiscard]] Index window_rows() const {
    Index sum = 0;
    visit_window([&](Index, Index count) { sum += count; });
    return sum;
  }

  /// Moves on by \p count rows. For those of each window, calls use(first, order) with the first of
  /// them, counted from here, and where they lie in the window.
  template <class Use>
  void for_window_rows(Index count, Use&& use) {
    for (Index done = 0; done < count;) {
      if (used_ == static_cast<Index>(order_.size())) begin_window();
      const Index size = (std::min)(count - done, static_cast<Index>(order_.size()) - used_);
      use(done, std::span<const Index>(order_).subspan(static_cast<std::size_t>(used_),
                                                       static_cast<std::size_t>(size)));
      used_ += size;
      done += size;
    }
    position_.row += count;
  }

  /// Reads the rows of the window, unless it has them already.
  void load_window() {
    if (loaded_ == row_numbers_) return;
    loaded_.clear();
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
    loaded_ = row_numbers_;
  }

  /// Sets which rows the next window has, and their order.
  void begin_window() {
    const Index size = window_rows();
    row_numbers_.clear();
    visit_window([&](Index first, Index count) {
      for (Index i = 0; i < count; ++i) row_numbers_.push_back(first + i);
    });
    const auto window = static_cast<std::uint64_t>(next_block_ / params_.window_blocks);
    RandomStream draws(params_.seed, "row order",
                       static_cast<std::uint64_t>(position_.epoch) << 32U | window);
    order_ = random_permutation(size, draws);
    used_ = 0;
    next_block_ += params_.window_blocks;
  }

  SampleStreamView<S> stream_;
  ShuffleParams params_;
  StreamPosition position_;
  Index next_block_ = 0;            // of the next window, in the order of the pass
  std::vector<Index> row_numbers_;  // of the rows of the window, in the stream
  std::vector<Index> order_;        // of the rows of the window
  Index used_ = 0;                  // rows of the window that were passed
  Matrix<S> window_;
  std::vector<Index> loaded_;  // numbers of the rows that window_ has
};

template <SeekableStream T>
ShuffledStream(T&, ShuffleParams) -> ShuffledStream<typename T::Scalar>;
template <SeekableStream T>
ShuffledStream(T&) -> ShuffledStream<typename T::Scalar>;

}  // namespace mercer

#endif  // MERCER_CORE_STREAMS_SHUFFLED_STREAM_HPP
