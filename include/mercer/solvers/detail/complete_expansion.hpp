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
#include <numeric>
#include <optional>
#include <vector>

#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
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

/// Bounds of the diagonal of R, which is what functions in the span of k(p, .) leave of K:
/// R_ii <= k(x_i, x_i) - k(x_i, p)^2 / k(p, p) for each of the points p. The least of these for
/// some points: a few tell samples that are far from all points.
/// \param samples  n x d
/// \param points   m x d
/// Cost: cheap_certificate_values / 8 kernel values, or n if that is more.
template <OwnedSamples X>
[[nodiscard]] Vector<double> left_out_bounds(const KernelView<X>& kernel, const X& samples,
                                             const X& points) {
  const Index n = samples.rows();
  const Index cheap = (std::max)(Index{1}, cheap_certificate_values / 8 / n);
  const Index count = (std::min)(points.rows(), cheap);
  Vector<double> bounds = kernel.diagonal(samples).template cast<double>();
  if (count == 0) return bounds;
  std::vector<Index> first(static_cast<std::size_t>(count));
  std::iota(first.begin(), first.end(), Index{0});
  const X some = take_rows(points, first);
  const Vector<double> own = kernel.diagonal(some).template cast<double>();
  const PreparedPair<X, X> prepared(kernel, RowSpace::whole(n), samples, some);
  parallel_for((n + factor_tile - 1) / factor_tile, [&](Index task) {
    const Index begin = task * factor_tile;
    const Range rows{begin, (std::min)(factor_tile, n - begin)};
    const Matrix<double> values =
        kernel_rows(kernel, prepared.x, rows, prepared.p).template cast<double>();
    Vector<double> found = Vector<double>::Zero(rows.size);
    for (Index j = 0; j < count; ++j)
      if (own(j) > 0) found = found.cwiseMax(values.col(j).cwiseAbs2() / own(j));
    bounds.segment(rows.begin, rows.size) -= found;
  });
  return bounds.cwiseMax(0.0);
}

/// The rows of K that residuals are estimated from, at least \p least of them, and more where these
/// cost little: all of some hundred rows. They are drawn by draw_rows(), in proportion to bounds of
/// R_ii and to the squares of the functions, since |R_i u|^2 <= R_ii u' R u for what a solution
/// leaves of K; or uniformly, and in proportion to the weights of the samples, if rows are spread
/// over processes, which all need the same ones.
/// \param points  of the solution, whose functions are expansions over them; none: the samples
/// \param u       functions at the samples, n x k; the columns have any size
/// \param omega   weights of all samples, or none
/// Random: uniform rows from the seed, purpose "certificate rows"; others from u.
template <OwnedSamples X>
[[nodiscard]] DrawnRows certificate_rows(const KernelView<X>& kernel, const RowSpace& space,
                                         const X& samples, const std::optional<X>& points,
                                         const Matrix<typename X::Scalar>& u,
                                         const Vector<double>& omega, Index least,
                                         std::uint64_t seed) {
  const Index n = space.total(), count = (std::max)(least, cheap_certificate_values / n);
  if (count >= n) return all_rows(n);
  if (space.is_spread()) {
    RandomStream stream(seed, "certificate rows");
    if (omega.size() == 0) return uniform_rows(sample_without_replacement(n, count, stream), n);
    Vector<double> shares = Vector<double>::Constant(n, 1 / static_cast<double>(n));
    add_share(omega, shares);
    return rows_by_shares(shares, count, stream);
  }
  const Vector<double> left_out =
      points ? left_out_bounds(kernel, samples, *points)
             : Vector<double>(kernel.diagonal(samples).template cast<double>());
  Matrix<double> vectors = u.template cast<double>();
  if (omega.size() > 0) vectors = omega.cwiseSqrt().asDiagonal() * vectors;
  for (Index i = 0; i < vectors.cols(); ++i) vectors.col(i).stableNormalize();
  return draw_rows(vectors, count, {left_out, omega});
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
