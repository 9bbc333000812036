// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Principal angles between subspaces of feature space and of R^n.

#ifndef MERCER_METRICS_PRINCIPAL_ANGLES_HPP
#define MERCER_METRICS_PRINCIPAL_ANGLES_HPP

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/metrics/expansions.hpp>

namespace mercer {

/// The principal angles \f$ 0 \le \theta_1 \le \theta_2 \le \dots \le \pi/2 \f$ between two
/// subspaces. There are as many as the smaller subspace has dimensions.
///
/// Cosines and sines are computed separately. A cosine cannot resolve an angle below 1e-8, and a
/// sine cannot resolve an angle within 1e-8 of a right angle.
struct PrincipalAngles {
  Vector<double> cosines;     ///< descending, in [0, 1]
  Vector<double> sines;       ///< ascending, in [0, 1]; sines(i) belongs to cosines(i)
  Index left_dimension = 0;   ///< numerical dimension of the first span
  Index right_dimension = 0;  ///< numerical dimension of the second span

  /// The angles in radians, ascending. Small angles and near-right angles are both accurate.
  [[nodiscard]] Vector<double> angles() const {
    Vector<double> out(cosines.size());
    for (Index i = 0; i < out.size(); ++i) out(i) = std::atan2(sines(i), cosines(i));
    return out;
  }

  /// The Hilbert-Schmidt distance of the orthogonal projections onto the two subspaces,
  /// \f$ \sqrt{s + s' - 2\sum\cos^2\theta_i} = \sqrt{|s - s'| + 2\sum\sin^2\theta_i} \f$.
  [[nodiscard]] double projection_distance() const {
    const auto unmatched = static_cast<double>(std::abs(left_dimension - right_dimension));
    return std::sqrt(unmatched + 2 * sines.squaredNorm());
  }

  /// \f$ \sin^2 \f$ of the largest angle; zero if one of the subspaces is {0}.
  [[nodiscard]] double largest_squared_sine() const {
    return sines.size() == 0 ? 0 : sines.maxCoeff() * sines.maxCoeff();
  }
};

namespace detail {

/// The square roots of the eigenvalues of a positive semidefinite G, ascending. G is first scaled
/// to a unit diagonal. This protects the small eigenvalues from the rounding errors of the large
/// ones.
template <Real S>  // a template for the reason given in expansions.hpp
[[nodiscard]] Vector<S> ascending_roots(const Matrix<S>& g) {
  const Vector<S> lengths = g.diagonal().cwiseMax(S(0)).cwiseSqrt();
  const Vector<S> inverse =
      lengths.unaryExpr([](S length) { return length > 0 ? 1 / length : S(0); });
  const EigenSystem<S> eigen = symmetric_eigensystem<S>(
      inverse.asDiagonal() * ((g + g.transpose()) / 2) * inverse.asDiagonal());
  const Matrix<S> root = eigen.values.cwiseMax(S(0)).cwiseSqrt().asDiagonal() *
                         eigen.vectors.transpose() * lengths.asDiagonal();
  return singular_system(root).values.reverse();
}

/// Principal angles from the inner products C of two orthonormal bases, left (the larger) and
/// right. sines_of(C, Z) must return the sines from the residual (right - left C) Z of the right
/// principal vectors. Below 45 degrees, the cosine is computed from the sine, because errors of C
/// affect the sine less.
template <class Sines>
[[nodiscard]] PrincipalAngles angles_from(const Matrix<double>& products, Sines&& sines_of) {
  PrincipalAngles result;
  if (products.size() == 0) return result;
  const SingularSystem<double> svd = singular_system(products);
  result.cosines = svd.values.cwiseMin(1.0);
  result.sines = sines_of(products, svd.right).cwiseMin(1.0);
  for (Index i = 0; i < result.sines.size(); ++i)
    if (const double sine = result.sines(i); sine * sine < 0.5)
      result.cosines(i) = std::sqrt((1 - sine) * (1 + sine));
  return result;
}

template <class K, OwnedSamples X>
[[nodiscard]] PrincipalAngles expansion_angles(const K& kernel, const X& x, Matrix<double> a,
                                               Matrix<double> b) {
  std::vector<Matrix<double>> blocks;
  blocks.push_back(std::move(a));
  blocks.push_back(std::move(b));
  const auto bases = orthonormal_expansions(kernel, x, std::move(blocks));
  const Index s = bases[0].coefficients.cols(), t = bases[1].coefficients.cols();
  const OrthonormalExpansion& large = bases[s < t ? 1 : 0];
  const OrthonormalExpansion& small = bases[s < t ? 0 : 1];
  PrincipalAngles result =
      angles_from(inner(large.coefficients, small.values),
                  [&](const Matrix<double>& products, const Matrix<double>& rotation) {
                    Matrix<double> residual = small.coefficients;
                    add_product(-1.0, large.coefficients, products, residual);
                    residual = multiply(residual, rotation);
                    return ascending_roots(inner(residual, kernel_times(kernel, x, x, residual)));
                  });
  result.left_dimension = s;
  result.right_dimension = t;
  return result;
}

[[nodiscard]] inline Matrix<double> stack_rows(const Matrix<double>& x, const Matrix<double>& y) {
  Matrix<double> both(x.rows() + y.rows(), x.cols());
  both << x, y;
  return both;
}

[[nodiscard]] inline SparseMatrix<double> stack_rows(const SparseMatrix<double>& x,
                                                     const SparseMatrix<double>& y) {
  SparseMatrix<double> both(x.rows() + y.rows(), x.cols());
  both.topRows(x.rows()) = x;
  both.bottomRows(y.rows()) = y;
  return both;
}

/// An orthonormal basis of the span of the columns. The scales of the columns do not matter.
template <class U>
[[nodiscard]] Matrix<double> column_basis(const Eigen::MatrixBase<U>& u) {
  Matrix<double> columns = u.template cast<double>();
  require_finite_entries("principal_angles", columns);
  const RowSpace rows = RowSpace::whole(columns.rows());
  static_cast<void>(equilibrate_columns<double>(rows, columns));
  const auto cut = static_cast<double>(rounding_level<typename U::Scalar>(columns.cols()));
  Matrix<double> r = orthonormalize_columns<double>(rows, columns);
  keep_independent<double>(rows, columns, r, cut);
  return columns.leftCols(r.rows());
}

}  // namespace detail

/// Principal angles between the spans of the functions sum_j A_js phi(x_j) and sum_j B_jt phi(x_j).
///
/// Let \f$ \hat A \f$ and \f$ \hat B \f$ be bases with \f$ \hat A^T K \hat A = I \f$ and
/// \f$ \hat B^T K \hat B = I \f$. The cosines are the singular values of \f$ \hat A^T K \hat B \f$.
/// The sines are those of \f$ (I - P_A) \hat B \f$, computed from its coefficients. All bases of
/// the two spans give the same angles, and dependent columns are detected.
/// @param x  n x d samples; the Gram matrix for Precomputed
/// @param a  n x s coefficients, e.g. eigenvectors of K. For centred functions sum_j a_j
///   (phi(x_j) - mean), pass a - mean(a); the components of a centred KernelPca already have this
///   form.
/// Cost: three passes over K, O(n^2 (d + s + t)) time.
/// Memory: O(n (s + t)); K is never stored.
/// Throws InvalidArgument for shapes that do not fit and for values that are not finite.
/// Accuracy: computed in double. For orthonormal bases with coefficients of norm c, the error of
///   the angles is about 1e-16 c^2 mu_1, where mu_1 is the largest eigenvalue of K. For component i
///   of K this is 1e-16 mu_1/mu_i.
/// Source: Bjorck and Golub, Numerical methods for computing angles between linear subspaces, 1973.
template <KernelOrPrecomputed K, class X, class A, class B>
[[nodiscard]] PrincipalAngles principal_angles(const K& kernel, const X& x,
                                               const Eigen::MatrixBase<A>& a,
                                               const Eigen::MatrixBase<B>& b) {
  constexpr std::string_view who = "principal_angles";
  const auto& samples = detail::evaluable_in_double(who, kernel, x);
  return detail::expansion_angles(kernel, samples,
                                  detail::checked_coefficients(who, samples.rows(), a),
                                  detail::checked_coefficients(who, samples.rows(), b));
}

/// The same for expansions over different samples, sum_j A_js phi(x_j) and sum_j B_jt phi(y_j).
/// Cost: three passes over the kernel matrix of all n + m samples.
/// Accuracy: sines below about 1e-8 (double) are rounding error, since nothing cancels in the
///   coefficients. If x and y share samples, write both expansions over the union of the samples,
///   with zeros, and use the form above.
template <Kernel K, class X, class A, class Y, class B>
[[nodiscard]] PrincipalAngles principal_angles(const K& kernel, const X& x,
                                               const Eigen::MatrixBase<A>& a, const Y& y,
                                               const Eigen::MatrixBase<B>& b) {
  constexpr std::string_view who = "principal_angles";
  detail::require_same_dimension(who, x, y);
  const auto& left = detail::evaluable_in_double(who, kernel, x);
  const auto& right = detail::evaluable_in_double(who, kernel, y);
  const Index n = left.rows(), m = right.rows();
  Matrix<double> a_wide = Matrix<double>::Zero(n + m, a.cols());
  Matrix<double> b_wide = Matrix<double>::Zero(n + m, b.cols());
  a_wide.topRows(n) = detail::checked_coefficients(who, n, a);
  b_wide.bottomRows(m) = detail::checked_coefficients(who, m, b);
  return detail::expansion_angles(kernel, detail::stack_rows(left, right), std::move(a_wide),
                                  std::move(b_wide));
}

/// Principal angles between the column spans of U and V in R^n, e.g. of two sets of eigenvectors of
/// Gram matrices. The columns may be dependent and need not be orthonormal.
/// Shapes: U is n x s, V is n x t.
/// Cost: O(n (s + t)^2) time.
/// Accuracy: the error of the angles is a few epsilon.
/// Throws InvalidArgument if the numbers of rows differ or values are not finite.
template <class U, class V>
[[nodiscard]] PrincipalAngles principal_angles(const Eigen::MatrixBase<U>& u,
                                               const Eigen::MatrixBase<V>& v) {
  if (u.rows() != v.rows())
    detail::fail("mercer::principal_angles: U is ", u.rows(), " x ", u.cols(), ", V is ", v.rows(),
                 " x ", v.cols());
  const Matrix<double> left = detail::column_basis(u), right = detail::column_basis(v);
  const Matrix<double>& large = left.cols() < right.cols() ? right : left;
  const Matrix<double>& small = left.cols() < right.cols() ? left : right;
  PrincipalAngles result = detail::angles_from(
      inner(large, small), [&](const Matrix<double>& products, const Matrix<double>& rotation) {
        Matrix<double> residual = small;
        add_product(-1.0, large, products, residual);
        const ThinQr<double> qr = orthonormalize(multiply(residual, rotation));
        return Vector<double>(singular_system(qr.R).values.reverse());
      });
  result.left_dimension = left.cols();
  result.right_dimension = right.cols();
  return result;
}

}  // namespace mercer

#endif  // MERCER_METRICS_PRINCIPAL_ANGLES_HPP
