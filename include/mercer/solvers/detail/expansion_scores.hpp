// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Scores of the samples, for components that are expanded over other points.

#ifndef MERCER_SOLVERS_DETAIL_EXPANSION_SCORES_HPP
#define MERCER_SOLVERS_DETAIL_EXPANSION_SCORES_HPP

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/row_sums.hpp>
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

/// The same for rows that may be spread. With order-free sums they are tiles: the rounding of a row
/// in a product depends on its place in the block.
[[nodiscard]] inline Index rows_at_once(const RowSpace& rows) {
  return rows.order_free() ? tile_size : factor_tile;
}

/// The samples that have a weight in a component or in the mean, if there are others.
template <Real S>
[[nodiscard]] std::optional<std::vector<Index>> support(const Matrix<S>& coefficients,
                                                        const Vector<S>& mean_weights) {
  std::vector<Index> rows;
  for (Index i = 0; i < coefficients.rows(); ++i)
    if (mean_weights(i) != 0 || !coefficients.row(i).isZero(0)) rows.push_back(i);
  if (static_cast<Index>(rows.size()) == coefficients.rows()) return std::nullopt;
  return rows;
}

/// The samples and the landmarks as the kernel wants them for rows of K(X, P).
template <OwnedSamples X, OwnedSamples Y>
struct PreparedPair {
  PreparedPair(const KernelView<X>& kernel, const RowSpace& rows, const Y& samples,
               const Y& points) {
    if (!rows.is_spread()) {
      x = kernel.prepare(samples);
      p = kernel.prepare(points, x);
    } else {  // in the form that the landmarks ask for, which all processes have
      p = kernel.prepare(points);
      if (samples.rows() > 0) x = kernel.prepare(samples, p);
    }
  }

  PreparedSamples<Y> x, p;
};

/// training_scores = K(X, P) A - 1 offset^T for the rows of this process. Returns false if the
/// observer stopped the run, on any process.
/// \param samples, points  in the precision of the kernel values and of their products with A
/// Cost: O(n m (d + k)) on all threads.
/// Memory: factor_tile rows of K(X, P) for each thread.
/// Collective.
template <OwnedSamples X, OwnedSamples Y>
[[nodiscard]] bool fill_scores(const KernelView<X>& kernel, const RowSpace& space, const Y& samples,
                               const Y& points, const Observer& observer,
                               KernelSolution<X>& solution) {
  using S = typename X::Scalar;
  using T = typename Y::Scalar;
  constexpr Index group = 16 * factor_tile;
  const Index n = space.local(), tile = rows_at_once(space);
  Matrix<S>& scores = solution.training_scores;
  scores.resize(n, solution.coefficients.cols());
  ask_for_huge_pages(scores);
  if (scores.cols() == 0) return true;
  const auto count = static_cast<std::size_t>(n * solution.coefficients.rows());
  const PhaseTimer timer(Phase::Scores, count * sizeof(T));
  const Matrix<T> weights = solution.coefficients.template cast<T>();
  bool stopped = false;
  space.together([&] {
    const PreparedPair<X, Y> prepared(kernel, space, samples, points);
    for (Index first = 0; first < n; first += group) {
      stopped = !go_on(observer, {"scores", first, n});
      if (stopped) return;
      const Index size = (std::min)(group, n - first);
      parallel_for((size + tile - 1) / tile, [&](Index task) {
        const Index begin = task * tile;
        const Range rows{first + begin, (std::min)(tile, size - begin)};
        Matrix<T> products = Matrix<T>::Zero(rows.size, weights.cols());
        Matrix<T> values(rows.size, weights.rows());
        fill_rows<X>(kernel, prepared.x, rows, prepared.p, GramOut<T>(values));
        multiply_add<T>(values, weights, products);
        scores.middleRows(rows.begin, rows.size) =
            products.template cast<S>().rowwise() - solution.offset.transpose();
      });
    }
  });
  return !space.any(stopped);
}

/// The same in the precision of the samples.
template <OwnedSamples X>
[[nodiscard]] bool fill_scores(const KernelView<X>& kernel, const RowSpace& space, const X& samples,
                               const Observer& observer, KernelSolution<X>& solution) {
  return fill_scores(kernel, space, samples, *solution.points, observer, solution);
}

/// Removes rounding errors from the scores: their means (if \p centered) by a shift, and their
/// inner products by a rotation of the components. Then sets the eigenvalues to the squared norms
/// of the scores, and applies the sign rule. Collective.
/// \param weights  of the samples of all processes, with the mean 1, in all of these sums; empty: 1
///   each
template <OwnedSamples X>
void diagonalize_scores(const RowSpace& rows, bool centered, KernelSolution<X>& solution,
                        const Vector<double>& weights = {}) {
  using S = typename X::Scalar;
  Matrix<S>& scores = solution.training_scores;
  const Index k = scores.cols();
  if (k == 0) return;
  const PhaseTimer timer(Phase::Scores);
  const bool weighted = weights.size() > 0;
  const Vector<double> mine = weighted ? rows.own_of(weights) : Vector<double>();
  const Vector<S> roots = mine.cwiseSqrt().template cast<S>();
  if (centered) {
    const Vector<S> shares = (mine / static_cast<double>(rows.total())).template cast<S>();
    solution.offset += centre_columns<S>(rows, weighted ? &shares : nullptr, scores);
  }
  const auto products = [&]() -> Matrix<S> {
    if (!weighted) return inner(rows, scores);
    const Matrix<S> scaled = roots.asDiagonal() * scores;
    return inner(rows, scaled);
  };
  Matrix<S> rotation = symmetric_eigensystem<S>(products()).vectors;
  rows.agree(rotation);
  for_local_blocks(rows, [&](Index first, Index size) {
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
  if (weighted)
    solution.eigenvalues = products().diagonal();
  else
    solution.eigenvalues = block_column_products<S>(rows, scores, scores);
  // Rounding may have changed the order of nearly equal values.
  for (Index i = 1; i < k; ++i)
    solution.eigenvalues(i) = (std::min)(solution.eigenvalues(i), solution.eigenvalues(i - 1));

  const Vector<S> signs = weighted ? fix_signs(rows, mine, scores) : fix_signs(rows, scores);
  solution.coefficients *= signs.asDiagonal();
  solution.offset = solution.offset.cwiseProduct(signs).eval();
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DETAIL_EXPANSION_SCORES_HPP
