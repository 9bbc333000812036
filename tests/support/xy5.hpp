// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The five worked pairs of the specification, a third view, and a pair to test at.

#ifndef MERCER_TESTS_SUPPORT_XY5_HPP
#define MERCER_TESTS_SUPPORT_XY5_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <tests/support/catch.hpp>

namespace mercer::test {

/// (0,0), (1,0), (0,2), (1.5,1), (2,2).
[[nodiscard]] inline Matrix<double> x5() {
  Matrix<double> x(5, 2);
  x << 0, 0, 1, 0, 0, 2, 1.5, 1, 2, 2;
  return x;
}
[[nodiscard]] inline Matrix<double> y5() {
  Matrix<double> y(5, 1);
  y << .3, -.6, 1.1, .4, 1.9;
  return y;
}
[[nodiscard]] inline Matrix<double> z5() {
  Matrix<double> z(5, 1);
  z << .2, .5, -1, 1.5, .9;
  return z;
}
[[nodiscard]] inline Matrix<double> x5_query() {
  return Matrix<double>::Constant(1, 2, .5);
}
[[nodiscard]] inline Matrix<double> y5_query() {
  return Matrix<double>::Constant(1, 1, .5);
}

/// Each value is the expected one within the tolerance, by default as far as the specification
/// prints them.
inline void check_vector(const Matrix<double>& found, const std::vector<double>& expected,
                         double tolerance = 1e-10) {
  REQUIRE(found.size() == static_cast<Index>(expected.size()));
  for (Index i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(found(i) - expected[static_cast<std::size_t>(i)]) <= tolerance);
  }
}

/// Two views of n pairs, 2 and 3 columns. The first columns share .8 of a normal variable; the rest
/// is noise.
struct TwoViewSamples {
  Matrix<double> x, y;
};

[[nodiscard]] inline TwoViewSamples correlated_views(Index n, std::uint64_t seed) {
  TwoViewSamples out{normal_matrix<double>(n, 2, seed, "view x"),
                     normal_matrix<double>(n, 3, seed, "view y")};
  const Matrix<double> common = normal_matrix<double>(n, 1, seed, "common");
  out.x.col(0) = .8 * common.col(0) + .6 * out.x.col(0);
  out.y.col(0) = .8 * common.col(0) + .6 * out.y.col(0);
  return out;
}

/// A balanced design of two factors with two levels, three pairs of each combination. The views are
/// not correlated at all, but sums over the pairs have rounding errors.
[[nodiscard]] inline TwoViewSamples factorial_design() {
  TwoViewSamples out{Matrix<double>(12, 1), Matrix<double>(12, 1)};
  for (Index i = 0; i < 12; ++i) {
    out.x(i, 0) = i % 4 < 2 ? .3 : -.3;
    out.y(i, 0) = i % 2 == 0 ? .7 : -.7;
  }
  return out;
}

/// The Gram matrix of a view, centred, formed.
template <class K>
[[nodiscard]] Matrix<double> centered_gram(const K& kernel, const Matrix<double>& x) {
  const Index n = x.rows();
  const Matrix<double> j =
      Matrix<double>::Identity(n, n) - Matrix<double>::Constant(n, n, 1 / static_cast<double>(n));
  const Matrix<double> k = j * gram(kernel, x) * j;
  return (k + k.transpose()) / 2;
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_SUPPORT_XY5_HPP
