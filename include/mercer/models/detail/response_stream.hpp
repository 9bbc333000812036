// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The response of sliced inverse regression as the second view of a stream of pairs.

#ifndef MERCER_MODELS_DETAIL_RESPONSE_STREAM_HPP
#define MERCER_MODELS_DETAIL_RESPONSE_STREAM_HPP

#include <cmath>
#include <concepts>
#include <optional>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/streams/derived_stream.hpp>
#include <mercer/core/streams/pair_stream.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/models/detail/response_basis.hpp>

namespace mercer::detail {

/// The response as the second view of a stream of pairs: columns whose covariance operator is the
/// identity, up to the constant, over the rows that they are made for. These are the indicators of
/// slices, divided by the roots of their shares, or the standardised and decorrelated outputs.
/// \tparam S  double: a template is compiled only where it is used
template <std::same_as<double> S>
class ResponseColumns {
 public:
  /// Indicators of the slices of \p y.
  ResponseColumns(SliceNumbers slices, const Vector<S>& y) : slices_(std::move(slices)) {
    scales_ = slice_basis<S>(slices_->numbers(y)).colwise().maxCoeff().transpose() *
              std::sqrt(static_cast<double>(y.size()));
  }

  /// Combinations of the columns of \p y, less their means.
  /// Throws InvalidArgument if all columns are constant.
  explicit ResponseColumns(const Matrix<S>& y) : means_(y.colwise().mean()) {
    const auto n = static_cast<double>(y.rows());
    const Matrix<S> centered = centered_outputs(y);
    const Vector<S> deviations = column_norms(centered) / std::sqrt(n);
    const Vector<S> inverse = (deviations.array() > 0).select(deviations.array().inverse(), 0.0);
    const Matrix<S> standard = centered * inverse.asDiagonal();
    const EigenSystem<S> system = symmetric_eigensystem<S>(inner(standard) / n);
    constexpr double rank_threshold = 1e-12;  // of the largest eigenvalue
    const Index kept = (system.values.array() > rank_threshold * system.values(0)).count();
    if (kept == 0) fail("mercer::KernelSir: the responses are all equal");
    mix_ = inverse.asDiagonal() * system.vectors.leftCols(kept) *
           system.values.head(kept).cwiseSqrt().cwiseInverse().asDiagonal();
  }

  /// The dimension of what they span beside the constant.
  [[nodiscard]] Index rank() const { return slices_ ? slices_->count() - 1 : mix_.cols(); }

  [[nodiscard]] Index columns() const { return slices_ ? slices_->count() : mix_.cols(); }

  template <Real T>
  void fill(const Matrix<T>& y, GramOut<T> out) const {
    if (!slices_) {
      out = ((y.template cast<double>().rowwise() - means_) * mix_).template cast<T>();
      return;
    }
    out.setZero();
    for (Index i = 0; i < y.rows(); ++i) {
      const Index slice = (*slices_)(static_cast<double>(y(i, 0)));
      out(i, slice) = static_cast<T>(scales_(slice));
    }
  }

 private:
  std::optional<SliceNumbers> slices_;
  Vector<S> scales_;
  Eigen::RowVector<S, Eigen::Dynamic> means_;
  Matrix<S> mix_;
};

/// A stream of pairs whose second view is replaced by ResponseColumns. Models PairStream, and
/// SeekablePairStream if the given stream can seek. Has the checks of PairStreamView: columns are
/// finite even where the response is not.
/// Lifetime: refers to the stream and the columns.
template <PairStream P>
class ResponseStream : public DerivedStream<P> {
 public:
  using Scalar = typename P::Scalar;

  ResponseStream(P& pairs, const ResponseColumns<double>& columns)
      : DerivedStream<P>(pairs), pairs_(pairs), columns_(&columns) {}

  [[nodiscard]] Index dimension_x() const { return this->source().dimension_x(); }
  [[nodiscard]] Index dimension_y() const { return columns_->columns(); }

  [[nodiscard]] Index read(GramOut<Scalar> out_x, GramOut<Scalar> out_y) {
    Matrix<Scalar> y(out_y.rows(), pairs_.dimension_y());
    const Index count = pairs_.read(out_x, y);
    columns_->template fill<Scalar>(y.topRows(count), out_y.topRows(count));
    return count;
  }
  // By the view, which counts the rows for its messages.
  [[nodiscard]] bool rewind() { return pairs_.rewind(); }

 private:
  PairStreamView<Scalar> pairs_;
  const ResponseColumns<double>* columns_;
};

}  // namespace mercer::detail

#endif  // MERCER_MODELS_DETAIL_RESPONSE_STREAM_HPP
