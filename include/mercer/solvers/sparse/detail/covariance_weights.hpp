// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Weights of samples by maximum likelihood of a covariance in feature space.

#ifndef MERCER_SOLVERS_SPARSE_DETAIL_COVARIANCE_WEIGHTS_HPP
#define MERCER_SOLVERS_SPARSE_DETAIL_COVARIANCE_WEIGHTS_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>

#include <mercer/core/samples.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// How weights w_i follow from the moments of the model's latent variables.
enum class WeightRule {
  FixedPoint,  ///< w_i <- (1/n) sum_j mu_ji^2 / (1 - Sigma_ii / w_i): weights vanish exponentially
  Em           ///< w_i <- (1/n) sum_j mu_ji^2 + Sigma_ii: the likelihood never falls; slow
};

namespace detail {

/// The weights of the samples that have one, and how they are changed.
///
/// The features phi(x_j) have the model N(0, C), C = sigma^2 I + sum_i w_i phi(x_i) phi(x_i)^T.
/// With B = I + W^(1/2) K W^(1/2) / sigma^2, the latent variables of sample j have the covariance
/// Sigma = W^(1/2) B^-1 W^(1/2) and the mean mu_j = Sigma K_j / sigma^2.
/// Samples with weights that tend to zero are dropped for good.
/// Cost: O(m^3) for a step with m weights; O(n^3) once.
/// Memory: 2 n^2 doubles, and some m^2.
/// \tparam S  double: a template is compiled only where it is used
template <std::same_as<double> S>
class CovarianceWeights {
 public:
  /// \param gram   K, symmetric and positive semidefinite, n x n, and of a size whose square is far
  ///   from overflow and underflow
  /// \param noise  sigma^2 > 0
  /// \param prune  a weight is dropped if w_i K_ii is below this times tr K / n
  CovarianceWeights(Matrix<S> gram, double noise, double prune)
      : gram_(std::move(gram)),
        squares_(multiply(gram_, gram_)),
        noise_(noise),
        variance_(gram_.trace() / static_cast<double>(gram_.rows())),
        prune_(prune) {
    for (Index i = 0; i < gram_.rows(); ++i)
      if (gram_(i, i) > 0) active_.push_back(i);
    // C is sigma^2 I plus the covariance of the samples.
    weights_ = Vector<S>::Constant(static_cast<Index>(active_.size()),
                                   1 / static_cast<double>(gram_.rows()));
    take_active();
  }

  /// The samples with a weight, ascending.
  [[nodiscard]] const std::vector<Index>& active() const { return active_; }
  [[nodiscard]] const Vector<S>& weights() const { return weights_; }

  /// One step. Returns the largest change of w_i K_ii, relative to tr K / n; 0 if there are none.
  /// If new weights are not finite, returns NaN and keeps those before.
  double step(WeightRule rule) {
    const Index m = weights_.size();
    if (m == 0) return 0;
    const SingleThread one;
    const Moments now = moments();
    const Vector<S> own = now.covariance.diagonal();
    const Vector<S> next =
        rule == WeightRule::Em
            ? Vector<S>(now.second + own)
            : Vector<S>(now.second.cwiseQuotient(now.determined.cwiseMax(1e-300)));
    if (!next.allFinite()) return std::numeric_limits<double>::quiet_NaN();
    const double change =
        (next - weights_).cwiseAbs().cwiseProduct(active_gram_.diagonal()).maxCoeff() / variance_;
    weights_ = next;
    drop_vanished();
    return change;
  }

  /// The logarithm of the likelihood of a sample, up to a constant:
  /// -(log|C| - D log sigma^2 + tr(C^-1 S)) / 2 with S = (1/n) sum_j phi(x_j) phi(x_j)^T.
  [[nodiscard]] double log_likelihood() const {
    if (weights_.size() == 0) return -variance_ / noise_ / 2;
    const SingleThread one;
    const Moments now = moments();
    const auto n = static_cast<double>(gram_.rows());
    const double explained = now.covariance.cwiseProduct(active_squares_).sum() / (n * noise_);
    return -(now.log_determinant + (variance_ - explained) / noise_) / 2;
  }

 private:
  struct Moments {
    Matrix<S> covariance;        // Sigma
    Vector<S> second;            // (1/n) sum_j mu_ji^2
    Vector<S> determined;        // 1 - Sigma_ii / w_i
    double log_determinant = 0;  // log|C| - D log sigma^2
  };

  /// NaN if the noise is so far below the rounding errors of K that B is not positive definite.
  /// Throws InvalidArgument if K is not positive semidefinite beyond them.
  [[nodiscard]] Moments moments() const {
    const Vector<S> roots = weights_.cwiseSqrt();
    const Matrix<S> inside = roots.asDiagonal() * active_gram_ * roots.asDiagonal() / noise_;
    Matrix<S> b = inside;
    b.diagonal().array() += 1;
    const Eigen::LLT<Matrix<S>> cholesky(b);
    Moments out;
    if (cholesky.info() != Eigen::Success) {
      const Index m = weights_.size();
      const double size = weights_.dot(active_gram_.diagonal());
      if (noise_ > rounding_level<S>(m) * size)
        fail("mercer::SparseLikelihood: the Gram matrix of the active samples is not positive ",
             "semidefinite: it has eigenvalues that are negative beside the noise, ", noise_);
      constexpr S nan = std::numeric_limits<S>::quiet_NaN();
      out.covariance = Matrix<S>::Constant(m, m, nan);
      out.second = out.determined = Vector<S>::Constant(m, nan);
      out.log_determinant = nan;
      return out;
    }
    out.log_determinant = 2 * cholesky.matrixLLT().diagonal().array().log().sum();
    // 1 - (B^-1)_ii is the diagonal of B^-1 (B - I), which does not cancel.
    out.determined = cholesky.solve(inside).diagonal();
    const Matrix<S> half = cholesky.matrixL().solve(Matrix<S>(roots.asDiagonal()));
    out.covariance = half.transpose() * half;
    const Matrix<S> products = out.covariance * active_squares_;
    out.second = products.cwiseProduct(out.covariance).rowwise().sum() /
                 (noise_ * noise_ * static_cast<double>(gram_.rows()));
    return out;
  }

  void drop_vanished() {
    std::vector<Index> kept;
    std::vector<S> values;
    for (Index i = 0; i < weights_.size(); ++i) {
      const Index at = active_[static_cast<std::size_t>(i)];
      if (!(weights_(i) * gram_(at, at) > prune_ * variance_)) continue;
      kept.push_back(at);
      values.push_back(weights_(i));
    }
    if (kept.size() == active_.size()) return;
    active_ = std::move(kept);
    weights_ = Eigen::Map<const Vector<S>>(values.data(), static_cast<Index>(values.size()));
    take_active();
  }

  void take_active() {
    active_gram_ = take_block(gram_, active_, active_);
    active_squares_ = take_block(squares_, active_, active_);
  }

  Matrix<S> gram_, squares_;  // K and K K
  double noise_, variance_, prune_;
  std::vector<Index> active_;
  Vector<S> weights_;
  Matrix<S> active_gram_, active_squares_;
};

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_SOLVERS_SPARSE_DETAIL_COVARIANCE_WEIGHTS_HPP
