// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The settings of feature maps in archives.

#ifndef MERCER_IO_ARCHIVE_ARCHIVE_FEATURES_HPP
#define MERCER_IO_ARCHIVE_ARCHIVE_FEATURES_HPP

#include <string_view>
#include <tuple>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/features/additive_features.hpp>
#include <mercer/features/arc_cosine_features.hpp>
#include <mercer/features/chi_square_features.hpp>
#include <mercer/features/detail/uniform_points.hpp>
#include <mercer/features/exact_features.hpp>
#include <mercer/features/fastfood.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/features/homogeneous_kernel_map.hpp>
#include <mercer/features/nystrom_features.hpp>
#include <mercer/features/orthogonal_fourier.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_laplace.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/features/tensor_sketch.hpp>
#include <mercer/features/zonal_features.hpp>
#include <mercer/io/archive/archive_traits.hpp>

namespace mercer::io {

template <>
struct ArchiveTraits<SampleBounds> {
  static auto parts(const SampleBounds& b) { return std::tie(b.dimension, b.radius); }
};

template <>
struct ArchiveTraits<FourierForm> {
  static constexpr FourierForm last = FourierForm::Phase;
};

template <>
struct ArchiveTraits<Sampling> {
  static constexpr Sampling last = Sampling::QuasiRandom;
};

template <>
struct ArchiveTraits<RandomFourier> {
  static constexpr std::string_view name = "random-fourier";
  static auto parts(const RandomFourier& map) {
    return std::tie(map.features, map.form, map.sampling);
  }
};

template <>
struct ArchiveTraits<DegreeLaw> {
  static constexpr DegreeLaw last = DegreeLaw::Geometric;
};

template <>
struct ArchiveTraits<RandomMaclaurin> {
  static constexpr std::string_view name = "random-maclaurin";
  static auto parts(const RandomMaclaurin& map) { return std::tie(map.features, map.law); }
};

template <>
struct ArchiveTraits<OrthogonalFourier> {
  static constexpr std::string_view name = "orthogonal-fourier";
  static auto parts(const OrthogonalFourier& map) { return std::tie(map.features, map.form); }
};

template <>
struct ArchiveTraits<Fastfood> {
  static constexpr std::string_view name = "fastfood";
  static auto parts(const Fastfood& map) { return std::tie(map.features, map.form); }
};

template <>
struct ArchiveTraits<TensorSketch> {
  static constexpr std::string_view name = "tensor-sketch";
  static auto parts(const TensorSketch& map) { return std::tie(map.features); }
};

template <>
struct ArchiveTraits<RandomLaplace> {
  static constexpr std::string_view name = "random-laplace";
  static auto parts(const RandomLaplace& map) { return std::tie(map.features, map.sampling); }
};

template <>
struct ArchiveTraits<ArcCosineFeatures> {
  static constexpr std::string_view name = "arc-cosine-features";
  static auto parts(const ArcCosineFeatures& map) { return std::tie(map.features); }
};

template <>
struct ArchiveTraits<ZonalFeatures> {
  static constexpr std::string_view name = "zonal-features";
  static auto parts(const ZonalFeatures& map) { return std::tie(map.features, map.sampling); }
};

template <>
struct ArchiveTraits<AdditiveForm> {
  static constexpr AdditiveForm last = AdditiveForm::Threshold;
};

template <>
struct ArchiveTraits<AdditiveFeatures> {
  static constexpr std::string_view name = "additive-features";
  static auto parts(const AdditiveFeatures& map) { return std::tie(map.features, map.form); }
};

template <>
struct ArchiveTraits<HomogeneousKernelMap> {
  static constexpr std::string_view name = "homogeneous-kernel-map";
  static auto parts(const HomogeneousKernelMap& map) { return std::tie(map.orders, map.step); }
};

template <>
struct ArchiveTraits<ChiSquareFeatures> {
  static constexpr std::string_view name = "chi-square-features";
  static auto parts(const ChiSquareFeatures& map) {
    return std::tie(map.features, map.form, map.additive.orders, map.additive.step);
  }
  static ChiSquareFeatures make(Index features, FourierForm form, Index orders, double step) {
    return {.features = features, .form = form, .additive = {.orders = orders, .step = step}};
  }
};

template <>
struct ArchiveTraits<ExactFeatures> {
  static constexpr std::string_view name = "exact-features";
  static auto parts(const ExactFeatures&) { return std::tuple(); }
};

template <OwnedSamples X>
struct ArchiveTraits<NystromFeatures<X>> {
  static constexpr std::string_view name = "nystrom-features";
  static auto parts(const NystromFeatures<X>& map) { return std::tie(map.landmarks()); }
  static NystromFeatures<X> make(X landmarks) {
    // Landmarks without columns take no bytes in the file, but the matrix of their kernel values
    // would take memory.
    if (landmarks.cols() == 0)
      detail::fail("mercer::NystromFeatures: ", landmarks.rows(), " landmarks have no columns");
    return NystromFeatures<X>(std::move(landmarks));
  }
};

}  // namespace mercer::io

#endif  // MERCER_IO_ARCHIVE_ARCHIVE_FEATURES_HPP
