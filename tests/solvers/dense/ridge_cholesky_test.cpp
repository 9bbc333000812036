// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/dense/ridge_cholesky.hpp>

#include <cmath>
#include <string_view>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_sir.hpp>
#include <mercer/operators/gram.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/xy5.hpp>

namespace ridge_cholesky_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

/// y = sin x_1 + x_2^2 / 2 + noise, and two more outputs.
Matrix<double> outputs_of(const Matrix<double>& x) {
  Matrix<double> y(x.rows(), 3);
  y << x.col(0).array().sin() + x.col(1).array().square() / 2, 3 * x.col(0) - x.col(1),
      x.col(1).array().cos();
  return y + .1 * normal_matrix<double>(x.rows(), 3, 4, "noise");
}

double distance(const Matrix<double>& a, const Matrix<double>& b) {
  REQUIRE(a.rows() == b.rows());
  REQUIRE(a.cols() == b.cols());
  return (a - b).cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("DenseCholesky: solves systems of one tile and of several", "[solvers]") {
  const Index n = GENERATE(1, 5, 256, 257, 700);
  const Matrix<double> x = normal_matrix<double>(n, n, 1, "x");
  const Matrix<double> a = x * x.transpose() / double(n) + Matrix<double>::Identity(n, n);
  const Matrix<double> b = normal_matrix<double>(n, 3, 2, "b");
  Matrix<double> work = a, solution = b;
  const detail::DenseCholesky<double> factor(work);
  REQUIRE(factor.ok());
  factor.solve(solution);
  CHECK(distance(a * solution, b) <= 1e-12 * double(n));  // the condition is about 5
  const Matrix<double> l = work.triangularView<Eigen::Lower>();
  CHECK(distance(l * l.transpose(), a) <= 1e-13 * double(n));

  // Not positive definite, in the last tile only.
  Matrix<double> bad = a;
  bad(n - 1, n - 1) = -1;
  CHECK_FALSE(detail::DenseCholesky<double>(bad).ok());
}

TEST_CASE("RidgeCholesky: the result of a full spectrum", "[solvers]") {
  const Index n = GENERATE(90, 600);  // of one tile and of several
  const Matrix<double> x = test::correlated_views(n, 3).x;
  const Matrix<double> y = outputs_of(x);
  const Gaussian kernel(1.0);
  const double ridge = GENERATE(.1, 1e-3, 1e-6);
  const auto compare = [&](const auto& response, KernelSirParams params) {
    params.regularization = ridge;
    const auto exact = KernelSir{kernel, Exact{}, params}.fit(x, response);
    const auto model = KernelSir{kernel, RidgeCholesky{}, params}.fit(x, response);
    CAPTURE(n, ridge, model.eigenvalues().transpose());
    REQUIRE(model.components() == exact.components());
    CHECK(distance(model.eigenvalues(), exact.eigenvalues()) <= 1e-9 + 1e-14 / ridge);
    // Exact leaves out eigenvalues up to 1e-12 mu_1. Functions have parts of the size of the root
    // of their ratio to the ridge there, which new samples see.
    const double left_out = 10 * std::sqrt(1e-12 / ridge);
    CHECK(distance(model.transform(x), exact.transform(x)) <= 1e-6);
    const Matrix<double> fresh = test::correlated_views(40, 9).x;
    CHECK(distance(model.transform(fresh), exact.transform(fresh)) <= left_out);
    const PairReport &report = model.report(), &other = exact.report();
    CHECK(report.status == Status::Converged);
    CHECK(*report.views[0].kappa == Approx(*other.views[0].kappa).epsilon(1e-12));
    CHECK(report.views[0].basis.solver == SolverId::RidgeCholesky);
    CHECK(report.truncation_bound == 0);
    CHECK(report.views[0].rank <= 20);
    for (const double residual : report.views[0].residuals) CHECK(residual <= 1e-8);
  };
  compare(y.col(0).eval(), {.components = 3, .slices = 20});
  compare(y, {.components = 3});
  std::vector<int> classes;
  for (Index i = 0; i < n; ++i) classes.push_back(x(i, 0) > .5 ? 2 : x(i, 1) > 0 ? 1 : 0);
  compare(classes, {.components = 5});
}

TEST_CASE("RidgeCholesky: the worked samples, and rows of a Gram matrix", "[solvers]") {
  const Vector<double> y = test::y5().col(0);
  const KernelSirParams params{.components = 3, .regularization = .1, .slices = 2};
  const auto model = KernelSir{Gaussian(1.0), RidgeCholesky{}, params}.fit(test::x5(), y);
  REQUIRE(model.components() == 1);
  CHECK(std::abs(model.eigenvalues()(0) - .742969134048) <= 1e-10);
  CHECK(std::abs(model.transform(test::x5_query())(0, 0) + .784663432190) <= 1e-10);
  const auto gram = KernelSir{Precomputed{}, RidgeCholesky{}, params}.fit(
      Gram<Matrix<double>>(Gaussian(1.0), test::x5()).values(), y);
  CHECK(distance(gram.functions().coefficients(), model.functions().coefficients()) <= 1e-12);
}

TEST_CASE("RidgeCholesky: samples in single precision, and sparse ones", "[solvers]") {
  const Matrix<double> x = test::correlated_views(200, 3).x;
  const Vector<double> y = outputs_of(x).col(0);
  const KernelSir sir{Gaussian(1.0), RidgeCholesky{}, {.components = 2, .regularization = 1e-3}};
  const auto model = sir.fit(x, y);
  const auto single = sir.fit(x.cast<float>().eval(), y);
  CHECK(distance(single.eigenvalues(), model.eigenvalues()) <= 1e-4);
  CHECK(distance(single.transform(x.cast<float>().eval()).cast<double>(), model.transform(x)) <=
        1e-2);
  const SparseMatrix<double> rows = x.sparseView();
  CHECK(distance(sir.fit(rows, y).transform(rows), model.transform(x)) <= 1e-9);
}

TEST_CASE("RidgeCholesky: the same bits on any number of threads", "[solvers]") {
  const Matrix<double> x = test::correlated_views(600, 5).x;
  const Vector<double> y = outputs_of(x).col(0);
  const KernelSir sir{Gaussian(1.0), RidgeCholesky{}};
  const int before = thread_count();
  const auto on = [&](int threads) {
    set_thread_count(threads);
    return sir.fit(x, y).functions().coefficients();
  };
  const Matrix<double> one = on(1), three = on(3);
  set_thread_count(before);
  CHECK(one == three);
}

TEST_CASE("RidgeCholesky: how it ends, and what it refuses", "[solvers]") {
  const Matrix<double> x = test::correlated_views(60, 6).x;
  const Vector<double> y = outputs_of(x).col(0);
  const auto fitted = [&](KernelSirParams params, const Matrix<double>& samples) {
    return KernelSir{Gaussian(1.0), RidgeCholesky{}, params}.fit(samples, y);
  };
  CHECK_THROWS_WITH(fitted({.regularization = 0.0}, x), ContainsSubstring("regularization"));
  CHECK_THROWS_WITH(fitted({.rank = 5}, x), ContainsSubstring("no rank to choose"));
  const auto constant = fitted({}, Matrix<double>::Constant(60, 2, .7));
  CHECK(constant.components() == 0);
  CHECK(constant.report().status == Status::Converged);

  // Matrices with eigenvalues far below minus the ridge, of positive and of negative trace.
  for (const double trace : {1.0, -1.0}) {
    const Matrix<double> products = x * x.transpose();
    const Matrix<double> indefinite =
        trace > 0 ? Matrix<double>(products - Matrix<double>::Identity(60, 60)) : -products;
    const auto failed =
        KernelSir{Precomputed{}, RidgeCholesky{}, {.regularization = 1e-3}}.fit(indefinite, y);
    CHECK(failed.components() == 0);
    CHECK(failed.report().status == Status::NotConverged);
    CHECK_THAT(failed.report().views[0].basis.reason, ContainsSubstring("not positive definite"));
  }

  const auto stopped = KernelSir{Gaussian(1.0), RidgeCholesky{}}.fit(x, y, [](const Progress& p) {
    return p.phase != std::string_view("cholesky factorisation");
  });
  CHECK(stopped.report().status == Status::Cancelled);
  CHECK(stopped.components() == 0);
}

}  // namespace ridge_cholesky_test
