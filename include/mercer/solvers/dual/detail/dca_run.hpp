// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// One run of the difference-of-convex-functions algorithm on the dual of kernel PCA, step by step.

#ifndef MERCER_SOLVERS_DUAL_DETAIL_DCA_RUN_HPP
#define MERCER_SOLVERS_DUAL_DETAIL_DCA_RUN_HPP

#include <cmath>
#include <limits>
#include <utility>

#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/losses/loss_view.hpp>
#include <mercer/operators/operator_view.hpp>
#include <mercer/solvers/dual/detail/dual_checks.hpp>
#include <mercer/solvers/dual/detail/inverse_root.hpp>

namespace mercer::detail {

/// Minimises p(H) = |H|_F^2 / 2 + Psi*(H) - pi(H), pi(H) = Tr (H^T G H)^(1/2), by
///
///     Y = grad pi(H) = G H S^(-1/2), S = H^T G H;   H <- prox of Psi* at Y.
///
/// From the second H on, each step reduces p by at least |H' - H|^2 / 2.
///
/// H and Y have the unit of the samples in feature space, and S has its fourth power. So that S
/// does not overflow or underflow, the run works on G / u^2, H / u and Y / u, for a power of two u
/// that makes G / u^2 of size 1. The loss sees H and Y themselves.
///
/// Cost: one product of G with H for each step.
/// Memory: 3 n s values.
/// Source: Tonin et al. 2023, algorithm 1.
template <Real S>
class DcaRun {
 public:
  /// Starts from \p start, n x s. \p noise is the rounding error of products in a residual.
  DcaRun(const OperatorView<S>& a, LossView<S> loss, double noise, Matrix<S> start)
      : a_(a), loss_(loss), noise_(noise), h_(std::move(start)), y_(h_.rows(), h_.cols()) {}

  /// Computes Y and p at H. Returns false if they are not finite.
  /// Throws InvalidArgument if G is found to be indefinite.
  [[nodiscard]] bool evaluate() {
    objective_ = std::numeric_limits<double>::infinity();
    product_.resize(h_.rows(), h_.cols());
    a_.apply(h_, product_);
    const bool first = unit_ == 0;
    if (first) set_unit();
    product_ = product_ / unit_ / unit_;
    const Matrix<S> inner_products = inner(h_, product_);
    if (!inner_products.allFinite()) return false;
    root_ = inverse_root(inner_products);
    const double norm = squared_norm(h_), square = double{unit_} * double{unit_};
    const double rounding = noise_ / square * norm;
    require_semidefinite(root_, rounding + 1e3 * double{std::numeric_limits<S>::epsilon()} *
                                               root_.trace * root_.trace);
    if (first) began_at_zero_ = !(root_.system.values(0) > rounding);
    y_.setZero();
    add_product(S(1), product_, root_.matrix, y_);
    product_ = unit_ * h_;
    objective_ = square * (norm / 2 + loss_.conjugate(product_) / square - root_.trace);
    return true;
  }

  /// H <- prox of Psi* at Y, if that changes H by more than \p tolerance |H|. Otherwise returns
  /// false and keeps H, so that H, Y and p still belong together.
  [[nodiscard]] bool step(double tolerance) {
    Matrix<S>& next = product_;
    next = unit_ * y_;
    loss_.apply_prox(next);
    next /= unit_;
    const double moved = (h_ - next).template cast<double>().squaredNorm();
    const double norm = squared_norm(next);
    if (moved <= tolerance * tolerance * norm) return false;
    h_.swap(next);
    return true;
  }

  [[nodiscard]] Matrix<S> h() const { return unit() * h_; }
  [[nodiscard]] Matrix<S> y() const { return unit() * y_; }
  /// (S / u^4)^(-1/2).
  [[nodiscard]] const InverseRoot<S>& root() const { return root_; }
  /// u; 1 before the first evaluation.
  [[nodiscard]] S unit() const { return unit_ == 0 ? S(1) : unit_; }
  /// Whether H^T G H was zero to rounding for the first H. Then G H says nothing of G.
  [[nodiscard]] bool began_at_zero() const { return began_at_zero_; }

  /// p(H) of the last evaluation; infinite where Psi* is.
  [[nodiscard]] double objective() const { return objective_; }

  /// f(Y) + p(H) >= 0; it is 0 only at a fixed point.
  [[nodiscard]] double gap() const { return loss_.value(y()) + objective_; }

 private:
  [[nodiscard]] static double squared_norm(const Matrix<S>& a) {
    return a.template cast<double>().squaredNorm();
  }

  /// Chooses u by the first product, and divides H and that product by it.
  void set_unit() {
    const auto largest = static_cast<double>(h_.cwiseAbs().maxCoeff());
    const double size =
        largest > 0 ? static_cast<double>(product_.cwiseAbs().maxCoeff()) / largest : 0;
    unit_ = size > 0 && std::isfinite(size)
                ? static_cast<S>(std::ldexp(1.0, std::ilogb(std::sqrt(size))))
                : S(1);
    h_ /= unit_;
    product_ /= unit_;
  }

  const OperatorView<S>& a_;
  LossView<S> loss_;
  double noise_;
  S unit_ = 0;  // u; 0 before the first product
  bool began_at_zero_ = false;
  Matrix<S> h_, y_, product_;  // in units of u, as all else but the objective
  InverseRoot<S> root_;
  double objective_ = std::numeric_limits<double>::infinity();
};

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DUAL_DETAIL_DCA_RUN_HPP
