// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The result of a kernel PCA fit: k functions on the input space, expanded over the training
/// samples or over landmarks.

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
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/models/eigenvalue_convention.hpp>
#include <mercer/models/kernel_functions.hpp>
#include <mercer/models/kernel_pca_parts.hpp>
#include <mercer/models/preimage/preimage.hpp>
#include <mercer/models/preimage/preimage_fixed_point.hpp>
#include <mercer/models/preimage/preimage_ridge.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer {

/// How far samples are from the training data, with one value per sample.
template <Real Scalar>
struct Novelty {
  Vector<Scalar> t_squared;  ///< Hotelling's T^2, inside the span of the components: sum_i
                             ///< score_i^2 / explained_variance_i
  Vector<Scalar> spe;  ///< squared prediction error: squared distance to the span of the components
};

namespace detail {

/// Tag: the points of a model have already been checked as samples.
struct PointsAreChecked {};

}  // namespace detail

/// The default method of inverse_transform(): FixedPoint for the kernels that support it,
/// KernelRidge with its own defaults for all others.
template <class K, class S>
using DefaultPreimage = std::conditional_t<HasFixedPoint<K, S>, FixedPoint, KernelRidge<>>;

/// A fitted kernel PCA: f_i(x) = sum_j A_ji k(x, p_j) - offset_i. The directions have norm 1, so
/// the column of training scores i has squared norm mu_i. The points p_j are the n training
/// samples, or the m landmarks if the solver uses landmarks. Immutable. KernelPca::fit makes it. It
/// can also be made from its parts.
///
/// If the samples had weights, sums and means over training samples are weighted, with weights of
/// mean 1: squared norms of scores, the mean in feature space, mean_training_error(). The mu_i are
/// those of the weighted Gram matrix.
/// Lifetime: owns its points; copies share them.
/// Threads: const members may run concurrently.
/// Memory: the points and their coefficients, and with landmarks also the n x k training scores.
///   Nothing of size n x n.
template <KernelOrPrecomputed K, OwnedSamples X>
class KernelPcaModel {
 public:
  using Scalar = typename X::Scalar;
  /// The numbers that a model is made from.
  using Parts = KernelPcaParts<K, X>;

  /// Makes a model from its parts. The caller must know that the numbers belong to the same fit;
  /// this is not checked.
  /// Throws InvalidArgument for parts whose shapes do not fit together, eigenvalues that are not
  ///   positive and descending, values that are not finite, and points outside the kernel's domain.
  explicit KernelPcaModel(Parts parts)
      : KernelPcaModel(std::move(parts), detail::PointsAreChecked{}) {
    detail::require_samples("KernelPcaModel", parts_.kernel, *parts_.points);
  }

  /// The same for points that were already checked before the fit.
  KernelPcaModel(Parts parts, detail::PointsAreChecked) : parts_(std::move(parts)) {
    detail::require_parts(parts_);
  }

  /// The parts of the model, for example to write them to a file.
  [[nodiscard]] const Parts& parts() const { return parts_; }

  /// Number of components found. It is less than requested if the remaining ones have no variance.
  [[nodiscard]] Index components() const { return parts_.eigenvalues.size(); }

  /// The model of the first \p count components, with the same points, mean and report but for what
  /// the report says of each component.
  /// Cost: copies the coefficients and training scores of these components.
  /// Throws InvalidArgument unless 1 <= count <= components().
  [[nodiscard]] KernelPcaModel leading(Index count) const {
    if (count < 1 || count > components())
      detail::fail("mercer::KernelPcaModel::leading: the count must be between 1 and the ",
                   components(), " components of the model, got ", count);
    return KernelPcaModel(detail::leading_parts(parts_, count), detail::PointsAreChecked{});
  }

  /// Eigenvalues mu_1 >= mu_2 >= ... > 0 of the (centred) Gram matrix.
  [[nodiscard]] const Vector<Scalar>& eigenvalues() const { return parts_.eigenvalues; }

  /// The eigenvalues in another convention.
  [[nodiscard]] Vector<Scalar> eigenvalues(EigenvalueConvention convention) const {
    return detail::in_convention(parts_.eigenvalues, parts_.report.samples, convention);
  }

  /// Variance of each training score. For a centred model, this is the sample variance mu_i /
  /// (n - 1); otherwise it is the mean square mu_i / n.
  [[nodiscard]] Vector<Scalar> explained_variance() const {
    return eigenvalues(parts_.centered ? EigenvalueConvention::SampleVariance
                                       : EigenvalueConvention::Covariance);
  }

  /// mu_i / trace of the (centred) Gram matrix. Exact even if not all eigenvalues are known.
  [[nodiscard]] Vector<Scalar> explained_variance_ratio() const {
    return (parts_.eigenvalues.template cast<double>() / parts_.report.trace)
        .template cast<Scalar>();
  }

  /// The report of the fit: status, residual of each component, cost.
  [[nodiscard]] const Report& report() const { return parts_.report; }

  [[nodiscard]] const K& kernel() const { return parts_.kernel; }
  /// The points of the expansion, one per row. These are the training samples (for Precomputed,
  /// their Gram matrix), the landmarks, or the training samples that the components need, of a
  /// sparse loss or because the others have no weight.
  [[nodiscard]] const X& points() const { return *parts_.points; }
  [[nodiscard]] bool centered() const { return parts_.centered; }

  /// A, with one row per point. Component i is the unit vector sum_j A_ji phi(p_j).
  [[nodiscard]] const Matrix<Scalar>& coefficients() const { return parts_.coefficients; }
  /// The constants subtracted from the scores: the inner products of the components with the mean
  /// in feature space. They are A^T m, where m are the row means of the Gram matrix, and 0 if the
  /// model is not centred.
  [[nodiscard]] const Vector<Scalar>& offset() const { return parts_.offset; }

  /// Scores of the training samples, n x k: column i is mu_i^(1/2) u_i.
  /// Throws InvalidArgument for a model over landmarks that was made without them.
  [[nodiscard]] Matrix<Scalar> training_scores() const {
    if (parts_.over_landmarks && !parts_.training_scores)
      detail::fail("mercer::KernelPcaModel: this model was made without training scores");
    return parts_.training_scores ? *parts_.training_scores : point_scores();
  }

  /// Scores of new samples, q x k: K(Q, X) A - offset. The samples may be dense
  /// or sparse, with the scalar of the training samples. For Precomputed, pass the q x n values
  /// k(q_i, x_j).
  /// Cost: O(q n (d + k)).
  /// Memory: a few tiles per thread beside the result, for any number of rows.
  /// Throws InvalidArgument for another dimension, for non-finite samples, and for samples outside
  ///   the kernel's domain.
  template <class Q>
  [[nodiscard]] Matrix<Scalar> transform(const Q& q) const {
    Matrix<Scalar> scores = expand("transform", q, parts_.coefficients);
    scores.rowwise() -= parts_.offset.transpose();
    return scores;
  }

  /// Squared distance in feature space of each sample to its projection on the components:
  /// |phi_c(x) - P phi_c(x)|^2 = k_c(x, x) - |scores|^2, at least 0.
  /// Cost: as transform().
  /// Accuracy: the absolute error is about eps k(x, x).
  /// Throws InvalidArgument in the same cases as transform().
  template <class Q>
  [[nodiscard]] Vector<Scalar> reconstruction_error(const Q& q) const
      requires(!std::same_as<K, Precomputed>) {
    return novelty(q).spe;
  }

  /// Novelty scores of each sample.
  /// Cost: as transform().
  /// Throws InvalidArgument in the same cases as transform().
  template <class Q>
  [[nodiscard]] Novelty<Scalar> novelty(const Q& q) const requires(!std::same_as<K, Precomputed>) {
    require_not_precomputed("novelty");
    const Index k = components();
    Matrix<Scalar> values = expand("novelty", q, projection_basis());
    values.leftCols(k).rowwise() -= parts_.offset.transpose();
    const auto scores = values.leftCols(k).array();
    Vector<Scalar> self = KernelView<X>(parts_.kernel).diagonal(detail::to_owned<X>(q));
    if (parts_.centered) self.array() += parts_.mean - 2 * values.col(k).array();
    return {(scores.square().rowwise() / explained_variance().transpose().array()).rowwise().sum(),
            (self.array() - scores.square().rowwise().sum()).cwiseMax(Scalar(0))};
  }

  /// The projections with the given scores (q x k) as expansions over the points: P phi = sum_i g_i
  /// phi(p_i). Each row of the result holds the coefficients g = A y + w of one projection. Here
  /// sum_i w_i phi(p_i) is the mean in feature space. Over the training samples, w = 1/n (or their
  /// weights, divided by the sum) and each g
  /// sums to 1. If the model is not centred, w = 0.
  /// Throws InvalidArgument for another number of columns and for non-finite scores.
  template <class Z>
  [[nodiscard]] Matrix<Scalar> expansion(const Z& scores) const {
    const Matrix<Scalar> y = checked_scores("expansion", scores);
    return projection_coordinates(y) * projection_basis().transpose();
  }

  /// Pre-images: points in input space, q x d, whose images are close to the projections with these
  /// scores (q x k). With the scores transform(x), the result is the projection of x as a sample;
  /// this can remove noise from x. The method is FixedPoint where the kernel supports it, otherwise
  /// KernelRidge, each with its defaults. preimages() also says how good each point is. The points
  /// are dense even if the samples are sparse.
  /// Cost: that of the method.
  /// Throws InvalidArgument in the same cases as preimages().
  template <class Z>
  [[nodiscard]] Matrix<Scalar> inverse_transform(const Z& scores) const {
    return inverse_transform(scores, DefaultPreimage<K, Scalar>{});
  }

  /// The same with a given method: FixedPoint, KernelRidge or KwokTsang.
  template <class Z, class P>
  [[nodiscard]] Matrix<Scalar> inverse_transform(const Z& scores, const P& method) const {
    return preimages(scores, method).points;
  }

  /// Pre-images, with details for each one: convergence, iterations, and rho. rho is the squared
  /// distance in feature space between the image of the point and the projection. A point that
  /// cannot be found is not an error: its `converged` is false.
  /// Cost: that of the method, and O(q n (d + k)) for rho.
  /// Throws InvalidArgument for another number of columns than components() and for non-finite
  ///   scores.
  template <class Z, class P>
  [[nodiscard]] Preimages<Scalar> preimages(const Z& scores, const P& method) const {
    return find_preimages(method, checked_scores("preimages", scores), Matrix<Scalar>());
  }

  /// The same from given starting points, q x d, dense or sparse. For denoising, these are the
  /// noisy samples whose scores are given.
  /// Throws InvalidArgument also for starting points of another shape and for non-finite ones.
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

  /// Mean of reconstruction_error() over the training samples, computed from the trace and the
  /// eigenvalues.
  [[nodiscard]] double mean_training_error() const {
    return (parts_.report.trace - parts_.eigenvalues.template cast<double>().sum()) /
           static_cast<double>(parts_.report.samples);
  }

 private:
  /// Scores of the points of the expansion, one row per point.
  [[nodiscard]] Matrix<Scalar> point_scores() const {
    if (parts_.over_landmarks) return transform(*parts_.points);
    if (parts_.training_scores) return *parts_.training_scores;
    return parts_.coefficients * parts_.eigenvalues.asDiagonal();
  }

  /// K(Q, X) weights. Checks the samples first.
  template <class Q>
  [[nodiscard]] Matrix<Scalar> expand(std::string_view who, const Q& q,
                                      const Matrix<Scalar>& weights) const {
    return detail::expand("KernelPcaModel::" + std::string(who), parts_.kernel, *parts_.points, q,
                          weights);
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

  /// A and, as its last column, w. The coefficients g of a projection are projection_basis() times
  /// its coordinates.
  [[nodiscard]] Matrix<Scalar> projection_basis() const {
    Matrix<Scalar> basis(parts_.points->rows(), components() + 1);
    basis << parts_.coefficients, parts_.mean_weights;
    return basis;
  }

  /// The scores and, as a last column of ones, the coordinate of the mean; q rows.
  [[nodiscard]] Matrix<Scalar> projection_coordinates(const Matrix<Scalar>& scores) const {
    Matrix<Scalar> coordinates(scores.rows(), components() + 1);
    coordinates << scores, Vector<Scalar>::Ones(scores.rows());
    return coordinates;
  }

  /// |P phi|^2 of each projection P phi = mean + sum_i y_i v_i. This formula needs only that the
  /// directions v_i are orthonormal and that their inner products with the mean are the offset.
  [[nodiscard]] Vector<Scalar> projection_norms(const Matrix<Scalar>& scores) const {
    if (scores.rows() == 0) return Vector<Scalar>(0);  // BLAS refuses matrices without rows
    return (scores.rowwise().squaredNorm() + Scalar(2) * scores * parts_.offset).array() +
           parts_.mean;
  }

  /// Throws InvalidArgument if the kernel was chosen at run time, and is Precomputed.
  void require_not_precomputed(std::string_view who) const {
    if constexpr (HoldsKernel<K>)
      if (KernelView<X>(parts_.kernel).is_precomputed())
        detail::fail("mercer::KernelPcaModel::", who,
                     ": precomputed kernel values hold no samples to evaluate the kernel on");
  }

  template <class P>
  [[nodiscard]] Preimages<Scalar> find_preimages(const P& method, Matrix<Scalar> scores,
                                                 Matrix<Scalar> starts) const {
    static_assert(!std::same_as<K, Precomputed>,
                  "mercer::KernelPcaModel: precomputed kernel values hold no samples, so there are "
                  "no pre-images");
    if constexpr (!std::same_as<K, Precomputed>) {
      require_not_precomputed("preimages");
      static_assert(check_preimage_method<P, K, X>());
      if (parts_.points->rows() == 0)
        detail::fail("mercer::KernelPcaModel::preimages: the model has no points");
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

  Parts parts_;
};

}  // namespace mercer

#endif  // MERCER_MODELS_KERNEL_PCA_MODEL_HPP
