// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernels on non-negative samples such as histograms: the semigroup kernels, the chi-square
/// kernels and the histogram intersection.

#ifndef MERCER_KERNELS_HISTOGRAM_HPP
#define MERCER_KERNELS_HISTOGRAM_HPP

#include <limits>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/blocks.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

namespace detail {

/// (x + y) / 2, where x + y may overflow: an expression, which refers to its arguments.
template <Real S, class U, class V>
[[nodiscard]] auto half_sum(const U& x, const V& y) {
  return S(0.5) * x + S(0.5) * y;
}

}  // namespace detail

/// k(x, y) = exp(-beta sum_j (x_j + y_j)^(1/2)) for x, y >= 0. It is not shift-invariant, and
/// k(x, x) is not 1.
/// Source: Yang et al., Random Laplace feature maps for semigroup kernels on histograms, 2014.
class ExponentialSemigroup : public CoordinatewiseKernel<ExponentialSemigroup> {
 public:
  /// Throws InvalidArgument unless beta is positive and finite.
  explicit ExponentialSemigroup(double beta)
      : beta_(detail::require_positive("ExponentialSemigroup", "beta", beta)) {}

  [[nodiscard]] double beta() const { return beta_; }

  template <class X>
  void check_domain(const X& x) const {
    detail::require_non_negative("ExponentialSemigroup", x);
  }

  [[nodiscard]] double start() const { return 0; }
  template <class Accumulator, class U, class V>
  void step(Accumulator& a, const U& x, const V& y) const {
    using S = typename Accumulator::Scalar;
    a += S(2) * (S(0.25) * x + S(0.25) * y).sqrt();  // x + y may overflow
  }
  template <Real S>
  void finish(detail::Values<S> a) const {
    detail::exponentials<S>(detail::parameter<S>(-beta_), a);
  }

  [[nodiscard]] std::string describe() const {
    return "exponential-semigroup(beta=" + detail::to_text(beta_) + ")";
  }

 private:
  double beta_;
};

/// k(x, y) = prod_j lambda / (x_j + y_j + lambda) for x, y >= 0.
/// Source: as ExponentialSemigroup.
class ReciprocalSemigroup : public CoordinatewiseKernel<ReciprocalSemigroup> {
 public:
  /// \param lambda  in the units of x
  /// Throws InvalidArgument unless lambda is positive and finite.
  explicit ReciprocalSemigroup(double lambda)
      : lambda_(detail::require_positive("ReciprocalSemigroup", "lambda", lambda)) {}

  [[nodiscard]] double lambda() const { return lambda_; }

  template <class X>
  void check_domain(const X& x) const {
    detail::require_non_negative("ReciprocalSemigroup", x);
  }

  [[nodiscard]] double start() const { return 1; }
  template <class Accumulator, class U, class V>
  void step(Accumulator& a, const U& x, const V& y) const {
    using S = typename Accumulator::Scalar;
    a *= S(1) + detail::parameter<S>(2 / lambda_) * detail::half_sum<S>(x, y);
  }
  template <Real S>
  void finish(detail::Values<S> a) const {
    a = a.inverse();
  }

  [[nodiscard]] std::string describe() const {
    return "reciprocal-semigroup(lambda=" + detail::to_text(lambda_) + ")";
  }

 private:
  double lambda_;
};

/// k(x, y) = sum_j 2 x_j y_j / (x_j + y_j) for x, y >= 0, with 0/0 = 0. It is positive
/// semidefinite. Some libraries use this name for the negative chi-square distance, which is
/// another function.
class AdditiveChiSquare : public CoordinatewiseKernel<AdditiveChiSquare> {
 public:
  template <class X>
  void check_domain(const X& x) const {
    detail::require_non_negative("AdditiveChiSquare", x);
  }

  [[nodiscard]] double start() const { return 0; }
  template <class Accumulator, class U, class V>
  void step(Accumulator& a, const U& x, const V& y) const {
    using S = typename Accumulator::Scalar;
    // A tiny number replaces 0 in 0/0. The division comes before the product, as x y may overflow.
    a += x * (y / (detail::half_sum<S>(x, y).max)((std::numeric_limits<S>::min)() / 2));
  }
  template <Real S>
  void finish(detail::Values<S>) const {}

  [[nodiscard]] std::string describe() const { return "additive-chi-square"; }
};

/// k(x, y) = exp(-gamma sum_j (x_j - y_j)^2 / (x_j + y_j)) for x, y >= 0, with 0/0 = 0.
class ChiSquare : public CoordinatewiseKernel<ChiSquare> {
 public:
  /// Throws InvalidArgument unless gamma is positive and finite.
  explicit ChiSquare(double gamma)
      : gamma_(detail::require_positive("ChiSquare", "gamma", gamma)) {}

  [[nodiscard]] double gamma() const { return gamma_; }

  template <class X>
  void check_domain(const X& x) const {
    detail::require_non_negative("ChiSquare", x);
  }

  [[nodiscard]] double start() const { return 0; }
  template <class Accumulator, class U, class V>
  void step(Accumulator& a, const U& x, const V& y) const {
    using S = typename Accumulator::Scalar;
    a += (x - y) *
         (S(0.5) * (x - y) / (detail::half_sum<S>(x, y).max)((std::numeric_limits<S>::min)() / 2));
  }
  template <Real S>
  void finish(detail::Values<S> a) const {
    detail::exponentials<S>(detail::parameter<S>(-gamma_), a);
  }

  [[nodiscard]] std::string describe() const {
    return "chi-square(gamma=" + detail::to_text(gamma_) + ")";
  }

 private:
  double gamma_;
};

/// k(x, y) = sum_j min(x_j, y_j) for x, y >= 0.
class Intersection : public CoordinatewiseKernel<Intersection> {
 public:
  template <class X>
  void check_domain(const X& x) const {
    detail::require_non_negative("Intersection", x);
  }

  [[nodiscard]] double start() const { return 0; }
  template <class Accumulator, class U, class V>
  void step(Accumulator& a, const U& x, const V& y) const {
    a += (x.min)(y);
  }
  template <Real S>
  void finish(detail::Values<S>) const {}

  [[nodiscard]] std::string describe() const { return "intersection"; }
};

}  // namespace mercer

#endif  // MERCER_KERNELS_HISTOGRAM_HPP
