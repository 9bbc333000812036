// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Robust and sparse kernel PCA by DCA, the difference-of-convex-functions algorithm, on the dual.

#ifndef MERCER_SOLVERS_DCA_HPP
#define MERCER_SOLVERS_DCA_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/types.hpp>
#include <mercer/losses/loss.hpp>
#include <mercer/losses/loss_view.hpp>
#include <mercer/operators/operator_view.hpp>
#include <mercer/operators/symmetric_operator.hpp>
#include <mercer/solvers/dca_solve.hpp>
#include <mercer/solvers/directions.hpp>
#include <mercer/solvers/dual_checks.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer {

/// Kernel PCA with another loss than the square: max f(G A) over orthonormal directions, G A being
/// the n x k scores, by the difference-of-convex-functions algorithm on its dual
///
///     min over H of  p(H) = |H|_F^2 / 2 + Psi*(H) - Tr (H^T G H)^(1/2).
///
/// Huber losses bound the weight of any sample: outliers do not pull the components.
/// Epsilon-insensitive ones give rows of exact zeros: few samples carry the components. With
/// SquareLoss it is simultaneous iteration, for which there are better solvers.
/// \code
///   KernelPca robust{Gaussian{1.5}, Dca{Huber<L2>{0.5}, {.starts = 10}}, {.components = 2}};
///   KernelPca sparse{Gaussian{1.5}, Dca{EpsilonInsensitive<L2>{0.3}},
///                    {.components = 2, .centered = false}};
/// \endcode
/// \tparam L  models Loss
///
/// The problem is not convex: the result is a stationary point, as a rule a local minimum, and
/// depends on the start. With .starts the best of several is kept. Scores of the directions are not
/// those of eigenvectors: eigenvalues are their squared norms. For rotation invariant losses the
/// directions are turned to principal axes, so that scores are uncorrelated.
///
/// Sparsity: a model that is not centred keeps only the samples with rows that are not zero. A
/// centred one keeps all samples, for the mean in feature space is a combination of all.
///
/// Cost: one product of G with k vectors a step, tens to thousands of steps. Memory: 6 n k values.
/// Report: dual_objective p(H), duality_gap (f(G A) + p(H)) / |p(H)|, which a fixed point makes 0;
/// zero_rows and zero_entries of H; iterations counts products. residuals stay empty: directions
/// need not be eigenvectors. Status: NotConverged if the best start has not met the tolerance, if
/// products are not finite, and, without any component and with a reason, if all rows vanish.
/// Cancelled: the best so far. Throws InvalidArgument for a matrix found to be indefinite, for
/// components as a fraction of variance, and for more components than rows. Same bits for any
/// number of threads. Random: params.seed + start, purpose "dca start".
/// Source: Tonin, Lambert, Patrinos, Suykens, Extending kernel PCA through dualization: sparsity,
/// robustness and fast algorithms, 2023, algorithm 1 (spec 4.4).
template <Loss L>
class Dca {
 public:
  using Params = DcaParams;

  /// Throws InvalidArgument for a tolerance that is not positive, and counts below 1.
  explicit Dca(L loss, DcaParams params = {}) : loss_(std::move(loss)), params_(params) {
    detail::require_positive("Dca", "tolerance", params.tolerance);
    detail::require_at_least("Dca", "max_iterations", params.max_iterations, Index{1});
    detail::require_at_least("Dca", "starts", params.starts, Index{1});
  }

  [[nodiscard]] const L& loss() const { return loss_; }
  [[nodiscard]] const DcaParams& params() const { return params_; }

  template <SymmetricOperator A>
  [[nodiscard]] DirectionSolution<typename A::Scalar> solve(const A& a, const EigenRequest& request,
                                                            const Observer& observer = {}) const {
    detail::require_count("Dca", request.components, a.rows());
    return with_solver(a, request, observer, [](auto& solver) { return solver.from_random(); });
  }

  /// The same from one start, n x k, for example the dual variable of another loss.
  /// Throws also for a start of another shape or with values that are not finite.
  template <SymmetricOperator A>
  [[nodiscard]] DirectionSolution<typename A::Scalar> solve_from(
      const Matrix<typename A::Scalar>& start, const A& a, const EigenRequest& request,
      const Observer& observer = {}) const {
    detail::require_count("Dca", request.components, a.rows());
    const Index k = request.components.count();
    if (start.rows() != a.rows() || start.cols() != k || !start.allFinite())
      detail::fail("mercer::Dca::solve_from: start must be finite and ", a.rows(), " x ", k,
                   ", got ", start.rows(), " x ", start.cols());
    return with_solver(a, request, observer, [&](auto& solver) { return solver.from(start); });
  }

 private:
  template <class A, class Use>
  [[nodiscard]] auto with_solver(const A& a, const EigenRequest& request, const Observer& observer,
                                 const Use& use) const {
    using S = typename A::Scalar;
    const OperatorView<S> view(a);
    detail::DcaSolve<S> solver(view, detail::LossView<S>(loss_),
                               L::rotation_invariant || params_.rotate, params_, request, observer);
    auto solution = use(solver);
    solution.report.solver = "dca (" + detail::describe_loss(loss_) + ")";
    return solution;
  }

  L loss_;
  DcaParams params_;
};

/// Solutions for one loss after the other, each started from the one before: for a grid of kappa or
/// epsilon, in the order given. The first, and any after one whose rows have all vanished, starts
/// at random. Stops early when the observer says so.
template <SymmetricOperator A, Loss L>
[[nodiscard]] std::vector<DirectionSolution<typename A::Scalar>> dca_path(
    const A& a, const std::vector<L>& losses, const DcaParams& params, const EigenRequest& request,
    const Observer& observer = {}) {
  std::vector<DirectionSolution<typename A::Scalar>> path;
  for (const L& loss : losses) {
    const Dca<L> solver(loss, params);
    const bool warm = !path.empty() && !path.back().dual.isZero(0);
    path.push_back(warm ? solver.solve_from(path.back().dual, a, request, observer)
                        : solver.solve(a, request, observer));
    if (path.back().report.status == Status::Cancelled) break;
  }
  return path;
}

/// The least kappa from which on both Huber losses leave a kernel PCA as it is, whatever the
/// rotation of its dual variable H = U diag(mu)^(1/2) R: the largest norm of a row of H.
template <Real S>
[[nodiscard]] double kappa_max(const EigenSolution<S>& pca) {
  const Matrix<S> h = pca.eigenvectors * pca.eigenvalues.cwiseSqrt().asDiagonal();
  return h.size() == 0 ? 0 : static_cast<double>(h.rowwise().norm().maxCoeff());
}

/// An epsilon from which on all rows of H vanish: the largest norm of a row of scores is at most
/// that of a sample in feature space, max_i G_ii^(1/2); for the 1-norm, k^(1/2) times that.
template <class Norm, HasDiagonalEntries A>
[[nodiscard]] double epsilon_max(const A& a, Index components) {
  const auto largest = static_cast<double>(a.diagonal().maxCoeff());
  const double columns = std::same_as<Norm, L1> ? static_cast<double>(components) : 1;
  return std::sqrt(columns * (std::max)(largest, 0.0));
}

}  // namespace mercer

#endif  // MERCER_SOLVERS_DCA_HPP
