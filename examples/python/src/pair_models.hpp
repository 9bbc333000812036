// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel CCA and kernel SIR for Python, of dense samples in either precision.

#ifndef MERCER_EXAMPLES_PYTHON_SRC_PAIR_MODELS_HPP
#define MERCER_EXAMPLES_PYTHON_SRC_PAIR_MODELS_HPP

#include <memory>
#include <optional>
#include <string>

#include <pybind11/pybind11.h>

#include <mercer/core/types.hpp>
#include <mercer/models/pair_report.hpp>

#include <examples/python/src/choices.hpp>

namespace mercer_python {

namespace py = pybind11;

/// A fitted kernel CCA or kernel SIR.
class PairModel {
 public:
  PairModel() = default;
  PairModel(const PairModel&) = delete;
  PairModel& operator=(const PairModel&) = delete;
  virtual ~PairModel() = default;

  /// Correlations, or eigenvalues.
  [[nodiscard]] virtual py::object values() const = 0;
  /// The functions of a view at samples.
  /// \param view  0, or 1 of kernel CCA
  [[nodiscard]] virtual py::object transform(const py::object& samples, int view,
                                             int threads) const = 0;
  [[nodiscard]] virtual const mercer::PairReport& report() const = 0;
  /// The model as an archive, read back by load_pair_model().
  [[nodiscard]] virtual std::string archive() const = 0;
};

struct CcaOptions {
  FitOptions fit;  ///< its components are the rank of the basis of each view
  mercer::Index components = 2;
  std::optional<double> regularization, regularization_y;
  double holdout = 0;
};

struct SirOptions {
  FitOptions fit;  ///< as above
  mercer::Index components = 2;
  std::optional<double> regularization;
  std::string target;  ///< "classes", "slices" or "outputs"
  mercer::Index slices = 10;
};

/// Throws InvalidArgument as mercer::KernelCca::fit().
[[nodiscard]] std::unique_ptr<PairModel> fit_cca(const py::object& x, const py::object& y,
                                                 const Named& kernel_x, const Named& kernel_y,
                                                 const CcaOptions& options);

/// \param y  an array of float64 with as many rows
/// Throws InvalidArgument as mercer::KernelSir::fit().
[[nodiscard]] std::unique_ptr<PairModel> fit_sir(const py::object& x, const py::object& y,
                                                 const Named& kernel, const SirOptions& options);

/// Throws InvalidArgument for other bytes than those of PairModel::archive().
/// \param name  of the bytes, for messages
[[nodiscard]] std::unique_ptr<PairModel> load_pair_model(std::string bytes,
                                                         const std::string& name);

}  // namespace mercer_python

#endif  // MERCER_EXAMPLES_PYTHON_SRC_PAIR_MODELS_HPP
