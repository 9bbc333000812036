// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Residuals of eigenpairs of a Gram matrix, estimated from some of its rows.

#ifndef MERCER_SOLVERS_DETAIL_SAMPLED_RESIDUALS_HPP
#define MERCER_SOLVERS_DETAIL_SAMPLED_RESIDUALS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/row_blocks.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>

namespace mercer::detail {

/// K(rows, :) V, rows x k, where V has a row for each sample. Empty if the observer stops it.
/// Cost: O(n rows (d + k)) on all threads.
template <OwnedSamples X, Real S = typename X::Scalar>
[[nodiscard]] Matrix<S> sampled_product(const KernelView<X>& kernel, const X& samples,
                                        const Matrix<S>& v, const std::vector<Index>& rows,
                                        const Observer& observer) {
  const Index n = samples.rows(), count = static_cast<Index>(rows.size());
  const PhaseTimer timer(Phase::Certificate, static_cast<std::size_t>(n * count) * sizeof(S));
  const X drawn = take_rows(samples, rows);
  const PreparedSamples<X> x = kernel.prepare(samples), drawn_x = kernel.prepare(drawn, x);
  Matrix<S> product = Matrix<S>::Zero(count, v.cols());
  constexpr Index group = 4 * blocks_at_once * row_block;
  for (Index begin = 0; begin < n; begin += group) {
    if (!go_on(observer, {"residuals", begin, n})) return {};
    add_row_blocks((std::min)(group, n - begin),
                   [&](Index first, Index size) -> Matrix<S> {
                     Matrix<S> values(count, size), part = Matrix<S>::Zero(count, v.cols());
                     kernel.fill(drawn_x, {0, count}, x, {begin + first, size}, values);
                     multiply_add<S>(values, v.middleRows(begin + first, size), part);
                     return part;
                   },
                   product);
  }
  return product;
}

/// Estimates |K u_i - mu_i u_i| for u_i = scores_i / mu_i^(1/2), from rows that are drawn without
/// replacement from n. \p product holds these rows of K scores, and \p scores holds these rows of
/// the scores. If \p centered, K is the centred matrix and
/// the u_i have mean 0. Exact if all n rows are drawn.
///
/// Centring subtracts the mean of K u, which is unknown without all of K. But the sum of squares
/// about the mean is n - 1 times the variance over all rows, and the variance over the drawn rows
/// estimates it without bias. Without centring, the mean square is estimated in the same way.
template <Real S>
[[nodiscard]] std::vector<double> sampled_residuals(const Points<S>& product, const Vector<S>& mu,
                                                    const Points<S>& scores, bool centered,
                                                    Index n) {
  const Index count = scores.rows();
  const Index lost = centered && count > 1 ? 1 : 0;  // degrees of freedom
  const double scale = static_cast<double>(n - lost) / static_cast<double>(count - lost);
  std::vector<double> residuals;
  for (Index i = 0; i < mu.size(); ++i) {
    const double root = std::sqrt(static_cast<double>(mu(i)));
    Vector<double> error = product.col(i).template cast<double>() / root -
                           root * scores.col(i).template cast<double>();
    if (centered) error.array() -= error.mean();
    residuals.push_back(std::sqrt(scale) * error.norm());
  }
  return residuals;
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DETAIL_SAMPLED_RESIDUALS_HPP
