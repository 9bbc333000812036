// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The worked data set X4 of the specification, its two test points and what is known of them.

#ifndef MERCER_TESTS_SUPPORT_X4_HPP
#define MERCER_TESTS_SUPPORT_X4_HPP

#include <mercer/core/types.hpp>

namespace mercer::test {

/// The four points (0,0), (1,0), (0,2), (1.5,1).
template <Real S = double>
[[nodiscard]] Matrix<S> x4() {
  Matrix<S> x(4, 2);
  x << S(0), S(0), S(1), S(0), S(0), S(2), S(1.5), S(1);
  return x;
}

/// The test points (.5,.5), (2,2).
template <Real S = double>
[[nodiscard]] Matrix<S> x4_queries() {
  Matrix<S> q(2, 2);
  q << S(0.5), S(0.5), S(2), S(2);
  return q;
}

/// Eigenvalues of the centred Gram matrix of Gaussian{1} on X4.
template <Real S = double>
[[nodiscard]] Vector<S> x4_eigenvalues() {
  Vector<S> mu(3);
  mu << S(1.059134974261), S(.791028717309), S(.273318448180);
  return mu;
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_SUPPORT_X4_HPP
