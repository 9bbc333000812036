// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The ridge of a view: its weights, when it must not be zero, and what smaller bases then cost.

#ifndef MERCER_MODELS_DETAIL_RIDGE_HPP
#define MERCER_MODELS_DETAIL_RIDGE_HPP

#include <algorithm>
#include <string_view>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/models/pair_report.hpp>

namespace mercer::detail {

/// A ridge kappa on the covariance operator of a view with eigenvalues mu of K, n times those of
/// the operator. In a class template, so that it is compiled once.
template <Real S>
struct BasicRidge {
  BasicRidge(const Vector<S>& eigenvalues, Index samples, S ridge);

  void describe(const Vector<S>& eigenvalues, ViewReport& view) const;

  S kappa;
  S shift;            // n kappa
  Vector<S> weights;  // (mu + n kappa)^(-1/2)
};
using Ridge = BasicRidge<double>;

template <Real S>
BasicRidge<S>::BasicRidge(const Vector<S>& eigenvalues, Index samples, S ridge)
    : kappa(ridge),
      shift(static_cast<S>(samples) * ridge),
      weights((eigenvalues.array() + shift).rsqrt()) {}

template <Real S>
void BasicRidge<S>::describe(const Vector<S>& eigenvalues, ViewReport& view) const {
  view.kappa = kappa;
  view.effective_dimension = (eigenvalues.array() / (eigenvalues.array() + shift)).sum();
}

MERCER_INSTANTIATE_VIEWS(struct BasicRidge<double>)

/// The ridge kappa = eps tr(K) / n of a view of n samples. Of an indefinite K, the positive part
/// counts, of which the basis is made: the trace of all of K may be below 0, and so would kappa.
template <class Basis>
[[nodiscard]] Ridge relative_ridge(const Basis& basis, Index samples, double eps) {
  const double positive = (std::max)(basis.eigenvalues().sum(), basis.trace());
  return {basis.eigenvalues(), samples, eps * positive / static_cast<double>(samples)};
}

/// Without a ridge, two bases that together span more than the n samples (n - 1 if centred) have
/// correlations of 1 whatever the data are; and if one view spans all of them, the result depends
/// on the other view alone.
/// Throws InvalidArgument if a ridge is zero in such a case.
/// \param space  n, or n - 1 if the views are centred
inline void require_ridge(std::string_view who, Index space, double kappa_x, Index rank_x,
                          double kappa_y, Index rank_y) {
  const bool alone = (kappa_x == 0 && rank_x > 0 && rank_x >= space) ||
                     (kappa_y == 0 && rank_y > 0 && rank_y >= space);
  const bool both = kappa_x == 0 && kappa_y == 0 && rank_x + rank_y > space;
  if (alone || both)
    fail("mercer::", who,
         ": without a ridge, correlations would be 1 whatever the data are: the "
         "bases have ranks ",
         rank_x, " and ", rank_y, ", and the samples span ", space,
         " dimensions; set a regularization above 0");
}

/// Smaller bases of two views lower rho^2 by at most the sum of t / (t + n kappa) over the views,
/// for the trace error t of each. Not set without a ridge, for random features, and for indefinite
/// kernels.
inline void bound_truncation(PairReport& report) {
  double sum = 0;
  for (const ViewReport& view : report.views) {
    if (!view.kappa || *view.kappa == 0 || !view.trace_error) return;
    const double t = *view.trace_error;
    sum += t / (t + static_cast<double>(report.samples) * *view.kappa);
  }
  report.truncation_bound = sum;
}

}  // namespace mercer::detail

#endif  // MERCER_MODELS_DETAIL_RIDGE_HPP
