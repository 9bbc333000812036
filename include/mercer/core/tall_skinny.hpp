// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Orthonormal bases and Rayleigh-Ritz for blocks of n rows and few columns.
///
/// Solvers access the rows of a block only through these functions and those of
/// rows/row_products.hpp. Functions with a RowSpace take the rows of this process, and are
/// collective.

#ifndef MERCER_CORE_TALL_SKINNY_HPP
#define MERCER_CORE_TALL_SKINNY_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/rows/row_blocks.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// A = Q R with orthonormal columns Q.
template <Real S>
struct ThinQr {
  Matrix<S> Q;  ///< n x k
  Matrix<S> R;  ///< k x k, upper triangular
};

/// B = Q0 G + Q R, where [Q0 Q] has orthonormal columns.
template <Real S>
struct Extension {
  Matrix<S> Q;  ///< the new columns
  Matrix<S> G;  ///< the part of B in Q0
  Matrix<S> R;  ///< the part of B in Q
};

namespace detail {

/// Divides every column by the largest power of two that is not above its norm. This is exact.
/// Returns the divisors, with 0 for a column of zeros.
template <Real S>
[[nodiscard]] Vector<S> equilibrate_columns(const RowSpace& rows, GramOut<S> a) {
  const Vector<S> norms = column_norms<S>(rows, a);
  Vector<S> scales(a.cols());
  const auto equilibrate = [&](Index j) {
    const S norm = norms(j);
    scales(j) = norm == 0 ? S(0) : std::isfinite(norm) ? std::ldexp(S(1), std::ilogb(norm)) : S(1);
    if (norm > 0) a.col(j) /= scales(j);
  };
  if (a.rows() > row_block) {
    parallel_for(a.cols(), equilibrate);
  } else {
    for (Index j = 0; j < a.cols(); ++j) equilibrate(j);
  }
  return scales;
}

/// Multiplies column j by scales(j).
template <Real S>
void scale_columns(Matrix<S>& a, const Vector<S>& scales) {
  for (Index j = 0; j < a.cols(); ++j) a.col(j) *= scales(j);
}

/// The upper triangular R with \p gram = R^T R. It is empty if the factorisation fails, or if the
/// estimated reciprocal condition number of \p gram is below \p least.
template <Real S>
[[nodiscard]] Matrix<S> cholesky_factor(const Matrix<S>& gram, S least) {
  const SingleThread one;
  const Eigen::LLT<Matrix<S>> llt(gram);
  if (llt.info() != Eigen::Success || !(llt.rcond() >= least)) return {};
  return llt.matrixU();
}

/// a <- a R^-1 for an upper triangular R.
template <Real S>
void divide_by_factor(const RowSpace& rows, const Matrix<S>& upper, GramOut<S> a) {
  for_local_blocks(rows, [&](Index first, Index size) {
    Eigen::Ref<Matrix<S>> block = a.middleRows(first, size);
    upper.template triangularView<Eigen::Upper>().template solveInPlace<Eigen::OnTheRight>(block);
  });
}

/// Householder QR in place: Q is in the first min(n, k) columns of \p a. Returns R. Both are NaN if
/// an entry of \p a is: LAPACKE would return the matrix as it is.
template <Real S>
[[nodiscard]] Matrix<S> householder_qr(GramOut<S> a) {
  const SingleThread one;
  const Index rank = (std::min)(a.rows(), a.cols());
  if (a.hasNaN()) {
    constexpr S nan = std::numeric_limits<S>::quiet_NaN();
    a.leftCols(rank).setConstant(nan);
    return Matrix<S>::Constant(rank, a.cols(), nan);
  }
  const Eigen::HouseholderQR<Matrix<S>> qr(a);
  a.leftCols(rank) = qr.householderQ() * Matrix<S>::Identity(a.rows(), rank);
  return qr.matrixQR().topRows(rank).template triangularView<Eigen::Upper>();
}

/// Two rounds of Cholesky QR in place, for columns of norms between 1 and 2. Returns R; empty, and
/// changes nothing, if the Gram matrix of the columns is too badly conditioned.
/// Source: Yamamoto et al. (2015), as orthonormalize().
template <Real S>
[[nodiscard]] Matrix<S> cholesky_qr(const RowSpace& rows, GramOut<S> a) {
  constexpr S least_reciprocal_condition = std::numeric_limits<S>::epsilon() * S(1e4);
  Matrix<S> first = cholesky_factor(block_inner<S>(rows, a), least_reciprocal_condition);
  rows.agree(first);
  if (first.size() == 0) return first;
  divide_by_factor<S>(rows, first, a);
  Matrix<S> second = cholesky_factor(block_inner<S>(rows, a), S(0));
  rows.agree(second);
  divide_by_factor<S>(rows, second, a);
  return small_product(second, first);
}

/// An orthonormal basis of columns whose rows are in several processes: A = Q R up to a remainder
/// of rounding errors. Q is in the first columns of \p a, as many as R has rows. All it needs of
/// the rows are inner products.
///
/// If Cholesky QR fails, the columns are rotated by the eigenvectors of their Gram matrix, those
/// that vanish are dropped, and the others scaled to norm 1; then it is tried again.
/// Source: Stathopoulos and Wu, A block orthogonalization procedure with constant synchronization
///   requirements, 2002 (SVQB).
template <Real S>
[[nodiscard]] Matrix<S> orthonormalize_spread(const RowSpace& rows, GramOut<S> a) {
  const Vector<S> scales = equilibrate_columns<S>(rows, a);
  const S noise = rounding_level<S>(a.cols());
  Matrix<S> r = Matrix<S>::Identity(a.cols(), a.cols());
  for (int round = 0; r.rows() > 0; ++round) {
    GramOut<S> q = a.leftCols(r.rows());
    const Matrix<S> done = cholesky_qr<S>(rows, q);
    if (done.size() > 0) {
      r = small_product(done, r);
      break;
    }
    const Matrix<S> gram = block_inner<S>(rows, q);
    require_finite_entries("orthogonalize_against", gram);
    Matrix<S> rotation = symmetric_eigensystem<S>(gram).vectors;
    rows.agree(rotation);
    q = multiply(rows, q, rotation);
    r = small_product<S>(rotation.transpose(), r);
    const Vector<S> norms = column_norms<S>(rows, q);
    Index kept = 0;
    for (Index j = 0; j < norms.size(); ++j) {
      if (!(norms(j) > noise)) continue;
      q.col(kept) = (q.col(j) / norms(j)).eval();
      r.row(kept++) = (norms(j) * r.row(j)).eval();
    }
    // One or two rounds are enough unless rounding errors go round in circles. One column always
    // is.
    constexpr int patience = 8;
    if (round >= patience) --kept;
    r.conservativeResize(kept, Eigen::NoChange);
  }
  scale_columns(r, scales);
  return r;
}

/// orthonormalize() in place: Q is in the first columns of \p a, as many as R has rows. Returns R.
template <Real S>
[[nodiscard]] Matrix<S> orthonormalize_columns(const RowSpace& rows, GramOut<S> a) {
  const Index cols = a.cols(), rank = (std::min)(rows.total(), cols);
  if (rank == 0) return Matrix<S>(0, cols);
  const PhaseTimer timer(Phase::Orthogonalisation);
  if (rows.is_spread()) return orthonormalize_spread<S>(rows, a);
  const Vector<S> scales = equilibrate_columns<S>(rows, a);
  Matrix<S> r;
  if (rank == cols) r = cholesky_qr<S>(rows, a);
  if (r.size() == 0) r = householder_qr<S>(a);
  scale_columns(r, scales);
  return r;
}

}  // namespace detail

/// An orthonormal basis with A = Q R, where R is upper triangular.
///
/// Columns are first scaled to a norm between 1 and 2, so their scales do not matter. If their Gram
/// matrix then has a condition number below 1e-4/epsilon, the method is two rounds of Cholesky QR
/// (4 n k^2 operations, all in products). Otherwise, and for k > n, it is Householder QR, which
/// accepts any rank.
/// Shapes: n x k to n x min(n, k) and min(n, k) x k.
/// Accuracy: |Q^T Q - I| and |A - Q R|/|A| of a few epsilon.
/// Source: Yamamoto, Nakatsukasa, Yanagisawa, Fukaya, Roundoff error analysis of the CholeskyQR2
///   algorithm, 2015.
template <class A>
[[nodiscard]] ThinQr<typename A::Scalar> orthonormalize(const Eigen::MatrixBase<A>& a) {
  using S = typename A::Scalar;
  ThinQr<S> qr{a, Matrix<S>()};
  qr.R = detail::orthonormalize_columns<S>(RowSpace::whole(a.rows()), qr.Q);
  qr.Q.conservativeResize(Eigen::NoChange, qr.R.rows());
  return qr;
}

namespace detail {

/// An orthonormal basis of the columns of R, up to a remainder whose columns have norms of at most
/// \p cut. Found by QR with column pivoting.
template <Real S>
[[nodiscard]] Matrix<S> leading_directions(const Matrix<S>& r, S cut) {
  require_finite_entries("orthogonalize_against", r);
  const SingleThread one;
  const Eigen::ColPivHouseholderQR<Matrix<S>> qr(r);
  const Index rank = (qr.matrixQR().diagonal().array().abs() > cut).count();
  if (rank == 0) return Matrix<S>(r.rows(), 0);
  return qr.householderQ() * Matrix<S>::Identity(r.rows(), rank);
}

/// Reduces A = Q R to fewer columns of Q, up to a remainder whose columns have norms of at most
/// \p cut. The new Q is in the first columns of \p q, as many as \p r has rows.
template <Real S>
void keep_independent(const RowSpace& rows, GramOut<S> q, Matrix<S>& r, S cut) {
  const Index before = r.rows();
  if (r.size() == 0) return;
  Matrix<S> kept = leading_directions(r, cut);
  rows.agree(kept);
  if (kept.cols() == before) return;
  q.leftCols(kept.cols()) = multiply(rows, q.leftCols(before), kept);
  r = small_product<S>(kept.transpose(), r);
}

/// Coordinates of a block in a basis [Q0 Q].
template <Real S>
struct BlockCoordinates {
  Matrix<S> G;
  Matrix<S> R;
};

/// orthogonalize_against() in place: Q is in the first columns of \p b, as many as R has rows.
/// \param b  columns of norms between 1 and 2, or 0
/// \param g  Q0^T b
template <Real S>
[[nodiscard]] BlockCoordinates<S> orthogonalize_scaled(const RowSpace& rows, const Points<S>& q0,
                                                       Matrix<S> g, GramOut<S> b) {
  const auto values = static_cast<std::size_t>(q0.size() + b.size());
  const PhaseTimer timer(Phase::Orthogonalisation, values * sizeof(S));
  add_block_product<S>(rows, -1, q0, g, b);
  const S noise = rounding_level<S>(q0.cols() + b.cols());
  Matrix<S> r = orthonormalize_columns<S>(rows, b);
  keep_independent<S>(rows, b, r, noise);
  if (q0.cols() > 0) {
    GramOut<S> q = b.leftCols(r.rows());
    const Matrix<S> again = block_inner<S>(rows, q0, q);
    add_block_product<S>(rows, -1, q0, again, q);
    g += small_product(again, r);
    // A correction up to epsilon^(1/2) leaves the columns orthonormal. A larger one means that a
    // column was rounding error in the span of Q0. By now the norm of such a column is no longer 1.
    if (again.norm() > std::sqrt(std::numeric_limits<S>::epsilon())) {
      r = small_product(orthonormalize_columns<S>(rows, q), r);
      keep_independent<S>(rows, q, r, noise);
    }
  }
  return {std::move(g), std::move(r)};
}

/// The same for columns of any norms.
template <Real S>
[[nodiscard]] BlockCoordinates<S> orthogonalize_columns(const RowSpace& rows, const Points<S>& q0,
                                                        GramOut<S> b) {
  const Vector<S> scales = equilibrate_columns<S>(rows, b);
  BlockCoordinates<S> at = orthogonalize_scaled<S>(rows, q0, block_inner<S>(rows, q0, b), b);
  scale_columns(at.G, scales);
  scale_columns(at.R, scales);
  return at;
}

}  // namespace detail

/// B = Q0 G + Q R: splits B along an orthonormal Q0 and a new orthonormal block Q.
///
/// Uses two rounds of block Gram-Schmidt, with the columns of B scaled to norm 1. Directions of B
/// that leave the span of Q0 by no more than rounding error are dropped. So Q has between 0 and k
/// columns, and [Q0 Q] is orthonormal even if B has dependent columns or lies in the span of Q0.
/// Shapes: Q0 is n x r, B is n x k.
/// Cost: O(n k (r + k)) time.
/// Memory: O(n k).
/// Throws InvalidArgument if B has entries that are not finite.
template <class A, class B>
[[nodiscard]] Extension<typename A::Scalar> orthogonalize_against(const RowSpace& rows,
                                                                  const Eigen::MatrixBase<A>& q0,
                                                                  const Eigen::MatrixBase<B>& b) {
  using S = typename A::Scalar;
  Matrix<S> q = b;
  detail::BlockCoordinates<S> at = detail::orthogonalize_columns<S>(rows, q0.derived(), q);
  q.conservativeResize(Eigen::NoChange, at.R.rows());
  return {std::move(q), std::move(at.G), std::move(at.R)};
}
/// The same for all rows in one process.
template <class A, class B>
[[nodiscard]] Extension<typename A::Scalar> orthogonalize_against(const Eigen::MatrixBase<A>& q0,
                                                                  const Eigen::MatrixBase<B>& b) {
  return orthogonalize_against(RowSpace::whole(q0.rows()), q0, b);
}

/// The eigensystem of a symmetric operator K restricted to the span of an orthonormal Q, given KQ.
/// Returns the Ritz values in descending order, and a small rotation W. The Ritz vectors are Q W.
/// Cost: O(n k^2 + k^3) time.
template <class A, class B>
[[nodiscard]] EigenSystem<typename A::Scalar> rayleigh_ritz(const Eigen::MatrixBase<A>& q,
                                                            const Eigen::MatrixBase<B>& kq) {
  using S = typename A::Scalar;
  const Matrix<S> h = inner(q, kq);
  return symmetric_eigensystem<S>((h + h.transpose()) / 2);
}

/// max |Q^T Q - I|; zero if Q has no columns.
template <class A>
[[nodiscard]] typename A::Scalar orthogonality_error(const RowSpace& rows,
                                                     const Eigen::MatrixBase<A>& q) {
  using S = typename A::Scalar;
  if (q.cols() == 0) return 0;
  return (inner(rows, q) - Matrix<S>::Identity(q.cols(), q.cols())).cwiseAbs().maxCoeff();
}
/// The same for all rows in one process.
template <class A>
[[nodiscard]] typename A::Scalar orthogonality_error(const Eigen::MatrixBase<A>& q) {
  return orthogonality_error(RowSpace::whole(q.rows()), q);
}

#define MERCER_TALL_SKINNY(S)                                                           \
  MERCER_INSTANTIATE_CORE(                                                              \
      Matrix<S> detail::orthonormalize_columns<S>(const RowSpace&, GramOut<S>))         \
  MERCER_INSTANTIATE_CORE(                                                              \
      void detail::keep_independent<S>(const RowSpace&, GramOut<S>, Matrix<S>&, S))     \
  MERCER_INSTANTIATE_CORE(detail::BlockCoordinates<S> detail::orthogonalize_scaled<S>(  \
      const RowSpace&, const Points<S>&, Matrix<S>, GramOut<S>))                        \
  MERCER_INSTANTIATE_CORE(detail::BlockCoordinates<S> detail::orthogonalize_columns<S>( \
      const RowSpace&, const Points<S>&, GramOut<S>))
MERCER_FOR_SCALARS(MERCER_TALL_SKINNY)
#undef MERCER_TALL_SKINNY

}  // namespace mercer

#endif  // MERCER_CORE_TALL_SKINNY_HPP
