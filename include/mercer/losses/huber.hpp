// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Huber losses, for components that are robust against outliers.

#ifndef MERCER_LOSSES_HUBER_HPP
#define MERCER_LOSSES_HUBER_HPP

#include <limits>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/losses/norms.hpp>

namespace mercer {

/// The Huber loss: the infimal convolution of |y|^2 / 2 with kappa times a norm, which is quadratic
/// for small rows and grows like the norm for large ones. Psi = kappa |y|, and Psi* is the
/// indicator of the ball of radius kappa in the dual norm. The gradient of f is the projection h of
/// the row on that ball, and f(y) = h . y - |h|^2 / 2:
///
///     Huber<L2>:    f(y) = g(|y|_2),        Psi*(h) = 0 if |h|_2 <= kappa, else infinite;
///     Huber<L1>:    f(y) = sum_j g(|y_j|),  Psi*(h) = 0 if |h|_inf <= kappa, else infinite;
///     Huber<LInf>:  Psi*(h) = 0 if |h|_1 <= kappa, else infinite;
///     g(r) = r^2 / 2 up to kappa, kappa r - kappa^2 / 2 beyond.
///
/// No sample has a weight above kappa in the dual: of its row (L2), of each entry (L1), or of the
/// sum of its entries (LInf), which also makes small entries zero where a row is cut. From
/// kappa_max<Norm>() on, the result is that of kernel PCA.
/// \tparam Norm  L1, L2, LInf or a RowNorm of the user's
/// Cost: O(n s); O(n s log s) for LInf.
/// Source: Tonin, Lambert, Patrinos, Suykens, Extending kernel PCA through dualization, 2023, where
///   the losses are H_kappa^2, H_kappa^1 and H_kappa^inf.
template <RowNorm Norm>
class Huber {
 public:
  static constexpr bool rotation_invariant = Norm::rotation_invariant;

  /// Throws InvalidArgument unless \p kappa is positive and finite.
  explicit Huber(double kappa) : kappa_(detail::require_positive("Huber", "kappa", kappa)) {}

  [[nodiscard]] double kappa() const { return kappa_; }

  template <class Rows>
  [[nodiscard]] double value(const Eigen::MatrixBase<Rows>& y) const {
    const Matrix<double> rows = y.template cast<double>();
    const Matrix<double> h = prox_conjugate(rows);
    return h.cwiseProduct(rows).sum() - h.squaredNorm() / 2;
  }

  template <class Rows>
  [[nodiscard]] double conjugate(const Eigen::MatrixBase<Rows>& h) const {
    // The rounding error of a row that was projected, and of the sum over its entries.
    const double slack = (64 + static_cast<double>(h.cols())) *
                         double{std::numeric_limits<typename Rows::Scalar>::epsilon()};
    const bool inside = (Norm::Dual::norms(h).array() <= kappa_ * (1 + slack)).all();
    return inside ? 0 : std::numeric_limits<double>::infinity();
  }

  template <class Rows>
  [[nodiscard]] Matrix<typename Rows::Scalar> prox_conjugate(
      const Eigen::MatrixBase<Rows>& y) const {
    Matrix<typename Rows::Scalar> h = y;
    Norm::Dual::project(h, kappa_);
    return h;
  }

  [[nodiscard]] std::string describe() const {
    return "huber-" + std::string(Norm::name) + "(kappa=" + detail::to_text(kappa_) + ")";
  }

 private:
  double kappa_;
};

}  // namespace mercer

#endif  // MERCER_LOSSES_HUBER_HPP
