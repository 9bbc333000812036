// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/component_gradients.hpp>

#include <cmath>
#include <limits>
#include <numbers>

#include <mercer/core/threads.hpp>
#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/composite.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/on_sphere.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace component_gradients_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

/// One point p with weight 1.
template <class K>
Matrix<double> gradient(const K& kernel, const Eigen::RowVectorXd& x, const Eigen::RowVectorXd& p) {
  const Matrix<double> at = x, points = p, one = Matrix<double>::Ones(1, 1);
  return component_gradients(kernel, points, one, at, 0);
}

TEST_CASE("component gradients: worked numbers", "[models]") {
  constexpr double rounding = 1e-15;
  const Eigen::RowVector2d x(1, 2), p(3, 1);
  // The squared distance is 5, the inner product 5; x - p = (-2, 1).
  const auto check = [&](const Matrix<double>& found, double first, double second) {
    CHECK(found(0, 0) == Approx(first).epsilon(4 * rounding));
    CHECK(found(0, 1) == Approx(second).epsilon(4 * rounding));
  };
  const double gauss = std::exp(-5.0 / 8);  // sigma = 2: grad = -(x - p) / 4 k
  check(gradient(Gaussian(2), x, p), 0.5 * gauss, -0.25 * gauss);
  check(gradient(Linear{}, x, p), 3, 1);
  // (0.5 * 5 + 1)^3: 3 * 0.5 * 3.5^2 p
  const double cubic = 1.5 * 3.5 * 3.5;
  check(gradient(Polynomial{{.gamma = 0.5, .coef0 = 1, .degree = 3}}, x, p), 3 * cubic, cubic);
  check(gradient(Polynomial{{.gamma = 0.5, .coef0 = 1, .degree = 1}}, x, p), 1.5, 0.5);
  // nu = 3/2, length 1: (1 + t) exp(-t) with t^2 = 3 * 5, gradient -3 exp(-t) (x - p).
  const double matern = 3 * std::exp(-std::sqrt(15.0));
  check(gradient(Matern{{.nu = 1.5, .length = 1}}, x, p), 2 * matern, -matern);
  // (1 + 5/4)^-2, alpha = 2, length 1: gradient -(1 + 5/4)^-3 (x - p).
  const double quadratic = std::pow(2.25, -3);
  check(gradient(RationalQuadratic{{.alpha = 2, .length = 1}}, x, p), 2 * quadratic, -quadratic);
  check(gradient(InverseDot(0.1), x, p), 3 * 0.4, 0.4);  // 0.1 / (1 - 0.5)^2 p
  // (1 + 4/4)^-1 (1 + 1/4)^-1 = 0.4; -2 (1/4) (-2) / 2 and -2 (1/4) 1 / 1.25 of it.
  check(gradient(Cauchy(0.5), x, p), 0.2, -0.16);
  // |x|^2 = 5, |p|^2 = 10, the angle is 45 degrees: (p / |p| - x / |x| / sqrt 2) / |x|.
  const double root = std::sqrt(50.0);
  check(gradient(Cosine{}, x, p), (3 - 1) / root, (1 - 2) / root);
  // sin = cos = 1 / sqrt 2, |p| sin x / |x| = x and pi - theta = 3/4 pi: x / pi + 3/4 p; and, for
  // order 2, 2 |p|^2 (1/2 + 3/4 pi) x / pi + 4 |x| |p| (1 + 3/4 pi) / sqrt 2 p / pi.
  constexpr double pi = std::numbers::pi;
  check(gradient(ArcCosine(1), x, p), 1 / pi + 2.25, 2 / pi + 0.75);
  const double a = 20 * (0.5 + 0.75 * pi) / pi, b = 20 * (1 + 0.75 * pi) / pi;
  check(gradient(ArcCosine(2), x, p), a + 3 * b, 2 * a + b);
  // Sums, products and multiples of Linear (5; 3, 1) and Gaussian.
  check(gradient(Linear{} + Gaussian(2), x, p), 3 + 0.5 * gauss, 1 - 0.25 * gauss);
  check(gradient(Linear{} * Gaussian(2), x, p), (3 + 2.5) * gauss, (1 - 1.25) * gauss);
  check(gradient(2.0 * Linear{}, x, p), 6, 2);
  // Between directions the inner product is the cosine.
  check(gradient(OnSphere{Linear{}}, x, p), (3 - 1) / root, (1 - 2) / root);
}

TEST_CASE("component gradients: finite differences of the scores", "[models][law]") {
  const Matrix<double> x = test::uniform_samples<double>(40, 3, 7);
  const Matrix<double> at = test::uniform_samples<double>(5, 3, 8);
  const auto check = [&](const auto& kernel) {
    CAPTURE(kernel.describe());
    const auto model = KernelPca{kernel, Exact{}, {.components = 3}}.fit(x);
    REQUIRE(model.components() == 3);
    // Central differences err by about h^2, and by rounding / h.
    constexpr double h = 1e-5, tolerance = 1e-8;
    for (Index i = 0; i < 3; ++i) {
      const Matrix<double> found = component_gradients(model, at, i);
      for (Index v = 0; v < 3; ++v) {
        Matrix<double> above = at, below = at;
        above.col(v).array() += h;
        below.col(v).array() -= h;
        const Vector<double> slope =
            (model.transform(above) - model.transform(below)).col(i) / (2 * h);
        CHECK((found.col(v) - slope).cwiseAbs().maxCoeff() <=
              tolerance * (1 + slope.cwiseAbs().maxCoeff()));
      }
    }
  };
  check(Gaussian(0.7));
  check(RationalQuadratic{{.alpha = 1.5, .length = 0.8}});
  check(Matern{{.nu = 1.5, .length = 1}});
  check(Matern{{.nu = 2.5, .length = 1}});
  check(Matern{{.nu = 3, .length = 1}});
  check(Polynomial{{.gamma = 0.5, .coef0 = 1, .degree = 3}});
  check(ExponentialDot(0.5));
  check(InverseDot(0.2));
  check(Cauchy(0.9));
  check(Cosine{});
  check(ArcCosine(1));
  check(ArcCosine(2));
  check(Gaussian(0.7) + 0.5 * Linear{});
  check(Gaussian(0.7) * Polynomial{{.gamma = 0.5, .coef0 = 1, .degree = 2}});
  check(2.0 * (Cauchy(0.9) * (Gaussian(1.0) + Cosine{})) * ArcCosine(1));
  check(OnSphere{Gaussian(0.7)});
  check(OnSphere{Gaussian(0.7) * Linear{}} + Matern{{.nu = 2.5, .length = 1}});
}

static_assert(!HasGradient<Laplacian>);
static_assert(!HasGradient<Sum<Gaussian, Laplacian>>);
static_assert(!HasGradient<OnSphere<Laplacian>>);
static_assert(HasGradient<Scaled<Product<Gaussian, OnSphere<Gaussian>>>>);

TEST_CASE("component gradients: parts without a gradient", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(4, 2, 9);
  const auto error = [&](const auto& kernel, const Matrix<double>& at) {
    return test::error_of([&] {
      static_cast<void>(
          component_gradients(kernel, x, Matrix<double>(Matrix<double>::Ones(4, 1)), at, 0));
    });
  };
  Matrix<double> zero = x;
  zero.row(2).setZero();
  CHECK_THAT(error(OnSphere{Gaussian(1.0)}, zero), ContainsSubstring("no gradient at row 2"));
  CHECK_THAT(error(Gaussian(1.0) * Cosine{}, zero), ContainsSubstring("no gradient at row 2"));
  CHECK_THAT(error(Gaussian(1.0) + ArcCosine(0), x), ContainsSubstring("has no gradients"));
  CHECK_THAT(error(2.0 * Matern{{.nu = 0.5, .length = 1}}, x), ContainsSubstring("nu > 1"));
}

TEMPLATE_TEST_CASE("component gradients: where formulas lose digits", "[models]", float, double) {
  using S = TestType;
  constexpr S rounding = 8 * std::numeric_limits<S>::epsilon();
  const auto at = [](const auto& kernel, const Matrix<S>& x, const Matrix<S>& p) {
    return component_gradients(kernel, p, Matrix<S>(Matrix<S>::Ones(1, 1)), x, 0);
  };
  const Matrix<S> p = (Matrix<S>(1, 3) << S(0.3), S(0.4), S(1.2)).finished();
  // At the point itself: (pi p + 0) / pi, and order 2, |p|^2 (2 pi + 4 pi) p / pi.
  CHECK((at(ArcCosine(1), p, p) - p).cwiseAbs().maxCoeff() <= rounding);
  CHECK((at(ArcCosine(2), p, p) - S(6 * 1.69) * p).cwiseAbs().maxCoeff() <= 16 * rounding);
  CHECK(at(Cosine{}, p, p).cwiseAbs().maxCoeff() <= rounding);
  CHECK(at(Cosine{}, p, Matrix<S>::Zero(1, 3)).isZero(0));
  // In one direction, gamma u of 1e30, whose square is not a float: -2 gamma / u^3, below all of
  // them.
  const Matrix<S> far = Matrix<S>::Constant(1, 1, S(1e30)), origin = Matrix<S>::Zero(1, 1);
  CHECK(at(Cauchy(1), far, origin).cwiseAbs().maxCoeff() <= S(1e-30));
  CHECK(at(Cauchy(1), origin, origin).isZero(0));
}

TEMPLATE_TEST_CASE("component gradients: their mean absolute values", "[models]", float, double) {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(300, 4, 3);
  const auto model = KernelPca{Gaussian(0.8), Exact{}, {.components = 2}}.fit(x);
  const Matrix<S> found = mean_absolute_gradients(model, x);
  REQUIRE(found.rows() == 4);
  REQUIRE(found.cols() == 2);
  // Sums of 300 values in blocks and at once.
  constexpr S tolerance = 300 * std::numeric_limits<S>::epsilon();
  for (Index i = 0; i < 2; ++i) {
    const Vector<S> expected =
        component_gradients(model, x, i).cwiseAbs().colwise().mean().transpose();
    CHECK((found.col(i) - expected).cwiseAbs().maxCoeff() <= tolerance * expected.maxCoeff());
  }
  // Equal weights are none, and a row without weight is not there.
  CHECK(mean_absolute_gradients(model, x, Vector<double>::Constant(300, 3)) == found);
  Vector<double> weights = Vector<double>::Zero(300);
  weights(7) = 2;
  weights(250) = 6;
  const Matrix<S> two = mean_absolute_gradients(model, x, weights);
  const Matrix<S> expected = (mean_absolute_gradients(model, Matrix<S>(x.row(7))) +
                              3 * mean_absolute_gradients(model, Matrix<S>(x.row(250)))) /
                             4;
  CHECK((two - expected).cwiseAbs().maxCoeff() <= tolerance * expected.maxCoeff());
  CHECK_THAT(test::error_of([&] { return mean_absolute_gradients(model, x, weights.head(2)); }),
             ContainsSubstring("300 samples need as many weights, got 2"));
  // Also where its gradient is not finite.
  const auto cubic =
      KernelPca{Polynomial{{.gamma = 1, .coef0 = 1, .degree = 3}}, Exact{}, {.components = 2}}.fit(
          x);
  Matrix<S> far = x;
  far(0, 0) = std::numeric_limits<S>::max() / 4;
  CHECK(mean_absolute_gradients(cubic, far, weights) == mean_absolute_gradients(cubic, x, weights));
  const int threads = thread_count();
  set_thread_count(1);
  CHECK(mean_absolute_gradients(model, x) == found);
  set_thread_count(threads);
}

TEST_CASE("component gradients: a variable that does nothing has none", "[models]") {
  Matrix<double> x = test::uniform_samples<double>(60, 3, 5);
  x.col(1).setConstant(2);
  const auto model = KernelPca{Gaussian(0.8), Exact{}, {.components = 2}}.fit(x);
  const Matrix<double> found = mean_absolute_gradients(model, x);
  constexpr double rounding = 1e-12;
  CHECK(found.row(1).maxCoeff() <= rounding * found.maxCoeff());
  CHECK(found.row(0).minCoeff() > 0.01 * found.maxCoeff());
}

TEST_CASE("component gradients: mistakes", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(20, 3, 5);
  const auto model = KernelPca{Gaussian(0.8), Exact{}, {.components = 2}}.fit(x);
  CHECK_THROWS_AS(component_gradients(model, x, 2), InvalidArgument);
  CHECK_THROWS_AS(component_gradients(model, x, -1), InvalidArgument);
  CHECK_THROWS_AS(mean_absolute_gradients(model, Matrix<double>(x.leftCols(2))), InvalidArgument);
  CHECK_THROWS_AS(mean_absolute_gradients(model, Matrix<double>(0, 3)), InvalidArgument);
  const auto rough = KernelPca{Matern{{.nu = 0.5}}, Exact{}, {.components = 2}}.fit(x);
  CHECK_THAT(test::error_of([&] { return mean_absolute_gradients(rough, x); }),
             ContainsSubstring("nu > 1"));
  const auto steps = KernelPca{ArcCosine(0), Exact{}, {.components = 2}}.fit(x);
  CHECK_THAT(test::error_of([&] { return component_gradients(steps, x, 0); }),
             ContainsSubstring("arc-cosine(order=0)") && ContainsSubstring("orders 1 and 2"));
  const auto angles = KernelPca{Cosine{}, Exact{}, {.components = 2}}.fit(x);
  Matrix<double> with_zero = test::uniform_samples<double>(200, 3, 6);
  with_zero.row(150).setZero();  // not in the first block of rows
  CHECK_THAT(test::error_of([&] { return mean_absolute_gradients(angles, with_zero); }),
             ContainsSubstring("cosine") && ContainsSubstring("row 150"));
  const auto pole = KernelPca{InverseDot{0.1}, Exact{}, {.components = 2}}.fit(x);
  Matrix<double> far = x;
  far.row(3).setConstant(2);  // 0.1 |x|^2 = 1.2
  CHECK_THAT(test::error_of([&] { return component_gradients(pole, far, 0); }),
             ContainsSubstring("row 3"));
  CHECK_THROWS_AS(mean_absolute_gradients(pole, far), InvalidArgument);
  STATIC_REQUIRE(HasGradient<Gaussian>);
  STATIC_REQUIRE(HasGradient<Cauchy>);
  STATIC_REQUIRE_FALSE(HasGradient<Laplacian>);
}

}  // namespace component_gradients_test
