// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/python/src/ica.hpp>

#include <string>

#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>

#include <examples/python/src/arrays.hpp>
#include <examples/python/src/watch.hpp>

namespace mercer_python {
namespace {

using namespace py::literals;

[[nodiscard]] py::dict to_dict(const mercer::IcaReport& r) {
  return py::dict("status"_a = std::string(to_string(r.status)),
                  "contrast"_a = std::string(to_string(r.contrast)), "samples"_a = r.samples,
                  "dimension"_a = r.dimension, "sigma"_a = r.sigma,
                  "regularization"_a = r.regularization, "tolerance"_a = r.tolerance,
                  "sweeps"_a = r.sweeps, "evaluations"_a = r.evaluations,
                  "last_angle"_a = r.last_angle, "fit_seconds"_a = r.fit_seconds);
}

}  // namespace

py::dict fit_ica(const py::object& samples, const IcaOptions& options) {
  const mercer::Matrix<double> x = with_samples(samples, [](const auto& view) {
    return mercer::Matrix<double>(view.template cast<double>());
  });
  const auto model =
      run_watched(options.callback, options.threads, [&](const mercer::Observer& observer) {
        return mercer::KernelIca(options.params).fit(x, observer);
      });
  return py::dict("mean"_a = to_array(model.mean()), "unmixing"_a = to_array(model.unmixing()),
                  "mixing"_a = to_array(model.mixing()), "contrast"_a = model.contrast(),
                  "report"_a = to_dict(model.report()));
}

}  // namespace mercer_python
