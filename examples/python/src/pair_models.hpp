// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel CCA, kernel SVD and kernel SIR for Python, in either precision.

#ifndef MERCER_EXAMPLES_PYTHON_SRC_PAIR_MODELS_HPP
#define MERCER_EXAMPLES_PYTHON_SRC_PAIR_MODELS_HPP

#include <memory>
#include <optional>
#include <string>

#include <pybind11/pybind11.h>

#include <mercer/core/types.hpp>
#include <mercer/models/pair_report.hpp>

#include <examples/python/src/choices.hpp>
#include <examples/python/src/model.hpp>

namespace mercer_python {

namespace py = pybind11;

/// A fitted kernel CCA, kernel SVD or kernel SIR.
class PairModel : public Model {
 public:
  /// Correlations, singular values or eigenvalues.
  [[nodiscard]] virtual py::object values() const = 0;
  /// Of kernel SVD the dependence and the share of each component in it; else None.
  [[nodiscard]] virtual py::object dependence_ratio() const = 0;
  /// The functions of a view at samples.
  /// \param view  0, or 1 of kernel CCA and kernel SVD
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

struct SvdOptions {
  FitOptions fit;  ///< as above
  mercer::Index components = 2;
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

/// Throws InvalidArgument as mercer::KernelSvd::fit().
[[nodiscard]] std::unique_ptr<PairModel> fit_svd(const py::object& x, const py::object& y,
                                                 const Named& kernel_x, const Named& kernel_y,
                                                 const SvdOptions& options);

/// \param x  dense or sparse
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
