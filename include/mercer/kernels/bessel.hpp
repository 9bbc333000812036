// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The Matern profile 2^(1-nu) / Gamma(nu) t^nu K_nu(t) as a function of t, without overflow for
/// small or large t.

#ifndef MERCER_KERNELS_BESSEL_HPP
#define MERCER_KERNELS_BESSEL_HPP

#include <algorithm>
#include <cmath>
#include <numbers>

// The standard library's, else Boost's; libc++ has none.
#if !defined(__cpp_lib_math_special_functions) && defined(MERCER_HAS_BOOST_MATH)
#include <boost/math/special_functions/bessel.hpp>
#endif

namespace mercer::detail {

#if defined(__cpp_lib_math_special_functions)
inline constexpr bool has_bessel_k = true;
[[nodiscard]] inline double bessel_k(double nu, double t) {
  return std::cyl_bessel_k(nu, t);
}
#elif defined(MERCER_HAS_BOOST_MATH)
inline constexpr bool has_bessel_k = true;
[[nodiscard]] inline double bessel_k(double nu, double t) {
  return boost::math::cyl_bessel_k(nu, t);
}
#else
inline constexpr bool has_bessel_k = false;
[[nodiscard]] inline double bessel_k(double, double) {
  return std::nan("");
}
#endif

[[nodiscard]] inline bool is_half_integer(double nu) {
  return std::floor(nu) + 0.5 == nu;
}

[[nodiscard]] inline bool matern_is_available(double nu) {
  return has_bessel_k || is_half_integer(nu);
}

/// exp(-t) p! / (2p)! sum_{i=0..p} (p+i)! / (i! (p-i)!) (2t)^(p-i), where nu = p + 1/2. Each
/// coefficient is computed from the one before, so no factorial is formed.
[[nodiscard]] inline double matern_half_integer(double t, double nu) {
  const int p = static_cast<int>(nu);
  double sum = 1, term = 1;
  for (int k = 1; k <= p; ++k) {
    term *= 2 * t * (p - k + 1) / (static_cast<double>(k) * (2 * p - k + 1));
    sum += term;
  }
  return std::exp((std::min)(std::log(sum) - t, 0.0));
}

/// ln K_nu(t). If t is beyond the range of K_nu, Hankel's expansion is used. There its terms fall
/// below rounding error before they grow (nu <= 50).
[[nodiscard]] inline double log_bessel_k(double nu, double t) {
  constexpr double asymptotic = 600;
  if (t < asymptotic) return std::log(bessel_k(nu, t));
  double sum = 1, term = 1;
  for (int k = 1; k < 60; ++k) {
    term *= (4 * nu * nu - (2.0 * k - 1) * (2.0 * k - 1)) / (8.0 * k * t);
    sum += term;
    if (std::abs(term) < 1e-17 * std::abs(sum)) break;
  }
  return 0.5 * std::log(std::numbers::pi / 2 / t) - t + std::log(sum);
}

/// The profile by the Bessel function. It is computed from logarithms, because t^nu and K_nu(t)
/// overflow long before their product does. Near 0, where K_nu itself overflows, the first terms of
/// the series are used.
[[nodiscard]] inline double matern_by_bessel(double t, double nu) {
  if (t == 0 || (nu >= 1 && t < 1e-9)) return 1;
  if (nu > 3 && t <= 1e-2) {
    const double q = t * t / 4;
    return 1 - q / (nu - 1) + q * q / (2 * (nu - 1) * (nu - 2));
  }
  // Gamma is finite for nu <= 50; std::lgamma would write to a global variable.
  const double log_value =
      (1 - nu) * std::log(2.0) - std::log(std::tgamma(nu)) + nu * std::log(t) + log_bessel_k(nu, t);
  return std::exp((std::min)(log_value, 0.0));
}

/// The Matern profile at t >= 0; 1 at t = 0.
[[nodiscard]] inline double matern_value(double t, double nu) {
  return is_half_integer(nu) ? matern_half_integer(t, nu) : matern_by_bessel(t, nu);
}

/// t^(nu-1) K_(1-nu)(t) for 0 < nu <= 1: the derivative of the profile with respect to t^2, up to
/// its sign and a constant.
[[nodiscard]] inline double matern_slope(double t, double nu) {
  const double s = std::clamp(t, 1e-8, 800.0);  // beyond, the value is 0, and 0 * inf is NaN
  if (nu == 0.5) return std::exp(-s) / s;
  return std::exp((nu - 1) * std::log(s) + log_bessel_k(1 - nu, s));
}

/// The t >= 0 at which the profile has this value; 0 for values of 1 and more.
[[nodiscard]] inline double matern_inverse(double value, double nu) {
  if (!(value < 1)) return 0;
  double low = 0, high = 1;
  while (matern_value(high, nu) > value && high < 1e4) high *= 2;
  for (int step = 0; step < 200 && high - low > 1e-16 * high; ++step) {
    const double middle = 0.5 * (low + high);
    (matern_value(middle, nu) > value ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace mercer::detail

#endif  // MERCER_KERNELS_BESSEL_HPP
