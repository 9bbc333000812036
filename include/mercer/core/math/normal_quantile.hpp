// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The inverse of the standard normal distribution function.

#ifndef MERCER_CORE_MATH_NORMAL_QUANTILE_HPP
#define MERCER_CORE_MATH_NORMAL_QUANTILE_HPP

#include <array>
#include <cmath>
#include <cstddef>

namespace mercer {

namespace detail {

/// A ratio of two polynomials in \p x. The coefficients are in ascending order of powers.
template <std::size_t N>
[[nodiscard]] double rational(const std::array<double, N>& numerator,
                              const std::array<double, N>& denominator, double x) {
  double above = 0;
  double below = 0;
  for (std::size_t i = N; i-- > 0;) {
    above = above * x + numerator[i];
    below = below * x + denominator[i];
  }
  return above / below;
}

}  // namespace detail

/// The z with P(N(0,1) <= z) = \p p, for 0 < p < 1.
/// Accuracy: relative error about 1e-15. Where 1 - p is exact, the value at 1 - p is exactly minus
///   the value at p.
/// Source: Wichura, Algorithm AS 241 (PPND16), Applied Statistics 37 (1988) 477-484.
[[nodiscard]] inline double normal_quantile(double p) {
  using Coefficients = std::array<double, 8>;
  const double centred = p - 0.5;
  if (std::abs(centred) <= 0.425) {
    constexpr Coefficients a{3.3871328727963666080e0,  1.3314166789178437745e+2,
                             1.9715909503065514427e+3, 1.3731693765509461125e+4,
                             4.5921953931549871457e+4, 6.7265770927008700853e+4,
                             3.3430575583588128105e+4, 2.5090809287301226727e+3};
    constexpr Coefficients b{1.0,
                             4.2313330701600911252e+1,
                             6.8718700749205790830e+2,
                             5.3941960214247511077e+3,
                             2.1213794301586595867e+4,
                             3.9307895800092710610e+4,
                             2.8729085735721942674e+4,
                             5.2264952788528545610e+3};
    return centred * detail::rational(a, b, 0.180625 - centred * centred);
  }
  const double tail = std::sqrt(-std::log(centred < 0 ? p : 1 - p));
  double z = 0;
  if (tail <= 5) {
    constexpr Coefficients c{1.42343711074968357734e0,  4.63033784615654529590e0,
                             5.76949722146069140550e0,  3.64784832476320460504e0,
                             1.27045825245236838258e0,  2.41780725177450611770e-1,
                             2.27238449892691845833e-2, 7.74545014278341407640e-4};
    constexpr Coefficients d{1.0,
                             2.05319162663775882187e0,
                             1.67638483018380384940e0,
                             6.89767334985100004550e-1,
                             1.48103976427480074590e-1,
                             1.51986665636164571966e-2,
                             5.47593808499534494600e-4,
                             1.05075007164441684324e-9};
    z = detail::rational(c, d, tail - 1.6);
  } else {
    constexpr Coefficients e{6.65790464350110377720e0,  5.46378491116411436990e0,
                             1.78482653991729133580e0,  2.96560571828504891230e-1,
                             2.65321895265761230930e-2, 1.24266094738807843860e-3,
                             2.71155556874348757815e-5, 2.01033439929228813265e-7};
    constexpr Coefficients f{1.0,
                             5.99832206555887937690e-1,
                             1.36929880922735805310e-1,
                             1.48753612908506148525e-2,
                             7.86869131145613259100e-4,
                             1.84631831751005468180e-5,
                             1.42151175831644588870e-7,
                             2.04426310338993978564e-15};
    z = detail::rational(e, f, tail - 5);
  }
  return centred < 0 ? -z : z;
}

}  // namespace mercer

#endif  // MERCER_CORE_MATH_NORMAL_QUANTILE_HPP
