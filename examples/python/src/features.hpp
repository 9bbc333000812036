// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Features of kernels for Python, by any map of mercer.

#ifndef MERCER_EXAMPLES_PYTHON_SRC_FEATURES_HPP
#define MERCER_EXAMPLES_PYTHON_SRC_FEATURES_HPP

#include <cstdint>
#include <memory>
#include <string>

#include <pybind11/pybind11.h>

#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/runtime/any_features.hpp>
#include <mercer/runtime/any_kernel.hpp>

#include <examples/python/src/choices.hpp>

namespace mercer_python {

namespace py = pybind11;

/// What features are made for.
struct FeatureOptions {
  std::string map;  ///< a name of mercer's table; empty: the natural one of the kernel, or nystrom
  mercer::Index columns = 100;  ///< about as many; of nystrom, the most
  std::uint64_t seed = 1;
  int threads = 0;
};

/// All that the features follow from.
struct FeatureParts {
  mercer::AnyKernel kernel;
  mercer::AnyFeatures map;
  mercer::SampleBounds bounds;
  std::uint64_t seed;
};

/// Features of dense samples of one scalar.
class FeatureModel {
 public:
  FeatureModel() = default;
  FeatureModel(const FeatureModel&) = delete;
  FeatureModel& operator=(const FeatureModel&) = delete;
  virtual ~FeatureModel() = default;

  [[nodiscard]] virtual mercer::Index columns() const = 0;
  /// The map and the kernel in words.
  [[nodiscard]] virtual py::tuple describe() const = 0;
  /// n x columns. Throws for samples of another scalar or dimension.
  [[nodiscard]] virtual py::object transform(const py::object& samples, int threads) const = 0;
  /// What load_features() makes the same features from.
  [[nodiscard]] virtual py::tuple state() const = 0;
};

/// Throws InvalidArgument for a map that the kernel has no features of, with those that it has.
[[nodiscard]] std::unique_ptr<FeatureModel> fit_features(const py::object& samples,
                                                         const Named& kernel,
                                                         const FeatureOptions& options);

/// Throws InvalidArgument for another tuple than one of FeatureModel::state().
[[nodiscard]] std::unique_ptr<FeatureModel> load_features(const py::tuple& state);

}  // namespace mercer_python

#endif  // MERCER_EXAMPLES_PYTHON_SRC_FEATURES_HPP
