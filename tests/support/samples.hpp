// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Samples for tests, the same on every platform, and the messages of errors.

#ifndef MERCER_TESTS_SUPPORT_SAMPLES_HPP
#define MERCER_TESTS_SUPPORT_SAMPLES_HPP

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>

namespace mercer::test {

/// n x d numbers, uniform in [low, high), fixed by the seed: the words of std::mt19937_64 are laid
/// down by the C++ standard, and the rest is done here.
template <Real S>
[[nodiscard]] Matrix<S> uniform_samples(Index n, Index d, std::uint64_t seed, double low = -1,
                                        double high = 1) {
  std::mt19937_64 engine(seed);
  Matrix<S> x(n, d);
  for (Index j = 0; j < d; ++j)
    for (Index i = 0; i < n; ++i)
      x(i, j) = static_cast<S>(low + (high - low) * static_cast<double>(engine() >> 11U) * 0x1p-53);
  return x;
}

/// The same with about two thirds of the entries 0 and, from three rows on, rows of zeros only.
template <Real S>
[[nodiscard]] Matrix<S> sparse_looking_samples(Index n, Index d, std::uint64_t seed) {
  const Matrix<S> mask = uniform_samples<S>(n, d, seed + 1);
  Matrix<S> x = uniform_samples<S>(n, d, seed)
                    .cwiseProduct((mask.array() > S(1) / S(3)).template cast<S>().matrix());
  for (Index i = 2; i < n; i += 7) x.row(i).setZero();
  return x;
}

/// Whether results of two numbers of threads have the same bits. Where LAPACK is behind Eigen,
/// whose own results may differ in their last bits, a difference of \p rounding of the norm is
/// allowed.
template <class A, class B>
[[nodiscard]] bool same_bits_but_lapack(const A& a, const B& b, [[maybe_unused]] double rounding) {
#if defined(EIGEN_USE_LAPACKE)
  return (a - b).norm() <= rounding * b.norm();
#else
  return a == b;
#endif
}

/// The entries in the chosen rows and columns of a matrix.
template <class M>
[[nodiscard]] auto block_at(const M& m, const std::vector<Index>& rows,
                            const std::vector<Index>& columns) {
  Matrix<typename M::Scalar> taken(static_cast<Index>(rows.size()),
                                   static_cast<Index>(columns.size()));
  for (Index i = 0; i < taken.rows(); ++i)
    for (Index j = 0; j < taken.cols(); ++j)
      taken(i, j) = m(rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(j)]);
  return taken;
}

/// 0, 1, ..., n - 1.
[[nodiscard]] inline std::vector<Index> all_indices(Index n) {
  std::vector<Index> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

/// The chosen rows of a matrix.
template <class M>
[[nodiscard]] auto rows_at(const M& m, const std::vector<Index>& rows) {
  return block_at(m, rows, all_indices(m.cols()));
}

/// The chosen columns of a matrix.
template <class M>
[[nodiscard]] auto columns_at(const M& m, const std::vector<Index>& columns) {
  return block_at(m, all_indices(m.rows()), columns);
}

/// The message of the InvalidArgument that \p action throws.
template <class Action>
[[nodiscard]] std::string error_of(Action&& action) {
  try {
    (void)action();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_SUPPORT_SAMPLES_HPP
