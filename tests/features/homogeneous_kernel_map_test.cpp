// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/homogeneous_kernel_map.hpp>

#include <cmath>

#include <mercer/kernels/inner_product.hpp>
#include <tests/features/feature_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace homogeneous_kernel_map_test {

using namespace mercer;

static_assert(FeatureMapFor<HomogeneousKernelMap, AdditiveChiSquare>);
static_assert(FeatureMapFor<HomogeneousKernelMap, Intersection>);
static_assert(!FeatureMapFor<HomogeneousKernelMap, ChiSquare>);
static_assert(!FeatureMapFor<HomogeneousKernelMap, Linear>);
static_assert(BoundFeatureMap<BoundHomogeneousKernelMap<float>>);
static_assert(BoundFeatureMap<BoundHomogeneousKernelMap<double>>);

namespace {

/// The largest error over pairs of samples.
template <Real S, class K>
double largest_error(const K& kernel, Index orders, double step, const Matrix<S>& x) {
  const auto map =
      HomogeneousKernelMap{.orders = orders, .step = step}.bind<S>(kernel, sample_bounds(x), 1);
  const Matrix<S> z = block_features(map, 0, x);
  REQUIRE(z.cols() == (2 * orders + 1) * x.cols());
  return static_cast<double>((z * z.transpose() - gram(kernel, x)).cwiseAbs().maxCoeff());
}

}  // namespace

TEST_CASE("HomogeneousKernelMap: errors at the points of the specification", "[features]") {
  const Matrix<double> x = test::five_histograms<double>();
  const AdditiveChiSquare chi_square;
  // To the digits printed there.
  CHECK(largest_error(chi_square, 1, 0.8, x) == Approx(0.155).margin(5e-4));
  CHECK(largest_error(chi_square, 3, 0.5, x) == Approx(1.6e-2).margin(5e-4));
  CHECK(largest_error(chi_square, 10, 0.3, x) == Approx(2.5e-4).margin(5e-6));
  CHECK(largest_error(chi_square, 100, 0.1, x) <= 2.5e-13);
  CHECK(largest_error(chi_square, 100, 0.1, test::five_histograms<float>()) <= 1e-5);
  CHECK(largest_error(Intersection{}, 10, 0.3, x) == Approx(0.235).margin(5e-4));
  CHECK(largest_error(Intersection{}, 100, 0.1, x) == Approx(0.074).margin(5e-4));
}

TEST_CASE("HomogeneousKernelMap: errors for one coordinate in [0, 1]", "[features]") {
  Matrix<double> x(101, 1);
  for (Index i = 0; i < 101; ++i) x(i, 0) = static_cast<double>(i) / 100;
  CHECK(largest_error(AdditiveChiSquare{}, 1, 0.8, x) <= 0.06);
  CHECK(largest_error(AdditiveChiSquare{}, 3, 0.5, x) <= 0.007);
  CHECK(largest_error(AdditiveChiSquare{}, 10, 0.3, x) <= 1.25e-4);
  CHECK(largest_error(AdditiveChiSquare{}, 100, 0.1, x) <= 1e-12);
  CHECK(largest_error(Intersection{}, 10, 0.3, x) <= 0.101);
}

TEST_CASE("HomogeneousKernelMap: sums over coordinates", "[features]") {
  const Matrix<double> x = test::uniform_samples<double>(20, 6, 3, 0, 1);
  const auto map = HomogeneousKernelMap{.orders = 100, .step = 0.1}.bind<double>(
      AdditiveChiSquare{}, sample_bounds(x), 1);
  const Matrix<double> z = block_features(map, 0, x);
  CHECK((z * z.transpose() - gram(AdditiveChiSquare{}, x)).cwiseAbs().maxCoeff() <= 1e-11);
}

SCALAR_TEST_CASE("HomogeneousKernelMap: every block is the same", "[features][law]") {
  const Matrix<TestType> x = test::samples_for_purity<TestType>().cwiseAbs().leftCols(5);
  test::check_purity<TestType>(HomogeneousKernelMap{}, Intersection{}, x);
}

SCALAR_TEST_CASE("HomogeneousKernelMap: zeros, and entries of any size", "[features]") {
  Matrix<TestType> x(4, 1);
  x << 0, TestType(1e-35), 1, TestType(1e35);
  const auto map = HomogeneousKernelMap{}.bind<TestType>(AdditiveChiSquare{}, sample_bounds(x), 1);
  const Matrix<TestType> z = block_features(map, 0, x);
  CHECK(z.allFinite());
  CHECK(z.row(0).isZero(0));
  // k(x, x) = x up to the error of the sum, whatever the size.
  const Vector<TestType> ratios =
      z.bottomRows(3).rowwise().norm().cwiseQuotient(x.bottomRows(3).cwiseSqrt());
  CHECK((ratios.array() - 1).abs().maxCoeff() <= TestType(0.02));
}

TEST_CASE("HomogeneousKernelMap: settings out of range", "[features][error]") {
  const auto bound_with = [](HomogeneousKernelMap map) {
    return test::error_of(
        [&] { return map.bind<double>(AdditiveChiSquare{}, {.dimension = 2}, 1); });
  };
  CHECK(bound_with({.orders = -1, .step = 1}) ==
        "mercer::HomogeneousKernelMap: orders must be at least 0, got -1");
  CHECK(bound_with({.orders = 1, .step = 0}) ==
        "mercer::HomogeneousKernelMap: step must be positive and finite, got 0");
}

}  // namespace homogeneous_kernel_map_test
