// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Pairs from two streams of samples that are read in step.

#ifndef MERCER_CORE_STREAMS_ZIP_STREAM_HPP
#define MERCER_CORE_STREAMS_ZIP_STREAM_HPP

#include <algorithm>
#include <concepts>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/streams/pair_stream.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// Pairs (x_i, y_i), where x_i is row i of one stream and y_i row i of another. Models PairStream,
/// and SeekablePairStream if both streams can seek. Do not give it shuffled streams: their orders
/// may differ, and then the pairs are not pairs. Shuffle the pairs; see JoinedStream.
/// \code
///   io::NpyStream<float> xs("x.npy"), ys("y.npy");
///   ZipStream pairs(xs, ys);
/// \endcode
/// Lifetime: refers to the streams, which nobody else may move.
template <SampleStream X, SampleStream Y>
  requires std::same_as<typename X::Scalar, typename Y::Scalar>
class ZipStream {
 public:
  using Scalar = typename X::Scalar;

  /// If both streams can seek, y moves to the position of x.
  /// Throws InvalidArgument for the same stream twice, whose position would advance twice, and for
  ///   streams that are known to differ in length.
  ZipStream(X& x, Y& y) : x_(&x), y_(&y) {
    if (static_cast<const void*>(&x) == static_cast<const void*>(&y))
      detail::fail("mercer::ZipStream: ", detail::stream_name(x),
                   " is given for both views; its position would advance twice");
    if constexpr (seekable) {
      if (x.rows() != y.rows()) fail_length((std::min)(x.rows(), y.rows()), x.rows() < y.rows());
      seek(x.position());
    }
  }

  [[nodiscard]] Index dimension_x() const { return x_->dimension(); }
  [[nodiscard]] Index dimension_y() const { return y_->dimension(); }
  [[nodiscard]] std::string name() const {
    // In pieces: g++ 12 warns of an overflow in the sum of several strings that is none.
    std::string both = detail::stream_name(*x_);
    both += " with ";
    both += detail::stream_name(*y_);
    return both;
  }

  /// Throws InvalidArgument if one stream ends before the other, and as the streams do. After an
  ///   exception one stream may be ahead of the other; then it throws InvalidArgument up to the
  ///   next seek() or rewind().
  [[nodiscard]] Index read(GramOut<Scalar> out_x, GramOut<Scalar> out_y) {
    if (ended_) return 0;
    if (apart_)
      detail::fail("mercer::ZipStream: an error after row ", row_,
                   " has left one view ahead of the other; rewind or seek (", name(), ")");
    apart_ = true;
    const Index count = x_->read(out_x), other = y_->read(out_y);
    if (count != other) fail_length(row_ + (std::min)(count, other), count < other);
    row_ += count;
    apart_ = false;
    return count;
  }

  /// Returns false if one of the streams cannot be rewound. Then there are no more pairs.
  [[nodiscard]] bool rewind() {
    const bool x = x_->rewind(), y = y_->rewind();
    ended_ = !x || !y;
    apart_ = false;
    row_ = 0;
    return !ended_;
  }

  [[nodiscard]] Index rows() const requires SeekableStream<X> && SeekableStream<Y> {
    return x_->rows();
  }
  [[nodiscard]] StreamPosition position() const requires SeekableStream<X> && SeekableStream<Y> {
    return {x_->position().epoch, row_};  // x may be ahead
  }
  /// Throws InvalidArgument if the position is outside the rows.
  void seek(StreamPosition position) requires SeekableStream<X> && SeekableStream<Y> {
    x_->seek(position);
    y_->seek(position);
    row_ = position.row;
    apart_ = false;
  }

 private:
  static constexpr bool seekable = SeekableStream<X> && SeekableStream<Y>;

  [[noreturn]] void fail_length(Index row, bool x_ends) const {
    detail::fail("mercer::ZipStream: rows are pairs, but view ", x_ends ? "x" : "y",
                 " ends after row ", row, " and view ", x_ends ? "y" : "x", " does not (", name(),
                 ")");
  }

  X* x_;
  Y* y_;
  Index row_ = 0;
  bool apart_ = false;  // an exception may have left one stream ahead of the other
  bool ended_ = false;  // one stream was rewound, and the other could not be
};

}  // namespace mercer

#endif  // MERCER_CORE_STREAMS_ZIP_STREAM_HPP
