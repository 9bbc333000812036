// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel PCA for Python of samples that come in batches.

#ifndef MERCER_EXAMPLES_PYTHON_SRC_BATCHES_HPP
#define MERCER_EXAMPLES_PYTHON_SRC_BATCHES_HPP

#include <memory>
#include <string>

#include <pybind11/pybind11.h>

#include <mercer/core/types.hpp>
#include <mercer/solvers/eigenpairs.hpp>

#include <examples/python/src/choices.hpp>
#include <examples/python/src/features.hpp>
#include <examples/python/src/kernel_pca.hpp>
#include <examples/python/src/model.hpp>

namespace mercer_python {

namespace py = pybind11;

/// The sums over samples that components are computed from. Immutable.
class BatchSums : public Model {
 public:
  /// The number of samples.
  [[nodiscard]] virtual mercer::Index samples() const = 0;
  /// The number of features that the sums are over.
  [[nodiscard]] virtual mercer::Index columns() const = 0;
  /// The map and the kernel in words.
  [[nodiscard]] virtual py::tuple describe() const = 0;
  /// The sums over these samples and those of a batch.
  /// Throws for samples of another scalar or dimension, and outside the kernel's domain.
  [[nodiscard]] virtual std::unique_ptr<BatchSums> plus(const py::object& samples,
                                                        int threads) const = 0;
  /// The components of all samples.
  /// Throws InvalidArgument as mercer::FeaturePcaMoments::model().
  [[nodiscard]] virtual std::unique_ptr<PcaModel> model(const mercer::Components& components,
                                                        int threads) const = 0;
  /// The sums as an archive, read back by load_sums().
  [[nodiscard]] virtual std::string archive() const = 0;
};

/// Sums over no samples, whose features are chosen for these. They are not added.
/// Throws InvalidArgument as choose_features().
[[nodiscard]] std::unique_ptr<BatchSums> begin_sums(const py::object& samples, const Named& kernel,
                                                    const FeatureOptions& options, bool centered);

/// Throws InvalidArgument for other bytes than those of BatchSums::archive().
/// \param name  of the bytes, for messages
[[nodiscard]] std::unique_ptr<BatchSums> load_sums(std::string bytes, const std::string& name);

}  // namespace mercer_python

#endif  // MERCER_EXAMPLES_PYTHON_SRC_BATCHES_HPP
