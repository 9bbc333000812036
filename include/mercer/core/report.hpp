// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What a run reports: outcome, cost and accuracy.

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
  NotConverged,  ///< the iteration limit was reached; the components are the best so far
  Cancelled      ///< the observer stopped the run; the components are the best so far
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
  Index components_requested = 0;  ///< requested number; 0 if a fraction of variance was requested
  Index iterations = 0;            ///< iterations of the solver; 0 for a direct one
  Index kernel_products = 0;       ///< products of the Gram matrix with one vector
  /// The residual |K u - mu u| of each component, in units of mu. If kernel values are in single
  /// precision, it includes the effect of rounding, estimated from residual_rows rows in double.
  std::vector<double> residuals;
  Index residual_rows = 0;  ///< rows that residuals are estimated from; 0 if they are measured
  /// For each component, an upper bound of the distance from mu to the nearest eigenvalue of K, in
  /// units of mu.
  std::vector<double> eigenvalue_error_bounds;
  double trace = 0;        ///< trace of the (centred) Gram matrix
  double trace_error = 0;  ///< tr(K - K~) of a low-rank approximation K~; 0 for other solvers
  Index landmarks = 0;     ///< points in the expansion of the components; 0 for all samples
  Index sampling_evaluations = 0;  ///< kernel values evaluated to choose landmarks
  Index negative_eigenvalues = 0;  ///< number discarded; above 0 for an indefinite kernel
  double most_negative_eigenvalue = 0;
  Index zero_eigenvalues = 0;  ///< requested but not returned: zero to rounding
  double lambda = 0;           ///< shrinkage threshold of singular values, in units of mu
  std::vector<Index> ranks;    ///< rank of the low-rank iterate after each iteration
  double expected_error = 0;   ///< predicted |Z - K^|_F^2 / n^2 of the last iterate
  // Only for solvers on the dual variable H (Dual, Dca); 0 for others:
  double dual_objective = 0;   ///< p(H), in units of mu; -p(H) is a lower bound of the optimum
  double duality_gap = 0;      ///< (primal objective + p(H)) / |p(H)|; 0 only at a stationary point
  double objective_error = 0;  ///< Dual only: estimated (optimum - primal objective) / optimum
  double zero_rows = 0;        ///< fraction of the rows of H that are zero: samples without weight
  double zero_entries = 0;     ///< fraction of the entries of H that are zero
  double fit_seconds = 0;      ///< wall time of the fit
  std::size_t bytes = 0;       ///< peak memory of the run, without the samples
};

}  // namespace mercer

#endif  // MERCER_CORE_REPORT_HPP
