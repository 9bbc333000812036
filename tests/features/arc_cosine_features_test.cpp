// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/arc_cosine_features.hpp>

#include <cmath>

#include <mercer/kernels/radial.hpp>
#include <tests/features/feature_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

using namespace mercer;

static_assert(FeatureMapFor<ArcCosineFeatures, ArcCosine>);
static_assert(!FeatureMapFor<ArcCosineFeatures, Cosine>);
static_assert(BoundFeatureMap<BoundArcCosineFeatures<float>>);
static_assert(BoundFeatureMap<BoundArcCosineFeatures<double>>);

TEMPLATE_TEST_CASE("ArcCosineFeatures: given directions", "[features]", float, double) {
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

TEST_CASE("ArcCosineFeatures: order 2 is unbiased", "[features][law]") {
  // V <= 2 k_4(x, x) at the largest sample, which is 2 (7!! = 105) |x|^8 / 2.
  const Matrix<double> x = test::five_points<double>();
  const double largest = std::pow(x.rowwise().squaredNorm().maxCoeff(), 4);
  test::check_mean_of_blocks(ArcCosineFeatures{.features = 1000}, ArcCosine(2), x, 100,
                             2 * 105 * largest / 1000);
}

TEMPLATE_TEST_CASE("ArcCosineFeatures: a block depends on its number and the seed alone",
                   "[features][law]", float, double) {
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

TEST_CASE("ArcCosineFeatures: settings out of range", "[features][error]") {
  CHECK(test::error_of([&] {
          return ArcCosineFeatures{.features = 0}.bind<double>(ArcCosine(1), {.dimension = 2}, 1);
        }) == "mercer::ArcCosineFeatures: features must be at least 1, got 0");
}
