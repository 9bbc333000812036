// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/shortfall.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <variant>

#include <mercer/core/errors.hpp>

#include <examples/kpca/inputs.hpp>
#include <examples/kpca/run_options.hpp>

namespace kpca {

void require_components(const mercer::Report& report, mercer::Index found,
                        const FittedSamples& samples) {
  if (found > 0 || !succeeded(report.status)) return;
  if (!std::isfinite(report.trace))
    throw mercer::InvalidArgument(
        samples.path +
        ": sums of the kernel's values overflow; scale the samples or the kernel down");
  throw mercer::InvalidArgument(
      samples.path + ": no component has variance: " +
      (report.samples == 1               ? "there is one sample only"
       : report.negative_eigenvalues > 0 ? "the kernel has no positive eigenvalue here"
       : samples.weighted
           ? "the samples that have weight are all the same to this kernel"
           : "the samples are all the same to this kernel, or so far from the origin "
             "that rounding hides how they differ: standardize them") +
      (samples.centered ? " (--no-center leaves the mean in)" : "") +
      (samples.single ? precision_advice<float> : ""));
}

std::string reason_of(const mercer::Report& report) {
  constexpr std::string_view choice = "solver as asked for";
  std::string_view reason = report.reason;
  if (!reason.starts_with(choice)) return report.reason;
  reason.remove_prefix(choice.size());
  return std::string(reason.substr(reason.starts_with("; ") ? 2 : 0));
}

std::string large_residual(const mercer::Report& report, std::optional<double> largest) {
  constexpr double tenth = 0.1;
  if (report.status != mercer::Status::Finished || !largest || report.residuals.empty()) return {};
  const double residual = *std::max_element(report.residuals.begin(), report.residuals.end());
  if (residual <= tenth * *largest) return {};
  char text[96];
  std::snprintf(text, sizeof text, "the largest residual is %.2g mu_1: the components are rough",
                residual / *largest);
  return text;
}

std::string shortfall(const mercer::Report& report, std::optional<double> largest,
                      std::optional<double> tolerance, const SolverOptions& options) {
  using mercer::SolverId;
  const SolverId solver = report.solver;
  const std::string landmarks = std::to_string(report.expansion_points.value_or(0));
  const bool automatic = options.name == "auto";
  const bool misses = report.components < report.components_requested &&
                      report.zero_eigenvalues == 0;  // components that were not looked for
  if (solver == SolverId::Exact) return "not converged: " + reason_of(report);
  if (solver == SolverId::Nystrom && !automatic && (options.trace_tolerance || !misses))
    return "not converged: " + landmarks + " landmarks " +
           (options.trace_tolerance ? "do not reach --trace-tolerance"
                                    : "do not explain the fraction of variance") +
           "; take more --landmarks, or --solver block-krylov";
  if (solver == SolverId::Spgd || solver == SolverId::DoublyStochastic) {
    const std::string steps = solver == SolverId::Spgd ? "--iterations" : "--epochs";
    const std::string advice = "; raise --tolerance, or take more " + steps + " or --features";
    return "not converged: " + reason_of(report) + (tolerance ? advice : "");
  }
  if (solver == SolverId::Dca) {
    const auto* dual = std::get_if<mercer::DcaDetails>(&report.details);
    return std::string("not converged: ") +
           (dual != nullptr && dual->zero_rows == 1
                ? "all scores are within --epsilon; take a smaller one"
                : "the dual variable still moves by more than --tolerance; "
                  "take more --iterations");
  }
  if (solver == SolverId::SparseLikelihood && misses) return "not converged: " + reason_of(report);
  if (solver == SolverId::SparseLikelihood)
    return "not converged: the weights still change by more than --tolerance; take more "
           "--iterations, or a larger --noise";
  if (misses && (solver == SolverId::Nystrom || solver == SolverId::OnlineHebbian ||
                 solver == SolverId::KernelOja))
    return "not converged: " + reason_of(report);
  if (!largest || report.residuals.empty())
    return "not converged: no component was found: " + reason_of(report);
  const double residual =
      *std::max_element(report.residuals.begin(), report.residuals.end()) / *largest;
  if (misses && residual <= tolerance.value_or(0)) return "not converged: " + reason_of(report);
  char text[128];
  std::snprintf(text, sizeof text,
                "not converged: the largest residual is %.2g mu_1, the tolerance %.2g mu_1; ",
                residual, tolerance.value_or(0));
  const std::string advice =
      solver == SolverId::Nystrom ? "accept that with --solver nystrom --landmarks " + landmarks +
                                        ", or take --solver block-krylov"
      : solver == SolverId::KernelHebbian || solver == SolverId::KernelOja
          ? "take more --epochs, or --solver block-krylov"
      : solver == SolverId::OnlineHebbian
          ? "take more --epochs, a smaller --threshold, or --solver nystrom"
      : solver == SolverId::Lanczos
          ? "raise --tolerance, or take --solver block-krylov or exact; standardize samples far "
            "from the origin"
          : "raise --tolerance, or take --solver lanczos or exact; standardize samples far from "
            "the origin";
  return text + advice;
}

}  // namespace kpca
