// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Random lengths of frequencies whose density depends on |w| alone.

#ifndef MERCER_FEATURES_DETAIL_FREQUENCY_LENGTHS_HPP
#define MERCER_FEATURES_DETAIL_FREQUENCY_LENGTHS_HPP

#include <cmath>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/math/gamma_quantile.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/random_directions.hpp>
#include <mercer/features/detail/spectral_density.hpp>
#include <mercer/features/detail/uniform_points.hpp>
#include <mercer/kernels/coordinatewise.hpp>

namespace mercer {

/// Kernels that may be functions of |x - y| with a spectral density. Only the density itself tells
/// whether they are.
template <class K>
concept MayBeIsotropic = HasSpectralDensity<K> && !std::derived_from<K, CoordinatewiseKernel<K>>;

namespace detail {

/// Throws InvalidArgument unless the density depends on |w| alone.
inline SpectralDensity require_isotropic(std::string_view who, SpectralDensity density) {
  if (!density.isotropic())
    fail("mercer::", who,
         ": the kernel's spectral density must depend on |w| alone, so that the kernel depends on "
         "|x - y|; use RandomFourier");
  return density;
}

/// Draws the lengths |w| = scale m chi_d for an isotropic density on R^d. Also draws phases.
class FrequencyLengths {
 public:
  /// @param purpose  name of the random stream; must be a string literal
  FrequencyLengths(SpectralDensity density, Index dimension, std::uint64_t seed,
                   std::string_view purpose)
      : density_(std::move(density)),
        half_square_(static_cast<double>(dimension) / 2),
        points_(Sampling::Independent, seed, purpose, 3) {}

  [[nodiscard]] Vector<double> draw(std::uint64_t b, Index count) const {
    Vector<double> lengths(count);
    points_.fill(b, 0, lengths);
    for (double& value : lengths) value = std::sqrt(2 * half_square_(value));
    return density_.scale * lengths.cwiseProduct(mixture_draws(density_, points_, b, 1, count));
  }

  template <Real S>
  void draw_phases(std::uint64_t b, Index count, Vector<S>& phases) const {
    detail::draw_phases(points_, b, 2, count, phases);
  }

 private:
  SpectralDensity density_;
  GammaQuantile half_square_;  // quantile function of chi_d^2 / 2
  UniformPoints points_;
};

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_FEATURES_DETAIL_FREQUENCY_LENGTHS_HPP
