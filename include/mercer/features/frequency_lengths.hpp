// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The lengths of random frequencies whose density depends on nothing else.

#ifndef MERCER_FEATURES_FREQUENCY_LENGTHS_HPP
#define MERCER_FEATURES_FREQUENCY_LENGTHS_HPP

#include <cmath>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/gamma_quantile.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/random_directions.hpp>
#include <mercer/features/spectral_density.hpp>
#include <mercer/features/uniform_points.hpp>
#include <mercer/kernels/coordinatewise.hpp>

namespace mercer {

/// Kernels that can be functions of |x - y| with a spectral density; that they are is seen from
/// the density.
template <class K>
concept MayBeIsotropic = HasSpectralDensity<K> && !std::derived_from<K, CoordinatewiseKernel<K>>;

namespace detail {

/// Throws unless the density depends on |w| alone.
inline SpectralDensity require_isotropic(std::string_view who, SpectralDensity density) {
  if (!density.isotropic())
    fail("mercer::", who,
         ": the kernel's spectral density must depend on |w| alone, so that the kernel depends on "
         "|x - y|; use RandomFourier");
  return density;
}

/// Draws of |w| for an isotropic density on R^d: scale m chi_d. Also draws phases.
class FrequencyLengths {
 public:
  /// @param purpose  names the random stream; a string literal
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
  GammaQuantile half_square_;  // of chi_d^2 / 2
  UniformPoints points_;
};

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_FEATURES_FREQUENCY_LENGTHS_HPP
