// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <mercer/core/small_dense.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/captured_variance.hpp>
#include <tests/metrics/points.hpp>
#include <tests/support/catch.hpp>

namespace captured_variance_test {

using mercer::captured_variance;
using mercer::Matrix;
using mercer::Vector;
using mercer::test::change_of_basis;
using mercer::test::normals;

namespace {

// Sums of a few hundred products of size 1 in double.
constexpr double tolerance = 1e-12;

}  // namespace

TEST_CASE("captured variance: components and others", "[metrics][captured_variance]") {
  const mercer::Gaussian kernel{1.5};
  const Matrix<double> x = normals(120, 3, 1), k = mercer::gram(kernel, x);
  for (const bool centered : {true, false}) {
    const auto eigen =
        mercer::symmetric_eigensystem<double>(centered ? mercer::test::centred(k) : k);
    const Vector<double> top = eigen.values.head(3);
    const Matrix<double> basis = change_of_basis(3, 100, 2);
    const auto captured = [&](const Matrix<double>& a) {
      return captured_variance(kernel, x, a, top, {.centered = centered});
    };
    CHECK(captured(eigen.vectors.leftCols(3) * basis) == Approx(1).epsilon(tolerance));
    CHECK(captured(eigen.vectors.middleCols(1, 3)) ==
          Approx(eigen.values.segment(1, 3).sum() / top.sum()).epsilon(tolerance));
    const Matrix<double> a = normals(120, 3, 3);
    const double some = captured(a);
    CHECK(some > 0);
    CHECK(some < 1);
    CHECK(captured(a * basis) == Approx(some).epsilon(1e3 * tolerance));
    if (centered)  // the centred phi add up to zero
      CHECK(captured(a.array() + 5) == Approx(some).epsilon(tolerance));
    // tr((A^T K A)^-1 A^T K^2 A) from stored matrices.
    const Matrix<double> used = centered ? mercer::test::centred(k) : k;
    const Matrix<double> values = used * a, gram = a.transpose() * values;
    const double oracle = gram.ldlt().solve(values.transpose() * values).trace() / top.sum();
    CHECK(some == Approx(oracle).epsilon(1e3 * tolerance));
  }
}

TEST_CASE("captured variance: a Gram matrix in single precision", "[metrics][captured_variance]") {
  const Matrix<double> k = mercer::gram(mercer::Gaussian{1}, normals(50, 3, 4));
  const Matrix<double> a = normals(50, 2, 5);
  const Vector<double> top = Vector<double>::Constant(2, 10);
  CHECK(captured_variance(mercer::Precomputed{}, mercer::test::rounded_gram(k), a, top) ==
        Approx(captured_variance(mercer::Precomputed{}, k, a, top)).epsilon(1e-5));
}

TEST_CASE("captured variance: mistakes are named", "[metrics][captured_variance]") {
  const Matrix<double> x = mercer::test::four_points(), a = Matrix<double>::Identity(4, 2);
  CHECK_THROWS_WITH(captured_variance(mercer::Gaussian{1}, x, a, Vector<double>::Ones(3)),
                    Catch::Matchers::ContainsSubstring("3 eigenvalues for 2 functions"));
  CHECK_THROWS_AS(captured_variance(mercer::Gaussian{1}, x, a, Vector<double>::Zero(2)),
                  mercer::InvalidArgument);
  for (const double value : {HUGE_VAL, std::nan("")})
    CHECK_THROWS_WITH(
        captured_variance(mercer::Gaussian{1}, x, a, Vector<double>::Constant(2, value)),
        Catch::Matchers::Equals("mercer::captured_variance: values are not all finite"));
  CHECK_THROWS_AS(captured_variance(mercer::Gaussian{1}, x, a.topRows(3), Vector<double>::Ones(2)),
                  mercer::InvalidArgument);
}

}  // namespace captured_variance_test
