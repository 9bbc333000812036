// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Orthonormal functions from dependent ones, given their inner products.

#ifndef MERCER_SOLVERS_HEBBIAN_DETAIL_WHITENING_HPP
#define MERCER_SOLVERS_HEBBIAN_DETAIL_WHITENING_HPP

#include <algorithm>
#include <cmath>

#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// True if rounding errors of K hide a function: |f|^2 <= 4 r noise |a|^2.
/// @param square  |f|^2 = a^T K a
/// @param size    |a|^2
/// @param noise   rounding error of K
/// @param count   r, the number of functions
template <Real S>
[[nodiscard]] bool is_hidden(S square, S size, S noise, Index count) {
  return !(square > 4 * static_cast<S>(count) * noise * size);  // NaN too
}

/// W, r x r', such that C = A W has C^T K C = I. The functions sum_j C_ji phi(x_j) span the same
/// space as those of A, without directions that are zero to rounding error.
/// Shapes: A and K A are n x r.
/// @param ak     K A
/// @param noise  rounding error of K; functions that it hides count as zero
/// @param least  eigenvalues of the functions' correlation matrix up to this count as zero
template <Real S>
[[nodiscard]] Matrix<S> whitening_of_functions(const Matrix<S>& a, const Matrix<S>& ak, S noise,
                                               S least) {
  const Matrix<S> products = inner(a, ak);
  const Vector<S> sizes = column_products(a, a);
  Vector<S> scales = Vector<S>::Zero(a.cols());
  S amplified = 0;  // bound of the rounding error of the correlations, at most 1/4
  for (Index i = 0; i < a.cols(); ++i) {
    if (is_hidden(products(i, i), sizes(i), noise, a.cols())) continue;
    scales(i) = 1 / std::sqrt(products(i, i));
    amplified += noise * sizes(i) / products(i, i);
  }
  const S cut = (std::max)(least, amplified);
  const Matrix<S> correlations =
      scales.asDiagonal() * (products + products.transpose()) / 2 * scales.asDiagonal();
  const EigenSystem<S> eigen = symmetric_eigensystem<S>(correlations);
  const Index rank = (eigen.values.array() > cut).count();
  return scales.asDiagonal() * eigen.vectors.leftCols(rank) *
         eigen.values.head(rank).cwiseSqrt().cwiseInverse().asDiagonal();
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_HEBBIAN_DETAIL_WHITENING_HPP
