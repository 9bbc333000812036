// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The parts of a fitted kernel PCA, how the results of solvers become parts, and the checks of
/// parts.

#ifndef MERCER_MODELS_KERNEL_PCA_PARTS_HPP
#define MERCER_MODELS_KERNEL_PCA_PARTS_HPP

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

/// The parts of a KernelPcaModel, as KernelPcaModel::parts() returns them. The constructor of
/// KernelPcaModel takes and checks them. There are m points, k components and n training samples.
template <KernelOrPrecomputed K, OwnedSamples X>
struct KernelPcaParts {
  using Scalar = typename X::Scalar;

  K kernel;
  std::shared_ptr<const X> points;  ///< p_j, m x d: the training samples or the landmarks
  bool centered = true;             ///< the mean in feature space is subtracted
  Vector<Scalar> eigenvalues;       ///< mu_i, k, descending, > 0
  Matrix<Scalar> coefficients;      ///< A, m x k
  Vector<Scalar> offset;            ///< inner products of the components and the mean, k
  Vector<Scalar> mean_weights;      ///< w, m: the mean in feature space is sum_j w_j phi(p_j)
  Scalar mean = 0;                  ///< squared norm of that mean
  /// n x k, if a kernel solver computed them. Otherwise they follow from the coefficients.
  std::shared_ptr<const Matrix<Scalar>> training_scores = nullptr;
  bool over_landmarks = false;  ///< the points are not the training samples
  Report report;                ///< its samples, dimension and components are n, d and k
};

namespace detail {

/// Throws InvalidArgument for samples that a model with this kernel cannot have.
template <KernelOrPrecomputed K, OwnedSamples X>
void require_samples(std::string_view who, const K& kernel, const X& samples) {
  bool is_gram = std::same_as<K, Precomputed>;
  if constexpr (HoldsKernel<K> && DenseSamples<X>) is_gram = KernelView<X>(kernel).is_precomputed();
  if constexpr (DenseSamples<X>)
    if (is_gram) return Precomputed::check_gram(samples, who);
  require_finite_samples(who, samples);
  check_domain(kernel, samples);
}

/// Throws InvalidArgument unless the parts fit together.
template <KernelOrPrecomputed K, OwnedSamples X>
void require_parts(const KernelPcaParts<K, X>& parts) {
  constexpr std::string_view who = "KernelPcaModel";
  const auto require_equal = [](std::string_view what, Index found, Index expected) {
    if (found != expected)
      fail("mercer::KernelPcaModel: ", what, " must be ", expected, ", got ", found);
  };
  if (!parts.points) fail("mercer::KernelPcaModel: there are no points");
  const Index m = parts.points->rows(), k = parts.eigenvalues.size(), n = parts.report.samples;
  require_at_least(who, "report.samples", n, Index{1});
  if (!parts.over_landmarks) require_equal("the number of points", m, n);
  require_equal("report.dimension", parts.report.dimension, parts.points->cols());
  require_equal("report.components", parts.report.components, k);
  require_matrix(who, "eigenvalues", parts.eigenvalues, k, 1);
  for (Index i = 0; i < k; ++i)
    if (!(parts.eigenvalues(i) > 0) || (i > 0 && parts.eigenvalues(i) > parts.eigenvalues(i - 1)))
      fail("mercer::KernelPcaModel: eigenvalues must be positive and descending, got ",
           parts.eigenvalues(i), " at ", i, " (counted from 0)");
  require_matrix(who, "coefficients", parts.coefficients, m, k);
  require_matrix(who, "offset", parts.offset, k, 1);
  require_matrix(who, "mean_weights", parts.mean_weights, m, 1);
  require_finite(who, "mean", static_cast<double>(parts.mean));
  if (parts.training_scores) require_matrix(who, "training_scores", *parts.training_scores, n, k);
}

/// The parts of the first \p count components, at least 1 and at most as many as there are.
template <KernelOrPrecomputed K, OwnedSamples X>
[[nodiscard]] KernelPcaParts<K, X> leading_parts(const KernelPcaParts<K, X>& all, Index count) {
  using S = typename X::Scalar;
  KernelPcaParts<K, X> parts{.kernel = all.kernel,
                             .points = all.points,
                             .centered = all.centered,
                             .eigenvalues = all.eigenvalues.head(count),
                             .coefficients = all.coefficients.leftCols(count),
                             .offset = all.offset.head(count),
                             .mean_weights = all.mean_weights,
                             .mean = all.mean,
                             .over_landmarks = all.over_landmarks,
                             .report = all.report};
  if (all.training_scores)
    parts.training_scores = std::make_shared<const Matrix<S>>(all.training_scores->leftCols(count));
  parts.report.components = count;
  for (std::vector<double>* const each :
       {&parts.report.residuals, &parts.report.eigenvalue_error_bounds})
    if (each->size() > static_cast<std::size_t>(count))
      each->resize(static_cast<std::size_t>(count));
  return parts;
}

/// The parts of a model without components, as known before the fit.
template <KernelOrPrecomputed K, OwnedSamples X>
[[nodiscard]] KernelPcaParts<K, X> parts_before_fit(const K& kernel,
                                                    std::shared_ptr<const X> samples,
                                                    bool centered) {
  using S = typename X::Scalar;
  const Index n = samples->rows(), d = samples->cols();
  KernelPcaParts<K, X> parts{.kernel = kernel,
                             .points = std::move(samples),
                             .centered = centered,
                             .eigenvalues = Vector<S>(),
                             .coefficients = Matrix<S>(n, 0),
                             .offset = Vector<S>(),
                             .mean_weights = Vector<S>::Zero(n),
                             .report = {}};
  parts.report.samples = n;
  parts.report.dimension = d;
  parts.report.kernel = describe(kernel);
  parts.report.precision = precision_of<S>;
  return parts;
}

/// Takes over a solver's report. Keeps the entries that the other parts know better.
template <KernelOrPrecomputed K, OwnedSamples X>
void take_report(Report report, KernelPcaParts<K, X>& parts) {
  report.samples = parts.report.samples;
  report.dimension = parts.report.dimension;
  report.components = parts.eigenvalues.size();
  report.kernel = std::move(parts.report.kernel);
  parts.report = std::move(report);
}

/// Takes over the components that a solver found. If there are training scores, they fix the signs.
/// \param keep_signs  not so: they are fixed, or the scores are left as a product
template <KernelOrPrecomputed K, OwnedSamples X>
void take_solution(KernelSolution<X> solution, KernelPcaParts<K, X>& parts, bool keep_signs) {
  using Scores = Matrix<typename X::Scalar>;
  const PhaseTimer timer(Phase::Scores);
  parts.eigenvalues = std::move(solution.eigenvalues);
  parts.coefficients = std::move(solution.coefficients);
  parts.offset = std::move(solution.offset);
  parts.mean_weights = std::move(solution.mean_weights);
  parts.mean = solution.mean;
  parts.over_landmarks = solution.points.has_value();
  if (solution.points) parts.points = std::make_shared<const X>(std::move(*solution.points));
  Scores& scores = solution.training_scores;
  if (parts.over_landmarks || scores.size() > 0) {
    if (!keep_signs) {
      const Vector<typename X::Scalar> signs = fix_signs(scores);
      parts.coefficients *= signs.asDiagonal();
      parts.offset = parts.offset.cwiseProduct(signs).eval();
    }
    parts.training_scores = std::make_shared<const Scores>(std::move(scores));
  }
  take_report(std::move(solution.report), parts);
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_MODELS_KERNEL_PCA_PARTS_HPP
