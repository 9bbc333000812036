// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Spectral densities of translation-invariant kernels, given by their quantile functions. The
/// kernels are the Fourier transforms of these densities.

#ifndef MERCER_FEATURES_DETAIL_SPECTRAL_DENSITY_HPP
#define MERCER_FEATURES_DETAIL_SPECTRAL_DENSITY_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <numbers>

#include <mercer/core/math/gamma_quantile.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/radial.hpp>

namespace mercer {

/// The distribution of a random frequency w = scale m v in R^d. The coordinates of v are
/// independent, and m is one number that they share. A quantile function maps u in (0, 1) to the
/// value that is not exceeded with probability u. It may be called from several threads at once.
///
/// The kernel is k(x, y) = E cos(w . (x - y)), so k(x, x) = 1. If `coordinate` is empty, the
/// density depends on |w| alone and the kernel on |x - y| alone. By Schoenberg's theorem, every
/// kernel of |x - y| that is positive semidefinite in all dimensions has this form.
/// Source: Rahimi, Recht, Random features for large-scale kernel machines, 2007 (Bochner's
///   theorem).
struct SpectralDensity {
  /// Multiplies all frequencies. Those above scale times the root of the largest number (1e19 in
  /// single precision, 1e154 in double) are cut off there.
  double scale = 1;
  std::function<double(double)> coordinate;  ///< quantile function of v_j; standard normal if empty
  std::function<double(double)> mixture;     ///< quantile function of m > 0; m = 1 if empty

  /// Whether the density depends on |w| alone.
  [[nodiscard]] bool isotropic() const { return !coordinate; }
};

/// Normal distribution with variance 1 / sigma^2.
[[nodiscard]] inline SpectralDensity spectral_density(const Gaussian& kernel) {
  return {.scale = kernel.inverse_length(), .coordinate = {}, .mixture = {}};
}

/// This kernel is a mixture of Gaussians. Their squared inverse width has a Gamma(alpha)
/// distribution with mean 1 / length^2.
[[nodiscard]] inline SpectralDensity spectral_density(const RationalQuadratic& kernel) {
  const double alpha = kernel.params().alpha;
  return {.scale = 1 / kernel.params().length,
          .coordinate = {},
          .mixture = [alpha, gamma = GammaQuantile(alpha)](double u) {
            return std::sqrt(gamma(u) / alpha);
          }};
}

/// Multivariate t distribution with 2 nu degrees of freedom: a normal vector divided by the square
/// root of chi^2 / (2 nu).
[[nodiscard]] inline SpectralDensity spectral_density(const Matern& kernel) {
  const double nu = kernel.params().nu;
  return {.scale = 1 / kernel.params().length,
          .coordinate = {},
          .mixture = [nu, gamma = GammaQuantile(nu)](double u) {
            return std::sqrt(nu / gamma(1 - u));
          }};
}

/// Independent Cauchy coordinates.
[[nodiscard]] inline SpectralDensity spectral_density(const Laplacian& kernel) {
  return {.scale = kernel.gamma(),
          .coordinate = [](double u) { return std::tan(std::numbers::pi * (u - 0.5)); },
          .mixture = {}};
}

/// Independent Laplace coordinates: density exp(-|w_j| / gamma) / (2 gamma).
[[nodiscard]] inline SpectralDensity spectral_density(const Cauchy& kernel) {
  return {.scale = kernel.gamma(),
          .coordinate = [](double u) { return u < 0.5 ? std::log(2 * u) : -std::log(2 - 2 * u); },
          .mixture = {}};
}

/// Kernels with a spectral density. For your own kernel, write a free function `spectral_density`
/// in its namespace that returns a SpectralDensity.
template <class K>
concept HasSpectralDensity = requires(const K& kernel) {
  { spectral_density(kernel) } -> std::convertible_to<SpectralDensity>;
};

}  // namespace mercer

#endif  // MERCER_FEATURES_DETAIL_SPECTRAL_DENSITY_HPP
