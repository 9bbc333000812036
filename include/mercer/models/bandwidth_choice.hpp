// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The width of a kernel by cross-validation of kernel PCA.

#ifndef MERCER_MODELS_BANDWIDTH_CHOICE_HPP
#define MERCER_MODELS_BANDWIDTH_CHOICE_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/models/detail/row_splits.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/preimage/preimage_fixed_point.hpp>
#include <mercer/models/preimage/preimage_ridge.hpp>
#include <mercer/solvers/auto.hpp>

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
  /// Throws InvalidArgument if all labels are the same.
  template <std::totally_ordered Label>
  explicit LabelError(const std::vector<Label>& labels) {
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

struct BandwidthChoiceParams {
  Index components = 2;  ///< k, of the models that are compared
  bool centered = true;  ///< as in KernelPcaParams
  Index folds = 5;       ///< parts that the samples are divided into; each is held out once
  /// Up to this many samples, all are used. With more samples, a random subset of this size is.
  Index max_samples = 2000;
  std::uint64_t seed = 0;
};

/// A width chosen by cross-validation.
struct BandwidthChoice {
  double best = 0;             ///< of the smallest error; of equal errors, the largest width
  std::vector<double> grid;    ///< the widths tried, ascending
  std::vector<double> errors;  ///< for each, the error of held-out samples; 1: nothing was learnt
  bool at_edge = false;        ///< best is the first or the last width of several: a wider grid may
                               ///< hold a better one
};

/// Makes a Gaussian of a width.
struct MakeGaussian {
  /// The kernel of this width.
  [[nodiscard]] Gaussian operator()(double sigma) const { return Gaussian{sigma}; }
};

/// Widths between an eighth and eight times the median of the distances, each larger than the one
/// before by the same factor.
/// Cost: as median_distance().
/// Throws InvalidArgument for fewer than two widths, and as median_distance().
template <class X>
  requires DenseSamples<X> || SparseSamples<X>
[[nodiscard]] std::vector<double> bandwidth_grid(const X& x, Index count = 13,
                                                 BandwidthParams params = {}) {
  detail::require_at_least("bandwidth_grid", "count", count, Index{2});
  const double median = median_distance(x, params);
  std::vector<double> grid(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i)
    grid[static_cast<std::size_t>(i)] =
        median * std::exp2(-3 + 6 * static_cast<double>(i) / static_cast<double>(count - 1));
  return grid;
}

namespace detail {

/// The samples in this order: all of them, or a random subset, ascending.
[[nodiscard]] inline std::vector<Index> rows_to_validate(Index n,
                                                         const BandwidthChoiceParams& params) {
  if (n > params.max_samples) {
    RandomStream stream(params.seed, "bandwidth choice");
    std::vector<Index> rows = sample_without_replacement(n, params.max_samples, stream);
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  std::vector<Index> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

/// Throws InvalidArgument for settings that do not fit n samples.
inline void require_bandwidth_choice(std::string_view who, const std::vector<double>& grid, Index n,
                                     const BandwidthChoiceParams& params) {
  if (grid.empty()) fail("mercer::", who, ": the grid is empty");
  for (const double width : grid) {
    require_positive(who, "each width of the grid", width);
    require_finite(who, "each width of the grid", width);
  }
  require_at_least(who, "max_samples", params.max_samples, Index{4});
  require_at_least(who, "folds", params.folds, Index{2});
  const Index used = (std::min)(n, params.max_samples);
  const Index fitted = used - (used + params.folds - 1) / params.folds;
  if (params.components < 1 || params.components > fitted)
    fail("mercer::", who, ": components must be between 1 and the ", fitted,
         " samples of a fit, got ", params.components);
}

/// The sums of all folds for one width.
template <class K, class Criterion, OwnedSamples X>
void add_held_out_error(const K& kernel, const Criterion& criterion,
                        const BandwidthChoiceParams& params, const HeldOutRows<X>& rows,
                        HeldOutError& sum) {
  const KernelPca pca{
      kernel, Auto{},
      KernelPcaParams{.components = params.components, .centered = params.centered}};
  const HeldOutError error = criterion(pca.fit(rows.training), rows);
  sum.missed += error.missed;
  sum.total += error.total;
}

}  // namespace detail

/// Chooses the width of a kernel by cross-validation of kernel PCA with k components: the one with
/// the smallest error of samples that the fit has not seen.
///
/// \code
///   const auto grid = mercer::bandwidth_grid(X);
///   const auto choice = mercer::choose_bandwidth(X, grid, {.components = 10});
///   mercer::KernelPca pca{mercer::Gaussian{choice.best}, mercer::Auto{}, {.components = 10}};
///   choose_bandwidth(X, grid, {.components = 10}, mercer::PreimageError{});      // in input space
///   choose_bandwidth(X, grid, {.components = 10}, mercer::LabelError{labels});   // labels
///   choose_bandwidth(X, grid, {}, mercer::FeatureSpaceError{},
///                    [](double length) { return mercer::Matern{{.nu = 1.5, .length = length}}; });
/// \endcode
/// All errors are shares: 0 is perfect, and 1 is what the mean of the training samples gives.
/// Errors are summed over the folds before they are divided.
/// @param x     n x d dense (either storage order) or sparse, one sample per row
/// @param grid  widths above 0, in any order
/// @param criterion    FeatureSpaceError, PreimageError, LabelError, or your own: a HeldOutError of
///   a model and HeldOutRows
/// @param make_kernel  a kernel of a width; by default a Gaussian
/// Cost: a fit to (1 - 1/folds) n samples for each width and each fold, and the criterion.
/// Random: params.seed, purposes "bandwidth choice" (the samples, if n > max_samples) and "folds".
/// Throws InvalidArgument for an empty grid, widths that are not positive, fewer than two folds or
///   folds with fewer than two samples, components outside [1, samples of a fit], samples that a
///   fit refuses, and an error that is not finite, for example of samples that are all the same.
/// Accuracy: which criterion to take depends on the use of the components. See each for where it
///   prefers the widest kernel; `at_edge` tells that it did.
template <class X, class Criterion = FeatureSpaceError, class MakeKernel = MakeGaussian>
  requires DenseSamples<X> || SparseSamples<X>
[[nodiscard]] BandwidthChoice choose_bandwidth(const X& x, std::vector<double> grid,
                                               BandwidthChoiceParams params = {},
                                               const Criterion& criterion = {},
                                               const MakeKernel& make_kernel = {}) {
  constexpr std::string_view who = "choose_bandwidth";
  using Owned = OwnedSamplesOf<X>;
  const Owned& samples = x;
  detail::require_bandwidth_choice(who, grid, samples.rows(), params);
  detail::require_finite_samples(who, samples);
  if constexpr (requires { criterion.check(Index{}); }) criterion.check(samples.rows());
  std::sort(grid.begin(), grid.end());
  const std::vector<Index> rows = detail::rows_to_validate(samples.rows(), params);
  std::vector<HeldOutError> sums(grid.size());
  for (auto& [fitted, held_out] :
       detail::fold_rows(who, static_cast<Index>(rows.size()), params.folds, params.seed)) {
    std::vector<Index> training_rows, held_rows;
    for (const Index i : fitted) training_rows.push_back(rows[static_cast<std::size_t>(i)]);
    for (const Index i : held_out) held_rows.push_back(rows[static_cast<std::size_t>(i)]);
    const Owned training = detail::take_rows(samples, training_rows);
    const Owned held = detail::take_rows(samples, held_rows);
    const HeldOutRows<Owned> fold{training, held, training_rows, held_rows};
    for (std::size_t i = 0; i < grid.size(); ++i)
      detail::add_held_out_error(make_kernel(grid[i]), criterion, params, fold, sums[i]);
  }
  BandwidthChoice choice{.grid = std::move(grid), .errors = {}};
  std::size_t best = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double error = sums[i].missed / sums[i].total;
    if (!std::isfinite(error))
      detail::fail("mercer::", who, ": the error of the width ", choice.grid[i], " is ",
                   sums[i].missed, " of ", sums[i].total,
                   "; are the samples all the same, or their kernel values beyond all numbers?");
    choice.errors.push_back(error);
    if (error <= choice.errors[best]) best = i;
  }
  choice.best = choice.grid[best];
  choice.at_edge = sums.size() > 1 && (best == 0 || best + 1 == sums.size());
  return choice;
}

}  // namespace mercer

#endif  // MERCER_MODELS_BANDWIDTH_CHOICE_HPP
