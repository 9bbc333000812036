// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Pairs of samples that come batch by batch, and their rows as samples of one stream.

#ifndef MERCER_CORE_STREAMS_PAIR_STREAM_HPP
#define MERCER_CORE_STREAMS_PAIR_STREAM_HPP

#include <concepts>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// A source of pairs (x_i, y_i), one per row.
///
/// Syntax:
/// - (1) a member type Scalar, float or double, of both views;
/// - (2) `dimension_x() const` and `dimension_y() const`;
/// - (3) `read(out_x, out_y)` writes the next pairs to the first rows of \c out_x, b x
///   dimension_x(), and of \c out_y, b x dimension_y(), and returns how many;
/// - (4) `rewind()` starts the next pass over the pairs and returns true, or returns false if there
///   is no other.
///
/// Semantics:
/// - (5) row i of \c out_x and row i of \c out_y belong together;
/// - (6) read() returns less than b only at the end, and 0 from then on;
/// - (7) it throws InvalidArgument if its source is at fault.
///
/// Optional: `std::string name() const`, for messages.
template <class T>
concept PairStream = Real<typename T::Scalar> &&
    requires(T& stream, const T& constant, GramOut<typename T::Scalar> out) {
  { constant.dimension_x() } -> std::same_as<Index>;
  { constant.dimension_y() } -> std::same_as<Index>;
  { stream.read(out, out) } -> std::same_as<Index>;
  { stream.rewind() } -> std::same_as<bool>;
};

/// A stream of pairs that can continue from any row; see Seekable.
template <class T>
concept SeekablePairStream = PairStream<T> && Seekable<T>;

/// Any stream of pairs behind one type, with the checks of SampleStreamView.
/// Lifetime: refers to the stream, which must outlive it. Copies refer to the same stream.
template <Real S>
class PairStreamView : public detail::StreamReference {
 public:
  using Scalar = S;

  template <PairStream T>
    requires(!std::same_as<T, PairStreamView> && std::same_as<typename T::Scalar, S>)
  PairStreamView(T& stream)  // NOLINT: implicit, as a reference would bind
      : StreamReference(stream), calls_(&calls_for<T>) {}

  [[nodiscard]] Index dimension_x() const { return calls_->dimension_x(stream()); }
  [[nodiscard]] Index dimension_y() const { return calls_->dimension_y(stream()); }

  /// Throws InvalidArgument if a value is not finite (names the stream, the view, the row and the
  ///   column), if the stream ends before its last row, or if it gives more rows than were asked
  ///   for; and for outputs of different numbers of rows.
  [[nodiscard]] Index read(GramOut<S> out_x, GramOut<S> out_y) {
    constexpr const char* who = "PairStream";
    if (out_x.rows() != out_y.rows())
      detail::fail("mercer::PairStream: room for ", out_x.rows(), " rows of x and ", out_y.rows(),
                   " of y");
    const Index first = position().row, rows_read = calls_->read(stream(), out_x, out_y);
    detail::require_rows_read(who, name(), rows_read, out_x.rows(), first, rows());
    count(rows_read);
    detail::require_finite_rows<S>(who, name() + ", view x", out_x.topRows(rows_read), first);
    detail::require_finite_rows<S>(who, name() + ", view y", out_y.topRows(rows_read), first);
    return rows_read;
  }

 private:
  struct Calls {
    Index (*dimension_x)(const void*);
    Index (*dimension_y)(const void*);
    Index (*read)(void*, GramOut<S>&, GramOut<S>&);
  };
  template <class T>
  static constexpr Calls calls_for = {
      [](const void* s) { return static_cast<const T*>(s)->dimension_x(); },
      [](const void* s) { return static_cast<const T*>(s)->dimension_y(); },
      [](void* s, GramOut<S>& x, GramOut<S>& y) { return static_cast<T*>(s)->read(x, y); }};

  const Calls* calls_;
};

template <PairStream T>
PairStreamView(T&) -> PairStreamView<typename T::Scalar>;

/// The pairs of a stream as samples [x_i y_i] of dimension dimension_x() + dimension_y(). So all
/// that works on samples works on pairs, and keeps them together; SplitStream turns the result into
/// pairs again:
/// \code
///   ZipStream pairs(xs, ys);
///   JoinedStream rows(pairs);
///   ShuffledStream shuffled(rows);  // x and y move together
///   SplitStream mixed(shuffled, pairs.dimension_x());
/// \endcode
/// Models SampleStream, and SeekableStream if the stream of pairs can seek. Has the checks of
/// PairStreamView.
/// Lifetime: refers to the stream.
template <PairStream T>
class JoinedStream {
 public:
  using Scalar = typename T::Scalar;

  explicit JoinedStream(T& pairs) : pairs_(pairs) {}

  [[nodiscard]] Index dimension() const { return pairs_.dimension_x() + pairs_.dimension_y(); }
  [[nodiscard]] std::string name() const { return pairs_.name(); }
  [[nodiscard]] Index read(GramOut<Scalar> out) {
    MERCER_ASSERT(out.cols() == dimension());
    return pairs_.read(out.leftCols(pairs_.dimension_x()), out.rightCols(pairs_.dimension_y()));
  }
  [[nodiscard]] bool rewind() { return pairs_.rewind(); }

  [[nodiscard]] Index rows() const requires SeekablePairStream<T> { return pairs_.rows(); }
  [[nodiscard]] StreamPosition position() const requires SeekablePairStream<T> {
    return pairs_.position();
  }
  void seek(StreamPosition position) requires SeekablePairStream<T> { pairs_.seek(position); }

 private:
  PairStreamView<Scalar> pairs_;
};

}  // namespace mercer

#endif  // MERCER_CORE_STREAMS_PAIR_STREAM_HPP
