// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Online kernel PCA step by step: Hebbian updates of functions over a growing dictionary.

#ifndef MERCER_SOLVERS_HEBBIAN_ONLINE_HEBBIAN_RUN_HPP
#define MERCER_SOLVERS_HEBBIAN_ONLINE_HEBBIAN_RUN_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include <mercer/core/errors.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/hebbian/detail/sample_dictionary.hpp>
#include <mercer/solvers/hebbian/hebbian_gain.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

struct OnlineHebbianParams {
  /// When a sample enters the dictionary.
  DictionaryCriterion criterion = DictionaryCriterion::Projection;
  /// Of the criterion, in (0, 1]. 0 selects the default: 0.05 for Projection, 0.8 for Coherence.
  double threshold = 0;
  Index max_points = 1000;  ///< largest dictionary; 0: no limit
  Gain gain = Gain::Et;     ///< how steps follow from eigenvalues; not Smd
  /// eta0, for features of mean squared norm 1. 0 selects the default: 0.05 for Constant, 1 for
  /// InverseTime, 0.1 for Et and EtStar.
  double gain_step = 0;
  double tau = 100;  ///< samples until the gain is half of the first; not for Constant

  /// Throws InvalidArgument for values out of range.
  void validate() const {
    constexpr std::string_view who = "OnlineHebbian";
    if (!(threshold >= 0 && threshold <= 1))
      detail::fail("mercer::", who, ": threshold must be in [0, 1], got ", threshold);
    detail::require_at_least(who, "max_points", max_points, Index{0});
    if (gain == Gain::Smd) detail::fail("mercer::", who, ": gain must not be Smd");
    detail::require_not_negative(who, "gain_step", gain_step);
    detail::require_positive(who, "tau", tau);
  }
};

namespace detail {

[[nodiscard]] inline double dictionary_threshold(const OnlineHebbianParams& params) {
  if (params.threshold > 0) return params.threshold;
  return params.criterion == DictionaryCriterion::Projection ? 0.05 : 0.8;
}

[[nodiscard]] inline double online_step(const OnlineHebbianParams& params) {
  if (params.gain_step > 0) return params.gain_step;
  switch (params.gain) {
    case Gain::Constant:
      return 0.05;
    case Gain::InverseTime:
      return 1;
    default:
      return 0.1;
  }
}

}  // namespace detail

/// The state of online kernel PCA: k functions psi_i = sum_j a_ij phi(p_j) over a dictionary of m
/// samples. Each sample x moves them by Sanger's rule,
/// psi_i <- psi_i + eta_i y_i (P phi(x) - sum_{l <= i} y_l psi_l) with y_i = psi_i(x),
/// where P is the projection onto the span of the dictionary. If x has just entered it,
/// P phi(x) = phi(x). For k = 1 this is Oja's rule.
///
/// The state is held in the orthonormal basis of detail::SampleDictionary, psi = E w: there the
/// rule is w_i <- w_i + eta_i y_i (z - sum_{l <= i} y_l w_l) with the coordinates z of x, for
/// samples in the dictionary and out of it alike. It is the update of the coefficients a by
/// K(P, P)^-1 k(P, x). The functions begin as the first k vectors of the basis.
///
/// If centred, the running mean of the coordinates is subtracted from z. The mean, and the second
/// moments of y that eigenvalues and gains follow from, weigh sample s of t by 2 s / (t (t + 1)),
/// so that what the functions were at the beginning is forgotten. Gains are cut at 1 / |y|^2, half
/// of the stability limit.
///
/// \tparam X  Matrix or SparseMatrix
/// Cost: m kernel values and O(m (m + k)) for each sample, whatever their number.
/// Memory: m^2 + m k doubles and the dictionary.
/// Accuracy: the functions tend to the components of the projected samples P phi(x). With the
///   criterion Projection and no limit of points, |phi(x) - P phi(x)|^2 <= threshold k(x, x) for
///   each sample.
/// Threads: the result does not depend on their number.
/// Source: Honeine, Online kernel principal component analysis: a reduced-order model, 2012: Oja's
///   rule in feature space, the reduced-order model with its update of a for samples in and out of
///   the dictionary, and its extension to several axes. The distance to the span as criterion:
///   Engel et al., The kernel recursive least-squares algorithm, 2004 (approximate linear
///   dependence); coherence: Richard, Bermudez, Honeine, Online prediction of time series data with
///   kernels, 2009. The basis, the mean and the gains by estimated eigenvalues are ours.
template <OwnedSamples X>
class OnlineHebbianRun {
 public:
  using Scalar = typename X::Scalar;

  /// The number of rows that are best added together.
  static constexpr Index batch_rows = 128;

  /// Throws InvalidArgument for parameters out of range and fewer components than 1.
  explicit OnlineHebbianRun(Index components, bool centered = true, OnlineHebbianParams params = {})
      : params_(params),
        centered_(centered),
        dictionary_(params.criterion, detail::dictionary_threshold(params), params.max_points),
        functions_(Matrix<double>::Zero(0, components)),
        moments_(Matrix<double>::Zero(components, components)),
        prefix_(0) {
    params.validate();
    detail::require_at_least("OnlineHebbianRun", "components", components, Index{1});
  }

  /// Takes samples one after the other. The kernel must be that of the samples before.
  /// Throws InvalidArgument for another dimension, samples that are not finite or outside the
  ///   kernel's domain, and where k(x, x) is negative or not finite. Nothing is added then.
  void add(const std::type_identity_t<KernelView<X>>& kernel, const X& batch) {
    if (batch.rows() == 0) return;
    if (samples_ > 0 && batch.cols() != columns_)
      detail::fail("mercer::OnlineHebbianRun: samples have ", batch.cols(),
                   " columns, those before had ", columns_);
    const Vector<double> diagonal =
        detail::semidefinite_diagonal("OnlineHebbianRun", kernel, batch);
    columns_ = batch.cols();
    dictionary_.add(kernel, batch, diagonal,
                    [&](const auto& z, Index row) { update(z, diagonal(row)); });
  }

  /// The samples so far, t.
  [[nodiscard]] Index samples() const { return samples_; }
  /// The sum of k(x, x) of all samples.
  [[nodiscard]] double trace() const { return trace_; }
  [[nodiscard]] bool centered() const { return centered_; }
  [[nodiscard]] const OnlineHebbianParams& params() const { return params_; }
  /// The samples and their coordinates.
  [[nodiscard]] const detail::SampleDictionary<X>& dictionary() const { return dictionary_; }
  /// The functions w in the basis of the dictionary, m x k.
  [[nodiscard]] Matrix<double> functions() const { return functions_.topRows(dictionary_.size()); }
  /// The coordinates of the mean in feature space, m; zero if not centred.
  [[nodiscard]] Vector<double> mean() const { return mean_.head(dictionary_.size()); }

  /// Orthonormal combinations of the functions, with eigenvalues n E[psi_i(x)^2] from the moments
  /// of the outputs, descending. Those whose functions are dependent, or whose eigenvalues count as
  /// zero, are left out. There are no training scores, and the report has its trace only.
  /// \param n        the number of samples that the eigenvalues stand for
  /// \param request  which to keep
  [[nodiscard]] KernelSolution<X> solution(Index n, const EigenRequest& request) const;

 private:
  void update(const Eigen::Ref<const Vector<double>>& z, double square);
  void make_room(Index size);
  [[nodiscard]] Vector<double> gains(const Vector<double>& y) const;

  OnlineHebbianParams params_;
  bool centered_;
  detail::SampleDictionary<X> dictionary_;
  Matrix<double> functions_;  // w in its first rows; the other rows are zero
  Vector<double> mean_ = Vector<double>(0);
  Matrix<double> moments_;  // E[y y^T]
  double mean_square_ = 0;  // E[k(x, x)]
  double trace_ = 0;
  Index samples_ = 0, columns_ = 0, begun_ = 0;
  Vector<double> prefix_;
};

template <OwnedSamples X>
void OnlineHebbianRun<X>::make_room(Index size) {
  // BLAS refuses matrices without rows, so there is room from the first sample on, even if it is
  // zero.
  if ((std::max)(size, Index{1}) > functions_.rows()) {
    const Index before = functions_.rows(), room = (std::max)(Index{16}, 2 * size);
    functions_.conservativeResize(room, Eigen::NoChange);
    functions_.bottomRows(room - before).setZero();
    mean_.conservativeResize(room);
    mean_.tail(room - before).setZero();
  }
  for (; begun_ < (std::min)(size, functions_.cols()); ++begun_) functions_(begun_, begun_) = 1;
}

template <OwnedSamples X>
Vector<double> OnlineHebbianRun<X>::gains(const Vector<double>& y) const {
  constexpr double tiny = (std::numeric_limits<double>::min)();
  const double t = static_cast<double>(samples_ - 1);
  const double decay = params_.gain == Gain::Constant ? 1 : params_.tau / (t + params_.tau);
  const double scale =
      mean_square_ - (centered_ ? mean_.head(dictionary_.size()).squaredNorm() : 0);
  const Vector<double> lambda = moments_.diagonal().cwiseMax(tiny);
  Vector<double> eta = Vector<double>::Constant(y.size(), detail::online_step(params_) * decay);
  if (params_.gain == Gain::Et)
    eta = eta.cwiseQuotient(lambda);
  else if (params_.gain == Gain::EtStar)
    // The squares of eigenvalues may overflow or underflow.
    eta = (eta * (lambda.stableNorm() / (std::max)(scale, tiny))).cwiseQuotient(lambda);
  else
    eta /= (std::max)(scale, tiny);
  return eta.cwiseMin(1 / y.squaredNorm());
}

template <OwnedSamples X>
void OnlineHebbianRun<X>::update(const Eigen::Ref<const Vector<double>>& z, double square) {
  const Index m = z.size(), k = functions_.cols();
  make_room(m);
  ++samples_;
  trace_ += square;
  const double newest = 2 / (static_cast<double>(samples_) + 1);
  mean_square_ += newest * (square - mean_square_);
  if (centered_) mean_.head(m) += newest * (z - mean_.head(m));
  const Vector<double> deviation = z - mean_.head(m);
  const Vector<double> y = functions_.topRows(m).transpose() * deviation;
  // y is taken about the new mean, which is nearer to z by the factor 1 - newest. Of a first
  // sample, nothing is left.
  const double share = centered_ && samples_ > 1 ? newest / (1 - newest) : newest;
  moments_ = (1 - newest) * moments_ + share * y * y.transpose();
  if (!(y.squaredNorm() > 0)) return;
  const Vector<double> moves = gains(y).cwiseProduct(y);
  prefix_ = deviation;
  for (Index i = 0; i < k; ++i) {
    auto w = functions_.col(i).head(m);
    prefix_ -= y(i) * w;
    w += moves(i) * prefix_;
  }
}

template <OwnedSamples X>
KernelSolution<X> OnlineHebbianRun<X>::solution(Index n, const EigenRequest& request) const {
  using S = Scalar;
  const detail::SingleThread one;
  const Index m = dictionary_.size();
  KernelSolution<X> out;
  const Matrix<double> w = functions();
  const EigenSystem<double> products = symmetric_eigensystem<double>(w.transpose() * w);
  // Functions are of norm near 1 each, so that small values mean that they are dependent.
  const double dependent = std::sqrt(std::numeric_limits<double>::epsilon());
  const Index kept = (products.values.array() > dependent).count();
  const Matrix<double> white = products.vectors.leftCols(kept) *
                               products.values.head(kept).cwiseSqrt().cwiseInverse().asDiagonal();
  const EigenSystem<double> outputs =
      symmetric_eigensystem<double>(white.transpose() * moments_ * white);
  const Vector<double> mu = outputs.values * static_cast<double>(n);
  // Both with the weights of the samples; they must be the same where the mean is large.
  const double per_sample = mean_square_ - mean().squaredNorm();
  out.report.trace = (std::max)(0.0, per_sample) * static_cast<double>(n);
  const Index count = detail::select_components<double>(mu, n, request, out.report);
  const Matrix<double> rotated = w * (white * outputs.vectors.leftCols(count));
  out.eigenvalues = mu.head(count).template cast<S>();
  out.points = m > 0 ? dictionary_.points() : X(0, columns_);  // it has no columns before a point
  out.coefficients = dictionary_.coefficients(rotated).template cast<S>();
  out.offset = Vector<S>::Zero(count);
  if (m > 0) out.offset = (rotated.transpose() * mean()).template cast<S>();
  out.mean_weights = dictionary_.coefficients(mean()).template cast<S>();
  out.mean = static_cast<S>(mean().squaredNorm());
  out.report.expansion_points = m;
  return out;
}

}  // namespace mercer

#endif  // MERCER_SOLVERS_HEBBIAN_ONLINE_HEBBIAN_RUN_HPP
