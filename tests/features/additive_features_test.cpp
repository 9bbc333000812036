// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/additive_features.hpp>

#include <algorithm>
#include <cmath>

#include <mercer/kernels/inner_product.hpp>
#include <tests/features/feature_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace additive_features_test {

using namespace mercer;

static_assert(FeatureMapFor<AdditiveFeatures, AdditiveChiSquare>);
static_assert(FeatureMapFor<AdditiveFeatures, Intersection>);
static_assert(!FeatureMapFor<AdditiveFeatures, ChiSquare>);
static_assert(!FeatureMapFor<AdditiveFeatures, Linear>);
static_assert(BoundFeatureMap<BoundAdditiveFeatures<float>>);
static_assert(BoundFeatureMap<BoundAdditiveFeatures<double>>);

TEST_CASE("AdditiveFeatures: spectra", "[features]") {
  const HomogeneousSpectrum sech = homogeneous_spectrum(AdditiveChiSquare{});
  CHECK(sech.quantile(0.9) == Approx(0.586559187613).epsilon(1e-11));
  CHECK(sech.density(0) == 1);
  const HomogeneousSpectrum cauchy = homogeneous_spectrum(Intersection{});
  CHECK(cauchy.quantile(0.9) == Approx(3.077683537175 / 2).epsilon(1e-11));
  // The density is the slope of the distribution function.
  for (const HomogeneousSpectrum& spectrum : {sech, cauchy})
    for (const double u : {0.1, 0.4, 0.5, 0.8}) {
      const double h = 1e-4;
      const double slope = (spectrum.quantile(u + h) - spectrum.quantile(u - h)) / (2 * h);
      CHECK(spectrum.density(spectrum.quantile(u)) == Approx(1 / slope).epsilon(1e-5));
    }
}

SCALAR_TEST_CASE("AdditiveFeatures: given numbers", "[features]") {
  Matrix<TestType> x(1, 2);
  x << 4, 0;
  typename BoundAdditiveFeatures<TestType>::Block block;
  block.numbers.resize(1, 2);
  block.numbers << 2, 3;
  const double angle = 2 * std::log(4.0);
  Matrix<TestType> z(1, 4);
  AdditiveFeatures{.features = 1}
      .bind<TestType>(AdditiveChiSquare{}, sample_bounds(x), 1)
      .evaluate(block, x, z);
  CHECK(z(0, 0) == Approx(2 * std::cos(angle)).epsilon(1e-5));
  CHECK(z(0, 1) == Approx(2 * std::sin(angle)).epsilon(1e-5));
  CHECK((z(0, 2) == 0 && z(0, 3) == 0));
  Matrix<TestType> steps(1, 2);
  AdditiveFeatures{.features = 1, .form = AdditiveForm::Threshold}
      .bind<TestType>(Intersection{}, sample_bounds(x), 1)
      .evaluate(block, x, steps);
  CHECK((steps(0, 0) == 2 && steps(0, 1) == 0));
}

TEST_CASE("AdditiveFeatures: means are the kernel, variances those of the formula",
          "[features][law]") {
  const auto check = [](const auto& kernel, const auto& profile) {
    const auto variance = [&](const auto& x, const auto& y) {
      double sum = 0;
      for (Index j = 0; j < x.size(); ++j) {
        const double t = std::log(x(j) / y(j));
        sum += x(j) * y(j) * ((1 + profile(2 * t)) / 2 - std::pow(profile(t), 2));
      }
      return sum;
    };
    test::check_moments<double>(AdditiveFeatures{}, kernel, variance,
                                test::five_histograms<double>());
    test::check_moments<float>(AdditiveFeatures{}, kernel, variance,
                               test::five_histograms<float>());
  };
  SECTION("AdditiveChiSquare") {
    check(AdditiveChiSquare{}, [](double t) { return 1 / std::cosh(t / 2); });
  }
  SECTION("Intersection") {
    check(Intersection{}, [](double t) { return std::exp(-std::abs(t) / 2); });
  }
  SECTION("Intersection by thresholds") {
    const Matrix<double> x = test::five_histograms<double>();
    const double largest = sample_bounds(x).radius;
    const auto variance = [&](const auto& a, const auto& b) {
      double sum = 0;
      for (Index j = 0; j < a.size(); ++j) {
        const double least = (std::min)(a(j), b(j));
        sum += largest * least - least * least;
      }
      return sum;
    };
    const AdditiveFeatures thresholds{.form = AdditiveForm::Threshold};
    test::check_moments<double>(thresholds, Intersection{}, variance, x);
    test::check_moments<float>(thresholds, Intersection{}, variance,
                               test::five_histograms<float>());
  }
}

SCALAR_TEST_CASE("AdditiveFeatures: a block depends on its number and the seed alone",
                 "[features][law]") {
  const Matrix<TestType> x = test::samples_for_purity<TestType>().cwiseAbs().leftCols(5);
  SECTION("spectral") {
    test::check_purity<TestType>(AdditiveFeatures{.features = 3}, Intersection{}, x);
  }
  SECTION("threshold") {
    test::check_purity<TestType>(AdditiveFeatures{.features = 3, .form = AdditiveForm::Threshold},
                                 Intersection{}, x);
  }
}

SCALAR_TEST_CASE("AdditiveFeatures: zeros, entries of any size, and an exact diagonal",
                 "[features]") {
  Matrix<TestType> x(4, 1);
  x << 0, TestType(1e-35), 1, TestType(1e30);
  const auto spectral = AdditiveFeatures{}.bind<TestType>(Intersection{}, sample_bounds(x), 1);
  const Matrix<TestType> z = block_features(spectral, 0, x);
  CHECK(z.row(0).isZero(0));
  for (Index i = 0; i < 4; ++i)
    CHECK(z.row(i).stableNorm() == Approx(std::sqrt(x(i, 0))).epsilon(1e-5));
  const auto threshold = AdditiveFeatures{.form = AdditiveForm::Threshold}.bind<TestType>(
      Intersection{}, sample_bounds(x), 1);
  const Matrix<TestType> steps = block_features(threshold, 0, x);
  CHECK(steps.row(0).isZero(0));
  CHECK(steps.row(3).stableNorm() == Approx(std::sqrt(x(3, 0))).epsilon(1e-5));
}

TEST_CASE("AdditiveFeatures: settings out of range", "[features][error]") {
  const SampleBounds bounds{.dimension = 2};
  CHECK(test::error_of([&] {
          return AdditiveFeatures{.features = 0}.bind<double>(Intersection{}, bounds, 1);
        }) == "mercer::AdditiveFeatures: features must be at least 1, got 0");
  CHECK(test::error_of([&] {
          return AdditiveFeatures{.form = AdditiveForm::Threshold}.bind<double>(AdditiveChiSquare{},
                                                                                bounds, 1);
        }) == "mercer::AdditiveFeatures: the threshold form is for Intersection only");
}

TEST_CASE("AdditiveFeatures: thresholds of large samples", "[features]") {
  const Matrix<double> x = test::uniform_samples<double>(30, 3, 8, 0.1, 1);
  const auto features_of = [&](const Matrix<double>& samples) {
    const auto map = AdditiveFeatures{.features = 9, .form = AdditiveForm::Threshold}.bind<double>(
        Intersection{}, sample_bounds(samples), 1);
    return block_features(map, 0, samples);
  };
  for (const int exponent : {-900, 700, 1000}) {
    const double scale = std::ldexp(1.0, exponent);
    CHECK(features_of(scale * x) == std::sqrt(scale) * features_of(x));
  }
}

}  // namespace additive_features_test
