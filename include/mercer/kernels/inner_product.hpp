// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernels that are functions of the inner product: Linear, Polynomial, Sigmoid, ExponentialDot and
/// InverseDot.

#ifndef MERCER_KERNELS_INNER_PRODUCT_HPP
#define MERCER_KERNELS_INNER_PRODUCT_HPP

#include <algorithm>
#include <cmath>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/blocks.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

namespace detail {

/// About the rounding error of an inner product of \p d terms, in ulp.
[[nodiscard]] inline double sum_of_products_ulps(Index d) {
  return (std::max)(1.0, std::sqrt(static_cast<double>(d)) / 2);
}

}  // namespace detail

/// Base of the kernels k(x, y) = f(x . y), dense and sparse. After one matrix product,
/// `from_inner_products(values)` of the derived class applies f in place to each column of the
/// block.
template <class Derived>
class InnerProductKernel {
 public:
  template <class X, Real S = typename X::Scalar>
  void gram(const X& x, const X& y, GramOut<typename X::Scalar> out) const {
    detail::inner_products(x, y, out);
    for (Index j = 0; j < out.cols(); ++j)
      self().from_inner_products(detail::column_values<S>(out, j));
  }

  /// k(x, x) = f(|x|^2).
  template <class X, Real S = typename X::Scalar>
  void diagonal(const X& x, Eigen::Ref<Vector<typename X::Scalar>> out) const {
    out = detail::squared_norms(x);
    self().from_inner_products(detail::Values<S>(out.data(), out.size()));
  }

  /// See HasGrowth. Derived::growth_at(value) is |t f'(t) / f(t)| where f(t) has this value.
  /// \tparam K  Derived; clang++ 14 looks at a constraint on Derived itself before that is complete
  template <class X, class K = Derived, Real S = typename X::Scalar>
    requires requires(const K& kernel) {
      kernel.growth_at(1.0);
    }
  [[nodiscard]] double growth(const X& x) const {
    Vector<S> values(x.rows());
    diagonal(x, values);
    const K& kernel = self();
    double largest = 1;
    for (const S value : values)
      largest = (std::max)(largest, kernel.growth_at(static_cast<double>(value)));
    return largest * detail::sum_of_products_ulps(x.cols());
  }

 private:
  [[nodiscard]] const Derived& self() const { return static_cast<const Derived&>(*this); }
};

/// k(x, y) = x . y. With it, kernel PCA is PCA.
class Linear : public InnerProductKernel<Linear> {
 public:
  template <Real S>
  void from_inner_products(detail::Values<S>) const {}

  [[nodiscard]] std::string describe() const { return "linear"; }
};

/// k(x, y) = (gamma x . y + coef0)^degree, positive semidefinite for coef0 >= 0.
class Polynomial : public InnerProductKernel<Polynomial> {
 public:
  struct Params {
    double gamma = 1;  ///< > 0
    double coef0 = 1;  ///< >= 0; refused below 0, where the kernel is indefinite
    int degree = 3;    ///< >= 1
  };

  Polynomial() : Polynomial(Params()) {}

  /// Throws InvalidArgument for parameters outside the ranges above.
  explicit Polynomial(Params params) : params_(params) {
    detail::require_positive("Polynomial", "gamma", params.gamma);
    detail::require_not_negative("Polynomial", "coef0", params.coef0);
    if (params.degree < 1)
      detail::fail("mercer::Polynomial: degree must be at least 1, got ", params.degree);
  }

  [[nodiscard]] const Params& params() const { return params_; }

  template <Real S>
  void from_inner_products(detail::Values<S> t) const {
    t = detail::parameter<S>(params_.gamma) * t + detail::parameter<S>(params_.coef0);
    raise(t, params_.degree);
  }

  /// An upper bound of |t f'(t) / f(t)|; see InnerProductKernel.
  [[nodiscard]] double growth_at(double) const { return static_cast<double>(params_.degree); }

  /// t <- t^exponent by repeated squaring.
  template <Real S>
  static void raise(detail::Values<S> t, int exponent) {
    Eigen::Array<S, Eigen::Dynamic, 1> square = t;
    t.setOnes();
    for (;; square *= square) {
      if (exponent % 2 == 1) t *= square;
      if ((exponent /= 2) == 0) return;
    }
  }

  [[nodiscard]] std::string describe() const {
    return "polynomial(gamma=" + detail::to_text(params_.gamma) +
           ", coef0=" + detail::to_text(params_.coef0) +
           ", degree=" + detail::to_text(params_.degree) + ")";
  }

 private:
  Params params_;
};

/// k(x, y) = tanh(gamma x . y + coef0). In general it is indefinite: KernelPca keeps the components
/// with positive eigenvalues and reports the others. Solvers that need a semidefinite matrix refuse
/// it.
class Sigmoid : public InnerProductKernel<Sigmoid> {
 public:
  struct Params {
    double gamma = 1;  ///< factor of x.y
    double coef0 = 0;  ///< added to it
  };

  Sigmoid() = default;

  /// Throws InvalidArgument unless both parameters are finite.
  explicit Sigmoid(Params params) : params_(params) {
    detail::require_finite("Sigmoid", "gamma", params.gamma);
    detail::require_finite("Sigmoid", "coef0", params.coef0);
  }

  [[nodiscard]] const Params& params() const { return params_; }

  template <Real S>
  void from_inner_products(detail::Values<S> t) const {
    t = (detail::parameter<S>(params_.gamma) * t + detail::parameter<S>(params_.coef0)).tanh();
  }

  /// See HasGrowth. Where x_i . x_j is small beside |x_i| |x_j|, its errors are not, and
  /// |f'| <= |gamma| for all of them. But of values that are far apart, few are not near 1 or -1:
  /// about one in |gamma x . x|. This is the root mean square.
  template <class X, Real S = typename X::Scalar>
  [[nodiscard]] double growth(const X& x) const {
    Vector<S> values(x.rows());
    diagonal(x, values);
    const auto largest = static_cast<double>(values.cwiseAbs().maxCoeff());
    const auto square = static_cast<double>(detail::squared_norms(x).maxCoeff());
    const double growth = largest > 0 ? std::sqrt(std::abs(params_.gamma) * square / largest) : 1;
    return std::isfinite(growth) ? (std::max)(1.0, growth) * detail::sum_of_products_ulps(x.cols())
                                 : 1;
  }

  [[nodiscard]] std::string describe() const {
    return "sigmoid(gamma=" + detail::to_text(params_.gamma) +
           ", coef0=" + detail::to_text(params_.coef0) + ")";
  }

 private:
  Params params_;
};

/// k(x, y) = exp(gamma x . y), the dot-product series with coefficients gamma^m / m!.
class ExponentialDot : public InnerProductKernel<ExponentialDot> {
 public:
  /// Throws InvalidArgument unless gamma is positive and finite.
  explicit ExponentialDot(double gamma)
      : gamma_(detail::require_positive("ExponentialDot", "gamma", gamma)) {}

  [[nodiscard]] double gamma() const { return gamma_; }

  template <Real S>
  void from_inner_products(detail::Values<S> t) const {
    detail::exponentials<S>(detail::parameter<S>(gamma_), t);
  }

  /// |t f'(t) / f(t)| where f(t) is \p value.
  [[nodiscard]] double growth_at(double value) const { return std::abs(std::log(value)); }

  [[nodiscard]] std::string describe() const {
    return "exponential-dot(gamma=" + detail::to_text(gamma_) + ")";
  }

 private:
  double gamma_;
};

/// k(x, y) = 1 / (1 - gamma x . y), the geometric dot-product series, for |x|^2 < 1 / gamma.
class InverseDot : public InnerProductKernel<InverseDot> {
 public:
  /// Throws InvalidArgument unless gamma is positive and finite.
  explicit InverseDot(double gamma)
      : gamma_(detail::require_positive("InverseDot", "gamma", gamma)) {}

  [[nodiscard]] double gamma() const { return gamma_; }

  template <Real S>
  void from_inner_products(detail::Values<S> t) const {
    t = (S(1) - detail::parameter<S>(gamma_) * t).inverse();
  }

  /// |t f'(t) / f(t)| where f(t) is \p value.
  [[nodiscard]] double growth_at(double value) const { return value - 1; }

  /// Throws InvalidArgument for the first row with gamma |x|^2 >= 1, with gamma in the scalar of
  ///   the samples, as in the values.
  template <class X, Real S = typename X::Scalar>
  void check_domain(const X& x) const {
    const S gamma = detail::parameter<S>(gamma_);
    const Vector<S> norms = detail::squared_norms(x);
    for (Index i = 0; i < norms.size(); ++i)
      if (!(gamma * norms(i) < S(1)))
        detail::fail("mercer::InverseDot: needs |x|^2 < 1 / gamma = ", S(1) / gamma,
                     ", got |x|^2 = ", norms(i), " at row ", i, " (counted from 0)");
  }

  [[nodiscard]] std::string describe() const {
    return "inverse-dot(gamma=" + detail::to_text(gamma_) + ")";
  }

 private:
  double gamma_;
};

}  // namespace mercer

#endif  // MERCER_KERNELS_INNER_PRODUCT_HPP
