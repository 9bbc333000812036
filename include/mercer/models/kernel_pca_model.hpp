// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What a fit of kernel PCA returns: k functions on the input space, as expansions over the
/// training samples or over landmarks.

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
#include <mercer/models/eigenvalue_convention.hpp>
#include <mercer/models/kernel_pca_parts.hpp>
#include <mercer/models/preimage.hpp>
#include <mercer/models/preimage_fixed_point.hpp>
#include <mercer/models/preimage_ridge.hpp>
#include <mercer/solvers/auto.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

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

/// A fitted kernel PCA: f_i(x) = sum_j A_ji k(x, p_j) - offset_i with unit-norm directions, so that
/// training score i has squared norm mu_i. The points p_j are the n training samples, or the m
/// landmarks of a solver that works with some. Immutable. Made by KernelPca::fit, or from its
/// parts. Lifetime: owns its points; copies share them. Threads: const members may run
/// concurrently. Memory: the points, their coefficients, for landmarks also the n x k training
/// scores, and nothing of size n x n.
template <KernelOrPrecomputed K, OwnedSamples X>
class KernelPcaModel {
 public:
  using Scalar = typename X::Scalar;
  using Parts = KernelPcaParts<K, X>;

  /// Puts a model together. Throws InvalidArgument for parts whose shapes do not fit together,
  /// eigenvalues that are not positive and descending, values that are not finite, and points
  /// outside the kernel's domain. That the numbers belong together is for the caller to know.
  explicit KernelPcaModel(Parts parts) : KernelPcaModel(std::move(parts), Checked{}) {
    detail::require_samples("KernelPcaModel", parts_.kernel, *parts_.points);
  }

  /// The model taken apart, for example to write it to a file.
  [[nodiscard]] const Parts& parts() const { return parts_; }

  /// Components found; fewer than asked for where the rest has no variance.
  [[nodiscard]] Index components() const { return parts_.eigenvalues.size(); }

  /// Eigenvalues mu_1 >= mu_2 >= ... > 0 of the (centred) Gram matrix.
  [[nodiscard]] const Vector<Scalar>& eigenvalues() const { return parts_.eigenvalues; }

  /// The same in another convention.
  [[nodiscard]] Vector<Scalar> eigenvalues(EigenvalueConvention convention) const {
    return detail::in_convention(parts_.eigenvalues, parts_.report.samples, convention);
  }

  /// Variance of each training score: mu_i / (n - 1), its sample variance, for a centred model;
  /// mu_i / n, its mean square, for one that is not.
  [[nodiscard]] Vector<Scalar> explained_variance() const {
    return eigenvalues(parts_.centered ? EigenvalueConvention::SampleVariance
                                       : EigenvalueConvention::Covariance);
  }

  /// mu_i / trace of the (centred) Gram matrix: exact though not all eigenvalues are known.
  [[nodiscard]] Vector<Scalar> explained_variance_ratio() const {
    return parts_.eigenvalues / static_cast<Scalar>(parts_.report.trace);
  }

  /// The record of the fit: status, residual of each component, cost.
  [[nodiscard]] const Report& report() const { return parts_.report; }

  [[nodiscard]] const K& kernel() const { return parts_.kernel; }
  /// The points of the expansion, one per row: the training samples (for Precomputed: their Gram
  /// matrix), the landmarks, or those training samples that components of a sparse loss need.
  [[nodiscard]] const X& points() const { return *parts_.points; }
  [[nodiscard]] bool centered() const { return parts_.centered; }

  /// A, one row a point: component i is the unit vector sum_j A_ji phi(p_j).
  [[nodiscard]] const Matrix<Scalar>& coefficients() const { return parts_.coefficients; }
  /// Subtracted from the scores: the inner products of the components and the mean in feature
  /// space (A^T m, m the row means of the Gram matrix); 0 for a model not centred.
  [[nodiscard]] const Vector<Scalar>& offset() const { return parts_.offset; }

  /// Scores of the training samples, n x k: column i is mu_i^(1/2) u_i.
  [[nodiscard]] Matrix<Scalar> training_scores() const {
    return parts_.training_scores ? *parts_.training_scores : point_scores();
  }

  /// Scores of new samples, q x k: K(Q, X) A - offset (spec 5.1, step 6).
  /// Takes any dense or sparse form of the training samples' scalar; for Precomputed the q x n
  /// values k(q_i, x_j). Cost: O(q n (d + k)); memory beyond the result: a few tiles per thread,
  /// however many rows. Throws InvalidArgument for another dimension, non-finite samples or samples
  /// outside the kernel's domain.
  template <class Q>
  [[nodiscard]] Matrix<Scalar> transform(const Q& q) const {
    Matrix<Scalar> scores = expand("transform", q, parts_.coefficients);
    scores.rowwise() -= parts_.offset.transpose();
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
    Matrix<Scalar> values = expand("novelty", q, projection_basis());
    values.leftCols(k).rowwise() -= parts_.offset.transpose();
    const auto scores = values.leftCols(k).array();
    Vector<Scalar> self = diagonal(parts_.kernel, detail::to_owned<X>(q));
    if (parts_.centered) self.array() += parts_.mean - 2 * values.col(k).array();
    return {(scores.square().rowwise() / explained_variance().transpose().array()).rowwise().sum(),
            (self.array() - scores.square().rowwise().sum()).cwiseMax(Scalar(0))};
  }

  /// Coefficients g of the projections with these scores (q x k) as expansions over the points, one
  /// row a projection: P phi = sum_i g_i phi(p_i) with g = A y + w, where sum_i w_i phi(p_i) is the
  /// mean in feature space: w = 1/n for the training samples, whose g sum to 1, and 0 for a model
  /// that is not centred (spec 5.3).
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
                           parts_.points->cols());
    return find_preimages(method, checked_scores("preimages", scores), std::move(points));
  }

  /// Mean of reconstruction_error() over the training samples, from eigenvalues alone.
  [[nodiscard]] double mean_training_error() const {
    return (parts_.report.trace - static_cast<double>(parts_.eigenvalues.sum())) /
           static_cast<double>(parts_.report.samples);
  }

 private:
  template <KernelOrPrecomputed, SpectralSolver>
  friend class KernelPca;

  /// Says that the points have been checked as samples.
  struct Checked {};

  KernelPcaModel(Parts parts, Checked) : parts_(std::move(parts)) { detail::require_parts(parts_); }

  /// Scores of the points of the expansion, one row each.
  [[nodiscard]] Matrix<Scalar> point_scores() const {
    if (parts_.over_landmarks) return transform(*parts_.points);
    if (parts_.training_scores) return *parts_.training_scores;
    return parts_.coefficients * parts_.eigenvalues.asDiagonal();
  }

  /// K(Q, X) weights, after all checks of the samples.
  template <class Q>
  [[nodiscard]] Matrix<Scalar> expand(std::string_view who, const Q& q,
                                      const Matrix<Scalar>& weights) const {
    static_assert(
        std::same_as<typename Q::Scalar, Scalar>,
        "mercer::KernelPcaModel: new samples must have the scalar of the training samples");
    if (q.cols() != parts_.points->cols())
      detail::fail("mercer::KernelPcaModel::", who, ": new samples have ", q.cols(),
                   " columns, the training samples ", parts_.points->cols());
    Matrix<Scalar> out(q.rows(), weights.cols());
    if constexpr (SparseSamples<Q>) {
      const SparseMatrix<Scalar> rows = q;
      check(who, rows);
      kernel_product(parts_.kernel, rows, *parts_.points, weights, out);
    } else {
      check(who, q);
      kernel_product(parts_.kernel, q, *parts_.points, weights, out);
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

  /// The coefficients of a projection are basis * coordinates: A and, for a centred model, w.
  [[nodiscard]] Matrix<Scalar> projection_basis() const {
    Matrix<Scalar> basis(parts_.points->rows(), components() + 1);
    basis << parts_.coefficients, parts_.mean_weights;
    return basis;
  }

  /// The scores and the coordinate of the mean; q rows.
  [[nodiscard]] Matrix<Scalar> projection_coordinates(const Matrix<Scalar>& scores) const {
    Matrix<Scalar> coordinates(scores.rows(), components() + 1);
    coordinates << scores, Vector<Scalar>::Ones(scores.rows());
    return coordinates;
  }

  /// |P phi|^2 of each projection, mean + sum_i y_i v_i; directions are orthonormal, and their
  /// inner products with the mean are the offset.
  [[nodiscard]] Vector<Scalar> projection_norms(const Matrix<Scalar>& scores) const {
    return (scores.rowwise().squaredNorm() + Scalar(2) * scores * parts_.offset).array() +
           parts_.mean;
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
      const PreimageProblem<K, X> problem{parts_.kernel,    *parts_.points, projection_basis(),
                                          coordinates,      point_scores(), std::move(scores),
                                          std::move(starts)};
      Preimages<Scalar> result = method.find(problem);
      detail::complete(problem, norms, result);
      return result;
    }
  }

  template <class Q>
  void check(std::string_view who, const Q& q) const {
    detail::require_finite_samples(who, q);
    detail::check_domain(parts_.kernel, q);
  }

  Parts parts_;
};

}  // namespace mercer

#endif  // MERCER_MODELS_KERNEL_PCA_MODEL_HPP
