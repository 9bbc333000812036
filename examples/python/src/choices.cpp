// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/python/src/choices.hpp>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/runtime/feature_maps.hpp>
#include <mercer/runtime/kernels.hpp>
#include <mercer/runtime/parameter.hpp>
#include <mercer/runtime/response_solvers.hpp>
#include <mercer/runtime/solvers.hpp>
#include <mercer/runtime/table.hpp>

#include <examples/kpca/kernel_code.hpp>

namespace mercer_python {

using mercer::Index;

namespace {

/// Throws for numbers beyond those of 64 bits.
[[nodiscard]] Index whole_number_of(const py::handle& value, const std::string& what) {
  try {
    return value.cast<Index>();
  } catch (const py::cast_error&) {
    throw py::value_error(what + " is too large, got " + py::repr(value).cast<std::string>());
  }
}

template <class Entry>
[[nodiscard]] py::object name_in(const std::vector<Entry>& table, const std::string& name) {
  const Entry* const entry = mercer::find_entry(table, name);
  return entry ? py::object(py::str(entry->name)) : py::none();
}

[[nodiscard]] py::object to_python(const mercer::ParameterValue& value) {
  return std::visit([](const auto& one) -> py::object { return py::cast(one); }, value);
}

[[nodiscard]] py::dict to_python(const mercer::Parameter& parameter) {
  using namespace py::literals;
  const auto suggestion = parameter.suggestion;
  return py::dict("name"_a = parameter.name, "description"_a = parameter.description,
                  "requirement"_a = parameter.requirement(),
                  "default"_a = parameter.fallback ? to_python(*parameter.fallback) : py::none(),
                  "otherwise"_a = parameter.otherwise, "instead_of"_a = parameter.instead_of,
                  "suggestion"_a = suggestion == mercer::Suggestion::Distance ? "distance"
                                   : suggestion == mercer::Suggestion::InverseDimension
                                       ? "inverse dimension"
                                       : "");
}

template <class Entry>
[[nodiscard]] py::list to_python(const std::vector<Entry>& table) {
  using namespace py::literals;
  py::list out;
  for (const Entry& entry : table) {
    py::list parameters;
    for (const mercer::Parameter& parameter : entry.parameters)
      parameters.append(to_python(parameter));
    py::list aliases;
    for (const std::string& alias : entry.aliases) aliases.append(alias);
    out.append(py::dict("name"_a = entry.name, "aliases"_a = aliases,
                        "description"_a = entry.description, "parameters"_a = parameters));
  }
  return out;
}

/// The solver with this bound of its iterations, if it has one.
[[nodiscard]] mercer::AnySolver bounded(mercer::AnySolver solver, Index most) {
  const auto* over_samples = std::get_if<mercer::AnyKernelSolver>(&solver);
  if (!over_samples) return solver;
  return std::visit(
      [&]<class T>(const T& one) -> mercer::AnySolver {
        if constexpr (requires { T(one.params()).params().max_iterations; }) {
          auto params = one.params();
          params.max_iterations = most;
          return mercer::AnyKernelSolver(T(params));
        } else {
          return solver;
        }
      },
      over_samples->choice());
}

}  // namespace

Named named_of(const std::string& name, const py::dict& settings) {
  Named named{name, {}};
  for (const auto& [key, value] : settings) {
    const auto setting = key.cast<std::string>();
    if (py::isinstance<py::str>(value))
      named.settings[setting] = value.cast<std::string>();
    else if (py::hasattr(value, "__index__"))
      named.settings[setting] = whole_number_of(value, name + ": " + setting);
    else if (py::hasattr(value, "__float__"))
      named.settings[setting] = value.cast<double>();
    else
      throw py::value_error(name + ": " + setting + " must be a number or a word, got " +
                            py::repr(value).cast<std::string>());
  }
  return named;
}

mercer::Components components_of(const py::object& value) {
  if (value.is_none()) return mercer::Components::all();
  if (py::isinstance<py::float_>(value)) return value.cast<double>();
  return value.cast<Index>();
}

mercer::AnyKernel make_kernel(const Named& kernel) {
  return mercer::make_kernel(kernel.name, kernel.settings);
}

mercer::AnySolver make_solver(const FitOptions& options, const mercer::AnyKernel& kernel,
                              Index samples, Index dimension,
                              const std::function<mercer::Matrix<double>(Index)>& landmarks) {
  mercer::AnySolver solver = mercer::make_solver(options.solver.name, options.solver.settings,
                                                 {.kernel = kernel,
                                                  .components = options.components,
                                                  .samples = samples,
                                                  .dimension = dimension,
                                                  .seed = options.seed,
                                                  .landmarks = landmarks})
                                 .solver;
  return options.max_iterations ? bounded(std::move(solver), *options.max_iterations) : solver;
}

py::tuple to_python(const mercer::AnyKernel& kernel) {
  py::dict settings;
  for (const auto& [name, value] : mercer::kernel_settings(kernel))
    settings[py::str(name)] = to_python(value);
  return py::make_tuple(kernel.name(), settings);
}

py::list kernel_list() {
  return to_python(mercer::kernel_table());
}
py::list solver_list() {
  return to_python(mercer::solver_table());
}
py::list response_solver_list() {
  return to_python(mercer::response_solver_table());
}
py::list feature_map_list() {
  return to_python(mercer::feature_map_table());
}

py::object kernel_name(const std::string& name) {
  return name_in(mercer::kernel_table(), name);
}
py::object solver_name(const std::string& name) {
  return name_in(mercer::solver_table(), name);
}
py::object response_solver_name(const std::string& name) {
  return name_in(mercer::response_solver_table(), name);
}
py::object feature_map_name(const std::string& name) {
  return name_in(mercer::feature_map_table(), name);
}

}  // namespace mercer_python
