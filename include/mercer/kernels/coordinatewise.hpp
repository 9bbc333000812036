// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernels that are built coordinate by coordinate and defined on all of R^d (Laplacian and
/// Cauchy), and their base class.

#ifndef MERCER_KERNELS_COORDINATEWISE_HPP
#define MERCER_KERNELS_COORDINATEWISE_HPP

#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/blocks.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

/// Base of the kernels k(x, y) = f(sum or product over j of h(x_j, y_j)), dense only. The derived
/// class provides
/// - `start()`, the empty sum or product;
/// - `step(accumulator, x, y)`, which accumulates one coordinate of a chunk of samples;
/// - `finish(values)`, which applies f in place.
template <class Derived>
class CoordinatewiseKernel {
 public:
  template <DenseSamples X, Real S = typename X::Scalar>
  void gram(const X& x, const X& y, GramOut<typename X::Scalar> out) const {
    const auto step = [this](auto& a, const auto& u, S v) { self().step(a, u, v); };
    detail::reduce_coordinates<S>(x, y, static_cast<S>(self().start()), step, out);
    for (Index j = 0; j < out.cols(); ++j) self().finish(detail::column_values<S>(out, j));
  }

  template <DenseSamples X, Real S = typename X::Scalar>
  void diagonal(const X& x, Eigen::Ref<Vector<typename X::Scalar>> out) const {
    detail::Values<S> values(out.data(), out.size());
    values.setConstant(static_cast<S>(self().start()));
    for (Index c = 0; c < x.cols(); ++c) {
      const Eigen::Array<S, Eigen::Dynamic, 1> column = x.col(c);
      self().step(values, column, column);
    }
    self().finish(values);
  }

 private:
  [[nodiscard]] const Derived& self() const { return static_cast<const Derived&>(*this); }
};

/// k(x, y) = exp(-gamma |x - y|_1).
class Laplacian : public CoordinatewiseKernel<Laplacian> {
 public:
  static constexpr bool translation_invariant = true;
  static constexpr bool skips_equal_columns = true;

  /// \param gamma  in 1 / units of x
  /// Throws InvalidArgument unless gamma is positive and finite.
  explicit Laplacian(double gamma)
      : gamma_(detail::require_positive("Laplacian", "gamma", gamma)) {}

  [[nodiscard]] double gamma() const { return gamma_; }

  [[nodiscard]] double start() const { return 0; }
  template <class Accumulator, class U, class V>
  void step(Accumulator& a, const U& x, const V& y) const {
    a += (x - y).abs();
  }
  template <Real S>
  void finish(detail::Values<S> a) const {
    detail::exponentials<S>(detail::parameter<S>(-gamma_), a);
  }

  [[nodiscard]] std::string describe() const {
    return "laplacian(gamma=" + detail::to_text(gamma_) + ")";
  }

 private:
  double gamma_;
};

/// k(x, y) = prod_j 1 / (1 + gamma^2 (x_j - y_j)^2).
class Cauchy : public CoordinatewiseKernel<Cauchy> {
 public:
  static constexpr bool translation_invariant = true;
  static constexpr bool skips_equal_columns = true;

  /// \param gamma  in 1 / units of x
  /// Throws InvalidArgument unless gamma is positive and finite.
  explicit Cauchy(double gamma) : gamma_(detail::require_positive("Cauchy", "gamma", gamma)) {}

  [[nodiscard]] double gamma() const { return gamma_; }

  [[nodiscard]] double start() const { return 1; }
  template <class Accumulator, class U, class V>
  void step(Accumulator& a, const U& x, const V& y) const {
    using S = typename Accumulator::Scalar;
    a *= S(1) + (detail::parameter<S>(gamma_) * (x - y)).square();
  }
  template <Real S>
  void finish(detail::Values<S> a) const {
    a = a.inverse();
  }

  [[nodiscard]] std::string describe() const {
    return "cauchy(gamma=" + detail::to_text(gamma_) + ")";
  }

 private:
  double gamma_;
};

}  // namespace mercer

#endif  // MERCER_KERNELS_COORDINATEWISE_HPP
