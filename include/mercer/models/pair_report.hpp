// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What a fit of two or more views reports.

#ifndef MERCER_MODELS_PAIR_REPORT_HPP
#define MERCER_MODELS_PAIR_REPORT_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <mercer/core/phases.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// What a fit reports of one view.
struct ViewReport {
  Report basis;    ///< of the kernel PCA whose components are the basis of the view
  Index rank = 0;  ///< r, the number of functions in the basis
  std::optional<double>
      kappa;  ///< ridge added to the covariance operator, where the method has one
  /// sum_a mu_a / (mu_a + n kappa): how many functions of the basis the ridge leaves free.
  double effective_dimension = 0;
  /// |C_xy g - rho (C_xx + kappa) f| of each component in feature space (kernel SVD: |C_xy g -
  /// sigma f|), for the problem in the bases of the views. Of a stochastic fit: for the problem in
  /// its features, over the pairs of the evaluation; for kernel CCA, those of the functions in the
  /// spans found that solve the problem with the ridge.
  std::vector<double> residuals;
  /// tr(K_c - K~_c): what the basis leaves out of the centred Gram matrix. Not set if the features
  /// of the basis are random, as they then are no part of the kernel's own feature space; nor for
  /// an indefinite kernel, whose negative eigenvalues no basis has; nor if the fit was cancelled
  /// before K was known.
  std::optional<double> trace_error;
};

/// The record of one fit of two or more views.
struct PairReport {
  Status status = Status::NotConverged;  ///< the worst of the views' bases
  std::string method;                    ///< "kernel-svd", "kernel-cca", ...
  std::vector<ViewReport> views;         ///< in the order in which the views are given to the fit
  Index samples = 0;                     ///< n, without the pairs that were held out
  Index components = 0;                  ///< components found
  Index components_requested = 0;        ///< components asked for
  /// For each component, a distance within which the problem in the bases has a singular value, a
  /// correlation, or an eigenvalue. Of a stochastic fit only if all pairs were evaluated and, for
  /// kernel CCA, both views have a ridge.
  std::vector<double> error_bounds;
  /// How much more the full problem can have than the one in the bases, for every j: an upper bound
  /// of sigma_j - sigma~_j for kernel SVD, and of rho_j^2 - rho~_j^2 for kernel CCA and kernel SIR.
  /// Not set if a trace error is not, nor by MultiviewCca and LatentMixture.
  std::optional<double> truncation_bound;
  /// Pearson correlations of the scores of the two views, for each component. Those of the training
  /// pairs are larger than what new pairs have.
  std::vector<double> training_correlations;
  Index holdout_samples = 0;                        ///< pairs that were held out
  std::vector<double> holdout_correlations;         ///< of these pairs; the numbers to quote
  std::optional<StochasticPairDetails> stochastic;  ///< of a fit by stochastic steps
  double fit_seconds = 0;                           ///< wall time of the fit
  std::size_t bytes = 0;                            ///< peak memory of the run, without the samples
  std::vector<PhaseCost> phases = {};  ///< where fit_seconds went; not part of archives
};

}  // namespace mercer

#endif  // MERCER_MODELS_PAIR_REPORT_HPP
