// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Eigenpairs of a dense symmetric matrix: all eigenvalues first, then the wanted eigenvectors.

#ifndef MERCER_SOLVERS_DENSE_DETAIL_DENSE_EIGEN_HPP
#define MERCER_SOLVERS_DENSE_DETAIL_DENSE_EIGEN_HPP

#include <cstddef>
#include <limits>

#include <Eigen/Eigenvalues>

#include <mercer/core/compiled.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

#if defined(EIGEN_USE_LAPACKE)

inline constexpr const char* dense_eigen_name = "LAPACK";

/// The LAPACK routines, overloaded by precision. Column-major; a is n x n.
inline lapack_int sytrd(lapack_int n, double* a, double* d, double* e, double* tau) {
  return LAPACKE_dsytrd(LAPACK_COL_MAJOR, 'L', n, a, n, d, e, tau);
}
inline lapack_int sytrd(lapack_int n, float* a, float* d, float* e, float* tau) {
  return LAPACKE_ssytrd(LAPACK_COL_MAJOR, 'L', n, a, n, d, e, tau);
}
inline lapack_int sterf(lapack_int n, double* d, double* e) {
  return LAPACKE_dsterf(n, d, e);
}
inline lapack_int sterf(lapack_int n, float* d, float* e) {
  return LAPACKE_ssterf(n, d, e);
}
inline lapack_int stemr(lapack_int n, double* d, double* e, lapack_int first, lapack_int* found,
                        double* w, double* z, lapack_int* support) {
  lapack_logical accurate = 1;
  return LAPACKE_dstemr(LAPACK_COL_MAJOR, 'V', 'I', n, d, e, 0, 0, first, n, found, w, z, n,
                        n - first + 1, support, &accurate);
}
inline lapack_int stemr(lapack_int n, float* d, float* e, lapack_int first, lapack_int* found,
                        float* w, float* z, lapack_int* support) {
  lapack_logical accurate = 1;
  return LAPACKE_sstemr(LAPACK_COL_MAJOR, 'V', 'I', n, d, e, 0, 0, first, n, found, w, z, n,
                        n - first + 1, support, &accurate);
}
inline lapack_int stedc(lapack_int n, double* d, double* e, double* z) {
  return LAPACKE_dstedc(LAPACK_COL_MAJOR, 'I', n, d, e, z, n);
}
inline lapack_int stedc(lapack_int n, float* d, float* e, float* z) {
  return LAPACKE_sstedc(LAPACK_COL_MAJOR, 'I', n, d, e, z, n);
}
inline lapack_int ormtr(lapack_int n, lapack_int k, const double* a, const double* tau, double* z) {
  return LAPACKE_dormtr(LAPACK_COL_MAJOR, 'L', 'L', 'N', n, k, a, n, tau, z, n);
}
inline lapack_int ormtr(lapack_int n, lapack_int k, const float* a, const float* tau, float* z) {
  return LAPACKE_sormtr(LAPACK_COL_MAJOR, 'L', 'L', 'N', n, k, a, n, tau, z, n);
}

/// Tridiagonal form, eigenvalues by the square-root-free QR iteration, up to n / 2 leading vectors
/// by relatively robust representations. These are the steps of LAPACK's xSYEVR, called one by one,
/// so that the number of vectors can depend on all eigenvalues. More vectors by divide and conquer,
/// as in xSYEVD: it finds all of them, in less time, and orthogonal to rounding error; and where
/// the other method fails.
/// Cost: 4/3 n^3 for the eigenvalues, O(n^2 k) for k <= n / 2 vectors, O(n^3) for more.
/// Memory: works in place. Overwrites the lower triangle and the diagonal of the matrix; the
///   strictly upper triangle stays unchanged.
/// Lifetime: refers to the matrix.
template <Real S>
class DenseEigen {
 public:
  explicit DenseEigen(Matrix<S>& a) : a_(a), n_(static_cast<lapack_int>(a.rows())) {
    diagonal_.resize(a.rows());
    off_diagonal_ = Vector<S>::Zero(a.rows());
    reflectors_.resize(a.rows());
    ok_ = sytrd(n_, a_.data(), diagonal_.data(), off_diagonal_.data(), reflectors_.data()) == 0;
    Vector<S> e = off_diagonal_;
    values_ = diagonal_;
    ok_ = ok_ && sterf(n_, values_.data(), e.data()) == 0;
  }

  [[nodiscard]] bool ok() const { return ok_; }

  /// All eigenvalues, ascending.
  [[nodiscard]] const Vector<S>& eigenvalues() const { return values_; }

  /// Eigenvectors of the k largest eigenvalues, in descending order. Call at most once.
  [[nodiscard]] Matrix<S> leading_vectors(Index k) {
    if (k == 0) return Matrix<S>(a_.rows(), 0);
    Matrix<S> z(a_.rows(), 0);
    if (!takes_all(a_.rows(), k)) z = leading_of_tridiagonal(k);
    if (z.cols() == 0) z = all_of_tridiagonal();
    S* const leading = z.data() + (z.cols() - k) * z.rows();
    ok_ = ok_ && ormtr(n_, static_cast<lapack_int>(k), a_.data(), reflectors_.data(), leading) == 0;
    if (k < z.cols()) return z.rightCols(k).rowwise().reverse();
    z.rowwise().reverseInPlace();
    return z;
  }

  /// Bytes beside the matrix and the k vectors; n^2 values more where all vectors have to be found.
  [[nodiscard]] static std::size_t bytes(Index n, Index k) {
    const Index vectors = takes_all(n, k) ? n * (2 * n - k) : 0;
    return static_cast<std::size_t>(vectors + 5 * n) * sizeof(S);
  }

 private:
  /// Whether finding all vectors takes less time than finding k.
  [[nodiscard]] static bool takes_all(Index n, Index k) { return 2 * k > n; }

  /// Eigenvectors of the tridiagonal form, in ascending order of their eigenvalues.
  [[nodiscard]] Matrix<S> all_of_tridiagonal() {
    Matrix<S> z(a_.rows(), a_.rows());
    ok_ = stedc(n_, diagonal_.data(), off_diagonal_.data(), z.data()) == 0;
    return z;
  }
  /// Those of the k largest eigenvalues; none if the method fails. If eigenvalues of several blocks
  /// of the tridiagonal form are nearly the same, xSTEMR may leave vectors zero, or find those of
  /// other eigenvalues, and say nothing.
  [[nodiscard]] Matrix<S> leading_of_tridiagonal(Index k) const {
    Matrix<S> z(a_.rows(), k);
    Vector<S> d = diagonal_, e = off_diagonal_, w(a_.rows());
    Eigen::Matrix<lapack_int, Eigen::Dynamic, 1> support(2 * k);
    lapack_int found = 0;
    const auto first = static_cast<lapack_int>(a_.rows() - k + 1);
    const bool good =
        stemr(n_, d.data(), e.data(), first, &found, w.data(), z.data(), support.data()) == 0 &&
        found == static_cast<lapack_int>(k) && are_vectors_of_tridiagonal(z);
    return good ? z : Matrix<S>(a_.rows(), 0);
  }
  /// Whether columns are orthonormal, and eigenvectors of the largest eigenvalues, but for what
  /// rounding may do.
  /// Cost: 2 n k^2.
  [[nodiscard]] bool are_vectors_of_tridiagonal(const Matrix<S>& z) const {
    const Index n = z.rows(), k = z.cols();
    const S rounding = 8 * static_cast<S>(n) * std::numeric_limits<S>::epsilon();
    const Matrix<S> off = small_product<S>(z.transpose(), z) - Matrix<S>::Identity(k, k);
    if (!(off.cwiseAbs().maxCoeff() <= rounding)) return false;
    Matrix<S> residual = diagonal_.asDiagonal() * z;
    residual -= z * values_.tail(k).asDiagonal();
    const auto couplings = off_diagonal_.head(n - 1).asDiagonal();
    residual.bottomRows(n - 1) += couplings * z.topRows(n - 1);
    residual.topRows(n - 1) += couplings * z.bottomRows(n - 1);
    return residual.cwiseAbs().maxCoeff() <= rounding * values_.cwiseAbs().maxCoeff();
  }

  Matrix<S>& a_;
  lapack_int n_;
  bool ok_ = false;
  Vector<S> diagonal_, off_diagonal_, reflectors_, values_;
};

#else

inline constexpr const char* dense_eigen_name = "Eigen";

/// Eigen's SelfAdjointEigenSolver: computes all eigenvectors and returns the leading ones. The
/// matrix stays unchanged.
/// Cost: about 9 n^3.
template <Real S>
class DenseEigen {
 public:
  explicit DenseEigen(const Matrix<S>& a);

  [[nodiscard]] bool ok() const { return solver_.info() == Eigen::Success; }

  /// All eigenvalues, ascending.
  [[nodiscard]] const Vector<S>& eigenvalues() const { return solver_.eigenvalues(); }

  /// Eigenvectors of the k largest eigenvalues, in descending order.
  [[nodiscard]] Matrix<S> leading_vectors(Index k) {
    return solver_.eigenvectors().rightCols(k).rowwise().reverse();
  }

  /// Bytes beside the matrix and the k vectors.
  [[nodiscard]] static std::size_t bytes(Index n, Index) {
    return static_cast<std::size_t>(n) * static_cast<std::size_t>(n + 4) * sizeof(S);
  }

 private:
  Eigen::SelfAdjointEigenSolver<Matrix<S>> solver_;
};

template <Real S>
DenseEigen<S>::DenseEigen(const Matrix<S>& a) : solver_(a) {}

#endif

#define MERCER_DENSE_EIGEN(S) MERCER_INSTANTIATE_DENSE(class DenseEigen<S>)
MERCER_FOR_SCALARS(MERCER_DENSE_EIGEN)
#undef MERCER_DENSE_EIGEN

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DENSE_DETAIL_DENSE_EIGEN_HPP
