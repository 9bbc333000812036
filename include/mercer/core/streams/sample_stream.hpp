// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Samples that come batch by batch, from a source that may be far larger than memory.

#ifndef MERCER_CORE_STREAMS_SAMPLE_STREAM_HPP
#define MERCER_CORE_STREAMS_SAMPLE_STREAM_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <mercer/core/errors.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// The position of a stream. Streams with the same settings and the same position continue with the
/// same rows.
struct StreamPosition {
  Index epoch = 0;  ///< rewinds so far
  Index row = 0;    ///< rows read since the last rewind

  [[nodiscard]] bool operator==(const StreamPosition&) const = default;
};

/// The number of rows of a stream that has no end, or whose end is not known.
inline constexpr Index endless = (std::numeric_limits<Index>::max)();

/// A source of samples, one per row.
///
/// Syntax:
/// - (1) a member type Scalar, float or double;
/// - (2) `dimension() const`;
/// - (3) `read(out)` writes the next samples to the first rows of \c out, b x dimension(), and
///   returns how many;
/// - (4) `rewind()` starts the next pass over the samples and returns true, or returns false if
///   there is no other.
///
/// Semantics:
/// - (5) read() returns less than b only at the end, and 0 from then on;
/// - (6) it throws InvalidArgument if its source is at fault.
///
/// Optional: `std::string name() const`, for messages.
template <class T>
concept SampleStream = Real<typename T::Scalar> &&
    requires(T& stream, const T& constant, GramOut<typename T::Scalar> out) {
  { constant.dimension() } -> std::same_as<Index>;
  { stream.read(out) } -> std::same_as<Index>;
  { stream.rewind() } -> std::same_as<bool>;
};

/// What can continue from any row.
///
/// Syntax:
/// - (1) `rows() const`, the number of rows of a pass, or \c endless;
/// - (2) `position() const`;
/// - (3) `seek(position)`, after which the stream continues as it did from that position.
template <class T>
concept Seekable = requires(T& stream, const T& constant, StreamPosition position) {
  { constant.rows() } -> std::same_as<Index>;
  { constant.position() } -> std::same_as<StreamPosition>;
  { stream.seek(position) } -> std::same_as<void>;
};

/// What can say which rows come next, so that a reader that has kept what it made of a row need not
/// read it again.
///
/// Syntax:
/// - (1) `read_numbers(numbers)` moves on as read() does by numbers.size() rows, writes the numbers
///   of these rows, and returns how many.
///
/// Semantics:
/// - (2) numbers are from 0 to rows() - 1, and each occurs once in a pass;
/// - (3) rows with the same number are the same sample in all passes.
template <class T>
concept NumbersRows = Seekable<T> && requires(T& stream, std::span<Index> numbers) {
  { stream.read_numbers(numbers) } -> std::same_as<Index>;
};

/// Streams of samples that can go on from any row.
template <class T>
concept SeekableStream = SampleStream<T> && Seekable<T>;

/// Base class of streams with numbered rows, the same ones in each pass. It models NumbersRows, and
/// all of SeekableStream except Scalar, dimension() and read().
class RowCursor {
 public:
  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] StreamPosition position() const { return position_; }

  /// Throws InvalidArgument if the position is outside the rows.
  void seek(StreamPosition position) {
    if (position.epoch < 0 || position.row < 0 || position.row > rows_)
      detail::fail("mercer::SampleStream: there is no row ", position.row, " of pass ",
                   position.epoch, " in ", rows_, " rows");
    position_ = position;
  }

  [[nodiscard]] bool rewind() {
    position_ = {position_.epoch + 1, 0};
    return true;
  }

  [[nodiscard]] Index read_numbers(std::span<Index> numbers) {
    const Index first = position_.row, count = advance(static_cast<Index>(numbers.size()));
    for (Index i = 0; i < count; ++i) numbers[static_cast<std::size_t>(i)] = first + i;
    return count;
  }

 protected:
  explicit RowCursor(Index rows) : rows_(rows) {}

  /// The number of rows up to the end, but at most \p most.
  [[nodiscard]] Index rows_ahead(Index most) const {
    return (std::min)(most, rows_ - position_.row);
  }

  /// Moves forward by \p most rows, or to the end. Returns the number of rows passed. To be called
  /// when the rows are read, so that an exception before leaves the position as it was.
  Index advance(Index most) {
    const Index count = rows_ahead(most);
    position_.row += count;
    return count;
  }

 private:
  Index rows_;
  StreamPosition position_;
};

namespace detail {

/// The name of a stream in messages.
template <class T>
[[nodiscard]] std::string stream_name(const T& stream) {
  if constexpr (requires { stream.name(); })
    return stream.name();
  else
    return "the stream";
}

/// Throws InvalidArgument unless \p count, the result of a read at row \p first of a pass of
/// \p rows, is at most \p wanted, and less only at the end of the pass.
inline void require_rows_read(std::string_view who, const std::string& name, Index count,
                              Index wanted, Index first, Index rows) {
  if (count < 0 || count > wanted)
    fail("mercer::", who, ": ", name, " gave ", count, " rows where ", wanted, " were asked for");
  if (rows != endless && count < (std::min)(wanted, rows - first))
    fail("mercer::", who, ": ", name, " ended after row ", first + count, " of ", rows);
}

/// Throws InvalidArgument if a value of \p samples, the rows \p first, first + 1, ... of a stream,
/// is not finite.
template <Real S>
void require_finite_rows(std::string_view who, const std::string& name, const Points<S>& samples,
                         Index first) {
  if (samples.allFinite()) return;
  for (Index i = 0; i < samples.rows(); ++i)
    for (Index j = 0; j < samples.cols(); ++j)
      if (!std::isfinite(samples(i, j)))
        fail("mercer::", who, ": ", name, ": samples must be finite, got ", samples(i, j),
             " at row ", first + i, ", column ", j, " (counted from 0)");
}

/// What streams of samples and streams of pairs have in common, behind one type. It counts the rows
/// of a stream that does not.
/// Lifetime: refers to the stream.
class StreamReference {
 public:
  [[nodiscard]] bool rewind() {
    if (!calls_->rewind(stream_)) return false;
    counted_ = {counted_.epoch + 1, 0};
    return true;
  }

  /// Whether rows() is known and seek() may be called.
  [[nodiscard]] bool seekable() const { return calls_->seek != nullptr; }
  [[nodiscard]] Index rows() const { return seekable() ? calls_->rows(stream_) : endless; }
  [[nodiscard]] StreamPosition position() const {
    return seekable() ? calls_->position(stream_) : counted_;
  }
  /// Throws InvalidArgument if the stream cannot seek.
  void seek(StreamPosition position) {
    if (!seekable()) fail("mercer: ", name(), " cannot seek");
    calls_->seek(stream_, position);
  }
  /// Whether read_numbers() may be called.
  [[nodiscard]] bool numbers_rows() const { return calls_->read_numbers != nullptr; }
  /// Throws InvalidArgument if the stream does not number its rows.
  [[nodiscard]] Index read_numbers(std::span<Index> numbers) {
    if (!numbers_rows()) fail("mercer: ", name(), " does not number its rows");
    return calls_->read_numbers(stream_, numbers);
  }
  [[nodiscard]] std::string name() const { return calls_->name(stream_); }

 protected:
  template <class T>
  explicit StreamReference(T& stream) : stream_(&stream), calls_(&calls_for<T>) {}

  [[nodiscard]] void* stream() const { return stream_; }
  void count(Index rows) {
    if (!seekable()) counted_.row += rows;
  }

 private:
  struct Calls {
    bool (*rewind)(void*);
    std::string (*name)(const void*);
    // Null if the stream cannot seek:
    Index (*rows)(const void*) = nullptr;
    StreamPosition (*position)(const void*) = nullptr;
    void (*seek)(void*, StreamPosition) = nullptr;
    // Null if it does not number its rows:
    Index (*read_numbers)(void*, std::span<Index>) = nullptr;
  };

  template <class T>
  [[nodiscard]] static constexpr Calls make_calls() {
    Calls calls{[](void* s) { return static_cast<T*>(s)->rewind(); },
                [](const void* s) { return stream_name(*static_cast<const T*>(s)); }};
    if constexpr (Seekable<T>) {
      calls.rows = [](const void* s) { return static_cast<const T*>(s)->rows(); };
      calls.position = [](const void* s) { return static_cast<const T*>(s)->position(); };
      calls.seek = [](void* s, StreamPosition at) { static_cast<T*>(s)->seek(at); };
    }
    if constexpr (NumbersRows<T>)
      calls.read_numbers = [](void* s, std::span<Index> numbers) {
        return static_cast<T*>(s)->read_numbers(numbers);
      };
    return calls;
  }
  template <class T>
  static constexpr Calls calls_for = make_calls<T>();

  void* stream_;
  const Calls* calls_;
  StreamPosition counted_;  // used if the stream does not count its rows
};

}  // namespace detail

/// Any stream behind one type, so that code that reads samples is compiled once. It adds the checks
/// that every reader needs.
/// Lifetime: refers to the stream, which must outlive it. Copies refer to the same stream.
template <Real S>
class SampleStreamView : public detail::StreamReference {
 public:
  using Scalar = S;

  template <SampleStream T>
    requires(!std::same_as<T, SampleStreamView> && std::same_as<typename T::Scalar, S>)
  SampleStreamView(T& stream)  // NOLINT: implicit, as a reference would bind
      : StreamReference(stream), calls_(&calls_for<T>) {}

  [[nodiscard]] Index dimension() const { return calls_->dimension(stream()); }

  /// Throws InvalidArgument if a value is not finite (names the stream and the row), if the stream
  ///   ends before its last row, or if it gives more rows than were asked for.
  [[nodiscard]] Index read(GramOut<S> out);

 private:
  struct Calls {
    Index (*dimension)(const void*);
    Index (*read)(void*, GramOut<S>&);
  };
  template <class T>
  static constexpr Calls calls_for = {
      [](const void* s) { return static_cast<const T*>(s)->dimension(); },
      [](void* s, GramOut<S>& out) { return static_cast<T*>(s)->read(out); }};

  const Calls* calls_;
};

template <Real S>
Index SampleStreamView<S>::read(GramOut<S> out) {
  PhaseTimer timer(Phase::SamplesRead);
  const Index first = position().row;
  const Index rows_read = calls_->read(stream(), out);
  timer.count(static_cast<std::size_t>(rows_read * out.cols()) * sizeof(S));
  detail::require_rows_read("SampleStream", name(), rows_read, out.rows(), first, rows());
  count(rows_read);
  detail::require_finite_rows<S>("SampleStream", name(), out.topRows(rows_read), first);
  return rows_read;
}

template <SampleStream T>
SampleStreamView(T&) -> SampleStreamView<typename T::Scalar>;

}  // namespace mercer

#endif  // MERCER_CORE_STREAMS_SAMPLE_STREAM_HPP
