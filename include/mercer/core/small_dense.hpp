// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Decompositions of small dense matrices, with values in descending order.

#ifndef MERCER_CORE_SMALL_DENSE_HPP
#define MERCER_CORE_SMALL_DENSE_HPP

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string_view>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// Eigenvalues in descending order and their orthonormal eigenvectors, one per column.
template <Real S>
struct EigenSystem {
  Vector<S> values;   ///< k, descending
  Matrix<S> vectors;  ///< n x k
};

/// Singular values in descending order and their orthonormal vectors: left diag(values) right^T.
template <Real S>
struct SingularSystem {
  Matrix<S> left;    ///< m x k
  Vector<S> values;  ///< k, descending
  Matrix<S> right;   ///< n x k
};

namespace detail {

/// While it lives, Eigen's products on the calling thread stay on that thread. If Eigen split them,
/// the last bits of the result would depend on the number of threads. Not needed inside a task of
/// parallel_for, whose products stay on its thread anyway.
class SingleThread {
 public:
  SingleThread() : threads_(get()) { set(1); }
  ~SingleThread() { set(threads_); }
  SingleThread(const SingleThread&) = delete;
  SingleThread& operator=(const SingleThread&) = delete;

 private:
  // OpenMP's own setting, which a CPU quota does not change.
  static int get() noexcept {
#if defined(_OPENMP)
    return omp_get_max_threads();
#else
    return 1;
#endif
  }

  static void set([[maybe_unused]] int threads) noexcept {
#if defined(_OPENMP)
    omp_set_num_threads(threads);
#endif
  }

  int threads_;
};

/// The size that a zero singular value can get by rounding, in a matrix with \p size columns,
/// relative to the terms that cancelled. The errors of the columns add up like independent ones.
template <Real S>
[[nodiscard]] S rounding_level(Index size) {
  return 4 * std::sqrt(static_cast<S>(size)) * std::numeric_limits<S>::epsilon();
}

template <Real S>
void require_finite_entries(std::string_view who, const Matrix<S>& a) {
  if (!a.allFinite()) fail("mercer::", who, ": values are not all finite");
}

/// A B, for small matrices, empty ones among them: BLAS does not take those.
template <Real S>
[[nodiscard]] Matrix<S> small_product(const Matrix<S>& a, const Matrix<S>& b) {
  if (a.size() == 0 || b.size() == 0) return Matrix<S>::Zero(a.rows(), b.cols());
  const SingleThread one;
  return a * b;
}

/// A <- J A J with J = I - 1 1^T / m, for a symmetric m x m matrix.
template <Real S>
void center_symmetric(Matrix<S>& a) {
  a.rowwise() -= a.colwise().mean().eval();
  a.colwise() -= a.rowwise().mean().eval();
}

/// The eigenvalues of a symmetric matrix, ascending, and its eigenvectors in place of the matrix,
/// which holds nothing of use afterwards if they are not wanted.
/// Only the lower triangle is read. Returns false if the iteration does not converge.
/// With LAPACK by divide and conquer (xSYEVD): from some hundred rows on, this is several times
/// faster than the QR iteration, which Eigen asks LAPACK for.
/// Memory: n^2 values in Eigen; in LAPACK 2 n^2, and none without eigenvectors.
template <std::same_as<double> S>
[[nodiscard]] bool eigensystem_in_place(Matrix<S>& a, Vector<S>& values, bool want_vectors) {
#if defined(EIGEN_USE_LAPACKE)
  const auto n = static_cast<lapack_int>(a.rows());
  const char job = want_vectors ? 'V' : 'N';
  values.resize(a.rows());
  return LAPACKE_dsyevd(LAPACK_COL_MAJOR, job, 'L', n, a.data(), n, values.data()) == 0;
#else
  const Eigen::SelfAdjointEigenSolver<Matrix<S>> solver(
      a, want_vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (want_vectors) a = solver.eigenvectors();
  values = solver.eigenvalues();
  return solver.info() == Eigen::Success;
#endif
}

/// See symmetric_eigensystem and symmetric_eigenvalues.
template <Real S>
[[nodiscard]] EigenSystem<S> eigensystem_of(const Matrix<S>& a, bool want_vectors) {
  if (a.rows() == 0) return {Vector<S>(0), Matrix<S>(0, 0)};
  const PhaseTimer timer(Phase::Eigenproblems, static_cast<std::size_t>(a.size()) * sizeof(S));
  require_finite_entries(want_vectors ? "symmetric_eigensystem" : "symmetric_eigenvalues", a);
  const SingleThread one;
  Matrix<double> vectors = a.template cast<double>();
  Vector<double> values;
  [[maybe_unused]] const bool converged = eigensystem_in_place(vectors, values, want_vectors);
  MERCER_ASSERT(converged);
  EigenSystem<S> system{.values = values.reverse().template cast<S>(), .vectors = {}};
  if (want_vectors) system.vectors = vectors.rowwise().reverse().template cast<S>();
  return system;
}

}  // namespace detail

/// The eigensystem of a symmetric k x k matrix. Only the lower triangle is read. Computed in double
/// for both scalars: this is cheap compared with the work on n rows, and Eigen's template is
/// instantiated once.
/// Cost: O(k^3).
/// Throws InvalidArgument if entries are not finite.
template <Real S>
[[nodiscard]] EigenSystem<S> symmetric_eigensystem(const Matrix<S>& a) {
  return detail::eigensystem_of(a, true);
}

/// The eigenvalues of symmetric_eigensystem alone.
/// Cost: O(k^3), from some hundred rows on a fraction of that with eigenvectors.
/// Throws InvalidArgument if entries are not finite.
template <Real S>
[[nodiscard]] Vector<S> symmetric_eigenvalues(const Matrix<S>& a) {
  return detail::eigensystem_of(a, false).values;
}

/// The thin singular value decomposition, with min(rows, cols) triplets. Computed in double for
/// both scalars, as in symmetric_eigensystem.
/// Cost: O(rows cols min(rows, cols)).
/// Throws InvalidArgument if entries are not finite.
template <Real S>
[[nodiscard]] SingularSystem<S> singular_system(const Matrix<S>& a) {
  if (a.size() == 0) return {Matrix<S>(a.rows(), 0), Vector<S>(0), Matrix<S>(a.cols(), 0)};
  const PhaseTimer timer(Phase::Eigenproblems, static_cast<std::size_t>(a.size()) * sizeof(S));
  detail::require_finite_entries("singular_system", a);
  const detail::SingleThread one;
  constexpr int thin = Eigen::ComputeThinU | Eigen::ComputeThinV;
#if EIGEN_VERSION_AT_LEAST(3, 4, 90)
  const Eigen::BDCSVD<Matrix<double>, thin> svd(a.template cast<double>());
#else
  const Eigen::BDCSVD<Matrix<double>> svd(a.template cast<double>(), thin);
#endif
  MERCER_ASSERT(svd.info() == Eigen::Success);
  return {svd.matrixU().template cast<S>(), svd.singularValues().template cast<S>(),
          svd.matrixV().template cast<S>()};
}

#define MERCER_SMALL_DENSE(S)                                                                \
  MERCER_INSTANTIATE_EIGENSYSTEMS(                                                           \
      Matrix<S> detail::small_product<S>(const Matrix<S>&, const Matrix<S>&))                \
  MERCER_INSTANTIATE_EIGENSYSTEMS(EigenSystem<S> symmetric_eigensystem<S>(const Matrix<S>&)) \
  MERCER_INSTANTIATE_EIGENSYSTEMS(Vector<S> symmetric_eigenvalues<S>(const Matrix<S>&))      \
  MERCER_INSTANTIATE_EIGENSYSTEMS(SingularSystem<S> singular_system<S>(const Matrix<S>&))
MERCER_FOR_SCALARS(MERCER_SMALL_DENSE)
#undef MERCER_SMALL_DENSE

}  // namespace mercer

#endif  // MERCER_CORE_SMALL_DENSE_HPP
