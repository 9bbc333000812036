// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Samples of several processes and streams: rows that are spread, read as a stream on all of them;
/// and a stream that all of them have.

#ifndef MERCER_CORE_ROWS_SPREAD_STREAM_HPP
#define MERCER_CORE_ROWS_SPREAD_STREAM_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/rows/processes.hpp>
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

/// A stream that every process has, such as a file that each has opened, and that all read alike.
/// What a read throws on one process, all throw. Models NumbersRows and SeekableStream.
/// Lifetime: refers to the processes and the stream.
template <Real S>
class SharedStream {
 public:
  using Scalar = S;

  /// Throws InvalidArgument, on all processes, unless the streams have an end, and the same number
  /// of rows and columns on all of them. Collective.
  SharedStream(const Processes& processes, SampleStreamView<S> stream)
      : processes_(processes), stream_(stream) {
    const auto require_same = [&](std::int64_t number, const char* what) {
      const auto here = static_cast<double>(number);
      double ends[2] = {here, -here};
      processes.maximum(ends);
      if (ends[0] != -ends[1])
        detail::fail("mercer::SharedStream: the stream has ", static_cast<Index>(-ends[1]), " ",
                     what, " on one process and ", static_cast<Index>(ends[0]), " on another");
    };
    const bool ends = stream.seekable() && stream.numbers_rows() && stream.rows() != endless;
    detail::together(processes, [&] {
      if (!ends)
        detail::fail("mercer::SharedStream: ", stream.name(),
                     " must number its rows and have an end, to be shared by processes");
    });
    require_same(stream.rows(), "rows");
    require_same(stream.dimension(), "columns");
  }

  [[nodiscard]] Index dimension() const { return stream_.dimension(); }
  [[nodiscard]] std::string name() const { return stream_.name(); }
  [[nodiscard]] Index rows() const { return stream_.rows(); }
  [[nodiscard]] StreamPosition position() const { return stream_.position(); }
  void seek(StreamPosition position) { stream_.seek(position); }
  [[nodiscard]] bool rewind() { return stream_.rewind(); }
  [[nodiscard]] Index read_numbers(std::span<Index> numbers) {
    return stream_.read_numbers(numbers);
  }

  [[nodiscard]] Index read(GramOut<Scalar> out) {
    Index count = 0;
    detail::together(processes_, [&] { count = stream_.read(out); });
    return count;
  }

 private:
  const Processes& processes_;
  SampleStreamView<S> stream_;
};

}  // namespace mercer

#endif  // MERCER_CORE_ROWS_SPREAD_STREAM_HPP
