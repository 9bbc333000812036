// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/detail/maclaurin_series.hpp>

#include <cmath>

#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace maclaurin_series_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(HasMaclaurinSeries<Linear> && HasMaclaurinSeries<Polynomial>);
static_assert(HasMaclaurinSeries<ExponentialDot> && HasMaclaurinSeries<InverseDot>);
static_assert(!HasMaclaurinSeries<Sigmoid> && !HasMaclaurinSeries<Gaussian>);

namespace {

/// The sum of the terms at \p t.
double value(const MaclaurinSeries& series, double t) {
  double sum = 0;
  for (const double term : detail::log_terms(series, std::log(t))) sum += std::exp(term);
  return sum;
}

/// Some twenty logarithms and exponentials of numbers up to 100 are rounded.
constexpr double tolerance = 1e-13;

}  // namespace

TEST_CASE("maclaurin_series: coefficients", "[features]") {
  const auto coefficient = [](const MaclaurinSeries& series, Index m) {
    return std::exp(series.log_coefficient(m));
  };
  const MaclaurinSeries cubic =
      maclaurin_series(Polynomial({.gamma = 0.5, .coef0 = 2, .degree = 3}));
  const double expected[] = {8, 6, 1.5, 0.125};
  for (Index m = 0; m <= 3; ++m)
    CHECK(coefficient(cubic, m) == Approx(expected[m]).epsilon(tolerance));
  CHECK(cubic.degree == 3);

  const MaclaurinSeries pure = maclaurin_series(Polynomial({.gamma = 2, .coef0 = 0, .degree = 2}));
  CHECK(coefficient(pure, 0) == 0);
  CHECK(coefficient(pure, 1) == 0);
  CHECK(coefficient(pure, 2) == Approx(4).epsilon(tolerance));

  CHECK(coefficient(maclaurin_series(Linear{}), 0) == 0);
  CHECK(coefficient(maclaurin_series(Linear{}), 1) == 1);
  CHECK(coefficient(maclaurin_series(ExponentialDot(0.5)), 3) ==
        Approx(0.125 / 6).epsilon(tolerance));
  CHECK(coefficient(maclaurin_series(InverseDot(0.5)), 3) == Approx(0.125).epsilon(tolerance));
}

TEST_CASE("maclaurin_series: the terms sum to the kernel", "[features][law]") {
  for (const double t : {1e-8, 0.3, 0.9, 30.0}) {
    CAPTURE(t);
    CHECK(value(maclaurin_series(Linear{}), t) == Approx(t).epsilon(tolerance));
    CHECK(value(maclaurin_series(Polynomial()), t) ==
          Approx(std::pow(t + 1, 3)).epsilon(tolerance));
    CHECK(value(maclaurin_series(ExponentialDot(1.5)), t) ==
          Approx(std::exp(1.5 * t)).epsilon(tolerance));
    CHECK(value(maclaurin_series(InverseDot(1 / 32.0)), t) ==
          Approx(1 / (1 - t / 32)).epsilon(tolerance));
  }
}

TEST_CASE("maclaurin_series: a series too long is refused", "[features][error]") {
  for (const double gamma : {0.999, 1.0, 1.5})
    CHECK_THAT(
        test::error_of([&] { return detail::log_terms(maclaurin_series(InverseDot(gamma)), 0.0); }),
        ContainsSubstring("needs more than 4096 terms at samples with |x|^2 = 1; scale the samples "
                          "or gamma down"));
  CHECK(detail::log_terms(maclaurin_series(InverseDot(0.98)), 0.0).size() < 4096);
  // A polynomial has all its terms at any samples and for any gamma.
  const Polynomial polynomial({.gamma = 1, .coef0 = 1, .degree = 5000});
  CHECK(test::error_of([&] { return detail::log_terms(maclaurin_series(polynomial), 0.0); }) ==
        "mercer::RandomMaclaurin: the kernel's series has the degree 5000, at most 4096 is "
        "possible; lower the degree");
}

}  // namespace maclaurin_series_test
