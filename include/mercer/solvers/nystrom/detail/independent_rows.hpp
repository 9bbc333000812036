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

#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
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

/// Swaps rows and columns of \p a, where step i of a Cholesky factorisation took row pivots[i] for
/// row first + i, and sets the columns of the factor that were found in these steps.
/// \param factor  of the rows from \p first on, in the order that they have in \p a
/// Threads: over columns.
template <Real S>
void bring_pivots_forward(Index first, const std::vector<Index>& pivots, const Matrix<S>& factor,
                          Matrix<S>& a) {
  const Index m = a.rows();
  const auto swap_all = [&](auto vectors) {
    Index row = first;
    for (const Index pivot : pivots) {
      if (pivot != row) vectors(row, pivot);
      ++row;
    }
  };
  swap_all([&](Index i, Index j) { a.col(i).tail(m - first).swap(a.col(j).tail(m - first)); });
  a.block(first, first, m - first, static_cast<Index>(pivots.size())) =
      factor.leftCols(static_cast<Index>(pivots.size()));
  parallel_for(tile_count(m), [&](Index task) {
    const Range columns = Range::tile(task, m);
    for (Index k = columns.begin; k < columns.begin + columns.size; ++k)
      swap_all([&](Index i, Index j) { std::swap(a(i, k), a(j, k)); });
  });
}

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
    const Index first = r, last = (std::min)(m, first + panel), size = m - first;
    // Within a panel the rows stay where they are: places[i] is where row first + i is. Else each
    // step would swap two rows, entry by entry far apart in memory.
    std::vector<Index> places(static_cast<std::size_t>(size)), pivots;
    std::iota(places.begin(), places.end(), Index{0});
    Matrix<S> factor(size, last - first);
    {
      const SingleThread one;  // BLAS would wake its threads for each of these small products
      for (; r < last; ++r) {
        Index p = 0;
        more = (pivoting ? left.tail(m - r).maxCoeff(&p) : left(r)) > cut;
        if (!more) break;
        p += r;
        pivots.push_back(p);
        std::swap(out.rows[static_cast<std::size_t>(r)], out.rows[static_cast<std::size_t>(p)]);
        std::swap(left(r), left(p));
        std::swap(places[static_cast<std::size_t>(r - first)],
                  places[static_cast<std::size_t>(p - first)]);
        const Index done = r - first, place = places[static_cast<std::size_t>(done)];
        const S pivot = std::sqrt(left(r));
        auto column = factor.col(done);
        column = a.col(first + place).tail(size);
        if (done > 0)
          column.noalias() -= factor.leftCols(done) * factor.row(place).head(done).transpose();
        column /= pivot;
        column(place) = pivot;
        for (Index i = r + 1; i < m; ++i) {
          const S entry = column(places[static_cast<std::size_t>(i - first)]);
          left(i) -= entry * entry;
        }
      }
    }
    bring_pivots_forward(first, pivots, factor, a);
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
  out.lower = in_huge_pages(Matrix<S>(r, r));
  out.lower = a.topLeftCorner(r, r).template triangularView<Eigen::Lower>();
  return out;
}

/// L^-T, upper triangular.
/// Threads: over blocks of columns.
template <Real S>
[[nodiscard]] Matrix<S> inverse_transpose(const Matrix<S>& lower) {
  const Index r = lower.rows();
  Matrix<S> out = zeros_in_huge_pages(Matrix<S>(r, r));
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
