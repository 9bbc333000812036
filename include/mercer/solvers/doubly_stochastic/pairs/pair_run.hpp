// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Doubly stochastic kernel SVD and kernel CCA, step by step.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_PAIR_RUN_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_PAIR_RUN_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/feature_blocks.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/solvers/doubly_stochastic/detail/block_expansion.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic_run.hpp>
#include <mercer/solvers/doubly_stochastic/pairs/detail/cca_increments.hpp>
#include <mercer/solvers/pair_solver.hpp>

namespace mercer {

/// The parameters of a run's steps: eta_t = step / (1 + decay t), t = 1, 2, ...
struct PairSchedule {
  PairMethod method = PairMethod::Svd;        ///< what is maximised
  StochasticRule rule = StochasticRule::Oja;  ///< how components are kept apart
  Index blocks = 64;     ///< number of feature blocks; later steps visit them again in turn
  double step = 1;       ///< > 0
  double decay = 0.01;   ///< >= 0
  bool centered = true;  ///< subtract the means of each batch
  double ridge_x = 0;    ///< of kernel CCA: kappa, added to the covariance operator of view x
  double ridge_y = 0;    ///< of kernel CCA: the same of view y
  /// About the largest eigenvalue of the two covariance operators, with the ridge: steps are cut to
  /// 1 / (bound |M|). 0: they are not cut.
  double bound = 0;
  /// Leave each pair out of the moments that multiply it. Without this the steps are biased, as the
  /// published ones are.
  bool leave_out = true;
  /// Keep functions of the wrong sign from growing without bound.
  bool safeguard = true;

  /// Throws InvalidArgument for values out of range.
  void validate() const {
    constexpr const char* who = "PairRun";
    detail::require_at_least(who, "blocks", blocks, Index{1});
    detail::require_positive(who, "step", step);
    detail::require_not_negative(who, "decay", decay);
    detail::require_not_negative(who, "ridge_x", ridge_x);
    detail::require_not_negative(who, "ridge_y", ridge_y);
    detail::require_not_negative(who, "bound", bound);
  }

  /// The number of pairs that a batch must have at least.
  [[nodiscard]] Index least_batch() const {
    return (method == PairMethod::Cca && leave_out ? 2 : 1) + (centered ? 1 : 0);
  }
};

/// The whole state of a run, without its maps. A run made from it continues exactly, to the last
/// bit, as the run that it was taken from.
template <Real S>
struct PairRunState {
  PairSchedule schedule;
  Matrix<S> x;           ///< C_b of the blocks drawn so far, one below the other, of view x
  Matrix<S> y;           ///< the same of view y
  Index next_block = 0;  ///< visited by the next step
  Index steps = 0;       ///< done so far
  double step_sum = 0;   ///< of eta
  /// Running mean of W, k x k, of which the safeguard of kernel SVD judges; empty before the first
  /// step.
  Matrix<double> mean_moments;

  /// The same state with coefficients of another scalar.
  template <Real T>
  [[nodiscard]] PairRunState<T> cast() const {
    return {schedule, x.template cast<T>(), y.template cast<T>(), next_block, steps,
            step_sum, mean_moments};
  }
};

/// Stochastic ascent of k functions of each of two views, U(x) and V(y), over batches of pairs and
/// blocks of random features. A block holds Z_b, with E[Z_b Z_b^T] the Gram matrix; the functions
/// are sum_b Z_b C_b. With W = (U^T V + V^T U) / n for n pairs (n - 1 if centred):
///
/// Kernel SVD: C_b <- C_b (I - eta W) for all blocks of both views, and for the block of the step
///   C_x += eta/n Z_x^T V, C_y += eta/n Z_y^T U.
/// The limit has |f_j|^2 + |g_j|^2 = 1, and the eigenvalues of W are the singular values.
///
/// Kernel CCA: C_x += eta/n Z_x^T (V - U W), C_y += eta/n Z_y^T (U - V W), where each pair is left
///   out of the W that multiplies it; with a ridge C_b <- C_b (I - eta kappa W) for all blocks.
/// The limit has E u u^T + E v v^T = I, and the eigenvalues of W are the correlations. Without a
/// ridge, stopping after steps of sum S is like a ridge of 1/S.
///
/// With Gha, the upper triangle replaces W, and each function is found by itself. Steps are cut to
/// 1 / |W| (kernel CCA: 1 / (bound |W|)), because longer ones diverge.
///
/// The operators have eigenvalues of both signs, and in a direction of a negative one the decay is
/// growth, which no cut of steps stops. So where the mean of W over some ten steps has a negative
/// eigenvalue, kernel SVD takes the positive part of W for its decay. Where W has one, kernel CCA
/// takes its step for Cross + Metric in place of Cross: H = U + V and W = H^T H / n, increments
/// with H - U W and H - V W, decay with W - I. It has the same functions.
///
/// Shapes: batches n x d_x and n x d_y; C is N x k for N features of a view.
/// Cost: O(n N (d + k)) for each step and view, nearly all of it for U and V.
/// Memory: C, the parameters of as many blocks as the budget allows, and tiles.
/// Threads: over blocks; the result is the same to the last bit for any number.
/// Source: Xie, Liang, Song, Scale up nonlinear component analysis with doubly stochastic
///   gradients, 2015, algorithms 3 and 4; the pair left out, the ridge, and the two safeguards are
///   not in it.
template <Real S>
class PairRun {
 public:
  using Scalar = S;
  using State = PairRunState<S>;

  /// \param memory_budget  for the parameters of features of each view
  /// Throws InvalidArgument for a state out of range, and for coefficients that are not all finite
  ///   or are all zero, which no step would change.
  template <BoundFeatureMap Bx, BoundFeatureMap By>
  PairRun(Bx map_x, By map_y, State state, std::size_t memory_budget = 0)
      : PairRun(std::make_unique<detail::FeatureBlocksOf<Bx>>(std::move(map_x), memory_budget),
                std::make_unique<detail::FeatureBlocksOf<By>>(std::move(map_y), memory_budget),
                std::move(state)) {
    static_assert(std::same_as<typename Bx::Scalar, S> && std::same_as<typename By::Scalar, S>,
                  "mercer::PairRun: the maps must be bound for the scalar of the run");
  }

  /// One step with these pairs. If it would make the coefficients infinite, does nothing and
  /// returns false; all later calls do the same.
  /// Throws InvalidArgument for samples of another dimension or not finite, for different numbers
  ///   of rows, and for fewer rows than schedule().least_batch().
  bool partial_fit(const Points<S>& x, const Points<S>& y);

  /// What evaluate_x() and evaluate_y() call for each tile.
  using With = typename detail::BlockExpansion<S>::With;

  /// The functions of a view at these samples, rows x k. Calls with(b, i, Z_b(x_i)...) for every
  /// tile of features, concurrently for different blocks; then the samples must fit in one panel of
  /// the sum, 1024 rows.
  [[nodiscard]] Matrix<S> evaluate_x(const Points<S>& x, const With& with = {}) {
    x_.require_samples("PairRun, view x", x);
    return x_.evaluate(x, with);
  }
  /// See evaluate_x().
  [[nodiscard]] Matrix<S> evaluate_y(const Points<S>& y, const With& with = {}) {
    y_.require_samples("PairRun, view y", y);
    return y_.evaluate(y, with);
  }

  /// The state, to save or to inspect.
  [[nodiscard]] State state() const {
    return {schedule_, x_.coefficients(), y_.coefficients(), next_, steps_, step_sum_, mean_};
  }

  [[nodiscard]] const PairSchedule& schedule() const { return schedule_; }
  [[nodiscard]] Index components() const { return x_.functions(); }
  [[nodiscard]] Index steps() const { return steps_; }
  /// The sum of eta over all steps.
  [[nodiscard]] double step_sum() const { return step_sum_; }
  /// Number of blocks that have coefficients.
  [[nodiscard]] Index blocks() const { return x_.drawn(); }
  /// Number of blocks of both views whose parameters are in memory.
  [[nodiscard]] Index kept_blocks() const { return x_.kept_blocks() + y_.kept_blocks(); }
  [[nodiscard]] bool diverged() const { return diverged_; }
  /// eta of the last step; 0 before the first.
  [[nodiscard]] double last_step() const { return eta_; }
  /// Memory: coefficients, parameters of features, and workspace.
  [[nodiscard]] std::size_t bytes() const { return x_.bytes() + y_.bytes(); }

 private:
  /// What a step does: increments with eta/n Z_x^T x and eta/n Z_y^T y, and decays, empty for none.
  struct Step {
    double eta = 0;
    Matrix<S> x = {}, y = {};
    Matrix<double> decay_x = {}, decay_y = {};
  };

  PairRun(std::unique_ptr<detail::FeatureBlocks<S>> blocks_x,
          std::unique_ptr<detail::FeatureBlocks<S>> blocks_y, State state);

  [[nodiscard]] Step svd_step(Matrix<double> w, double lowest, double largest);
  [[nodiscard]] Step cca_step(double lowest, double used) const;

  /// I - factor D.
  [[nodiscard]] static Matrix<double> decay_of(double factor, const Matrix<double>& d) {
    Matrix<double> decay = -factor * d;
    decay.diagonal().array() += 1;
    return decay;
  }

  [[nodiscard]] double scheduled() const {
    return schedule_.step / (1 + schedule_.decay * static_cast<double>(steps_ + 1));
  }

  PairSchedule schedule_;
  detail::BlockExpansion<S> x_, y_;
  Index next_ = 0;
  Index steps_ = 0;
  double step_sum_ = 0;
  Matrix<double> mean_;
  double eta_ = 0;
  bool diverged_ = false;
  Matrix<S> u_, v_;  // workspace of a step
};

template <Real S>
PairRun<S>::PairRun(std::unique_ptr<detail::FeatureBlocks<S>> blocks_x,
                    std::unique_ptr<detail::FeatureBlocks<S>> blocks_y, State state)
    : schedule_((state.schedule.validate(), state.schedule)),
      x_("PairRun, view x", std::move(blocks_x), state.x, schedule_.blocks),
      y_("PairRun, view y", std::move(blocks_y), state.y, schedule_.blocks),
      next_(state.next_block),
      steps_(state.steps),
      step_sum_(detail::require_finite("PairRun", "step_sum", state.step_sum)),
      mean_(std::move(state.mean_moments)) {
  const Index k = components();
  if (y_.functions() != k || y_.drawn() != x_.drawn() || next_ < 0 || next_ > x_.drawn() ||
      steps_ < 0 || (mean_.size() > 0 && (mean_.rows() != k || mean_.cols() != k)) ||
      !mean_.allFinite())
    detail::fail("mercer::PairRun: ", k, " and ", y_.functions(), " functions of ", x_.drawn(),
                 " and ", y_.drawn(), " blocks, block ", next_, " next after ", steps_,
                 " steps, are no state of a run");
  next_ %= schedule_.blocks;
}

template <Real S>
auto PairRun<S>::svd_step(Matrix<double> w, double lowest, double largest) -> Step {
  mean_ = mean_.size() == 0 ? w : Matrix<double>(.9 * mean_ + .1 * w);
  const double most = (std::max)(std::abs(lowest), largest);
  const double eta = most > 0 ? (std::min)(scheduled(), 1 / most) : scheduled();
  // Not the positive part of every W: with small batches this would bias small singular values.
  if (schedule_.safeguard && lowest < 0 &&
      symmetric_eigenvalues<double>(mean_)(components() - 1) < 0) {
    const EigenSystem<double> parts = symmetric_eigensystem<double>(w);
    w = parts.vectors * parts.values.cwiseMax(0.0).asDiagonal() * parts.vectors.transpose();
  }
  const Matrix<double> decay = decay_of(eta, detail::decay_part(w, schedule_.rule));
  return {.eta = eta, .x = v_, .y = u_, .decay_x = decay, .decay_y = decay};
}

template <Real S>
auto PairRun<S>::cca_step(double lowest, double used) const -> Step {
  const bool sum = schedule_.safeguard && lowest < 0;
  auto increments =
      detail::cca_increments<S>({.u = u_,
                                 .v = v_,
                                 .used = used,
                                 .form = sum ? detail::CcaForm::Sum : detail::CcaForm::Published,
                                 .rule = schedule_.rule,
                                 .leave_out = schedule_.leave_out});
  Step step{.eta = scheduled(), .x = std::move(increments.x), .y = std::move(increments.y)};
  if (!increments.moments.allFinite()) return step;
  const Vector<double> values = symmetric_eigenvalues<double>(increments.moments);
  const double most = schedule_.bound * values.cwiseAbs().maxCoeff();
  if (most > 0) step.eta = (std::min)(step.eta, 1 / most);
  Matrix<double> decay = detail::decay_part(increments.moments, schedule_.rule);
  if (sum) decay.diagonal().array() -= 1;
  if (schedule_.ridge_x > 0) step.decay_x = decay_of(step.eta * schedule_.ridge_x, decay);
  if (schedule_.ridge_y > 0) step.decay_y = decay_of(step.eta * schedule_.ridge_y, decay);
  return step;
}

template <Real S>
bool PairRun<S>::partial_fit(const Points<S>& x, const Points<S>& y) {
  x_.require_samples("PairRun, view x", x);
  y_.require_samples("PairRun, view y", y);
  if (x.rows() != y.rows())
    detail::fail("mercer::PairRun: rows are pairs, but view x has ", x.rows(), " rows and view y ",
                 y.rows());
  detail::require_at_least("PairRun", "pairs of a batch", x.rows(), schedule_.least_batch());
  if (diverged_) return false;
  const Index visited = next_;
  x_.sum(x, visited, u_);
  y_.sum(y, visited, v_);
  if (schedule_.centered)
    for (Matrix<S>* values : {&u_, &v_, &x_.features(), &y_.features()}) centre_columns(*values);
  const auto used = static_cast<double>(x.rows() - (schedule_.centered ? 1 : 0));
  const Matrix<double> cross = inner(u_, v_).template cast<double>() / used;
  const Matrix<double> w = cross + cross.transpose();
  diverged_ = !w.allFinite();
  if (diverged_) return false;
  const Vector<double> values = symmetric_eigenvalues<double>(w);
  const double lowest = values(values.size() - 1);
  const Matrix<double> mean_before = mean_;
  Step step =
      schedule_.method == PairMethod::Svd ? svd_step(w, lowest, values(0)) : cca_step(lowest, used);
  const auto factor = static_cast<S>(step.eta / used);
  const Matrix<S> increment_x = inner(x_.features(), step.x) * factor,
                  increment_y = inner(y_.features(), step.y) * factor;
  diverged_ = !increment_x.allFinite() || !increment_y.allFinite() || !step.decay_x.allFinite() ||
              !step.decay_y.allFinite();
  if (diverged_) {
    mean_ = mean_before;
    return false;
  }
  x_.update(step.decay_x.template cast<S>(), visited, increment_x);
  y_.update(step.decay_y.template cast<S>(), visited, increment_y);
  next_ = (visited + 1) % schedule_.blocks;
  eta_ = step.eta;
  step_sum_ += step.eta;
  ++steps_;
  return true;
}

}  // namespace mercer

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_PAIR_RUN_HPP
