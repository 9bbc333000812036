// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The Cholesky factorisation of a dense matrix on all threads.

#ifndef MERCER_SOLVERS_DENSE_DETAIL_DENSE_CHOLESKY_HPP
#define MERCER_SOLVERS_DENSE_DETAIL_DENSE_CHOLESKY_HPP

#include <string_view>

#include <Eigen/Cholesky>

#include <mercer/core/compiled.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/symmetric_tiles.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// A = L L^T, tile by tile. Works in the lower triangle of the matrix; the strictly upper triangle
/// is overwritten.
/// Cost: n^3 / 3.
/// Memory: a tile for each thread.
/// Threads: over tiles; the result has the same bits for any number of threads.
/// Lifetime: refers to the matrix.
template <Real S>
class DenseCholesky {
 public:
  /// The observer is called for each column of tiles, as of \p phase.
  explicit DenseCholesky(Matrix<S>& a, const Observer& observer = {},
                         std::string_view phase = "cholesky factorisation");

  /// False if the matrix is not positive definite to rounding, or if the run was cancelled.
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool cancelled() const { return cancelled_; }

  /// b = A^-1 b.
  /// Cost: 2 n^2 for each column.
  void solve(Matrix<S>& b) const;

 private:
  [[nodiscard]] Range rows(Index tile) const { return Range::tile(tile, a_.rows()); }
  [[nodiscard]] auto tile(Index i, Index j) const {
    return a_.block(rows(i).begin, rows(j).begin, rows(i).size, rows(j).size);
  }

  Matrix<S>& a_;
  bool ok_ = true, cancelled_ = false;
};

template <Real S>
DenseCholesky<S>::DenseCholesky(Matrix<S>& a, const Observer& observer, std::string_view phase)
    : a_(a) {
  const Index tiles = tile_count(a.rows());
  for (Index j = 0; j < tiles; ++j) {
    cancelled_ = j > 0 && !go_on(observer, {phase, j, tiles});
    ok_ = !cancelled_;
    if (!ok_) return;
    Matrix<S> corner = tile(j, j);
    {
      const SingleThread one;
      const Eigen::LLT<Eigen::Ref<Matrix<S>>> factor(corner);
      ok_ = factor.info() == Eigen::Success;
    }
    if (!ok_) return;
    tile(j, j) = corner;
    const Index below = tiles - j - 1;
    parallel_for(below, [&](Index task) {
      Matrix<S> panel = tile(j + 1 + task, j);
      corner.template triangularView<Eigen::Lower>()
          .transpose()
          .template solveInPlace<Eigen::OnTheRight>(panel);
      tile(j + 1 + task, j) = panel;
    });
    for_symmetric_tiles(below, [&](Index r, Index c) {
      const Index i = j + 1 + r, k = j + 1 + c;
      Matrix<S> rest = tile(i, k);
      multiply_add<S>(-tile(i, j), tile(k, j).transpose(), rest);
      tile(i, k) = rest;
    });
  }
}

template <Real S>
void DenseCholesky<S>::solve(Matrix<S>& b) const {
  const Index tiles = tile_count(a_.rows());
  const auto part = [&](Index i) { return b.middleRows(rows(i).begin, rows(i).size); };
  for (Index j = 0; j < tiles; ++j) {
    Matrix<S> x = part(j);
    {
      const SingleThread one;
      tile(j, j).template triangularView<Eigen::Lower>().solveInPlace(x);
    }
    part(j) = x;
    parallel_for(tiles - j - 1, [&](Index task) {
      const Index i = j + 1 + task;
      multiply_add<S>(-tile(i, j), x, part(i));
    });
  }
  for (Index i = tiles - 1; i >= 0; --i) {
    Matrix<S> x = part(i);
    {
      const SingleThread one;
      tile(i, i).template triangularView<Eigen::Lower>().transpose().solveInPlace(x);
    }
    part(i) = x;
    parallel_for(i, [&](Index j) { multiply_add<S>(-tile(i, j).transpose(), x, part(j)); });
  }
}

MERCER_INSTANTIATE_DENSE(class DenseCholesky<double>)

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DENSE_DETAIL_DENSE_CHOLESKY_HPP
