// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The square loss: that of kernel PCA.

#ifndef MERCER_LOSSES_SQUARE_HPP
#define MERCER_LOSSES_SQUARE_HPP

#include <string>

#include <mercer/losses/loss.hpp>

namespace mercer {

/// f(y) = |y|^2 / 2; Psi is the indicator of 0.
struct SquareLoss {
  static constexpr bool rotation_invariant = true;

  template <class Rows>
  [[nodiscard]] double value(const Eigen::MatrixBase<Rows>& y) const {
    return y.template cast<double>().squaredNorm() / 2;
  }

  template <class Rows>
  [[nodiscard]] double conjugate(const Eigen::MatrixBase<Rows>&) const {
    return 0;
  }

  template <class Rows>
  [[nodiscard]] Matrix<typename Rows::Scalar> prox_conjugate(
      const Eigen::MatrixBase<Rows>& y) const {
    return y;
  }

  [[nodiscard]] std::string describe() const { return "square"; }
};

}  // namespace mercer

#endif  // MERCER_LOSSES_SQUARE_HPP
