// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel ICA for Python.

#ifndef MERCER_EXAMPLES_PYTHON_SRC_ICA_HPP
#define MERCER_EXAMPLES_PYTHON_SRC_ICA_HPP

#include <pybind11/pybind11.h>

#include <mercer/models/kernel_ica.hpp>

namespace mercer_python {

namespace py = pybind11;

struct IcaOptions {
  mercer::KernelIcaParams params;
  int threads = 0;
  py::object callback;
};

/// Mean, unmixing, mixing, contrast and report of a fit, by these names, in double precision. They
/// are the whole model, so Python needs no object of C++ to hold it.
/// Throws InvalidArgument as mercer::KernelIca::fit().
[[nodiscard]] py::dict fit_ica(const py::object& samples, const IcaOptions& options);

}  // namespace mercer_python

#endif  // MERCER_EXAMPLES_PYTHON_SRC_ICA_HPP
