// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/metrics/amari_error.hpp>

#include <limits>

#include <Eigen/LU>

#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace amari_error_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

Matrix<double> mixing() {
  return Matrix<double>{{1.0, 2.0, -0.5}, {0.3, -1.0, 2.0}, {1.5, 0.2, 0.7}};
}

}  // namespace

TEST_CASE("amari_error: zero up to order, sign and scale", "[metrics]") {
  const Matrix<double> a = mixing(), inverse = a.inverse();
  Matrix<double> change = Matrix<double>::Zero(3, 3);
  change(0, 2) = -3;
  change(1, 0) = 0.01;
  change(2, 1) = 200;
  CHECK(amari_error(inverse, a) <= 1e-14);
  // Rounding errors of the largest scale, 200, beside the smallest one, 0.01.
  CHECK(amari_error(change * inverse, a) <= 1e-11);
}

TEST_CASE("amari_error: values by hand, and the largest one", "[metrics]") {
  const Matrix<double> one = Matrix<double>::Identity(2, 2);
  // Rows: 1/2 and 1/4; columns: 1/4 and 1/2; over 2 m (m - 1) = 4.
  CHECK(amari_error(Matrix<double>{{2.0, -1.0}, {1.0, 4.0}}, one) == Approx(0.3125 + 0.125 / 2));
  for (const Index m : {2, 3, 7})
    CHECK(amari_error(Matrix<double>::Constant(m, m, -2), Matrix<double>::Identity(m, m)) ==
          Approx(1));
}

TEST_CASE("amari_error: order, signs and scales of all sources do not matter", "[metrics]") {
  const Matrix<double> u = test::uniform_samples<double>(3, 3, 1), a = mixing();
  const double error = amari_error(u, a);
  CHECK(error > 0);
  CHECK(error < 1);
  const Matrix<double> turned = u.colwise().reverse();
  CHECK(amari_error(turned, a) == Approx(error));
  CHECK(amari_error(-7.0 * u, a) == Approx(error));
  CHECK(amari_error(u.cast<float>(), a.cast<float>()) == Approx(error).epsilon(1e-5));
}

TEST_CASE("amari_error: bad input", "[metrics]") {
  const Matrix<double> a = mixing();
  CHECK_THAT(test::error_of([&] { return amari_error(a.topRows(2), a); }),
             ContainsSubstring("unmixing must be 2 x 2, got 2 x 3"));
  CHECK_THAT(test::error_of([&] { return amari_error(a, a.leftCols(2)); }),
             ContainsSubstring("mixing must be 3 x 3, got 3 x 2"));
  CHECK_THAT(test::error_of([&] { return amari_error(a.topLeftCorner(1, 1), a); }),
             ContainsSubstring("at least two sources"));
  Matrix<double> broken = a;
  broken.row(1).setZero();
  CHECK_THAT(test::error_of([&] { return amari_error(broken, a); }),
             ContainsSubstring("only zeros in row 1"));
  CHECK_THAT(test::error_of([&] { return amari_error(a, broken.transpose()); }),
             ContainsSubstring("only zeros in column 1"));
  broken(1, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(test::error_of([&] { return amari_error(broken, a); }),
             ContainsSubstring("row 1, column 1"));
}

}  // namespace amari_error_test
