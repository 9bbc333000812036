// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernels of the inner product as power series with non-negative coefficients.

#ifndef MERCER_FEATURES_DETAIL_MACLAURIN_SERIES_HPP
#define MERCER_FEATURES_DETAIL_MACLAURIN_SERIES_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/inner_product.hpp>

namespace mercer {

/// k(x, y) = sum_m a_m (x . y)^m with a_m >= 0. An infinite series must have positive coefficients,
/// and the ratios a_(m+1) / a_m must not increase.
struct MaclaurinSeries {
  /// The degree of a series without end.
  static constexpr Index infinite = -1;

  std::function<double(Index)> log_coefficient;  ///< log a_m, -infinity for a_m = 0
  Index degree = infinite;                       ///< degree of the last term
};

namespace detail {

inline constexpr double log_zero = -std::numeric_limits<double>::infinity();

/// log(exp(a) + exp(b)).
[[nodiscard]] inline double log_sum(double a, double b) {
  const double larger = (std::max)(a, b);
  return larger == log_zero ? log_zero : larger + std::log1p(std::exp(-std::abs(a - b)));
}

/// log m!
[[nodiscard]] inline double log_factorial(Index m) {
  double sum = 0;
  for (Index i = 2; i <= m; ++i) sum += std::log(static_cast<double>(i));
  return sum;
}

/// The logarithms of the terms a_m t^m for m = 0, 1, ... and t > 0. The argument is log t, since t
/// itself may be out of range. A finite series gives all its terms. An infinite series is cut off
/// when the rest is below 2^-54 of the sum, which is less than the rounding error of the sum.
/// \param advice  what to do about an infinite series that needs too many terms
/// Throws InvalidArgument for a finite series of a degree above 4096, for an infinite one that needs
///   more than 4096 terms, and if no term is positive.
[[nodiscard]] inline std::vector<double> log_terms(
    const MaclaurinSeries& series, double log_t, std::string_view who = "RandomMaclaurin",
    std::string_view advice = "scale the samples or gamma down") {
  constexpr Index most = 4096;
  // Check this before any term is computed: a term takes time in proportion to its degree.
  if (series.degree > most)
    fail("mercer::", who, ": the kernel's series has the degree ", series.degree, ", at most ",
         most, " is possible; lower the degree");
  const double log_rest = std::log(0x1p-54);
  std::vector<double> terms;
  double sum = log_zero;
  for (Index m = 0; series.degree == MaclaurinSeries::infinite || m <= series.degree; ++m) {
    if (m == most && series.degree == MaclaurinSeries::infinite)
      fail("mercer::", who, ": the kernel's series needs more than ", most,
           " terms at samples with |x|^2 = ", std::exp(log_t), "; ", advice);
    const double power = m == 0 ? 0 : static_cast<double>(m) * log_t;
    terms.push_back(series.log_coefficient(m) + power);
    sum = log_sum(sum, terms.back());
    if (m == 0 || series.degree != MaclaurinSeries::infinite) continue;
    // The ratios do not increase, so the geometric series with the last ratio bounds the rest.
    const double ratio = std::exp(terms.back() - *(terms.rbegin() + 1));
    if (ratio < 1 && terms.back() + std::log(ratio / (1 - ratio)) <= sum + log_rest) break;
  }
  if (sum == log_zero) fail("mercer::", who, ": the kernel's series has no positive term");
  return terms;
}

}  // namespace detail

/// The single term x . y.
[[nodiscard]] inline MaclaurinSeries maclaurin_series(const Linear&) {
  return {[](Index m) { return m == 1 ? 0 : detail::log_zero; }, 1};
}

/// The binomial theorem: a_m = binomial(p, m) gamma^m coef0^(p-m).
[[nodiscard]] inline MaclaurinSeries maclaurin_series(const Polynomial& kernel) {
  return {[p = kernel.params()](Index m) {
            const auto degree = static_cast<Index>(p.degree);
            const auto rest = static_cast<double>(degree - m);
            return detail::log_factorial(degree) - detail::log_factorial(m) -
                   detail::log_factorial(degree - m) + static_cast<double>(m) * std::log(p.gamma) +
                   (degree == m ? 0 : rest * std::log(p.coef0));
          },
          kernel.params().degree};
}

/// a_m = gamma^m / m!.
[[nodiscard]] inline MaclaurinSeries maclaurin_series(const ExponentialDot& kernel) {
  return {[gamma = kernel.gamma()](Index m) {
    return static_cast<double>(m) * std::log(gamma) - detail::log_factorial(m);
  }};
}

/// a_m = gamma^m.
[[nodiscard]] inline MaclaurinSeries maclaurin_series(const InverseDot& kernel) {
  return {[gamma = kernel.gamma()](Index m) { return static_cast<double>(m) * std::log(gamma); }};
}

/// Kernels with a power series. For your own kernel, write a free function `maclaurin_series` in
/// its namespace that returns a MaclaurinSeries.
template <class K>
concept HasMaclaurinSeries = requires(const K& kernel) {
  { maclaurin_series(kernel) } -> std::convertible_to<MaclaurinSeries>;
};

}  // namespace mercer

#endif  // MERCER_FEATURES_DETAIL_MACLAURIN_SERIES_HPP
