// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Landmarks by Cholesky factorisation with complete pivoting.

#ifndef MERCER_SOLVERS_NYSTROM_GREEDY_CHOLESKY_HPP
#define MERCER_SOLVERS_NYSTROM_GREEDY_CHOLESKY_HPP

#include <cmath>
#include <concepts>

#include <mercer/core/compiled.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/nystrom/detail/partial_cholesky.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>

namespace mercer {

/// Each landmark is the sample with the largest residual of k(x, x), the first one among equals.
/// There is no randomness, but the method prefers outliers: take RpCholesky, unless the largest
/// error of all samples is what matters.
///
/// Cost: n (m + 1) kernel values and O(n m^2) time. It works on one column at a time, so memory
///   bandwidth makes it slower than RpCholesky.
/// Memory: n m values, with a pool of rows as for RpCholesky.
/// Throws as RpCholesky does.
/// Random: if the factor does not fit into the budget, the request's seed, purpose "landmark pool",
///   or for samples with weights "weighted landmarks".
/// Source: Fine, Scheinberg, Efficient SVM training using low-rank kernel representations, 2001.
struct GreedyCholesky {
  static constexpr bool follows_residual = true;

  template <OwnedSamples X>
  [[nodiscard]] Landmarks<X> select(const KernelView<X>& kernel, const X& samples,
                                    const LandmarkRequest& request, const Observer& observer) const;

  /// The choice of pivots.
  [[nodiscard]] static PivotRule rule(const LandmarkRequest&) {
    return {"greedy cholesky", "GreedyCholesky", [](PivotedFactor& factor, Index) {
              extend(factor);
              return true;
            }};
  }

  /// Appends the next pivot to a factor whose residual is not zero. If the pivot turns out to be
  /// rounding error, discards it instead.
  static void extend(PivotedFactor& factor) {
    Index row = 0;
    factor.residual().maxCoeff(&row);
    const Matrix<double> h = factor.schur_complement({row});
    if (h(0, 0) <= factor.zero(row)) return factor.discard(row);
    factor.append({row}, h.cwiseSqrt());
  }
};

template <OwnedSamples X>
Landmarks<X> GreedyCholesky::select(const KernelView<X>& kernel, const X& samples,
                                    const LandmarkRequest& request,
                                    const Observer& observer) const {
  return detail::cholesky_landmarks(kernel, samples, request, observer, rule(request));
}

#define MERCER_SELECT(X)                                             \
  MERCER_INSTANTIATE_NYSTROM(Landmarks<X> GreedyCholesky::select<X>( \
      const KernelView<X>&, const X&, const LandmarkRequest&, const Observer&) const)
MERCER_FOR_SAMPLES(MERCER_SELECT)
#undef MERCER_SELECT

}  // namespace mercer

#endif  // MERCER_SOLVERS_NYSTROM_GREEDY_CHOLESKY_HPP
