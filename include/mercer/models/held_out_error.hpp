// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What a fitted kernel PCA misses of samples that it has not seen: criteria of cross-validation.

#ifndef MERCER_MODELS_HELD_OUT_ERROR_HPP
#define MERCER_MODELS_HELD_OUT_ERROR_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>

#include <mercer/core/errors.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/models/preimage/preimage_fixed_point.hpp>
#include <mercer/models/preimage/preimage_ridge.hpp>

namespace mercer {

/// What is missed of held-out samples, and all that could be missed, each summed over them.
struct HeldOutError {
  double missed = 0;  ///< summed over the held-out samples
  double total = 0;   ///< what could be missed, likewise
};

/// The rows of one fold: all samples, and which of their rows are fitted and held out.
template <OwnedSamples X>
struct HeldOutRows {
  const X& training;                        ///< the samples of the fit
  const X& held;                            ///< the samples that were held out
  const std::vector<Index>& training_rows;  ///< of the samples given to choose_bandwidth()
  const std::vector<Index>& held_rows;      ///< likewise
};

/// The share of the variance in feature space of held-out samples that the components miss:
/// \f$ \sum |\phi_c(x) - P \phi_c(x)|^2 / \sum |\phi_c(x)|^2 \f$, with the mean of the fit.
///
/// Without the denominator, the widest kernel would always win, since all its values are 1. With
/// it, a wide kernel is as good as linear PCA, so this criterion finds an optimum inside the grid
/// only where a nonlinear kernel compresses better. If k >= d, linear PCA loses nothing, and
/// neither does the widest kernel.
struct FeatureSpaceError {
  /// The error of the held-out rows.
  template <class Model, OwnedSamples X>
  [[nodiscard]] HeldOutError operator()(const Model& model, const HeldOutRows<X>& rows) const {
    const double kept = model.transform(rows.held).template cast<double>().squaredNorm();
    const double missed = model.reconstruction_error(rows.held).template cast<double>().sum();
    return {missed, missed + kept};
  }
};

/// Stands for the default method of pre-images: FixedPoint with a tolerance of 1e-4 where the
/// kernel has it, otherwise KernelRidge.
struct DefaultPreimageMethod {};

/// The share of the variance in input space of held-out samples that is lost on the way to their
/// scores and back by pre-images: \f$ \sum |x - \hat z(x)|^2 / \sum |x - \bar x|^2 \f$, with the
/// mean of the training samples. A pre-image that is not finite counts as that mean. No search
/// starts from the held-out sample, which would give away the answer.
///
/// If k >= d, the widest kernel loses nothing, as linear PCA does not.
/// \tparam P  a PreimageMethod for the kernel, or DefaultPreimageMethod
/// Source: Alam, Fukumizu, Hyperparameter selection in kernel principal component analysis, 2014.
template <class P = DefaultPreimageMethod>
struct PreimageError {
  P method = {};  ///< how pre-images are found

  /// The error of the held-out rows.
  template <class Model, OwnedSamples X, class S = typename X::Scalar>
  [[nodiscard]] HeldOutError operator()(const Model& model, const HeldOutRows<X>& rows) const {
    const Matrix<S> training = rows.training, held = rows.held;
    const Vector<double> mean = training.template cast<double>().colwise().mean().transpose();
    const Matrix<S> found = preimages(model, Matrix<S>(model.transform(rows.held)));
    HeldOutError error;
    for (Index i = 0; i < held.rows(); ++i) {
      const Vector<double> x = held.row(i).transpose().template cast<double>();
      const Vector<double> z = found.row(i).transpose().template cast<double>();
      const double all = (x - mean).squaredNorm();
      error.missed += z.allFinite() ? (x - z).squaredNorm() : all;
      error.total += all;
    }
    return error;
  }

 private:
  template <class Model, Real S>
  [[nodiscard]] Matrix<S> preimages(const Model& model, const Matrix<S>& scores) const {
    using K = std::remove_cvref_t<decltype(model.kernel())>;
    if constexpr (!std::same_as<P, DefaultPreimageMethod>)
      return model.inverse_transform(scores, method);
    else if constexpr (HasFixedPoint<K, S>)
      return model.inverse_transform(scores,
                                     FixedPoint{{.tolerance = 1e-4, .max_iterations = 100}});
    else
      return model.inverse_transform(scores, KernelRidge{});
  }
};

/// The share of the variance of held-out labels that least squares on the scores misses:
/// \f$ \sum |y - \hat y|^2 / \sum |y - \bar y|^2 \f$. Here y is the indicator of a class, or a row
/// of numbers; \f$ \hat y = \bar y + B^T s \f$ is fitted to the training samples and their scores
/// s, and \f$ \bar y \f$ is their mean. In contrast to the share of wrong labels, it tells widths
/// apart that label all samples rightly.
class LabelError {
 public:
  /// From one label a sample, of any type with an order.
  /// Throws InvalidArgument if all labels are the same, and for numbers that are not finite.
  template <std::totally_ordered Label>
  explicit LabelError(const std::vector<Label>& labels) {
    if constexpr (std::floating_point<Label>)
      for (std::size_t i = 0; i < labels.size(); ++i)  // NaN has no order
        if (!std::isfinite(labels[i]))
          detail::fail("mercer::LabelError: labels must be finite, got ", labels[i], " at row ", i,
                       " (counted from 0)");
    std::vector<Label> classes = labels;
    std::sort(classes.begin(), classes.end());
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
    if (classes.size() < 2)
      detail::fail("mercer::LabelError: needs labels of at least two classes, got ",
                   classes.size());
    responses_.setZero(static_cast<Index>(labels.size()), static_cast<Index>(classes.size()));
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto found = std::lower_bound(classes.begin(), classes.end(), labels[i]);
      responses_(static_cast<Index>(i), std::distance(classes.begin(), found)) = 1;
    }
  }

  /// From numbers, n x c.
  /// Throws InvalidArgument for numbers that are not finite.
  explicit LabelError(Matrix<double> responses) : responses_(std::move(responses)) {
    detail::require_matrix("LabelError", "responses", responses_, responses_.rows(),
                           responses_.cols());
  }

  /// Throws InvalidArgument unless there is a label for each sample.
  void check(Index samples) const {
    if (responses_.rows() != samples)
      detail::fail("mercer::LabelError: ", responses_.rows(), " labels for ", samples, " samples");
  }

  /// The error of the held-out rows.
  template <class Model, OwnedSamples X>
  [[nodiscard]] HeldOutError operator()(const Model& model, const HeldOutRows<X>& rows) const {
    const Matrix<double> y = detail::take_rows(responses_, rows.training_rows);
    const Matrix<double> y_held = detail::take_rows(responses_, rows.held_rows);
    const RowVector mean = y.colwise().mean();
    // Scores of the training samples as those of new ones, so that errors of the solver, which
    // matter for small eigenvalues, are in both.
    Matrix<double> s = model.transform(rows.training).template cast<double>();
    Matrix<double> s_held = model.transform(rows.held).template cast<double>();
    const Matrix<double> deviation = y_held.rowwise() - mean;
    if (s.cols() == 0) return {deviation.squaredNorm(), deviation.squaredNorm()};
    const RowVector score_mean = s.colwise().mean();
    s.rowwise() -= score_mean;
    s_held.rowwise() -= score_mean;
    const RowVector scale = s.colwise().norm().cwiseMax(smallest);
    s.array().rowwise() /= scale.array();
    s_held.array().rowwise() /= scale.array();
    const detail::SingleThread one;
    Matrix<double> square = s.transpose() * s;
    // The scaled columns are nearly orthonormal; where rounding made two of them alike, this keeps
    // the factorisation.
    square.diagonal().array() += 1e-10;
    const Eigen::LLT<Matrix<double>> cholesky(square);
    const Matrix<double> b = cholesky.solve(s.transpose() * (y.rowwise() - mean));
    return {(deviation - s_held * b).squaredNorm(), deviation.squaredNorm()};
  }

 private:
  using RowVector = Eigen::RowVectorXd;
  static constexpr double smallest = 1e-300;  // a column of zeros stays one

  Matrix<double> responses_;  // n x c
};

}  // namespace mercer

#endif  // MERCER_MODELS_HELD_OUT_ERROR_HPP
