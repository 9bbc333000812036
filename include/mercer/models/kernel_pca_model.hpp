// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What a fit of kernel PCA returns: k functions on the input space, as expansions over the
/// samples.

#ifndef MERCER_MODELS_KERNEL_PCA_MODEL_HPP
#define MERCER_MODELS_KERNEL_PCA_MODEL_HPP

#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/models/preimage.hpp>
#include <mercer/models/preimage_fixed_point.hpp>
#include <mercer/models/preimage_ridge.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer {

/// What eigenvalues are the eigenvalues of.
enum class EigenvalueConvention {
  Gram,           ///< mu_i: of the (centred) Gram matrix
  Covariance,     ///< mu_i / n: of the covariance operator
  SampleVariance  ///< mu_i / (n - 1): the sample variance of the i-th training score
};

/// How far samples are from the training data, one value a sample.
template <Real Scalar>
struct Novelty {
  Vector<Scalar> t_squared;  ///< Hotelling's T^2: sum_i score_i^2 / explained_variance_i, within
                             ///< the components
  Vector<Scalar> spe;        ///< squared prediction error: squared distance to the components' span
};

/// What inverse_transform() uses unless told otherwise: FixedPoint for the kernels that it is for,
/// KernelRidge with its own defaults for all others.
template <class K, class S>
using DefaultPreimage = std::conditional_t<HasFixedPoint<K, S>, FixedPoint, KernelRidge<>>;

/// A fitted kernel PCA: f_i(x) = sum_j A_ji k(x, x_j) - offset_i with unit-norm directions, so that
/// training score i has squared norm mu_i. Immutable. Made by KernelPca::fit. Lifetime: owns its
/// samples; copies share them. Threads: const members may run concurrently. Memory: the samples, n
/// x k coefficients, and nothing of size n x n.
template <KernelOrPrecomputed K, OwnedSamples X>
class KernelPcaModel {
 public:
  using Scalar = typename X::Scalar;

  /// Components found; fewer than asked for where the rest has no variance.
  [[nodiscard]] Index components() const { return eigenvalues_.size(); }

  /// Eigenvalues mu_1 >= mu_2 >= ... > 0 of the (centred) Gram matrix.
  [[nodiscard]] const Vector<Scalar>& eigenvalues() const { return eigenvalues_; }

  /// The same in another convention. With one sample there is none, so n - 1 = 0 does not arise.
  [[nodiscard]] Vector<Scalar> eigenvalues(EigenvalueConvention convention) const {
    const auto n = static_cast<Scalar>(samples_->rows());
    switch (convention) {
      case EigenvalueConvention::Gram:
        return eigenvalues_;
      case EigenvalueConvention::Covariance:
        return eigenvalues_ / n;
      case EigenvalueConvention::SampleVariance:
        return eigenvalues_ / (n - 1);
    }
    return eigenvalues_;
  }

  /// Variance of each training score: mu_i / (n - 1), its sample variance, for a centred model;
  /// mu_i / n, its mean square, for one that is not.
  [[nodiscard]] Vector<Scalar> explained_variance() const {
    return eigenvalues(centered_ ? EigenvalueConvention::SampleVariance
                                 : EigenvalueConvention::Covariance);
  }

  /// mu_i / trace of the (centred) Gram matrix: exact though not all eigenvalues are known.
  [[nodiscard]] Vector<Scalar> explained_variance_ratio() const {
    return eigenvalues_ / static_cast<Scalar>(report_.trace);
  }

  /// The record of the fit: status, residual of each component, cost.
  [[nodiscard]] const Report& report() const { return report_; }

  [[nodiscard]] const K& kernel() const { return kernel_; }
  /// The training samples, n x d (for Precomputed: the Gram matrix).
  [[nodiscard]] const X& samples() const { return *samples_; }
  [[nodiscard]] bool centered() const { return centered_; }

  /// A, n x k: component i is the unit vector sum_j A_ji phi_c(x_j).
  [[nodiscard]] const Matrix<Scalar>& coefficients() const { return coefficients_; }
  /// Subtracted from the scores: A^T m, m the row means of the Gram matrix; 0 for a model not
  /// centred.
  [[nodiscard]] const Vector<Scalar>& offset() const { return offset_; }

  /// Scores of the training samples, n x k: column i is mu_i^(1/2) u_i.
  [[nodiscard]] Matrix<Scalar> training_scores() const {
    return coefficients_ * eigenvalues_.asDiagonal();
  }

  /// Scores of new samples, q x k: K(Q, X) A - offset (spec 5.1, step 6).
  /// Takes any dense or sparse form of the training samples' scalar; for Precomputed the q x n
  /// values k(q_i, x_j). Cost: O(q n (d + k)); memory beyond the result: a few tiles per thread,
  /// however many rows. Throws InvalidArgument for another dimension, non-finite samples or samples
  /// outside the kernel's domain.
  template <class Q>
  [[nodiscard]] Matrix<Scalar> transform(const Q& q) const {
    Matrix<Scalar> scores = expand("transform", q, coefficients_);
    scores.rowwise() -= offset_.transpose();
    return scores;
  }

  /// Squared distance in feature space of each sample to its projection on the components,
  /// |phi_c(x) - P phi_c(x)|^2 = k_c(x, x) - |scores|^2, clamped at 0 (spec 5.2).
  /// Costs and throws as transform(). Accuracy: absolute, about eps k(x, x).
  template <class Q>
  [[nodiscard]] Vector<Scalar> reconstruction_error(const Q& q) const
      requires(!std::same_as<K, Precomputed>) {
    return novelty(q).spe;
  }

  /// Novelty scores of each sample. Costs and throws as transform().
  template <class Q>
  [[nodiscard]] Novelty<Scalar> novelty(const Q& q) const requires(!std::same_as<K, Precomputed>) {
    const Index k = components();
    Matrix<Scalar> weights(samples_->rows(), k + 1);
    weights << coefficients_,
        Vector<Scalar>::Constant(samples_->rows(), 1 / static_cast<Scalar>(samples_->rows()));
    Matrix<Scalar> values = expand("novelty", q, weights);
    values.leftCols(k).rowwise() -= offset_.transpose();
    const auto scores = values.leftCols(k).array();
    Vector<Scalar> self = diagonal(kernel_, detail::to_owned<X>(q));
    if (centered_) self.array() += mean_ - 2 * values.col(k).array();
    return {(scores.square().rowwise() / explained_variance().transpose().array()).rowwise().sum(),
            (self.array() - scores.square().rowwise().sum()).cwiseMax(Scalar(0))};
  }

  /// Coefficients g, q x n, of the projections with these scores (q x k) as expansions over the
  /// training samples, P phi = sum_i g_i phi(x_i): g = A y + (1/n)(1 - 1^T A y) 1, which sums to 1,
  /// for a centred model, g = A y for one that is not (spec 5.3).
  /// Throws InvalidArgument for another number of columns and for non-finite scores.
  template <class Z>
  [[nodiscard]] Matrix<Scalar> expansion(const Z& scores) const {
    const Matrix<Scalar> y = checked_scores("expansion", scores);
    return projection_coordinates(y) * projection_basis().transpose();
  }

  /// Points in input space, q x d, whose images come near the projections with these scores (q x
  /// k): for transform(x) the projection of x as a sample, for example with its noise gone. By
  /// FixedPoint where the kernel has it, else by KernelRidge, with their defaults; preimages()
  /// tells for each point how good it is. Points are dense though the samples be sparse. Cost: that
  /// of the method. Throws as preimages().
  template <class Z>
  [[nodiscard]] Matrix<Scalar> inverse_transform(const Z& scores) const {
    return inverse_transform(scores, DefaultPreimage<K, Scalar>{});
  }

  /// The same by a method of the caller's choice: FixedPoint, KernelRidge or KwokTsang.
  template <class Z, class P>
  [[nodiscard]] Matrix<Scalar> inverse_transform(const Z& scores, const P& method) const {
    return preimages(scores, method).points;
  }

  /// Pre-images with the record of each: convergence, iterations, and rho, the squared distance in
  /// feature space between the image of the point and the projection.
  /// Cost: that of the method and O(q n (d + k)) for rho.
  /// Throws InvalidArgument for another number of columns than components() and for non-finite
  /// scores. A point that cannot be found is no error: its `converged` is false.
  template <class Z, class P>
  [[nodiscard]] Preimages<Scalar> preimages(const Z& scores, const P& method) const {
    return find_preimages(method, checked_scores("preimages", scores), Matrix<Scalar>());
  }

  /// The same from starting points, q x d, dense or sparse: for denoising, the noisy samples whose
  /// scores these are. Throws also for starts of another shape and non-finite ones.
  template <class Z, class P, class Q>
  [[nodiscard]] Preimages<Scalar> preimages(const Z& scores, const P& method,
                                            const Q& starts) const {
    static_assert(uses_starts<P>,
                  "mercer::KernelPcaModel::preimages: this method takes no starting points");
    Matrix<Scalar> points = starts;
    detail::require_matrix("KernelPcaModel::preimages", "starts", points, scores.rows(),
                           samples_->cols());
    return find_preimages(method, checked_scores("preimages", scores), std::move(points));
  }

  /// Mean of reconstruction_error() over the training samples, from eigenvalues alone.
  [[nodiscard]] double mean_training_error() const {
    return (report_.trace - static_cast<double>(eigenvalues_.sum())) /
           static_cast<double>(samples_->rows());
  }

 private:
  template <KernelOrPrecomputed, GramSolver>
  friend class KernelPca;

  KernelPcaModel(K kernel, std::shared_ptr<const X> samples, bool centered)
      : kernel_(std::move(kernel)), samples_(std::move(samples)), centered_(centered) {
    coefficients_.resize(samples_->rows(), 0);
    report_.kernel = detail::describe(kernel_);
    report_.precision = sizeof(Scalar) == 4 ? "single" : "double";
    report_.samples = samples_->rows();
    report_.dimension = samples_->cols();
  }

  /// Takes over eigenpairs: signs fixed, A = u_i / mu_i^(1/2).
  void set(EigenSolution<Scalar> solution) {
    detail::fix_signs(solution.eigenvectors);
    solution.report.kernel = report_.kernel;
    solution.report.precision = report_.precision;
    solution.report.samples = report_.samples;
    solution.report.dimension = report_.dimension;
    report_ = std::move(solution.report);
    eigenvalues_ = std::move(solution.eigenvalues);
    coefficients_ = solution.eigenvectors * eigenvalues_.cwiseSqrt().cwiseInverse().asDiagonal();
    offset_ = Vector<Scalar>::Zero(components());
  }

  void set_centering(const Vector<Scalar>& row_means, Scalar mean) {
    // Columns of A sum to zero, which the offset relies on. For eigenvalues near rounding error the
    // eigenvectors have picked up enough of the vector 1 to spoil it.
    coefficients_.rowwise() -= coefficients_.colwise().mean().eval();
    offset_ = coefficients_.transpose() * row_means;
    mean_ = mean;
  }

  /// K(Q, X) weights, after all checks of the samples.
  template <class Q>
  [[nodiscard]] Matrix<Scalar> expand(std::string_view who, const Q& q,
                                      const Matrix<Scalar>& weights) const {
    static_assert(
        std::same_as<typename Q::Scalar, Scalar>,
        "mercer::KernelPcaModel: new samples must have the scalar of the training samples");
    if (q.cols() != samples_->cols())
      detail::fail("mercer::KernelPcaModel::", who, ": new samples have ", q.cols(),
                   " columns, the training samples ", samples_->cols());
    Matrix<Scalar> out(q.rows(), weights.cols());
    if constexpr (SparseSamples<Q>) {
      const SparseMatrix<Scalar> rows = q;
      check(who, rows);
      kernel_product(kernel_, rows, *samples_, weights, out);
    } else {
      check(who, q);
      kernel_product(kernel_, q, *samples_, weights, out);
    }
    return out;
  }

  template <class Z>
  [[nodiscard]] Matrix<Scalar> checked_scores(std::string_view who, const Z& scores) const {
    static_assert(std::same_as<typename Z::Scalar, Scalar>,
                  "mercer::KernelPcaModel: scores must have the scalar of the training samples");
    Matrix<Scalar> y = scores;
    detail::require_matrix("KernelPcaModel::" + std::string(who), "scores", y, y.rows(),
                           components());
    return y;
  }

  /// The coefficients of a projection are basis * coordinates: A and, for a centred model, 1/n.
  [[nodiscard]] Matrix<Scalar> projection_basis() const {
    const Index n = samples_->rows(), k = components();
    Matrix<Scalar> basis(n, centered_ ? k + 1 : k);
    basis.leftCols(k) = coefficients_;
    if (centered_) basis.col(k).setConstant(1 / static_cast<Scalar>(n));
    return basis;
  }

  /// The scores and, for a centred model, what the coefficients lack of the sum 1; q rows.
  [[nodiscard]] Matrix<Scalar> projection_coordinates(const Matrix<Scalar>& scores) const {
    const Index k = components();
    Matrix<Scalar> coordinates(scores.rows(), centered_ ? k + 1 : k);
    coordinates.leftCols(k) = scores;
    if (centered_)
      coordinates.col(k).array() =
          Scalar(1) - (scores * coefficients_.colwise().sum().transpose()).array();
    return coordinates;
  }

  /// |P phi|^2 of each projection; directions are orthonormal.
  [[nodiscard]] Vector<Scalar> projection_norms(const Matrix<Scalar>& scores) const {
    Vector<Scalar> norms = scores.rowwise().squaredNorm();
    if (!centered_) return norms;
    const Vector<Scalar> mean_scores =  // inner products of the directions and the mean
        offset_ - mean_ * coefficients_.colwise().sum().transpose();
    return (norms + Scalar(2) * scores * mean_scores).array() + mean_;
  }

  template <class P>
  [[nodiscard]] Preimages<Scalar> find_preimages(const P& method, Matrix<Scalar> scores,
                                                 Matrix<Scalar> starts) const {
    static_assert(!std::same_as<K, Precomputed>,
                  "mercer::KernelPcaModel: precomputed kernel values hold no samples, so there are "
                  "no pre-images");
    if constexpr (!std::same_as<K, Precomputed>) {
      static_assert(check_preimage_method<P, K, X>());
      const Vector<Scalar> norms = projection_norms(scores);
      const Matrix<Scalar> coordinates = projection_coordinates(scores);
      const PreimageProblem<K, X> problem{kernel_,          *samples_,         projection_basis(),
                                          coordinates,      training_scores(), std::move(scores),
                                          std::move(starts)};
      Preimages<Scalar> result = method.find(problem);
      detail::complete(problem, norms, result);
      return result;
    }
  }

  template <class Q>
  void check(std::string_view who, const Q& q) const {
    detail::require_finite_samples(who, q);
    detail::check_domain(kernel_, q);
  }

  K kernel_;
  std::shared_ptr<const X> samples_;
  bool centered_;
  Vector<Scalar> eigenvalues_;
  Matrix<Scalar> coefficients_;
  Vector<Scalar> offset_;
  Scalar mean_ = 0;
  Report report_;
};

}  // namespace mercer

#endif  // MERCER_MODELS_KERNEL_PCA_MODEL_HPP
