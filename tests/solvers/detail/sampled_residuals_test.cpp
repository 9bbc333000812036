// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/detail/sampled_residuals.hpp>

#include <cmath>

#include <mercer/core/random.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>

namespace sampled_residuals_test {

using namespace mercer;

TEST_CASE("sampled residuals: exact from all rows, unbiased squares from some", "[solvers][law]") {
  const Index n = 40, rows = 8;
  const bool centered = GENERATE(false, true);
  const Matrix<double> x = test::uniform_samples<double>(n, 2, 1);
  const Gaussian kernel(0.5);
  const Matrix<double> j = test::centering_matrix<double>(n);
  Matrix<double> k = gram(kernel, x);
  Matrix<double> scores = test::uniform_samples<double>(n, 1, 2, -1.0, 2.0);
  if (centered) {
    k = j * k * j;
    scores = j * scores;
  }
  const Vector<double> mu = Vector<double>::Constant(1, scores.squaredNorm());
  const Vector<double> u = scores / std::sqrt(mu(0));
  const double exact = (k * u - mu(0) * u).norm();
  const auto residual = [&](const std::vector<Index>& at, double errors) {
    const Matrix<double> product =
        detail::sampled_product<Matrix<double>>(kernel, x, scores, at, {});
    const Matrix<double> drawn = test::rows_at(scores, at);
    return detail::sampled_residuals<double>(product, mu, drawn, 0, centered, n,
                                             detail::uniform_rows(at, n), {}, errors)[0];
  };
  CHECK(residual(test::all_indices(n), 0) == Approx(exact).epsilon(1e-12));
  CHECK(residual(test::all_indices(n), 2) == residual(test::all_indices(n), 0));

  RandomStream stream(5, "test rows");
  const int runs = 4000;
  double sum = 0, squares = 0;
  for (int run = 0; run < runs; ++run) {
    const double value = std::pow(residual(sample_without_replacement(n, rows, stream), 0), 2);
    sum += value / runs;
    squares += value * value / runs;
  }
  const double error = std::sqrt((squares - sum * sum) / runs);
  CHECK(std::abs(sum - exact * exact) <= 4 * error);  // fails for one seed in 15000
  CHECK(error <= 0.02 * exact * exact);
}

TEST_CASE("sampled residuals: more rows than one group, and cancelled", "[solvers]") {
  const Index n = 70000;  // groups of 65536
  const Matrix<float> x = test::uniform_samples<float>(n, 1, 3);
  const Matrix<float> scores = test::uniform_samples<float>(n, 1, 4);
  const Vector<float> mu = Vector<float>::Constant(1, scores.squaredNorm());
  const Gaussian kernel(0.5);
  const std::vector<Index> rows{3, 69999};
  const Matrix<double> product =
      detail::sampled_product<Matrix<float>>(kernel, x, scores, rows, {});
  const Matrix<float> drawn = test::rows_at(scores, rows);
  const double residual = detail::sampled_residuals<float>(product, mu, drawn, 0, false, n,
                                                           detail::uniform_rows(rows, n), {}, 0)[0];
  const Matrix<double> wide = x.cast<double>();
  const Matrix<double> values = gram(kernel, detail::take_rows(wide, rows), wide);
  const double root = std::sqrt(static_cast<double>(mu(0)));
  const Vector<double> error =
      values * scores.cast<double>() / root - root * test::rows_at(scores, rows).cast<double>();
  constexpr double tolerance = 1e-10;  // 7e4 summands in double precision
  CHECK(residual == Approx(std::sqrt(n / 2.0) * error.norm()).epsilon(tolerance));
  CHECK(detail::sampled_product<Matrix<float>>(kernel, x, scores, rows, [](const Progress& p) {
          return p.step == 0;
        }).size() == 0);
}

TEST_CASE("sampled residuals: with weights, exact from all rows", "[solvers]") {
  const Index n = 40;
  const bool centered = GENERATE(false, true);
  const Matrix<double> x = test::uniform_samples<double>(n, 2, 11);
  Vector<double> weights = test::uniform_samples<double>(n, 1, 12, 0, 2);
  weights(7) = 0;
  weights /= weights.mean();
  const Vector<double> p = weights / static_cast<double>(n), s = weights.cwiseSqrt();
  Matrix<double> j = Matrix<double>::Identity(n, n);
  if (centered) j -= Vector<double>::Ones(n) * p.transpose();
  const Matrix<double> k = j * gram(Gaussian(0.5), x) * j.transpose();
  Matrix<double> scores = j * test::uniform_samples<double>(n, 1, 13, -1.0, 2.0);
  const Vector<double> mu = Vector<double>::Constant(1, (s.asDiagonal() * scores).squaredNorm());
  const Vector<double> u = s.asDiagonal() * scores / std::sqrt(mu(0));
  const double exact = (s.asDiagonal() * k * s.asDiagonal() * u - mu(0) * u).norm();
  const std::vector<Index> all = test::all_indices(n);
  const Matrix<double> product = detail::sampled_product<Matrix<double>>(
      Gaussian(0.5), x, Matrix<double>(weights.asDiagonal() * scores), all, {});
  CHECK(detail::sampled_residuals<double>(product, mu, scores, 0, centered, n, detail::all_rows(n),
                                          weights)[0] == Approx(exact).epsilon(1e-12));
}

TEST_CASE("sampled residuals: the unit of the kernel changes no digit", "[solvers]") {
  const Index n = 20;
  const Matrix<double> scores = test::uniform_samples<double>(n, 1, 2, -1.0, 2.0);
  const Matrix<double> product = test::uniform_samples<double>(n, 1, 3, -1.0, 2.0);
  const Vector<double> mu = Vector<double>::Constant(1, scores.squaredNorm());
  const detail::DrawnRows rows = detail::all_rows(n);
  const double residual =
      detail::sampled_residuals<double>(product, mu, scores, 0, true, n, rows)[0];
  // K times 4^unit has its eigenvalues 4^unit mu and scores 2^unit as large.
  for (const int unit : {-250, 3, 250}) {
    const double four = std::ldexp(1.0, 2 * unit);
    const detail::ScaledScores<double> scaled(scores * std::ldexp(1.0, unit), four * mu);
    CHECK(scaled.values == detail::ScaledScores<double>(scores, mu).values);
    const int all = scaled.unit;
    CHECK(detail::sampled_residuals<double>(
              Matrix<double>(four * std::ldexp(1.0, unit - all) * product), four * mu,
              scaled.values, all, true, n, rows)[0] == std::ldexp(residual, 2 * unit));
  }
}

}  // namespace sampled_residuals_test
