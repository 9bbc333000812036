// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What a run reports: outcome, cost and accuracy.

#ifndef MERCER_CORE_REPORT_HPP
#define MERCER_CORE_REPORT_HPP

#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include <mercer/core/phases.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// How a run ended. Numerical outcomes are reported here and never thrown.
enum class Status {
  Converged,     ///< there is evidence that every component meets the tolerance
  NotConverged,  ///< there is no such evidence; the components are the best so far
  Cancelled,     ///< the observer stopped the run; the components are the best so far
  Finished       ///< the steps asked for are done; no tolerance was given to judge them by
};

[[nodiscard]] constexpr std::string_view to_string(Status status) {
  switch (status) {
    case Status::Converged:
      return "converged";
    case Status::NotConverged:
      return "not converged";
    case Status::Cancelled:
      return "cancelled";
    case Status::Finished:
      return "finished";
  }
  return "unknown";
}

/// The solver that ran.
enum class SolverId {
  Other,  ///< a solver of the user's; or none, if the run was cancelled before
  Exact,
  Lanczos,
  BlockKrylov,
  PowerIteration,
  Nystrom,
  Spgd,
  KernelHebbian,
  FeaturePca,
  DoublyStochastic,
  Dual,
  Dca,
  CrossIteration,
  RidgeCholesky,
  OnlineHebbian,
  SparseLikelihood,
  KernelOja
};

[[nodiscard]] constexpr std::string_view to_string(SolverId solver) {
  switch (solver) {
    case SolverId::Other:
      return "other";
    case SolverId::Exact:
      return "exact";
    case SolverId::Lanczos:
      return "lanczos";
    case SolverId::BlockKrylov:
      return "block-krylov";
    case SolverId::PowerIteration:
      return "power-iteration";
    case SolverId::Nystrom:
      return "nystrom";
    case SolverId::Spgd:
      return "spgd";
    case SolverId::KernelHebbian:
      return "kernel-hebbian";
    case SolverId::FeaturePca:
      return "feature-pca";
    case SolverId::DoublyStochastic:
      return "doubly-stochastic";
    case SolverId::Dual:
      return "dual";
    case SolverId::Dca:
      return "dca";
    case SolverId::CrossIteration:
      return "cross-iteration";
    case SolverId::RidgeCholesky:
      return "ridge-cholesky";
    case SolverId::OnlineHebbian:
      return "online-hebbian";
    case SolverId::SparseLikelihood:
      return "sparse-likelihood";
    case SolverId::KernelOja:
      return "kernel-oja";
  }
  return "unknown";
}

/// What Nystrom adds to a report.
struct NystromDetails {
  double trace_error = 0;          ///< tr(K - K~) of the approximation K~
  Index sampling_evaluations = 0;  ///< kernel values evaluated to choose landmarks
};

/// What Spgd adds to a report.
struct SpgdDetails {
  double lambda = 0;          ///< shrinkage threshold of singular values, in units of mu
  std::vector<Index> ranks;   ///< rank of the low-rank iterate after each iteration
  double expected_error = 0;  ///< predicted |Z - K^|_F^2 / n^2 of the last iterate, by
                              ///< predicted_error(): exact on average for lambda = 0, else a bound
  /// Bound of |Z - K^|_F^2 / n^2 that holds with a probability of 0.95, by guaranteed_error(). Set
  /// for runs from zero without an offset or a largest rank, with draws of bounded norm.
  std::optional<double> error_bound = {};
};

/// What Dual adds to a report. Not there if the run ended before its first product.
struct DualDetails {
  double dual_objective = 0;   ///< p(H), in units of mu; -p(H) is a lower bound of the optimum
  double duality_gap = 0;      ///< (primal objective + p(H)) / |p(H)|; 0 only at a stationary point
  double objective_error = 0;  ///< estimated (optimum - primal objective) / optimum
};

/// What Dca adds to a report. Not there if the run ended before its first product.
struct DcaDetails {
  double dual_objective = 0;  ///< p(H), in units of mu; -p(H) is a lower bound of the optimum
  double duality_gap = 0;     ///< (primal objective + p(H)) / |p(H)|; 0 only at a stationary point
  double zero_rows = 0;       ///< fraction of the rows of H that are zero: samples without weight
  double zero_entries = 0;    ///< fraction of the entries of H that are zero
};

/// What DoublyStochastic adds to the report of a fit of pairs.
struct StochasticPairDetails {
  Index steps = 0;            ///< steps done
  double step_sum = 0;        ///< S, the sum of their lengths eta
  double implicit_ridge = 0;  ///< 1/S: kernel CCA that stops after these steps acts as if it had it
  Index evaluation_rows = 0;  ///< pairs that values, means and scales were computed from
};

/// What one family of solvers adds to a report; std::monostate for all others.
using SolverDetails =
    std::variant<std::monostate, NystromDetails, SpgdDetails, DualDetails, DcaDetails>;

/// The record of one fit. An optional entry is not set if it does not apply or is not known.
/// \code
///   if (const auto* nystrom = std::get_if<mercer::NystromDetails>(&report.details))
///     use(nystrom->trace_error);
/// \endcode
struct Report {
  Status status = Status::NotConverged;  ///< what came of the fit
  SolverId solver = SolverId::Other;     ///< which solver ran
  /// What the name of the solver leaves open, in words: "rp-cholesky, 30 landmarks". A solver of
  /// the user's can write its name here.
  std::string solver_form;
  std::string kernel;  ///< the kernel with its parameters, e.g. "gaussian(sigma=1.5)"
  std::optional<Precision> precision;  ///< of kernel values
  std::string storage;                 ///< how the Gram matrix was held, in words: "tiles stored"
  std::string reason;                  ///< why this solver, storage and precision, in one sentence
  Index samples = 0;                   ///< n
  Index dimension = 0;                 ///< d
  Index components = 0;                ///< components found
  std::optional<Index> components_requested;  ///< not set if a fraction of variance was requested
  Index iterations = 0;                       ///< iterations of the solver; a direct one makes none
  Index kernel_products = 0;                  ///< products of the Gram matrix with one vector
  /// The residual |K u - mu u| of each component, in units of mu. If kernel values are in single
  /// precision, it includes the effect of rounding, estimated from residual_rows rows in double.
  /// Errors in the last digits are not in it, but in the bounds below: those of kernel values in
  /// double, and of coefficients and scores in the scalar of the samples.
  std::vector<double> residuals;
  std::optional<Index> residual_rows;  ///< rows that residuals are estimated from, if they are
  /// For each component, an upper bound of the distance from mu to the nearest eigenvalue of K, in
  /// units of mu. Where residuals are estimates (see residual_rows), so are these.
  std::vector<double> eigenvalue_error_bounds;
  /// Trace of the (centred) Gram matrix; NaN if it is not known.
  double trace = std::numeric_limits<double>::quiet_NaN();
  /// Points that the components are expanded over, if these are not all samples: the landmarks, or
  /// the samples with a weight.
  std::optional<Index> expansion_points;
  Index negative_eigenvalues = 0;  ///< number discarded; above 0 for an indefinite kernel
  std::optional<double> most_negative_eigenvalue;  ///< of those discarded
  Index zero_eigenvalues = 0;                      ///< requested but not returned: zero to rounding
  double fit_seconds = 0;                          ///< wall time of the fit
  std::size_t bytes = 0;                           ///< peak memory of the run, without the samples
  SolverDetails details;                           ///< what only this solver knows
  std::vector<PhaseCost> phases = {};              ///< where fit_seconds went; not part of archives
};

namespace detail {

/// The members of a report, in the order of archives; not its phases, which are a measurement of
/// one run. References to const if the report is.
template <class R>
  requires std::same_as<std::remove_const_t<R>, Report>
[[nodiscard]] auto members_of(R& report) {
  // The binding names every member of Report: if a new member is missing here, this does not
  // compile.
  auto& [status, solver, solver_form, kernel, precision, storage, reason, samples, dimension,
         components, components_requested, iterations, kernel_products, residuals, residual_rows,
         eigenvalue_error_bounds, trace, expansion_points, negative_eigenvalues,
         most_negative_eigenvalue, zero_eigenvalues, fit_seconds, bytes, details, phases] = report;
  static_cast<void>(phases);
  return std::tie(status, solver, solver_form, kernel, precision, storage, reason, samples,
                  dimension, components, components_requested, iterations, kernel_products,
                  residuals, residual_rows, eigenvalue_error_bounds, trace, expansion_points,
                  negative_eigenvalues, most_negative_eigenvalue, zero_eigenvalues, fit_seconds,
                  bytes, details);
}

/// The same of what Spgd adds.
template <class D>
  requires std::same_as<std::remove_const_t<D>, SpgdDetails>
[[nodiscard]] auto members_of(D& spgd) {
  auto& [lambda, ranks, expected_error, error_bound] = spgd;
  return std::tie(lambda, ranks, expected_error, error_bound);
}

/// Adds a sentence to the reasons of a report.
inline void add_reason(const std::string& sentence, Report& report) {
  if (sentence.empty()) return;
  report.reason += report.reason.empty() ? sentence : "; " + sentence;
}

}  // namespace detail

/// The solver in words: "nystrom (rp-cholesky, 30 landmarks)".
[[nodiscard]] inline std::string describe_solver(const Report& report) {
  std::string text(to_string(report.solver));
  if (!report.solver_form.empty()) text += " (" + report.solver_form + ")";
  return text;
}

}  // namespace mercer

#endif  // MERCER_CORE_REPORT_HPP
