// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Doubly stochastic gradient ascent for kernel PCA, step by step.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_DOUBLY_STOCHASTIC_RUN_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_DOUBLY_STOCHASTIC_RUN_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/feature_blocks.hpp>
#include <mercer/features/detail/feature_rows.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/solvers/doubly_stochastic/detail/block_expansion.hpp>

namespace mercer {

/// What the steps converge to.
enum class StochasticRule {
  Oja,  ///< the span of the components; they are computed within it at the end
  Gha,  ///< each component by itself, the first one first (generalised Hebbian algorithm)
};

[[nodiscard]] constexpr std::string_view to_string(StochasticRule rule) {
  return rule == StochasticRule::Oja ? "oja" : "gha";
}

/// The parameters of a run's steps: eta_t = step / (1 + decay t), t = 1, 2, ...
struct DoublyStochasticSchedule {
  StochasticRule rule = StochasticRule::Oja;  ///< how components are kept apart
  Index blocks = 64;     ///< number of feature blocks; later steps visit them again in turn
  double step = 1;       ///< > 0
  double decay = 0.01;   ///< >= 0
  bool centered = true;  ///< subtract the means of each batch

  /// Throws InvalidArgument for values out of range.
  void validate() const {
    detail::require_at_least("DoublyStochasticRun", "blocks", blocks, Index{1});
    detail::require_positive("DoublyStochasticRun", "step", step);
    if (!(decay >= 0 && std::isfinite(decay)))
      detail::fail("mercer::DoublyStochasticRun: decay must be finite and not negative, got ",
                   decay);
  }
};

namespace detail {

/// eta of the step after so many, cut to 1 / lambda_max(M). A template, because every program that
/// includes this file would compile Eigen's eigensolver otherwise.
template <Real S>
[[nodiscard]] double stochastic_step_length(const DoublyStochasticSchedule& schedule, Index steps,
                                            const Matrix<S>& moments) {
  const double eta = schedule.step / (1 + schedule.decay * static_cast<double>(steps + 1));
  const double largest = symmetric_eigenvalues<S>(moments)(0);
  return largest > 0 ? (std::min)(eta, 1 / largest) : eta;
}

/// I - eta M, with the upper triangle of M for Gha.
[[nodiscard]] inline Matrix<double> stochastic_decay(StochasticRule rule, double eta,
                                                     const Matrix<double>& moments) {
  Matrix<double> decay = -eta * moments;
  if (rule == StochasticRule::Gha) decay.triangularView<Eigen::StrictlyLower>().setZero();
  decay.diagonal().array() += 1;
  return decay;
}

}  // namespace detail

/// The whole state of a run, without its map. A run made from it continues exactly, to the last
/// bit, as the run that it was taken from.
template <Real S>
struct DoublyStochasticState {
  DoublyStochasticSchedule schedule;
  /// C_b of the blocks drawn so far, one below the other. The components are sum_b Z_b(x) C_b.
  Matrix<S> coefficients;
  Index next_block = 0;  ///< visited by the next step
  Index steps = 0;       ///< done so far

  /// The same state with coefficients of another scalar.
  template <Real T>
  [[nodiscard]] DoublyStochasticState<T> cast() const {
    return {schedule, coefficients.template cast<T>(), next_block, steps};
  }
};

/// The ascent H <- H + eta (A H - H M), M = E[H^T H], of k functions H on the samples. It converges
/// to the k leading eigenfunctions of the covariance operator A f = E_x[k(x, .) f(x)]. A new batch
/// of samples and a block of random features replace the two expectations:
///
///   H(X) = sum_b Z_b(X) C_b,  M = H^T H / n,
///   C_b <- C_b (I - eta M) for all blocks so far,  C_new += eta / n Z_new(X)^T H,
///
/// for n samples in the batch. When all blocks have been drawn, steps visit them again in turn, and
/// the run is Oja's stochastic ascent on all features. With Gha, the decay uses the upper triangle
/// of M. If the run is centred, the batch mean of H is subtracted, and n - 1 replaces n. Steps are
/// cut to 1 / lambda_max(M), because longer ones diverge. Expected squared errors fall like 1/t.
/// \code
///   DoublyStochasticRun<double> run(map, start_state);
///   while (stream.read(batch) == batch.rows()) run.partial_fit(batch);
///   save(run.state(), stream.position());
///   // ... and later, with a stream that was moved to this position:
///   DoublyStochasticRun<double> again(map, state);
/// \endcode
/// Each Z_b Z_b^T is an unbiased estimate of the Gram matrix. For features phi with
/// Z_b = phi_b / B^(1/2) and their coefficients A, C_b = B^(1/2) A_b.
///
/// Shapes: batches n x d; C is N x k for N features in all.
/// Cost: O(n N (d + k)) for each step, nearly all of it for H. The decay of a block is applied when
///   the next step has the block in the cache for H, so it needs no pass of its own.
/// Memory: C, the parameters of as many blocks as the budget allows, and tiles. The other blocks
///   are drawn again each time, with the same bits.
/// Threads: over blocks; the result is the same to the last bit for any number.
/// Source: Xie, Liang, Song, Scale up nonlinear component analysis with doubly stochastic
///   gradients, 2015, algorithms 1 and 2, sections 4 and 6.1.
template <Real S>
class DoublyStochasticRun {
 public:
  using Scalar = S;
  using State = DoublyStochasticState<S>;

  /// Throws InvalidArgument for a state out of range, and for coefficients that are not all finite
  ///   or are all zero, which no step would change.
  template <BoundFeatureMap B>
  DoublyStochasticRun(B map, State state, std::size_t memory_budget = 0)
      : DoublyStochasticRun(
            std::make_unique<detail::FeatureBlocksOf<B>>(std::move(map), memory_budget),
            std::move(state)) {
    static_assert(std::same_as<typename B::Scalar, S>,
                  "mercer::DoublyStochasticRun: the map must be bound for the scalar of the run");
  }

  /// One step with these samples. If it would make the coefficients infinite, does nothing and
  /// returns false; all later calls do the same.
  /// Throws InvalidArgument for samples of another dimension or not finite, and for fewer than one
  ///   sample (two if the run is centred).
  bool partial_fit(const Points<S>& batch) {
    return partial_fit(RowSpace::whole(batch.rows()), batch);
  }

  /// The same with a batch whose rows may be spread over processes that all have this run. All have
  /// the same state then; with order-free sums, with the same bits on any number of processes.
  /// \param batch  the rows of this process; it may be none
  /// Collective.
  bool partial_fit(const RowSpace& rows, const Points<S>& batch) {
    return partial_fit(rows, detail::FeatureRows<S>(batch));
  }
  /// The same with rows whose features may be kept.
  bool partial_fit(const RowSpace& rows, const detail::FeatureRows<S>& batch);

  /// H at these samples, x.rows() x k.
  [[nodiscard]] Matrix<S> evaluate(const Points<S>& x) {
    return evaluate(detail::FeatureRows<S>(x), {});
  }

  /// Keeps the features of samples with these numbers, for rows of batches.
  void keep(detail::KeptFeatures<S>& kept, std::span<const Index> numbers, const Points<S>& x) {
    functions_.require_samples("DoublyStochasticRun", x);
    functions_.keep(kept, numbers, x);
  }

  /// The state, to save or to inspect.
  [[nodiscard]] State state() const {
    return {schedule_, functions_.coefficients(), next_, steps_};
  }

  [[nodiscard]] const DoublyStochasticSchedule& schedule() const { return schedule_; }
  [[nodiscard]] Index components() const { return functions_.functions(); }
  [[nodiscard]] Index steps() const { return steps_; }
  /// Number of blocks that have coefficients.
  [[nodiscard]] Index blocks() const { return functions_.drawn(); }
  [[nodiscard]] bool diverged() const { return diverged_; }
  /// eta of the last step; 0 before the first.
  [[nodiscard]] double last_step() const { return eta_; }
  /// Memory: coefficients, parameters of features, and workspace.
  [[nodiscard]] std::size_t bytes() const { return functions_.bytes(); }
  /// Number of blocks whose parameters are in memory.
  [[nodiscard]] Index kept_blocks() const { return functions_.kept_blocks(); }

  /// The same, and calls with(b, i, Z_b(x_i)...) for every tile of features, concurrently for
  /// different blocks. x must fit in one panel of the sum, 1024 rows.
  [[nodiscard]] Matrix<S> evaluate(const detail::FeatureRows<S>& x,
                                   const typename detail::BlockExpansion<S>::With& with) {
    functions_.require_samples("DoublyStochasticRun", x);
    return functions_.evaluate(x, with);
  }

 private:
  DoublyStochasticRun(std::unique_ptr<detail::FeatureBlocks<S>> blocks, State state);

  DoublyStochasticSchedule schedule_;
  detail::BlockExpansion<S> functions_;
  Index next_ = 0;
  Index steps_ = 0;
  double eta_ = 0;
  bool diverged_ = false;
  Matrix<S> h_, increment_;  // workspace of a step
};

template <Real S>
DoublyStochasticRun<S>::DoublyStochasticRun(std::unique_ptr<detail::FeatureBlocks<S>> blocks,
                                            State state)
    : schedule_((state.schedule.validate(), state.schedule)),
      functions_("DoublyStochasticRun", std::move(blocks), state.coefficients, schedule_.blocks),
      next_(state.next_block),
      steps_(state.steps) {
  if (next_ < 0 || next_ > functions_.drawn() || steps_ < 0)
    detail::fail("mercer::DoublyStochasticRun: block ", next_, " next after ", steps_,
                 " steps does not fit ", functions_.drawn(), " blocks with coefficients");
  next_ %= schedule_.blocks;
}

template <Real S>
bool DoublyStochasticRun<S>::partial_fit(const RowSpace& rows,
                                         const detail::FeatureRows<S>& batch) {
  rows.together([&] { functions_.require_samples("DoublyStochasticRun", batch); });
  const Index used = schedule_.centered ? rows.total() - 1 : rows.total();
  detail::require_at_least("DoublyStochasticRun", "samples of a batch", rows.total(),
                           schedule_.centered ? Index{2} : Index{1});
  if (diverged_) return false;
  const PhaseTimer timer(Phase::Steps);
  const Index visited = next_;
  functions_.sum(batch, visited, h_);
  if (schedule_.centered) centre_columns<S>(rows, h_);
  const Matrix<double> moments =
      inner(rows, h_).template cast<double>() / static_cast<double>(used);
  diverged_ = !moments.allFinite();
  if (diverged_) return false;
  double eta = detail::stochastic_step_length(schedule_, steps_, moments);
  rows.agree(eta);
  increment_ =
      inner(rows, functions_.features(), h_) * static_cast<S>(eta / static_cast<double>(used));
  diverged_ = !increment_.allFinite();
  if (diverged_) return false;

  const Matrix<double> decay = detail::stochastic_decay(schedule_.rule, eta, moments);
  functions_.update(decay.template cast<S>(), visited, increment_);
  next_ = (visited + 1) % schedule_.blocks;
  eta_ = eta;
  ++steps_;
  return true;
}

}  // namespace mercer

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_DOUBLY_STOCHASTIC_RUN_HPP
