// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/random_maclaurin.hpp>

#include <cmath>
#include <functional>
#include <limits>

#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/features/feature_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace random_maclaurin_test {

using namespace mercer;

namespace user {

/// 1 + (x . y)^2 / 4
struct EvenSquare {
  template <class X>
  void gram(const X& x, const X& y, GramOut<typename X::Scalar> out) const {
    out = x * y.transpose();
    out = out.array().square() / 4 + 1;
  }
};

MaclaurinSeries maclaurin_series(const EvenSquare&) {
  return {[](Index m) { return m == 0 ? 0 : m == 2 ? std::log(0.25) : detail::log_zero; }, 2};
}

}  // namespace user

static_assert(FeatureMapFor<RandomMaclaurin, Linear> && FeatureMapFor<RandomMaclaurin, Polynomial>);
static_assert(!FeatureMapFor<RandomMaclaurin, Sigmoid>);
static_assert(!FeatureMapFor<RandomMaclaurin, Gaussian>);
static_assert(FeatureMapFor<RandomMaclaurin, user::EvenSquare>);
static_assert(BoundFeatureMap<BoundRandomMaclaurin<float>>);
static_assert(BoundFeatureMap<BoundRandomMaclaurin<double>>);

SCALAR_TEST_CASE("RandomMaclaurin: given degree and directions", "[features]") {
  // The worked example of the specification; a second feature of degree 0 beside it.
  Matrix<TestType> x(1, 3);
  x << 1, 2, TestType(0.5);
  const auto map =
      RandomMaclaurin{.features = 2}.bind<TestType>(ExponentialDot(0.5), sample_bounds(x), 1);
  MaclaurinBlock<TestType> block;
  block.first = {0, 2, 2};
  block.directions.resize(3, 3);  // one row more than is in use
  block.directions << 1, -1, 1, -1, -1, 1, 9, 9, 9;
  block.weights.resize(2);
  block.weights << 1, 3;
  Matrix<TestType> z(1, 2);
  map.evaluate(block, x, z);
  CHECK(z(0, 0) == Approx(1.25 / std::sqrt(2.0)).epsilon(1e-6));
  CHECK(z(0, 1) == Approx(3 / std::sqrt(2.0)).epsilon(1e-6));
  map.evaluate(block, SparseMatrix<TestType>(x.sparseView()), z);
  CHECK(z(0, 0) == Approx(1.25 / std::sqrt(2.0)).epsilon(1e-6));
}

TEST_CASE("RandomMaclaurin: weights and directions of a drawn block", "[features]") {
  const double radius = 1.5, gamma = 0.5;
  const SampleBounds bounds{.dimension = 70, .radius = radius};
  MaclaurinBlock<double> block;
  // Weights are (a_N R^2N / P(N))^(1/2), and the +-1/R of the directions take R^N out again.
  const auto check = [&](DegreeLaw law, const std::function<double(double)>& probability) {
    const RandomMaclaurin settings{.features = 200, .law = law};
    settings.bind<double>(ExponentialDot(gamma), bounds, 7).draw(4, block);
    for (std::size_t j = 0; j < 200; ++j) {
      const auto degree = static_cast<double>(block.first[j + 1] - block.first[j]);
      const double a = std::pow(gamma, degree) / std::tgamma(degree + 1);
      const double weight = std::sqrt(a * std::pow(radius, 2 * degree) / probability(degree));
      CHECK(block.weights(static_cast<Index>(j)) == Approx(weight).epsilon(1e-6));
    }
    const Matrix<double> used = block.directions.topRows(block.first.back());
    CHECK((used.cwiseAbs().array() == 1 / radius).all());
    // Of some 12000 signs, five standard errors.
    CHECK(std::abs(used.mean() * radius) <=
          test::five_sigma / std::sqrt(static_cast<double>(used.size())));
  };
  check(DegreeLaw::Geometric, [](double m) { return std::exp2(-m - 1); });
  const double t = gamma * radius * radius;
  check(DegreeLaw::Proportional,
        [t](double m) { return std::exp(-t) * std::pow(t, m) / std::tgamma(m + 1); });
}

TEST_CASE("RandomMaclaurin: means are the kernel, variances those of the formula",
          "[features][law]") {
  const Matrix<double> samples = test::five_points<double>();
  const double square = samples.rowwise().squaredNorm().maxCoeff();
  // V = sum_m a_m^2 c^m / P(m) - k^2.
  const auto check = [&](const auto& kernel, Index terms) {
    const MaclaurinSeries series = maclaurin_series(kernel);
    for (const DegreeLaw law : {DegreeLaw::Proportional, DegreeLaw::Geometric}) {
      CAPTURE(static_cast<int>(law));
      Vector<double> a(terms), p(terms);
      for (Index m = 0; m < terms; ++m) {
        a(m) = std::exp(series.log_coefficient(m));
        const auto power = static_cast<double>(m);
        p(m) = law == DegreeLaw::Proportional ? a(m) * std::pow(square, power)
                                              : (a(m) > 0 ? std::exp2(-power) : 0);
      }
      p /= p.sum();
      const auto variance = [&](const auto& x, const auto& y) {
        const double inner = x.dot(y);
        const double c = x.squaredNorm() * y.squaredNorm() + 2 * inner * inner -
                         2 * x.cwiseProduct(y).squaredNorm();
        double sum = 0, k = 0;
        for (Index m = 0; m < terms; ++m) {
          const auto power = static_cast<double>(m);
          if (p(m) > 0) sum += a(m) * a(m) / p(m) * std::pow(c, power);
          k += a(m) * std::pow(inner, power);
        }
        return sum - k * k;
      };
      test::check_moments<double>(RandomMaclaurin{.law = law}, kernel, variance);
      test::check_moments<float>(RandomMaclaurin{.law = law}, kernel, variance);
    }
  };
  SECTION("Linear") {
    check(Linear{}, 2);
  }
  SECTION("Polynomial") {
    check(Polynomial({.gamma = 0.5, .coef0 = 1, .degree = 3}), 4);
  }
  SECTION("Polynomial without constant") {
    check(Polynomial({.gamma = 0.7, .coef0 = 0, .degree = 2}), 3);
  }
  SECTION("ExponentialDot") {
    check(ExponentialDot(0.5), 40);
  }
  SECTION("InverseDot") {
    check(InverseDot(0.2), 60);
  }
  SECTION("a kernel of one's own") {
    check(user::EvenSquare{}, 3);
  }
}

SCALAR_TEST_CASE("RandomMaclaurin: a block depends on its number and the seed alone",
                 "[features][law]") {
  SECTION("infinite series") {
    test::check_purity<TestType>(RandomMaclaurin{.features = 21}, ExponentialDot(0.7));
  }
  SECTION("one degree") {
    test::check_purity<TestType>(RandomMaclaurin{.features = 5}, Linear{});
  }
}

TEST_CASE("RandomMaclaurin: constant features, samples of zeros and no columns", "[features]") {
  const auto constant = [](const Matrix<double>& x) {
    const Polynomial kernel({.gamma = 1, .coef0 = 2, .degree = 2});
    const auto map = RandomMaclaurin{.features = 400}.bind<double>(kernel, sample_bounds(x), 1);
    return (block_features(map, 0, x) * block_features(map, 0, x).transpose()).eval();
  };
  // At 0 features of degree above 0 vanish, and the kernel is 2^2 = 4. With a_0 = a_1 = 4 and so
  // R^2 = 1/2 the degree is 0 with probability 16/25, so the mean of 400 has a standard error of
  // 4 (9/16/400)^(1/2).
  for (const Matrix<double>& x : {Matrix<double>(Matrix<double>::Zero(3, 2)), Matrix<double>(3, 0)})
    CHECK((constant(x).array() - 4).abs().maxCoeff() <=
          test::five_sigma * 4 * std::sqrt(9.0 / 16 / 400));
}

SCALAR_TEST_CASE("RandomMaclaurin: samples of zeros for any gamma", "[features]") {
  using S = TestType;
  const Matrix<S> x = Matrix<S>::Zero(3, 2);
  const auto check = [&](const auto& kernel, S value) {
    CAPTURE(kernel.describe());
    for (const DegreeLaw law : {DegreeLaw::Proportional, DegreeLaw::Geometric}) {
      const auto map =
          RandomMaclaurin{.features = 400, .law = law}.bind<S>(kernel, sample_bounds(x), 1);
      const Matrix<S> z = block_features(map, 0, x);
      // Degree 0 has a probability of at least 1/2.
      CHECK(((z * z.transpose()).array() - value).abs().maxCoeff() <=
            S(test::five_sigma) * value / 20);
    }
  };
  for (const double gamma : {1e-30, 1.0, 1e6, 1e30}) {
    check(ExponentialDot(gamma), S(1));
    check(InverseDot(gamma), S(1));
  }
  check(Linear{}, S(0));
  check(Polynomial({.gamma = 1, .coef0 = 0, .degree = 3}), S(0));
  check(Polynomial({.gamma = 1e9, .coef0 = 1, .degree = 3}), S(1));
}

TEST_CASE("RandomMaclaurin: the scale of the samples does not matter", "[features]") {
  // A power of two that gamma undoes: products of 10 factors would leave the range of float.
  const Matrix<float> x = test::uniform_samples<float>(10, 4, 5);
  const float scale = 0x1p40F;
  const auto features = [](const Matrix<float>& samples, double gamma) {
    const auto map = RandomMaclaurin{.features = 50}.bind<float>(
        Polynomial({.gamma = gamma, .coef0 = 1, .degree = 10}), sample_bounds(samples), 3);
    return block_features(map, 0, samples);
  };
  const Matrix<float> z = features(x, 1), scaled = features(scale * x, 0x1p-80);
  CHECK((z - scaled).cwiseAbs().maxCoeff() <= 1e-5F * z.cwiseAbs().maxCoeff());
}

TEST_CASE("RandomMaclaurin: settings out of range", "[features][error]") {
  CHECK(test::error_of([&] {
          return RandomMaclaurin{.features = -1}.bind<double>(Linear{}, {.dimension = 2}, 1);
        }) == "mercer::RandomMaclaurin: features must be at least 1, got -1");
  CHECK_THAT(test::error_of([&] {
               return RandomMaclaurin{}.bind<double>(InverseDot(1), {.dimension = 2}, 1);
             }),
             Catch::Matchers::ContainsSubstring("needs more than 4096 terms"));
}

SCALAR_TEST_CASE("RandomMaclaurin: samples near the ends of the range", "[features]") {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(20, 3, 7, 0.5, 1);
  const auto features_of = [](const Matrix<S>& samples) {
    const auto map = RandomMaclaurin{.features = 10}.bind<S>(Linear{}, sample_bounds(samples), 1);
    return block_features(map, 0, samples);
  };
  const Matrix<S> z = features_of(x);
  // Features of the linear kernel grow with the samples, though |x|^2 underflows or overflows.
  const int largest = std::numeric_limits<S>::max_exponent;
  for (const int exponent : {-largest + 20, -largest / 2 - 40, largest / 2 + 40, largest - 20}) {
    const S scale = std::ldexp(S(1), exponent);
    // exp(log R) loses a digit for every factor of e in log R.
    const S tolerance = 1e3 * std::numeric_limits<S>::epsilon();
    CHECK((features_of(scale * x) / scale - z).cwiseAbs().maxCoeff() <=
          tolerance * z.cwiseAbs().maxCoeff());
  }
  const S denormal = 100 * std::numeric_limits<S>::denorm_min();
  const Matrix<S> least = features_of(Matrix<S>::Constant(4, 2, denormal));
  CHECK(least.allFinite());
  CHECK(least.cwiseAbs().maxCoeff() > 0);
}

TEST_CASE("RandomMaclaurin: a series without a positive term is refused", "[features]") {
  CHECK(test::error_of([] {
          const MaclaurinSeries none{[](Index) { return detail::log_zero; }, 3};
          return BoundRandomMaclaurin<double>(none, 5, DegreeLaw::Proportional, {.dimension = 2}, 1)
              .columns();
        }) == "mercer::RandomMaclaurin: the kernel's series has no positive term");
}

}  // namespace random_maclaurin_test
