// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// From orthonormal functions over points to a solution: scores, eigenvalues and residuals.

#ifndef MERCER_SOLVERS_DETAIL_COMPLETE_EXPANSION_HPP
#define MERCER_SOLVERS_DETAIL_COMPLETE_EXPANSION_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/detail/certificate_rows.hpp>
#include <mercer/solvers/detail/drawn_rows.hpp>
#include <mercer/solvers/detail/expansion_scores.hpp>
#include <mercer/solvers/detail/sampled_residuals.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer::detail {

/// Leaves a solution over the samples themselves, without components. Keeps the report.
template <OwnedSamples X>
void remove_components(Index n, KernelSolution<X>& solution) {
  using S = typename X::Scalar;
  solution.eigenvalues.resize(0);
  solution.points.reset();
  solution.coefficients.resize(n, 0);
  solution.offset.resize(0);
  solution.mean_weights = Vector<S>::Zero(n);
  solution.mean = 0;
  solution.training_scores.resize(n, 0);
  solution.report.components = 0;
}

/// Sets the residuals |K u - mu u| of a solution that has its scores, and residual_rows if they are
/// estimated. Returns false if the observer stopped it.
/// \param least    rows of K, see certificate_rows()
/// \param largest  for order-free sums: the exponent of the largest kernel value
template <OwnedSamples X>
[[nodiscard]] bool measure_residuals(const KernelView<X>& kernel, const RowSpace& space,
                                     const X& samples, const KernelRequest& request, Index least,
                                     std::uint64_t seed, int largest, const Observer& observer,
                                     KernelSolution<X>& solution) {
  using S = typename X::Scalar;
  const Vector<S>& mu = solution.eigenvalues;
  if (mu.size() == 0) return true;
  const Vector<double>& omega = request.weights;
  const ScaledScores<S> scores(solution.training_scores, mu);
  const DrawnRows drawn =
      certificate_rows(kernel, space, samples, solution.points, scores.values, omega, least, seed);
  const bool weighted = omega.size() > 0;
  const Matrix<S> weighted_scores =
      weighted ? Matrix<S>(space.own_of(omega).template cast<S>().asDiagonal() * scores.values)
               : Matrix<S>();
  const Matrix<double> product =
      sampled_product(kernel, space, samples, weighted ? weighted_scores : scores.values,
                      take_rows(space, samples, drawn.rows), largest, observer);
  if (product.size() == 0) return false;
  Report& report = solution.report;
  report.residuals = sampled_residuals<S>(
      product, mu, take_rows(space, scores.values, drawn.rows), scores.unit, request.centered,
      space.total(), drawn, weighted ? take_entries(omega, drawn.rows) : Vector<double>());
  if (drawn.draws() > 0)
    report.residual_rows = drawn.count();
  else
    report.kernel_products += mu.size();
  return true;
}

/// The same for rows in one process; also sets bounds of the errors of eigenvalues.
template <OwnedSamples X>
[[nodiscard]] bool estimate_residuals(const KernelView<X>& kernel, const X& samples,
                                      const KernelRequest& request, Index least, std::uint64_t seed,
                                      const Observer& observer, KernelSolution<X>& solution) {
  if (!measure_residuals(kernel, RowSpace::whole(samples.rows()), samples, request, least, seed, 0,
                         observer, solution))
    return false;
  Report& report = solution.report;
  const double norm =
      solution.eigenvalues.size() > 0 ? static_cast<double>(solution.eigenvalues(0)) : 0;
  report.eigenvalue_error_bounds = report.residuals;
  for (double& bound : report.eigenvalue_error_bounds)
    bound += rounding_bound<typename X::Scalar>(request.pairs, samples.rows(), norm);
  return true;
}

/// Completes a solution whose coefficients of orthonormal functions, offset and scores are known,
/// and whose report has its trace. Turns the functions so that the scores are orthogonal, and keeps
/// those that the request wants and that are not zero.
template <OwnedSamples X>
void complete_scores(Index n, const KernelRequest& request, KernelSolution<X>& solution) {
  using S = typename X::Scalar;
  diagonalize_scores(RowSpace::whole(n), request.centered, solution);
  Report& report = solution.report;
  const Components& wanted = request.pairs.components;
  const Index kept = select_components<S>(solution.eigenvalues, n, request.pairs, report);
  if (!wanted.is_fraction()) {
    report.components_requested = wanted.count();
    report.zero_eigenvalues = wanted.count() - kept;
  }
  report.components = kept;
  solution.eigenvalues.conservativeResize(kept);
  solution.offset.conservativeResize(kept);
  solution.coefficients.conservativeResize(Eigen::NoChange, kept);
  solution.training_scores.conservativeResize(Eigen::NoChange, kept);
}

/// True if components that were asked for are missing although samples have variance beside those
/// that were found. Then the functions that a solver looked at do not hold them.
/// \param ignored  n times the variance that may be missing in any case
template <OwnedSamples X>
[[nodiscard]] bool misses_components(const EigenRequest& request, const KernelSolution<X>& solution,
                                     double ignored = 0) {
  using S = typename X::Scalar;
  const Components& wanted = request.components;
  const Report& report = solution.report;
  if (wanted.is_fraction() || wanted.is_all() || report.components >= wanted.count()) return false;
  const Vector<S>& mu = solution.eigenvalues;
  const double largest = mu.size() > 0 ? static_cast<double>(mu(0)) : 0;
  const double rounding = 4 * double{std::numeric_limits<S>::epsilon()} * report.trace;
  const double zero = zero_floor<S>(largest, report.samples, request);
  const double rest = report.trace - mu.template cast<double>().sum();
  return rest > (std::max)({ignored, rounding, zero});
}

/// Completes a solution whose points, coefficients of orthonormal functions and offset are known,
/// and whose report has its trace: computes the scores, then as complete_scores(). Returns false if
/// the observer stopped it; then there are no components.
/// Cost: O(n m (d + k)).
template <OwnedSamples X>
[[nodiscard]] bool complete_expansion(const KernelView<X>& kernel, const X& samples,
                                      const KernelRequest& request, const Observer& observer,
                                      KernelSolution<X>& solution) {
  const Index n = samples.rows();
  if (!fill_scores(kernel, RowSpace::whole(n), samples, observer, solution)) {
    remove_components(n, solution);
    return false;
  }
  complete_scores(n, request, solution);
  return true;
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DETAIL_COMPLETE_EXPANSION_HPP
