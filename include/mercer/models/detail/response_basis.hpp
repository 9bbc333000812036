// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Orthonormal columns that stand for the response in sliced inverse regression.

#ifndef MERCER_MODELS_DETAIL_RESPONSE_BASIS_HPP
#define MERCER_MODELS_DETAIL_RESPONSE_BASIS_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// Numbers the distinct values from 0, in ascending order.
template <Real S>
[[nodiscard]] std::vector<Index> class_numbers(const Vector<S>& y) {
  std::vector<S> values(y.data(), y.data() + y.size());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<Index> out;
  for (Index i = 0; i < y.size(); ++i)
    out.push_back(std::lower_bound(values.begin(), values.end(), y(i)) - values.begin());
  return out;
}

/// The slice of a value is floor(S * (number of smaller values) / n), renumbered without gaps. So
/// equal values share a slice, and none is empty.
/// Throws InvalidArgument for fewer than two slices.
template <Real S>
[[nodiscard]] std::vector<Index> slice_numbers(const Vector<S>& y, Index slices) {
  require_at_least("KernelSir", "slices", slices, Index{2});
  std::vector<S> sorted(y.data(), y.data() + y.size());
  std::sort(sorted.begin(), sorted.end());
  Vector<S> numbers(y.size());
  for (Index i = 0; i < y.size(); ++i) {
    const auto smaller = std::lower_bound(sorted.begin(), sorted.end(), y(i)) - sorted.begin();
    numbers(i) = static_cast<S>(slices * smaller / y.size());
  }
  return class_numbers(numbers);
}

/// The indicators of slices, n x S, each divided by the root of the number of its samples.
/// Throws InvalidArgument if there is one slice only.
template <Real S>
[[nodiscard]] Matrix<S> slice_basis(const std::vector<Index>& numbers) {
  const Index slices = *std::max_element(numbers.begin(), numbers.end()) + 1;
  if (slices < 2)
    fail("mercer::KernelSir: the responses are all equal, so that there is one class only");
  Vector<S> counts = Vector<S>::Zero(slices);
  for (const Index slice : numbers) counts(slice) += 1;
  Matrix<S> out = Matrix<S>::Zero(static_cast<Index>(numbers.size()), slices);
  for (Index i = 0; i < out.rows(); ++i) {
    const Index slice = numbers[static_cast<std::size_t>(i)];
    out(i, slice) = 1 / std::sqrt(counts(slice));
  }
  return out;
}

/// An orthonormal basis of the span of the centred and standardised columns.
/// Throws InvalidArgument if all columns are constant.
template <Real S>
[[nodiscard]] Matrix<S> output_basis(Matrix<S> y) {
  y.rowwise() -= y.colwise().mean().eval();
  for (Index j = 0; j < y.cols(); ++j) {
    const S norm = y.col(j).norm();
    if (norm > 0) y.col(j) /= norm;
  }
  constexpr S rank_threshold = S(1e-10);  // of columns of norm 1
  ThinQr<S> qr = orthonormalize(y);
  keep_independent<S>(qr.Q, qr.R, rank_threshold);
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
