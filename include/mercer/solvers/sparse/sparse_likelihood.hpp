// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Sparse kernel PCA by maximum likelihood: components over the few samples that a covariance in
/// feature space needs.

#ifndef MERCER_SOLVERS_SPARSE_SPARSE_LIKELIHOOD_HPP
#define MERCER_SOLVERS_SPARSE_SPARSE_LIKELIHOOD_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/detail/complete_expansion.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/nystrom/detail/nystrom_factor.hpp>
#include <mercer/solvers/sparse/detail/covariance_weights.hpp>

namespace mercer {

struct SparseLikelihoodParams {
  /// sigma^2 as a part of the variance tr K / n, in (0, 1). The larger, the fewer samples have a
  /// weight, and components of less variance than sigma^2 are not found. 0: chosen for k
  /// components, half way between the variances of the last one wanted and the next one.
  double noise = 0;
  WeightRule rule = WeightRule::FixedPoint;  ///< how weights change in a step
  /// Converged when no w_i K_ii changes by more than this times tr K / n in a step.
  double tolerance = 1e-5;
  Index max_iterations = 1000;  ///< steps at most
  double prune = 1e-6;  ///< samples whose part of the variance, w_i K_ii, is below this are dropped
  Index certificate_rows = 128;  ///< rows to estimate |K u - mu u| from, at least
  std::uint64_t seed = 1;        ///< of these rows

  /// Throws InvalidArgument for values out of range.
  void validate() const {
    constexpr std::string_view who = "SparseLikelihood";
    if (!(noise >= 0 && noise < 1))
      detail::fail("mercer::", who, ": noise must be in [0, 1), got ", noise);
    detail::require_positive(who, "tolerance", tolerance);
    detail::require_at_least(who, "max_iterations", max_iterations, Index{1});
    if (!(prune > 0 && prune < 1))
      detail::fail("mercer::", who, ": prune must be in (0, 1), got ", prune);
    detail::require_at_least(who, "certificate_rows", certificate_rows, Index{2});
  }
};

namespace detail {

/// Memory of a fit by SparseLikelihood.
[[nodiscard]] inline std::size_t sparse_likelihood_bytes(Index n) {
  return 6 * static_cast<std::size_t>(n * n) * sizeof(double);
}

/// A fit by SparseLikelihood; call solve() once.
template <OwnedSamples X>
class SparseLikelihoodFit {
 public:
  using S = typename X::Scalar;

  SparseLikelihoodFit(const KernelView<X>& kernel, const X& samples, const KernelRequest& request,
                      const SparseLikelihoodParams& params, const Observer& observer)
      : kernel_(kernel),
        samples_(samples),
        request_(request),
        params_(params),
        observer_(observer) {
    const Vector<double> diagonal = semidefinite_diagonal("SparseLikelihood", kernel, samples);
    raise_noise_scale(request_.pairs, kernel, samples, diagonal.sum());
    solution_.report = begin_report(kernel, samples, request);
    solution_.report.solver = SolverId::SparseLikelihood;
    solution_.report.storage = "dense";
    solution_.report.bytes = sparse_likelihood_bytes(samples.rows());
    remove_components(samples.rows(), solution_);
  }

  [[nodiscard]] KernelSolution<X> solve() {
    Report& report = solution_.report;
    report.status = Status::Cancelled;
    if (!go_on(observer_, {"gram matrix", 0, 1})) return std::move(solution_);
    Matrix<double> gram = landmark_gram(kernel_, samples_);
    if (request_.centered) center_symmetric(gram);
    report.trace = (std::max)(0.0, gram.trace());
    if (report.trace <= rounding_noise<S>(request_.pairs)) {  // all samples are equal, or K is zero
      report.components_requested = report.zero_eigenvalues = request_.pairs.components.count();
      report.status = Status::Converged;
      return std::move(solution_);
    }
    const std::optional<double> variance = noise_variance(gram);
    if (!variance) return std::move(solution_);
    const double noise = *variance;
    add_reason("noise variance " + to_text(noise), report);
    // Weights have no unit, but they follow from squares of K and of the noise.
    const int unit = std::ilogb(report.trace / static_cast<double>(gram.rows()));
    gram = gram.unaryExpr([unit](double value) { return std::ldexp(value, -unit); });
    CovarianceWeights<double> model(std::move(gram), std::ldexp(noise, -unit), params_.prune,
                                    in_step(0));
    const Status found = find_weights(model);
    report.solver_form = to_text(model.active().size()) + " samples with a weight";
    if (found == Status::Cancelled || !expand(model)) return std::move(solution_);
    const bool complete = complete_expansion(kernel_, samples_, request_, observer_, solution_) &&
                          estimate_residuals(kernel_, samples_, request_, params_.certificate_rows,
                                             params_.seed, observer_, solution_);
    if (!complete) return std::move(solution_);
    report.status = found;
    if (misses_components(request_.pairs, solution_)) {
      report.status = Status::NotConverged;
      note_missing_components(report.components == 0
                                  ? "no component has more variance than the noise"
                                  : "only " + to_text(report.components) +
                                        " components have more variance than the noise",
                              report);
    }
    return std::move(solution_);
  }

 private:
  /// sigma^2; nothing if the observer stopped the eigensolver or it failed, as the report then
  /// says.
  [[nodiscard]] std::optional<double> noise_variance(const Matrix<double>& gram) {
    const auto n = static_cast<double>(gram.rows());
    if (params_.noise > 0) return params_.noise * gram.trace() / n;
    const Index wanted = request_.pairs.components.count();
    const EigenRequest pairs{.components = (std::min)(wanted + 1, gram.rows()),
                             .zero_threshold = rounding_level<double>(gram.rows())};
    EigenSolution<double> found =
        Exact{}.solve(PrecomputedGram<double>::unchecked(gram), pairs, observer_);
    const Vector<double>& values = found.eigenvalues;
    if (values.size() == 0) {
      solution_.report.status = found.report.status;
      add_reason(found.report.reason, solution_.report);
      return std::nullopt;
    }
    const Index k = (std::min)(wanted, values.size());
    return (values(k - 1) + (k < values.size() ? values(k) : 0)) / (2 * n);
  }

  /// Asks the observer whatever is done in this step of the weights.
  [[nodiscard]] Observer in_step(Index step) const {
    return [this, step](const Progress&) {
      return go_on(observer_, {"weights", step, params_.max_iterations});
    };
  }

  /// Returns Converged, NotConverged or Cancelled; the report says why not.
  [[nodiscard]] Status find_weights(CovarianceWeights<double>& model) {
    Report& report = solution_.report;
    while (report.iterations < params_.max_iterations) {
      const Observer observer = in_step(report.iterations);
      if (model.cancelled() || !observer({})) return Status::Cancelled;
      const std::size_t before = model.active().size();
      const double change = model.step(params_.rule, observer);
      if (model.cancelled()) return Status::Cancelled;
      ++report.iterations;
      if (std::isnan(change)) {
        add_reason("the weights are not finite after " + to_text(report.iterations) +
                       " steps; take a larger noise",
                   report);
        return Status::NotConverged;
      }
      if (change <= params_.tolerance && model.active().size() == before) return Status::Converged;
    }
    add_reason("the weights still change after " + to_text(params_.max_iterations) + " steps",
               report);
    return Status::NotConverged;
  }

  /// Principal axes of the weighted covariance, with the mean projected onto the span of the
  /// samples that have a weight. Returns false if the observer stopped it.
  [[nodiscard]] bool expand(const CovarianceWeights<double>& model) {
    const Index n = samples_.rows();
    if (model.active().empty()) {
      solution_.report.expansion_points = 0;
      return true;
    }
    if (!go_on(observer_, {"components", 0, 1})) return false;
    const X active = take_rows(samples_, model.active());
    NystromFactor<X> factor = nystrom_factor(kernel_, active);
    const X& points = factor.points;
    const Index m = active.rows(), r = points.rows();
    solution_.report.expansion_points = r;  // without those that depend on others
    Matrix<S> values(m, r);
    kernel_product(kernel_, active, points, Matrix<S>::Identity(r, r), values);
    // In an orthonormal basis.
    Matrix<double> z = multiply(Matrix<double>(values.template cast<double>()), factor.whiten);
    Vector<double> mean = Vector<double>::Zero(r);
    if (request_.centered) {
      Matrix<S> sums(r, 1);
      kernel_product(kernel_, points, samples_, Matrix<S>::Constant(n, 1, S(1) / static_cast<S>(n)),
                     sums);
      mean = factor.whiten.transpose() * sums.col(0).template cast<double>();
      z.rowwise() -= mean.transpose();
    }
    const Matrix<double> axes =
        symmetric_eigensystem<double>(
            inner(Matrix<double>(model.weights().cwiseSqrt().asDiagonal() * z)))
            .vectors.leftCols((std::min)(r, request_.pairs.components.count()));
    solution_.coefficients = small_product<double>(factor.whiten, axes).template cast<S>();
    solution_.offset = (axes.transpose() * mean).template cast<S>();
    solution_.mean_weights = (factor.whiten * mean).template cast<S>();
    solution_.mean = static_cast<S>(mean.squaredNorm());
    solution_.points = std::move(factor.points);
    return true;
  }

  KernelView<X> kernel_;
  const X& samples_;
  KernelRequest request_;
  SparseLikelihoodParams params_;
  const Observer& observer_;
  KernelSolution<X> solution_;
};

}  // namespace detail

/// Sparse kernel PCA by maximum likelihood. The samples in feature space have the model N(0, C)
/// with C = sigma^2 I + sum_i w_i phi(x_i) phi(x_i)^T, for a noise variance sigma^2 that is given.
/// At the maximum of the likelihood over w >= 0, most weights are zero. The components are the
/// principal axes of C, expanded over the samples that have a weight.
///
/// \code
///   KernelPca pca{Gaussian{1.5}, SparseLikelihood{{.noise = 0.1}}, {.components = 5}};
/// \endcode
/// Where no restriction to samples were made, C would have the leading axes of kernel PCA, with
/// eigenvalues mu_i / n, and sigma^2 along all others: no axis with mu_i / n < sigma^2 is found.
/// The result is a Rayleigh-Ritz step in the span of the axes: orthonormal components, and
/// eigenvalues that are never above the exact ones. If centred, the weights are those of the
/// centred features; the components are axes of the covariance about the mean's projection onto the
/// samples with a weight, so that the expansion stays sparse (the source has features of mean
/// zero).
///
/// Shapes: X n x d, m samples with a weight.
/// Cost: 2 n^3 once (and for noise = 0, k + 1 eigenvalues by Exact), 13/3 m^3 for each step.
/// Memory: 6 n^2 doubles.
/// Accuracy: as far as m samples span the leading components; report.residuals tell.
/// Status: Converged if the weights change no more; NotConverged after max_iterations, if the noise
///   is so small that weights are not finite, and if components that were asked for have less
///   variance than the noise. The residuals are not judged: a larger noise leaves larger ones.
/// Random: the rows of the certificate, see certificate_rows().
/// Throws InvalidArgument for parameters out of range, components as a fraction of variance, and
///   negative k(x, x).
/// Source: Tipping, Sparse kernel principal component analysis, 2001, section 3: the model, the
///   moments of the latent variables, both rules for the weights, and the axes.
class SparseLikelihood {
 public:
  using Params = SparseLikelihoodParams;

  SparseLikelihood() = default;

  /// Throws InvalidArgument for parameters out of range.
  explicit SparseLikelihood(SparseLikelihoodParams params) : params_(params) { params.validate(); }

  [[nodiscard]] const SparseLikelihoodParams& params() const { return params_; }

  /// Memory of a run of n samples.
  [[nodiscard]] std::size_t bytes(Index n) const { return detail::sparse_likelihood_bytes(n); }

  template <OwnedSamples X>
  [[nodiscard]] KernelSolution<X> solve(const std::type_identity_t<KernelView<X>>& kernel,
                                        const X& samples, const KernelRequest& request,
                                        const Observer& observer = {}) const {
    detail::require_counted_components("SparseLikelihood", samples, request.pairs.components);
    return detail::SparseLikelihoodFit<X>(kernel, samples, request, params_, observer).solve();
  }

 private:
  SparseLikelihoodParams params_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_SPARSE_SPARSE_LIKELIHOOD_HPP
