// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The dual solver: leading eigenpairs from an unconstrained minimisation by L-BFGS.

#ifndef MERCER_SOLVERS_DUAL_DUAL_HPP
#define MERCER_SOLVERS_DUAL_DUAL_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/operator_view.hpp>
#include <mercer/operators/symmetric_operator.hpp>
#include <mercer/solvers/detail/ritz_space.hpp>
#include <mercer/solvers/dual/detail/dual_checks.hpp>
#include <mercer/solvers/dual/detail/dual_run.hpp>
#include <mercer/solvers/dual/dual_params.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>

namespace mercer {
namespace detail {

/// Dual::solve. Solves dual problems until there are enough pairs, each in the complement of the
/// pairs found.
template <Real S>
class DualSolve {
 public:
  DualSolve(const OperatorView<S>& a, const DualParams& params, const EigenRequest& request,
            const Observer& observer)
      : a_(a),
        params_(params),
        request_(request),
        observer_(observer),
        noise_(request),
        wanted_(request.components.count()),
        found_(RowSpace::whole(a.rows())) {
    report_.solver = SolverId::Dual;
  }

  [[nodiscard]] EigenSolution<S> solve() {
    // A centred operator knows its row means after its first product, so the trace can wait.
    if (params_.stop == DualStop::Objective) set_trace();
    DualEnd end = DualEnd::Settled;
    bool more = true, all_settled = true;
    while (more && found_.size() < wanted_) {
      const Deflated<S> rest{a_, found_};
      const OperatorView<S> view(rest);
      const Vector<S>& values = found_.ritz().values;
      const double half_trace = (report_.trace - static_cast<double>(values.sum())) / 2;
      const double largest = values.size() > 0 ? static_cast<double>(values(0)) : 0;
      DualRun<S> run(view, params_, noise_.deflated(largest), half_trace, observer_, report_);
      const Matrix<S> start = start_of(wanted_ - found_.size());
      report_.bytes = static_cast<std::size_t>(start.size() + 4 * a_.rows() * wanted_) * sizeof(S) +
                      DualRun<S>::bytes(start.rows(), start.cols(), params_.memory);
      {
        const PhaseTimer timer(Phase::Steps);
        end = run.minimize(start);
      }
      all_settled = all_settled && end == DualEnd::Settled;
      if (rounds_++ == 0 && (run.started() || end == DualEnd::Settled)) note_objective(run);
      more = extend(run.scores()) && (end == DualEnd::Settled || end == DualEnd::Stalled) &&
             all_positive();
    }
    if (report_.iterations > 0) set_trace();
    return solution(end, all_settled);
  }

 private:
  void set_trace() {
    if (a_.has_diagonal()) report_.trace = static_cast<double>(a_.diagonal().sum());
  }

  [[nodiscard]] bool all_positive() const {
    const Vector<S>& values = found_.ritz().values;
    return static_cast<double>(values(values.size() - 1)) >
           zero_floor<S>(static_cast<double>(values(0)), a_.rows(), request_);
  }

  /// The start H, n x cols.
  [[nodiscard]] Matrix<S> start_of(Index cols) {
    const Range drawn{std::exchange(random_columns_, random_columns_ + cols), cols};
    Matrix<S> h = normal_block<S>({0, a_.rows()}, drawn, params_.seed, "dual start");
    if (params_.start == DualStart::Random || rounds_ > 0) return h;
    Matrix<S> sketch = sketch_eigenvectors(a_, cols, params_.seed);
    if (sketch.cols() < cols) return h;
    // Columns of the sketch have norms in proportion to mu_i; the solution has mu_i^(1/2).
    for (Index j = 0; j < cols; ++j) sketch.col(j) /= std::sqrt(sketch.col(j).stableNorm());
    if (!sketch.allFinite()) return h;
    // Without noise, the run could never find eigenvectors that the landmarks miss.
    constexpr S part = S(0.05);
    const S size = sketch.stableNorm();
    if (!(size > 0)) return h;
    return h.norm() / size * sketch + part * h;  // of the size of a random start, for any units
  }

  void note_objective(const DualRun<S>& run) {
    report_.details =
        DualDetails{.dual_objective = run.objective(),
                    .duality_gap = run.gap() > 0 ? run.gap() / std::abs(run.objective()) : 0,
                    .objective_error = run.objective_error()};
  }

  /// Adds the span of \p scores to the space of the pairs found. Takes one more product, which also
  /// gives the residuals. Returns false if there is nothing new.
  [[nodiscard]] bool extend(const Matrix<S>& scores) {
    if (!scores.allFinite()) return false;
    const Matrix<S> block = found_.extension(scores).Q;
    return block.cols() > 0 && found_.extend(a_, block, report_);
  }

  /// \param end          of the last round
  /// \param all_settled  whether all rounds met the tolerance
  [[nodiscard]] EigenSolution<S> solution(DualEnd end, bool all_settled) {
    EigenSolution<S> result;
    // Without pairs, one zero eigenvalue makes select_components() fill the report.
    const Vector<S> values = found_.size() > 0 ? found_.ritz().values : Vector<S>::Zero(1);
    const Index kept = select_components(values, a_.rows(), request_, report_);
    const Vector<S> residuals = column_norms(found_.residuals(kept));
    const auto largest = static_cast<double>(values(0));
    const double bound = (std::max)(params_.tolerance * largest, noise_.at(largest));
    bool within = true;
    for (const S norm : residuals) {
      const auto residual = static_cast<double>(norm);
      within = within && residual <= bound;
      report_.residuals.push_back(residual);
    }
    report_.eigenvalue_error_bounds = report_.residuals;
    const bool searched = end == DualEnd::Settled || end == DualEnd::Stalled;
    if (end == DualEnd::Cancelled)
      report_.status = Status::Cancelled;
    else if (searched && (params_.stop == DualStop::Residual ? within : all_settled))
      report_.status = Status::Converged;
    if (!searched) report_.zero_eigenvalues = 0;  // the other components were not searched for
    result.eigenvalues = values.head(kept);
    result.eigenvectors = found_.vectors(kept);
    result.products = found_.vector_products(kept);
    result.report = std::move(report_);
    return result;
  }

  const OperatorView<S>& a_;
  const DualParams& params_;
  const EigenRequest& request_;
  const Observer& observer_;
  ResidualNoise<S> noise_;
  Index wanted_;
  Report report_;
  Index rounds_ = 0;
  Index random_columns_ = 0;
  RitzSpace<S> found_;
};

}  // namespace detail

/// Kernel PCA by its dual: min over H (n x k) of p(H) = |H|_F^2 / 2 - Tr (H^T K H)^(1/2). This is
/// smooth and has no constraints. It is minimised by L-BFGS; a Rayleigh-Ritz step on the scores of
/// H follows.
///
/// \code
///   KernelPca pca{Gaussian{1.5}, Dual{{.stop = DualStop::Objective, .tolerance = 1e-2}},
///                 {.components = 20}};
/// \endcode
/// Every minimum is global: min p = -(mu_1 + ... + mu_k) / 2 at H = U_k diag(mu)^(1/2) R, with any
/// orthogonal R. Other stationary points are saddles, which a random start avoids. Works on any
/// positive semidefinite SymmetricOperator. Good for rough answers; for many digits, BlockKrylov
/// takes fewer products.
///
/// The report has these facts about the result, some of them in DualDetails:
/// - -p(H) and the primal objective, -p(H) + |grad p|^2 / 2, are lower bounds of the optimum. Their
///   relative distance is duality_gap.
/// - Half of the trace is an upper bound.
/// - For each pair, an eigenvalue lies within its residual.
/// - objective_error, which DualStop::Objective tests, is the distance of these bounds or an
///   estimate, whichever is smaller. The estimate is half the squared gradient divided by the least
///   curvature that L-BFGS has met, and at least the gain of the last line search. In spectra
///   without gaps (mu_k and most others nearly equal), p has long plateaus, and the estimate may be
///   ten times too small or more: products alone cannot exclude a larger eigenvalue in a direction
///   not seen yet.
///
/// Components smaller than 1e-6 mu_1 have no weight in p. Further runs, in the complement of the
/// components found, find them. report.iterations counts line searches, and the start as one. The
/// observer is called before each. Results do not depend on the units of K.
///
/// Cost: one product of K with k vectors for each line search, however many points it tries, and
///   one at the end: about 5 for an objective good to 1e-2. O(n k^2) operations for each.
/// Memory: (2 memory + 19) n k values.
/// Threads: the result is the same for any number.
/// Status: NotConverged if max_iterations line searches were not enough, if line searches end in
///   rounding errors before the tolerance is met, or if products are not finite. The components are
///   the best so far.
/// Random: params.seed, purposes "dual start", "sketch" and "block krylov".
/// Throws InvalidArgument for a matrix found to be indefinite, for components as a fraction of
///   variance, and for more components than rows.
/// Source: Tonin, Lambert, Patrinos, Suykens, Extending kernel PCA through dualization: sparsity,
///   robustness and fast algorithms, 2023.
class Dual {
 public:
  using Params = DualParams;

  Dual() = default;

  /// Throws InvalidArgument for a tolerance that is not positive, memory < 3 or max_iterations < 1.
  explicit Dual(DualParams params) : params_(params) { params.validate(); }

  [[nodiscard]] const DualParams& params() const { return params_; }

  /// The residuals to expect, relative to mu_1. An error delta of the objective leaves residuals of
  /// the order of delta^(1/2).
  [[nodiscard]] double tolerance() const {
    return params_.stop == DualStop::Objective ? std::sqrt(params_.tolerance) : params_.tolerance;
  }

  template <SymmetricOperator A>
  [[nodiscard]] EigenSolution<typename A::Scalar> solve(const A& a, const EigenRequest& request,
                                                        const Observer& observer = {}) const {
    using S = typename A::Scalar;
    return solve_view(OperatorView<S>(a), request, observer);
  }

  static constexpr bool wants_dense = false;
  /// Memory of a run: the vectors of L-BFGS and some blocks.
  [[nodiscard]] std::size_t bytes(Index n, Index components) const {
    return detail::DualRun<double>::bytes(n, components, params_.memory + 3);
  }

 private:
  template <Real S>
  [[nodiscard]] EigenSolution<S> solve_view(const OperatorView<S>& a, const EigenRequest& request,
                                            const Observer& observer) const {
    detail::require_count("Dual", request.components, a.rows());
    return detail::DualSolve<S>(a, params_, request, observer).solve();
  }

  DualParams params_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_DUAL_DUAL_HPP
