// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/chi_square_features.hpp>

#include <cmath>

#include <tests/features/feature_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace chi_square_features_test {

using namespace mercer;

static_assert(FeatureMapFor<ChiSquareFeatures, ChiSquare>);
static_assert(!FeatureMapFor<ChiSquareFeatures, AdditiveChiSquare>);
static_assert(BoundFeatureMap<BoundChiSquareFeatures<float>>);
static_assert(BoundFeatureMap<BoundChiSquareFeatures<double>>);

TEST_CASE("ChiSquareFeatures: means are the kernel, variances those of a Gaussian",
          "[features][law]") {
  // Of the Gaussian: (1 - k^2)^2 / 2 and 1 + k^4 / 2 - k^2. The bias of the additive map is far
  // below five standard errors.
  const auto at = [](const auto& x, const auto& y) {
    return gram(ChiSquare(0.5), Matrix<double>(x), Matrix<double>(y))(0, 0);
  };
  const HomogeneousKernelMap fine{.orders = 20, .step = 0.2};
  const Index draws = test::moment_draws / 4;  // of 41 d numbers each
  test::check_moments<double>(
      ChiSquareFeatures{.additive = fine}, ChiSquare(0.5),
      [&](const auto& x, const auto& y) { return std::pow(1 - std::pow(at(x, y), 2), 2) / 2; },
      test::five_histograms<double>(), draws);
  test::check_moments<float>(
      ChiSquareFeatures{.form = FourierForm::Phase, .additive = fine}, ChiSquare(0.5),
      [&](const auto& x, const auto& y) {
        return 1 + std::pow(at(x, y), 4) / 2 - std::pow(at(x, y), 2);
      },
      test::five_histograms<float>(), draws);
}

SCALAR_TEST_CASE("ChiSquareFeatures: a block depends on its number and the seed alone",
                 "[features][law]") {
  const Matrix<TestType> x = test::samples_for_purity<TestType>().cwiseAbs().leftCols(2);
  test::check_purity<TestType>(ChiSquareFeatures{.features = 4}, ChiSquare(1), x);
}

TEST_CASE("ChiSquareFeatures: zero samples are equal", "[features]") {
  const Matrix<double> x = Matrix<double>::Zero(3, 2);
  const auto map = ChiSquareFeatures{.features = 4}.bind<double>(ChiSquare(1), sample_bounds(x), 1);
  const Matrix<double> z = block_features(map, 0, x);
  CHECK((z * z.transpose() - Matrix<double>::Ones(3, 3)).cwiseAbs().maxCoeff() <= 1e-15);
}

TEST_CASE("ChiSquareFeatures: settings out of range", "[features][error]") {
  CHECK(test::error_of([&] {
          return ChiSquareFeatures{.features = 0}.bind<double>(ChiSquare(1), {.dimension = 2}, 1);
        }) == "mercer::ChiSquareFeatures: features must be at least 1, got 0");
}

}  // namespace chi_square_features_test
