// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Orthonormal columns that stand for the response in sliced inverse regression.

#ifndef MERCER_MODELS_DETAIL_RESPONSE_BASIS_HPP
#define MERCER_MODELS_DETAIL_RESPONSE_BASIS_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// The slice of a response.
class SliceNumbers {
 public:
  /// One slice for each value of \p y.
  /// Throws InvalidArgument if there is one value only.
  [[nodiscard]] static SliceNumbers classes(const Vector<double>& y) {
    SliceNumbers out(y);
    out.require_several_values();
    std::vector<double>& values = out.values_;
    values.erase(std::unique(values.begin(), values.end()), values.end());
    out.first_.resize(values.size());
    std::iota(out.first_.begin(), out.first_.end(), Index{0});
    return out;
  }

  /// The slice of a value is floor(S * (number of smaller values of y) / n), renumbered without
  /// gaps. So equal values share a slice, and none is empty.
  /// Throws InvalidArgument for fewer than two slices, and if all values fall into one.
  [[nodiscard]] static SliceNumbers slices(const Vector<double>& y, Index slices) {
    require_at_least("KernelSir", "slices", slices, Index{2});
    SliceNumbers out(y);
    out.require_several_values();
    out.slices_ = (std::min)(slices, static_cast<Index>(out.values_.size()));  // more are empty
    for (const double value : out.values_) {
      const Index place = out.place(value);
      if (out.first_.empty() || out.first_.back() != place) out.first_.push_back(place);
    }
    if (out.count() < 2)
      fail("mercer::KernelSir: all ", y.size(), " responses fall into one of ", slices,
           " slices, as most of them are equal; take more slices, or SirTarget::Classes");
    return out;
  }

  [[nodiscard]] Index count() const { return static_cast<Index>(first_.size()); }

  /// The slice of any value. Between those of y it has that of the next smaller place that is not
  /// empty.
  /// Throws InvalidArgument for a class that y has not.
  [[nodiscard]] Index operator()(double value) const {
    const Index at = place(value);
    if (slices_ == 0 && (at == count() || values_[static_cast<std::size_t>(at)] != value))
      fail("mercer::KernelSir: the response ", value, " is none of the ", count(),
           " classes of the first rows");
    const auto above = std::upper_bound(first_.begin(), first_.end(), at);
    return (std::max)(Index{0}, static_cast<Index>(above - first_.begin()) - 1);
  }

  [[nodiscard]] std::vector<Index> numbers(const Vector<double>& y) const {
    std::vector<Index> out;
    for (const double value : y) out.push_back((*this)(value));
    return out;
  }

 private:
  explicit SliceNumbers(const Vector<double>& y) : values_(y.data(), y.data() + y.size()) {
    std::sort(values_.begin(), values_.end());
  }

  void require_several_values() const {
    if (values_.front() == values_.back())
      fail("mercer::KernelSir: the responses are all equal, so that there is one class only");
  }

  [[nodiscard]] Index place(double value) const {
    const Index smaller = std::lower_bound(values_.begin(), values_.end(), value) - values_.begin();
    if (slices_ == 0) return smaller;
    return (std::min)(slices_ - 1, slices_ * smaller / static_cast<Index>(values_.size()));
  }

  std::vector<double> values_;  // ascending
  std::vector<Index> first_;    // the places of the slices, ascending
  Index slices_ = 0;            // 0: classes
};

/// The numbers of classes in place of integers of any size, in the same order. A cast to double
/// would make some above 2^53 equal.
template <std::integral T>
[[nodiscard]] Vector<double> class_numbers(const Eigen::Matrix<T, Eigen::Dynamic, 1>& y) {
  std::vector<T> classes(y.data(), y.data() + y.size());
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  Vector<double> numbers(y.size());
  for (Index i = 0; i < y.size(); ++i)
    numbers(i) = static_cast<double>(std::lower_bound(classes.begin(), classes.end(), y(i)) -
                                     classes.begin());
  return numbers;
}

/// The numbers of samples in the slices.
template <Real S>
[[nodiscard]] Vector<S> slice_counts(const std::vector<Index>& numbers) {
  Vector<S> counts = Vector<S>::Zero(*std::max_element(numbers.begin(), numbers.end()) + 1);
  for (const Index slice : numbers) counts(slice) += 1;
  return counts;
}

/// The indicators of slices, n x S, each divided by the root of the number of its samples.
template <Real S>
[[nodiscard]] Matrix<S> slice_basis(const std::vector<Index>& numbers) {
  const Vector<S> counts = slice_counts<S>(numbers);
  const auto n = static_cast<Index>(numbers.size());
  Matrix<S> out = Matrix<S>::Zero(n, counts.size());
  for (Index i = 0; i < n; ++i) {
    const Index slice = numbers[static_cast<std::size_t>(i)];
    out(i, slice) = 1 / std::sqrt(counts(slice));
  }
  return out;
}

/// Orthonormal columns with the span of the indicators less the constant, n x (S - 1): some of the
/// rows. Scores in single precision, or from features, have sums of the size of their rounding
/// errors. Columns that contained the constant would take these sums for a component.
///
/// The constant is E v for the columns E of slice_basis() and v_s = (n_s / n)^(1/2). The columns
/// are those of E H that are left without the last one, for the reflection H that takes the last
/// unit vector to -v.
/// Cost: O(rows S + S^2).
template <Real S>
[[nodiscard]] Matrix<S> slice_contrasts(const std::vector<Index>& numbers, Range rows) {
  const Vector<S> counts = slice_counts<S>(numbers);
  const Index last = counts.size() - 1;
  const S n = static_cast<S>(numbers.size());
  Vector<S> w = (counts / n).cwiseSqrt();
  w(last) += 1;  // v is positive: nothing cancels
  Matrix<S> values = Matrix<S>::Identity(last + 1, last) - w * w.head(last).transpose() / w(last);
  values.array().colwise() *= counts.array().rsqrt();
  Matrix<S> out(rows.size, last);
  for (Index i = 0; i < rows.size; ++i)
    out.row(i) = values.row(numbers[static_cast<std::size_t>(rows.begin + i)]);
  return out;
}

/// The columns less their means; zeros where nothing but rounding errors of the mean is left.
template <Real S>
[[nodiscard]] Matrix<S> centered_outputs(const Matrix<S>& y) {
  const auto n = static_cast<S>(y.rows());
  const Eigen::Matrix<S, 1, Eigen::Dynamic> means = y.colwise().mean();
  Matrix<S> out = y.rowwise() - means;
  const Vector<S> norms = column_norms(out);
  for (Index j = 0; j < y.cols(); ++j)
    if (norms(j) <= n * std::numeric_limits<S>::epsilon() * std::abs(means(j)) * std::sqrt(n))
      out.col(j).setZero();
  return out;
}

/// An orthonormal basis of the span of the centred and standardised columns.
/// Throws InvalidArgument if all columns are constant.
template <Real S>
[[nodiscard]] Matrix<S> output_basis(Matrix<S> y) {
  y = centered_outputs(y);
  const Vector<S> norms = column_norms(y);
  for (Index j = 0; j < y.cols(); ++j)
    if (norms(j) > 0) y.col(j) /= norms(j);
  constexpr S rank_threshold = S(1e-10);  // of columns of norm 1
  ThinQr<S> qr = orthonormalize(y);
  keep_independent<S>(RowSpace::whole(qr.Q.rows()), qr.Q, qr.R, rank_threshold);
  if (qr.R.rows() == 0) fail("mercer::KernelSir: the responses are all equal");
  return qr.Q.leftCols(qr.R.rows());
}

/// The rank of orthonormal columns less their means: one less if they span the constant.
template <Real S>
[[nodiscard]] Index centered_rank(const Matrix<S>& q) {
  const S inside = q.colwise().sum().squaredNorm() / static_cast<S>(q.rows());
  return q.cols() - (inside > S(0.5) ? 1 : 0);
}

}  // namespace mercer::detail

#endif  // MERCER_MODELS_DETAIL_RESPONSE_BASIS_HPP
