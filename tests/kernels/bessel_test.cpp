// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>

#include <mercer/kernels/bessel.hpp>
#include <tests/support/catch.hpp>

namespace bessel_test {

using namespace mercer::detail;

namespace {

/// Largest error of the profile by either route; measured 6e-14 at most.
constexpr double tolerance = 1e-12;

/// t = (2 nu)^(1/2) r for distances r from 1e-14 to 30.
template <class Check>
void for_each_distance(double nu, Check&& check) {
  for (double exponent = -14; exponent <= std::log10(30.0); exponent += 0.0625)
    check(std::sqrt(2 * nu) * std::pow(10.0, exponent));
}

}  // namespace

TEST_CASE("bessel: the finite series against formulas written out", "[kernel]") {
  for (const double t : {0.0, 1e-9, 0.3, 1.0, 7.0, 40.0}) {
    CHECK(matern_value(t, 0.5) == Approx(std::exp(-t)).epsilon(1e-14));
    CHECK(matern_value(t, 1.5) == Approx((1 + t) * std::exp(-t)).epsilon(1e-14));
    CHECK(matern_value(t, 2.5) == Approx((1 + t + t * t / 3) * std::exp(-t)).epsilon(1e-14));
    CHECK(matern_value(t, 3.5) ==
          Approx((1 + t + 0.4 * t * t + t * t * t / 15) * std::exp(-t)).epsilon(1e-14));
  }
}

TEST_CASE("bessel: 1 at 0, never above 1, never increasing", "[kernel]") {
  for (const double nu :
       {0.01, 0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.9, 3.0, 3.1, 10.0, 20.5, 49.5, 50.0}) {
    if (!matern_is_available(nu)) continue;
    CAPTURE(nu);
    CHECK(matern_value(0, nu) == 1);
    double before = 1;
    for_each_distance(nu, [&](double t) {
      CAPTURE(t);
      const double value = matern_value(t, nu);
      CHECK(value <= before * (1 + 1e-13));  // rounding may lift a value by as much
      CHECK(value <= 1);
      CHECK(value >= 0);
      before = value;
    });
    CHECK(before < 1e-3);
  }
}

TEST_CASE("bessel: the slope is 0 at distances beyond all numbers", "[kernel]") {
  for (const double nu : {0.01, 0.3, 0.5, 0.8, 1.0}) {
    if (!matern_is_available(nu) || !matern_is_available(1 - nu)) continue;
    CAPTURE(nu);
    CHECK(matern_slope(10, nu) > 0);
    for (const double t : {801.0, 1e10, 1e300, HUGE_VAL}) CHECK(matern_slope(t, nu) == 0);
  }
}

TEST_CASE("bessel: the inverse of the profile", "[kernel]") {
  for (const double nu : {0.5, 1.5, 20.5})
    for (const double t : {0.01, 1.0, 20.0})
      CHECK(matern_inverse(matern_value(t, nu), nu) == Approx(t).epsilon(1e-9));
  CHECK(matern_inverse(1, 1.5) == 0);
  CHECK(matern_inverse(1.5, 1.5) == 0);
}

#if defined(__cpp_lib_math_special_functions) || defined(MERCER_HAS_BOOST_MATH)

TEST_CASE("bessel: the route by Bessel functions against the finite series", "[kernel]") {
  for (const double nu : {0.5, 1.5, 2.5, 3.5, 5.5, 10.5, 20.5, 49.5}) {
    CAPTURE(nu);
    CHECK(matern_by_bessel(0, nu) == 1);
    for_each_distance(nu, [&](double t) {
      CAPTURE(t);
      CHECK(matern_by_bessel(t, nu) == Approx(matern_half_integer(t, nu)).epsilon(tolerance));
    });
  }
}

TEST_CASE("bessel: orders between the half-integers", "[kernel]") {
  // nu = 1/2 + h: the profile is smooth in nu, so that its values at 1/2 - h and 1/2 + h have the
  // mean of 1/2 up to h^2.
  for (const double nu : {0.5, 1.5, 3.5, 10.5})
    for (const double t : {1e-3, 0.1, 1.0, 10.0}) {
      CAPTURE(nu, t);
      const double h = 1e-4;
      const double mean = (matern_value(t, nu - h) + matern_value(t, nu + h)) / 2;
      CHECK(mean == Approx(matern_value(t, nu)).epsilon(1e-6));
    }
  // Order nu -> 0 at the smallest distances: 1 - Gamma(1 - nu) / Gamma(1 + nu) (t / 2)^(2 nu).
  const double nu = 0.01, t = 1e-120;
  CHECK(matern_value(t, nu) ==
        Approx(1 - std::tgamma(1 - nu) / std::tgamma(1 + nu) * std::pow(t / 2, 2 * nu))
            .epsilon(tolerance));
}

TEST_CASE("bessel: far beyond the range of K the values go on", "[kernel]") {
  for (const double nu : {0.5, 10.5, 49.5})
    for (const double t : {599.0, 601.0, 700.0, 800.0})
      CHECK(std::log(matern_by_bessel(t, nu)) ==
            Approx(std::log(matern_half_integer(t, nu))).epsilon(tolerance));
}

#endif

}  // namespace bessel_test
