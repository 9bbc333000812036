// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/random_laplace.hpp>

#include <cmath>
#include <limits>

#include <mercer/kernels/radial.hpp>
#include <tests/features/feature_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace random_laplace_test {

using namespace mercer;

static_assert(FeatureMapFor<RandomLaplace, ExponentialSemigroup>);
static_assert(FeatureMapFor<RandomLaplace, ReciprocalSemigroup>);
static_assert(!FeatureMapFor<RandomLaplace, Gaussian> && !FeatureMapFor<RandomLaplace, ChiSquare>);
static_assert(BoundFeatureMap<BoundRandomLaplace<float>>);
static_assert(BoundFeatureMap<BoundRandomLaplace<double>>);

SCALAR_TEST_CASE("RandomLaplace: given frequencies", "[features]") {
  // The worked example of the specification; a second feature beside it.
  Matrix<TestType> x(1, 3);
  x << TestType(0.2), TestType(0.3), TestType(0.5);
  const auto map =
      RandomLaplace{.features = 2}.bind<TestType>(ReciprocalSemigroup(1), sample_bounds(x), 1);
  typename BoundRandomLaplace<TestType>::Block block;
  block.directions.resize(2, 3);
  block.directions << 1, TestType(0.5), 2, 0, 0, 0;
  Matrix<TestType> z(1, 2);
  map.evaluate(block, x, z);
  const double tolerance = sizeof(TestType) == 4 ? 1e-6 : 1e-11;
  CHECK(z(0, 0) == Approx(0.259240260646 / std::sqrt(2.0)).epsilon(tolerance));
  CHECK(z(0, 1) == Approx(1 / std::sqrt(2.0)).epsilon(tolerance));
}

TEST_CASE("RandomLaplace: quantiles of one coordinate", "[features]") {
  // 1 / n^2 of the normal quantile n = -1.5 and half of its probability; -log(1 - u).
  const double below = 0.5 * std::erfc(1.5 / std::sqrt(2.0));
  const SpectralDensity levy = laplace_density(ExponentialSemigroup(1));
  CHECK(levy.scale * levy.coordinate(2 * below) == Approx(0.222222222222).epsilon(1e-11));
  const SpectralDensity exponential = laplace_density(ReciprocalSemigroup(2));
  CHECK(exponential.scale * exponential.coordinate(0.9) ==
        Approx(std::log(10.0) / 2).epsilon(1e-14));
}

TEST_CASE("RandomLaplace: means are the kernel, variances those of the formula",
          "[features][law]") {
  const auto check = [](const auto& kernel) {
    // The second moment is the kernel at twice the samples.
    const auto variance = [&](const auto& x, const auto& y) {
      const auto at = [&](double factor) {
        return gram(kernel, Matrix<double>(factor * x), Matrix<double>(factor * y))(0, 0);
      };
      return at(2) - std::pow(at(1), 2);
    };
    test::check_moments<double>(RandomLaplace{}, kernel, variance, test::five_histograms<double>());
    test::check_moments<float>(RandomLaplace{}, kernel, variance, test::five_histograms<float>());
    test::check_mean_of_blocks(RandomLaplace{.features = 7, .sampling = Sampling::QuasiRandom},
                               kernel, test::five_histograms<double>(), 300, 1.0 / 7);
  };
  SECTION("ExponentialSemigroup") {
    check(ExponentialSemigroup(0.5));
  }
  SECTION("ReciprocalSemigroup") {
    check(ReciprocalSemigroup(2));
  }
}

SCALAR_TEST_CASE("RandomLaplace: a block depends on its number and the seed alone",
                 "[features][law]") {
  const Matrix<TestType> x = test::samples_for_purity<TestType>().cwiseAbs() / 30;
  SECTION("ExponentialSemigroup") {
    test::check_purity<TestType>(RandomLaplace{.features = 21}, ExponentialSemigroup(0.2), x);
  }
  SECTION("ReciprocalSemigroup, quasi-random") {
    test::check_purity<TestType>(RandomLaplace{.features = 5, .sampling = Sampling::QuasiRandom},
                                 ReciprocalSemigroup(1), x);
  }
}

SCALAR_TEST_CASE("RandomLaplace: one coordinate, zeros, and scales of any size", "[features]") {
  Matrix<TestType> x(4, 1);
  x << 0, TestType(1e-30), 1, TestType(1e30);
  const auto check = [&](const auto& kernel) {
    const auto map = RandomLaplace{.features = 50}.bind<TestType>(kernel, sample_bounds(x), 3);
    const Matrix<TestType> z = block_features(map, 0, x);
    CHECK((z.allFinite() && z.minCoeff() >= 0));
    // exp(0) of a zero sample, whatever the frequency.
    CHECK(z.row(0).squaredNorm() == Approx(1).epsilon(1e-5));
    CHECK(z.row(0).maxCoeff() >= z.maxCoeff());
  };
  for (const double scale : {1e-200, 1e-20, 1.0, 1e20, 1e150}) {
    check(ExponentialSemigroup(scale));
    check(ReciprocalSemigroup(scale));
  }
}

SCALAR_TEST_CASE("RandomLaplace: a huge sample does not change the features of others",
                 "[features][law]") {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(9, 3, 3, 0, 1);
  const S most = (std::numeric_limits<S>::max)();
  const auto check = [&](const auto& kernel) {
    const RandomLaplace settings{.features = 200};
    const auto bound = settings.bind<S>(kernel, sample_bounds(x), 1);
    for (const S size : {std::sqrt(most), S(9.97e36F), most}) {
      CAPTURE(size, kernel.describe());
      Matrix<S> with(10, 3);
      with << x, Matrix<S>::Constant(1, 3, size);
      const auto other = settings.bind<S>(kernel, sample_bounds(with), 1);
      const Matrix<S> z = block_features(other, 0, with);
      CHECK(z.topRows(9) == block_features(bound, 0, x));
      CHECK(z.row(9).maxCoeff() <= std::numeric_limits<S>::epsilon());
      CHECK(z.row(9).minCoeff() >= 0);
      const Matrix<S> sparse = block_features(other, 0, SparseMatrix<S>(with.sparseView()));
      CHECK(sparse.row(9).maxCoeff() <= std::numeric_limits<S>::epsilon());
      CHECK(sparse.allFinite());
    }
  };
  check(ExponentialSemigroup(1));
  check(ReciprocalSemigroup(1));
}

TEST_CASE("RandomLaplace: settings out of range", "[features][error]") {
  CHECK(test::error_of([&] {
          return RandomLaplace{.features = 0}.bind<double>(ReciprocalSemigroup(1), {.dimension = 2},
                                                           1);
        }) == "mercer::RandomLaplace: features must be at least 1, got 0");
}

}  // namespace random_laplace_test
