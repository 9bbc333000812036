// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernels and solvers by name, from Python's dictionaries.

#ifndef MERCER_EXAMPLES_PYTHON_SRC_CHOICES_HPP
#define MERCER_EXAMPLES_PYTHON_SRC_CHOICES_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <pybind11/pybind11.h>

#include <mercer/core/types.hpp>
#include <mercer/runtime/any_kernel.hpp>
#include <mercer/runtime/any_solver.hpp>
#include <mercer/runtime/parameter.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer_python {

namespace py = pybind11;

/// A name from a table of mercer, and settings by the names of its parameters.
struct Named {
  std::string name;
  mercer::Settings settings;
};

/// Throws InvalidArgument, with the name of the setting, for a value that is no number and no word,
/// and for a whole number that is too large for any setting.
[[nodiscard]] Named named_of(const std::string& name, const py::dict& settings);

/// What all fits are asked for.
struct FitOptions {
  Named solver;
  mercer::Components components = 2;
  bool centered = true;
  std::size_t memory_budget = 0;
  std::optional<mercer::Index> max_iterations = {};  ///< of solvers that have such a bound
  std::uint64_t seed = 1;
  int threads = 0;
  py::object callback;
};

/// None is all of them, a float the fraction of the variance, an int their number.
[[nodiscard]] mercer::Components components_of(const py::object& value);

/// Throws InvalidArgument for an unknown name and for settings that do not fit.
[[nodiscard]] mercer::AnyKernel make_kernel(const Named& kernel);
/// The same, if it has values for samples of the form X.
template <mercer::OwnedSamples X>
[[nodiscard]] mercer::AnyKernel kernel_on(const Named& named) {
  mercer::AnyKernel kernel = make_kernel(named);
  if (!kernel.takes<X>())
    throw py::value_error("mercer: the kernel " + kernel.describe() +
                          " takes no sparse samples; give it an array");
  return kernel;
}
/// \param landmarks  chooses as many of the samples, for features over landmarks
[[nodiscard]] mercer::AnySolver make_solver(
    const FitOptions& options, const mercer::AnyKernel& kernel, mercer::Index samples,
    mercer::Index dimension,
    const std::function<mercer::Matrix<double>(mercer::Index)>& landmarks = {});

/// The name and the settings of a kernel, which make it again.
[[nodiscard]] py::tuple to_python(const mercer::AnyKernel& kernel);

/// The tables: for each entry its name, aliases, description and parameters.
[[nodiscard]] py::list kernel_list();
[[nodiscard]] py::list solver_list();
[[nodiscard]] py::list response_solver_list();
[[nodiscard]] py::list feature_map_list();

/// The name that the table has for this name or alias; None if it has none.
[[nodiscard]] py::object kernel_name(const std::string& name);
[[nodiscard]] py::object solver_name(const std::string& name);
[[nodiscard]] py::object response_solver_name(const std::string& name);
[[nodiscard]] py::object feature_map_name(const std::string& name);

}  // namespace mercer_python

#endif  // MERCER_EXAMPLES_PYTHON_SRC_CHOICES_HPP
