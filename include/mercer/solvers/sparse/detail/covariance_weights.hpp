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

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/dense/detail/dense_cholesky.hpp>

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
///
/// Observers are asked for each panel of columns, and may cancel what is being done: then
/// cancelled() is true, and the weights are those before.
/// Cost: 13/3 m^3 for a step with m weights; 2 n^3 once.
/// Memory: 2 n^2 doubles, and 3 m^2.
/// Threads: over tiles of rows; the result has the same bits for any number of threads.
/// \tparam S  double: a template is compiled only where it is used
template <std::same_as<double> S>
class CovarianceWeights {
 public:
  /// \param gram   K, symmetric and positive semidefinite, n x n, and of a size whose square is far
  ///   from overflow and underflow
  /// \param noise  sigma^2 > 0
  /// \param prune  a weight is dropped if w_i K_ii is below this times tr K / n
  CovarianceWeights(Matrix<S> gram, double noise, double prune, const Observer& observer = {})
      : gram_(std::move(gram)),
        noise_(noise),
        variance_(gram_.trace() / static_cast<double>(gram_.rows())),
        prune_(prune) {
    for (Index i = 0; i < gram_.rows(); ++i)
      if (gram_(i, i) > 0) active_.push_back(i);
    // C is sigma^2 I plus the covariance of the samples.
    weights_ = Vector<S>::Constant(static_cast<Index>(active_.size()),
                                   1 / static_cast<double>(gram_.rows()));
    squares_.resize(gram_.rows(), gram_.cols());
    for_panels(gram_.cols(), observer, [&](const Range& panel) {
      const Matrix<S> columns = gram_.middleCols(panel.begin, panel.size);
      squares_.middleCols(panel.begin, panel.size) = multiply(gram_, columns);
    });
    if (!cancelled_) take_active();
  }

  /// Whether an observer has stopped the constructor or a step.
  [[nodiscard]] bool cancelled() const { return cancelled_; }

  /// The samples with a weight, ascending.
  [[nodiscard]] const std::vector<Index>& active() const { return active_; }
  [[nodiscard]] const Vector<S>& weights() const { return weights_; }

  /// One step. Returns the largest change of w_i K_ii, relative to tr K / n; 0 if there are none.
  /// If new weights are not finite, returns NaN and keeps those before.
  double step(WeightRule rule, const Observer& observer = {}) {
    if (weights_.size() == 0) return 0;
    const Moments now = moments(observer);
    if (cancelled_) return 0;
    const Vector<S> next =
        rule == WeightRule::Em
            ? Vector<S>(now.second + now.variances)
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
  [[nodiscard]] double log_likelihood() {
    if (weights_.size() == 0) return -variance_ / noise_ / 2;
    const Moments now = moments({});
    const double explained = now.explained / (static_cast<double>(gram_.rows()) * noise_);
    return -(now.log_determinant + (variance_ - explained) / noise_) / 2;
  }

 private:
  struct Moments {
    Vector<S> variances;         // Sigma_ii
    Vector<S> second;            // (1/n) sum_j mu_ji^2
    Vector<S> determined;        // 1 - Sigma_ii / w_i
    double explained = 0;        // tr(Sigma K^2)
    double log_determinant = 0;  // log|C| - D log sigma^2
  };

  /// NaN if the noise is so far below the rounding errors of K that B is not positive definite.
  /// Throws InvalidArgument if K is not positive semidefinite beyond them.
  [[nodiscard]] Moments moments(const Observer& observer) {
    const Index m = weights_.size();
    constexpr S nan = std::numeric_limits<S>::quiet_NaN();
    Moments out;
    out.variances = out.second = out.determined = Vector<S>::Constant(m, nan);
    out.log_determinant = nan;
    const Vector<S> roots = weights_.cwiseSqrt();
    // Columns of B - I.
    const auto inside = [&](const Range& panel) -> Matrix<S> {
      return roots.asDiagonal() * active_gram_.middleCols(panel.begin, panel.size) *
             roots.segment(panel.begin, panel.size).asDiagonal() / noise_;
    };
    Matrix<S> b(m, m);
    for (Index t = 0; t < tile_count(m); ++t) {
      const Range panel = Range::tile(t, m);
      b.middleCols(panel.begin, panel.size) = inside(panel);
    }
    b.diagonal().array() += 1;
    const DenseCholesky<S> cholesky(b, observer);
    cancelled_ = cholesky.cancelled();
    if (cancelled_) return out;
    if (!cholesky.ok()) {
      const double size = weights_.dot(active_gram_.diagonal());
      if (noise_ > rounding_level<S>(m) * size)
        fail("mercer::SparseLikelihood: the Gram matrix of the active samples is not positive ",
             "semidefinite: it has eigenvalues that are negative beside the noise, ", noise_);
      return out;
    }
    out.log_determinant = 2 * b.diagonal().array().log().sum();
    const double scale = noise_ * noise_ * static_cast<double>(gram_.rows());
    for_panels(m, observer, [&](const Range& panel) {
      const auto of_panel = [&](auto& values) { return values.segment(panel.begin, panel.size); };
      Matrix<S> covariance = Matrix<S>::Zero(m, panel.size);  // B^-1, then Sigma
      covariance.middleRows(panel.begin, panel.size).setIdentity();
      cholesky.solve(covariance);
      // 1 - (B^-1)_ii is the diagonal of B^-1 (B - I), which does not cancel.
      of_panel(out.determined) = inside(panel).cwiseProduct(covariance).colwise().sum();
      covariance = (roots.asDiagonal() * covariance * of_panel(roots).asDiagonal()).eval();
      of_panel(out.variances) = covariance.middleRows(panel.begin, panel.size).diagonal();
      const Matrix<S> products = multiply(active_squares_, covariance);
      of_panel(out.second) = products.cwiseProduct(covariance).colwise().sum() / scale;
      const auto squares = active_squares_.middleCols(panel.begin, panel.size);
      out.explained += covariance.cwiseProduct(squares).sum();
    });
    return out;
  }

  /// Calls work(panel) for panels of columns of \p n, unless the observer stops it.
  template <class Work>
  void for_panels(Index n, const Observer& observer, Work&& work) {
    const Index count = tile_count(n);
    for (Index t = 0; t < count; ++t) {
      cancelled_ = !go_on(observer, {"panels", t, count});
      if (cancelled_) return;
      work(Range::tile(t, n));
    }
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
  bool cancelled_ = false;
};

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_SOLVERS_SPARSE_DETAIL_COVARIANCE_WEIGHTS_HPP
