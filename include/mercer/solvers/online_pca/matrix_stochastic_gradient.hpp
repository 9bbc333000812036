// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Linear online PCA by matrix stochastic gradient steps.

#ifndef MERCER_SOLVERS_ONLINE_PCA_MATRIX_STOCHASTIC_GRADIENT_HPP
#define MERCER_SOLVERS_ONLINE_PCA_MATRIX_STOCHASTIC_GRADIENT_HPP

#include <algorithm>
#include <cmath>

#include <mercer/core/errors.hpp>
#include <mercer/core/low_rank/keep_orthonormal.hpp>
#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/low_rank/low_rank_term.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/online_pca/detail/online_steps.hpp>

namespace mercer {

struct MatrixStochasticGradientParams {
  double step = 1;  ///< of the first step, for vectors of mean squared norm 1; then step / t^(1/2)
  Index max_rank = 0;  ///< largest rank of P, at least k; 0: k + 1

  /// Throws InvalidArgument for values out of range.
  void validate(Index components) const {
    detail::require_positive("MatrixStochasticGradient", "step", step);
    if (max_rank != 0 && max_rank < components)
      detail::fail(
          "mercer::MatrixStochasticGradient: max_rank must be at least the number "
          "of components, ",
          components, ", got ", max_rank);
  }
};

/// Principal components of vectors that arrive one after the other, by gradient steps on the convex
/// hull of projections: P <- proj(P + eta X X^T / b), where proj gives the nearest matrix with
/// 0 <= P <= I and tr P <= k. P tends to the projection onto the k leading components. The rank is
/// capped: before the projection, all but the max_rank largest eigenpairs are dropped.
///
/// The paper has tr P = k. With at most k, the optimum is the same, P can begin at zero, and the
/// projection shifts eigenvalues down only, so that those that are zero stay zero.
/// Shapes: vectors are columns of X, n x b.
/// Cost: O(n (r + b)^2) for each step, with the rank r of P.
/// Memory: O(n (r + b)).
/// Accuracy: without the cap (max_rank = n), the mean loss is within O((k / t)^(1/2)) of the best
///   after t steps of the right length. With a cap above k, no such bound is known; with
///   max_rank = k, small components can stay unseen.
/// Source: Arora, Cotter, Srebro, Stochastic optimization of PCA with capped MSG, 2013: the
///   step, the projection of eigenvalues, and the cap.
template <Real S>
class MatrixStochasticGradient {
 public:
  using Params = MatrixStochasticGradientParams;

  /// Throws InvalidArgument for components outside [1, dimension], and parameters out of range.
  MatrixStochasticGradient(Index dimension, Index components, Params params = {})
      : components_(components),
        max_rank_(params.max_rank > 0 ? params.max_rank : components + 1),
        steps_(params.step),
        iterate_(dimension, dimension) {
    detail::require_online_components("MatrixStochasticGradient", components, dimension);
    params.validate(components);
  }

  /// Takes the columns of \p x in one step.
  /// Throws InvalidArgument for columns of another dimension, or not finite.
  void step(const Points<S>& x) {
    detail::require_columns<S>("MatrixStochasticGradient", x, iterate_.rows());
    if (x.cols() == 0) return;
    const double eta = steps_.next<S>(x) / std::sqrt(static_cast<double>(++done_));
    iterate_.update(1, static_cast<S>(eta / static_cast<double>(x.cols())), PsdTerm<S>{x},
                    {.positive_only = true});
    iterate_.truncate(max_rank_);
    const Vector<S> values =
        detail::project_to_capped_simplex<S>(iterate_.values(), static_cast<S>(components_));
    const Index kept = (values.array() > 0).count();
    iterate_ = LowRank<S>::from_eigenpairs(values.head(kept), iterate_.left().leftCols(kept));
    detail::keep_orthonormal(done_, iterate_);
  }

  /// Steps so far.
  [[nodiscard]] Index steps() const { return done_; }
  /// P.
  [[nodiscard]] const LowRank<S>& iterate() const { return iterate_; }
  /// The leading eigenvectors of P, n x k; fewer columns if there are not so many yet.
  [[nodiscard]] Matrix<S> basis() const {
    return iterate_.left().leftCols((std::min)(components_, iterate_.rank()));
  }

 private:
  Index components_, max_rank_;
  detail::ScaledSteps steps_;
  LowRank<S> iterate_;
  Index done_ = 0;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_ONLINE_PCA_MATRIX_STOCHASTIC_GRADIENT_HPP
