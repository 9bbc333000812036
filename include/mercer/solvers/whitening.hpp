// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Orthonormal functions from dependent ones, given their inner products.

#ifndef MERCER_SOLVERS_WHITENING_HPP
#define MERCER_SOLVERS_WHITENING_HPP

#include <algorithm>
#include <cmath>

#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// W, r x r', with C^T K C = I for C = A W, such that the functions sum_j C_ji phi(x_j) span those
/// of A but for what is zero to rounding. Shapes: A and K A are n x r.
/// @param ak     K A
/// @param noise  rounding error of K; functions whose |f|^2 / |a|^2 is no more than 4 r times that
///               are zero
/// @param least  eigenvalues of the correlations of the functions up to this are zero
template <Real S>
[[nodiscard]] Matrix<S> whitening_of_functions(const Matrix<S>& a, const Matrix<S>& ak, S noise,
                                               S least) {
  const Matrix<S> products = inner(a, ak);
  const Vector<S> sizes = column_products(a, a);
  Vector<S> scales = Vector<S>::Zero(a.cols());
  const S margin = 4 * static_cast<S>(a.cols());
  S amplified = 0;  // the rounding error of the correlations, at most 1/4
  for (Index i = 0; i < a.cols(); ++i) {
    if (!(products(i, i) > margin * noise * sizes(i))) continue;
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

#endif  // MERCER_SOLVERS_WHITENING_HPP
