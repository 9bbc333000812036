// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What the tests of all solvers of operators check of eigenpairs.

#ifndef MERCER_TESTS_SOLVERS_PAIR_CHECKS_HPP
#define MERCER_TESTS_SOLVERS_PAIR_CHECKS_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/operators.hpp>

namespace mercer::test {

/// Rounding of products and Ritz vectors, relative to the largest eigenvalue: some tens of sums.
template <Real S>
constexpr double rounding = 100 * double{std::numeric_limits<S>::epsilon()};

[[nodiscard]] inline double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = (std::max)(most, value);
  return most;
}

/// Eigenvalues 1, 1/2, 1/3, ...
[[nodiscard]] inline Vector<double> slowly_decaying(Index n = 150) {
  return spectrum_of(n, [](double i) { return 1 / (1 + i); });
}

/// |K u - mu u| of each pair, formed densely.
template <Real S>
[[nodiscard]] std::vector<double> true_residuals(const Matrix<double>& a,
                                                 const EigenSolution<S>& s) {
  const Matrix<double> u = s.eigenvectors.template cast<double>();
  const Matrix<double> rest = a * u - u * s.eigenvalues.template cast<double>().asDiagonal();
  std::vector<double> norms;
  for (Index i = 0; i < u.cols(); ++i) norms.push_back(rest.col(i).stableNorm());
  return norms;
}

/// Orthonormal vectors, positive and descending values, and a report with true residuals, all to
/// rounding of eigenvalues of size 1.
template <Real S>
void check_pairs(const Matrix<double>& a, const EigenSolution<S>& s) {
  const Index k = s.eigenvalues.size();
  REQUIRE(s.eigenvectors.cols() == k);
  REQUIRE(s.eigenvectors.rows() == a.rows());
  REQUIRE(s.report.residuals.size() == static_cast<std::size_t>(k));
  CHECK(s.report.eigenvalue_error_bounds == s.report.residuals);
  CHECK(s.report.components == k);
  const Matrix<S> gram = s.eigenvectors.transpose() * s.eigenvectors - Matrix<S>::Identity(k, k);
  CHECK(static_cast<double>(gram.norm()) <= static_cast<double>(k) * rounding<S>);
  const std::vector<double> residuals = true_residuals(a, s);
  for (Index i = 0; i < k; ++i) {
    const auto at = static_cast<std::size_t>(i);
    CHECK(std::abs(residuals[at] - s.report.residuals[at]) <= rounding<S>);
    CHECK(s.eigenvalues(i) > 0);
    if (i > 0) CHECK(s.eigenvalues(i) <= s.eigenvalues(i - 1));
  }
  if (s.products.cols() > 0) {
    REQUIRE(s.products.cols() == k);
    CHECK(
        (s.products.template cast<double>() - a * s.eigenvectors.template cast<double>()).norm() <=
        static_cast<double>(k) * rounding<S>);
  }
}

/// A run that converged to \p expected.
template <class S>
void check_found(const EigenSolution<S>& s, const Vector<double>& expected, double tolerance) {
  CHECK(s.report.status == Status::Converged);
  REQUIRE(s.eigenvalues.size() == expected.size());
  if (expected.size() > 0)
    CHECK((s.eigenvalues.template cast<double>() - expected).cwiseAbs().maxCoeff() <= tolerance);
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_SOLVERS_PAIR_CHECKS_HPP
