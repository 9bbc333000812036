// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A stream of samples in standard units.

#ifndef MERCER_CORE_STREAMS_STANDARDIZED_STREAM_HPP
#define MERCER_CORE_STREAMS_STANDARDIZED_STREAM_HPP

#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/standardize.hpp>
#include <mercer/core/streams/derived_stream.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// The samples of a stream in standard units. Models SampleStream, and SeekableStream if the stream
/// can seek.
/// Cost: that of reading.
/// Lifetime: refers to the stream; owns a copy of the means and deviations.
template <SampleStream T>
class StandardizedStream : public detail::DerivedStream<T> {
 public:
  using Scalar = typename T::Scalar;

  /// Throws InvalidArgument for a stream of another dimension.
  StandardizedStream(T& stream, Standardize standardize)
      : detail::DerivedStream<T>(stream), standardize_(std::move(standardize)) {
    if (stream.dimension() != standardize_.dimension())
      detail::fail("mercer::StandardizedStream: ", detail::stream_name(stream), " has ",
                   stream.dimension(), " columns, expected ", standardize_.dimension());
  }

  [[nodiscard]] Index dimension() const { return this->source().dimension(); }

  [[nodiscard]] Index read(GramOut<Scalar> out) {
    const Index count = this->source().read(out);
    if (count > 0 && count <= out.rows())
      out.topRows(count) = standardize_.transform(Matrix<Scalar>(out.topRows(count)));
    return count;
  }

 private:
  Standardize standardize_;
};

}  // namespace mercer

#endif  // MERCER_CORE_STREAMS_STANDARDIZED_STREAM_HPP
