// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Random Laplace features of semigroup kernels.

#ifndef MERCER_FEATURES_RANDOM_LAPLACE_HPP
#define MERCER_FEATURES_RANDOM_LAPLACE_HPP

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/math/chunks.hpp>
#include <mercer/core/math/normal_quantile.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/projection_features.hpp>
#include <mercer/features/detail/projections.hpp>
#include <mercer/features/detail/spectral_density.hpp>
#include <mercer/features/detail/uniform_points.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/histogram.hpp>

namespace mercer {

/// Independent Levy coordinates of scale beta^2 / 2. Such a number is (beta^2 / 2) / n^2 for a
/// standard normal n.
[[nodiscard]] inline SpectralDensity laplace_density(const ExponentialSemigroup& kernel) {
  return {.scale = kernel.beta() * kernel.beta() / 2,
          .coordinate = [](double u) { return std::pow(normal_quantile(u / 2), -2); },
          .mixture = {}};
}

/// Independent exponential coordinates of rate lambda.
[[nodiscard]] inline SpectralDensity laplace_density(const ReciprocalSemigroup& kernel) {
  return {.scale = 1 / kernel.lambda(),
          .coordinate = [](double u) { return -std::log1p(-u); },
          .mixture = {}};
}

/// Kernels k(x, y) = E exp(-w . (x + y)) over w >= 0. For your own kernel, write a free function
/// `laplace_density` in its namespace that returns a SpectralDensity.
template <class K>
concept HasLaplaceDensity = requires(const K& kernel) {
  { laplace_density(kernel) } -> std::convertible_to<SpectralDensity>;
};

namespace detail {

/// D^(-1/2) exp(-t).
struct LaplaceFunction {
  template <Real S>
  void operator()(Eigen::Ref<Matrix<S>> values, Index features) const {
    const S scale = 1 / std::sqrt(static_cast<S>(features));
    for (Index j = 0; j < values.cols(); ++j)
      apply_in_chunks(values.col(j).data(), values.rows(),
                      [scale](const auto& t) { return scale * (-t).exp(); });
  }
};

}  // namespace detail

/// Laplace features for one kernel. The settings are explained at RandomLaplace.
template <Real S>
using BoundRandomLaplace = BoundProjectionFeatures<S, detail::LaplaceFunction>;

/// Random Laplace features: k(x, y) = E exp(-w . x) exp(-w . y) with random frequencies w >= 0. For
/// ExponentialSemigroup and ReciprocalSemigroup, and for kernels with a laplace_density of their
/// own. Samples must be in the kernel's domain, x >= 0.
///
/// Accuracy: the error of one entry of Z Z^T has variance V / D with V = k(2 x, 2 y) - k(x, y)^2.
///   For ExponentialSemigroup this is exp(-2^(1/2) beta S) - exp(-2 beta S) with S = sum_j (x_j +
///   y_j)^(1/2). For ReciprocalSemigroup it is prod_j lambda / (2 (x_j + y_j) + lambda) - k^2.
///   Where k is small, V is large compared with k^2. For quasi-random frequencies see
///   RandomFourier.
/// Cost: D d quantiles for a draw.
/// Random: stream "Laplace frequencies" of the seed.
/// Source: Yang et al., Random Laplace feature maps for semigroup kernels on histograms, 2014.
struct RandomLaplace {
  Index features = 100;                       ///< D, columns in a block, >= 1
  Sampling sampling = Sampling::Independent;  ///< of the points of a block

  template <class K>
  static constexpr bool maps = HasLaplaceDensity<K>;
  [[nodiscard]] static constexpr bool unbiased() { return true; }

  [[nodiscard]] std::string describe() const {
    return "random-laplace(features=" + detail::to_text(features) + ", " +
           std::string(to_string(sampling)) + ")";
  }

  /// Throws InvalidArgument unless features is at least 1 and fits an int.
  template <Real S, class K>
  [[nodiscard]] BoundRandomLaplace<S> bind(const K& kernel, const SampleBounds& bounds,
                                           std::uint64_t seed) const {
    static_assert(maps<K>,
                  "mercer::RandomLaplace: this kernel is no Laplace transform of x + y; use "
                  "ExponentialSemigroup or ReciprocalSemigroup, or give yours a function "
                  "laplace_density(kernel)");
    detail::require_block_size("RandomLaplace", features, bounds);
    return {{laplace_density(kernel), features, bounds.dimension, sampling, seed,
             "Laplace frequencies"},
            {}};
  }
};

}  // namespace mercer

#endif  // MERCER_FEATURES_RANDOM_LAPLACE_HPP
