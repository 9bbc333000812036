// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The settings of feature maps in archives.

#ifndef MERCER_IO_ARCHIVE_FEATURES_HPP
#define MERCER_IO_ARCHIVE_FEATURES_HPP

#include <string_view>
#include <tuple>

#include <mercer/features/feature_map.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/io/archive_traits.hpp>

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
struct ArchiveTraits<RandomFourier> {
  static constexpr std::string_view name = "random-fourier";
  static auto parts(const RandomFourier& map) { return std::tie(map.features, map.form); }
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

}  // namespace mercer::io

#endif  // MERCER_IO_ARCHIVE_FEATURES_HPP
