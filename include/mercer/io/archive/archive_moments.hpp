// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Archives of the moments of parts of the rows.

#ifndef MERCER_IO_ARCHIVE_ARCHIVE_MOMENTS_HPP
#define MERCER_IO_ARCHIVE_ARCHIVE_MOMENTS_HPP

#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/moment_sum.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/io/archive/archive_features.hpp>
#include <mercer/io/archive/archive_models.hpp>
#include <mercer/io/archive/archive_traits.hpp>
#include <mercer/io/archive/archive_view_parts.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/models/moments/feature_pca_moments.hpp>
#include <mercer/models/moments/nystrom_pca_moments.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>

namespace mercer::io {

template <Real S>
struct ArchiveTraits<detail::MomentSum<S>> {
  static std::tuple<bool, Index, const Vector<double>&, Matrix<double>> parts(
      const detail::MomentSum<S>& sum) {
    return {sum.centered(), sum.count(), sum.mean(), sum.scatter()};
  }
  static detail::MomentSum<S> make(bool centered, Index count, Vector<double> mean,
                                   Matrix<double> scatter) {
    return {centered, count, std::move(mean), std::move(scatter)};
  }
};

template <>
struct ArchiveTraits<FeaturePcaParams> {
  static auto parts(const FeaturePcaParams& params) {
    const auto& [blocks, batch, seed] = params;
    return std::tie(blocks, batch, seed);
  }
};

/// The map is bound to the kernel again. Its features are drawn where they are needed.
template <Kernel K, FeatureMap F, Real S>
struct ArchiveTraits<FeaturePcaMoments<K, F, S>> {
  using Moments = FeaturePcaMoments<K, F, S>;

  static constexpr std::string_view name = "feature-pca-moments";
  static std::tuple<const K&, const F&, const FeaturePcaParams&, const SampleBounds&,
                    const detail::MomentSum<S>&>
  parts(const Moments& moments) {
    return {moments.kernel(), moments.map(), moments.params(), moments.bounds(), moments.sums()};
  }
  static Moments make(K kernel, F map, const FeaturePcaParams& params, const SampleBounds& bounds,
                      detail::MomentSum<S> sums) {
    params.validate();
    // All features are held at once: there are no more blocks than the file has sums for.
    if (params.blocks > sums.columns())
      detail::fail("mercer::FeaturePcaMoments: sums over ", sums.columns(), " features do not fit ",
                   params.blocks, " blocks of features");
    return Moments(std::move(kernel), FeaturePca<F>(std::move(map), params), bounds,
                   std::move(sums));
  }
  static ArchiveHeader header(const Moments& moments) {
    return {.type = std::string(name),
            .kernel = detail::archive_name(moments.kernel()),
            .features = detail::archive_name(moments.map()),
            .scalar = scalar_name<Moments>(),
            .samples = {},
            .mercer_version = {}};
  }
};

template <OwnedSamples X>
struct ArchiveTraits<detail::NystromSums<X>> {
  static auto parts(const detail::NystromSums<X>& all) {
    const auto& [points, whiten, landmarks, trace, sums] = all;
    return std::tie(points, whiten, landmarks, trace, sums);
  }
  static detail::NystromSums<X> make(X points, Matrix<double> whiten, Index landmarks, double trace,
                                     detail::MomentSum<typename X::Scalar> sums) {
    detail::require_not_negative("NystromPcaMoments", "trace", trace);
    return {std::move(points), std::move(whiten), landmarks, trace, std::move(sums)};
  }
};

template <Kernel K, OwnedSamples X>
struct ArchiveTraits<NystromPcaMoments<K, X>> {
  using Moments = NystromPcaMoments<K, X>;

  static constexpr std::string_view name = "nystrom-pca-moments";
  static std::tuple<const K&, const detail::NystromSums<X>&> parts(const Moments& moments) {
    return {moments.kernel(), moments.parts()};
  }
  static ArchiveHeader header(const Moments& moments) {
    ArchiveHeader header = samples_header(moments.kernel(), moments.landmarks());
    header.type = name;
    return header;
  }
};

}  // namespace mercer::io

#endif  // MERCER_IO_ARCHIVE_ARCHIVE_MOMENTS_HPP
