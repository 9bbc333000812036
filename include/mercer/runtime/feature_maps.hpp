// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The feature maps of mercer by name, for kernels that are chosen at run time.

#ifndef MERCER_RUNTIME_FEATURE_MAPS_HPP
#define MERCER_RUNTIME_FEATURE_MAPS_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/features/default_features.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/runtime/any_features.hpp>
#include <mercer/runtime/any_kernel.hpp>
#include <mercer/runtime/parameter.hpp>
#include <mercer/runtime/table.hpp>

namespace mercer {

/// What a feature map is made for.
struct FeatureMapTask {
  Index dimension = 0;  ///< of the samples, at least 1; only for maps whose columns depend on it
  /// So many of the samples, for maps over landmarks. It may choose them as it likes.
  std::function<Matrix<double>(Index count)> landmarks = {};
};

/// What make_feature_map() returns.
struct MadeFeatures {
  AnyFeatures map;  ///< the map
  Index columns;    ///< that the map has; of nystrom, the most that it may have
};

namespace detail {

template <class F>
[[nodiscard]] FeatureFit feature_fit(const AnyKernel& kernel) {
  return kernel.with_kernel([]<class K>(const K& held) {
    if constexpr (!FeatureMapFor<F, K>)
      return FeatureFit::No;
    else if constexpr (!HasDefaultFeatures<K>)
      return FeatureFit::Yes;
    else
      return std::same_as<decltype(default_features(held)), F> ? FeatureFit::Natural
                                                               : FeatureFit::Yes;
  });
}

/// Only the intersection kernel has thresholds.
[[nodiscard]] inline FeatureFit threshold_fit(const AnyKernel& kernel) {
  const bool fits = std::holds_alternative<Intersection>(kernel.choice());
  return fits ? FeatureFit::Yes : FeatureFit::No;
}

/// The dimension of the samples, which the number of columns depends on.
/// Throws InvalidArgument if it is not given.
[[nodiscard]] inline Index dimension_for(const Arguments& arguments, const FeatureMapTask& task) {
  if (task.dimension < 1)
    fail(arguments.owner(), ": needs the dimension of the samples, at least 1, got ",
         task.dimension);
  return task.dimension;
}

/// With as many draws, of \p width columns each, as make the columns wanted, or a few more.
template <class F>
[[nodiscard]] MadeFeatures made_draws(const Arguments& arguments, F map, Index width) {
  map.features = (arguments.whole("features") + width - 1) / width;
  return {map, map.features * width};
}

/// The step at which what the spectrum has beyond the last order is about as much as what the
/// period of the kernel adds, both exp(-pi / step) for AdditiveChiSquare.
[[nodiscard]] inline MadeFeatures made_homogeneous(const Arguments& arguments,
                                                   const FeatureMapTask& task) {
  const Index d = dimension_for(arguments, task);
  const Index blocks = (arguments.whole("features") + d - 1) / d;
  const Index orders = (std::max)(blocks / 2, Index{1});
  const double step = 1 / std::sqrt(static_cast<double>(orders) + 0.5);
  return {HomogeneousKernelMap{.orders = orders, .step = step}, (2 * orders + 1) * d};
}

[[nodiscard]] inline MadeFeatures made_nystrom(const Arguments& arguments,
                                               const FeatureMapTask& task) {
  if (!task.landmarks) fail(arguments.owner(), ": needs samples as landmarks");
  Matrix<double> landmarks = task.landmarks(arguments.whole("features"));
  const Index count = landmarks.rows();
  return {NystromFeatures{std::move(landmarks)}, count};
}

[[nodiscard]] inline std::vector<FeatureMapEntry> make_feature_map_table() {
  using A = const Arguments&;
  using T = const FeatureMapTask&;
  constexpr auto phase = FourierForm::Phase;
  constexpr auto quasi_random = Sampling::QuasiRandom;
  const std::vector<Parameter> columns = {
      {.name = "features",
       .description = "columns; some maps make a few more, and exact has those of the samples",
       .range = whole_number(1),
       .fallback = Index{500}}};
  return {
      {{"exact", "the samples themselves, for inner products", columns},
       false,
       feature_fit<ExactFeatures>,
       [](A a, T t) {
         return MadeFeatures{ExactFeatures{}, dimension_for(a, t)};
       }},
      {{"random-fourier", "sines and cosines at random frequencies", columns},
       true,
       feature_fit<RandomFourier>,
       [](A a, T) { return made_draws(a, RandomFourier{}, 2); }},
      {{"random-fourier-phase", "cosines with random phases", columns},
       true,
       feature_fit<RandomFourier>,
       [](A a, T) { return made_draws(a, RandomFourier{.form = phase}, 1); }},
      {{"quasi-random-fourier", "evenly spread frequencies; better in few dimensions", columns},
       true,
       feature_fit<RandomFourier>,
       [](A a, T) { return made_draws(a, RandomFourier{.sampling = quasi_random}, 2); }},
      {{"orthogonal-fourier", "orthogonal frequencies", columns},
       true,
       feature_fit<OrthogonalFourier>,
       [](A a, T) { return made_draws(a, OrthogonalFourier{}, 2); }},
      {{"fastfood", "frequencies by fast transforms, for many dimensions", columns},
       true,
       feature_fit<Fastfood>,
       [](A a, T) { return made_draws(a, Fastfood{}, 2); }},
      {{"tensor-sketch", "sketches of powers of samples", columns},
       true,
       feature_fit<TensorSketch>,
       [](A a, T) { return made_draws(a, TensorSketch{}, 1); }},
      {{"random-maclaurin", "random products of inner products", columns},
       true,
       feature_fit<RandomMaclaurin>,
       [](A a, T) { return made_draws(a, RandomMaclaurin{}, 1); }},
      {{"random-laplace", "random exponentials", columns},
       true,
       feature_fit<RandomLaplace>,
       [](A a, T) { return made_draws(a, RandomLaplace{}, 1); }},
      {{"quasi-random-laplace", "evenly spread exponentials", columns},
       true,
       feature_fit<RandomLaplace>,
       [](A a, T) { return made_draws(a, RandomLaplace{.sampling = quasi_random}, 1); }},
      {{"arc-cosine", "a layer of random neurons", columns},
       true,
       feature_fit<ArcCosineFeatures>,
       [](A a, T) { return made_draws(a, ArcCosineFeatures{}, 1); }},
      {{"additive", "random features of each coordinate", columns},
       true,
       feature_fit<AdditiveFeatures>,
       [](A a, T t) { return made_draws(a, AdditiveFeatures{}, 2 * dimension_for(a, t)); }},
      {{"additive-threshold", "random thresholds of each coordinate", columns},
       true,
       threshold_fit,
       [](A a, T t) {
         return made_draws(a, AdditiveFeatures{.form = AdditiveForm::Threshold},
                           dimension_for(a, t));
       }},
      {{"homogeneous", "a few fixed features of each coordinate", columns},
       false,
       feature_fit<HomogeneousKernelMap>,
       made_homogeneous},
      {{"chi-square", "random Fourier features of fixed features", columns},
       true,
       feature_fit<ChiSquareFeatures>,
       [](A a, T) { return made_draws(a, ChiSquareFeatures{}, 2); }},
      {{"nystrom", "kernel values with some of the samples, for any kernel", columns},
       false,
       feature_fit<NystromFeatures<Matrix<double>>>,
       made_nystrom},
  };
}

}  // namespace detail

/// Names, descriptions and parameters of all feature maps. Natural maps stand before their
/// variants.
[[nodiscard]] inline const std::vector<FeatureMapEntry>& feature_map_table() {
  static const std::vector<FeatureMapEntry> table = detail::make_feature_map_table();
  return table;
}

/// The maps that have features for this kernel.
[[nodiscard]] inline std::vector<std::string> feature_maps_of(const AnyKernel& kernel) {
  std::vector<std::string> names;
  for (const FeatureMapEntry& map : feature_map_table())
    if (map.fit(kernel) != FeatureFit::No) names.push_back(map.name);
  return names;
}

/// The natural map of a kernel, or null if there is none.
[[nodiscard]] inline const FeatureMapEntry* natural_feature_map(const AnyKernel& kernel) {
  for (const FeatureMapEntry& map : feature_map_table())
    if (map.fit(kernel) == FeatureFit::Natural) return &map;
  return nullptr;
}

/// The feature map of this name.
/// \code
///   const AnyFeatures map = make_feature_map("fastfood", {{"features", 2000}}).map;
/// \endcode
/// Throws InvalidArgument for an unknown name, with those known, for settings that do not fit, and
///   for a task without the dimension or the landmarks that the map needs.
[[nodiscard]] inline MadeFeatures make_feature_map(std::string_view name,
                                                   const Settings& settings = {},
                                                   const FeatureMapTask& task = {}) {
  const FeatureMapEntry& entry = require_entry("feature map", feature_map_table(), name);
  return entry.make({entry.name, entry.parameters, settings}, task);
}

}  // namespace mercer

#endif  // MERCER_RUNTIME_FEATURE_MAPS_HPP
