// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Epsilon-insensitive losses, for components that depend on few samples.

#ifndef MERCER_LOSSES_EPSILON_INSENSITIVE_HPP
#define MERCER_LOSSES_EPSILON_INSENSITIVE_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/losses/loss.hpp>

namespace mercer {

namespace detail {

/// Replaces a row by the nearest point of the ball |y|_1 <= radius.
/// Cost: O(s log s).
/// Source: Held, Wolfe, Crowder, Validation of subgradient optimization, 1974.
template <class Row>
void project_on_l1_ball(Row&& y, double radius) {
  using S = typename std::decay_t<Row>::Scalar;
  const Vector<double> sizes = y.transpose().template cast<double>().cwiseAbs();
  if (sizes.sum() <= radius) return;
  Vector<double> sorted = sizes;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0, threshold = 0;
  for (Index j = 0; j < sorted.size(); ++j) {
    sum += sorted(j);
    const double candidate = (sum - radius) / static_cast<double>(j + 1);
    if (sorted(j) >= candidate) threshold = candidate;
  }
  for (Index j = 0; j < y.size(); ++j)
    y(j) = static_cast<S>(std::copysign((std::max)(sizes(j) - threshold, 0.0), y(j)));
}

}  // namespace detail

/// Half the squared distance of a row from the ball |y| <= epsilon. Samples whose scores lie in the
/// ball cost nothing, and their rows of the dual variable are exact zeros. Psi is the indicator of
/// the ball, and Psi* is epsilon times the dual norm of h:
///
///     EpsilonInsensitive<L2>:    Psi*(h) = epsilon |h|_2;    zero rows;
///     EpsilonInsensitive<LInf>:  Psi*(h) = epsilon |h|_1;    zero entries;
///     EpsilonInsensitive<L1>:    Psi*(h) = epsilon |h|_inf;  zero rows, and equal entries.
///
/// epsilon = 0 gives kernel PCA. From epsilon_max() on, all rows are zero.
/// Cost: O(n s); O(n s log s) for L1.
/// Source: Tonin, Lambert, Patrinos, Suykens, Extending kernel PCA through dualization, 2023, where
///   the losses are l_eps^2, l_eps^inf and l_eps^1.
template <class Norm>
  requires(std::same_as<Norm, L2> || std::same_as<Norm, LInf> || std::same_as<Norm, L1>)
class EpsilonInsensitive {
 public:
  static constexpr bool rotation_invariant = std::same_as<Norm, L2>;

  /// Throws InvalidArgument unless \p epsilon is finite and at least 0.
  explicit EpsilonInsensitive(double epsilon) : epsilon_(epsilon) {
    if (!(epsilon >= 0) || !std::isfinite(epsilon))
      detail::fail("mercer::EpsilonInsensitive: epsilon must be finite and not negative, got ",
                   epsilon);
  }

  [[nodiscard]] double epsilon() const { return epsilon_; }

  template <class Rows>
  [[nodiscard]] double value(const Eigen::MatrixBase<Rows>& y) const {
    return prox_conjugate(y).template cast<double>().squaredNorm() / 2;
  }

  template <class Rows>
  [[nodiscard]] double conjugate(const Eigen::MatrixBase<Rows>& h) const {
    if (h.cols() == 0) return 0;
    const Matrix<double> sizes = h.template cast<double>().cwiseAbs();
    if constexpr (std::same_as<Norm, L2>)
      return epsilon_ * sizes.rowwise().norm().sum();
    else if constexpr (std::same_as<Norm, LInf>)
      return epsilon_ * sizes.sum();
    else
      return epsilon_ * sizes.rowwise().maxCoeff().sum();
  }

  template <class Rows>
  [[nodiscard]] Matrix<typename Rows::Scalar> prox_conjugate(
      const Eigen::MatrixBase<Rows>& y) const {
    using S = typename Rows::Scalar;
    const auto epsilon = static_cast<S>(epsilon_);
    Matrix<S> h = y;
    if constexpr (std::same_as<Norm, LInf>) {
      return h - h.cwiseMax(-epsilon).cwiseMin(epsilon);
    } else if constexpr (std::same_as<Norm, L2>) {
      for (Index i = 0; i < h.rows(); ++i) {
        const S norm = h.row(i).norm();
        h.row(i) *= norm > epsilon ? 1 - epsilon / norm : S(0);
      }
      return h;
    } else {
      for (Index i = 0; i < h.rows(); ++i) detail::project_on_l1_ball(h.row(i), epsilon_);
      return y - h;
    }
  }

  [[nodiscard]] std::string describe() const {
    return std::string("eps-") + Norm::name + "(epsilon=" + detail::to_text(epsilon_) + ")";
  }

 private:
  double epsilon_;
};

}  // namespace mercer

#endif  // MERCER_LOSSES_EPSILON_INSENSITIVE_HPP
