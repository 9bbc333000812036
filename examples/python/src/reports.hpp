// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Reports as dictionaries, with the names that their entries have in mercer. What is not known is
/// None.

#ifndef MERCER_EXAMPLES_PYTHON_SRC_REPORTS_HPP
#define MERCER_EXAMPLES_PYTHON_SRC_REPORTS_HPP

#include <pybind11/pybind11.h>

#include <mercer/core/report.hpp>
#include <mercer/models/pair_report.hpp>

namespace mercer_python {

[[nodiscard]] pybind11::dict to_dict(const mercer::Report& report);
[[nodiscard]] pybind11::dict to_dict(const mercer::PairReport& report);

}  // namespace mercer_python

#endif  // MERCER_EXAMPLES_PYTHON_SRC_REPORTS_HPP
