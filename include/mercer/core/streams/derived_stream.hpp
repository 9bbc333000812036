// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What a stream that changes the rows of another stream takes from it unchanged.

#ifndef MERCER_CORE_STREAMS_DERIVED_STREAM_HPP
#define MERCER_CORE_STREAMS_DERIVED_STREAM_HPP

#include <span>
#include <string>

#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// Base class of streams whose row i comes from row i of another stream, of samples or of pairs.
/// Gives the name, rewind() and, as far as that stream has them, rows, position and numbers.
/// Lifetime: refers to the other stream.
template <class T>
class DerivedStream {
 public:
  using Scalar = typename T::Scalar;

  [[nodiscard]] std::string name() const { return stream_name(*source_); }
  [[nodiscard]] bool rewind() { return source_->rewind(); }

  [[nodiscard]] Index rows() const requires Seekable<T> { return source_->rows(); }
  [[nodiscard]] StreamPosition position() const requires Seekable<T> { return source_->position(); }
  void seek(StreamPosition position) requires Seekable<T> { source_->seek(position); }
  [[nodiscard]] Index read_numbers(std::span<Index> numbers) requires NumbersRows<T> {
    return source_->read_numbers(numbers);
  }

 protected:
  explicit DerivedStream(T& source) : source_(&source) {}
  [[nodiscard]] T& source() { return *source_; }
  [[nodiscard]] const T& source() const { return *source_; }

 private:
  T* source_;
};

}  // namespace mercer::detail

#endif  // MERCER_CORE_STREAMS_DERIVED_STREAM_HPP
