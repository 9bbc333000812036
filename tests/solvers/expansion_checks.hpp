// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What all solutions over some of the samples promise.

#ifndef MERCER_TESTS_SOLVERS_EXPANSION_CHECKS_HPP
#define MERCER_TESTS_SOLVERS_EXPANSION_CHECKS_HPP

#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>

#include <mercer/kernels/evaluate.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>

namespace mercer::test {

/// What a solution over some points promises, however good it is: orthonormal components, scores
/// that are their values, eigenvalues below the exact ones, residuals from all rows, and the mean.
template <class K, class X>
void check_expansion(const K& kernel, const X& x, bool centered, const KernelSolution<X>& s) {
  using S = typename X::Scalar;
  const Index n = x.rows(), k = s.eigenvalues.size();
  REQUIRE(s.points);
  REQUIRE(s.training_scores.rows() == n);
  REQUIRE(s.report.residuals.size() == static_cast<std::size_t>(k));
  CHECK(s.report.expansion_points == s.points->rows());
  const double eps = double{std::numeric_limits<S>::epsilon()};
  const Matrix<double> own = gram(kernel, x).template cast<double>();
  const Matrix<double> cross = gram(kernel, x, *s.points).template cast<double>();
  const Matrix<double> inside = gram(kernel, *s.points).template cast<double>();
  const Matrix<double> a = s.coefficients.template cast<double>();
  const Matrix<double> scores = s.training_scores.template cast<double>();
  const Vector<double> mu = s.eigenvalues.template cast<double>();
  // Sums with coefficients, of kernel values that are rounded.
  const double rounding = 200 * eps * (1 + a.colwise().squaredNorm().maxCoeff()) * own.norm();
  CHECK((a.transpose() * inside * a - Matrix<double>::Identity(k, k)).norm() <= rounding);
  CHECK((scores.transpose() * scores - Matrix<double>(mu.asDiagonal())).norm() <=
        200 * eps * mu(0));
  const Matrix<double> values =
      (cross * a).rowwise() - s.offset.template cast<double>().transpose();
  CHECK((values - scores).cwiseAbs().maxCoeff() <= rounding);
  const Matrix<double> j = test::centering_matrix<double>(n);
  const Matrix<double> dense = centered ? Matrix<double>(j * own * j) : own;
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(dense);
  for (Index i = 0; i < k; ++i) {
    CHECK(mu(i) <= eigen.eigenvalues()(n - 1 - i) + rounding);
    const Vector<double> u = scores.col(i) / std::sqrt(mu(i));
    CHECK((dense * u - mu(i) * u).norm() ==
          Approx(s.report.residuals[static_cast<std::size_t>(i)]).margin(rounding));
  }
  if (!centered) {
    CHECK((s.offset.array() == 0).all());
    CHECK(s.report.trace == Approx(own.trace()));
    return;
  }
  // The mean is the projection of the mean of all samples onto the points.
  const Vector<double> weights = s.mean_weights.template cast<double>();
  const Vector<double> means = cross.colwise().mean();
  CHECK((inside * weights - means).norm() <= rounding);
  CHECK(double{s.mean} == Approx(weights.dot(means)).margin(rounding));
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_SOLVERS_EXPANSION_CHECKS_HPP
