// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Products of an operator at the points of line searches: one product for each line.

#ifndef MERCER_SOLVERS_DUAL_DETAIL_LINE_PRODUCTS_HPP
#define MERCER_SOLVERS_DUAL_DETAIL_LINE_PRODUCTS_HPP

#include <cmath>
#include <cstddef>
#include <limits>

#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/operator_view.hpp>

namespace mercer::detail {

/// G X at the points X (n x s) of line searches. X is passed as a vector of n s values. Since G is
/// linear, G (X_0 + t D) = G X_0 + t G D: a line takes one product with G, however many of its
/// points are tried. A line begins at the last point; the first line begins at zero. Sums over
/// lines are in double, so that rounding errors do not accumulate.
/// Memory: 2 n s values in S, 2 n s in double.
template <Real S>
class LineProducts {
 public:
  LineProducts(const OperatorView<S>& a, Index rows, Index cols)
      : a_(a),
        origin_(in_huge_pages(Vector<double>(rows * cols))),
        origin_product_(in_huge_pages(Matrix<double>(rows, cols))),
        direction_product_(in_huge_pages(Matrix<S>(rows, cols))) {
    origin_.setZero();
    origin_product_.setZero();
  }

  /// If \p x lies on the current line, up to rounding errors, moves to it and returns true.
  /// Otherwise returns false. If rounding errors make this uncertain, x counts as not on the line:
  /// that is safe, but costs a product.
  [[nodiscard]] bool follow(const Vector<S>& x) {
    if (direction_.size() == 0) return false;
    const auto direction = direction_.template cast<double>();
    const auto offset = x.template cast<double>() - origin_;
    const double square = direction.squaredNorm();
    const double t = offset.dot(direction) / square;
    // Points have rounding errors of the size of X. But if steps are as short as that, a point this
    // close may be the first of a new line.
    constexpr double epsilon{std::numeric_limits<S>::epsilon()};
    const double rounding = 16 * epsilon * (1 + std::abs(t)) * x.template cast<double>().norm();
    constexpr double short_step = 0.1;
    const double off = (offset - t * direction).norm();
    if (!(off <= rounding && off <= short_step * std::abs(t) * std::sqrt(square))) return false;
    t_ = t;
    return true;
  }

  /// Begins a line from the last point to \p x.
  /// Cost: one product of G.
  void turn(const Vector<S>& x) {
    if (direction_.size() > 0) {
      origin_ += t_ * direction_.template cast<double>();
      origin_product_ += t_ * direction_product_.template cast<double>();
    }
    direction_ = (x.template cast<double>() - origin_).template cast<S>();
    a_.apply(Eigen::Map<const Matrix<S>>(direction_.data(), direction_product_.rows(),
                                         direction_product_.cols()),
             direction_product_);
    t_ = 1;
  }

  /// G X at the last point.
  [[nodiscard]] Matrix<S> product() const {
    return (origin_product_ + t_ * direction_product_.template cast<double>()).template cast<S>();
  }

  /// Multiplies all points by \p factor.
  void scale(double factor) {
    origin_ *= factor;
    origin_product_ *= factor;
    direction_ *= static_cast<S>(factor);
    direction_product_ *= static_cast<S>(factor);
  }

  [[nodiscard]] static constexpr std::size_t bytes(Index rows, Index cols) {
    return static_cast<std::size_t>(rows * cols) * 2 * (sizeof(double) + sizeof(S));
  }

  /// Forgets all points: the next line begins at zero.
  void forget() {
    origin_.setZero();
    origin_product_.setZero();
    direction_.resize(0);
  }

 private:
  const OperatorView<S>& a_;
  Vector<double> origin_;
  Matrix<double> origin_product_;
  Vector<S> direction_;  ///< of size 0: no line
  Matrix<S> direction_product_;
  double t_ = 0;
};

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DUAL_DETAIL_LINE_PRODUCTS_HPP
