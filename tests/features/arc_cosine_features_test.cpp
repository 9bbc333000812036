// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/arc_cosine_features.hpp>

#include <cmath>
#include <limits>

#include <mercer/kernels/radial.hpp>
#include <tests/features/feature_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace arc_cosine_features_test {

using namespace mercer;

namespace {

/// The arc-cosine kernel of any order m, |x|^m |y|^m J_m(theta) / pi, from its integral in the
/// plane of x and y: J_m = m! times the integral of (cos theta + cos t)^m over t from 0 to pi -
/// theta. Simpson's rule on 1000 intervals leaves rounding errors for the orders that are used
/// here.
double arc_cosine_of_order(int order, const Vector<double>& x, const Vector<double>& y) {
  const double norms = x.norm() * y.norm();
  const double theta = 2 * std::atan2((x.normalized() - y.normalized()).norm(),
                                      (x.normalized() + y.normalized()).norm());
  constexpr int intervals = 1000;
  const double pi = std::acos(-1), width = (pi - theta) / intervals;
  double sum = 0;
  for (int i = 0; i <= intervals; ++i) {
    const double weight = i == 0 || i == intervals ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * std::pow(std::cos(theta) + std::cos(i * width), order);
  }
  return std::tgamma(order + 1) * std::pow(norms, order) * sum * width / 3 / pi;
}

}  // namespace

static_assert(FeatureMapFor<ArcCosineFeatures, ArcCosine>);
static_assert(!FeatureMapFor<ArcCosineFeatures, Cosine>);
static_assert(BoundFeatureMap<BoundArcCosineFeatures<float>>);
static_assert(BoundFeatureMap<BoundArcCosineFeatures<double>>);

SCALAR_TEST_CASE("ArcCosineFeatures: given directions", "[features]") {
  // The worked example of the specification, its mirror image, and a row of zeros.
  Matrix<TestType> x(3, 3);
  x << 1, 2, TestType(0.5), -1, -2, TestType(-0.5), 0, 0, 0;
  const double expected[] = {1.414213562373, 0.707106781187, 0.353553390593};
  typename BoundArcCosineFeatures<TestType>::Block block;
  block.directions.resize(1, 3);
  block.directions << TestType(0.5), TestType(-0.25), 1;
  for (int order = 0; order <= 2; ++order) {
    const auto map =
        ArcCosineFeatures{.features = 1}.bind<TestType>(ArcCosine(order), sample_bounds(x), 1);
    Matrix<TestType> z(3, 1);
    map.evaluate(block, x, z);
    CHECK(z(0, 0) == Approx(expected[order]).epsilon(sizeof(TestType) == 4 ? 1e-6 : 1e-12));
    CHECK(z(1, 0) == 0);
    CHECK(z(2, 0) == (order == 0 ? Approx(expected[1]).epsilon(1e-6) : Approx(0)));
  }
}

TEST_CASE("ArcCosineFeatures: means are the kernel, variances those of the formula",
          "[features][law]") {
  for (const int order : {0, 1}) {
    CAPTURE(order);
    const ArcCosine kernel(order), second(2 * order);
    const auto variance = [&](const auto& x, const auto& y) {
      const Matrix<double> a = x, b = y;
      return 2 * gram(second, a, b)(0, 0) - std::pow(gram(kernel, a, b)(0, 0), 2);
    };
    test::check_moments<double>(ArcCosineFeatures{}, kernel, variance);
    test::check_moments<float>(ArcCosineFeatures{}, kernel, variance);
  }
}

TEST_CASE("ArcCosineFeatures: order 2 is unbiased, with the variance of the formula",
          "[features][law]") {
  // The power q of the product p of two features has the mean 2^(q-1) k_2q, so that all moments are
  // known. Those that a few draws show would not do: the tails are heavy.
  const Matrix<double> x = test::five_points<double>();
  const Index draws = 5 * test::moment_draws;
  const auto map =
      ArcCosineFeatures{.features = draws}.bind<double>(ArcCosine(2), sample_bounds(x), 11);
  const Matrix<double> z = block_features(map, 3, x), k = gram(ArcCosine(2), x);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j <= i; ++j) {
      CAPTURE(i, j);
      const auto moment = [&](int q) {
        return std::exp2(q - 1) * arc_cosine_of_order(2 * q, x.row(i), x.row(j));
      };
      constexpr double digits = 1e-12;  // some roundings of numbers of the size of k
      CHECK(moment(1) == Approx(k(i, j)).epsilon(digits));
      const Vector<double> products = test::products_of_draws(z, draws, i, j);
      const double n = static_cast<double>(draws);
      CHECK(std::abs(products.mean() - moment(1)) <=
            test::five_sigma * std::sqrt((moment(2) - moment(1) * moment(1)) / n));
      CHECK(std::abs(products.cwiseAbs2().mean() - moment(2)) <=
            test::five_sigma * std::sqrt((moment(4) - moment(2) * moment(2)) / n));
    }
}

SCALAR_TEST_CASE("ArcCosineFeatures: a block depends on its number and the seed alone",
                 "[features][law]") {
  for (const int order : {0, 2})
    test::check_purity<TestType>(ArcCosineFeatures{.features = 21}, ArcCosine(order));
}

TEST_CASE("ArcCosineFeatures: zero samples and samples without columns", "[features]") {
  // The convention of the kernel: order 0 is 1/2 between a zero sample and any other.
  for (const Matrix<double>& x : {Matrix<double>(Matrix<double>::Zero(3, 2)), Matrix<double>(3, 0)})
    for (const int order : {0, 1}) {
      const auto map =
          ArcCosineFeatures{.features = 4}.bind<double>(ArcCosine(order), sample_bounds(x), 1);
      const Matrix<double> z = block_features(map, 0, x);
      CHECK((z * z.transpose() - gram(ArcCosine(order), x)).cwiseAbs().maxCoeff() <= 1e-15);
    }
}

SCALAR_TEST_CASE("ArcCosineFeatures: directions do not depend on the size of the samples",
                 "[features]") {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(4, 3, 5);
  const S range = sizeof(S) == 4 ? S(1e30f) : static_cast<S>(1e300);
  for (const S scale : {range, 1 / range}) {
    CAPTURE(scale);
    const Matrix<S> scaled = scale * x;
    const auto features = [](const Matrix<S>& samples, int order) {
      const auto map =
          ArcCosineFeatures{.features = 50}.bind<S>(ArcCosine(order), sample_bounds(samples), 2);
      return block_features(map, 1, samples);
    };
    CHECK((features(scaled, 0) == features(x, 0)));
    // Of order 1, features are in proportion to the samples: 3 products are rounded, and the scale.
    const S rounding = 8 * std::numeric_limits<S>::epsilon() * 10;
    CHECK((features(scaled, 1) / scale - features(x, 1)).cwiseAbs().maxCoeff() <= rounding);
  }
}

TEST_CASE("ArcCosineFeatures: settings out of range", "[features][error]") {
  CHECK(test::error_of([&] {
          return ArcCosineFeatures{.features = 0}.bind<double>(ArcCosine(1), {.dimension = 2}, 1);
        }) == "mercer::ArcCosineFeatures: features must be at least 1, got 0");
}

}  // namespace arc_cosine_features_test
