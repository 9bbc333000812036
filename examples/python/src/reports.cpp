// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/python/src/reports.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mercer_python {

namespace py = pybind11;
using namespace py::literals;

namespace {

template <class T>
[[nodiscard]] py::list to_list(const std::vector<T>& values) {
  py::list out;
  for (const T& value : values) out.append(value);
  return out;
}

template <class T>
[[nodiscard]] py::object or_none(const std::optional<T>& value) {
  return value ? py::cast(*value) : py::none();
}

[[nodiscard]] std::string text(std::string_view view) {
  return std::string(view);
}

[[nodiscard]] py::list to_python(const std::vector<mercer::PhaseCost>& phases) {
  py::list out;
  for (const mercer::PhaseCost& cost : phases)
    out.append(py::dict("phase"_a = text(to_string(cost.phase)), "seconds"_a = cost.seconds,
                        "serial_seconds"_a = cost.serial_seconds, "bytes"_a = cost.bytes));
  return out;
}

[[nodiscard]] py::object to_python(const mercer::SolverDetails& details) {
  using namespace mercer;
  if (const auto* d = std::get_if<NystromDetails>(&details))
    return py::dict("trace_error"_a = d->trace_error,
                    "sampling_evaluations"_a = d->sampling_evaluations);
  if (const auto* d = std::get_if<SpgdDetails>(&details))
    return py::dict("lambda"_a = d->lambda, "ranks"_a = to_list(d->ranks),
                    "expected_error"_a = d->expected_error,
                    "error_bound"_a = or_none(d->error_bound));
  if (const auto* d = std::get_if<DualDetails>(&details))
    return py::dict("dual_objective"_a = d->dual_objective, "duality_gap"_a = d->duality_gap,
                    "objective_error"_a = d->objective_error);
  if (const auto* d = std::get_if<DcaDetails>(&details))
    return py::dict("dual_objective"_a = d->dual_objective, "duality_gap"_a = d->duality_gap,
                    "zero_rows"_a = d->zero_rows, "zero_entries"_a = d->zero_entries);
  return py::none();
}

[[nodiscard]] py::dict to_dict(const mercer::ViewReport& view) {
  return py::dict(
      "basis"_a = mercer_python::to_dict(view.basis), "rank"_a = view.rank,
      "kappa"_a = or_none(view.kappa), "effective_dimension"_a = view.effective_dimension,
      "residuals"_a = to_list(view.residuals), "trace_error"_a = or_none(view.trace_error));
}

}  // namespace

py::dict to_dict(const mercer::Report& r) {
  return py::dict(
      "status"_a = text(to_string(r.status)), "solver"_a = text(to_string(r.solver)),
      "solver_form"_a = r.solver_form, "kernel"_a = r.kernel,
      "precision"_a = r.precision ? py::cast(text(to_string(*r.precision))) : py::none(),
      "storage"_a = r.storage, "reason"_a = r.reason, "samples"_a = r.samples,
      "dimension"_a = r.dimension, "components"_a = r.components,
      "components_requested"_a = or_none(r.components_requested), "iterations"_a = r.iterations,
      "kernel_products"_a = r.kernel_products, "residuals"_a = to_list(r.residuals),
      "residual_rows"_a = or_none(r.residual_rows),
      "eigenvalue_error_bounds"_a = to_list(r.eigenvalue_error_bounds),
      "trace"_a = std::isnan(r.trace) ? py::none() : py::cast(r.trace),
      "expansion_points"_a = or_none(r.expansion_points),
      "negative_eigenvalues"_a = r.negative_eigenvalues,
      "most_negative_eigenvalue"_a = or_none(r.most_negative_eigenvalue),
      "zero_eigenvalues"_a = r.zero_eigenvalues, "fit_seconds"_a = r.fit_seconds,
      "phases"_a = to_python(r.phases), "bytes"_a = r.bytes, "details"_a = to_python(r.details));
}

py::dict to_dict(const mercer::PairReport& r) {
  py::list views;
  for (const mercer::ViewReport& view : r.views) views.append(to_dict(view));
  return py::dict(
      "status"_a = text(to_string(r.status)), "method"_a = r.method, "views"_a = views,
      "samples"_a = r.samples, "components"_a = r.components,
      "components_requested"_a = r.components_requested, "error_bounds"_a = to_list(r.error_bounds),
      "truncation_bound"_a = or_none(r.truncation_bound),
      "training_correlations"_a = to_list(r.training_correlations),
      "holdout_samples"_a = r.holdout_samples,
      "holdout_correlations"_a = to_list(r.holdout_correlations), "fit_seconds"_a = r.fit_seconds,
      "phases"_a = to_python(r.phases), "bytes"_a = r.bytes);
}

}  // namespace mercer_python
