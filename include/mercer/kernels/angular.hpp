// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernels of the angle between samples: Cosine and ArcCosine.

#ifndef MERCER_KERNELS_ANGULAR_HPP
#define MERCER_KERNELS_ANGULAR_HPP

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/blocks.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

namespace detail {

/// Euclidean norms of the rows, safe if squares overflow or underflow.
template <class X>
[[nodiscard]] Vector<typename X::Scalar> row_norms(const X& x) {
  using S = typename X::Scalar;
  Vector<S> norms = squared_norms(x).cwiseSqrt();
  for (Index i = 0; i < x.rows() && x.cols() > 0; ++i) {
    if (norms(i) > S(1e-10) && norms(i) < S(1e15)) continue;
    const Vector<S> entries = row_entries(x, i);
    norms(i) = entries.size() > 0 ? entries.stableNorm() : S(0);
  }
  return norms;
}

/// Rows divided by their norms; zero rows stay zero. A norm may overflow, or have lost digits to
/// underflow: such a row is first scaled by a power of two.
template <class X, Real S = typename X::Scalar>
[[nodiscard]] OwnedSamplesOf<X> unit_rows(const X& x, const Vector<S>& norms) {
  constexpr S least = (std::numeric_limits<S>::min)(), most = (std::numeric_limits<S>::max)();
  OwnedSamplesOf<X> unit = x;
  for (Index i = 0; i < unit.rows(); ++i) {
    S norm = norms(i);
    if (!(norm > 0)) continue;
    if (!(norm >= least && norm <= most)) {
      const S largest = row_entries(unit, i).cwiseAbs().maxCoeff();
      unit.row(i) /= std::ldexp(S(1), std::ilogb(largest));
      norm = row_entries(unit, i).norm();
    }
    unit.row(i) /= norm;
  }
  return unit;
}

/// The angle between unit vectors with this cosine.
template <class X, class Y, Real S = typename X::Scalar>
[[nodiscard]] S angle(const X& x, const Y& y, S cosine) {
  // acos loses digits where the cosine is near 1 or -1. There the angle is computed from the chord.
  constexpr S near_one = sizeof(S) == 4 ? S(1e-3) : S(1e-6);
  return std::abs(cosine) < S(1) - near_one ? std::acos(cosine)
                                            : S(2) * std::atan2((x - y).norm(), (x + y).norm());
}

}  // namespace detail

/// k(x, y) = x . y / (|x| |y|), and 0 if x or y is 0. Dense and sparse.
class Cosine {
 public:
  template <class X, Real S = typename X::Scalar>
  void gram(const X& x, const X& y, GramOut<typename X::Scalar> out) const {
    detail::inner_products(detail::unit_rows(x, detail::row_norms(x)),
                           detail::unit_rows(y, detail::row_norms(y)), out);
    out = out.cwiseMax(S(-1)).cwiseMin(S(1));
  }

  template <class X, Real S = typename X::Scalar>
  void diagonal(const X& x, Eigen::Ref<Vector<typename X::Scalar>> out) const {
    out = (detail::row_norms(x).array() > S(0)).template cast<S>();
  }

  [[nodiscard]] std::string describe() const { return "cosine"; }
};

/// The arc-cosine kernel of order m: k(x, y) = |x|^m |y|^m J_m(theta) / pi, where theta is the
/// angle between x and y, and
/// J_0 = pi - theta,
/// J_1 = sin theta + (pi - theta) cos theta,
/// J_2 = 3 sin theta cos theta + (pi - theta)(1 + 2 cos^2 theta).
/// A zero vector counts as perpendicular to everything: there order 0 gives 1/2 and higher orders
/// give 0. Dense and sparse.
/// Source: Cho, Saul, Kernel methods for deep learning, 2009, eqs. (3)-(6).
class ArcCosine {
 public:
  /// \param order  0, 1 or 2
  /// Throws InvalidArgument otherwise.
  explicit ArcCosine(int order) : order_(order) {
    if (order < 0 || order > 2)
      detail::fail("mercer::ArcCosine: order must be 0, 1 or 2, got ", order);
  }

  [[nodiscard]] int order() const { return order_; }

  template <class X, Real S = typename X::Scalar>
  void gram(const X& x, const X& y, GramOut<typename X::Scalar> out) const {
    const Vector<S> x_norms = detail::row_norms(x), y_norms = detail::row_norms(y);
    const auto x_unit = detail::unit_rows(x, x_norms);
    const auto y_unit = detail::unit_rows(y, y_norms);
    detail::inner_products(x_unit, y_unit, out);
    for (Index j = 0; j < out.cols(); ++j)
      for (Index i = 0; i < out.rows(); ++i) {
        const S value = profile(detail::angle(x_unit.row(i), y_unit.row(j), out(i, j)));
        // Opposite samples give 0 for any norms, even if the product of the norms overflows.
        out(i, j) = value > 0 ? value * std::pow(x_norms(i) * y_norms(j), S(order_)) : S(0);
      }
  }

  /// 1, |x|^2 and 3 |x|^4 for orders 0, 1 and 2; 1/2 at x = 0 for order 0.
  template <class X, Real S = typename X::Scalar>
  void diagonal(const X& x, Eigen::Ref<Vector<typename X::Scalar>> out) const {
    const Vector<S> norms = detail::row_norms(x);
    for (Index i = 0; i < out.size(); ++i) {
      const S theta = norms(i) > 0 ? S(0) : std::numbers::pi_v<S> / 2;
      out(i) = profile(theta) * std::pow(norms(i) * norms(i), S(order_));
    }
  }

  [[nodiscard]] std::string describe() const {
    return "arc-cosine(order=" + detail::to_text(order_) + ")";
  }

 private:
  /// J_m(theta) / pi.
  template <Real S>
  [[nodiscard]] S profile(S theta) const {
    constexpr S pi = std::numbers::pi_v<S>;
    if (order_ == 0) return 1 - theta / pi;
    const S sine = std::sin(theta), cosine = std::cos(theta);
    if (order_ == 1) return (sine + (pi - theta) * cosine) / pi;
    return (3 * sine * cosine + (pi - theta) * (1 + 2 * cosine * cosine)) / pi;
  }

  int order_;
};

}  // namespace mercer

#endif  // MERCER_KERNELS_ANGULAR_HPP
