// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A few leading eigenpairs of a dense positive semidefinite matrix, by products on all threads.

#ifndef MERCER_SOLVERS_DETAIL_LEADING_PAIRS_HPP
#define MERCER_SOLVERS_DETAIL_LEADING_PAIRS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <mercer/core/compiled.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// Leading eigenpairs of a positive semidefinite m x m matrix A, by subspace iteration with a
/// filter: a Chebyshev polynomial that is small on [0, c] and grows fast above c, where c is the
/// smallest Ritz value of the subspace.
///
/// All vectors of the subspace pass the filter together, and a Rayleigh-Ritz step follows. The
/// pairs are accepted if their residuals |A u - mu u| are at most accuracy() mu_1, or at most the
/// rounding level of m times mu_1 where another round does not halve them. An eigenvalue lies
/// within that of each value.
/// Cost: about 20 products with k + max(k, 24) vectors, two thirds of it where the matrix has errors
///   of single precision: far below the 4/3 m^3 or 9 m^3 operations of a dense solver where k is a
///   small part of m.
/// Memory: four times the vectors.
/// Random: a fixed seed, purpose "leading pairs".
/// Threads: over rows of A; the result does not depend on their number.
/// Source: Zhou, Saad, Tiago, Chelikowsky, Self-consistent-field calculations using
///   Chebyshev-filtered subspace iteration, 2006.
template <Real S>
class LeadingPairs {
 public:
  /// Whether this is the faster way for k pairs of an m x m matrix.
  [[nodiscard]] static constexpr bool pays(Index m, Index k) { return m >= 200 && 8 * k <= m; }

  /// Bytes beside the matrix.
  [[nodiscard]] static constexpr std::size_t bytes(Index m, Index k) {
    return 4 * static_cast<std::size_t>(m * subspace(m, k)) * sizeof(S);
  }

  /// Finds k pairs. The observer is called before each product with all vectors.
  /// \param error  relative errors that the entries of the matrix have: smaller ones of the pairs
  ///   are not worth their cost
  /// Lifetime: refers to the matrix, whose triangles must both be there.
  LeadingPairs(const Matrix<S>& a, Index k, const Observer& observer = {}, double error = 0)
      : a_(a), k_(k), accuracy_(accuracy(error)) {
    find(observer);
  }

  /// Residuals at most, over mu_1: rounding errors of products, or a sixteenth of the errors of the
  /// matrix, if these are larger.
  [[nodiscard]] static constexpr S accuracy(double error) {
    return (std::max)(8 * std::numeric_limits<S>::epsilon(), static_cast<S>(error / 16));
  }

  /// False if the rank of the matrix is hardly larger than k, if its eigenvalues hardly decay, or
  /// if entries are not finite. Then the pairs must be found in another way. Also false if the run
  /// was cancelled.
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool cancelled() const { return cancelled_; }
  /// The k largest eigenvalues, descending.
  [[nodiscard]] Vector<S> eigenvalues() const { return values_.head(k_); }
  /// Their orthonormal eigenvectors, m x k.
  [[nodiscard]] Matrix<S> vectors() const { return basis_.leftCols(k_); }

 private:
  [[nodiscard]] static constexpr Index subspace(Index m, Index k) {
    return (std::min)(m, k + (std::max)(k, Index{24}));
  }
  void find(const Observer& observer);
  /// One more product. False if the caller has cancelled.
  [[nodiscard]] bool step(const Observer& observer);
  [[nodiscard]] Matrix<S> product(const Matrix<S>& v) const;
  [[nodiscard]] bool make_orthonormal();
  [[nodiscard]] bool rotate_to_ritz_vectors();
  [[nodiscard]] S filter(S cut, const Observer& observer);

  const Matrix<S>& a_;
  Index k_;
  S accuracy_;
  bool ok_ = false, cancelled_ = false;
  Index steps_ = 0;
  Matrix<S> basis_, products_;  // Q and A Q
  Vector<S> values_;
  S worst_before_ = std::numeric_limits<S>::infinity();  // of the residuals of the last round
};

template <Real S>
Matrix<S> LeadingPairs<S>::product(const Matrix<S>& v) const {
  Matrix<S> out = Matrix<S>::Zero(a_.rows(), v.cols());
  constexpr Index rows = tile_size / 2;
  parallel_for((a_.rows() + rows - 1) / rows, [&](Index task) {
    const Index first = task * rows, size = (std::min)(rows, a_.rows() - first);
    multiply_add<S>(a_.middleRows(first, size), v, out.middleRows(first, size));
  });
  return out;
}

/// Replaces Q by an orthonormal basis of its span. Q^T Q = V D V^T, and Q V D^(-1/2) is orthonormal
/// after a second round, also if columns were nearly dependent. Returns false if they were
/// dependent to rounding.
template <Real S>
bool LeadingPairs<S>::make_orthonormal() {
  const Vector<S> norms = basis_.colwise().norm();
  if (!(norms.minCoeff() > 0) || !norms.allFinite()) return false;
  basis_ *= norms.cwiseInverse().asDiagonal();
  S least = 1;
  for (int round = 0; round < 2; ++round) {
    const EigenSystem<S> gram =
        symmetric_eigensystem<S>(small_product<S>(basis_.transpose(), basis_));
    least = gram.values(gram.values.size() - 1) / gram.values(0);
    if (!(least > rounding_level<S>(gram.values.size()))) return false;
    const Vector<S> roots = gram.values.cwiseSqrt();
    basis_ = small_product<S>(basis_, gram.vectors * roots.cwiseInverse().asDiagonal());
  }
  return least > S(0.5);
}

/// Returns true if the first k pairs are accurate.
template <Real S>
bool LeadingPairs<S>::rotate_to_ritz_vectors() {
  products_ = product(basis_);
  const Matrix<S> h = small_product<S>(basis_.transpose(), products_);
  if (!h.allFinite()) return false;
  const EigenSystem<S> ritz = symmetric_eigensystem<S>((h + h.transpose()) / 2);
  basis_ = small_product<S>(basis_, ritz.vectors);
  products_ = small_product<S>(products_, ritz.vectors);
  values_ = ritz.values;
  S worst = 0;
  for (Index i = 0; i < k_; ++i) {
    const S residual = (products_.col(i) - values_(i) * basis_.col(i)).stableNorm();
    if (!std::isfinite(residual)) return false;
    worst = (std::max)(worst, residual);
  }
  // Rounding errors of a product are a few epsilon |A|, and grow with the size of A. So residuals
  // are rounding errors, too, if they are of this size and another round has not halved them.
  const bool stays = worst > worst_before_ / 2;
  worst_before_ = worst;
  return worst <= accuracy_ * values_(0) ||
         (stays && worst <= rounding_level<S>(a_.rows()) * values_(0));
}

/// Q <- p(A) Q, with the Chebyshev polynomial of the interval [0, cut] in place of [-1, 1]. Returns
/// about the logarithm of what the last of the wanted pairs has gained over those below the cut.
template <Real S>
S LeadingPairs<S>::filter(S cut, const Observer& observer) {
  const S half = cut / 2;
  // The largest value grows by this factor over the last one. More would drown the small pairs in
  // the rounding errors of the large ones.
  constexpr S most_growth = S(1e6);
  const auto rate = [&](S value) { return std::acosh((std::max)(value / half - 1, S(1))); };
  const S fastest = rate(values_(0));
  const S degree =
      fastest > 0 ? (std::clamp)(std::floor(std::log(most_growth) / fastest), S(1), S(8)) : S(8);
  // T_1 is at hand: the products A Q are those of the Ritz vectors.
  Matrix<S> before = basis_;
  basis_ = products_ / half - before;
  for (Index i = 1; i < static_cast<Index>(degree) && step(observer); ++i) {
    Matrix<S> next = product(basis_);
    next = 2 * (next / half - basis_) - before;
    before.swap(basis_);
    basis_.swap(next);
  }
  return degree * rate(values_(k_ - 1));
}

template <Real S>
bool LeadingPairs<S>::step(const Observer& observer) {
  cancelled_ = cancelled_ || !go_on(observer, {"leading eigenpairs", steps_++, 0});
  return !cancelled_;
}

template <Real S>
void LeadingPairs<S>::find(const Observer& observer) {
  constexpr int most_rounds = 12;
  const S needed = -std::log(accuracy_);
  const Index m = a_.rows(), size = subspace(m, k_);
  if (!a_.allFinite() || !step(observer)) return;
  basis_ = product(normal_matrix<S>(m, size, 1, "leading pairs"));
  for (int round = 0; round < most_rounds; ++round) {
    if (!step(observer) || !make_orthonormal()) return;
    if (rotate_to_ritz_vectors()) {
      ok_ = true;
      return;
    }
    const S cut = values_(size - 1);
    if (!(cut > rounding_level<S>(m) * values_(0))) return;  // a matrix of a lower rank
    // Eigenvalues that hardly decay would take too many rounds.
    if (filter(cut, observer) * most_rounds < needed && round > 0) return;
  }
}

#define MERCER_LEADING_PAIRS(S) MERCER_INSTANTIATE_DENSE(class LeadingPairs<S>)
MERCER_FOR_SCALARS(MERCER_LEADING_PAIRS)
#undef MERCER_LEADING_PAIRS

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DETAIL_LEADING_PAIRS_HPP
