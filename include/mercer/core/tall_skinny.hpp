// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Inner products, orthonormal bases and Rayleigh-Ritz for blocks of n rows and few columns.
///
/// Rows are processed in fixed blocks, and the contributions of the blocks are added in order. So
/// results have the same bits for any number of threads. Solvers access the rows of a block only
/// through these functions.

#ifndef MERCER_CORE_TALL_SKINNY_HPP
#define MERCER_CORE_TALL_SKINNY_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/row_blocks.hpp>
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
[[nodiscard]] Vector<S> equilibrate_columns(GramOut<S> a) {
  Vector<S> scales(a.cols());
  const auto equilibrate = [&](Index j) {
    const S norm = a.rows() == 0 ? S(0) : a.col(j).stableNorm();
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
void divide_by_factor(const Matrix<S>& upper, GramOut<S> a) {
  for_row_blocks(a.rows(), [&](Index, Index first, Index size) {
    Eigen::Ref<Matrix<S>> rows = a.middleRows(first, size);
    upper.template triangularView<Eigen::Upper>().template solveInPlace<Eigen::OnTheRight>(rows);
  });
}

/// Householder QR in place: Q is in the first min(n, k) columns of \p a. Returns R.
template <Real S>
[[nodiscard]] Matrix<S> householder_qr(GramOut<S> a) {
  const SingleThread one;
  const Index rank = (std::min)(a.rows(), a.cols());
  const Eigen::HouseholderQR<Matrix<S>> qr(a);
  a.leftCols(rank) = qr.householderQ() * Matrix<S>::Identity(a.rows(), rank);
  return qr.matrixQR().topRows(rank).template triangularView<Eigen::Upper>();
}

// The bodies of the functions below. They are compiled once for all forms that a block may have.

template <Real S>
[[nodiscard]] Matrix<S> block_inner(const Points<S>& a, const Points<S>& b) {
  if (a.rows() != b.rows()) fail("mercer::inner: blocks of ", a.rows(), " and ", b.rows(), " rows");
  Matrix<S> sum = Matrix<S>::Zero(a.cols(), b.cols());
  add_row_blocks(
      a.rows(),
      [&](Index first, Index size) -> Matrix<S> {
        return a.middleRows(first, size).transpose() * b.middleRows(first, size);
      },
      sum);
  return sum;
}

template <Real S>
void add_block_product(S factor, const Points<S>& a, const Matrix<S>& w, GramOut<S> out) {
  if (a.cols() != w.rows() || out.rows() != a.rows() || out.cols() != w.cols())
    fail("mercer::add_product: ", a.rows(), " x ", a.cols(), " times ", w.rows(), " x ", w.cols(),
         " into ", out.rows(), " x ", out.cols());
  if (w.size() == 0) return;
  for_row_blocks(a.rows(), [&](Index, Index first, Index size) {
    out.middleRows(first, size).noalias() += factor * (a.middleRows(first, size) * w);
  });
}

/// orthonormalize() in place: Q is in the first min(n, k) columns of \p a. Returns R.
template <Real S>
[[nodiscard]] Matrix<S> orthonormalize_columns(GramOut<S> a) {
  const Index cols = a.cols(), rank = (std::min)(a.rows(), cols);
  if (rank == 0) return Matrix<S>(0, cols);
  constexpr S least_reciprocal_condition = std::numeric_limits<S>::epsilon() * S(1e4);
  const Vector<S> scales = equilibrate_columns<S>(a);
  const Matrix<S> first = rank == cols
                              ? cholesky_factor(block_inner<S>(a, a), least_reciprocal_condition)
                              : Matrix<S>();
  Matrix<S> r;
  if (first.size() > 0) {
    divide_by_factor<S>(first, a);
    const Matrix<S> second = cholesky_factor(block_inner<S>(a, a), S(0));
    divide_by_factor<S>(second, a);
    r = small_product(second, first);
  } else {
    r = householder_qr<S>(a);
  }
  scale_columns(r, scales);
  return r;
}

}  // namespace detail

/// A^T B.
/// Shapes: n x k and n x l to k x l.
/// Cost: O(n k l) time.
/// Memory: O(k l).
template <class A, class B>
[[nodiscard]] Matrix<typename A::Scalar> inner(const Eigen::MatrixBase<A>& a,
                                               const Eigen::MatrixBase<B>& b) {
  return detail::block_inner<typename A::Scalar>(a.derived(), b.derived());
}

/// out += factor A W, for a small W. \p out must not be part of \p a.
/// Shapes: n x k and k x l to n x l.
/// Cost: O(n k l) time.
/// Memory: none.
template <class A, Real S>
void add_product(S factor, const Eigen::MatrixBase<A>& a, const Matrix<S>& w, Matrix<S>& out) {
  detail::add_block_product<S>(factor, a.derived(), w, out);
}

/// A W, for a small W; see add_product.
template <class A>
[[nodiscard]] Matrix<typename A::Scalar> multiply(const Eigen::MatrixBase<A>& a,
                                                  const Matrix<typename A::Scalar>& w) {
  using S = typename A::Scalar;
  Matrix<S> out = Matrix<S>::Zero(a.rows(), w.cols());
  add_product(S(1), a, w, out);
  return out;
}

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
  qr.R = detail::orthonormalize_columns<S>(qr.Q);
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
void keep_independent(GramOut<S> q, Matrix<S>& r, S cut) {
  const Index before = r.rows();
  if (r.size() == 0) return;
  const Matrix<S> kept = leading_directions(r, cut);
  if (kept.cols() == before) return;
  q.leftCols(kept.cols()) = multiply(q.leftCols(before), kept);
  r = small_product<S>(kept.transpose(), r);
}

/// Coordinates of a block in a basis [Q0 Q].
template <Real S>
struct BlockCoordinates {
  Matrix<S> G;
  Matrix<S> R;
};

/// orthogonalize_against() in place: Q is in the first columns of \p b, as many as R has rows.
template <Real S>
[[nodiscard]] BlockCoordinates<S> orthogonalize_columns(const Points<S>& q0, GramOut<S> b) {
  const Vector<S> scales = equilibrate_columns<S>(b);
  Matrix<S> g = block_inner<S>(q0, b);
  add_block_product<S>(-1, q0, g, b);
  const S noise = rounding_level<S>(q0.cols() + b.cols());
  Matrix<S> r = orthonormalize_columns<S>(b);
  keep_independent<S>(b, r, noise);
  if (q0.cols() > 0) {
    GramOut<S> q = b.leftCols(r.rows());
    const Matrix<S> again = block_inner<S>(q0, q);
    add_block_product<S>(-1, q0, again, q);
    g += small_product(again, r);
    // A correction up to epsilon^(1/2) leaves the columns orthonormal. A larger one means that a
    // column was rounding error in the span of Q0. By now the norm of such a column is no longer 1.
    if (again.norm() > std::sqrt(std::numeric_limits<S>::epsilon())) {
      r = small_product(orthonormalize_columns<S>(q), r);
      keep_independent<S>(q, r, noise);
    }
  }
  scale_columns(g, scales);
  scale_columns(r, scales);
  return {std::move(g), std::move(r)};
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
[[nodiscard]] Extension<typename A::Scalar> orthogonalize_against(const Eigen::MatrixBase<A>& q0,
                                                                  const Eigen::MatrixBase<B>& b) {
  using S = typename A::Scalar;
  Matrix<S> q = b;
  detail::BlockCoordinates<S> at = detail::orthogonalize_columns<S>(q0.derived(), q);
  q.conservativeResize(Eigen::NoChange, at.R.rows());
  return {std::move(q), std::move(at.G), std::move(at.R)};
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
[[nodiscard]] typename A::Scalar orthogonality_error(const Eigen::MatrixBase<A>& q) {
  using S = typename A::Scalar;
  if (q.cols() == 0) return 0;
  return (inner(q, q) - Matrix<S>::Identity(q.cols(), q.cols())).cwiseAbs().maxCoeff();
}

namespace detail {

template <Real S>
[[nodiscard]] Vector<S> block_means(const Points<S>& a) {
  Matrix<S> sum = Matrix<S>::Zero(a.cols(), 1);
  add_row_blocks(
      a.rows(),
      [&](Index first, Index size) -> Matrix<S> {
        return a.middleRows(first, size).colwise().sum().transpose();
      },
      sum);
  return sum / static_cast<S>((std::max)(a.rows(), Index{1}));
}

}  // namespace detail

/// The mean of every column; zero if there are no rows.
template <class A>
[[nodiscard]] Vector<typename A::Scalar> column_means(const Eigen::MatrixBase<A>& a) {
  return detail::block_means<typename A::Scalar>(a.derived());
}

/// The inner product of every column of \p a with the same column of \p b.
template <class A, class B>
[[nodiscard]] Vector<typename A::Scalar> column_products(const Eigen::MatrixBase<A>& a,
                                                         const Eigen::MatrixBase<B>& b) {
  using S = typename A::Scalar;
  if (a.rows() != b.rows() || a.cols() != b.cols())
    detail::fail("mercer::column_products: blocks of ", a.rows(), " x ", a.cols(), " and ",
                 b.rows(), " x ", b.cols());
  const Points<S> left(a.derived());
  const Points<S> right(b.derived());
  Matrix<S> sum = Matrix<S>::Zero(a.cols(), 1);
  detail::add_row_blocks(
      a.rows(),
      [&](Index first, Index size) -> Matrix<S> {
        return left.middleRows(first, size)
            .cwiseProduct(right.middleRows(first, size))
            .colwise()
            .sum()
            .transpose();
      },
      sum);
  return sum;
}

/// Subtracts the column means in place (a <- J a, J = I - 1 1^T/n) and returns them.
template <Real S>
Vector<S> centre_columns(Matrix<S>& a) {
  Vector<S> means = column_means(a);
  if (a.size() == 0) return means;
  detail::for_row_blocks(a.rows(), [&](Index, Index first, Index size) {
    a.middleRows(first, size).rowwise() -= means.transpose();
  });
  return means;
}

#define MERCER_TALL_SKINNY(S)                                                                   \
  MERCER_INSTANTIATE_CORE(Vector<S> detail::block_means<S>(const Points<S>&))                   \
  MERCER_INSTANTIATE_CORE(Matrix<S> detail::block_inner<S>(const Points<S>&, const Points<S>&)) \
  MERCER_INSTANTIATE_CORE(                                                                      \
      void detail::add_block_product<S>(S, const Points<S>&, const Matrix<S>&, GramOut<S>))     \
  MERCER_INSTANTIATE_CORE(Matrix<S> detail::orthonormalize_columns<S>(GramOut<S>))              \
  MERCER_INSTANTIATE_CORE(void detail::keep_independent<S>(GramOut<S>, Matrix<S>&, S))          \
  MERCER_INSTANTIATE_CORE(                                                                      \
      detail::BlockCoordinates<S> detail::orthogonalize_columns<S>(const Points<S>&, GramOut<S>))
MERCER_FOR_SCALARS(MERCER_TALL_SKINNY)
#undef MERCER_TALL_SKINNY

}  // namespace mercer

#endif  // MERCER_CORE_TALL_SKINNY_HPP
