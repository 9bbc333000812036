// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Landmarks by Cholesky factorisation with complete pivoting.

#ifndef MERCER_SOLVERS_GREEDY_CHOLESKY_HPP
#define MERCER_SOLVERS_GREEDY_CHOLESKY_HPP

#include <cmath>

#include <mercer/core/observer.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/landmarks.hpp>
#include <mercer/solvers/partial_cholesky.hpp>

namespace mercer {

/// Each landmark is the sample of which the landmarks so far leave the most: argmax of the residual
/// of k(x, x), the first one among equals. No randomness, but it runs after outliers: prefer
/// RpCholesky, unless the largest error of all is what matters.
///
/// Cost: n (m + 1) kernel values, O(n m^2) time one column at a time, so slower than RpCholesky by
/// the memory's speed; n m values of memory, with a pool of rows and errors as for RpCholesky.
/// Source: Fine, Scheinberg, Efficient SVM training using low-rank kernel representations, 2001.
struct GreedyCholesky {
  static constexpr bool follows_residual = true;

  template <OwnedSamples X>
  [[nodiscard]] Landmarks<X> select(const KernelView<X>& kernel, const X& samples,
                                    const LandmarkRequest& request,
                                    const Observer& observer) const {
    return detail::cholesky_landmarks(kernel, samples, request, observer, "greedy cholesky",
                                      "GreedyCholesky",
                                      [](PartialCholesky<X>& factor, Index) { extend(factor); });
  }

  /// Appends the next pivot to a factor whose residual is not zero, unless that turns out to be
  /// rounding error.
  template <OwnedSamples X>
  static void extend(PartialCholesky<X>& factor) {
    Index row = 0;
    factor.residual().maxCoeff(&row);
    const Matrix<double> h = factor.schur_complement({row});
    if (h(0, 0) <= factor.zero(row)) return factor.discard(row);
    factor.append({row}, h.cwiseSqrt());
  }
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_GREEDY_CHOLESKY_HPP
