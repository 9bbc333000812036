// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// From the options to a feature map, and features of kernels that are chosen at run time.

#ifndef MERCER_EXAMPLES_KPCA_MAP_CHOICE_HPP
#define MERCER_EXAMPLES_KPCA_MAP_CHOICE_HPP

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <mercer/core/types.hpp>
#include <mercer/features/any_features.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/io/archive_traits.hpp>

#include <examples/kpca/any_kernel.hpp>
#include <examples/kpca/inputs.hpp>

namespace kpca {

/// A feature map for a kernel that is one of several. What it draws is compiled in map_choice.cpp,
/// so that fits do not grow with the number of maps.
class AnyMap {
 public:
  template <class K>
  static constexpr bool maps = std::same_as<K, FeatureKernel>;

  explicit AnyMap(mercer::AnyFeatures features) : features_(std::move(features)) {}

  [[nodiscard]] const mercer::AnyFeatures& features() const { return features_; }
  [[nodiscard]] std::string describe() const { return features_.describe(); }

  /// Throws mercer::InvalidArgument if the map does not fit the kernel that it is.
  template <mercer::Real S>
  [[nodiscard]] mercer::BoundAnyFeatures<S> bind(const FeatureKernel& kernel,
                                                 const mercer::SampleBounds& bounds,
                                                 std::uint64_t seed) const;

 private:
  mercer::AnyFeatures features_;
};

/// What a map is made for.
struct MapRequest {
  mercer::Index columns;    ///< wanted
  mercer::Index dimension;  ///< of the samples
  /// So many of the samples, for maps that are made of some.
  std::function<mercer::Matrix<double>(mercer::Index count)> landmarks;
};

struct MapOfColumns {
  mercer::AnyFeatures map;
  mercer::Index columns;  ///< that it has; of nystrom, the most
};

/// A map under its name in the options.
struct NamedMap {
  enum class Fit { No, Yes, Natural };

  std::string name;
  bool drawn;  ///< blocks are random; else one is all there is
  Fit (*fit)(const AnyKernel& kernel);
  MapOfColumns (*make)(const MapRequest& request);
};

/// The map of this name, or else the natural one of the kernel, which is \p kernel_name. Throws
/// mercer::InvalidArgument with the names of those that fit the kernel.
[[nodiscard]] const NamedMap& choose_map(const std::optional<std::string>& name,
                                         const AnyKernel& kernel, const std::string& kernel_name);

/// Samples that stand for the others. Throws mercer::InvalidArgument for more than are in memory.
template <mercer::Real S>
[[nodiscard]] mercer::Matrix<double> choose_landmarks(const AnyKernel& kernel,
                                                      const SampleFile<S>& file,
                                                      mercer::Index count, std::uint64_t seed);

}  // namespace kpca

/// In a file, the map is what it is.
template <>
struct mercer::io::ArchiveTraits<kpca::AnyMap> {
  static auto parts(const kpca::AnyMap& map) { return std::tie(map.features()); }
};

#endif  // MERCER_EXAMPLES_KPCA_MAP_CHOICE_HPP
