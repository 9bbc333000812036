// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Random features of the arc-cosine kernels.

#ifndef MERCER_FEATURES_ARC_COSINE_FEATURES_HPP
#define MERCER_FEATURES_ARC_COSINE_FEATURES_HPP

#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/projection_features.hpp>
#include <mercer/features/detail/spectral_density.hpp>
#include <mercer/features/detail/uniform_points.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/angular.hpp>

namespace mercer {

namespace detail {

/// (2/D)^(1/2) step(t) t^order, with step(0) = 1/2.
struct ArcCosineFunction {
  int order;

  template <Real S>
  void operator()(Eigen::Ref<Matrix<S>> values, Index features) const {
    const S scale = std::sqrt(S(2) / static_cast<S>(features));
    if (order == 0)
      values = (scale / 2) * (S(1) + values.array().sign());  // step(0) = 1/2
    else if (order == 1)
      values = scale * values.cwiseMax(S(0));
    else
      values = scale * values.cwiseMax(S(0)).cwiseAbs2();
  }
};

}  // namespace detail

/// Features of one arc-cosine kernel. The settings are explained at ArcCosineFeatures.
template <Real S>
using BoundArcCosineFeatures = BoundProjectionFeatures<S, detail::ArcCosineFunction>;

/// Random features of the arc-cosine kernel of order m: 2^(1/2) step(w . x) (w . x)^m for standard
/// normal w, with step(0) = 1/2. This is a layer of a neural network with random weights.
///
/// Accuracy: the error of one entry of Z Z^T has variance V / D with V = 2 k_2m(x, y) - k_m(x,
///   y)^2. For order 0 this is 2 k - k^2, for order 1 it is 2 k_2 - k^2. Order 2 has heavy tails:
///   its relative error is about three times that of order 1.
/// Cost: D d normal numbers for a draw.
/// Random: stream "arc-cosine directions" of the seed.
/// Source: Cho, Saul, Kernel methods for deep learning, 2009, eq. (1).
struct ArcCosineFeatures {
  Index features = 100;  ///< D, columns in a block, >= 1

  template <class K>
  static constexpr bool maps = std::same_as<K, ArcCosine>;
  [[nodiscard]] static constexpr bool unbiased() { return true; }

  [[nodiscard]] std::string describe() const {
    return "arc-cosine-features(features=" + detail::to_text(features) + ")";
  }

  /// Throws InvalidArgument unless features is at least 1 and fits an int.
  template <Real S, class K>
  [[nodiscard]] BoundArcCosineFeatures<S> bind(const K& kernel, const SampleBounds& bounds,
                                               std::uint64_t seed) const {
    static_assert(maps<K>, "mercer::ArcCosineFeatures: the kernel must be ArcCosine");
    detail::require_block_size("ArcCosineFeatures", features, bounds);
    return {{SpectralDensity{}, features, bounds.dimension, Sampling::Independent, seed,
             "arc-cosine directions"},
            {kernel.order()}};
  }
};

}  // namespace mercer

#endif  // MERCER_FEATURES_ARC_COSINE_FEATURES_HPP
