// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Epsilon-insensitive losses, for components that depend on few samples.

#ifndef MERCER_LOSSES_EPSILON_INSENSITIVE_HPP
#define MERCER_LOSSES_EPSILON_INSENSITIVE_HPP

#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/losses/norms.hpp>

namespace mercer {

/// Half the squared distance of a row from the ball |y| <= epsilon. Samples whose scores lie in the
/// ball cost nothing, and their rows of the dual variable are exact zeros. Psi is the indicator of
/// the ball, and Psi* is epsilon times the dual norm of h:
///
///     EpsilonInsensitive<L2>:    Psi*(h) = epsilon |h|_2;    zero rows;
///     EpsilonInsensitive<LInf>:  Psi*(h) = epsilon |h|_1;    zero entries;
///     EpsilonInsensitive<L1>:    Psi*(h) = epsilon |h|_inf;  zero rows, and equal entries.
///
/// epsilon = 0 gives kernel PCA. From epsilon_max() on, all rows are zero.
/// \tparam Norm  L1, L2, LInf or a RowNorm of the user's
/// Cost: O(n s); O(n s log s) for L1.
/// Source: Tonin, Lambert, Patrinos, Suykens, Extending kernel PCA through dualization, 2023, where
///   the losses are l_eps^2, l_eps^inf and l_eps^1.
template <RowNorm Norm>
class EpsilonInsensitive {
 public:
  static constexpr bool rotation_invariant = Norm::rotation_invariant;

  /// Throws InvalidArgument unless \p epsilon is finite and at least 0.
  explicit EpsilonInsensitive(double epsilon) : epsilon_(epsilon) {
    detail::require_not_negative("EpsilonInsensitive", "epsilon", epsilon);
  }

  [[nodiscard]] double epsilon() const { return epsilon_; }

  template <class Rows>
  [[nodiscard]] double value(const Eigen::MatrixBase<Rows>& y) const {
    return prox_conjugate(y).template cast<double>().squaredNorm() / 2;
  }

  template <class Rows>
  [[nodiscard]] double conjugate(const Eigen::MatrixBase<Rows>& h) const {
    return epsilon_ * Norm::Dual::norms(h).sum();
  }

  template <class Rows>
  [[nodiscard]] Matrix<typename Rows::Scalar> prox_conjugate(
      const Eigen::MatrixBase<Rows>& y) const {
    Matrix<typename Rows::Scalar> inside = y;
    Norm::project(inside, epsilon_);
    return y - inside;
  }

  [[nodiscard]] std::string describe() const {
    return "eps-" + std::string(Norm::name) + "(epsilon=" + detail::to_text(epsilon_) + ")";
  }

 private:
  double epsilon_;
};

}  // namespace mercer

#endif  // MERCER_LOSSES_EPSILON_INSENSITIVE_HPP
