// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A stream of samples in memory.

#ifndef MERCER_CORE_STREAMS_MATRIX_STREAM_HPP
#define MERCER_CORE_STREAMS_MATRIX_STREAM_HPP

#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// Any dense Eigen object, or a sparse one that is stored by row. A map of someone else's memory is
/// one too.
template <class X>
concept RowsInMemory = DenseSamples<X> ||(SparseSamples<X>&& bool(X::IsRowMajor));

/// The rows of a matrix in their order. Sparse rows become dense one batch at a time. Models
/// SeekableStream.
/// Lifetime: refers to the matrix, which must outlive it.
template <RowsInMemory X>
class MatrixStream : public RowCursor {
 public:
  using Scalar = typename X::Scalar;

  explicit MatrixStream(const X& samples) : RowCursor(samples.rows()), samples_(&samples) {}
  explicit MatrixStream(X&&) = delete;

  [[nodiscard]] Index dimension() const { return samples_->cols(); }
  [[nodiscard]] std::string name() const { return "the matrix"; }

  [[nodiscard]] Index read(GramOut<Scalar> out) {
    MERCER_ASSERT(out.cols() == dimension());
    const Index first = position().row, count = rows_ahead(out.rows());
    if (out.cols() == 0) return advance(count);  // row ranges need at least one column
    if constexpr (SparseSamples<X>) {
      out.topRows(count).setZero();
      for (Index i = 0; i < count; ++i)
        for (typename X::InnerIterator entry(*samples_, first + i); entry; ++entry)
          out(i, entry.col()) = entry.value();
    } else {
      out.topRows(count) = samples_->middleRows(first, count);
    }
    return advance(count);
  }

 private:
  const X* samples_;
};

}  // namespace mercer

#endif  // MERCER_CORE_STREAMS_MATRIX_STREAM_HPP
