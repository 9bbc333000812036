// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Scores of the samples, for components that are expanded over other points.

#ifndef MERCER_SOLVERS_DETAIL_EXPANSION_SCORES_HPP
#define MERCER_SOLVERS_DETAIL_EXPANSION_SCORES_HPP

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/row_blocks.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer::detail {

inline constexpr Index factor_tile = 512;  // rows whose kernel values one thread holds at a time

/// training_scores = K(X, P) A - 1 offset^T. Returns false if the observer stopped the run.
/// Cost: O(n m (d + k)) on all threads.
/// Memory: factor_tile rows of K(X, P) for each thread.
template <OwnedSamples X>
[[nodiscard]] bool fill_scores(const KernelView<X>& kernel, const X& samples,
                               const Observer& observer, KernelSolution<X>& solution) {
  using S = typename X::Scalar;
  constexpr Index group = 16 * factor_tile;
  const Index n = samples.rows();
  Matrix<S>& scores = solution.training_scores;
  scores.resize(n, solution.coefficients.cols());
  if (scores.cols() == 0) return true;
  const auto values = static_cast<std::size_t>(n * solution.coefficients.rows());
  const PhaseTimer timer(Phase::Scores, values * sizeof(S));
  const PreparedSamples<X> x = kernel.prepare(samples), p = kernel.prepare(*solution.points, x);
  for (Index first = 0; first < n; first += group) {
    if (!go_on(observer, {"scores", first, n})) return false;
    const Index size = (std::min)(group, n - first);
    parallel_for((size + factor_tile - 1) / factor_tile, [&](Index task) {
      const Index begin = task * factor_tile;
      const Range rows{first + begin, (std::min)(factor_tile, size - begin)};
      Eigen::Ref<Matrix<S>> out = scores.middleRows(rows.begin, rows.size);
      out.setZero();
      multiply_add<S>(kernel_rows(kernel, x, rows, p), solution.coefficients, out);
      out.rowwise() -= solution.offset.transpose();
    });
  }
  return true;
}

/// Removes rounding errors from the scores: their means (if \p centered) by a shift, and their
/// inner products by a rotation of the components. Then sets the eigenvalues to the squared norms
/// of the scores, and applies the sign rule.
template <OwnedSamples X>
void diagonalize_scores(bool centered, KernelSolution<X>& solution) {
  using S = typename X::Scalar;
  Matrix<S>& scores = solution.training_scores;
  const Index k = scores.cols();
  if (k == 0) return;
  const PhaseTimer timer(Phase::Scores);
  if (centered) solution.offset += centre_columns(scores);
  const Matrix<S> rotation = symmetric_eigensystem<S>(inner(scores, scores)).vectors;
  for_row_blocks(scores.rows(), [&](Index, Index first, Index size) {
    Matrix<S> turned = Matrix<S>::Zero(size, k);
    multiply_add<S>(scores.middleRows(first, size), rotation, turned);
    scores.middleRows(first, size) = turned;
  });
  Matrix<S> coefficients = Matrix<S>::Zero(solution.coefficients.rows(), k);
  {
    const SingleThread one;
    multiply_add<S>(solution.coefficients, rotation, coefficients);
  }
  solution.coefficients = std::move(coefficients);
  const Vector<S> offset = solution.offset;
  for (Index i = 0; i < k; ++i) solution.offset(i) = rotation.col(i).dot(offset);
  solution.eigenvalues = column_products(scores, scores);
  // Rounding may have changed the order of nearly equal values.
  for (Index i = 1; i < k; ++i)
    solution.eigenvalues(i) = (std::min)(solution.eigenvalues(i), solution.eigenvalues(i - 1));

  std::vector<Index> at(static_cast<std::size_t>(k));  // a row with a nonzero entry in each column
  Vector<S> before(k);
  for (Index i = 0; i < k; ++i) {
    Index& row = at[static_cast<std::size_t>(i)];
    scores.col(i).cwiseAbs().maxCoeff(&row);
    before(i) = scores(row, i);
  }
  fix_signs(scores);
  for (Index i = 0; i < k; ++i) {
    if (scores(at[static_cast<std::size_t>(i)], i) == before(i)) continue;
    solution.coefficients.col(i) *= S(-1);
    solution.offset(i) *= S(-1);
  }
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DETAIL_EXPANSION_SCORES_HPP
