// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What a run says of itself: outcome, cost and achieved accuracy.

#ifndef MERCER_CORE_REPORT_HPP
#define MERCER_CORE_REPORT_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <mercer/core/types.hpp>

namespace mercer {

/// How a run ended. Numerical outcomes are reported here and never thrown.
enum class Status {
  Converged,     ///< every component meets the tolerance
  NotConverged,  ///< the iteration limit came first; the components are the best so far
  Cancelled      ///< the observer said stop; the components are the best so far
};

[[nodiscard]] constexpr std::string_view to_string(Status status) {
  switch (status) {
    case Status::Converged:
      return "converged";
    case Status::NotConverged:
      return "not converged";
    case Status::Cancelled:
      return "cancelled";
  }
  return "unknown";
}

/// The record of one fit.
struct Report {
  Status status = Status::Converged;
  std::string solver;     ///< the solver that ran, e.g. "exact"
  std::string kernel;     ///< the kernel with its parameters, e.g. "gaussian(sigma=1.5)"
  std::string precision;  ///< the precision of kernel values: "double" or "single"
  std::string storage;    ///< how the Gram matrix was held: "stored", "tiles recomputed", ...
  std::string reason;     ///< why this solver, storage and precision, in one sentence
  Index samples = 0;      ///< n
  Index dimension = 0;    ///< d
  Index components = 0;   ///< components found
  Index components_requested = 0;  ///< components asked for; 0 if a fraction of variance was
  Index iterations = 0;            ///< iterations of the solver; 0 for a direct one
  Index kernel_products = 0;       ///< products of the Gram matrix with one vector
  /// |K u - mu u| for each component, in units of mu. With tiles in single precision an estimate of
  /// what their rounding does is part of it.
  std::vector<double> residuals;
  Index residual_rows = 0;  ///< rows that residuals are estimated from; 0 where they are measured
  /// For each component a number that |mu - an eigenvalue of K| does not exceed, in units of mu.
  std::vector<double> eigenvalue_error_bounds;
  double trace = 0;        ///< trace of the (centred) Gram matrix
  double trace_error = 0;  ///< tr(K - K~) of a low-rank approximation K~; 0 for other solvers
  Index landmarks = 0;     ///< points that the components are expanded over; 0 for all samples
  Index sampling_evaluations = 0;  ///< kernel values evaluated in the choice of landmarks
  Index negative_eigenvalues = 0;  ///< discarded as negative: more than 0 for an indefinite kernel
  double most_negative_eigenvalue = 0;
  Index zero_eigenvalues = 0;  ///< asked for, but zero to rounding, and so not returned
  double lambda = 0;           ///< shrinkage threshold of singular values, in units of mu
  std::vector<Index> ranks;    ///< of the low-rank iterate, after each iteration
  double expected_error = 0;   ///< predicted |Z - K^|_F^2 / n^2 of the last iterate
  // Of solvers on the dual variable H (Dual, Dca), 0 for others:
  double dual_objective = 0;   ///< p(H): minus it is at most the optimum, in units of mu
  double duality_gap = 0;      ///< (primal objective + p(H)) / |p(H)|: 0 at a stationary point only
  double objective_error = 0;  ///< of Dual: estimated (optimum - primal objective) / optimum
  double zero_rows = 0;        ///< share of rows of H that are zero: samples of no weight
  double zero_entries = 0;     ///< share of entries of H that are zero
  double fit_seconds = 0;      ///< wall time of the fit
  std::size_t bytes = 0;       ///< largest memory held by the run at one time, samples not counted
};

}  // namespace mercer

#endif  // MERCER_CORE_REPORT_HPP
