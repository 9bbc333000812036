// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Plain dense forms of what the library computes without forming them.

#ifndef MERCER_TESTS_SUPPORT_DENSE_ORACLE_HPP
#define MERCER_TESTS_SUPPORT_DENSE_ORACLE_HPP

#include <cstdint>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <mercer/core/types.hpp>
#include <tests/support/samples.hpp>

namespace mercer::test {

/// J = I - 1 1^T / n, formed.
template <Real S>
[[nodiscard]] Matrix<S> centering_matrix(Index n) {
  return Matrix<S>::Identity(n, n) - Matrix<S>::Constant(n, n, S(1) / static_cast<S>(n));
}

/// A symmetric matrix with these eigenvalues and random eigenvectors, fixed by the seed.
template <Real S>
[[nodiscard]] Matrix<S> with_spectrum(const Vector<S>& eigenvalues, std::uint64_t seed) {
  const Index n = eigenvalues.size();
  const Matrix<S> q =
      Eigen::HouseholderQR<Matrix<S>>(uniform_samples<S>(n, n, seed)).householderQ() *
      Matrix<S>::Identity(n, n);
  const Matrix<S> a = q * eigenvalues.asDiagonal() * q.transpose();
  return (a + a.transpose()) / S(2);
}

/// Sine of the largest angle between the spans of two matrices with orthonormal columns, computed
/// as the part of the second that the first does not reach, so that tiny angles keep their digits.
template <Real S>
[[nodiscard]] double largest_sine(const Matrix<S>& u, const Matrix<S>& v) {
  const Matrix<S> rest = v - u * (u.transpose() * v);
  const Matrix<S> gram = rest.transpose() * rest;
  return std::sqrt((std::max)(0.0, static_cast<double>(Eigen::SelfAdjointEigenSolver<Matrix<S>>(
                                                           gram, Eigen::EigenvaluesOnly)
                                                           .eigenvalues()
                                                           .maxCoeff())));
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_SUPPORT_DENSE_ORACLE_HPP
