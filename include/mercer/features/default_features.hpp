// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The default feature map of each kernel.

#ifndef MERCER_FEATURES_DEFAULT_FEATURES_HPP
#define MERCER_FEATURES_DEFAULT_FEATURES_HPP

#include <mercer/features/additive_features.hpp>
#include <mercer/features/arc_cosine_features.hpp>
#include <mercer/features/chi_square_features.hpp>
#include <mercer/features/exact_features.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_laplace.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/features/tensor_sketch.hpp>
#include <mercer/features/zonal_features.hpp>

namespace mercer {

namespace detail {

/// The first of the given maps that has features for the kernel K, if there is one.
template <class K, class... Maps>
struct FirstMap {
  static constexpr bool exists = false;
};
template <class K, class F, class... Rest>
struct FirstMap<K, F, Rest...> : FirstMap<K, Rest...> {};
template <class K, class F, class... Rest>
  requires FeatureMapFor<F, K>
struct FirstMap<K, F, Rest...> {
  static constexpr bool exists = true;
  using Map = F;
};

template <class K>
using DefaultMap =
    FirstMap<K, ExactFeatures, RandomFourier, TensorSketch, RandomMaclaurin, RandomLaplace,
             ArcCosineFeatures, AdditiveFeatures, ChiSquareFeatures, ZonalFeatures>;

}  // namespace detail

/// Kernels with a default feature map.
template <class K>
concept HasDefaultFeatures = detail::DefaultMap<K>::exists;

/// The default feature map of a kernel, with its default settings:
/// - ExactFeatures for Linear and Cosine;
/// - RandomFourier for kernels of x - y with a spectral density;
/// - TensorSketch for Polynomial;
/// - RandomMaclaurin for other power series of x . y;
/// - RandomLaplace for the semigroup kernels;
/// - ArcCosineFeatures, AdditiveFeatures and ChiSquareFeatures for the kernels they are named
///   after;
/// - ZonalFeatures for kernels OnSphere with a sphere_series: those of Gaussian and of power
/// series.
///
/// Any other kernel is a compile-time error with an explanation. NystromFeatures work with any
/// positive semidefinite kernel.
/// \code
///   auto map = default_features(kernel);
///   map.features = 500;
/// \endcode
template <class K>
[[nodiscard]] auto default_features(const K&) {
  static_assert(HasDefaultFeatures<K>,
                "mercer::default_features: this kernel has no random features; use "
                "NystromFeatures, which take any positive semidefinite kernel, or give yours a "
                "function spectral_density(kernel) or maclaurin_series(kernel), or "
                "sphere_series(kernel) if it is within OnSphere");
  if constexpr (HasDefaultFeatures<K>) return typename detail::DefaultMap<K>::Map{};
}

}  // namespace mercer

#endif  // MERCER_FEATURES_DEFAULT_FEATURES_HPP
