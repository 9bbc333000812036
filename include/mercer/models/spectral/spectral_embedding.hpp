// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Laplacian eigenmaps and diffusion maps: eigenvectors of the random walk on the samples.

#ifndef MERCER_MODELS_SPECTRAL_SPECTRAL_EMBEDDING_HPP
#define MERCER_MODELS_SPECTRAL_SPECTRAL_EMBEDDING_HPP

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/memory.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/models/kernel_functions.hpp>
#include <mercer/models/kernel_pca_parts.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/gram_form.hpp>
#include <mercer/operators/gram_plan.hpp>
#include <mercer/operators/normalized.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>

namespace mercer {

struct SpectralEmbeddingParams {
  Index components = 2;         ///< k, without the trivial one
  double density_exponent = 0;  ///< alpha of NormalizedParams; 1: the density has no influence
  double time = 0;              ///< t: coordinates are multiplied by lambda^t
  /// Bytes that a fit may hold beside the samples; 0 means default_memory_budget().
  std::size_t memory_budget = 0;
  /// How the Gram operator holds its matrix. If empty, plan_gram() decides.
  std::optional<GramStorage> storage = {};
  /// The precision of kernel values. If empty, plan_gram() decides.
  std::optional<Precision> precision = {};
};

/// A fitted spectral embedding. Coordinate j of a sample is \f$ \lambda_j^t \psi_j(x) \f$, where
/// \f$ \psi_j \f$ is an eigenvector of the random walk P on the training samples, extended to all
/// samples.
/// Lifetime: owns its points; copies share them.
/// Threads: const members may run concurrently.
template <KernelOrPrecomputed K, OwnedSamples X>
class SpectralEmbeddingModel {
 public:
  using Scalar = typename X::Scalar;

  SpectralEmbeddingModel(KernelFunctions<K, X> functions, Vector<double> eigenvalues,
                         Matrix<double> eigenvectors, double time, Report report)
      : functions_(std::move(functions)),
        eigenvalues_(std::move(eigenvalues)),
        eigenvectors_(std::move(eigenvectors)),
        powers_(eigenvalues_.array().pow(time)),
        report_(std::move(report)) {}

  /// Number of components found. It is less than requested if the others have eigenvalues that are
  /// not positive, and 0 for samples that are all the same.
  [[nodiscard]] Index components() const { return eigenvalues_.size(); }

  /// \f$ 1 \geq \lambda_1 \geq \lambda_2 \geq ... > 0 \f$ of the random walk P, without the trivial
  /// one. Those of the normalised Laplacian are \f$ 1 - \lambda_j \f$.
  [[nodiscard]] const Vector<double>& eigenvalues() const { return eigenvalues_; }

  /// \f$ \psi \f$ at the training samples, n x k. The columns are orthogonal and of mean square 1
  /// under the stationary distribution of P, and orthogonal to constants.
  [[nodiscard]] const Matrix<double>& eigenvectors() const { return eigenvectors_; }

  /// The coordinates of the training samples, n x k.
  [[nodiscard]] Matrix<Scalar> embedding() const {
    return (eigenvectors_ * powers_.asDiagonal()).template cast<Scalar>();
  }

  /// The coordinates of new samples, q x k, by Nyström's extension \f$ \psi_j(x) = \lambda_j^{-1}
  /// \sum_i p(x, x_i) \psi_j(x_i) \f$ with the transition probabilities p(x, x_i) of P. At the
  /// training samples, this is embedding(). For Precomputed, pass the q x n values k(q_i, x_j).
  /// A sample whose similarities to all training samples are zero has coordinates NaN.
  /// Cost: O(q n (d + k)).
  /// Memory: a few tiles per thread beside the result, for any number of rows.
  /// Throws InvalidArgument for another dimension, for non-finite samples, and for samples outside
  ///   the kernel's domain.
  /// Accuracy: rounding errors are multiplied by 1 / lambda_j.
  /// Source: Bengio et al., Out-of-sample extensions for LLE, Isomap, MDS, eigenmaps, and spectral
  ///   clustering, 2004.
  template <class Q>
  [[nodiscard]] Matrix<Scalar> transform(const Q& q) const {
    const Matrix<Scalar> sums = functions_.transform(q);
    const Index k = components();
    Matrix<Scalar> out = sums.leftCols(k) * powers_.template cast<Scalar>().asDiagonal();
    out.array().colwise() /= sums.col(k).array();
    return out;
  }

  /// The report of the fit. Residuals are those of the normalised operator; they leave out the
  /// rounding of kernel values in single precision.
  [[nodiscard]] const Report& report() const { return report_; }
  [[nodiscard]] const K& kernel() const { return functions_.kernel(); }
  [[nodiscard]] const X& points() const { return functions_.points(); }

 private:
  KernelFunctions<K, X> functions_;  // sums over the samples: k numerators, and the denominator
  Vector<double> eigenvalues_;
  Matrix<double> eigenvectors_;
  Vector<double> powers_;  // lambda^t
  Report report_;
};

/// Coordinates of samples from the random walk on them whose steps go to similar samples: \f$ P =
/// D^{-1} K^{(\alpha)} \f$, see Normalized. With t = 0, these are Laplacian eigenmaps on the
/// complete graph with the kernel as weights. With t > 0, they are diffusion maps: the distance of
/// two samples is that of the distributions of the walk after t steps from them.
///
/// \code
///   mercer::SpectralEmbedding maps{mercer::Gaussian{0.3}, {.components = 2}};
///   auto model = maps.fit(X);
///   model.embedding();                                        // n x 2
///   model.transform(Q);                                       // new samples
///   mercer::SpectralEmbedding{mercer::Gaussian{0.3},
///                             {.components = 2, .density_exponent = 1, .time = 1}};
/// \endcode
/// The Gram matrix is an operator, in tiles that are stored only if they fit into the memory
/// budget.
/// \tparam K  a kernel whose values are not negative, or Precomputed
/// \tparam S  a solver of operators
/// Cost: that of the solver, and one or two more products.
/// Accuracy: groups that hardly touch have eigenvalues near 1 that differ by less than rounding.
///   Their eigenvectors are then any basis of the same space.
/// Source: Belkin, Niyogi, Laplacian eigenmaps for dimensionality reduction and data
///   representation, 2003; Coifman, Lafon, Diffusion maps, 2006.
template <KernelOrPrecomputed K, class S = BlockKrylov>
class SpectralEmbedding {
 public:
  using Params = SpectralEmbeddingParams;

  explicit SpectralEmbedding(K kernel, SpectralEmbeddingParams params = {}, S solver = S{})
      : kernel_(std::move(kernel)), params_(params), solver_(std::move(solver)) {}

  [[nodiscard]] const K& kernel() const { return kernel_; }
  [[nodiscard]] const SpectralEmbeddingParams& params() const { return params_; }
  [[nodiscard]] const S& solver() const { return solver_; }

  /// Fits to the samples in the rows of \p x: dense in either storage order, or sparse. For
  /// Precomputed, x is the n x n matrix of similarities.
  /// Throws InvalidArgument for samples that are not finite or outside the kernel's domain, for
  ///   components outside [1, n - 1], for a time that is negative, and for a sample whose
  ///   similarities have no positive sum.
  /// Random: as the solver.
  template <class Samples>
  [[nodiscard]] auto fit(const Samples& x, const Observer& observer = {}) const {
    using X = OwnedSamplesOf<Samples>;
    const detail::FitClock clock;
    const auto samples = std::make_shared<const X>(x);
    check(*samples);
    const KernelView<X> view(kernel_);
    const Index n = samples->rows(), k = params_.components;
    const std::size_t given = params_.memory_budget;
    const GramPlan plan =
        plan_gram<X>(view, *samples,
                     {.tolerance = solver_.tolerance(),
                      .memory_budget = given > 0 ? given : default_memory_budget(),
                      .solver_bytes = solver_.bytes(n, k),
                      .storage = params_.storage,
                      .precision = params_.precision});
    const Normalized walk(Gram<X>::unchecked(view, samples, plan.form),
                          {.density_exponent = params_.density_exponent, .deflated = true});
    const bool single = plan.form.precision == Precision::Single;
    // Rounding errors are those of the operator before the trivial eigenvalue 1 is taken away. Of
    // equal samples, nothing else is left.
    EigenSolution<double> solution = solver_.solve(
        walk,
        EigenRequest{.components = k,
                     .noise_scale = 1 + walk.diagonal().cwiseAbs().sum(),
                     .epsilon = single ? double{std::numeric_limits<float>::epsilon()} : 0},
        observer);
    detail::fix_signs(solution.eigenvectors);
    const double mass = walk.degrees().sum();
    const Matrix<double> psi =
        (walk.degrees() / mass).cwiseSqrt().cwiseInverse().asDiagonal() * solution.eigenvectors;
    Report report = std::move(solution.report);
    report.kernel = detail::describe(kernel_);
    report.samples = n;
    report.dimension = samples->cols();
    report.components = psi.cols();
    report.components_requested = k;
    report.precision = plan.form.precision;
    report.reason = plan.reason;
    clock.report(report);
    return SpectralEmbeddingModel<K, X>(
        functions(samples, walk.weights(), psi, solution.eigenvalues), solution.eigenvalues, psi,
        params_.time, std::move(report));
  }

 private:
  template <OwnedSamples X>
  void check(const X& samples) const {
    constexpr std::string_view who = "SpectralEmbedding::fit";
    const Index n = samples.rows();
    if (n < 2 || samples.cols() == 0)
      detail::fail("mercer::", who, ": needs at least two rows and one column, got ", n, " x ",
                   samples.cols());
    if (params_.components < 1 || params_.components > n - 1)
      detail::fail("mercer::", who, ": components must be between 1 and ", n - 1, " for ", n,
                   " samples, got ", params_.components);
    detail::require_not_negative("SpectralEmbedding", "time", params_.time);
    detail::require_samples(who, kernel_, samples);
  }

  /// sum_i k(x, x_i) w_i psi_ij / lambda_j, and sum_i k(x, x_i) w_i. The weight of a new sample
  /// itself is in both, so it may be left out.
  template <OwnedSamples X>
  [[nodiscard]] KernelFunctions<K, X> functions(std::shared_ptr<const X> samples,
                                                const Vector<double>& weights,
                                                const Matrix<double>& psi,
                                                const Vector<double>& eigenvalues) const {
    using T = typename X::Scalar;
    Matrix<double> coefficients(psi.rows(), psi.cols() + 1);
    coefficients.leftCols(psi.cols()) =
        weights.asDiagonal() * psi * eigenvalues.cwiseInverse().asDiagonal();
    coefficients.col(psi.cols()) = weights;
    return {kernel_, std::move(samples), coefficients.template cast<T>(),
            Vector<T>::Zero(psi.cols() + 1)};
  }

  K kernel_;
  SpectralEmbeddingParams params_;
  S solver_;
};

template <KernelOrPrecomputed K>
SpectralEmbedding(K) -> SpectralEmbedding<K>;
template <KernelOrPrecomputed K>
SpectralEmbedding(K, SpectralEmbeddingParams) -> SpectralEmbedding<K>;
template <KernelOrPrecomputed K, class S>
SpectralEmbedding(K, SpectralEmbeddingParams, S) -> SpectralEmbedding<K, S>;

}  // namespace mercer

#endif  // MERCER_MODELS_SPECTRAL_SPECTRAL_EMBEDDING_HPP
