// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A low-rank matrix in factored form. Its algebra never forms the full matrix.

#ifndef MERCER_CORE_LOW_RANK_LOW_RANK_HPP
#define MERCER_CORE_LOW_RANK_LOW_RANK_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/low_rank/growing_basis.hpp>
#include <mercer/core/low_rank/low_rank_term.hpp>
#include <mercer/core/low_rank/low_rank_update.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// U diag(s) V^T in one of two forms.
///
/// General, m x n:    U (m x r) and V (n x r) with orthonormal columns, s >= 0 descending.
/// Symmetric, n x n:  V = U is stored once, s are the eigenvalues, descending, of either sign.
/// These invariants hold to rounding after every operation. Rank 0 and empty matrices are legal.
/// Sums and factorisations drop values at rounding level: those below 4 epsilon sqrt(k) times the
/// size of the terms that were added, where k is the size of the small matrix that is decomposed.
///
/// \code
///   auto z = LowRank<double>::from_psd_factor(F);                  // F F^T
///   z.update(1 - eta, eta, SymmetricTerm<double>{B, M}, {.threshold = eta * lambda});
///   EigenSystem<double> pairs = z.eigensystem();
/// \endcode
/// Rows in several processes: a square matrix may have the rows of U and V over processes; see
///   LowRank(const RowSpace&). Then blocks of n rows hold the rows of this process, members that
///   compute are collective, and values are the same on all processes.
/// Cost: time and memory linear in n, unless stated otherwise.
/// Threads: const members may run concurrently.
template <Real S>
class LowRank {
 public:
  using Scalar = S;

  LowRank() = default;

  /// The zero matrix.
  LowRank(Index rows, Index cols)
      : left_(Matrix<S>(rows, 0)), values_(0), right_(Matrix<S>(cols, 0)) {}

  /// The zero matrix, square, with rows that may be in several processes.
  explicit LowRank(const RowSpace& space) : LowRank(space, space) {}

  /// left right^T.
  [[nodiscard]] static LowRank from_factors(const Points<S>& left, const Points<S>& right) {
    LowRank z(left.rows(), right.rows());
    z.update(0, 1, ProductTerm<S>{left, right});
    return z;
  }

  /// basis middle basis^T for a symmetric \p middle.
  [[nodiscard]] static LowRank from_symmetric(const Points<S>& basis, const Points<S>& middle) {
    LowRank z(basis.rows(), basis.rows());
    z.update(0, 1, SymmetricTerm<S>{basis, middle});
    return z;
  }

  /// factor factor^T.
  [[nodiscard]] static LowRank from_psd_factor(const Points<S>& factor) {
    return from_psd_factor(RowSpace::whole(factor.rows()), factor);
  }

  /// The same, of factors whose rows may be in several processes. Collective.
  [[nodiscard]] static LowRank from_psd_factor(const RowSpace& space, const Points<S>& factor) {
    LowRank z(space);
    z.update(0, 1, PsdTerm<S>{factor});
    return z;
  }

  /// vectors diag(values) vectors^T. \p vectors must be orthonormal; this is not checked. The pairs
  /// may come in any order.
  [[nodiscard]] static LowRank from_eigenpairs(const Vector<S>& values, const Points<S>& vectors) {
    return from_eigenpairs(RowSpace::whole(vectors.rows()), values, vectors);
  }

  /// The same, of vectors whose rows may be in several processes.
  [[nodiscard]] static LowRank from_eigenpairs(const RowSpace& space, const Vector<S>& values,
                                               const Points<S>& vectors);

  /// left diag(values) right^T in general form, square. The columns of \p left and \p right must be
  /// orthonormal and \p values descending and not negative; this is not checked. Rows may be in
  /// several processes.
  [[nodiscard]] static LowRank from_singular_vectors(const RowSpace& space, const Vector<S>& values,
                                                     const Points<S>& left, const Points<S>& right);

  /// The number of rows. If they are in several processes: those of this process.
  [[nodiscard]] Index rows() const { return left_.rows(); }
  /// The number of columns. If rows are in several processes: as rows().
  [[nodiscard]] Index cols() const { return (symmetric_ ? left_ : right_).rows(); }
  /// The rows of U of this process.
  [[nodiscard]] const RowSpace& row_space() const { return left_.row_space(); }
  /// The rows of V of this process.
  [[nodiscard]] const RowSpace& column_space() const {
    return (symmetric_ ? left_ : right_).row_space();
  }
  [[nodiscard]] Index rank() const { return values_.size(); }     ///< r
  [[nodiscard]] bool is_symmetric() const { return symmetric_; }  ///< whether V = U

  /// Views of U and V, valid until *this changes.
  [[nodiscard]] Points<S> left() const { return left_.columns(); }
  /// See left().
  [[nodiscard]] Points<S> right() const { return (symmetric_ ? left_ : right_).columns(); }
  /// The r singular values, or the eigenvalues of a symmetric matrix.
  [[nodiscard]] const Vector<S>& values() const { return values_; }

  /// Whether the invariants hold, orthonormality up to \p tolerance. For tests.
  [[nodiscard]] bool check_invariants(S tolerance) const;

  /// *this <- D[a *this + b term], where D shrinks the singular values: the proximal gradient step.
  ///
  /// Needs one extension of the basis, one small decomposition and one product. If b = 0, there is
  /// no decomposition. A symmetric term keeps a symmetric matrix symmetric, and makes a zero matrix
  /// symmetric.
  ///
  /// Returns |new - old|_F. It is computed from squares that cancel, so values below
  /// sqrt(epsilon) |old|_F are noise.
  /// Cost: O(n k (r + k)) for the basis and O(n (r + k) r') for the product, where k is the number
  ///   of columns of the term, r the old rank and r' the new rank.
  /// Memory: works in place. After one update with as many columns, no block of n rows is allocated
  ///   again.
  /// Throws InvalidArgument if shapes differ, if a number is not finite, or if positive_only is set
  ///   for a general matrix. The matrix is then as it was.
  /// Source: Zhang et al., Stochastic optimization for kernel PCA, AAAI 2016, algorithm 1.
  S update(S a, S b, const ProductTerm<S>& term, Shrinkage<S> shrinkage = {});
  /// See the first form.
  S update(S a, S b, const SymmetricTerm<S>& term, Shrinkage<S> shrinkage = {});
  /// See the first form.
  S update(S a, S b, const PsdTerm<S>& term, Shrinkage<S> shrinkage = {});

  /// *this <- factor *this.
  void scale(S factor);

  /// Replaces each singular value s by max(s - threshold, 0). This is the proximal map of threshold
  /// times the nuclear norm. In symmetric form, each eigenvalue c becomes
  /// sign(c) max(|c| - threshold, 0).
  void shrink(Shrinkage<S> shrinkage);

  /// Keeps the \p rank largest singular values: the nearest matrix of that rank.
  void truncate(Index rank);

  /// Keeps the singular values above \p relative_tolerance times the largest.
  void truncate_relative(S relative_tolerance);

  /// Makes the columns orthonormal to rounding again, after many updates.
  void reorthonormalize();

  /// V diag(values) U^T.
  [[nodiscard]] LowRank transpose() const;

  /// (*this + its transpose)/2 in symmetric form, of rank up to 2 r.
  [[nodiscard]] LowRank symmetrized() const;

  /// The nonzero eigenvalues of symmetrized(), descending, and their eigenvectors.
  [[nodiscard]] EigenSystem<S> eigensystem() const;

  /// (*this) x.
  /// Shapes: cols() x k to rows() x k.
  [[nodiscard]] Matrix<S> apply(const Points<S>& x) const {
    return multiply(left_.row_space(), left(),
                    Matrix<S>(values_.asDiagonal() * inner(column_space(), right(), x)));
  }

  /// The transpose of *this, times x.
  /// Shapes: rows() x k to cols() x k.
  [[nodiscard]] Matrix<S> apply_transposed(const Points<S>& x) const {
    return multiply(column_space(), right(),
                    Matrix<S>(values_.asDiagonal() * inner(left_.row_space(), left(), x)));
  }

  /// The full matrix, for tests and small n. Not for rows in several processes, like entry().
  /// Cost: O(rows cols r) time.
  [[nodiscard]] Matrix<S> dense() const {
    return multiply(left(), Matrix<S>(values_.asDiagonal() * right().transpose()));
  }

  /// Entry (i, j).
  [[nodiscard]] S entry(Index i, Index j) const {
    if (rank() == 0) return 0;
    return (left().row(i).array() * values_.transpose().array() * right().row(j).array()).sum();
  }

  /// The root of the sum of the squares of all entries.
  [[nodiscard]] S frobenius_norm() const { return rank() == 0 ? S(0) : values_.stableNorm(); }

  /// The sum of the diagonal. Throws InvalidArgument unless the matrix is square.
  [[nodiscard]] S trace() const;

 private:
  LowRank(const RowSpace& rows, const RowSpace& cols)
      : left_(rows, Matrix<S>(rows.local(), 0)),
        values_(0),
        right_(cols, Matrix<S>(cols.local(), 0)) {}

  void set_symmetric(const RowSpace& space, const Vector<S>& values, const Points<S>& vectors);
  S update_symmetric(S a, S b, const Matrix<S>& basis, const Matrix<S>& middle, Shrinkage<S> how);
  S rescale(S factor, Shrinkage<S> how);
  void check(S a, S b, Shrinkage<S> how, bool symmetric) const;
  void check(Shrinkage<S> how, bool symmetric) const;
  void make_general();
  void sort();
  void keep_ends(detail::Ends ends);
  void require_square(std::string_view who) const;

  detail::GrowingBasis<S> left_;
  Vector<S> values_;
  detail::GrowingBasis<S> right_;  // no columns in symmetric form
  bool symmetric_ = false;
};

template <Real S>
LowRank<S> LowRank<S>::from_eigenpairs(const RowSpace& space, const Vector<S>& values,
                                       const Points<S>& vectors) {
  if (vectors.cols() != values.size())
    detail::fail("mercer::LowRank::from_eigenpairs: ", values.size(), " values but ",
                 vectors.cols(), " vectors");
  LowRank z;
  z.set_symmetric(space, values, vectors);
  return z;
}

template <Real S>
LowRank<S> LowRank<S>::from_singular_vectors(const RowSpace& space, const Vector<S>& values,
                                             const Points<S>& left, const Points<S>& right) {
  if (left.cols() != values.size() || right.cols() != values.size())
    detail::fail("mercer::LowRank::from_singular_vectors: ", values.size(), " values but ",
                 left.cols(), " and ", right.cols(), " vectors");
  LowRank z;
  z.left_ = detail::GrowingBasis<S>(space, left);
  z.right_ = detail::GrowingBasis<S>(space, right);
  z.values_ = values;
  return z;
}

template <Real S>
void LowRank<S>::set_symmetric(const RowSpace& space, const Vector<S>& values,
                               const Points<S>& vectors) {
  left_ = detail::GrowingBasis<S>(space, vectors);
  right_ = detail::GrowingBasis<S>();
  values_ = values;
  symmetric_ = true;
  sort();
}

template <Real S>
bool LowRank<S>::check_invariants(S tolerance) const {
  const bool shapes = left().cols() == rank() && right().cols() == rank() &&
                      rank() <= (std::min)(left_.row_space().total(), column_space().total()) &&
                      (!symmetric_ || right_.cols() == 0);
  if (!shapes || !values_.allFinite()) return false;
  const bool sorted = std::is_sorted(values_.data(), values_.data() + rank(), std::greater<S>());
  const bool signs = symmetric_ || rank() == 0 || values_(rank() - 1) >= 0;
  return sorted && signs && orthogonality_error(left_.row_space(), left()) <= tolerance &&
         orthogonality_error(column_space(), right()) <= tolerance;
}

template <Real S>
S LowRank<S>::update(S a, S b, const ProductTerm<S>& term, Shrinkage<S> how) {
  if (term.left.rows() != rows() || term.right.rows() != cols() ||
      term.left.cols() != term.right.cols())
    detail::fail("mercer::LowRank::update: term with factors ", term.left.rows(), " x ",
                 term.left.cols(), " and ", term.right.rows(), " x ", term.right.cols(),
                 " for a matrix of ", rows(), " x ", cols());
  check(a, b, how, false);
  if (symmetric_) {
    LowRank general = *this;
    general.make_general();
    const S step = general.update(a, b, term, how);
    *this = std::move(general);
    return step;
  }
  if (b == 0) return rescale(a, how);
  return detail::add_shrunk(left_, values_, right_, a, b, term, how.threshold);
}

template <Real S>
S LowRank<S>::update(S a, S b, const SymmetricTerm<S>& term, Shrinkage<S> how) {
  return update_symmetric(a, b, term.basis, term.middle, how);
}

template <Real S>
S LowRank<S>::update(S a, S b, const PsdTerm<S>& term, Shrinkage<S> how) {
  const Index k = term.factor.cols();
  return update_symmetric(a, b, term.factor, Matrix<S>::Identity(k, k), how);
}

template <Real S>
S LowRank<S>::update_symmetric(S a, S b, const Matrix<S>& basis, const Matrix<S>& middle,
                               Shrinkage<S> how) {
  require_square("update");
  if (basis.rows() != rows() || middle.rows() != basis.cols() || middle.cols() != basis.cols())
    detail::fail("mercer::LowRank::update: term with basis ", basis.rows(), " x ", basis.cols(),
                 " and middle ", middle.rows(), " x ", middle.cols(), " for a matrix of ", rows(),
                 " x ", cols());
  const bool forgets = !symmetric_ && (a == 0 || rank() == 0);
  check(a, b, how, symmetric_ || forgets);
  if (forgets) {
    LowRank fresh;
    fresh.set_symmetric(row_space(), Vector<S>(0), Matrix<S>(rows(), 0));
    fresh.update_symmetric(0, b, basis, middle, how);
    const Matrix<S> image = apply(fresh.left());
    const S step = detail::root_of_squares(
        fresh.values_, values_, detail::block_column_products<S>(row_space(), fresh.left(), image));
    *this = std::move(fresh);
    return step;
  }
  if (!symmetric_) {
    const Matrix<S> part = (middle + middle.transpose()) / 2;
    return update(a, b, ProductTerm<S>{multiply(row_space(), basis, part), basis}, how);
  }
  if (b == 0) return rescale(a, how);
  return detail::add_shrunk(left_, values_, a, b, basis, middle, how);
}

/// *this <- D[factor *this]. Returns the Frobenius norm of the change.
template <Real S>
S LowRank<S>::rescale(S factor, Shrinkage<S> how) {
  Vector<S> change = values_;
  for (S& value : change) {
    const S scaled = factor * value, size = (std::max)(std::abs(scaled) - how.threshold, S(0));
    value -= how.positive_only && scaled < 0 ? S(0) : std::copysign(size, scaled);
  }
  scale(factor);
  shrink(how);
  return change.size() == 0 ? S(0) : change.stableNorm();
}

template <Real S>
void LowRank<S>::scale(S factor) {
  detail::require_finite("LowRank::scale", "factor", factor);
  if (factor == 0) return keep_ends({0, 0});
  values_ *= symmetric_ ? factor : std::abs(factor);
  if (factor > 0) return;
  if (symmetric_)
    sort();
  else
    left_.columns() *= S(-1);
}

template <Real S>
void LowRank<S>::shrink(Shrinkage<S> how) {
  check(how, symmetric_);
  const detail::Ends ends = detail::outside(values_, how.threshold, how.positive_only);
  const Vector<S> shrunk = detail::shrunk_ends(values_, ends, how.threshold);
  keep_ends(ends);
  values_ = shrunk;
}

template <Real S>
void LowRank<S>::truncate(Index new_rank) {
  if (new_rank < 0)
    detail::fail("mercer::LowRank::truncate: rank must not be negative, got ", new_rank);
  detail::Ends ends{0, 0};
  while (ends.head + ends.tail < (std::min)(new_rank, rank())) {
    const S first = std::abs(values_(ends.head));
    const S last = std::abs(values_(rank() - 1 - ends.tail));
    ++(first >= last ? ends.head : ends.tail);
  }
  keep_ends(ends);
}

template <Real S>
void LowRank<S>::truncate_relative(S relative_tolerance) {
  if (!(relative_tolerance >= 0 && relative_tolerance < 1))
    detail::fail("mercer::LowRank::truncate_relative: relative_tolerance must be in [0, 1), got ",
                 relative_tolerance);
  keep_ends(detail::outside(values_, relative_tolerance * detail::largest_size(values_)));
}

template <Real S>
void LowRank<S>::reorthonormalize() {
  LowRank z(row_space(), column_space());
  if (symmetric_)
    z.update(0, 1, SymmetricTerm<S>{left(), Matrix<S>(values_.asDiagonal())});
  else
    z.update(0, 1, ProductTerm<S>{Matrix<S>(left() * values_.asDiagonal()), right()});
  *this = std::move(z);
}

template <Real S>
LowRank<S> LowRank<S>::transpose() const {
  LowRank z = *this;
  if (!symmetric_) std::swap(z.left_, z.right_);
  return z;
}

template <Real S>
LowRank<S> LowRank<S>::symmetrized() const {
  require_square("symmetrized");
  if (symmetric_) return *this;
  const EigenSystem<S> part = detail::symmetric_part<S>(left_, values_, right());
  LowRank z;
  z.set_symmetric(row_space(), part.values, part.vectors);
  return z;
}

template <Real S>
EigenSystem<S> LowRank<S>::eigensystem() const {
  if (symmetric_) return {values_, left()};
  const LowRank z = symmetrized();
  return {z.values_, z.left()};
}

template <Real S>
S LowRank<S>::trace() const {
  require_square("trace");
  return symmetric_ ? values_.sum()
                    : values_.dot(detail::block_column_products<S>(row_space(), left(), right()));
}

template <Real S>
void LowRank<S>::make_general() {
  if (!symmetric_) return;
  right_ = left_;
  symmetric_ = false;
  for (Index i = 0; i < rank(); ++i)
    if (values_(i) < 0) left_.columns().col(i) *= S(-1);
  values_ = values_.cwiseAbs();
  sort();
}

/// Sorts the values into descending order, and their vectors with them.
template <Real S>
void LowRank<S>::sort() {
  std::vector<Index> order(static_cast<std::size_t>(rank()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index i, Index j) { return values_(i) > values_(j); });
  const LowRank old = *this;
  for (Index i = 0; i < rank(); ++i) {
    const Index from = order[static_cast<std::size_t>(i)];
    values_(i) = old.values_(from);
    left_.columns().col(i) = old.left().col(from);
    if (!symmetric_) right_.columns().col(i) = old.right().col(from);
  }
}

template <Real S>
void LowRank<S>::keep_ends(detail::Ends ends) {
  if (ends.head + ends.tail == rank()) return;
  left_.keep(ends);
  if (!symmetric_) right_.keep(ends);
  values_ = detail::shrunk_ends(values_, ends, S(0));
}

template <Real S>
void LowRank<S>::check(S a, S b, Shrinkage<S> how, bool symmetric) const {
  detail::require_finite("LowRank::update", "a", a);
  detail::require_finite("LowRank::update", "b", b);
  check(how, symmetric);
}

template <Real S>
void LowRank<S>::check(Shrinkage<S> how, bool symmetric) const {
  if (!(how.threshold >= 0) || !std::isfinite(how.threshold))
    detail::fail("mercer::LowRank: shrinkage threshold must be finite and not negative, got ",
                 how.threshold);
  if (how.positive_only && !symmetric)
    detail::fail("mercer::LowRank: positive_only needs the symmetric form");
}

template <Real S>
void LowRank<S>::require_square(std::string_view who) const {
  if (rows() != cols())
    detail::fail("mercer::LowRank::", who, ": needs a square matrix, got ", rows(), " x ", cols());
}

}  // namespace mercer

#endif  // MERCER_CORE_LOW_RANK_LOW_RANK_HPP
