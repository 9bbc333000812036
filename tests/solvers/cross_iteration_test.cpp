// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/cross_iteration.hpp>

#include <cmath>

#include <mercer/core/threads.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/models/kernel_svd.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/xy5.hpp>

namespace cross_iteration_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("CrossIteration: kernel SVD by products is that by dense matrices", "[solvers]") {
  const auto views = test::correlated_views(120, 3);
  const bool centered = GENERATE(true, false);
  const KernelSvdParams params{.components = 4, .centered = centered};
  const Gaussian kx(1.0), ky(1.5);
  const auto exact = KernelSvd{kx, ky, Exact{}, params}.fit(views.x, views.y);
  const auto model =
      KernelSvd{kx, ky, CrossIteration{{.tolerance = 1e-8}}, params}.fit(views.x, views.y);
  REQUIRE(model.components() == 4);
  CHECK((model.singular_values() - exact.singular_values()).cwiseAbs().maxCoeff() <= 1e-10);
  // Functions are as good as the residuals over the gaps of the singular values, some 1e-3.
  CHECK((model.transform_x(views.x) - exact.transform_x(views.x)).cwiseAbs().maxCoeff() <= 1e-4);
  CHECK((model.transform_y(views.y) - exact.transform_y(views.y)).cwiseAbs().maxCoeff() <= 1e-4);
  CHECK(model.report().status == Status::Converged);
  const Report& basis = model.report().views[0].basis;
  CHECK(basis.solver == SolverId::CrossIteration);
  REQUIRE(basis.residuals.size() == 4);
  for (const double residual : basis.residuals)
    CHECK(residual <= 1e-8 * model.singular_values()(0));
  CHECK(basis.trace == Approx(exact.report().views[0].basis.trace).epsilon(1e-10));
  CHECK(basis.kernel_products > 0);
  // Bases that do not hold everything explain less.
  CHECK(model.dependence() <= exact.dependence() * (1 + 1e-10));
}

TEST_CASE("CrossIteration: the worked example XY5", "[solvers]") {
  const auto model =
      KernelSvd{Gaussian{1.0}, Gaussian{1.0}, CrossIteration{}, {.components = 4}}.fit(test::x5(),
                                                                                       test::y5());
  Vector<double> sigma(4);
  sigma << .231155236632, .092191121973, .036059451219, .002441701110;
  CHECK((model.singular_values() - sigma).cwiseAbs().maxCoeff() <= 1e-10);
}

TEST_CASE("CrossIteration: a run that is cut short says so, and its residuals hold", "[solvers]") {
  const auto views = test::correlated_views(200, 5);
  const KernelSvdParams params{.components = 3, .rank = 3};
  const auto exact =
      KernelSvd{Gaussian{1.0}, Gaussian{1.5}, Exact{}, {.components = 20}}.fit(views.x, views.y);
  const auto model = KernelSvd{Gaussian{1.0}, Gaussian{1.5},
                               CrossIteration{{.tolerance = 1e-8, .max_rounds = 2}}, params}
                         .fit(views.x, views.y);
  CHECK(model.report().status == Status::NotConverged);
  const Report& basis = model.report().views[0].basis;
  CHECK(basis.iterations == 2);
  for (Index j = 0; j < 3; ++j) {
    const double bound = basis.residuals[static_cast<std::size_t>(j)] / std::sqrt(2.0);
    CHECK((exact.singular_values().array() - model.singular_values()(j)).abs().minCoeff() <=
          bound + 1e-12);
    CHECK(model.singular_values()(j) <= exact.singular_values()(j) + 1e-12);
  }
}

TEST_CASE("CrossIteration: views without variance, and duplicates", "[solvers]") {
  const auto views = test::correlated_views(40, 6);
  const KernelSvd svd{Linear{}, Linear{}, CrossIteration{}, {.components = 3}};
  const Matrix<double> constant = Matrix<double>::Ones(40, 2);
  CHECK(svd.fit(constant, views.y).components() == 0);
  CHECK(svd.fit(views.x, constant).components() == 0);
  // More rows than a tile, and values that are no short sums of powers of two.
  const auto more = test::correlated_views(600, 6);
  const Matrix<double> rounded = Matrix<double>::Constant(600, 2, .7);
  CHECK(svd.fit(rounded, more.y).components() == 0);
  CHECK(svd.fit(more.x, rounded).components() == 0);
  Matrix<double> twice(40, 2);
  twice << views.y.col(0), views.y.col(0);
  CHECK(svd.fit(views.x, twice).components() == 1);
}

TEST_CASE("CrossIteration: directions below the zero threshold are left out", "[solvers]") {
  // Variances of about 1 and 1e-4, in both views.
  const Matrix<double> common = test::correlated_views(80, 3).x.leftCols(2);
  Matrix<double> x = common;
  x.col(1) *= 1e-2;
  const auto components = [&](double threshold, const auto& solver) {
    return KernelSvd{Linear{}, Linear{}, solver, {.components = 2, .zero_threshold = threshold}}
        .fit(x, x)
        .components();
  };
  for (const double threshold : {1e-12, 1e-2}) {
    const Index expected = threshold < 1e-4 ? 2 : 1;
    CHECK(components(threshold, Exact{}) == expected);
    CHECK(components(threshold, CrossIteration{}) == expected);
  }
}

TEST_CASE("CrossIteration: views of any scale", "[solvers]") {
  const auto views = test::correlated_views(60, 10);
  const KernelSvd svd{Linear{}, Linear{}, CrossIteration{}, {.components = 2}};
  const auto plain = svd.fit(views.x, views.y);
  REQUIRE(plain.components() == 2);
  for (const double scale : {1e-82, 1e80}) {
    CAPTURE(scale);
    const auto scaled = svd.fit(Matrix<double>(scale * views.x), Matrix<double>(scale * views.y));
    REQUIRE(scaled.components() == 2);
    const Vector<double> back = scaled.singular_values() / scale / scale;
    CHECK((back - plain.singular_values()).norm() <= 1e-12 * plain.singular_values()(0));
    CHECK(scaled.report().views[0].basis.status == Status::Converged);
    // Roots of rounding errors, or 0; not infinite, and no NaN.
    for (const double residual : scaled.report().views[0].basis.residuals)
      CHECK(residual / scale / scale <= 1e-6 * plain.singular_values()(0));
  }
}

TEST_CASE("CrossIteration: the same bits on any number of threads", "[solvers]") {
  const auto views = test::correlated_views(300, 7);
  const KernelSvd svd{Gaussian{1.0}, Gaussian{1.5}, CrossIteration{}, {.components = 2}};
  const int before = thread_count();
  const auto on = [&](int threads) {
    set_thread_count(threads);
    return svd.fit(views.x, views.y).singular_values().eval();
  };
  const Vector<double> one = on(1), two = on(2);
  set_thread_count(before);
  CHECK(one == two);
}

TEST_CASE("CrossIteration: kernel CCA in its bases is a lower bound", "[solvers]") {
  const auto views = test::correlated_views(120, 8);
  const KernelCcaParams params{.components = 2, .regularization = .1};
  const auto exact = KernelCca{Gaussian{1.0}, Gaussian{1.5}, Exact{}, params}.fit(views.x, views.y);
  const auto model =
      KernelCca{Gaussian{1.0}, Gaussian{1.5}, CrossIteration{}, params}.fit(views.x, views.y);
  for (Index j = 0; j < 2; ++j) {
    CHECK(model.correlations()(j) <= exact.correlations()(j) + 1e-12);
    CHECK(model.correlations()(j) >= .5 * exact.correlations()(j));
  }
}

TEST_CASE("CrossIteration: refuses what it cannot do, and can be cancelled", "[solvers]") {
  CHECK_THROWS_WITH(CrossIteration{{.tolerance = 0}}, ContainsSubstring("tolerance"));
  CHECK_THROWS_WITH(CrossIteration{{.max_rounds = 0}}, ContainsSubstring("max_rounds"));
  const auto views = test::correlated_views(40, 9);
  const KernelSvd svd{
      Gaussian{1.0}, Gaussian{1.0}, CrossIteration{}, {.components = 2, .rank = .5}};
  CHECK_THROWS_WITH(svd.fit(views.x, views.y), ContainsSubstring("number of functions"));
  const auto stopped = KernelSvd{Gaussian{1.0}, Gaussian{1.0}, CrossIteration{}}.fit(
      views.x, views.y, [](const Progress& p) { return p.phase != "cross products"; });
  CHECK(stopped.report().status == Status::Cancelled);
  // The residuals of the first round are not those of the functions of the second.
  Index calls = 0;
  const auto second = KernelSvd{Gaussian{1.0}, Gaussian{1.0}, CrossIteration{}}.fit(
      views.x, views.y,
      [&](const Progress& p) { return p.phase != "cross products" || ++calls < 2; });
  CHECK(second.report().status == Status::Cancelled);
  CHECK(second.report().views[0].basis.residuals.empty());
}

}  // namespace cross_iteration_test
