// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/map_choice.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <type_traits>
#include <variant>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/features/default_features.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/solvers/nystrom/landmark_features.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>

namespace kpca {
namespace {

using mercer::Index;
using Fit = NamedMap::Fit;

template <class F>
[[nodiscard]] Fit fit_of(const AnyKernel& kernel) {
  return with_kernel(kernel, []<class K>(const K& one) {
    if constexpr (!mercer::FeatureMapFor<F, K>)
      return Fit::No;
    else if constexpr (!mercer::HasDefaultFeatures<K>)
      return Fit::Yes;
    else
      return std::same_as<decltype(default_features(one)), F> ? Fit::Natural : Fit::Yes;
  });
}

/// With as many draws, of \p width columns each, as make the columns wanted, or a few more.
template <class F>
[[nodiscard]] MapOfColumns draws(const MapRequest& request, F map, Index width) {
  map.features = (request.columns + width - 1) / width;
  return {map, map.features * width};
}

/// The step at which what the spectrum has beyond the last order is about as much as what the
/// period of the kernel adds, both exp(-pi / step) for AdditiveChiSquare.
[[nodiscard]] MapOfColumns homogeneous(const MapRequest& request) {
  const Index blocks = (request.columns + request.dimension - 1) / request.dimension;
  const Index orders = (std::max)(blocks / 2, Index{1});
  const double step = 1 / std::sqrt(static_cast<double>(orders) + 0.5);
  return {mercer::HomogeneousKernelMap{.orders = orders, .step = step},
          (2 * orders + 1) * request.dimension};
}

/// The natural maps stand before their variants.
[[nodiscard]] const std::vector<NamedMap>& all_maps() {
  using namespace mercer;
  using R = const MapRequest&;
  constexpr auto phase = FourierForm::Phase;
  constexpr auto quasi_random = Sampling::QuasiRandom;
  static const std::vector<NamedMap> table = {
      {"exact", false, fit_of<ExactFeatures>,
       [](R r) {
         return MapOfColumns{ExactFeatures{}, r.dimension};
       }},
      {"random-fourier", true, fit_of<RandomFourier>,
       [](R r) { return draws(r, RandomFourier{}, 2); }},
      {"random-fourier-phase", true, fit_of<RandomFourier>,
       [](R r) { return draws(r, RandomFourier{.form = phase}, 1); }},
      {"quasi-random-fourier", true, fit_of<RandomFourier>,
       [](R r) { return draws(r, RandomFourier{.sampling = quasi_random}, 2); }},
      {"orthogonal-fourier", true, fit_of<OrthogonalFourier>,
       [](R r) { return draws(r, OrthogonalFourier{}, 2); }},
      {"fastfood", true, fit_of<Fastfood>, [](R r) { return draws(r, Fastfood{}, 2); }},
      {"tensor-sketch", true, fit_of<TensorSketch>,
       [](R r) { return draws(r, TensorSketch{}, 1); }},
      {"random-maclaurin", true, fit_of<RandomMaclaurin>,
       [](R r) { return draws(r, RandomMaclaurin{}, 1); }},
      {"random-laplace", true, fit_of<RandomLaplace>,
       [](R r) { return draws(r, RandomLaplace{}, 1); }},
      {"quasi-random-laplace", true, fit_of<RandomLaplace>,
       [](R r) { return draws(r, RandomLaplace{.sampling = quasi_random}, 1); }},
      {"arc-cosine", true, fit_of<ArcCosineFeatures>,
       [](R r) { return draws(r, ArcCosineFeatures{}, 1); }},
      {"additive", true, fit_of<AdditiveFeatures>,
       [](R r) { return draws(r, AdditiveFeatures{}, 2 * r.dimension); }},
      {"additive-threshold", true,
       [](const AnyKernel& kernel) {
         return with_kernel(kernel, []<class K>(const K&) {
           return std::same_as<K, Intersection> ? Fit::Yes : Fit::No;
         });
       },
       [](R r) {
         return draws(r, AdditiveFeatures{.form = AdditiveForm::Threshold}, r.dimension);
       }},
      {"homogeneous", false, fit_of<HomogeneousKernelMap>, homogeneous},
      {"chi-square", true, fit_of<ChiSquareFeatures>,
       [](R r) { return draws(r, ChiSquareFeatures{}, 2); }},
      {"nystrom", false, fit_of<NystromFeatures<Matrix<double>>>,
       [](R r) {
         Matrix<double> landmarks = r.landmarks(r.columns);
         const Index count = landmarks.rows();
         return MapOfColumns{NystromFeatures{std::move(landmarks)}, count};
       }},
  };
  return table;
}

/// "a, b or c": the maps that fit.
[[nodiscard]] std::string those_that_fit(const AnyKernel& kernel) {
  std::vector<std::string> names;
  for (const NamedMap& map : all_maps())
    if (map.fit(kernel) != Fit::No) names.push_back(map.name);
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i)
    list += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
  return list;
}

}  // namespace

const NamedMap& choose_map(const std::optional<std::string>& name, const AnyKernel& kernel,
                           const std::string& kernel_name) {
  const std::vector<NamedMap>& maps = all_maps();
  const auto found = std::find_if(maps.begin(), maps.end(), [&](const NamedMap& map) {
    return name ? map.name == *name : map.fit(kernel) == Fit::Natural;
  });
  if (found != maps.end() && found->fit(kernel) != Fit::No) return *found;
  const std::string fit = those_that_fit(kernel);
  if (!name)
    throw mercer::InvalidArgument("--map: there are no random features of the kernel " +
                                  kernel_name + "; take --map " + fit);
  throw mercer::InvalidArgument("--map " + *name +
                                (found == maps.end() ? ": there is no such map; for the kernel "
                                                     : ": has no features of the kernel ") +
                                kernel_name + (found == maps.end() ? " take " : "; take ") + fit);
}

template <mercer::Real S>
mercer::BoundAnyFeatures<S> AnyMap::bind(const FeatureKernel& kernel,
                                         const mercer::SampleBounds& bounds,
                                         std::uint64_t seed) const {
  return kernel.with_kernel([&](const auto& one) { return features_.bind<S>(one, bounds, seed); });
}

template mercer::BoundAnyFeatures<double> AnyMap::bind(const FeatureKernel&,
                                                       const mercer::SampleBounds&,
                                                       std::uint64_t) const;
template mercer::BoundAnyFeatures<float> AnyMap::bind(const FeatureKernel&,
                                                      const mercer::SampleBounds&,
                                                      std::uint64_t) const;

template <mercer::Real S>
mercer::Matrix<double> choose_landmarks(const AnyKernel& kernel, const SampleFile<S>& file,
                                        Index count, std::uint64_t seed) {
  const auto choose = [&](const auto& one, const auto& x) -> mercer::Matrix<double> {
    if constexpr (mercer::Kernel<std::decay_t<decltype(one)>>) {
      if (count > x.rows())
        throw mercer::InvalidArgument("--features: " + std::to_string(count) +
                                      " landmarks are more than the " + std::to_string(x.rows()) +
                                      " samples " + (file.streamed_rows ? "in memory of " : "in ") +
                                      file.path);
      const auto map = in_context(file.path, [&] {
        return mercer::landmark_features(mercer::RpCholesky{}, one, x, count, seed);
      });
      return mercer::Matrix<S>(map.landmarks()).template cast<double>();
    } else {
      throw mercer::InvalidArgument("--map nystrom: a precomputed kernel cannot be evaluated");
    }
  };
  return std::visit(choose, kernel, file.samples);
}

template mercer::Matrix<double> choose_landmarks(const AnyKernel&, const SampleFile<double>&, Index,
                                                 std::uint64_t);
template mercer::Matrix<double> choose_landmarks(const AnyKernel&, const SampleFile<float>&, Index,
                                                 std::uint64_t);

}  // namespace kpca
