// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The densities of which translation-invariant kernels are the Fourier transforms, as samplers.

#ifndef MERCER_FEATURES_SPECTRAL_DENSITY_HPP
#define MERCER_FEATURES_SPECTRAL_DENSITY_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <limits>
#include <numbers>

#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/radial.hpp>

namespace mercer {

/// Draws one frequency w of a kernel k(x, y) = E cos(w . (x - y)), so that k(x, x) = 1, into a
/// vector of length d. May be called from several threads at once.
/// Source: Rahimi, Recht, Random features for large-scale kernel machines, 2007 (Bochner's
/// theorem).
using SpectralDensity = std::function<void(RandomStream&, Eigen::Ref<Vector<double>>)>;

namespace detail {

/// A draw from the Gamma distribution with this shape and scale 1, never 0.
/// Source: Marsaglia, Tsang, A simple method for generating gamma variables, 2000.
[[nodiscard]] inline double gamma_draw(double shape, RandomStream& stream) {
  if (shape < 1) {
    const double larger = gamma_draw(shape + 1, stream);
    return (std::max)(larger * std::pow(stream.uniform(), 1 / shape),
                      (std::numeric_limits<double>::min)());
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double z = stream.normal(), root = 1 + c * z;
    const double u = stream.uniform();
    if (root <= 0) continue;
    const double v = root * root * root;
    // Of so large a shape all but one in 1e8 are accepted, and the test is rounding error.
    if (shape > 1e8 || std::log(u) < 0.5 * z * z + d * (1 - v + std::log(v))) return d * v;
  }
}

inline void fill_normal(RandomStream& stream, double scale, Eigen::Ref<Vector<double>> w) {
  for (double& value : w) value = scale * stream.normal();
}

}  // namespace detail

/// Normal, with variance 1 / sigma^2.
[[nodiscard]] inline SpectralDensity spectral_density(const Gaussian& kernel) {
  return [scale = kernel.inverse_length()](RandomStream& stream, Eigen::Ref<Vector<double>> w) {
    detail::fill_normal(stream, scale, w);
  };
}

/// The kernel is a Gaussian whose squared inverse width is Gamma(alpha) with mean 1 / length^2.
[[nodiscard]] inline SpectralDensity spectral_density(const RationalQuadratic& kernel) {
  return [p = kernel.params()](RandomStream& stream, Eigen::Ref<Vector<double>> w) {
    const double mixture = detail::gamma_draw(p.alpha, stream) / p.alpha;
    detail::fill_normal(stream, std::sqrt(mixture) / p.length, w);
  };
}

/// Multivariate t with 2 nu degrees of freedom: a normal vector over the root of chi^2 / (2 nu).
[[nodiscard]] inline SpectralDensity spectral_density(const Matern& kernel) {
  return [p = kernel.params()](RandomStream& stream, Eigen::Ref<Vector<double>> w) {
    const double mixture = p.nu / detail::gamma_draw(p.nu, stream);
    detail::fill_normal(stream, std::sqrt(mixture) / p.length, w);
  };
}

/// Independent Cauchy coordinates: w_j = gamma tan(pi (u_j - 1/2)).
[[nodiscard]] inline SpectralDensity spectral_density(const Laplacian& kernel) {
  return [gamma = kernel.gamma()](RandomStream& stream, Eigen::Ref<Vector<double>> w) {
    for (double& value : w) value = gamma * std::tan(std::numbers::pi * (stream.uniform() - 0.5));
  };
}

/// Independent Laplace coordinates: density exp(-|w_j| / gamma) / (2 gamma).
[[nodiscard]] inline SpectralDensity spectral_density(const Cauchy& kernel) {
  return [gamma = kernel.gamma()](RandomStream& stream, Eigen::Ref<Vector<double>> w) {
    for (double& value : w) {
      const double v = stream.uniform() - 0.5;
      value = -gamma * std::copysign(std::log1p(-2 * std::abs(v)), v);
    }
  };
}

/// Kernels with a spectral density. For a kernel of yours, give a free function `spectral_density`
/// in its namespace that returns a SpectralDensity.
template <class K>
concept HasSpectralDensity = requires(const K& kernel) {
  { spectral_density(kernel) } -> std::convertible_to<SpectralDensity>;
};

}  // namespace mercer

#endif  // MERCER_FEATURES_SPECTRAL_DENSITY_HPP
