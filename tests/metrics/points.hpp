// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Samples and coefficients shared by the tests of the metrics.

#ifndef MERCER_TESTS_METRICS_POINTS_HPP
#define MERCER_TESTS_METRICS_POINTS_HPP

#include <cmath>
#include <cstdint>

#include <Eigen/Core>
#include <Eigen/QR>

#include <mercer/core/random.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>

namespace mercer::test {

/// The four points of the worked examples.
inline Matrix<double> four_points() {
  Matrix<double> x(4, 2);
  x << 0, 0, 1, 0, 0, 2, 1.5, 1;
  return x;
}

inline Matrix<double> normals(Index rows, Index cols, std::uint64_t seed) {
  return normal_matrix<double>(rows, cols, seed, "metrics tests");
}

/// A symmetric matrix but for a rounding error of single precision.
inline Matrix<float> rounded_gram(const Matrix<double>& k) {
  Matrix<float> rounded = k.cast<float>();
  rounded(3, 1) += 1e-6F * rounded.cwiseAbs().maxCoeff();
  return rounded;
}

/// A random k x k matrix with singular values from 1 down to 1/condition.
inline Matrix<double> change_of_basis(Index k, double condition, std::uint64_t seed) {
  const Matrix<double> left =
      Eigen::HouseholderQR<Matrix<double>>(normals(k, k, seed)).householderQ();
  const Matrix<double> right =
      Eigen::HouseholderQR<Matrix<double>>(normals(k, k, seed + 1)).householderQ();
  const Vector<double> exponents = Vector<double>::LinSpaced(k, 0, 1);
  return left *
         exponents.unaryExpr([&](double e) { return std::pow(condition, -e); }).asDiagonal() *
         right;
}

/// Unit-norm functions with the leading eigenvectors as coefficients, C^T K C = I.
inline Matrix<double> unit_coefficients(const EigenSystem<double>& eigen, Index count) {
  return eigen.vectors.leftCols(count) *
         eigen.values.head(count).cwiseSqrt().cwiseInverse().asDiagonal();
}

inline Matrix<double> centred(const Matrix<double>& k) {
  const Matrix<double> rows = k.rowwise() - k.colwise().mean();
  return rows.colwise() - rows.rowwise().mean();
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_METRICS_POINTS_HPP
