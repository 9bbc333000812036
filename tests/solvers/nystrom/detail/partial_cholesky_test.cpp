// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/nystrom/detail/partial_cholesky.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include <Eigen/Eigenvalues>

#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/callable.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/x4.hpp>

namespace partial_cholesky_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Appends one pivot, as the sequential method does.
template <class X>
void append(PartialCholesky<X>& factor, Index row) {
  factor.append({row}, factor.schur_complement({row}).cwiseSqrt());
}

}  // namespace

TEST_CASE("partial Cholesky: the worked example X4, one pivot at a time and both at once",
          "[solvers]") {
  const Matrix<double> x = test::x4();
  const Gaussian kernel(1.0);
  Matrix<double> expected(4, 2);
  expected << .196911675204, .980421232006,  //
      .535261428519, .511138905188,          //
      .196911675204, .098489376048,          //
      1, 0;
  Vector<double> residual(4);
  residual << 0, .452232222743, .951525634974, 0;
  constexpr double printed = 1e-12;  // the example is printed to 12 decimals
  const bool both = GENERATE(false, true);
  PartialCholesky<Matrix<double>> factor(kernel, x, 2);
  if (both) {
    const Matrix<double> h = factor.schur_complement({3, 0});
    Matrix<double> lower(2, 2);
    lower << 1, 0, h(1, 0), std::sqrt(h(1, 1) - h(1, 0) * h(1, 0));
    factor.append({3, 0}, lower);
  } else {
    append(factor, 3);
    append(factor, 0);
  }
  CHECK((factor.factor() - expected).cwiseAbs().maxCoeff() <= printed);
  CHECK((factor.residual() - residual).cwiseAbs().maxCoeff() <= printed);
  CHECK(factor.pivots() == std::vector<Index>{3, 0});
  CHECK(factor.trace() == Approx(4));
  const Matrix<double> centered = test::centering_matrix<double>(4) * factor.factor();
  const Vector<double> mu =
      Eigen::SelfAdjointEigenSolver<Matrix<double>>(centered.transpose() * centered).eigenvalues();
  CHECK(mu(1) == Approx(.809778808288).epsilon(1e-11));
  CHECK(mu(0) == Approx(.224056949282).epsilon(1e-11));
}

SCALAR_TEST_CASE("partial Cholesky: the residual is positive semidefinite and goes down",
                 "[solvers][law]") {
  using S = TestType;
  const Index n = 90;
  const Matrix<S> x = test::uniform_samples<S>(n, 3, 7);
  const Gaussian kernel(0.7);
  const Matrix<S> k = gram(kernel, x);
  PartialCholesky<Matrix<S>> factor(kernel, x, 30);
  RandomStream stream(1, "test pivots");
  Vector<double> before = factor.residual();
  // Rounding of values up to 1, through a factor with condition up to 1e3.
  constexpr double tolerance = 1e3 * std::numeric_limits<S>::epsilon();
  while (factor.size() < 30) {
    RpCholesky{{.block = 8}}.extend(factor, 30, stream);
    CHECK(((before - factor.residual()).minCoeff() >= 0));
    CHECK(factor.residual().minCoeff() >= 0);
    before = factor.residual();
  }
  const Matrix<double> rest =
      (k - factor.factor() * factor.factor().transpose()).template cast<double>();
  CHECK((rest.diagonal() - factor.residual()).cwiseAbs().maxCoeff() <= tolerance);
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(rest);
  CHECK(eigen.eigenvalues().minCoeff() >= -tolerance * static_cast<double>(n));
  for (const Index pivot : factor.pivots())
    CHECK(rest.col(pivot).cwiseAbs().maxCoeff() <= tolerance);
  CHECK(factor.evaluations() > 30 * n);
  CHECK(factor.evaluations() < 30 * n + n + 64 * 8 * 8);
}

TEST_CASE("partial Cholesky: sparse samples give the same factor", "[solvers]") {
  const Matrix<double> x = test::sparse_looking_samples<double>(1100, 6, 2);  // two row blocks
  const SparseMatrix<double> sparse = x.sparseView();
  const Gaussian kernel(1.0);
  PartialCholesky<Matrix<double>> a(kernel, x, 3);
  PartialCholesky<SparseMatrix<double>> b(kernel, sparse, 3);
  for (const Index row : {0, 1, 1099}) {
    append(a, row);
    append(b, row);
  }
  constexpr double tolerance = 1e-13;  // sums in another order
  CHECK((a.factor() - b.factor()).cwiseAbs().maxCoeff() <= tolerance);
  CHECK((a.residual() - b.residual()).cwiseAbs().maxCoeff() <= tolerance);
}

TEST_CASE("partial Cholesky: copies of a pivot have no residual left", "[solvers]") {
  Matrix<double> x = test::uniform_samples<double>(10, 3, 4, 0.1, 1.0);
  x.row(6) = x.row(2);
  const Polynomial kernel{{.gamma = 1, .coef0 = 1, .degree = 3}};
  PartialCholesky<Matrix<double>> factor(kernel, x, 4);
  append(factor, 2);
  CHECK(factor.residual()(6) == 0);
  CHECK(factor.residual()(2) == 0);
  CHECK(factor.residual().sum() > 0);
}

TEST_CASE("partial Cholesky: what is no positive semidefinite kernel is refused", "[solvers]") {
  const Matrix<double> x = test::x4();
  const auto negative = [](const auto& a, const auto& b) { return -1 - a.dot(b); };
  const Callable<decltype(negative)> below(negative);
  CHECK_THAT(test::error_of([&] { return PartialCholesky<Matrix<double>>(below, x, 2, "Me"); }),
             ContainsSubstring("mercer::Me: the kernel") &&
                 ContainsSubstring("is not positive semidefinite") &&
                 ContainsSubstring("is -1 for sample 0") &&
                 ContainsSubstring("Exact or BlockKrylov"));
  // k(x, x) = 1, but k(x, y) = 2 for some pairs.
  const auto large = [](const auto& a, const auto& b) { return (a - b).norm() == 0 ? 1.0 : 2.0; };
  const Callable<decltype(large)> indefinite(large);
  PartialCholesky<Matrix<double>> factor(indefinite, x, 2, "Me");
  CHECK_THAT(test::error_of([&] {
               append(factor, 0);
               return 0;
             }),
             ContainsSubstring("after 1 landmarks the residual of k(x, x) is -3 for sample 1"));
  const auto infinite = [](const auto& a, const auto& b) { return 1 / (a - b).norm(); };
  const Callable<decltype(infinite)> singular(infinite);
  CHECK_THAT(test::error_of([&] { return PartialCholesky<Matrix<double>>(singular, x, 2); }),
             ContainsSubstring("has the value inf for sample 0 with itself"));
}

TEST_CASE("partial Cholesky: a kernel value that is not finite is named", "[solvers]") {
  const Matrix<double> x = Vector<double>::LinSpaced(20, 0, 19);
  const Callable kernel{[](const auto& a, const auto& b) {
    const bool bad = (a(0) == 7 && b(0) == 11) || (a(0) == 11 && b(0) == 7);
    return bad ? std::nan("") : a(0) == b(0) ? 2.0 : 1.0;
  }};
  PartialCholesky<Matrix<double>> factor(kernel, x, 3);
  append(factor, 3);
  CHECK_THAT(test::error_of([&] { append(factor, 7); }),
             ContainsSubstring("mercer::PartialCholesky: the kernel ") &&
                 ContainsSubstring(" has the value nan for samples 11 and 7 (counted from 0)"));
  PartialCholesky<Matrix<double>> other(kernel, x, 3);
  CHECK_THAT(test::error_of([&] {
               return other.schur_complement({2, 7, 11});
             }),
             ContainsSubstring(" has the value nan for samples 11 and 7 (counted from 0)"));
}

TEST_CASE("partial Cholesky: a pool of rows where the budget is small", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(500, 2, 5);
  const Gaussian kernel(0.3);
  constexpr std::size_t row = 10 * sizeof(double) + 5 * sizeof(double) + 2 * sizeof(double);
  LandmarkRequest request{.count = 10, .memory_budget = 100 * row};
  const auto pooled = RpCholesky{}.select<Matrix<double>>(kernel, x, request, {});
  CHECK(pooled.method == "rp-cholesky on 100 of 500 rows");
  REQUIRE(pooled.rows.size() == 10);
  CHECK((pooled.points == detail::take_rows(x, pooled.rows)));
  CHECK(pooled.evaluations < 100 * 11 + 128 * 128 * 4);  // a few blocks of proposals
  CHECK(pooled.bytes <= request.memory_budget);
  CHECK(*std::max_element(pooled.rows.begin(), pooled.rows.end()) > 100);  // not the first 100
  request.memory_budget = 500 * row;
  CHECK(RpCholesky{}.select<Matrix<double>>(kernel, x, request, {}).method == "rp-cholesky");
  request.memory_budget = 1;  // never fewer rows than landmarks
  CHECK(RpCholesky{}.select<Matrix<double>>(kernel, x, request, {}).method ==
        "rp-cholesky on 10 of 500 rows");
}

TEST_CASE("partial Cholesky: a row of a pool has its number of all rows in an error", "[solvers]") {
  // In the second half, k(x, x) tells the number of the row.
  const Matrix<double> x = Vector<double>::LinSpaced(500, 1, 500);
  const auto negative = [](const auto& a, const auto& b) {
    if (a != b) return 0.0;
    return a(0) > 250 ? -a(0) : 1.0;
  };
  const Callable<decltype(negative)> kernel(negative);
  const bool single = GENERATE(false, true), weighted = GENERATE(false, true);
  LandmarkRequest request{.count = 10, .memory_budget = 8 * 1024};
  request.single = single;
  if (weighted) request.weights = Vector<double>::Constant(500, 1.0 / 500);
  const std::string told =
      test::error_of([&] { return RpCholesky{}.select<Matrix<double>>(kernel, x, request, {}); });
  const std::string before = "the residual of k(x, x) is -";
  const std::size_t at = told.find(before);
  REQUIRE(at != std::string::npos);
  const int number = std::stoi(told.substr(at + before.size()));
  CHECK_THAT(told, ContainsSubstring(" for sample " + std::to_string(number - 1) + " (counted"));
}

}  // namespace partial_cholesky_test
