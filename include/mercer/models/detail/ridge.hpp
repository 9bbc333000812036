// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The ridge of a view: its weights, when it must not be zero, and what it lets a certificate say.

#ifndef MERCER_MODELS_DETAIL_RIDGE_HPP
#define MERCER_MODELS_DETAIL_RIDGE_HPP

#include <cmath>
#include <cstddef>
#include <string_view>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/models/pair_report.hpp>

namespace mercer::detail {

/// A ridge kappa on the covariance operator of a view with eigenvalues mu of n K.
struct Ridge {
  Ridge(const Vector<double>& eigenvalues, Index samples, double ridge)
      : kappa(ridge),
        shift(static_cast<double>(samples) * ridge),
        weights((eigenvalues.array() + shift).rsqrt()) {}

  void describe(const Vector<double>& eigenvalues, ViewReport& view) const {
    view.kappa = kappa;
    view.effective_dimension = (eigenvalues.array() / (eigenvalues.array() + shift)).sum();
  }

  double kappa;
  double shift;            // n kappa
  Vector<double> weights;  // (mu + n kappa)^(-1/2)
};

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

/// Error bounds and truncation bound of correlations with ridges: some correlation is within
/// ((r_x^2/kappa_x + r_y^2/kappa_y)/2)^(1/2) of rho, and smaller bases lower rho^2 by at most
/// t_x/(t_x + n kappa_x) + t_y/(t_y + n kappa_y). Says nothing of views without a ridge.
inline void certify_ridges(PairReport& report) {
  double truncation = 0;
  bool bounded = true;
  for (const ViewReport& view : report.views) {
    if (!view.kappa || *view.kappa == 0) return;
    bounded = bounded && view.trace_error.has_value();
    if (view.trace_error)
      truncation += *view.trace_error /
                    (*view.trace_error + static_cast<double>(report.samples) * *view.kappa);
  }
  if (bounded) report.truncation_bound = truncation;
  for (std::size_t j = 0; j < report.views[0].residuals.size(); ++j) {
    double sum = 0;
    for (const ViewReport& view : report.views)
      sum += view.residuals[j] * view.residuals[j] / *view.kappa;
    report.error_bounds.push_back(std::sqrt(sum / 2));
  }
}

}  // namespace mercer::detail

#endif  // MERCER_MODELS_DETAIL_RIDGE_HPP
