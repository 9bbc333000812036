// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// An orthonormal basis of the span of some functions of a view, as components.

#ifndef MERCER_SOLVERS_DETAIL_SPANNED_FUNCTIONS_HPP
#define MERCER_SOLVERS_DETAIL_SPANNED_FUNCTIONS_HPP

#include <algorithm>
#include <cmath>
#include <utility>

#include <mercer/core/compiled.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/directions.hpp>

namespace mercer::detail {

/// Functions of a view, v_j = sum_i A_ij phi(x_i), and their scores F = K A at its n samples.
template <Real S>
struct SpannedFunctions {
  Matrix<S> coefficients;  ///< A, n x b
  Matrix<S> scores;        ///< F, n x b

  /// Divides the functions by powers of two near the norms of their coefficients, so that squares
  /// of coefficients and products with scores do not overflow or underflow. Returns the divisors,
  /// with 0 for coefficients of zeros.
  Vector<S> equilibrate();

  /// Makes the functions orthonormal. Leaves out those that are zero, or depend on others, to
  /// rounding.
  /// \param trace  tr K, which bounds the rounding errors of products with K
  void orthonormalize(S trace);

  /// Takes the combinations with these weights, b x c.
  void combine(const Matrix<S>& weights);

  /// Orthonormal functions, turned so that F^T F is diagonal and descending, without a report.
  /// \param zero_threshold  entries of the diagonal up to this times the largest one count as zero
  [[nodiscard]] DirectionSolution<S> directions(S zero_threshold) &&;
};

template <Real S>
void SpannedFunctions<S>::combine(const Matrix<S>& weights) {
  coefficients = multiply(coefficients, weights);
  scores = multiply(scores, weights);
}

template <Real S>
Vector<S> SpannedFunctions<S>::equilibrate() {
  const RowSpace rows = RowSpace::whole(coefficients.rows());
  Vector<S> divisors = equilibrate_columns<S>(rows, coefficients);
  for (Index j = 0; j < divisors.size(); ++j)
    if (divisors(j) > 0) scores.col(j) /= divisors(j);
  return divisors;
}

template <Real S>
void SpannedFunctions<S>::orthonormalize(S trace) {
  const Index b = coefficients.cols();
  equilibrate();
  const S noise = rounding_level<S>(coefficients.rows()) * trace;
  const Matrix<S> products = inner(coefficients, scores);
  // Columns of unit norm first: their sizes say nothing about dependence.
  Vector<S> scales = Vector<S>::Zero(b);
  for (Index j = 0; j < b; ++j)
    if (products(j, j) > noise * coefficients.col(j).squaredNorm())
      scales(j) = 1 / std::sqrt(products(j, j));
  const Matrix<S> unit =
      scales.asDiagonal() * (products + products.transpose()) * (scales / S(2)).asDiagonal();
  const EigenSystem<S> system = symmetric_eigensystem<S>(unit);
  const S zero = 100 * rounding_level<S>((std::max)(b, Index{1}));
  const Index kept = (system.values.array() > zero).count();
  const Vector<S> inverse = system.values.head(kept).cwiseSqrt().cwiseInverse();
  combine(scales.asDiagonal() * system.vectors.leftCols(kept) * inverse.asDiagonal());
}

template <Real S>
DirectionSolution<S> SpannedFunctions<S>::directions(S zero_threshold) && {
  const EigenSystem<S> system = symmetric_eigensystem<S>(inner(scores));
  const S largest = system.values.size() > 0 ? system.values(0) : S(0);
  const S zero = (std::max)(rounding_level<S>(scores.rows()), zero_threshold) * largest;
  const Index kept = (system.values.array() > zero).count();
  combine(system.vectors.leftCols(kept));
  return {.eigenvalues = system.values.head(kept),
          .coefficients = std::move(coefficients),
          .scores = std::move(scores),
          .dual = {},
          .report = {}};
}

MERCER_INSTANTIATE_DENSE(struct SpannedFunctions<double>)

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DETAIL_SPANNED_FUNCTIONS_HPP
