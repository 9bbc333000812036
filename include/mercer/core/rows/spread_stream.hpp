// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Samples whose rows are in several processes, read as a stream on all of them.

#ifndef MERCER_CORE_ROWS_SPREAD_STREAM_HPP
#define MERCER_CORE_ROWS_SPREAD_STREAM_HPP

#include <algorithm>
#include <cstddef>
#include <string>

#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// The rows of all processes, in order. Each read gives the same rows to all processes; sparse rows
/// become dense. Models SeekableStream; read() is collective, and all processes must seek alike.
/// Lifetime: refers to the samples.
template <OwnedSamples X>
class SpreadStream : public RowCursor {
 public:
  using Scalar = typename X::Scalar;

  explicit SpreadStream(const SpreadRows<X>& samples)
      : RowCursor(samples.rows().total()), rows_(samples.rows()), local_(samples.local()) {}
  explicit SpreadStream(SpreadRows<X>&&) = delete;

  [[nodiscard]] Index dimension() const { return local_.dimension(); }
  [[nodiscard]] std::string name() const { return "the samples"; }

  [[nodiscard]] Index read(GramOut<Scalar> out) {
    const Index first = position().row, count = rows_ahead(out.rows());
    const Index begin = (std::max)(first, rows_.first());
    const Index end = (std::min)(first + count, rows_.first() + rows_.local());
    Matrix<double> all = Matrix<double>::Zero(count, dimension());
    if (begin < end) {
      Matrix<Scalar> mine(end - begin, dimension());
      local_.seek({0, begin - rows_.first()});
      static_cast<void>(local_.read(mine));
      // A sum with 0, as on other numbers of processes: it takes the sign of -0.
      all.middleRows(begin - first, mine.rows()) += mine.template cast<double>();
    }
    rows_.processes().sum({all.data(), static_cast<std::size_t>(all.size())});
    out.topRows(count) = all.template cast<Scalar>();
    return advance(count);
  }

 private:
  RowSpace rows_;
  MatrixStream<X> local_;
};

}  // namespace mercer

#endif  // MERCER_CORE_ROWS_SPREAD_STREAM_HPP
