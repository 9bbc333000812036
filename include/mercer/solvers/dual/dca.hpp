// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Robust and sparse kernel PCA by DCA, the difference-of-convex-functions algorithm, on the dual.

#ifndef MERCER_SOLVERS_DUAL_DCA_HPP
#define MERCER_SOLVERS_DUAL_DCA_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/types.hpp>
#include <mercer/losses/loss.hpp>
#include <mercer/losses/loss_view.hpp>
#include <mercer/losses/norms.hpp>
#include <mercer/operators/operator_view.hpp>
#include <mercer/operators/symmetric_operator.hpp>
#include <mercer/solvers/directions.hpp>
#include <mercer/solvers/dual/detail/dca_solve.hpp>
#include <mercer/solvers/dual/detail/dual_checks.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer {

/// Kernel PCA with a loss other than the square: max f(G A) over orthonormal directions, where G A
/// are the n x k scores. Uses the difference-of-convex-functions algorithm (DCA) on the dual
///
///     min over H of  p(H) = |H|_F^2 / 2 + Psi*(H) - Tr (H^T G H)^(1/2).
///
/// Huber losses bound the weight of each sample, so outliers do not pull the components.
/// Epsilon-insensitive losses make rows of H exactly zero, so few samples carry the components.
/// With SquareLoss this is simultaneous iteration, for which there are better solvers.
/// \code
///   KernelPca robust{Gaussian{1.5}, Dca{Huber<L2>{0.5}, {.starts = 10}}, {.components = 2}};
///   KernelPca sparse{Gaussian{1.5}, Dca{EpsilonInsensitive<L2>{0.3}},
///                    {.components = 2, .centered = false}};
/// \endcode
/// The problem is not convex. The result is a stationary point, as a rule a local minimum, and it
/// depends on the start. With several .starts, the best result is kept. Scores are not those of
/// eigenvectors; the eigenvalues given are the squared norms of the scores. For rotation invariant
/// losses, directions are rotated to principal axes, so that scores are uncorrelated.
///
/// Sparsity: a model that is not centred keeps only samples whose rows of H are not zero. A centred
/// model keeps all samples, because the mean in feature space is a combination of all.
///
/// The report has DcaDetails: dual_objective p(H); duality_gap (f(G A) + p(H)) / |p(H)|, which is 0
/// at a fixed point; and zero_rows and zero_entries of H. iterations counts products. residuals
/// stay empty, because directions need not be eigenvectors.
///
/// \tparam L  models Loss
/// Cost: one product of G with k vectors for each step; tens to thousands of steps.
/// Memory: 6 n k values.
/// Threads: the result is the same to the last bit for any number.
/// Status: NotConverged if the best start has not met the tolerance, or if products are not finite.
///   NotConverged without components, with a reason, if all rows of H are zero and G is not. For
///   G = 0, and for what rounding errors leave of it, Converged without components. Cancelled: the
///   best result so far.
/// Random: params.seed + start, purpose "dca start".
/// Throws InvalidArgument for a matrix found to be indefinite, for components as a fraction of
///   variance, and for more components than rows.
/// Source: Tonin, Lambert, Patrinos, Suykens, Extending kernel PCA through dualization: sparsity,
///   robustness and fast algorithms, 2023, algorithm 1.
template <Loss L>
class Dca {
 public:
  using Params = DcaParams;

  /// Throws InvalidArgument for a tolerance that is not positive, and for counts below 1.
  explicit Dca(L loss, DcaParams params = {}) : loss_(std::move(loss)), params_(params) {
    params.validate();
  }

  [[nodiscard]] const L& loss() const { return loss_; }
  [[nodiscard]] const DcaParams& params() const { return params_; }

  static constexpr bool wants_dense = false;
  /// 0: products must be as accurate as possible. The tolerance of params is one of steps.
  [[nodiscard]] double tolerance() const { return 0; }
  /// Memory of a run: blocks of n x k values.
  [[nodiscard]] std::size_t bytes(Index n, Index components) const {
    return static_cast<std::size_t>(6 * n * components) * sizeof(double);
  }

  template <SymmetricOperator A>
  [[nodiscard]] DirectionSolution<typename A::Scalar> solve(const A& a, const EigenRequest& request,
                                                            const Observer& observer = {}) const {
    detail::require_count("Dca", request.components, a.rows());
    return with_solver(a, request, observer, [](auto& solver) { return solver.from_random(); });
  }

  /// The same from one start, n x k, for example from the dual variable of another loss. A start in
  /// the null space of G, zero for one, finds nothing: NotConverged, with a reason.
  /// Throws as solve() does, and InvalidArgument for a start of another shape or with values that
  ///   are not finite.
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
                               loss_.rotation_invariant || params_.rotate, params_, request,
                               observer);
    auto solution = use(solver);
    solution.report.solver = SolverId::Dca;
    solution.report.solver_form = detail::describe_loss(loss_);
    return solution;
  }

  L loss_;
  DcaParams params_;
};

/// Solutions for a list of losses, in the order given, for example for a grid of kappa or epsilon.
/// Each run starts from the solution before it. The first one, and any after a solution whose rows
/// are all zero, starts at random. Ends early if the observer stops a run.
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

/// From this kappa on, Huber<Norm> gives plain kernel PCA, for any rotation R of its dual variable
/// H = U diag(mu)^(1/2) R. It is the largest norm of a row of H, and for LInf, whose dual norm is
/// the 1-norm, k^(1/2) times that.
template <RowNorm Norm = L2, Real S>
[[nodiscard]] double kappa_max(const EigenSolution<S>& pca) {
  const Matrix<S> h = pca.eigenvectors * pca.eigenvalues.cwiseSqrt().asDiagonal();
  if (h.size() == 0) return 0;
  return Norm::Dual::largest(h.cols()) * L2::norms(h).maxCoeff();
}

/// For this epsilon and all larger ones, all rows of H are zero. The largest norm of a row of
/// scores is at most the largest norm of a sample in feature space, max_i G_ii^(1/2); for the
/// 1-norm, k^(1/2) times that.
template <RowNorm Norm, HasDiagonalEntries A>
[[nodiscard]] double epsilon_max(const A& a, Index components) {
  const auto largest = static_cast<double>(a.diagonal().maxCoeff());
  return Norm::largest(components) * std::sqrt((std::max)(largest, 0.0));
}

}  // namespace mercer

#endif  // MERCER_SOLVERS_DUAL_DCA_HPP
