// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The inverse of the distribution function of the Gamma distribution.

#ifndef MERCER_CORE_MATH_GAMMA_QUANTILE_HPP
#define MERCER_CORE_MATH_GAMMA_QUANTILE_HPP

#include <algorithm>
#include <cmath>
#include <limits>

#include <mercer/core/math/normal_quantile.hpp>

namespace mercer {

/// The x with P(X <= x) = p, for 0 < p < 1 and X with the Gamma distribution of this shape and
/// scale 1. Never 0: a result that would underflow becomes the smallest normal number.
///
/// Uses Newton's method for the logarithm of the smaller tail. This function is concave in log x,
/// so the iteration converges from one side. It starts from the cube-root transformation. Large
/// shapes use an expansion about the normal law instead.
/// Cost: a few sums of O(shape^(1/2)) terms.
/// Accuracy: relative error about 1e-12; about 1e-7 for shapes above 1e4, where the expansion is
///   used.
/// Source: Wilson, Hilferty, The distribution of chi-square, 1931; Cornish, Fisher, Moments and
///   cumulants in the specification of distributions, 1938. The incomplete Gamma function by its
///   series and its continued fraction: Abramowitz, Stegun, 6.5.29 and 6.5.31.
class GammaQuantile {
 public:
  /// @param shape  > 0
  explicit GammaQuantile(double shape) : shape_(shape), log_gamma_(log_gamma(1 + shape)) {}

  /// The value that is not exceeded with probability p, for p in (0, 1).
  [[nodiscard]] double operator()(double p) const {
    constexpr double smallest = (std::numeric_limits<double>::min)();
    const double z = normal_quantile(p), root = std::sqrt(shape_);
    if (shape_ > 1e4) return shape_ + z * root + (z * z - 1) / 3 + z * (z * z - 7) / (36 * root);
    // x^a / Gamma(1 + a) is above P, and close to it for small x. So this t is below the logarithm
    // of the quantile.
    double t = (std::log(p) + log_gamma_) / shape_;
    if (t < -37) return (std::max)(std::exp(t), smallest);
    const bool lower = p <= 0.5;
    if (shape_ < 1 && !lower) t = std::log(-std::log1p(-p));  // that of shape 1, an upper bound
    const double cube_root = 1 - 1 / (9 * shape_) + z / (3 * root);
    if (shape_ >= 1 && cube_root > 0) {
      const double near = std::log(shape_) + 3 * std::log(cube_root);
      t = lower ? (std::max)(t, near) : near;
    }
    const double goal = lower ? std::log(p) : std::log1p(-p);
    for (int step = 0; step < 100; ++step) {
      const Tail tail = tail_at(t, lower);
      const double change = (goal - std::log(tail.mass)) * tail.mass / tail.slope;
      t += change;
      if (!(std::abs(change) > 1e-13)) break;
    }
    return std::exp(t);
  }

 private:
  /// log Gamma(a) for a >= 1. Not by std::lgamma, because that writes to a global variable.
  [[nodiscard]] static double log_gamma(double a) {
    if (a < 100) return std::log(std::tgamma(a));
    const double half_log_two_pi = 0.91893853320467274178;
    return (a - 0.5) * std::log(a) - a + half_log_two_pi + (1 - 1 / (30 * a * a)) / (12 * a);
  }

  struct Tail {
    double mass;
    double slope;  // derivative with respect to log x
  };

  [[nodiscard]] Tail tail_at(double t, bool lower) const {
    const double x = std::exp(t);
    const double front = shape_ * std::exp(shape_ * t - x - log_gamma_);
    const bool small = x < shape_ + 1;
    const double mass = front * (small ? series(x) : fraction(x));
    return {small == lower ? mass : 1 - mass, lower ? front : -front};
  }

  /// P / front = 1/a + x / (a (a + 1)) + ...
  [[nodiscard]] double series(double x) const {
    double term = 1 / shape_, sum = term;
    for (double a = shape_ + 1; term > sum * 0x1p-54; ++a) sum += term *= x / a;
    return sum;
  }

  /// (1 - P) / front as a continued fraction, evaluated from the top by Lentz's method.
  [[nodiscard]] double fraction(double x) const {
    double b = x + 1 - shape_, c = 1e300, d = 1 / b, value = d;
    for (double n = 1; n < 1e4; ++n) {
      const double a = n * (shape_ - n);
      b += 2;
      d = 1 / (a * d + b);
      c = b + a / c;
      value *= c * d;
      if (std::abs(c * d - 1) < 0x1p-52) break;
    }
    return value;
  }

  double shape_;
  double log_gamma_;  // log Gamma(1 + shape)
};

}  // namespace mercer

#endif  // MERCER_CORE_MATH_GAMMA_QUANTILE_HPP
