// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <Eigen/Core>

#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/expansions.hpp>
#include <tests/metrics/points.hpp>
#include <tests/support/catch.hpp>

namespace expansions_test {

using mercer::Matrix;
using mercer::rkhs_inner;
using mercer::Vector;
using mercer::test::four_points;
using mercer::test::normals;

namespace {

// Sums of a few hundred products of size 1 in double.
constexpr double sum_tolerance = 1e-11;

}  // namespace

TEST_CASE("expansions: worked example of a norm", "[metrics][expansions]") {
  Vector<double> a(4);
  a << 1, -1, 0.5, 0;
  CHECK(rkhs_inner(mercer::Gaussian{1}, four_points(), a, a)(0, 0) ==
        Approx(1.090188965187).margin(1e-11));
}

TEST_CASE("expansions: inner products agree with stored matrices", "[metrics][expansions]") {
  const mercer::Gaussian kernel{1.3};
  const Matrix<double> x = normals(270, 3, 1), y = normals(300, 3, 2);
  const Matrix<double> a = normals(270, 2, 3), b = normals(300, 4, 4), c = normals(270, 3, 5);
  const Matrix<double> cross = a.transpose() * mercer::gram(kernel, x, y) * b;
  CHECK((rkhs_inner(kernel, x, a, y, b) - cross).norm() <= sum_tolerance * cross.norm());
  const Matrix<double> k = mercer::gram(kernel, x);
  const Matrix<double> same = a.transpose() * k * c;
  CHECK((rkhs_inner(kernel, x, a, c) - same).norm() <= sum_tolerance * same.norm());
  CHECK((rkhs_inner(mercer::Precomputed{}, k, a, c) - same).norm() <= sum_tolerance * same.norm());
}

TEST_CASE("expansions: a Gram matrix in single precision", "[metrics][expansions]") {
  const Matrix<double> k = mercer::gram(mercer::Gaussian{1}, normals(50, 3, 7));
  const Matrix<float> rounded = mercer::test::rounded_gram(k);
  const Matrix<double> a = normals(50, 2, 8), same = a.transpose() * k * a;
  CHECK((rkhs_inner(mercer::Precomputed{}, rounded, a, a) - same).norm() <= 1e-5 * same.norm());
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_rows = rounded;
  CHECK((rkhs_inner(mercer::Precomputed{}, by_rows, a, a) - same).norm() <= 1e-5 * same.norm());
  by_rows(3, 1) += 1e-3F;
  CHECK_THROWS_WITH(rkhs_inner(mercer::Precomputed{}, by_rows, a, a),
                    Catch::Matchers::Contains("(3, 1) and (1, 3)"));
  by_rows(5, 6) = NAN;
  CHECK_THROWS_WITH(
      rkhs_inner(mercer::Precomputed{}, by_rows, a, a),
      Catch::Matchers::Contains("rkhs_inner: samples must be finite, got nan at row 5"));
}

TEST_CASE("expansions: shapes must fit", "[metrics][expansions]") {
  const Matrix<double> x = four_points(), a = Matrix<double>::Ones(4, 1);
  CHECK_THROWS_AS(rkhs_inner(mercer::Gaussian{1}, x, a, a.topRows(3)), mercer::InvalidArgument);
  CHECK_THROWS_AS(rkhs_inner(mercer::Gaussian{1}, x, a, normals(4, 3, 6), a),
                  mercer::InvalidArgument);
  CHECK_THROWS_AS(rkhs_inner(mercer::Precomputed{}, x, a, a), mercer::InvalidArgument);
}

}  // namespace expansions_test
