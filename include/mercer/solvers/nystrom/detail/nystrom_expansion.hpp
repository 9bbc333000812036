// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Components over landmarks from the moments of Nystroem's factor.

#ifndef MERCER_SOLVERS_NYSTROM_DETAIL_NYSTROM_EXPANSION_HPP
#define MERCER_SOLVERS_NYSTROM_DETAIL_NYSTROM_EXPANSION_HPP

#include <cstddef>
#include <limits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/detail/complete_expansion.hpp>
#include <mercer/solvers/detail/covariance_pairs.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/nystrom/detail/nystrom_factor.hpp>

namespace mercer::detail {

/// Eigenvectors of F^T F, and if they are what was asked for.
struct NystromDirections {
  Matrix<double> vectors;  ///< r x k
  bool complete = true;    ///< false if they were not found, or are too few for a fraction
};

/// Sets the eigenvalues of F^T F (centred if the moments are) that the request keeps, and what the
/// report says of them. Returns their eigenvectors. The scatter of the moments is used up.
/// Cost: O(r^3).
template <OwnedSamples X>
[[nodiscard]] NystromDirections nystrom_directions(NystromMoments& moments, double trace_error,
                                                   const EigenRequest& pairs,
                                                   KernelSolution<X>& solution) {
  using S = typename X::Scalar;
  Report& report = solution.report;
  const Components& wanted = pairs.components;
  report.trace = moments.scatter.trace() + trace_error;
  if (moments.scatter.rows() == 0) {  // K is zero
    static_cast<void>(select_components<S>(Vector<S>::Zero(1), report.samples, pairs, report));
    return {Matrix<double>(0, 0), true};
  }
  CovariancePairs<S> found = covariance_pairs<S>(moments.scatter, pairs, report);
  const auto reached = static_cast<double>(found.values.sum());
  constexpr double eps = std::numeric_limits<S>::epsilon();
  const bool too_few = wanted.is_fraction() && !wanted.is_all() &&
                       reached < wanted.fraction() * report.trace * (1 - 4 * eps);
  solution.eigenvalues = found.values;
  return {std::move(found.vectors), found.found && !too_few};
}

/// Sets the points, the coefficients over them, and the mean.
/// \param whiten  of the factor over these points
template <OwnedSamples X>
void expand_over_landmarks(const X& points, const Matrix<double>& whiten,
                           const NystromMoments& moments, bool centered,
                           const Matrix<double>& directions, KernelSolution<X>& solution) {
  using S = typename X::Scalar;
  solution.points = points;
  solution.coefficients = small_product(whiten, directions).template cast<S>();
  solution.offset = Vector<S>::Zero(directions.cols());
  solution.mean_weights = Vector<S>::Zero(whiten.rows());
  if (!centered) return;
  const Matrix<double> mean = moments.mean;
  solution.offset = small_product<double>(directions.transpose(), mean).template cast<S>();
  solution.mean_weights = small_product(whiten, mean).template cast<S>();
  solution.mean = static_cast<S>(moments.mean.squaredNorm());
}

/// Sets Weyl's bound |mu_i(K) - mu_i(K~)| <= |K - K~| <= tr(K - K~), with the rounding error added.
/// The bound also holds if both matrices are centred.
template <OwnedSamples X>
void bound_by_trace_error(double trace_error, const EigenRequest& pairs,
                          KernelSolution<X>& solution) {
  using S = typename X::Scalar;
  const Vector<S>& mu = solution.eigenvalues;
  if (mu.size() == 0) return;
  const double rounding =
      rounding_bound<S>(pairs, solution.report.samples, static_cast<double>(mu(0)));
  solution.report.eigenvalue_error_bounds.assign(static_cast<std::size_t>(mu.size()),
                                                 trace_error + rounding);
}

/// If the landmarks hold fewer components than were asked for and the samples have more: says so,
/// and returns false. Then the solution has not converged.
/// \param dropped  n times the variance that landmarks leave out in any case
template <OwnedSamples X>
bool judge_landmarks(const EigenRequest& pairs, double dropped, KernelSolution<X>& solution) {
  if (!misses_components(pairs, solution, dropped)) return true;
  solution.report.status = Status::NotConverged;
  note_missing_components("the landmarks hold only " + to_text(solution.report.components) +
                              " components, and the samples have more; take more landmarks",
                          solution.report);
  return false;
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_NYSTROM_DETAIL_NYSTROM_EXPANSION_HPP
