// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Linear online PCA by matrix exponentiated gradient steps.

#ifndef MERCER_SOLVERS_ONLINE_PCA_MATRIX_EXPONENTIATED_GRADIENT_HPP
#define MERCER_SOLVERS_ONLINE_PCA_MATRIX_EXPONENTIATED_GRADIENT_HPP

#include <algorithm>
#include <cmath>

#include <mercer/core/errors.hpp>
#include <mercer/core/low_rank/keep_orthonormal.hpp>
#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/low_rank/low_rank_term.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/online_pca/detail/online_steps.hpp>

namespace mercer {

struct MatrixExponentiatedGradientParams {
  double step = 1;     ///< eta, for vectors of mean squared norm 1
  Index max_rank = 0;  ///< directions held, at least k; 0: 2 k

  /// Throws InvalidArgument for values out of range.
  void validate(Index components) const {
    detail::require_positive("MatrixExponentiatedGradient", "step", step);
    if (max_rank != 0 && max_rank < components)
      detail::fail(
          "mercer::MatrixExponentiatedGradient: max_rank must be at least the number of "
          "components, ",
          components, ", got ", max_rank);
  }
};

/// Principal components of vectors that arrive one after the other, by multiplicative steps on the
/// directions to leave out: W <- cap(exp(log W - eta X X^T / b)) with tr W = 1, where cap limits
/// the eigenvalues to 1 / (n - k). I - (n - k) W tends to the projection onto the k leading
/// components, whose weights in W vanish.
///
/// log W is a multiple of I and a matrix of low rank, whose eigenvalues are not positive; only this
/// one is held. The steps of the paper let its rank grow to n. Here it is cut to max_rank: the
/// directions whose weights are next to that of all directions not held join them. Without the cut
/// (max_rank = n), the steps are those of the paper.
/// Shapes: vectors are columns of X, n x b.
/// Cost: O(n (r + b)^2) for each step, with the rank r that is held.
/// Memory: O(n (r + b)).
/// Accuracy: without the cut and for the right eta, the loss exceeds that of the best subspace by an
///   amount that grows with k log(n / k), and not with n.
/// Source: Warmuth, Kuzmin, Randomized online PCA algorithms with regret bounds that are
///   logarithmic in the dimension, 2008 (the update and its capping). The cut is ours, after the
///   capped rank of Arora, Cotter, Srebro, 2013.
template <Real S>
class MatrixExponentiatedGradient {
 public:
  using Params = MatrixExponentiatedGradientParams;

  /// Throws InvalidArgument for components outside [1, dimension - 1], and parameters out of range.
  MatrixExponentiatedGradient(Index dimension, Index components, Params params = {})
      : components_(components),
        max_rank_(params.max_rank > 0 ? params.max_rank : 2 * components),
        steps_(params.step),
        logs_(dimension, dimension),
        log_rest_(-std::log(static_cast<double>(dimension))) {
    detail::require_online_components("MatrixExponentiatedGradient", components, dimension - 1);
    params.validate(components);
  }

  /// Takes the columns of \p x in one step.
  /// Throws InvalidArgument for columns of another dimension, or not finite.
  void step(const Points<S>& x) {
    detail::require_columns<S>("MatrixExponentiatedGradient", x, logs_.rows());
    if (x.cols() == 0) return;
    const double eta = steps_.next<S>(x) / static_cast<double>(x.cols());
    logs_.update(1, static_cast<S>(-eta), PsdTerm<S>{x});
    logs_.truncate(max_rank_);
    cap();
    detail::keep_orthonormal(++done_, logs_);
  }

  /// Steps so far.
  [[nodiscard]] Index steps() const { return done_; }
  /// log W - log(rest()) I.
  [[nodiscard]] const LowRank<S>& logs() const { return logs_; }
  /// The weight in W of each direction that is not held.
  [[nodiscard]] double rest() const { return std::exp(log_rest_); }
  /// The directions of the smallest weights, n x k, those of the least first; fewer columns if
  /// there are not so many yet.
  [[nodiscard]] Matrix<S> basis() const {
    return logs_.left().rightCols((std::min)(components_, logs_.rank())).rowwise().reverse();
  }

 private:
  /// Directions that are not held come first: none has a larger weight.
  void cap() {
    const Index n = logs_.rows(), r = logs_.rank();
    Vector<double> logs(r + 1), counts = Vector<double>::Ones(r + 1);
    counts(0) = static_cast<double>(n - r);
    logs << 0, logs_.values().template cast<double>();
    // With r = n, the first stands for no direction, and only gives the others their unit.
    detail::cap_weights(counts, n - components_, logs);
    log_rest_ = logs(0);
    const Vector<S> values = (logs.tail(r).array() - log_rest_).template cast<S>();
    logs_ = LowRank<S>::from_eigenpairs(values, logs_.left());
  }

  Index components_, max_rank_;
  detail::ScaledSteps steps_;
  LowRank<S> logs_;
  double log_rest_;
  Index done_ = 0;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_ONLINE_PCA_MATRIX_EXPONENTIATED_GRADIENT_HPP
