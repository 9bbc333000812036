// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/hebbian/detail/whitening.hpp>

#include <cmath>

#include <Eigen/Eigenvalues>

#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>

namespace whitening_test {

using namespace mercer;
using detail::whitening_of_functions;

namespace {

/// A psd matrix with eigenvalues 8, 4, 2, 1, 1/2, ... on 12 points.
Matrix<double> psd() {
  Vector<double> mu(12);
  for (Index i = 0; i < 12; ++i) mu(i) = std::ldexp(8.0, static_cast<int>(-i));
  return test::with_spectrum<double>(mu, 1);
}

}  // namespace

TEST_CASE("whitening: orthonormal functions of the same span", "[solvers]") {
  const Matrix<double> k = psd();
  Matrix<double> a = test::uniform_samples<double>(12, 4, 2);
  a.col(1) *= 1e-60;  // scales do not matter
  a.col(2) *= 1e60;
  const Matrix<double> w = whitening_of_functions<double>(a, k * a, 0, 1e-12);
  REQUIRE(w.cols() == 4);
  const Matrix<double> c = a * w;
  CHECK((c.transpose() * k * c - Matrix<double>::Identity(4, 4)).norm() <= 1e-12);
}

TEST_CASE("whitening: dependent functions and those of norm zero are left out", "[solvers]") {
  const Matrix<double> k = psd();
  Matrix<double> a = test::uniform_samples<double>(12, 5, 3);
  a.col(2) = a.col(0) - 3 * a.col(1);
  a.col(4).setZero();
  const Matrix<double> w = whitening_of_functions<double>(a, k * a, 0, 1e-12);
  REQUIRE(w.cols() == 3);
  const Matrix<double> c = a * w;
  CHECK((c.transpose() * k * c - Matrix<double>::Identity(3, 3)).norm() <= 1e-11);
  const Matrix<double> zero = Matrix<double>::Zero(12, 2);
  CHECK(whitening_of_functions<double>(zero, zero, 0, 1e-12).cols() == 0);
  CHECK(whitening_of_functions<double>(zero.leftCols(0), zero.leftCols(0), 0, 1e-12).cols() == 0);
}

TEST_CASE("whitening: functions that may be rounding errors do no harm to others", "[solvers]") {
  const Matrix<double> k = psd();
  // Eigenvectors with eigenvalues 8, 4, 1/256; the last is as large as the error of K.
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(k);
  Matrix<double> a(12, 3);
  a << eigen.eigenvectors().col(11), eigen.eigenvectors().col(10), eigen.eigenvectors().col(0);
  for (const double noise : {0.001, 0.1}) {
    const Matrix<double> w = whitening_of_functions<double>(a, k * a, noise, 1e-12);
    CHECK(w.cols() == 2);
    CHECK(w.row(2).norm() == 0);
  }
  CHECK(whitening_of_functions<double>(a, k * a, 1e-5, 1e-12).cols() == 3);
}

}  // namespace whitening_test
