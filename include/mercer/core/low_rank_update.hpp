// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Sums of matrices in factored form, shrunk: the arithmetic behind LowRank.
///
/// The bases are extended by the columns of the term, [U Q] with coordinates T of the columns, so
/// that the sum is [U Qx] core [V Qy]^T with a small core = blkdiag(a diag(s), 0) + b Tx Ty^T. The
/// symmetric case has one basis and core = blkdiag(a diag(s), 0) + b T M T^T. One decomposition of
/// the core and one product with [U Q] give the result.

#ifndef MERCER_CORE_LOW_RANK_UPDATE_HPP
#define MERCER_CORE_LOW_RANK_UPDATE_HPP

#include <algorithm>
#include <cmath>
#include <utility>

#include <mercer/core/low_rank_term.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// How an update shrinks its result.
template <Real S>
struct Shrinkage {
  S threshold = 0;             ///< subtracted from the singular values, which stop at zero
  bool positive_only = false;  ///< also drop negative eigenvalues (symmetric results only)
};

namespace detail {

/// How many of a descending sequence of values are kept at its two ends.
struct Ends {
  Index head;
  Index tail;
};

/// The values that a shrinkage by \p cut leaves different from zero.
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

/// The columns at both ends.
template <Real S>
[[nodiscard]] Matrix<S> end_columns(const Matrix<S>& a, Ends ends) {
  Matrix<S> out(a.rows(), ends.head + ends.tail);
  out.leftCols(ends.head) = a.leftCols(ends.head);
  out.rightCols(ends.tail) = a.rightCols(ends.tail);
  return out;
}

/// A basis [U Q], U held elsewhere, and coordinates in it.
template <Real S>
struct ExtendedBasis {
  Matrix<S> Q;
  Matrix<S> coordinates;
};

/// Extends U so that it spans the columns of \p b, and gives their coordinates.
template <Real S>
[[nodiscard]] ExtendedBasis<S> extend_basis(const Matrix<S>& u, const Matrix<S>& b) {
  if (b.cols() == 0) return {Matrix<S>(u.rows(), 0), Matrix<S>(u.cols(), 0)};
  Extension<S> extension = orthogonalize_against(u, b);
  Matrix<S> coordinates(extension.G.rows() + extension.R.rows(), b.cols());
  coordinates << extension.G, extension.R;
  return {std::move(extension.Q), std::move(coordinates)};
}

/// [U Q] W.
template <Real S>
[[nodiscard]] Matrix<S> rotate_basis(const Matrix<S>& u, const Matrix<S>& q, const Matrix<S>& w) {
  if (w.cols() == 0) return Matrix<S>(u.rows(), 0);
  Matrix<S> out = multiply(u, Matrix<S>(w.topRows(u.cols())));
  add_product(S(1), q, Matrix<S>(w.bottomRows(q.cols())), out);
  return out;
}

/// (sum_ij (|x_i| |m_ij| |y_j|)^2)^(1/2), x_i and y_j the columns: the size of x m y^T before
/// anything in it cancels.
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

/// The singular system of a U diag(s) V^T + b left right^T, shrunk.
template <Real S>
[[nodiscard]] SingularSystem<S> shrunk_sum(const Matrix<S>& u, const Vector<S>& s,
                                           const Matrix<S>& v, S a, S b, const ProductTerm<S>& term,
                                           S threshold) {
  const ExtendedBasis<S> x = extend_basis(u, term.left);
  const ExtendedBasis<S> y = extend_basis(v, term.right);
  Matrix<S> core = b * small_product<S>(x.coordinates, y.coordinates.transpose());
  core.topLeftCorner(s.size(), s.size()).diagonal() += a * s;
  const SingularSystem<S> small = singular_system(core);
  const Matrix<S> identity = Matrix<S>::Identity(term.left.cols(), term.left.cols());
  const S size = (std::max)(std::abs(a) * largest_size(s),
                            std::abs(b) * product_size(x.coordinates, identity, y.coordinates));
  const S noise = rounding_level<S>((std::max)(core.rows(), core.cols())) * size;
  const Ends ends = outside(small.values, (std::max)(threshold, noise));
  return {rotate_basis(u, x.Q, end_columns(small.left, ends)),
          shrunk_ends(small.values, ends, threshold),
          rotate_basis(v, y.Q, end_columns(small.right, ends))};
}

/// The eigensystem of a U diag(s) U^T + b basis middle basis^T, shrunk.
template <Real S>
[[nodiscard]] EigenSystem<S> shrunk_sum(const Matrix<S>& u, const Vector<S>& s, S a, S b,
                                        const SymmetricTerm<S>& term, Shrinkage<S> how) {
  const ExtendedBasis<S> x = extend_basis(u, term.basis);
  Matrix<S> core =
      b * small_product<S>(small_product(x.coordinates, term.middle), x.coordinates.transpose());
  core = ((core + core.transpose()) / 2).eval();
  core.topLeftCorner(s.size(), s.size()).diagonal() += a * s;
  const EigenSystem<S> small = symmetric_eigensystem(core);
  const S size = (std::max)(std::abs(a) * largest_size(s),
                            std::abs(b) * product_size(x.coordinates, term.middle, x.coordinates));
  const S noise = rounding_level<S>(core.rows()) * size;
  const Ends ends = outside(small.values, (std::max)(how.threshold, noise), how.positive_only);
  return {shrunk_ends(small.values, ends, how.threshold),
          rotate_basis(u, x.Q, end_columns(small.vectors, ends))};
}

/// The eigensystem of the symmetric part of a square U diag(s) V^T.
template <Real S>
[[nodiscard]] EigenSystem<S> symmetric_part(const Matrix<S>& u, const Vector<S>& s,
                                            const Matrix<S>& v) {
  const ExtendedBasis<S> x = extend_basis(u, v);
  const Index size = x.coordinates.rows();
  Matrix<S> core = Matrix<S>::Zero(size, size);
  core.topRows(s.size()) = s.asDiagonal() * x.coordinates.transpose();
  const EigenSystem<S> small = symmetric_eigensystem<S>((core + core.transpose()) / 2);
  const Ends ends = outside(small.values, rounding_level<S>(size) * largest_size(s));
  return {shrunk_ends(small.values, ends, S(0)),
          rotate_basis(u, x.Q, end_columns(small.vectors, ends))};
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_CORE_LOW_RANK_UPDATE_HPP
