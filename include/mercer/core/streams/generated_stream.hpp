// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Streams of samples that come from a user's function.

#ifndef MERCER_CORE_STREAMS_GENERATED_STREAM_HPP
#define MERCER_CORE_STREAMS_GENERATED_STREAM_HPP

#include <algorithm>
#include <functional>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// Samples that depend only on their row number, for example draws from a RandomStream of that
/// number. Models SeekableStream.
/// \code
///   GeneratedStream<double> normal(3, 1'000'000, [](Index first, GramOut<double> out) {
///     for (Index i = 0; i < out.rows(); ++i) {
///       RandomStream draws(7, "samples", static_cast<std::uint64_t>(first + i));
///       for (Index j = 0; j < out.cols(); ++j) out(i, j) = draws.normal();
///     }
///   });
/// \endcode
template <Real S>
class GeneratedStream : public RowCursor {
 public:
  using Scalar = S;
  /// Writes the samples first, first + 1, ..., to the rows of a matrix.
  using Fill = std::function<void(Index first, GramOut<S> out)>;

  /// \param rows  number of rows in a pass; may be \c endless
  /// Throws InvalidArgument for a negative number of rows or dimension.
  GeneratedStream(Index dimension, Index rows, Fill fill)
      : RowCursor(rows), dimension_(dimension), fill_(std::move(fill)) {
    detail::require_at_least("GeneratedStream", "dimension", dimension, Index{0});
    detail::require_at_least("GeneratedStream", "rows", rows, Index{0});
  }

  [[nodiscard]] Index dimension() const { return dimension_; }

  [[nodiscard]] Index read(GramOut<S> out) {
    const Index first = position().row, count = rows_ahead(out.rows());
    if (count > 0) fill_(first, out.topRows(count));
    return advance(count);
  }

 private:
  Index dimension_;
  Fill fill_;
};

/// Samples from a function that returns the next ones, for example from a network connection or a
/// simulation. Models SampleStream.
template <Real S>
class CallbackStream {
 public:
  using Scalar = S;
  /// Returns the next samples: about \c most rows, but any number from 1 is allowed. No rows means
  /// the end of the pass.
  using Next = std::function<Matrix<S>(Index most)>;
  /// Starts the next pass and returns true, or returns false if there is none.
  using Restart = std::function<bool()>;

  /// Throws InvalidArgument for a negative dimension.
  CallbackStream(Index dimension, Next next, Restart restart = {})
      : dimension_(dimension), next_(std::move(next)), restart_(std::move(restart)) {
    detail::require_at_least("CallbackStream", "dimension", dimension, Index{0});
  }

  [[nodiscard]] Index dimension() const { return dimension_; }

  /// Throws InvalidArgument for samples of another dimension. An exception, also one of the
  ///   function, may lose rows; then read() throws InvalidArgument up to the next rewind().
  [[nodiscard]] Index read(GramOut<S> out) {
    if (lost_)
      detail::fail("mercer::CallbackStream: an error has lost samples after row ", row_,
                   "; rewind the stream");
    Index filled = 0;
    while (filled < out.rows() &&
           (used_ < chunk_.rows() || next_chunk(out.rows() - filled, filled > 0))) {
      const Index count = (std::min)(out.rows() - filled, chunk_.rows() - used_);
      out.middleRows(filled, count) = chunk_.middleRows(used_, count);
      used_ += count;
      filled += count;
    }
    row_ += filled;
    return filled;
  }

  [[nodiscard]] bool rewind() {
    if (!restart_ || !restart_()) return false;
    chunk_.resize(0, dimension_);
    used_ = row_ = 0;
    ended_ = lost_ = false;
    return true;
  }

 private:
  /// \param half_read  whether an exception loses rows that this read has already passed
  [[nodiscard]] bool next_chunk(Index most, bool half_read) {
    if (ended_) return false;
    lost_ = half_read;
    Matrix<S> next = next_(most);
    if (next.rows() > 0 && next.cols() != dimension_) {
      lost_ = true;
      detail::fail("mercer::CallbackStream: a sample near row ", row_, " has ", next.cols(),
                   " columns, the stream has dimension ", dimension_);
    }
    chunk_ = std::move(next);
    used_ = 0;
    ended_ = chunk_.rows() == 0;
    lost_ = false;
    return !ended_;
  }

  Index dimension_;
  Next next_;
  Restart restart_;
  Matrix<S> chunk_;  // the last result of next_
  Index used_ = 0;   // rows of chunk_ already read
  Index row_ = 0;
  bool ended_ = false;
  bool lost_ = false;  // an exception has come between rows that were passed and the end of a read
};

}  // namespace mercer

#endif  // MERCER_CORE_STREAMS_GENERATED_STREAM_HPP
