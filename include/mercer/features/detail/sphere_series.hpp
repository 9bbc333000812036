// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Zonal kernels as series of Gegenbauer polynomials.

#ifndef MERCER_FEATURES_DETAIL_SPHERE_SERIES_HPP
#define MERCER_FEATURES_DETAIL_SPHERE_SERIES_HPP

#include <cmath>
#include <concepts>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/features/detail/maclaurin_series.hpp>
#include <mercer/kernels/radial.hpp>

namespace mercer {

/// On the sphere a kernel of inner products is the power series that it is elsewhere.
template <HasMaclaurinSeries K>
[[nodiscard]] MaclaurinSeries sphere_series(const K& kernel) {
  return maclaurin_series(kernel);
}

/// |x - y|^2 = 2 - 2 t on the sphere, so k = exp(-g) exp(g t) with g = 1 / sigma^2.
[[nodiscard]] inline MaclaurinSeries sphere_series(const Gaussian& kernel) {
  const double scale = kernel.inverse_length();
  // The square may be 0 or infinite, its logarithm is neither.
  return {[g = scale * scale, log_g = 2 * std::log(scale)](Index m) {
    return static_cast<double>(m) * log_g - g - detail::log_factorial(m);
  }};
}

/// Kernels that are a power series of t = x . y for samples on the sphere. For your own kernel,
/// write a free function `sphere_series` in its namespace that returns a MaclaurinSeries.
template <class K>
concept HasSphereSeries = requires(const K& kernel) {
  { sphere_series(kernel) } -> std::convertible_to<MaclaurinSeries>;
};

namespace detail {

/// The coefficients b_l >= 0 of f(t) = sum_l b_l G_l(t), for f given by its power series. G_l is
/// the Gegenbauer polynomial of degree l of the sphere in R^d, with G_l(1) = 1. The last
/// coefficients are left out where they are below 2^-54 of f(1) together.
/// Cost: O(M^2) for a power series of M terms.
/// Accuracy: all terms of all sums are positive, so the relative errors are small.
/// Throws InvalidArgument as log_terms() does.
/// Source: t G_l = ((l + d - 2) G_(l+1) + l G_(l-1)) / (2 l + d - 2), and Horner's scheme.
[[nodiscard]] inline std::vector<double> gegenbauer_coefficients(const MaclaurinSeries& series,
                                                                 Index dimension) {
  const std::vector<double> terms =
      log_terms(series, 0, "ZonalFeatures", "take a smaller gamma, or a larger sigma");
  const double d = static_cast<double>(dimension);
  std::vector<double> b, product;
  for (auto term = terms.rbegin(); term != terms.rend(); ++term) {
    product.assign(b.size() + 1, 0);  // t times the sum so far
    for (std::size_t l = 0; l < b.size(); ++l) {
      const double degree = static_cast<double>(l);
      const double up = l == 0 ? 1 : (degree + d - 2) / (2 * degree + d - 2);
      product[l + 1] += up * b[l];
      if (l > 0) product[l - 1] += (1 - up) * b[l];
    }
    product[0] += std::exp(*term);
    b.swap(product);
  }
  double sum = 0, rest = 0;
  for (const double value : b) sum += value;
  while (b.size() > 1 && rest + b.back() <= 0x1p-54 * sum) {
    rest += b.back();
    b.pop_back();
  }
  return b;
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_FEATURES_DETAIL_SPHERE_SERIES_HPP
