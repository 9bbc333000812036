// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Sums of matrices in factored form, followed by shrinkage: the arithmetic behind LowRank.
///
/// Each basis is extended by the columns of the term. This gives [U Q], in which the columns of the
/// term have coordinates T. The sum is then [U Qx] core [V Qy]^T with a small
/// core = blkdiag(a diag(s), 0) + b Tx Ty^T. In the symmetric case there is one basis, and
/// core = blkdiag(a diag(s), 0) + b T M T^T. The result needs one decomposition of the core and
/// one product with [U Q].

#ifndef MERCER_CORE_LOW_RANK_LOW_RANK_UPDATE_HPP
#define MERCER_CORE_LOW_RANK_LOW_RANK_UPDATE_HPP

#include <algorithm>
#include <cmath>

#include <mercer/core/low_rank/growing_basis.hpp>
#include <mercer/core/low_rank/low_rank_term.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// How an update shrinks its result.
template <Real S>
struct Shrinkage {
  S threshold = 0;             ///< subtracted from each singular value, but not below zero
  bool positive_only = false;  ///< also drop negative eigenvalues (symmetric results only)
};

namespace detail {

/// How many values at each end stay nonzero after shrinkage by \p cut.
template <Real S>
[[nodiscard]] Ends outside(const Vector<S>& values, S cut, bool positive_only = false) {
  return {(values.array() > cut).count(), positive_only ? 0 : (values.array() < -cut).count()};
}

/// The values at both ends, moved towards zero by \p threshold.
template <Real S>
[[nodiscard]] Vector<S> shrunk_ends(const Vector<S>& values, Ends ends, S threshold) {
  Vector<S> out(ends.head + ends.tail);
  out.head(ends.head) = values.head(ends.head).array() - threshold;
  out.tail(ends.tail) = values.tail(ends.tail).array() + threshold;
  return out;
}

/// (sum_ij (|x_i| |m_ij| |y_j|)^2)^(1/2), where x_i and y_j are columns: the size of x m y^T before
/// any cancellation.
template <Real S>
[[nodiscard]] S product_size(const Matrix<S>& x, const Matrix<S>& m, const Matrix<S>& y) {
  if (x.size() == 0 || y.size() == 0) return 0;
  const Vector<S> left = x.colwise().stableNorm().transpose();
  const Vector<S> right = y.colwise().stableNorm().transpose();
  return Matrix<S>(left.asDiagonal() * m * right.asDiagonal()).stableNorm();
}

/// The largest of |values|; zero if there are none.
template <Real S>
[[nodiscard]] S largest_size(const Vector<S>& values) {
  return values.size() == 0 ? S(0) : values.cwiseAbs().maxCoeff();
}

/// |X - Y|_F for matrices with singular values \p x and \p y, given <X, Y> = x^T \p product.
/// Accuracy: the squares cancel, so results below sqrt(epsilon) times the norms are noise.
template <Real S>
[[nodiscard]] S root_of_squares(const Vector<S>& x, const Vector<S>& y, const Vector<S>& product) {
  const S unit =
      (std::max)(x.size() > 0 ? x.stableNorm() : S(0), y.size() > 0 ? y.stableNorm() : S(0));
  if (unit == 0) return 0;
  const Vector<S> from = x / unit;
  const S squares = from.squaredNorm() + (y / unit).squaredNorm() - 2 * from.dot(product / unit);
  return unit * std::sqrt((std::max)(squares, S(0)));
}

/// |Z' - Z|_F for Z = U diag(s) V^T and Z' = [U Qx] P diag(t) ([U Qy] W)^T, where P is \p left and
/// W is \p right.
template <Real S>
[[nodiscard]] S step_size(const Vector<S>& s, const Vector<S>& t, const Matrix<S>& left,
                          const Matrix<S>& right) {
  const Index r = s.size();
  return root_of_squares<S>(s, t, left.topRows(r).cwiseProduct(right.topRows(r)).lazyProduct(t));
}

/// U diag(s) V^T <- a U diag(s) V^T + b left right^T, then shrunk. Returns the norm of the change.
template <Real S>
S add_shrunk(GrowingBasis<S>& u, Vector<S>& s, GrowingBasis<S>& v, S a, S b,
             const ProductTerm<S>& term, S threshold) {
  const Matrix<S> x = u.extend(term.left), y = v.extend(term.right);
  Matrix<S> core = b * small_product<S>(x, y.transpose());
  core.topLeftCorner(s.size(), s.size()).diagonal() += a * s;
  SingularSystem<S> small = singular_system(core);
  // Rows of V are over processes only if those of U are.
  u.row_space().agree(small.left);
  u.row_space().agree(small.values);
  u.row_space().agree(small.right);
  const Matrix<S> identity = Matrix<S>::Identity(term.left.cols(), term.left.cols());
  const S size =
      (std::max)(std::abs(a) * largest_size(s), std::abs(b) * product_size(x, identity, y));
  auto noise = static_cast<double>(rounding_level<S>((std::max)(core.rows(), core.cols())) * size);
  u.row_space().agree(noise);
  const Ends ends = outside(small.values, (std::max)(threshold, static_cast<S>(noise)));
  const Matrix<S> left = end_columns<S>(small.left, ends);
  const Matrix<S> right = end_columns<S>(small.right, ends);
  const Vector<S> shrunk = shrunk_ends(small.values, ends, threshold);
  const S step = step_size(s, shrunk, left, right);
  u.rotate(left);
  v.rotate(right);
  s = shrunk;
  return step;
}

/// U diag(s) U^T <- a U diag(s) U^T + b basis middle basis^T, then shrunk. Returns the norm of the
/// change.
template <Real S>
S add_shrunk(GrowingBasis<S>& u, Vector<S>& s, S a, S b, const Matrix<S>& basis,
             const Matrix<S>& middle, Shrinkage<S> how) {
  const Matrix<S> x = u.extend(basis);
  Matrix<S> core = b * small_product<S>(small_product(x, middle), x.transpose());
  core = ((core + core.transpose()) / 2).eval();
  core.topLeftCorner(s.size(), s.size()).diagonal() += a * s;
  EigenSystem<S> small = symmetric_eigensystem(core);
  u.row_space().agree(small.values);
  u.row_space().agree(small.vectors);
  const S size =
      (std::max)(std::abs(a) * largest_size(s), std::abs(b) * product_size(x, middle, x));
  auto noise = static_cast<double>(rounding_level<S>(core.rows()) * size);
  u.row_space().agree(noise);
  const Ends ends =
      outside(small.values, (std::max)(how.threshold, static_cast<S>(noise)), how.positive_only);
  const Matrix<S> kept = end_columns<S>(small.vectors, ends);
  const Vector<S> shrunk = shrunk_ends(small.values, ends, how.threshold);
  const S step = step_size(s, shrunk, kept, kept);
  u.rotate(kept);
  s = shrunk;
  return step;
}

/// The eigensystem of the symmetric part of a square U diag(s) V^T.
template <Real S>
[[nodiscard]] EigenSystem<S> symmetric_part(GrowingBasis<S> u, const Vector<S>& s,
                                            const Matrix<S>& v) {
  const Matrix<S> x = u.extend(v);
  const Index size = x.rows();
  Matrix<S> core = Matrix<S>::Zero(size, size);
  core.topRows(s.size()) = s.asDiagonal() * x.transpose();
  EigenSystem<S> small = symmetric_eigensystem<S>((core + core.transpose()) / 2);
  u.row_space().agree(small.values);
  u.row_space().agree(small.vectors);
  const Ends ends = outside(small.values, rounding_level<S>(size) * largest_size(s));
  u.rotate(end_columns<S>(small.vectors, ends));
  return {shrunk_ends(small.values, ends, S(0)), u.columns()};
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_CORE_LOW_RANK_LOW_RANK_UPDATE_HPP
