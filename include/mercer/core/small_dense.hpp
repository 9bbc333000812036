// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Decompositions of small dense matrices, in descending order.

#ifndef MERCER_CORE_SMALL_DENSE_HPP
#define MERCER_CORE_SMALL_DENSE_HPP

#include <cmath>
#include <limits>
#include <string_view>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include <mercer/core/errors.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// Eigenvalues in descending order and their orthonormal eigenvectors, one per column.
template <Real S>
struct EigenSystem {
  Vector<S> values;
  Matrix<S> vectors;
};

/// Singular values in descending order and their orthonormal vectors: left diag(values) right^T.
template <Real S>
struct SingularSystem {
  Matrix<S> left;
  Vector<S> values;
  Matrix<S> right;
};

namespace detail {

/// Keeps the products of the calling thread on that thread, while it lives. Split over threads,
/// Eigen's sums depend on how many there are, and with them the last bits of the result.
/// Not needed in a task of parallel_for, whose products stay on its thread anyway.
class SingleThread {
 public:
  SingleThread() : threads_(thread_count()) { set(1); }
  ~SingleThread() { set(threads_); }
  SingleThread(const SingleThread&) = delete;
  SingleThread& operator=(const SingleThread&) = delete;

 private:
  static void set([[maybe_unused]] int threads) noexcept {
#if defined(_OPENMP)
    omp_set_num_threads(threads);
#endif
  }

  int threads_;
};

/// What rounding can make of a zero singular value, relative to the terms that cancelled, in a
/// matrix with \p size columns. The errors of the columns add up like independent ones.
template <Real S>
[[nodiscard]] S rounding_level(Index size) {
  return 4 * std::sqrt(static_cast<S>(size)) * std::numeric_limits<S>::epsilon();
}

template <Real S>
void require_finite_entries(std::string_view who, const Matrix<S>& a) {
  if (!a.allFinite()) fail("mercer::", who, ": values are not all finite");
}

/// A B, for small matrices.
template <Real S>
[[nodiscard]] Matrix<S> small_product(const Matrix<S>& a, const Matrix<S>& b) {
  const SingleThread one;
  return a * b;
}

}  // namespace detail

/// The eigensystem of a symmetric matrix, of which only the lower triangle is read.
/// Cost: O(k^3), in double for either scalar: small next to the rows it stands for, and one
/// instantiation of Eigen's template.  Throws: InvalidArgument if entries are not finite.
template <Real S>
[[nodiscard]] EigenSystem<S> symmetric_eigensystem(const Matrix<S>& a) {
  if (a.rows() == 0) return {Vector<S>(0), Matrix<S>(0, 0)};
  detail::require_finite_entries("symmetric_eigensystem", a);
  const detail::SingleThread one;
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> solver(a.template cast<double>());
  MERCER_ASSERT(solver.info() == Eigen::Success);
  return {solver.eigenvalues().reverse().template cast<S>(),
          solver.eigenvectors().rowwise().reverse().template cast<S>()};
}

/// The thin singular value decomposition, with min(rows, cols) triplets.
/// Cost: O(rows cols min(rows, cols)), in double for either scalar, as for symmetric_eigensystem.
/// Throws: InvalidArgument if entries are not finite.
template <Real S>
[[nodiscard]] SingularSystem<S> singular_system(const Matrix<S>& a) {
  if (a.size() == 0) return {Matrix<S>(a.rows(), 0), Vector<S>(0), Matrix<S>(a.cols(), 0)};
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

}  // namespace mercer

#endif  // MERCER_CORE_SMALL_DENSE_HPP
