// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// One run of stochastic proximal gradient descent on matrices of low rank, step by step.

#ifndef MERCER_SOLVERS_SPGD_SPGD_RUN_HPP
#define MERCER_SOLVERS_SPGD_SPGD_RUN_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/low_rank/keep_orthonormal.hpp>
#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/low_rank/low_rank_term.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/types.hpp>
#include <mercer/estimators/estimator.hpp>

namespace mercer {

/// The parameters of a run's steps.
struct SpgdSchedule {
  double lambda = 0;          ///< shrinkage threshold, in units of the eigenvalues of K
  double step_offset = 0;     ///< t0 of the steps 2/(t + t0); >= 1 if the start is not zero
  bool centered = true;       ///< use draws of J K J instead of K
  bool positive_only = true;  ///< drop negative eigenvalues of symmetric draws
  Index max_rank = 0;         ///< largest rank to keep, which voids the guarantee; 0: all
};

/// Stochastic proximal gradient descent for 1/2 |Z - K|_F^2 + lambda |Z|_*, whose minimum is
/// K^ = D_lambda[K]. The step is Z_{t+1} = D_{eta lambda}[(1 - eta) Z_t + eta xi_t] with
/// eta = 2/(t + t0), t = 1, 2, .... D is singular value shrinkage, and xi_t are draws of an
/// estimator of K.
///
/// |Z_t - K^|_F^2 falls like 1/t; see predicted_error(). The type of the draws decides how Z is
/// stored and updated: U diag(s) V^T for nonsymmetric draws, U diag(s) U^T for symmetric ones. If
/// draws are positive semidefinite, so is Z.
///
/// To resume a run of t steps, construct another one with its iterate() and iterations() and the
/// same estimator. It continues exactly, to the last bit.
/// \code
///   auto draws = bind_estimator(RandomFourier{.features = 50}, kernel, x, seed);
///   SpgdRun run(std::move(draws), LowRank<double>(n, n), {.lambda = 10});
///   for (Index t = 0; t < 100; ++t) run.step();
///   const EigenSystem<double> pairs = run.eigenpairs();
/// \endcode
/// Rows in several processes: if the start has them, draws hold the rows of this process; steps are
///   collective.
/// Shapes: n x n.
/// Cost: for each step the draw, and O(n (r + a)^2) time for draws of rank a and an iterate of rank
///   r.
/// Memory: O(n (r + a)). Steps allocate no blocks of n rows once the rank has settled.
/// Source: Zhang, Yang, Yi, Jin, Zhou, Stochastic optimization for kernel PCA, AAAI 2016, algorithm
///   1 and theorem 1.
template <BoundEstimator B>
class SpgdRun {
 public:
  using Term = typename B::Term;
  using Scalar = typename Term::Scalar;

  /// \param start  Z_1, square
  /// \param done   number of steps done before
  /// Throws InvalidArgument for a schedule out of range, and for one whose first step would discard
  ///   a nonzero start.
  SpgdRun(B estimator, LowRank<Scalar> start, SpgdSchedule schedule, Index done = 0)
      : estimator_(std::move(estimator)),
        iterate_(std::move(start)),
        schedule_(schedule),
        done_(done) {
    const double lambda = schedule.lambda, offset = schedule.step_offset;
    if (!(lambda >= 0 && std::isfinite(lambda)))
      detail::fail("mercer::SpgdRun: lambda must be finite and not negative, got ", lambda);
    if (!(offset >= 0 && std::isfinite(offset)))
      detail::fail("mercer::SpgdRun: step_offset must be finite and not negative, got ", offset);
    detail::require_at_least("SpgdRun", "steps done", done, Index{0});
    detail::require_at_least("SpgdRun", "max_rank", schedule.max_rank, Index{0});
    if (iterate_.rank() > 0 && offset + static_cast<double>(done) < 1)
      detail::fail(
          "mercer::SpgdRun: a start other than zero needs a step_offset of at least 1, "
          "got ",
          offset, ": longer steps would throw it away");
  }

  /// One iteration.
  void step() {
    ++done_;
    const double eta = 2 / (static_cast<double>(done_) + schedule_.step_offset);
    const PhaseTimer timer(Phase::Steps);
    draw();
    constexpr bool general = std::same_as<Term, ProductTerm<Scalar>>;
    const Scalar moved =
        iterate_.update(static_cast<Scalar>(1 - eta), static_cast<Scalar>(eta), term_,
                        {.threshold = static_cast<Scalar>(eta * schedule_.lambda),
                         .positive_only = !general && schedule_.positive_only});
    step_residual_ = static_cast<double>(moved) / eta;
    if (schedule_.max_rank > 0) iterate_.truncate(schedule_.max_rank);
    detail::keep_orthonormal(done_, iterate_);
  }

  /// A bound of |xi_t|_F for all draws, if the estimator has one.
  [[nodiscard]] std::optional<double> largest_norm() const {
    if constexpr (HasLargestNorm<B>) return estimator_.largest_norm();
    return std::nullopt;
  }
  /// Z after the steps so far.
  [[nodiscard]] const LowRank<Scalar>& iterate() const { return iterate_; }
  /// Steps so far, with those before a resumption.
  [[nodiscard]] Index iterations() const { return done_; }
  [[nodiscard]] const SpgdSchedule& schedule() const { return schedule_; }

  /// Memory for an iterate of this rank, of all rows: its factors, room for a draw next to them,
  /// and the draw.
  [[nodiscard]] std::size_t bytes(Index rank) const {
    constexpr Index sides = std::same_as<Term, ProductTerm<Scalar>> ? 2 : 1;
    const Index columns = sides * (rank + 2 * term_.factor_cols());
    return static_cast<std::size_t>(iterate_.row_space().total() * columns) * sizeof(Scalar);
  }

  /// |Z_{t+1} - Z_t|_F / eta of the last step. It does not tend to zero, but to the standard
  /// deviation n v^(1/2) of the draws.
  [[nodiscard]] double step_residual() const { return step_residual_; }

  /// Estimates (mu_i, u_i) of eigenpairs of K: the positive eigenvalues of the symmetric part of Z,
  /// in descending order, plus lambda.
  [[nodiscard]] EigenSystem<Scalar> eigenpairs() const {
    EigenSystem<Scalar> pairs = iterate_.eigensystem();
    const Scalar largest = pairs.values.size() > 0 ? pairs.values(0) : Scalar(0);
    const Scalar rounding =
        detail::rounding_level<Scalar>(iterate_.rank()) * (std::max)(largest, Scalar(0));
    const Index kept = (pairs.values.array() > rounding).count();
    return {pairs.values.head(kept).array() + static_cast<Scalar>(schedule_.lambda),
            pairs.vectors.leftCols(kept)};
  }

 private:
  /// The next draw.
  void draw() {
    PhaseTimer timer(Phase::Tiles);
    estimator_.draw(static_cast<std::uint64_t>(done_), term_);
    if (schedule_.centered) centre_term(iterate_.row_space(), term_);
    const Index values = iterate_.rows() * term_.factor_cols();
    timer.count(static_cast<std::size_t>(values) * sizeof(Scalar));
  }

  B estimator_;
  LowRank<Scalar> iterate_;
  SpgdSchedule schedule_;
  Index done_;
  Term term_;
  double step_residual_ = 0;
};

/// What the error of a run follows from; errors are in units of |.|_F^2 / n^2.
struct ErrorRecursion {
  double variance = 0;     ///< v = E|xi - K|_F^2 / n^2 of the draws; see estimated_variance()
  double start_error = 0;  ///< |Z_1 - K^|_F^2 / n^2
  double step_offset = 0;  ///< t0 of the steps 2/(t + t0)
};

/// E|Z - K^|_F^2 / n^2 after \p iterations steps by the recursion
/// e_{t+1} = (1 - eta_t)^2 e_t + eta_t^2 v, which begins with the error of the start. For lambda =
/// 0 it is exact. For lambda > 0 it is a bound: shrinkage does not increase distances, and K^ is
/// what the mean step makes of K^. There, errors of single runs were 0.5 to 1.6 times this value.
///
/// If t0 = 0, the second step discards the start, and (4/3) v / t is left, up to terms in 1/t^2.
/// Cost: O(iterations).
/// Source: own derivation; the steps are those of Zhang et al., AAAI 2016, algorithm 1.
[[nodiscard]] inline double predicted_error(const ErrorRecursion& terms, Index iterations) {
  double start = 1, noise = 0;  // factors of the start's error and of v
  for (Index t = 1; t <= iterations; ++t) {
    const double eta = 2 / (static_cast<double>(t) + terms.step_offset);
    start *= (1 - eta) * (1 - eta);
    noise = (1 - eta) * (1 - eta) * noise + eta * eta;
  }
  // An infinite error that is multiplied by zero is no error.
  return (start > 0 ? start * terms.start_error : 0) + (noise > 0 ? noise * terms.variance : 0);
}

/// What the guarantee of a run from zero with the steps 2/t follows from.
struct ErrorGuarantee {
  double largest_norm = 0;  ///< C >= |xi_t|_F for all draws
  double lambda = 0;        ///< the shrinkage threshold
  Index largest_rank = 0;   ///< the largest r_t = rank Z_t
  double failure = 0.05;    ///< delta, the probability that the bound does not hold
};

/// The bound (8/T) (C lambda max r_t^(1/2) + C^2 (8 + 6 ln(ceil(2 log2 T) / delta))) of
/// |Z - K^|_F^2 after T steps, which holds with a probability of at least 1 - delta. Infinite for
/// T < 2, where it says nothing. It is safe rather than near: thousands of times the error, for
/// which predicted_error() is the estimate.
/// Source: Zhang et al., Stochastic optimization for kernel PCA, AAAI 2016, theorem 1.
[[nodiscard]] inline double guaranteed_error(const ErrorGuarantee& terms, Index iterations) {
  if (iterations < 2) return std::numeric_limits<double>::infinity();
  const double t = static_cast<double>(iterations), c = terms.largest_norm;
  const double tail = 8 + 6 * std::log(std::ceil(2 * std::log2(t)) / terms.failure);
  return 8 / t *
         (c * terms.lambda * std::sqrt(static_cast<double>(terms.largest_rank)) + c * c * tail);
}

}  // namespace mercer

#endif  // MERCER_SOLVERS_SPGD_SPGD_RUN_HPP
