// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Huber losses, for components that are robust against outliers.

#ifndef MERCER_LOSSES_HUBER_HPP
#define MERCER_LOSSES_HUBER_HPP

#include <concepts>
#include <limits>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/losses/loss.hpp>

namespace mercer {

/// The Huber loss, quadratic up to kappa and linear beyond. It is applied to the Euclidean norm of
/// a row (L2) or to each entry of the row (L1). Psi = kappa |y|, and Psi* is the indicator of the
/// ball of radius kappa in the dual norm:
///
///     Huber<L2>:  f(y) = h(|y|_2),        Psi*(h) = 0 if |h|_2 <= kappa, else infinite;
///     Huber<L1>:  f(y) = sum_j h(|y_j|),  Psi*(h) = 0 if |h|_inf <= kappa, else infinite;
///     h(r) = r^2 / 2 up to kappa, kappa r - kappa^2 / 2 beyond.
///
/// No sample has a weight above kappa in the dual. kappa_max() is the largest row norm of the H of
/// kernel PCA. If kappa is at least this large, the result is that of kernel PCA.
/// Cost: O(n s).
/// Source: Tonin, Lambert, Patrinos, Suykens, Extending kernel PCA through dualization, 2023, where
///   the losses are H_kappa^2 and H_kappa^1.
template <class Norm>
  requires(std::same_as<Norm, L2> || std::same_as<Norm, L1>)
class Huber {
 public:
  static constexpr bool rotation_invariant = std::same_as<Norm, L2>;

  /// Throws InvalidArgument unless \p kappa is positive and finite.
  explicit Huber(double kappa) : kappa_(detail::require_positive("Huber", "kappa", kappa)) {}

  [[nodiscard]] double kappa() const { return kappa_; }

  template <class Rows>
  [[nodiscard]] double value(const Eigen::MatrixBase<Rows>& y) const {
    const Eigen::ArrayXXd r = sizes(y);
    return (r <= kappa_).select(r.square() / 2, kappa_ * r - kappa_ * kappa_ / 2).sum();
  }

  template <class Rows>
  [[nodiscard]] double conjugate(const Eigen::MatrixBase<Rows>& h) const {
    // The rounding error of a row that was scaled to the norm kappa.
    const double slack = 64 * double{std::numeric_limits<typename Rows::Scalar>::epsilon()};
    const bool inside = (sizes(h).array() <= kappa_ * (1 + slack)).all();
    return inside ? 0 : std::numeric_limits<double>::infinity();
  }

  template <class Rows>
  [[nodiscard]] Matrix<typename Rows::Scalar> prox_conjugate(
      const Eigen::MatrixBase<Rows>& y) const {
    using S = typename Rows::Scalar;
    const auto kappa = static_cast<S>(kappa_);
    if constexpr (std::same_as<Norm, L1>) {
      return y.cwiseMax(-kappa).cwiseMin(kappa);
    } else {
      Matrix<S> h = y;
      for (Index i = 0; i < h.rows(); ++i) {
        const S norm = h.row(i).norm();
        if (norm > kappa) h.row(i) *= kappa / norm;
      }
      return h;
    }
  }

  [[nodiscard]] std::string describe() const {
    return std::string("huber-") + Norm::name + "(kappa=" + detail::to_text(kappa_) + ")";
  }

 private:
  /// The numbers that are compared with kappa: norms of rows, or absolute values of entries.
  template <class Rows>
  [[nodiscard]] static Matrix<double> sizes(const Eigen::MatrixBase<Rows>& y) {
    if constexpr (std::same_as<Norm, L2>)
      return y.template cast<double>().rowwise().norm();
    else
      return y.template cast<double>().cwiseAbs();
  }

  double kappa_;
};

}  // namespace mercer

#endif  // MERCER_LOSSES_HUBER_HPP
