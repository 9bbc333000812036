// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Pairs from the columns of one stream of samples.

#ifndef MERCER_CORE_STREAMS_SPLIT_STREAM_HPP
#define MERCER_CORE_STREAMS_SPLIT_STREAM_HPP

#include <algorithm>

#include <mercer/core/errors.hpp>
#include <mercer/core/streams/derived_stream.hpp>
#include <mercer/core/streams/pair_stream.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// Pairs (x_i, y_i) from samples whose first columns are x_i and whose other columns are y_i.
/// Models PairStream, and SeekablePairStream if the stream can seek.
/// Cost: that of reading, and one copy.
/// Memory: one batch.
/// Lifetime: refers to the stream.
template <SampleStream T>
class SplitStream : public detail::DerivedStream<T> {
 public:
  using Scalar = typename T::Scalar;

  /// Throws InvalidArgument unless both views get at least one column.
  SplitStream(T& stream, Index columns_x)
      : detail::DerivedStream<T>(stream), columns_x_(columns_x) {
    if (columns_x < 1 || columns_x >= stream.dimension())
      detail::fail("mercer::SplitStream: columns_x must be between 1 and ", stream.dimension() - 1,
                   " for samples of ", stream.dimension(), " columns, got ", columns_x);
  }

  [[nodiscard]] Index dimension_x() const { return columns_x_; }
  [[nodiscard]] Index dimension_y() const { return this->source().dimension() - columns_x_; }

  [[nodiscard]] Index read(GramOut<Scalar> out_x, GramOut<Scalar> out_y) {
    batch_.resize(out_x.rows(), this->source().dimension());
    const Index count = this->source().read(batch_);
    // No more than asked for, even if the stream is at fault: PairStreamView says so.
    const Index copied = (std::min)(count, batch_.rows());
    out_x.topRows(copied) = batch_.topLeftCorner(copied, dimension_x());
    out_y.topRows(copied) = batch_.topRightCorner(copied, dimension_y());
    return count;
  }

 private:
  Index columns_x_;
  Matrix<Scalar> batch_;
};

}  // namespace mercer

#endif  // MERCER_CORE_STREAMS_SPLIT_STREAM_HPP
