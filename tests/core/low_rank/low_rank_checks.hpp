// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What the tests of LowRank share: matrices of low rank and the dense proximal map.

#ifndef MERCER_TESTS_CORE_LOW_RANK_LOW_RANK_CHECKS_HPP
#define MERCER_TESTS_CORE_LOW_RANK_LOW_RANK_CHECKS_HPP

#include <cstdint>
#include <limits>
#include <string_view>

#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/small_dense.hpp>
#include <tests/support/catch.hpp>

namespace mercer {

// Compiled once, in small_dense_test.cpp: Eigen's decompositions take longer than these tests.
extern template EigenSystem<float> symmetric_eigensystem(const Matrix<float>&);
extern template EigenSystem<double> symmetric_eigensystem(const Matrix<double>&);
extern template SingularSystem<float> singular_system(const Matrix<float>&);
extern template SingularSystem<double> singular_system(const Matrix<double>&);

}  // namespace mercer

namespace mercer::test {

inline constexpr std::uint64_t low_rank_seed = 17;

// A few roundings in sums over up to a hundred terms, relative to the size of the terms.
template <class S>
inline constexpr S low_rank_tolerance = 400 * std::numeric_limits<S>::epsilon();

template <class S>
Matrix<S> normal(Index rows, Index cols, std::string_view purpose) {
  return normal_matrix<S>(rows, cols, low_rank_seed, purpose);
}

template <class S>
Matrix<S> symmetric(const Matrix<S>& a) {
  return (a + a.transpose()) / 2;
}

/// D_threshold of a dense matrix.
template <class S>
Matrix<S> dense_shrink(const Matrix<S>& a, S threshold) {
  const SingularSystem<double> svd = singular_system<double>(a.template cast<double>());
  const Vector<double> values = (svd.values.array() - double(threshold)).max(0);
  return (svd.left * values.asDiagonal() * svd.right.transpose()).template cast<S>();
}

template <class S>
void check_equal(const LowRank<S>& z, const Matrix<S>& expected, S size) {
  CHECK(z.check_invariants(low_rank_tolerance<S>));
  CHECK((z.dense() - expected).stableNorm() <= low_rank_tolerance<S> * size);
}

template <class S>
void check_equal(const LowRank<S>& z, const Matrix<S>& expected) {
  check_equal(z, expected, expected.stableNorm());
}

template <class S>
LowRank<S> general(Index rows, Index cols, Index rank) {
  return LowRank<S>::from_factors(normal<S>(rows, rank, "left"), normal<S>(cols, rank, "right"));
}

template <class S>
LowRank<S> indefinite(Index n, Index rank) {
  return LowRank<S>::from_symmetric(normal<S>(n, rank, "basis"),
                                    symmetric(normal<S>(rank, rank, "middle")));
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_CORE_LOW_RANK_LOW_RANK_CHECKS_HPP
