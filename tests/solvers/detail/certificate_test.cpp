// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/detail/certificate.hpp>

#include <cmath>
#include <cstdint>

#include <mercer/core/tall_skinny.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace certificate_test {

using namespace mercer;

namespace {

constexpr Index rows = 2000;
constexpr Index draws = 262;  ///< of them: 2^19 / 2000

/// Some orthonormal vectors, of mean 0 where \p centered.
Matrix<double> vectors(Index cols, bool centered) {
  Matrix<double> v = test::uniform_samples<double>(rows, cols, 3);
  if (centered) centre_columns(v);
  return orthonormalize(v).Q;
}

Matrix<double> centred(Matrix<double> product) {
  centre_columns(product);
  return product;
}

/// The norms where the solver saw no residual: those of what it did not see.
template <class K, class X>
detail::EstimatedNorms errors_of(const K& kernel, const X& x, const Matrix<double>& u,
                                 const Matrix<double>& products, bool centered) {
  const Matrix<double> none = Matrix<double>::Zero(u.rows(), u.cols());
  return detail::residual_norms(kernel, x, u, products, none, centered);
}

}  // namespace

TEST_CASE("certificate: all of few rows are measured", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(128, 3, 1);
  const Matrix<double> u = test::uniform_samples<double>(128, 2, 2);
  const Matrix<double> errors = 1e-3 * test::uniform_samples<double>(128, 2, 3);
  const Matrix<double> product = gram(Gaussian(1.0), x) * u;
  const auto plain = errors_of(Gaussian(1.0), x, u, product + errors, false);
  CHECK(plain.rows == 0);
  constexpr double rounding = 1e-12;  // 128 products of size 1, beside errors of size 1e-2
  CHECK((plain.values - errors.colwise().norm().transpose()).cwiseAbs().maxCoeff() <= rounding);
  // Centring takes the means out of products and errors.
  const Matrix<double> seen = centred(product) + centred(errors);
  const auto middle = errors_of(Gaussian(1.0), x, u, seen, true);
  CHECK((middle.values - centred(errors).colwise().norm().transpose()).cwiseAbs().maxCoeff() <=
        rounding);
}

TEST_CASE("certificate: sampled norms are above the true ones, and near them", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(rows, 3, 4);
  const bool centered = GENERATE(false, true);
  // Rounded, since their bits choose the rows: the same on all processors.
  const Matrix<double> u = vectors(3, centered).cast<float>().cast<double>();
  const Matrix<double> product = gram(Gaussian(1.0), x) * u;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Matrix<double> errors = test::uniform_samples<double>(rows, 3, 100 + seed);
    if (centered) centre_columns(errors);
    const auto norms =
        errors_of(Gaussian(1.0), x, u, (centered ? centred(product) : product) + errors, centered);
    CHECK(norms.rows == draws);
    for (Index i = 0; i < 3; ++i) {
      const double ratio = norms.values(i) / errors.col(i).norm();
      CHECK(ratio >= 1);
      CHECK(ratio <= 1.6);  // 6 standard errors of the mean of 262 squares, some shares uneven
    }
  }
}

TEST_CASE("certificate: errors of a few large or heavy samples are found", "[solvers]") {
  Matrix<double> x = test::uniform_samples<double>(rows, 3, 5);
  Matrix<double> u = vectors(1, false);
  Matrix<double> errors = Matrix<double>::Zero(rows, 1);
  const auto estimate = [&](const auto& kernel) {
    return errors_of(kernel, x, u, gram(kernel, x) * u + errors, false).values(0);
  };
  SECTION("large samples") {
    x.row(7).setConstant(1e6);
    x.row(300).setConstant(-1e6);
    errors(7) = errors(300) = 1e-3;
    CHECK(estimate(Gaussian(1.0)) >= errors.norm());
  }
  SECTION("large kernel values of samples that are not larger than others") {
    // An offset hides in |x|^2 what k(x, x) shows.
    const auto kernel = Polynomial{{.gamma = 1, .coef0 = 0, .degree = 3}};
    x.row(9) *= 30;
    errors(9) = 1e-3;
    CHECK(estimate(kernel) >= errors.norm());
  }
  SECTION("rows where the vectors are large") {
    u.setConstant(1e-9);
    u(11) = 1;
    errors(11) = 1e-3;
    CHECK(estimate(Gaussian(1.0)) >= errors.norm() * (1 - 1e-9));  // but for rounding
  }
}

TEST_CASE("certificate: errors of many vectors with two large entries each are found",
          "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(rows, 3, 5);
  constexpr Index count = 12;
  Matrix<double> u = Matrix<double>::Zero(rows, count), errors = u;
  for (Index j = 0; j < count; ++j) {
    u(30 * j, j) = u(30 * j + 7, j) = std::sqrt(0.5);
    errors(30 * j, j) = 1e-3;
    errors(30 * j + 7, j) = 2e-3;
  }
  const auto norms = errors_of(Gaussian(1.0), x, u, gram(Gaussian(1.0), x) * u + errors, false);
  CHECK(norms.rows == draws + 2 * count);
  for (Index j = 0; j < count; ++j)  // but for rounding
    CHECK(norms.values(j) >= errors.col(j).norm() * (1 - 1e-9));
}

TEST_CASE("certificate: samples in float, sparse samples, a given matrix", "[solvers]") {
  const Matrix<float> x = test::sparse_looking_samples<float>(rows, 4, 6);
  const Matrix<double> wide = x.cast<double>();
  const Matrix<double> k = gram(Gaussian(1.0), wide);
  const Matrix<double> u = vectors(2, false);
  const Matrix<double> product = k * u;
  constexpr double rounding = 1e-11;
  CHECK(errors_of(Gaussian(1.0), x, u, product, false).values.maxCoeff() <= rounding);
  CHECK(errors_of(Gaussian(1.0), SparseMatrix<float>(x.sparseView()), u, product, false)
            .values.maxCoeff() <= rounding);
  CHECK(errors_of(Precomputed{}, k, u, product, false).values.maxCoeff() <= rounding);
  const Matrix<float> given = k.cast<float>();
  const Matrix<double> of_given = given.cast<double>() * u;
  CHECK(errors_of(Precomputed{}, given, u, of_given, false).values.maxCoeff() <= rounding);
}

TEST_CASE("certificate: what is not finite stays so", "[solvers]") {
  Matrix<double> x = test::uniform_samples<double>(rows, 2, 7);
  const Matrix<double> u = vectors(1, false);
  const Matrix<double> product = Matrix<double>::Zero(rows, 1);
  x *= 1e200;
  CHECK_FALSE(errors_of(Linear{}, x, u, product, false).values.allFinite());
}

TEST_CASE("certificate: what the solver saw and what it did not see make the residual",
          "[solvers]") {
  const Index n = GENERATE(100, rows);
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 8);
  const Matrix<double> u = orthonormalize(test::uniform_samples<double>(n, 2, 9)).Q;
  const Matrix<double> product = gram(Gaussian(1.0), x) * u;
  const Vector<double> mu{{3.0, 2.0}};
  const Matrix<double> residual = product - u * mu.asDiagonal();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    // Errors of the size of the residual, and far below it.
    const double size = seed % 2 == 0 ? 1 : 1e-3;
    const Matrix<double> seen = product + size * test::uniform_samples<double>(n, 2, 200 + seed);
    const auto norms = detail::residual_norms(Gaussian(1.0), x, u, seen,
                                              Matrix<double>(seen - u * mu.asDiagonal()), false);
    for (Index i = 0; i < 2; ++i) {
      const double ratio = norms.values(i) / residual.col(i).norm();
      if (n < rows) {
        CHECK(ratio == Approx(1).epsilon(1e-10));
      } else {
        CHECK(ratio >= 1);
        CHECK(ratio <= (size == 1 ? 2 : 1.01));  // 6 standard errors of what was not seen
      }
    }
  }
}

TEST_CASE("certificate: with a scale, of the weighted problem", "[solvers]") {
  // All rows of few, and some of many.
  const Index n = GENERATE(120, 1500);
  const bool centered = GENERATE(false, true);
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 21);
  Vector<double> s = test::uniform_samples<double>(n, 1, 22, 0, 1);
  s(5) = 0;
  s *= std::sqrt(static_cast<double>(n)) / s.norm();
  const Vector<double> p = s.cwiseAbs2() / static_cast<double>(n);
  Matrix<double> j = Matrix<double>::Identity(n, n);
  if (centered) j -= Vector<double>::Ones(n) * p.transpose();
  const Matrix<double> k = gram(Gaussian(1.0), x);
  const Matrix<double> a = s.asDiagonal() * (j * k * j.transpose()) * s.asDiagonal();
  Matrix<double> u = test::uniform_samples<double>(n, 2, 23);
  if (centered) u -= s * (s.transpose() * u) / static_cast<double>(n);
  Matrix<double> errors = 1e-3 * test::uniform_samples<double>(n, 2, 24);
  if (centered) errors -= s * (s.transpose() * errors) / static_cast<double>(n);
  const Matrix<double> none = Matrix<double>::Zero(n, 2);
  const detail::EstimatedNorms norms = detail::residual_norms(
      Gaussian(1.0), x, u, Matrix<double>(a * u + errors), none, centered, s);
  for (Index i = 0; i < 2; ++i) {
    const double exact = errors.col(i).norm();
    if (n == 120) CHECK(norms.values(i) == Approx(exact).epsilon(1e-8));
    CHECK(norms.values(i) >= exact * (1 - 1e-8));
    CHECK(norms.values(i) <= 2.5 * exact);  // 6 standard errors of 174 rows
  }
}

}  // namespace certificate_test
