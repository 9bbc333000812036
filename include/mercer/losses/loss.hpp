// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The Loss concept: functions of rows of scores, from which the dual of kernel PCA is built.

#ifndef MERCER_LOSSES_LOSS_HPP
#define MERCER_LOSSES_LOSS_HPP

#include <concepts>
#include <string>

#include <mercer/core/types.hpp>

namespace mercer {

/// Part (2) of Loss.
template <class T>
concept has_rotation_invariance = requires(const T& loss) {
  { loss.rotation_invariant } -> std::convertible_to<bool>;
};

/// Part (3) of Loss: value().
template <class T, class S>
concept has_loss_value = requires(const T& loss, const Points<S>& y) {
  { loss.value(y) } -> std::convertible_to<double>;
};

/// Part (4) of Loss: conjugate().
template <class T, class S>
concept has_loss_conjugate = requires(const T& loss, const Points<S>& h) {
  { loss.conjugate(h) } -> std::convertible_to<double>;
};

/// Part (5) of Loss: prox_conjugate().
template <class T, class S>
concept has_loss_prox = requires(const T& loss, const Points<S>& y) {
  { loss.prox_conjugate(y) } -> std::convertible_to<Matrix<S>>;
};

/// A convex loss f of the rows of an n x s matrix, summed over rows. It is the Moreau envelope
/// f(y) = min_z |y - z|^2 / 2 + Psi(z) of a convex Psi on R^s with Psi(0) = 0 and Psi >= 0.
///
/// \code
/// struct MyLoss {
///   static constexpr bool rotation_invariant = true;             // f(Y R) = f(Y), R orthogonal
///   double value(const Eigen::MatrixXd& y) const;                    // f(Y)
///   double conjugate(const Eigen::MatrixXd& h) const;                // Psi*(H), or infinity
///   Eigen::MatrixXd prox_conjugate(const Eigen::MatrixXd& y) const;  // grad f(Y), n x s
/// };
/// \endcode
/// Syntax:
/// - (1) copyable;
/// - (2) rotation_invariant, a constant of the type, or of each object as in AnyLoss;
/// - (3) value(), (4) conjugate() and (5) prox_conjugate() of blocks of rows.
///
/// Semantics:
/// - (6) value() and conjugate() are sums over rows, and prox_conjugate() works on each row by
///   itself. So blocks of rows may be processed one by one and in parallel;
/// - (7) the conjugate of f is |h|^2 / 2 + Psi*(h). So the gradient of f is
///   prox_conjugate(Y) = argmin_H |H - Y|^2 / 2 + Psi*(H);
/// - (8) pure.
///
/// Source: Tonin, Lambert, Patrinos, Suykens, Extending kernel PCA through dualization, 2023.
template <class T, class S = double>
concept Loss = std::copy_constructible<T> && has_rotation_invariance<T> && has_loss_value<T, S> &&
    has_loss_conjugate<T, S> && has_loss_prox<T, S>;

/// True if T models Loss. Otherwise compilation stops with a sentence that says what to add.
template <class T, class S = double>
consteval bool check_loss() {
  static_assert(std::copy_constructible<T>,
                "mercer::Loss: a loss is stored by value, so it must be copyable");
  static_assert(has_rotation_invariance<T>,
                "mercer::Loss: the loss needs  static constexpr bool rotation_invariant");
  static_assert(has_loss_value<T, S>,
                "mercer::Loss: the loss needs  double value(Y) const  with f summed over rows");
  static_assert(has_loss_conjugate<T, S>,
                "mercer::Loss: the loss needs  double conjugate(H) const  with Psi* summed over "
                "rows");
  static_assert(has_loss_prox<T, S>,
                "mercer::Loss: the loss needs  Matrix prox_conjugate(Y) const  of the shape of Y");
  return Loss<T, S>;
}

namespace detail {

/// The name of a loss in reports: its describe() if it has one.
template <class T>
[[nodiscard]] std::string describe_loss(const T& loss) {
  if constexpr (requires {
                  { loss.describe() } -> std::convertible_to<std::string>;
                })
    return loss.describe();
  else
    return "user's loss";
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_LOSSES_LOSS_HPP
