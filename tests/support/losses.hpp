// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The library's losses one after the other, a loss of a user's, and for each requirement of the
/// concept a type that lacks just this.

#ifndef MERCER_TESTS_SUPPORT_LOSSES_HPP
#define MERCER_TESTS_SUPPORT_LOSSES_HPP

#include <mercer/core/types.hpp>
#include <mercer/losses/epsilon_insensitive.hpp>
#include <mercer/losses/huber.hpp>
#include <mercer/losses/loss.hpp>
#include <mercer/losses/square.hpp>

namespace mercer::test {

/// Calls \p use with each loss that bends scores of size 1.
template <class Use>
void for_each_loss(const Use& use) {
  use(Huber<L1>{.3});
  use(Huber<L2>{.5});
  use(EpsilonInsensitive<L1>{.7});
  use(EpsilonInsensitive<L2>{.5});
  use(EpsilonInsensitive<LInf>{.3});
}

/// A user's loss: |y|^2 / 4, for which Psi(z) = |z|^2 / 2 and Psi*(h) = |h|^2 / 2.
struct HalfSquare {
  static constexpr bool rotation_invariant = true;
  [[nodiscard]] double value(const Matrix<double>& y) const { return y.squaredNorm() / 4; }
  [[nodiscard]] double conjugate(const Matrix<double>& h) const { return h.squaredNorm() / 2; }
  [[nodiscard]] Matrix<double> prox_conjugate(const Matrix<double>& y) const { return y / 2; }
};

struct LossWithoutInvariance {
  double value(const Matrix<double>& y) const;
  double conjugate(const Matrix<double>& h) const;
  Matrix<double> prox_conjugate(const Matrix<double>& y) const;
};
struct LossWithoutValue {
  static constexpr bool rotation_invariant = true;
  double conjugate(const Matrix<double>& h) const;
  Matrix<double> prox_conjugate(const Matrix<double>& y) const;
};
struct LossWithoutConjugate {
  static constexpr bool rotation_invariant = true;
  double value(const Matrix<double>& y) const;
  Matrix<double> prox_conjugate(const Matrix<double>& y) const;
};
struct LossWithoutProx {
  static constexpr bool rotation_invariant = true;
  double value(const Matrix<double>& y) const;
  double conjugate(const Matrix<double>& h) const;
};

}  // namespace mercer::test

#endif  // MERCER_TESTS_SUPPORT_LOSSES_HPP
