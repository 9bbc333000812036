// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Linear online PCA by an incremental singular value decomposition.

#ifndef MERCER_SOLVERS_ONLINE_PCA_INCREMENTAL_SVD_HPP
#define MERCER_SOLVERS_ONLINE_PCA_INCREMENTAL_SVD_HPP

#include <algorithm>

#include <mercer/core/low_rank/keep_orthonormal.hpp>
#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/low_rank/low_rank_term.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/online_pca/detail/online_steps.hpp>

namespace mercer {

/// Principal components of vectors that arrive one after the other: C <- [C + X X^T]_k, where [.]_k
/// keeps the k largest eigenpairs. With the columns of a Gram matrix K as vectors, the components
/// are eigenvectors of K, and n times an eigenvalue of the mean tends to mu^2.
///
/// Exact if the vectors span at most k dimensions. Otherwise what is cut off is lost: small
/// components can stay unseen for ever, if each vector alone is shorter along them than the last
/// eigenvalue kept.
/// Shapes: vectors are columns of X, n x b.
/// Cost: O(n (k + b)^2) for each step.
/// Memory: O(n (k + b)).
/// Source: Brand, Fast low-rank modifications of the thin singular value decomposition, 2006;
///   Arora, Cotter, Livescu, Srebro, Stochastic optimization for PCA and PLS, 2012
///   ("incremental").
template <Real S>
class IncrementalSvd {
 public:
  /// Throws InvalidArgument for components outside [1, dimension].
  IncrementalSvd(Index dimension, Index components)
      : components_(components), sum_(dimension, dimension) {
    detail::require_online_components("IncrementalSvd", components, dimension);
  }

  /// Takes the columns of \p x.
  /// Throws InvalidArgument for columns of another dimension, or not finite.
  void step(const Points<S>& x) {
    detail::require_columns<S>("IncrementalSvd", x, sum_.rows());
    sum_.update(1, 1, PsdTerm<S>{x}, {.positive_only = true});
    sum_.truncate(components_);
    samples_ += x.cols();
    detail::keep_orthonormal(++steps_, sum_);
  }

  /// Vectors so far.
  [[nodiscard]] Index samples() const { return samples_; }
  /// C, of rank up to k.
  [[nodiscard]] const LowRank<S>& sum() const { return sum_; }
  /// Eigenpairs of the mean of x x^T, as far as they are known.
  [[nodiscard]] EigenSystem<S> components() const {
    return {sum_.values() / static_cast<S>((std::max)(samples_, Index{1})), sum_.left()};
  }

 private:
  Index components_;
  LowRank<S> sum_;
  Index samples_ = 0, steps_ = 0;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_ONLINE_PCA_INCREMENTAL_SVD_HPP
