// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Features of kernels for Python, by any map of mercer, and the choice of landmarks for them.

#ifndef MERCER_EXAMPLES_PYTHON_SRC_FEATURES_HPP
#define MERCER_EXAMPLES_PYTHON_SRC_FEATURES_HPP

#include <cstdint>
#include <memory>
#include <string>

#include <pybind11/pybind11.h>

#include <mercer/core/observer.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/runtime/any_features.hpp>
#include <mercer/runtime/any_kernel.hpp>

#include <examples/python/src/choices.hpp>
#include <examples/python/src/model.hpp>

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

/// Some of the samples as landmarks for features, in double precision; fewer if more would add
/// nothing.
/// \param count  at most the number of samples
template <mercer::OwnedSamples X>
[[nodiscard]] mercer::Matrix<double> choose_landmarks(const mercer::AnyKernel& kernel,
                                                      const X& samples, mercer::Index count,
                                                      std::uint64_t seed,
                                                      const mercer::Observer& observer);

/// What make_solver() is to choose landmarks with, among samples in the memory of Python.
/// Lifetime: refers to the arguments.
template <class View>
[[nodiscard]] auto landmarks_among(const mercer::AnyKernel& kernel, const View& view,
                                   std::uint64_t seed, const mercer::Observer& observer) {
  return [&kernel, &view, seed, &observer](mercer::Index count) {
    if (count > view.rows())
      throw py::value_error("features: " + std::to_string(count) + " landmarks are more than the " +
                            std::to_string(view.rows()) + " samples");
    return choose_landmarks(kernel, mercer::OwnedSamplesOf<View>(view), count, seed, observer);
  };
}

/// Features for samples like these: by the map that is asked for, over landmarks among them if it
/// needs some.
/// Throws InvalidArgument for a map that the kernel has no features of, with those that it has, and
///   for samples outside the kernel's domain.
template <mercer::OwnedSamples X>
[[nodiscard]] FeatureParts choose_features(const X& samples, const Named& kernel,
                                           const FeatureOptions& options,
                                           const mercer::Observer& observer);

/// Features of samples of one scalar.
class FeatureModel : public Model {
 public:
  [[nodiscard]] virtual mercer::Index columns() const = 0;
  /// The map and the kernel in words.
  [[nodiscard]] virtual py::tuple describe() const = 0;
  /// n x columns. Throws for samples of another scalar or dimension.
  [[nodiscard]] virtual py::object transform(const py::object& samples, int threads) const = 0;
  /// What load_features() makes the same features from.
  [[nodiscard]] virtual py::tuple state() const = 0;
};

/// \param samples  dense or sparse
/// Throws InvalidArgument as choose_features().
[[nodiscard]] std::unique_ptr<FeatureModel> fit_features(const py::object& samples,
                                                         const Named& kernel,
                                                         const FeatureOptions& options);

/// Throws InvalidArgument for another tuple than one of FeatureModel::state().
[[nodiscard]] std::unique_ptr<FeatureModel> load_features(const py::tuple& state);

}  // namespace mercer_python

#endif  // MERCER_EXAMPLES_PYTHON_SRC_FEATURES_HPP
