// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernels that are functions of the Euclidean distance: Gaussian, RationalQuadratic and Matern.

#ifndef MERCER_KERNELS_RADIAL_HPP
#define MERCER_KERNELS_RADIAL_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/bessel.hpp>
#include <mercer/kernels/blocks.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/kernels/prepared_samples.hpp>
#include <mercer/kernels/squared_distances.hpp>

namespace mercer {

/// Base of the kernels k(x, y) = f(|x - y|^2 / l^2) with f(0) = 1, dense and sparse. The derived
/// class provides
/// - `inverse_length()` = 1 / l;
/// - `from_squared_distances(values)`, which applies f in place;
/// - `slope_from_squared_distances(values)`, which applies -f' up to a constant factor (the weights
///   of the fixed-point pre-image).
///
/// Accuracy: squared distances have a relative error of about 2^7 d^(1/2) eps, also for near points
///   far from the origin. Equal points give exactly 1.
template <class Derived>
class RadialKernel {
 public:
  static constexpr bool translation_invariant = true;
  static constexpr bool skips_equal_columns = true;

  template <class X, Real S = typename X::Scalar>
  void gram(const X& x, const X& y, GramOut<typename X::Scalar> out) const {
    detail::BlockDistances<X>::squared(x, y, self().inverse_length(), out);
    profile<S>(out);
  }

  /// Norms are computed once for each sample; so is a shifted copy, if one is needed.
  template <OwnedSamples X>
  void prepare(PreparedSamples<X>& samples) const {
    detail::PreparedDistances<X>::prepare(samples, self().inverse_length());
  }
  template <OwnedSamples X>
  void gram_prepared(const detail::PreparedRows<X>& x, const detail::PreparedRows<X>& y,
                     GramOut<typename X::Scalar> out) const {
    detail::PreparedDistances<X>::squared(x, y, self().inverse_length(), out);
    profile<typename X::Scalar>(out);
  }

  /// k(x, x) = 1.
  template <class X, Real S = typename X::Scalar>
  void diagonal(const X&, Eigen::Ref<Vector<typename X::Scalar>> out) const {
    out.setOnes();
  }

 private:
  [[nodiscard]] const Derived& self() const { return static_cast<const Derived&>(*this); }

  template <Real S>
  void profile(GramOut<S>& distances) const {
    for (Index j = 0; j < distances.cols(); ++j)
      self().from_squared_distances(detail::column_values<S>(distances, j));
  }
};

/// k(x, y) = exp(-|x - y|^2 / (2 sigma^2)).
class Gaussian : public RadialKernel<Gaussian> {
 public:
  /// \param sigma  bandwidth in the units of x
  /// Throws InvalidArgument unless sigma is positive and finite, and 1 / sigma finite.
  explicit Gaussian(double sigma) : sigma_(detail::require_length("Gaussian", "sigma", sigma)) {}

  /// In the other convention: k(x, y) = exp(-gamma |x - y|^2), gamma = 1 / (2 sigma^2).
  [[nodiscard]] static Gaussian from_gamma(double gamma) {
    detail::require_positive("Gaussian", "gamma", gamma);
    // 0.5 / gamma may be out of range, its root never is. Powers of two round nothing.
    const int half = gamma < 1 ? 50 : -50;
    return Gaussian(std::ldexp(std::sqrt(std::ldexp(0.5, -2 * half) / gamma), half));
  }

  [[nodiscard]] double sigma() const { return sigma_; }
  /// Infinite for sigma below about 5e-155, and 0 above about 1e154.
  [[nodiscard]] double gamma() const { return 0.5 / (sigma_ * sigma_); }
  [[nodiscard]] double inverse_length() const { return 1 / sigma_; }

  /// (2 pi sigma^2)^(d/2).
  [[nodiscard]] double integral(Index dimension) const {
    return std::pow(std::sqrt(2 * std::numbers::pi) * sigma_, static_cast<double>(dimension));
  }

  template <Real S>
  void from_squared_distances(detail::Values<S> d) const {
    detail::exponentials<S>(S(-0.5), d);
  }
  template <Real S>
  void slope_from_squared_distances(detail::Values<S> d) const {
    from_squared_distances(d);
  }
  /// |x - y|^2 / sigma^2 from the value of the kernel.
  [[nodiscard]] double squared_distance_from_value(double value) const {
    return -2 * std::log(value);
  }

  [[nodiscard]] std::string describe() const {
    return "gaussian(sigma=" + detail::to_text(sigma_) + ")";
  }

 private:
  double sigma_;
};

/// k(x, y) = (1 + |x - y|^2 / (2 alpha length^2))^(-alpha); alpha = 1 is the isotropic Cauchy
/// kernel.
class RationalQuadratic : public RadialKernel<RationalQuadratic> {
 public:
  struct Params {
    /// >= 1e-30; the kernel tends to the Gaussian as alpha grows, and is 1 to rounding below about
    /// 1e-19
    double alpha = 1;
    double length = 1;  ///< > 0, in the units of x
  };

  RationalQuadratic() = default;

  /// Throws InvalidArgument unless both parameters are positive and finite, alpha at least 1e-30,
  ///   and 1 / length finite.
  explicit RationalQuadratic(Params params) : params_(params) {
    detail::require_positive("RationalQuadratic", "alpha", params.alpha);
    if (params.alpha < 1e-30)
      detail::fail("mercer::RationalQuadratic: alpha must be at least 1e-30, got ", params.alpha);
    detail::require_length("RationalQuadratic", "length", params.length);
  }

  [[nodiscard]] const Params& params() const { return params_; }
  [[nodiscard]] double inverse_length() const { return 1 / params_.length; }

  template <Real S>
  void from_squared_distances(detail::Values<S> d) const {
    power(d, 0);
  }
  template <Real S>
  void slope_from_squared_distances(detail::Values<S> d) const {
    power(d, 1);
  }
  [[nodiscard]] double squared_distance_from_value(double value) const {
    return 2 * params_.alpha * std::expm1(-std::log(value) / params_.alpha);
  }

  [[nodiscard]] std::string describe() const {
    return "rational-quadratic(alpha=" + detail::to_text(params_.alpha) +
           ", length=" + detail::to_text(params_.length) + ")";
  }

 private:
  /// d <- (1 + d / (2 alpha))^(-alpha - more). For alpha beyond 1e30 the value is that of the
  /// Gaussian to rounding. So alpha is limited to 1e30, which is in the range of float. For small
  /// alpha the quotient may be out of range where the value is not; the largest number stands for
  /// it.
  template <Real S>
  void power(detail::Values<S> d, int more) const {
    const double alpha = (std::min)(params_.alpha, 1e30);
    const S half = detail::parameter<S>(0.5 / alpha);
    constexpr S most = (std::numeric_limits<S>::max)();
    d = (detail::parameter<S>(-alpha - more) * ((half * d).min)(most).log1p()).exp();
  }

  Params params_;
};

/// The Matern kernel 2^(1-nu) / Gamma(nu) t^nu K_nu(t), t = (2 nu)^(1/2) |x - y| / length. It is
/// evaluated
/// - for nu = 1/2, 3/2, 5/2 and 7/2 by vectorised closed forms;
/// - for larger half-integers by their finite series;
/// - for any other nu by the Bessel function of the standard library, or of Boost.Math with the
///   component boost_math. libc++ has none, so there such a nu is refused without that component.
class Matern : public RadialKernel<Matern> {
 public:
  struct Params {
    double nu = 1.5;    ///< smoothness, in (0, 50]; tends to the Gaussian as nu grows
    double length = 1;  ///< > 0, in the units of x
  };

  Matern() : Matern(Params()) {}

  /// Throws InvalidArgument for parameters outside the ranges above, and if (2 nu)^(1/2) / length is
  /// not finite.
  explicit Matern(Params params) : params_(params) {
    detail::require_positive("Matern", "nu", params.nu);
    detail::require_length("Matern", "length", params.length, std::sqrt(2 * params.nu));
    if (params.nu > 50) detail::fail("mercer::Matern: nu must be at most 50, got ", params.nu);
    if (!detail::matern_is_available(params.nu))
      detail::fail(
          "mercer::Matern: this standard library has no Bessel functions, so nu must be a "
          "half-integer, got ",
          params.nu, "; with Boost.Math, the component boost_math, any nu works");
  }

  [[nodiscard]] const Params& params() const { return params_; }
  /// The scaled distance is t = (2 nu)^(1/2) |x - y| / length.
  [[nodiscard]] double inverse_length() const { return std::sqrt(2 * params_.nu) / params_.length; }

  template <Real S>
  void from_squared_distances(detail::Values<S> d) const {
    evaluate(d, params_.nu);
  }
  /// Up to a constant, -f'(t^2) is the Matern function of order nu - 1. For nu <= 1 it is evaluated
  /// as t^(nu-1) K_(nu-1)(t). This grows without bound near a sample and is cut off there.
  template <Real S>
  void slope_from_squared_distances(detail::Values<S> d) const {
    if (params_.nu > 1) return evaluate(d, params_.nu - 1);
    for (S& t : d)
      t = static_cast<S>(detail::matern_slope(std::sqrt(static_cast<double>(t)), params_.nu));
  }
  /// Inverts the kernel by bisection on the monotone profile.
  [[nodiscard]] double squared_distance_from_value(double value) const {
    const double t = detail::matern_inverse(value, params_.nu);
    return t * t;
  }

  [[nodiscard]] std::string describe() const {
    return "matern(nu=" + detail::to_text(params_.nu) +
           ", length=" + detail::to_text(params_.length) + ")";
  }

 private:
  template <Real S>
  static void evaluate(detail::Values<S> d, double nu) {
    // Beyond this t the value is 0 to rounding. The bound prevents overflow of t^3. It is applied
    // before the square root, because Eigen's root of infinity is NaN in float.
    constexpr S bound = sizeof(S) == 4 ? S(110) : S(800);
    d = (d.min)(bound * bound).sqrt();
    if (nu == 0.5) {
      d = (-d).exp();
    } else if (nu == 1.5) {
      d = (S(1) + d) * (-d).exp();
    } else if (nu == 2.5) {
      d = (S(1) + d * (S(1) + d / S(3))) * (-d).exp();
    } else if (nu == 3.5) {
      d = (S(1) + d * (S(1) + d * (S(0.4) + d / S(15)))) * (-d).exp();
    } else {
      for (S& t : d) t = static_cast<S>(detail::matern_value(static_cast<double>(t), nu));
    }
  }

  Params params_;
};

}  // namespace mercer

#endif  // MERCER_KERNELS_RADIAL_HPP
