// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel PCA for Python: one class for the models of all forms of samples.

#ifndef MERCER_EXAMPLES_PYTHON_SRC_KERNEL_PCA_HPP
#define MERCER_EXAMPLES_PYTHON_SRC_KERNEL_PCA_HPP

#include <cstdint>
#include <memory>
#include <string>

#include <pybind11/pybind11.h>

#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <mercer/runtime/any_features.hpp>
#include <mercer/runtime/any_kernel.hpp>

#include <examples/python/src/choices.hpp>
#include <examples/python/src/model.hpp>

namespace mercer_python {

namespace py = pybind11;

/// A fitted kernel PCA. The arrays it returns have the scalar of its samples.
class PcaModel : public Model {
 public:
  [[nodiscard]] virtual py::object eigenvalues() const = 0;
  /// Scores of the training samples; None of a model over features.
  [[nodiscard]] virtual py::object training_scores() const = 0;
  /// The points that the components are expanded over, not copied; None of a model over features.
  [[nodiscard]] virtual py::object points(const py::object& self) const = 0;
  /// Whether the points are not the training samples.
  [[nodiscard]] virtual bool over_landmarks() const = 0;
  [[nodiscard]] virtual py::object transform(const py::object& samples, int threads) const = 0;
  /// The values of the kernel of the model at the rows of two arrays of its scalar.
  [[nodiscard]] virtual py::object kernel_values(const py::object& x, const py::object& y,
                                                 int threads) const = 0;
  /// The mean of the squared distances of samples of its scalar to their pre-images by fixed
  /// points; None unless the model has a Gaussian and dense points.
  [[nodiscard]] virtual py::object preimage_error(const py::object& samples, int threads) const = 0;
  /// The name and the settings of the kernel.
  [[nodiscard]] virtual py::tuple kernel() const = 0;
  /// Whether the mean in feature space is subtracted.
  [[nodiscard]] virtual bool centered() const = 0;
  [[nodiscard]] virtual const mercer::Report& report() const = 0;
  /// The model as an archive, read back by load_pca_model().
  [[nodiscard]] virtual std::string archive() const = 0;
  /// Writes the archive to a file, which appears complete or not at all. Throws io::FileError.
  virtual void save(const std::string& path) const = 0;
};

/// A model that has no points, only features.
template <mercer::Real S>
[[nodiscard]] std::unique_ptr<PcaModel> make_model(
    mercer::FeaturePcaModel<mercer::AnyKernel, mercer::AnyFeatures, S> model);

/// \param weights  of the samples, an array of one dimension; None: 1 each
/// Throws InvalidArgument as mercer::KernelPca::fit().
[[nodiscard]] std::unique_ptr<PcaModel> fit_pca(const py::object& samples,
                                                const py::object& weights, const Named& kernel,
                                                const FitOptions& options);

/// The model of PcaModel::archive(), or of a file that kpca has saved.
/// \param name  of the bytes, for messages
/// Throws InvalidArgument for other bytes, and for a model of standardised samples.
[[nodiscard]] std::unique_ptr<PcaModel> load_pca_model(std::string bytes, const std::string& name);

/// The median of the distances between samples.
[[nodiscard]] double median_distance(const py::object& samples, std::uint64_t seed,
                                     const py::object& sample_weights, int threads);

}  // namespace mercer_python

#endif  // MERCER_EXAMPLES_PYTHON_SRC_KERNEL_PCA_HPP
