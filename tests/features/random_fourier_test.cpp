// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/random_fourier.hpp>

#include <cmath>
#include <limits>

#include <mercer/kernels/composite.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/features/feature_checks.hpp>
#include <tests/features/isotropic_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/x4.hpp>

namespace random_fourier_test {

using namespace mercer;

namespace user {

/// cos(x - y) on the line: all of the spectral density sits at -1 and 1.
struct Cosine {
  template <class X>
  void gram(const X& x, const X& y, GramOut<typename X::Scalar> out) const {
    for (Index j = 0; j < out.cols(); ++j)
      for (Index i = 0; i < out.rows(); ++i) out(i, j) = std::cos(x(i, 0) - y(j, 0));
  }
};

SpectralDensity spectral_density(const Cosine&) {
  return {.scale = 1, .coordinate = [](double u) { return u < 0.5 ? -1 : 1; }, .mixture = {}};
}

}  // namespace user

static_assert(FeatureMapFor<RandomFourier, Gaussian> && FeatureMapFor<RandomFourier, Laplacian>);
static_assert(!FeatureMapFor<RandomFourier, Linear> && !FeatureMapFor<RandomFourier, Polynomial>);
static_assert(!FeatureMapFor<RandomFourier, Sum<Gaussian, Gaussian>>);
static_assert(FeatureMapFor<RandomFourier, user::Cosine>);
static_assert(BoundFeatureMap<BoundRandomFourier<float>>);
static_assert(BoundFeatureMap<BoundRandomFourier<double>>);

SCALAR_TEST_CASE("RandomFourier: given frequencies", "[features]") {
  // Worked by hand in the specification to 12 digits; float has a few roundings of 6e-8.
  const double tolerance = sizeof(TestType) == 4 ? 1e-6 : 1e-12;
  const Matrix<TestType> x = test::x4<TestType>();
  FourierBlock<TestType> block;
  block.frequencies.resize(2, 2);
  block.frequencies << TestType(0.5), -1, 2, TestType(0.25);

  const auto paired = RandomFourier{.features = 2}.bind<TestType>(Gaussian{1}, sample_bounds(x), 1);
  Matrix<TestType> z(4, paired.columns());
  paired.evaluate(block, x, z);
  Matrix<double> row(1, 4);
  row << 0.620544580564, -0.294260250092, 0.339005049421, 0.642970376624;
  CHECK((z.row(1).template cast<double>() - row).cwiseAbs().maxCoeff() <= tolerance);

  const auto phase = RandomFourier{.features = 2, .form = FourierForm::Phase}.bind<TestType>(
      Gaussian{1}, sample_bounds(x), 1);
  block.phases.resize(2);
  block.phases << TestType(0.3), 5;
  Matrix<TestType> y(4, phase.columns());
  phase.evaluate(block, x, y);
  Matrix<double> expected(4, 2);
  expected << 0.955336489126, 0.283662185463, 0.696706709347, 0.753902254343, -0.128844494296,
      0.708669774291, 0.998750260395, -0.385747937452;
  CHECK((y.template cast<double>() - expected).cwiseAbs().maxCoeff() <= tolerance);
}

TEST_CASE("RandomFourier: means are the kernel, variances those of the formula",
          "[features][law]") {
  const auto check = [](const auto& kernel) {
    // k at one and at two times the difference of two samples.
    const auto at = [&](const auto& x, const auto& y, double factor) {
      const Matrix<double> difference = factor * (x - y);
      const Matrix<double> origin = Matrix<double>::Zero(1, difference.cols());
      return gram(kernel, difference, origin)(0, 0);
    };
    test::check_moments<double>(RandomFourier{}, kernel, [&](const auto& x, const auto& y) {
      return (1 + at(x, y, 2)) / 2 - std::pow(at(x, y, 1), 2);
    });
    test::check_moments<float>(RandomFourier{.form = FourierForm::Phase}, kernel,
                               [&](const auto& x, const auto& y) {
                                 return 1 + at(x, y, 2) / 2 - std::pow(at(x, y, 1), 2);
                               });
  };
  SECTION("Gaussian") {
    check(Gaussian(0.8));
  }
  SECTION("Laplacian") {
    check(Laplacian(0.4));
  }
  SECTION("Cauchy") {
    check(Cauchy(1));
  }
  SECTION("Matern of order 1/2") {
    check(Matern({.nu = 0.5, .length = 1.5}));
  }
  SECTION("Matern of order 2.3") {
    check(Matern({.nu = 2.3, .length = 1}));
  }
  SECTION("RationalQuadratic") {
    check(RationalQuadratic({.alpha = 0.7, .length = 0.9}));
  }
  SECTION("RationalQuadratic near the Gaussian") {
    check(RationalQuadratic({.alpha = 1e20, .length = 0.9}));
  }
}

TEST_CASE("RandomFourier: quasi-random frequencies are unbiased", "[features][law]") {
  // Seven frequencies are far from even: means over many blocks are what counts. The variance of a
  // block is at most that of seven independent frequencies, 3/2/7, but for rounding.
  const auto check = [](const auto& kernel) {
    for (const FourierForm form : {FourierForm::Paired, FourierForm::Phase})
      test::check_mean_of_blocks(
          RandomFourier{.features = 7, .form = form, .sampling = Sampling::QuasiRandom}, kernel,
          test::five_points<double>(), 300, 1.5 / 7);
  };
  SECTION("Gaussian") {
    check(Gaussian(0.8));
  }
  SECTION("Cauchy") {
    check(Cauchy(1));
  }
  SECTION("Matern") {
    check(Matern({.nu = 2.3, .length = 1}));
  }
  SECTION("RationalQuadratic") {
    check(RationalQuadratic({.alpha = 0.7, .length = 0.9}));
  }
}

TEST_CASE("RandomFourier: quasi-random frequencies have a fraction of the error", "[features]") {
  const Matrix<double> x = test::five_points<double>();
  const Matrix<double> k = gram(Gaussian(1), x);
  const auto mean_worst_error = [&](Sampling sampling) {
    const auto map = RandomFourier{.features = 1024, .sampling = sampling}.bind<double>(
        Gaussian(1), sample_bounds(x), test::feature_seed);
    double sum = 0;
    for (std::uint64_t b = 0; b < 10; ++b) {
      const Matrix<double> z = block_features(map, b, x);
      sum += (z * z.transpose() - k).cwiseAbs().maxCoeff();
    }
    return sum / 10;
  };
  CHECK(4 * mean_worst_error(Sampling::QuasiRandom) < mean_worst_error(Sampling::Independent));
}

TEST_CASE("RandomFourier: every block is an estimate of its own", "[features][law]") {
  // The variance of one draw is at most 3/2.
  for (const FourierForm form : {FourierForm::Paired, FourierForm::Phase})
    test::check_mean_of_blocks(RandomFourier{.features = 2, .form = form}, Gaussian(0.8),
                               test::five_points<double>(), 1000, 1.5 / 2);
}

SCALAR_TEST_CASE("RandomFourier: a block depends on its number and the seed alone",
                 "[features][law]") {
  SECTION("Gaussian, paired") {
    test::check_purity<TestType>(RandomFourier{.features = 21}, Gaussian(0.7));
  }
  SECTION("Matern, phase") {
    test::check_purity<TestType>(RandomFourier{.features = 21, .form = FourierForm::Phase},
                                 Matern());
  }
  SECTION("one feature") {
    test::check_purity<TestType>(RandomFourier{.features = 1}, Cauchy(2));
  }
  SECTION("quasi-random, more than one panel") {
    test::check_purity<TestType>(
        RandomFourier{.features = detail::panel_size + 3, .sampling = Sampling::QuasiRandom},
        RationalQuadratic());
  }
}

TEST_CASE("RandomFourier: a larger block begins with the frequencies of a smaller one",
          "[features]") {
  const SampleBounds bounds{.dimension = 3};
  FourierBlock<double> small, large;
  for (const FourierForm form : {FourierForm::Paired, FourierForm::Phase}) {
    RandomFourier{.features = 5, .form = form}.bind<double>(Matern(), bounds, 1).draw(2, small);
    RandomFourier{.features = 40, .form = form}.bind<double>(Matern(), bounds, 1).draw(2, large);
    CHECK(large.frequencies.topRows(5) == small.frequencies);
    CHECK(large.phases.head(small.phases.size()) == small.phases);
  }
}

SCALAR_TEST_CASE("RandomFourier: k(x, x) is exact in the paired form", "[features][law]") {
  const Matrix<TestType> x = test::uniform_samples<TestType>(30, 4, 8, -5, 5);
  const auto map = RandomFourier{.features = 64}.bind<TestType>(Laplacian(2), sample_bounds(x), 3);
  const Vector<TestType> squares = block_features(map, 0, x).rowwise().squaredNorm();
  // Of 64 sums cos^2 + sin^2, each good to 4 epsilon.
  CHECK((squares.array() - 1).abs().maxCoeff() <= 16 * std::numeric_limits<TestType>::epsilon());
}

SCALAR_TEST_CASE("RandomFourier: features are finite for any scale and tail", "[features]") {
  const Matrix<TestType> x = test::uniform_samples<TestType>(10, 3, 8, -1e6, 1e6);
  const auto check = [&](const auto& kernel) {
    const auto map = RandomFourier{.features = 200}.bind<TestType>(kernel, sample_bounds(x), 3);
    CHECK(block_features(map, 0, x).allFinite());
  };
  check(Gaussian(1e-300));
  check(Gaussian(1e300));
  check(Laplacian(1e300));
  check(Cauchy(1e-300));
  check(Matern({.nu = 0.5, .length = 1e-300}));
  check(RationalQuadratic({.alpha = 1e-6, .length = 1e-30}));
  check(RationalQuadratic({.alpha = 1e300, .length = 1}));
}

SCALAR_TEST_CASE("RandomFourier: a huge sample does not change the features of others",
                 "[features][law]") {
  test::check_huge_rows_of_forms<TestType, RandomFourier>(Gaussian(1));
  test::check_huge_rows_of_forms<TestType, RandomFourier>(Matern({.nu = 0.5, .length = 0.1}));
  test::check_huge_rows_of_forms<TestType, RandomFourier>(Laplacian(3));
}

TEST_CASE("RandomFourier: samples without columns are all the same", "[features]") {
  const Matrix<double> x(300, 0);
  const auto map = RandomFourier{.features = 3}.bind<double>(Gaussian{1}, sample_bounds(x), 1);
  const Matrix<double> z = block_features(map, 0, x);
  CHECK((z * z.transpose() - Matrix<double>::Ones(300, 300)).cwiseAbs().maxCoeff() <= 1e-15);
  CHECK(block_features(map, 0, SparseMatrix<double>(x.sparseView())) == z);
}

TEST_CASE("RandomFourier: a kernel of one's own", "[features]") {
  const Matrix<double> x = test::uniform_samples<double>(6, 1, 5, -3, 3);
  const auto map = RandomFourier{.features = 4}.bind<double>(user::Cosine{}, sample_bounds(x), 1);
  const Matrix<double> z = block_features(map, 0, x);
  // Every frequency gives the kernel without error.
  CHECK((z * z.transpose() - gram(user::Cosine{}, x)).cwiseAbs().maxCoeff() <= 1e-14);
}

TEST_CASE("RandomFourier: settings out of range", "[features][error]") {
  const SampleBounds bounds{.dimension = 2};
  for (const double radius : {-1.0, HUGE_VAL, std::nan("")})
    CHECK(test::error_of([&] {
            return RandomFourier{}.bind<double>(Gaussian{1}, {.dimension = 2, .radius = radius}, 1);
          }) == "mercer::RandomFourier: radius must be finite and not negative, got " +
                    detail::to_text(radius));
  CHECK(test::error_of([&] {
          return RandomFourier{.features = 0}.bind<double>(Gaussian{1}, bounds, 1);
        }) == "mercer::RandomFourier: features must be at least 1, got 0");
}

TEST_CASE("RandomFourier: narrow kernels of small samples", "[features]") {
  // A power of two in the samples and in the width changes nothing, to the last bit.
  const Matrix<double> x = test::uniform_samples<double>(30, 3, 8);
  const auto features_of = [&](int exponent) {
    const double scale = std::ldexp(1.0, exponent);
    const Matrix<double> samples = scale * x;
    const auto map =
        RandomFourier{.features = 20}.bind<double>(Gaussian(scale), sample_bounds(samples), 1);
    return block_features(map, 0, samples);
  };
  for (const int exponent : {-900, -600, 600, 900}) CHECK(features_of(exponent) == features_of(0));
}

}  // namespace random_fourier_test
