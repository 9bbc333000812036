// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The Cholesky factor of a semidefinite matrix, on rows that are linearly independent to rounding.

#ifndef MERCER_SOLVERS_NYSTROM_DETAIL_INDEPENDENT_ROWS_HPP
#define MERCER_SOLVERS_NYSTROM_DETAIL_INDEPENDENT_ROWS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include <mercer/core/small_dense.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/product.hpp>

namespace mercer::detail {

/// A symmetric matrix restricted to rows and columns that are linearly independent to rounding.
template <Real S>
struct IndependentRows {
  std::vector<Index> rows;    ///< r of them, in the order of the pivots
  Matrix<S> lower;            ///< r x r, A(rows, rows) = lower lower^T
  S most_negative_pivot = 0;  ///< of the remaining matrix; below rounding error: A is indefinite
};

/// Cholesky factorisation with complete pivoting, or in the order given, which stops at the first
/// pivot <= \p cut.
/// Cost: O(r m^2) time in matrix products, on all threads. Uses \p a as workspace.
template <Real S>
[[nodiscard]] IndependentRows<S> independent_rows(Matrix<S> a, S cut, bool pivoting = true) {
  constexpr Index panel = 64;
  const Index m = a.rows();
  IndependentRows<S> out;
  out.rows.resize(static_cast<std::size_t>(m));
  std::iota(out.rows.begin(), out.rows.end(), Index{0});
  Vector<S> left = a.diagonal();
  Index r = 0;
  for (bool more = true; more && r < m;) {
    const Index first = r, last = (std::min)(m, first + panel);
    {
      const SingleThread one;  // BLAS would wake its threads for each of these small products
      for (; r < last; ++r) {
        Index p = 0;
        more = (pivoting ? left.tail(m - r).maxCoeff(&p) : left(r)) > cut;
        if (!more) break;
        p += r;
        std::swap(out.rows[static_cast<std::size_t>(r)], out.rows[static_cast<std::size_t>(p)]);
        std::swap(left(r), left(p));
        a.row(r).swap(a.row(p));
        a.col(r).swap(a.col(p));
        const Index rest = m - r - 1;
        a(r, r) = std::sqrt(left(r));
        a.col(r).tail(rest) -=
            a.block(r + 1, first, rest, r - first) * a.row(r).segment(first, r - first).transpose();
        a.col(r).tail(rest) /= a(r, r);
        left.tail(rest) -= a.col(r).tail(rest).cwiseAbs2();
      }
    }
    if (!more || r == m) break;
    const Index rest = m - r;
    parallel_for(tile_count(rest), [&](Index task) {
      const Range cols = Range::tile(task, rest);
      const Matrix<S> right = -a.block(r + cols.begin, first, cols.size, r - first).transpose();
      multiply_add<S>(a.block(r, first, rest, r - first), right,
                      a.block(r, r + cols.begin, rest, cols.size));
    });
  }
  if (r < m) out.most_negative_pivot = (std::min)(S(0), left.tail(m - r).minCoeff());
  out.rows.resize(static_cast<std::size_t>(r));
  out.lower = a.topLeftCorner(r, r).template triangularView<Eigen::Lower>();
  return out;
}

/// L^-T, upper triangular.
/// Threads: over blocks of columns.
template <Real S>
[[nodiscard]] Matrix<S> inverse_transpose(const Matrix<S>& lower) {
  const Index r = lower.rows();
  Matrix<S> out = Matrix<S>::Zero(r, r);
  parallel_for(tile_count(r), [&](Index task) {
    const Range cols = Range::tile(task, r);
    const Index top = cols.begin + cols.size;
    Matrix<S> block = Matrix<S>::Zero(top, cols.size);
    block.bottomRows(cols.size).setIdentity();
    lower.topLeftCorner(top, top).transpose().template triangularView<Eigen::Upper>().solveInPlace(
        block);
    out.block(0, cols.begin, top, cols.size) = block;
  });
  return out;
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_NYSTROM_DETAIL_INDEPENDENT_ROWS_HPP
