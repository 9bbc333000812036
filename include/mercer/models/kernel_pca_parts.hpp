// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What a fitted kernel PCA is made of, how solvers' results become it, and what must hold for it.

#ifndef MERCER_MODELS_KERNEL_PCA_PARTS_HPP
#define MERCER_MODELS_KERNEL_PCA_PARTS_HPP

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/solvers/directions.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

/// A KernelPcaModel taken apart: KernelPcaModel::parts() gives it, and the constructor of
/// KernelPcaModel, which checks it, takes it. m points, k components, n training samples.
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
  Scalar mean = 0;                  ///< its squared norm
  /// n x k, as a kernel solver found them; without, they follow from the coefficients.
  std::shared_ptr<const Matrix<Scalar>> training_scores = nullptr;
  bool over_landmarks = false;  ///< the points are not the training samples
  Report report;                ///< its samples, dimension and components are n, d and k
};

namespace detail {

/// Throws InvalidArgument for samples that a model of this kernel cannot be over.
template <KernelOrPrecomputed K, OwnedSamples X>
void require_samples(std::string_view who, const K& kernel, const X& samples) {
  require_finite_samples(who, samples);
  check_domain(kernel, samples);
  if constexpr (std::same_as<K, Precomputed>) Precomputed::check_gram(samples);
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

/// The parts of a model without components: what is known before the fit.
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
  parts.report.precision = to_string(precision_of<S>);
  return parts;
}

/// Takes over a report, but for what the other parts know better.
template <KernelOrPrecomputed K, OwnedSamples X>
void take_report(Report report, KernelPcaParts<K, X>& parts) {
  report.samples = parts.report.samples;
  report.dimension = parts.report.dimension;
  report.components = parts.eigenvalues.size();
  report.kernel = std::move(parts.report.kernel);
  parts.report = std::move(report);
}

/// Takes over eigenpairs: signs fixed, A = u_i / mu_i^(1/2).
template <Real S, KernelOrPrecomputed K, OwnedSamples X>
void take_solution(EigenSolution<S> solution, KernelPcaParts<K, X>& parts) {
  using Scalar = typename X::Scalar;
  fix_signs(solution.eigenvectors);
  const Vector<S> roots = solution.eigenvalues.cwiseSqrt();
  parts.coefficients =
      (solution.eigenvectors * roots.cwiseInverse().asDiagonal()).template cast<Scalar>();
  parts.eigenvalues = solution.eigenvalues.template cast<Scalar>();
  parts.offset = Vector<Scalar>::Zero(parts.eigenvalues.size());
  parts.mean_weights = Vector<Scalar>::Zero(parts.points->rows());
  take_report(std::move(solution.report), parts);
}

/// Takes over directions and their scores, signs fixed by these.
template <Real S, KernelOrPrecomputed K, OwnedSamples X>
void take_solution(DirectionSolution<S> solution, KernelPcaParts<K, X>& parts) {
  using Scalar = typename X::Scalar;
  const Vector<S> signs = fix_signs(solution.scores);
  parts.coefficients = (solution.coefficients * signs.asDiagonal()).template cast<Scalar>();
  parts.eigenvalues = solution.eigenvalues.template cast<Scalar>();
  parts.offset = Vector<Scalar>::Zero(parts.eigenvalues.size());
  parts.mean_weights = Vector<Scalar>::Zero(parts.points->rows());
  parts.training_scores =
      std::make_shared<const Matrix<Scalar>>(solution.scores.template cast<Scalar>());
  take_report(std::move(solution.report), parts);
}

/// Drops the samples that have no weight in any component nor in the mean. A precomputed Gram
/// matrix stays as it is: its columns are what new rows are compared with.
template <KernelOrPrecomputed K, OwnedSamples X>
void keep_support(KernelPcaParts<K, X>& parts) {
  if constexpr (!std::same_as<K, Precomputed>) {
    if (parts.eigenvalues.size() == 0) return;
    std::vector<Index> rows;
    for (Index i = 0; i < parts.coefficients.rows(); ++i)
      if (parts.mean_weights(i) != 0 || !parts.coefficients.row(i).isZero(0)) rows.push_back(i);
    if (static_cast<Index>(rows.size()) == parts.coefficients.rows()) return;
    parts.points = std::make_shared<const X>(take_rows(*parts.points, rows));
    parts.coefficients = parts.coefficients(rows, Eigen::all).eval();
    parts.mean_weights = parts.mean_weights(rows).eval();
    parts.over_landmarks = true;
    parts.report.landmarks = parts.points->rows();
  }
}

/// Centres what was taken over from a solution with the centred Gram matrix.
template <KernelOrPrecomputed K, OwnedSamples X>
void take_centering(const Vector<typename X::Scalar>& row_means, KernelPcaParts<K, X>& parts) {
  // Columns of A sum to zero, which the offset relies on. For eigenvalues near rounding error the
  // eigenvectors have picked up enough of the vector 1 to spoil it.
  parts.coefficients.rowwise() -= parts.coefficients.colwise().mean().eval();
  parts.offset = parts.coefficients.transpose() * row_means;
  parts.mean = row_means.mean();
  parts.mean_weights.setConstant(1 / static_cast<typename X::Scalar>(parts.points->rows()));
}

/// Takes over an expansion. Signs are fixed by the training scores.
template <KernelOrPrecomputed K, OwnedSamples X>
void take_solution(KernelSolution<X> solution, KernelPcaParts<K, X>& parts) {
  using Scores = Matrix<typename X::Scalar>;
  Scores scores = std::move(solution.training_scores);
  const Vector<typename X::Scalar> signs = fix_signs(scores);
  parts.over_landmarks = solution.points.has_value();
  if (solution.points) parts.points = std::make_shared<const X>(std::move(*solution.points));
  parts.eigenvalues = std::move(solution.eigenvalues);
  parts.coefficients = solution.coefficients * signs.asDiagonal();
  parts.offset = solution.offset.cwiseProduct(signs);
  parts.mean_weights = std::move(solution.mean_weights);
  parts.mean = solution.mean;
  parts.training_scores = std::make_shared<const Scores>(std::move(scores));
  take_report(std::move(solution.report), parts);
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_MODELS_KERNEL_PCA_PARTS_HPP
