// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/nystrom/rp_cholesky.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace rp_cholesky_test {

using namespace mercer;

namespace {

/// 600 samples around 6 centres, most of them around the first.
Matrix<double> mixture() {
  Matrix<double> x = test::uniform_samples<double>(600, 4, 11, -0.6, 0.6);
  const Matrix<double> centers = test::uniform_samples<double>(6, 4, 12, -4, 4);
  for (Index i = 0; i < x.rows(); ++i) x.row(i) += centers.row(i < 300 ? 0 : i % 6);
  return x;
}

/// tr(K - K~) for uniform landmarks; one that the others span adds nothing.
double uniform_error(const Gaussian& kernel, const Matrix<double>& x, Index m, std::uint64_t seed) {
  const auto landmarks =
      Uniform{}.select<Matrix<double>>(kernel, x, {.count = m, .seed = seed}, {});
  PartialCholesky<Matrix<double>> factor(kernel, x, m);
  for (const Index row : landmarks.rows)
    if (factor.residual()(row) > 1e-12)
      factor.append({row}, factor.schur_complement({row}).cwiseSqrt());
  return factor.residual().sum();
}

double standard_error(const Vector<double>& values) {
  const double n = static_cast<double>(values.size());
  return std::sqrt((values.array() - values.mean()).square().sum() / (n - 1) / n);
}

}  // namespace

TEST_CASE("RpCholesky: accelerated and sequential draw pairs by the same law", "[solvers][law]") {
  const Index n = 6;
  const Matrix<double> x = test::uniform_samples<double>(n, 2, 3);
  const Polynomial kernel{{.gamma = 1, .coef0 = 0.5, .degree = 2}};  // a diagonal that varies
  const Matrix<double> k = gram(kernel, x);
  const int runs = 20000;
  const Index block = GENERATE(1, 5);
  Matrix<double> counts = Matrix<double>::Zero(n, n);
  RandomStream stream(17, "test pivots");
  for (int run = 0; run < runs; ++run) {
    PartialCholesky<Matrix<double>> factor(kernel, x, 2);
    while (factor.size() < 2) RpCholesky{{.block = block}}.extend(factor, 2, stream);
    counts(factor.pivots()[0], factor.pivots()[1]) += 1;
  }
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const Vector<double> left = k.diagonal() - k.col(i).cwiseAbs2() / k(i, i);
      const double p = i == j ? 0 : k(i, i) / k.trace() * left(j) / left.sum();
      // 30 tests at 4 standard errors fail once in 500 seeds; this one is fixed.
      const double error = std::sqrt(p * (1 - p) / runs);
      CHECK(std::abs(counts(i, j) / runs - p) <= 4 * error);
    }
}

TEST_CASE("RpCholesky: pivots never repeat, and all of them reproduce K", "[solvers][law]") {
  const Index n = 40, block = GENERATE(1, 16, 200);
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 5, -2, 2);
  const Gaussian kernel(0.5);
  PartialCholesky<Matrix<double>> factor(kernel, x, n);
  RandomStream stream(3, "test pivots");
  while (factor.residual().sum() > 0) RpCholesky{{.block = block}}.extend(factor, n, stream);
  CHECK(factor.size() == n);
  const std::set<Index> different(factor.pivots().begin(), factor.pivots().end());
  CHECK(different.size() == static_cast<std::size_t>(n));
  constexpr double tolerance = 1e-10;
  CHECK((gram(kernel, x) - factor.factor() * factor.factor().transpose()).cwiseAbs().maxCoeff() <=
        tolerance);
}

TEST_CASE("RpCholesky: the trace error is below that of uniform landmarks", "[solvers][law]") {
  const Matrix<double> x = mixture();
  const Gaussian kernel(1.0);
  constexpr Index seeds = 30;
  Vector<double> chosen(seeds), uniform(seeds);
  for (Index seed = 0; seed < seeds; ++seed) {
    PartialCholesky<Matrix<double>> factor(kernel, x, 40);
    RandomStream stream(static_cast<std::uint64_t>(seed), "test pivots");
    while (factor.size() < 40) RpCholesky{}.extend(factor, 40, stream);
    chosen(seed) = factor.residual().sum();
    uniform(seed) = uniform_error(kernel, x, 40, static_cast<std::uint64_t>(seed));
  }
  // The means differ by more than five standard errors of their difference.
  CHECK(chosen.mean() + 5 * std::hypot(standard_error(chosen), standard_error(uniform)) <
        uniform.mean());
}

TEST_CASE("RpCholesky: what uniform landmarks miss", "[solvers][law]") {
  // 500 points so close to each other that one landmark leaves 1e-3 of k(x, x) or less of them, and
  // 100 points alone, where a landmark leaves nothing; k is 0 between these. The residual of the
  // 500, 0.5 in all at most, draws less than 0.01 of the landmarks once they have one, which they
  // have among the first 40 but with probability 1e-44; so 61 of the points alone are left, and
  // more than 65 with a probability below 1e-5. Uniform landmarks leave 100 (1 - 40/600) on
  // average.
  // In 50 dimensions it would take as many landmarks to leave nothing of the 500.
  Matrix<double> x = test::uniform_samples<double>(600, 50, 7, -0.004, 0.004);
  for (Index i = 0; i < 100; ++i) x(6 * i, 0) = 100 * static_cast<double>(i + 1);
  const Gaussian kernel(1.0);
  const Index block = GENERATE(1, 64);
  constexpr Index seeds = 10;
  double uniform = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    PartialCholesky<Matrix<double>> factor(kernel, x, 40);
    RandomStream stream(seed, "test pivots");
    while (factor.size() < 40) RpCholesky{{.block = block}}.extend(factor, 40, stream);
    CHECK(factor.residual().sum() > 60.99);
    CHECK(factor.residual().sum() < 65.5);
    uniform += uniform_error(kernel, x, 40, seed) / seeds;
  }
  // Uniform landmarks that are points alone have a hypergeometric law; 0.5 as above.
  const double variance = 40 * (1.0 / 6) * (5.0 / 6) * (560.0 / 599);
  CHECK(std::abs(uniform - 100 * 560.0 / 600) <= 0.5 + 5 * std::sqrt(variance / seeds));
}

TEST_CASE("RpCholesky: stops at the tolerance, but not short of the least number", "[solvers]") {
  const Matrix<double> x = mixture();
  const Gaussian kernel(1.0);
  const LandmarkRequest request{.count = 600, .trace_tolerance = 0.1};
  const auto landmarks = RpCholesky{}.select<Matrix<double>>(kernel, x, request, {});
  const auto m = static_cast<Index>(landmarks.rows.size());
  CHECK(m > 5);
  CHECK(m < 300);
  PartialCholesky<Matrix<double>> factor(kernel, x, m);
  for (const Index row : landmarks.rows)
    factor.append({row}, factor.schur_complement({row}).cwiseSqrt());
  CHECK(factor.residual().sum() <= 0.1 * factor.trace());
  const auto more = RpCholesky{}.select<Matrix<double>>(
      kernel, x, {.count = 600, .least = m + 70, .trace_tolerance = 0.1}, {});
  CHECK(static_cast<Index>(more.rows.size()) >= m + 70);
}

TEST_CASE("RpCholesky: fewer landmarks where the rank is low", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(200, 3, 6);
  const auto linear = RpCholesky{}.select<Matrix<double>>(Linear{}, x, {.count = 50}, {});
  CHECK(linear.rows.size() == 3);
  const Matrix<double> equal = Matrix<double>::Constant(30, 2, 0.7);
  const Gaussian kernel(1.0);
  CHECK(RpCholesky{}.select<Matrix<double>>(kernel, equal, {.count = 5}, {}).rows.size() == 1);
  const Matrix<double> zero = Matrix<double>::Zero(30, 2);
  CHECK(RpCholesky{}.select<Matrix<double>>(Linear{}, zero, {.count = 5}, {}).rows.empty());
}

TEST_CASE("RpCholesky: the observer can cancel", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(400, 3, 6);
  const Gaussian kernel(0.2);
  Index seen = 0;
  const auto landmarks = RpCholesky{{.block = 10}}.select<Matrix<double>>(
      kernel, x, {.count = 100}, [&](const Progress& p) {
        CHECK(p.phase == "landmarks");
        CHECK(p.total == 100);
        seen = p.step;
        return p.step < 50;
      });
  CHECK(landmarks.cancelled);
  CHECK(landmarks.points.rows() == seen);
  CHECK(seen >= 50);
}

TEST_CASE("RpCholesky: a block of no proposals is refused", "[solvers]") {
  CHECK(test::error_of([] { return RpCholesky{{.block = 0}}; }) ==
        "mercer::RpCholesky: block must be at least 1, got 0");
}

}  // namespace rp_cholesky_test
