// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/python/src/choices.hpp>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/runtime/kernels.hpp>
#include <mercer/runtime/parameter.hpp>
#include <mercer/runtime/solvers.hpp>
#include <mercer/runtime/table.hpp>

#include <examples/kpca/kernel_code.hpp>

namespace mercer_python {

using mercer::Index;

namespace {

[[nodiscard]] mercer::Settings settings_of(const Named& named) {
  mercer::Settings settings;
  for (const auto& [key, value] : named.settings) {
    const auto name = key.cast<std::string>();
    if (py::isinstance<py::str>(value))
      settings[name] = value.cast<std::string>();
    else if (py::hasattr(value, "__index__"))
      settings[name] = value.cast<Index>();
    else if (py::hasattr(value, "__float__"))
      settings[name] = value.cast<double>();
    else
      throw py::value_error(named.name + ": " + name + " must be a number or a word, got " +
                            py::repr(value).cast<std::string>());
  }
  return settings;
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
    out.append(py::dict("name"_a = entry.name, "description"_a = entry.description,
                        "parameters"_a = parameters));
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

mercer::Components components_of(const py::object& value) {
  if (value.is_none()) return mercer::Components::all();
  if (py::isinstance<py::float_>(value)) return value.cast<double>();
  return value.cast<Index>();
}

mercer::AnyKernel make_kernel(const Named& kernel) {
  return mercer::make_kernel(kernel.name, settings_of(kernel));
}

mercer::AnySolver make_solver(const FitOptions& options, const mercer::AnyKernel& kernel,
                              Index samples, Index dimension,
                              const std::function<mercer::Matrix<double>(Index)>& landmarks) {
  mercer::AnySolver solver = mercer::make_solver(options.solver.name, settings_of(options.solver),
                                                 {.kernel = kernel,
                                                  .components = options.components,
                                                  .samples = samples,
                                                  .dimension = dimension,
                                                  .seed = options.seed,
                                                  .landmarks = landmarks})
                                 .solver;
  return options.max_iterations ? bounded(std::move(solver), *options.max_iterations) : solver;
}

py::list kernel_list() {
  return to_python(mercer::kernel_table());
}
py::list solver_list() {
  return to_python(mercer::solver_table());
}

}  // namespace mercer_python
