// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What a fit reports, as JSON: the parts that the files report.json of all programs share.

#ifndef MERCER_EXAMPLES_KPCA_REPORT_JSON_HPP
#define MERCER_EXAMPLES_KPCA_REPORT_JSON_HPP

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/eigenpairs.hpp>

#include <examples/kpca/json.hpp>
#include <examples/kpca/kernel_choice.hpp>
#include <examples/kpca/solver_choice.hpp>

namespace kpca {

template <mercer::Real S>
[[nodiscard]] std::vector<double> numbers(const mercer::Vector<S>& values) {
  return {values.begin(), values.end()};
}

/// What only the solver that ran knows.
struct AddDetails {
  Json& json;

  void operator()(const std::monostate&) const {}
  void operator()(const mercer::NystromDetails& details) const {
    json["trace_error"] = details.trace_error;
    json["sampling_evaluations"] = details.sampling_evaluations;
  }
  void operator()(const mercer::SpgdDetails& details) const {
    json["lambda"] = details.lambda;
    json["ranks"] = details.ranks;
    json["expected_error"] = details.expected_error;
    json["error_bound"] = or_null(details.error_bound);
  }
  void operator()(const mercer::DualDetails& details) const {
    json["dual_objective"] = details.dual_objective;
    json["duality_gap"] = details.duality_gap;
    json["objective_error"] = details.objective_error;
  }
  void operator()(const mercer::DcaDetails& details) const {
    json["dual_objective"] = details.dual_objective;
    json["duality_gap"] = details.duality_gap;
    json["zero_rows"] = details.zero_rows;
    json["zero_entries"] = details.zero_entries;
  }
};

/// How the fit ended, by which solver, and why by that one.
/// \param requested  the name of the solver that was asked for
inline void add_solver(Json& json, const mercer::Report& report, const std::string& requested) {
  json["status"] = std::string(to_string(report.status));
  json["solver"] = solver_name(report);
  if (requested == "auto") json["solver_requested"] = requested;
  json["solver_description"] = describe_solver(report);
  json["reason"] = report.reason;
}

/// The kernel, its description, and its parameters.
inline void add_kernel(Json& json, const KernelChoice& kernel, const std::string& name,
                       const mercer::Report& report) {
  Json parameters = Json::object();
  for (const auto& [key, value] : kernel.parameters)
    std::visit([&, &key = key](auto number) { parameters[key] = number; }, value);
  json["kernel"] = name;
  json["kernel_description"] = report.kernel;
  json["parameters"] = std::move(parameters);
}

/// The settings of the solver.
inline void add_settings(Json& json, const SolverChoice& solver) {
  for (const auto& [name, value] : solver.settings)
    std::visit([&, &key = name](const auto& setting) { json[key] = setting; }, value);
}

/// How many components were asked for, or the fraction of the variance.
inline void add_request(Json& json, const std::optional<mercer::Components>& components,
                        const mercer::Report& report) {
  if (components && components->is_fraction())
    json["components_requested"] = components->fraction();
  else
    json["components_requested"] = or_null(report.components_requested);
}

/// Eigenvalues with all that is known of their accuracy, and the cost of the fit.
/// \param ratio  the share of the variance of each
template <mercer::Real S>
void add_components(Json& json, const mercer::Vector<S>& eigenvalues,
                    const mercer::Vector<S>& ratio, const mercer::Report& report) {
  json["eigenvalues"] = numbers(eigenvalues);
  json["explained_variance_ratio"] = numbers(ratio);
  json["trace"] = report.trace;
  json["residuals"] = report.residuals;
  json["residual_rows"] = or_null(report.residual_rows);
  json["eigenvalue_error_bounds"] = report.eigenvalue_error_bounds;
  json["negative_eigenvalues"] = report.negative_eigenvalues;
  json["most_negative_eigenvalue"] = or_null(report.most_negative_eigenvalue);
  json["zero_eigenvalues"] = report.zero_eigenvalues;
  json["iterations"] = report.iterations;
  json["kernel_products"] = report.kernel_products;
  json["precision"] = report.precision ? Json(to_string(*report.precision)) : Json(nullptr);
  json["storage"] = report.storage;
  json["landmarks"] = or_null(report.expansion_points);
  std::visit(AddDetails{json}, report.details);
  json["fit_seconds"] = report.fit_seconds;
  json["bytes"] = report.bytes;
}

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_REPORT_JSON_HPP
