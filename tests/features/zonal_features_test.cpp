// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/zonal_features.hpp>

#include <cmath>
#include <limits>
#include <numbers>

#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <tests/features/feature_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace zonal_features_test {

using namespace mercer;

namespace user {

/// 1 + t^2 / 4 for the cosine t of the angle.
struct EvenSquare {
  template <class X>
  void gram(const X& x, const X& y, GramOut<typename X::Scalar> out) const {
    out = x * y.transpose();
    out = out.array().square() / 4 + 1;
  }
};

MaclaurinSeries sphere_series(const EvenSquare&) {
  return {[](Index m) { return m == 0 ? 0 : m == 2 ? std::log(0.25) : detail::log_zero; }, 2};
}

}  // namespace user

static_assert(FeatureMapFor<ZonalFeatures, OnSphere<Gaussian>>);
static_assert(FeatureMapFor<ZonalFeatures, OnSphere<ExponentialDot>>);
static_assert(FeatureMapFor<ZonalFeatures, OnSphere<user::EvenSquare>>);
static_assert(!FeatureMapFor<ZonalFeatures, Gaussian>);
static_assert(!FeatureMapFor<ZonalFeatures, OnSphere<Laplacian>>);
static_assert(BoundFeatureMap<BoundZonalFeatures<float>>);
static_assert(BoundFeatureMap<BoundZonalFeatures<double>>);

namespace {

/// Points of the sphere in R^3, with weights that sum to 1: exact for polynomials of degree below
/// 2 q. Gauss-Legendre heights, from the eigenvectors of the matrix of the recurrence, and equally
/// spaced angles.
struct SphereRule {
  Matrix<double> points;
  Vector<double> weights;
};

SphereRule sphere_rule(Index q) {
  Matrix<double> jacobi = Matrix<double>::Zero(q, q);
  for (Index l = 1; l < q; ++l) {
    const double m = static_cast<double>(l);
    jacobi(l, l - 1) = jacobi(l - 1, l) = m / std::sqrt(4 * m * m - 1);
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(jacobi);
  const Index angles = 2 * q;
  SphereRule rule{Matrix<double>(q * angles, 3), Vector<double>(q * angles)};
  for (Index i = 0; i < q; ++i)
    for (Index j = 0; j < angles; ++j) {
      const double height = eigen.eigenvalues()(i), circle = std::sqrt(1 - height * height);
      const double angle =
          2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(angles);
      rule.points.row(i * angles + j) << circle * std::cos(angle), circle * std::sin(angle), height;
      rule.weights(i * angles + j) =
          std::pow(eigen.eigenvectors()(0, i), 2) / static_cast<double>(angles);
    }
  return rule;
}

/// The features of samples for all points of a rule, without the factor D^(-1/2).
template <class K>
Matrix<double> features_at(const SphereRule& rule, const K& kernel, const Matrix<double>& x) {
  const Index d = rule.points.rows();
  const auto map = ZonalFeatures{.features = d}.bind<double>(kernel, sample_bounds(x), 1);
  typename BoundZonalFeatures<double>::Block block;
  block.directions = rule.points;
  Matrix<double> z(x.rows(), d);
  map.evaluate(block, x, z);
  return z * std::sqrt(static_cast<double>(d));
}

}  // namespace

SCALAR_TEST_CASE("ZonalFeatures: a given direction, by hand", "[features]") {
  // f(t) = t^2 = 1/3 + 2/3 G_2(t), so g = 3^(-1/2) - (2/3)^(1/2) 5^(1/2) (3 t^2 - 1) / 2. The
  // sample has t = 1/2; its mirror image and its multiples have the same value.
  Matrix<TestType> x(3, 3);
  x << 3, 0, TestType(std::sqrt(27.0)), -3, 0, TestType(-std::sqrt(27.0)), 1, 0,
      TestType(std::sqrt(3.0));
  const OnSphere kernel(Polynomial{{.gamma = 1, .coef0 = 0, .degree = 2}});
  const auto map = ZonalFeatures{.features = 1}.bind<TestType>(kernel, sample_bounds(x), 1);
  typename BoundZonalFeatures<TestType>::Block block;
  block.directions.resize(1, 3);
  block.directions << 1, 0, 0;
  const double expected = std::sqrt(1.0 / 3) + std::sqrt(10.0 / 3) * 0.125;
  const double tolerance = sizeof(TestType) == 4 ? 1e-6 : 1e-14;
  Matrix<TestType> z(3, 1);
  map.evaluate(block, x, z);
  for (const TestType value : z.reshaped()) CHECK(value == Approx(expected).epsilon(tolerance));
  map.evaluate(block, SparseMatrix<TestType>(x.sparseView()), z);
  for (const TestType value : z.reshaped()) CHECK(value == Approx(expected).epsilon(tolerance));
}

TEST_CASE("ZonalFeatures: the integral over the sphere is the kernel", "[features][law][slow]") {
  // Degrees up to 60 are integrated without an error but rounding.
  const SphereRule rule = sphere_rule(64);
  const Matrix<double> x = test::five_points<double>();
  const auto check = [&](const auto& kernel) {
    CAPTURE(kernel.describe());
    const Matrix<double> z = features_at(rule, kernel, x), k = gram(kernel, x);
    const Matrix<double> mean = z * rule.weights.asDiagonal() * z.transpose();
    CHECK((mean - k).cwiseAbs().maxCoeff() <= 1e-13 * k.cwiseAbs().maxCoeff());
  };
  for (const double sigma : {0.3, 1.0, 20.0}) check(OnSphere(Gaussian{sigma}));
  check(OnSphere(ExponentialDot{3}));
  check(OnSphere(InverseDot{0.5}));
  check(OnSphere(Polynomial{}));
  check(OnSphere(Linear{}));
}

TEST_CASE("ZonalFeatures: means are the kernel, variances those of the integral",
          "[features][law][slow]") {
  const SphereRule rule = sphere_rule(64);
  const auto check = [&](const auto& kernel) {
    const auto variance = [&](const auto& x, const auto& y) {
      Matrix<double> both(2, 3);
      both << x, y;
      const Matrix<double> z = features_at(rule, kernel, both);
      const Vector<double> products = z.row(0).cwiseProduct(z.row(1)).transpose();
      return products.cwiseAbs2().dot(rule.weights) - std::pow(gram(kernel, both)(0, 1), 2);
    };
    test::check_moments<double>(ZonalFeatures{}, kernel, variance);
    test::check_moments<float>(ZonalFeatures{}, kernel, variance);
  };
  check(OnSphere(Gaussian{1}));
  check(OnSphere(Polynomial{}));
}

TEST_CASE("ZonalFeatures: unbiased in any dimension", "[features][law]") {
  for (const Index d : {1, 2, 10, 100}) {
    CAPTURE(d);
    const Matrix<double> x = test::uniform_samples<double>(5, d, 3, -1, 1);
    test::check_mean_of_groups(ZonalFeatures{}, OnSphere(ExponentialDot{1}), 1, x);
    test::check_mean_of_groups(ZonalFeatures{}, OnSphere(user::EvenSquare{}), 1, x);
  }
}

TEST_CASE("ZonalFeatures: quasi-random directions are unbiased too", "[features][law]") {
  constexpr Index features = 50;
  const ZonalFeatures map{.features = features, .sampling = Sampling::QuasiRandom};
  // With independent directions the variance is below 1.5 / D, and these spread more evenly.
  test::check_mean_of_blocks(map, OnSphere(Gaussian{1}), test::five_points<double>(), 400,
                             1.5 / features);
}

TEST_CASE("ZonalFeatures: the signs keep the variance small in high dimensions",
          "[features][law][slow]") {
  // With equal signs a Gaussian of this width has variances in the thousands. Fourier features of
  // one phase have at most 1 + k(2 z) / 2, which is 1.5.
  const Matrix<double> x = test::uniform_samples<double>(6, 100, 4, -1, 1);
  const OnSphere kernel(Gaussian{0.5});
  const auto map =
      ZonalFeatures{.features = 20000}.bind<double>(kernel, sample_bounds(x), test::feature_seed);
  const Matrix<double> z = block_features(map, 0, x), k = gram(kernel, x);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j <= i; ++j) {
      const Vector<double> products = test::products_of_draws(z, z.cols(), i, j);
      CHECK((products.array() - k(i, j)).square().mean() <= 1.5);
    }
}

SCALAR_TEST_CASE("ZonalFeatures: functions of parameters, seed and block", "[features][law]") {
  test::check_purity<TestType>(ZonalFeatures{.features = 50}, OnSphere(Gaussian{0.5}));
}

SCALAR_TEST_CASE("ZonalFeatures: samples of any length", "[features]") {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(9, 4, 2, -1, 1);
  const OnSphere kernel(Gaussian{0.5});
  const Matrix<S> z =
      block_features(ZonalFeatures{}.bind<S>(kernel, sample_bounds(x), test::feature_seed), 0, x);
  for (const S scale :
       {std::sqrt((std::numeric_limits<S>::max)()), std::sqrt((std::numeric_limits<S>::min)())}) {
    const Matrix<S> scaled = scale * x;
    const auto map = ZonalFeatures{}.bind<S>(kernel, sample_bounds(scaled), test::feature_seed);
    CHECK((block_features(map, 0, scaled) - z).cwiseAbs().maxCoeff() <=
          200 * std::numeric_limits<S>::epsilon() * z.cwiseAbs().maxCoeff());
  }
}

TEST_CASE("ZonalFeatures: components near those of the Gram matrix", "[features]") {
  const Matrix<double> x = test::uniform_samples<double>(300, 5, 8, -1, 1);
  const OnSphere kernel(Gaussian{1});
  const KernelPcaParams params{.components = 3, .centered = false};
  const auto exact = KernelPca{kernel, Exact{}, params}.fit(x);
  const auto features =
      KernelPca{kernel, FeaturePca{ZonalFeatures{.features = 500}}, params}.fit(x);
  // By Weyl the error is at most the Frobenius norm of the Gram matrix's error. Its mean is below
  // 300 (1.5 / D)^(1/2), as the variance of a product is below 1.5; twice that is allowed.
  const double bound = 2 * 300 * std::sqrt(1.5 / 500);
  CHECK((features.eigenvalues() - exact.eigenvalues()).cwiseAbs().maxCoeff() <= bound);
  CHECK(features.eigenvalues()(0) > 2 * bound);
}

TEST_CASE("ZonalFeatures: what it refuses, and its name", "[features]") {
  const auto error = [](Index features, Index dimension) {
    return test::error_of([&] {
      return ZonalFeatures{.features = features}.bind<double>(
          OnSphere(Gaussian{1}), {.dimension = dimension, .radius = 1}, 1);
    });
  };
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(error(0, 3), ContainsSubstring("mercer::ZonalFeatures: features must be at least 1"));
  CHECK_THAT(error(5, 0), ContainsSubstring("mercer::ZonalFeatures: dimension must be at least 1"));
  CHECK(ZonalFeatures{.features = 7}.describe() == "zonal-features(features=7, independent)");
}

}  // namespace zonal_features_test
