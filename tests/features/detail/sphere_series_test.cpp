// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/detail/sphere_series.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace sphere_series_test {

using namespace mercer;

namespace {

/// sum_l b_l G_l(t), with G_l by its recurrence from G_0 = 1 and G_1 = t.
double gegenbauer_sum(const std::vector<double>& b, double d, double t) {
  double before = 0, value = 1, sum = 0;
  for (std::size_t l = 0; l < b.size(); ++l) {
    sum += b[l] * value;
    const double degree = static_cast<double>(l);
    const double next =
        l == 0 ? t : ((2 * degree + d - 2) * t * value - degree * before) / (degree + d - 2);
    before = value;
    value = next;
  }
  return sum;
}

}  // namespace

TEST_CASE("gegenbauer_coefficients: by hand", "[features]") {
  // On the sphere in R^3, t^2 = 1/3 + 2/3 P_2(t); on the circle, t^2 = 1/2 + 1/2 cos(2 theta); and
  // on {-1, 1}, t^2 = 1.
  const MaclaurinSeries square =
      maclaurin_series(Polynomial{{.gamma = 1, .coef0 = 0, .degree = 2}});
  const auto b = detail::gegenbauer_coefficients(square, 3);
  REQUIRE(b.size() == 3);
  CHECK(b[0] == Approx(1.0 / 3).epsilon(1e-15));
  CHECK(b[1] == 0);
  CHECK(b[2] == Approx(2.0 / 3).epsilon(1e-15));
  CHECK(detail::gegenbauer_coefficients(square, 2) == std::vector<double>{0.5, 0, 0.5});
  CHECK(detail::gegenbauer_coefficients(square, 1) == std::vector<double>{1});
}

TEST_CASE("gegenbauer_coefficients: Gaussians so wide that they are 1 everywhere", "[features]") {
  // The square of 1 / sigma is 0 from about 1e162 on.
  for (const double sigma : {1e100, 1e160, 1e200, 1e300, (std::numeric_limits<double>::max)()}) {
    CAPTURE(sigma);
    CHECK(detail::gegenbauer_coefficients(sphere_series(Gaussian{sigma}), 3) ==
          std::vector<double>{1});
  }
}

TEST_CASE("gegenbauer_coefficients: the sum is the kernel", "[features][law]") {
  const auto check = [](const auto& kernel, auto&& formula, const std::string& name) {
    for (const Index d : {1, 2, 3, 10, 784}) {
      CAPTURE(name, d);
      const auto b = detail::gegenbauer_coefficients(sphere_series(kernel), d);
      for (const double value : b) CHECK(value >= 0);
      // Each G_l is at most 1 in absolute value, and the sum of all b_l is f(1).
      for (const double t : {-1.0, -0.4, 0.0, 0.7, 1.0})
        if (d > 1 || std::abs(t) == 1)
          CHECK(std::abs(gegenbauer_sum(b, static_cast<double>(d), t) - formula(t)) <=
                1e-13 * formula(1));
    }
  };
  for (const double sigma : {0.2, 1.0, 30.0})
    check(
        Gaussian{sigma}, [&](double t) { return std::exp((t - 1) / (sigma * sigma)); }, "gaussian");
  check(
      ExponentialDot{2}, [](double t) { return std::exp(2 * t); }, "exponential-dot");
  check(
      InverseDot{0.7}, [](double t) { return 1 / (1 - 0.7 * t); }, "inverse-dot");
  check(
      Polynomial{}, [](double t) { return std::pow(1 + t, 3); }, "polynomial");
  check(
      Linear{}, [](double t) { return t; }, "linear");
}

TEST_CASE("gegenbauer_coefficients: series that are too long", "[features]") {
  const auto error = [](const auto& kernel) {
    return test::error_of(
        [&] { return detail::gegenbauer_coefficients(sphere_series(kernel), 3); });
  };
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(error(InverseDot{1}),
             ContainsSubstring("mercer::ZonalFeatures: the kernel's series needs more than 4096"));
  // The samples have the norm 1 whatever their scale.
  CHECK_THAT(
      error(Gaussian{0.01}),
      ContainsSubstring("needs more than 4096 terms at samples with |x|^2 = 1; take a smaller "
                        "gamma, or a larger sigma"));
  CHECK_THAT(error(Polynomial({.gamma = 1, .coef0 = 1, .degree = 5000})),
             ContainsSubstring("mercer::ZonalFeatures: the kernel's series has the degree 5000"));
}

}  // namespace sphere_series_test
