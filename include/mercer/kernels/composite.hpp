// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernels made of kernels: sums, products and positive multiples.

#ifndef MERCER_KERNELS_COMPOSITE_HPP
#define MERCER_KERNELS_COMPOSITE_HPP

#include <algorithm>
#include <string>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

namespace detail {

/// Base of Sum and Product: evaluates both parts on a block and lets the derived class combine
/// them.
template <class Derived, Kernel A, Kernel B>
class KernelPair {
 public:
  static constexpr bool translation_invariant =
      IsTranslationInvariant<A> && IsTranslationInvariant<B>;
  static constexpr bool skips_equal_columns = SkipsEqualColumns<A> && SkipsEqualColumns<B>;

  KernelPair(A first, B second) : first_(std::move(first)), second_(std::move(second)) {}

  [[nodiscard]] const A& first() const { return first_; }
  [[nodiscard]] const B& second() const { return second_; }

  template <class X, Real S = typename X::Scalar>
    requires(evaluates<A, OwnedSamplesOf<X>>&& evaluates<B, OwnedSamplesOf<X>>)
  void gram(const X& x, const X& y, GramOut<typename X::Scalar> out) const {
    Matrix<S> second(out.rows(), out.cols());
    first_.gram(x, y, out);
    second_.gram(x, y, second);
    Derived::combine(out, second);
  }

  template <class X, Real S = typename X::Scalar>
  void diagonal(const X& x, Eigen::Ref<Vector<typename X::Scalar>> out) const {
    out = mercer::diagonal(first_, x);
    Derived::combine(out, mercer::diagonal(second_, x));
  }

  /// See HasGrowth.
  template <class X>
  [[nodiscard]] double growth(const X& x) const {
    return Derived::combine_growth(mercer::growth(first_, x), mercer::growth(second_, x));
  }

  template <class X>
  void check_domain(const X& x) const {
    detail::check_domain(first_, x);
    detail::check_domain(second_, x);
  }

  [[nodiscard]] std::string describe() const {
    return "(" + detail::describe(first_) + Derived::sign + detail::describe(second_) + ")";
  }

 private:
  A first_;
  B second_;
};

}  // namespace detail

/// k(x, y) = a(x, y) + b(x, y), written `a + b`. Accepts the samples that both parts accept.
template <Kernel A, Kernel B>
class Sum : public detail::KernelPair<Sum<A, B>, A, B> {
 public:
  using detail::KernelPair<Sum, A, B>::KernelPair;
  /// Between the descriptions of the parts.
  static constexpr const char* sign = " + ";
  /// Adds the values of the second part to those of the first.
  template <class Block, class Other>
  static void combine(Block& block, const Other& other) {
    block += other;
  }
  /// The relative error of a sum of positive numbers is at most the larger one of its terms.
  static double combine_growth(double first, double second) { return (std::max)(first, second); }
};

/// k(x, y) = a(x, y) b(x, y), written `a * b`. Positive semidefinite if both parts are (Schur).
template <Kernel A, Kernel B>
class Product : public detail::KernelPair<Product<A, B>, A, B> {
 public:
  using detail::KernelPair<Product, A, B>::KernelPair;
  /// Between the descriptions of the parts.
  static constexpr const char* sign = " * ";
  /// Multiplies the values of the first part by those of the second.
  template <class Block, class Other>
  static void combine(Block& block, const Other& other) {
    block.array() *= other.array();
  }
  /// Relative errors of factors add up.
  static double combine_growth(double first, double second) { return first + second; }
};

/// k(x, y) = scale a(x, y) for scale > 0, written `scale * a`.
template <Kernel A>
class Scaled {
 public:
  static constexpr bool translation_invariant = IsTranslationInvariant<A>;
  static constexpr bool skips_equal_columns = SkipsEqualColumns<A>;

  /// Throws InvalidArgument unless scale is positive and finite.
  Scaled(double scale, A kernel)
      : scale_(detail::require_positive("Scaled", "scale", scale)), kernel_(std::move(kernel)) {}

  /// The factor.
  [[nodiscard]] double scale() const { return scale_; }
  [[nodiscard]] const A& kernel() const { return kernel_; }

  template <class X, Real S = typename X::Scalar>
    requires evaluates<A, OwnedSamplesOf<X>>
  void gram(const X& x, const X& y, GramOut<typename X::Scalar> out) const {
    kernel_.gram(x, y, out);
    out *= detail::parameter<S>(scale_);
  }

  template <class X, Real S = typename X::Scalar>
  void diagonal(const X& x, Eigen::Ref<Vector<typename X::Scalar>> out) const {
    out = detail::parameter<S>(scale_) * mercer::diagonal(kernel_, x);
  }

  /// See HasGrowth.
  template <class X>
  [[nodiscard]] double growth(const X& x) const {
    return mercer::growth(kernel_, x);
  }

  template <class X>
  void check_domain(const X& x) const {
    detail::check_domain(kernel_, x);
  }

  [[nodiscard]] std::string describe() const {
    return detail::to_text(scale_) + " * " + detail::describe(kernel_);
  }

 private:
  double scale_;
  A kernel_;
};

/// The sum of two kernels.
template <Kernel A, Kernel B>
[[nodiscard]] Sum<A, B> operator+(A a, B b) {
  return {std::move(a), std::move(b)};
}

/// The product of two kernels.
template <Kernel A, Kernel B>
[[nodiscard]] Product<A, B> operator*(A a, B b) {
  return {std::move(a), std::move(b)};
}

/// A multiple of a kernel. Throws InvalidArgument unless \p scale is positive and finite.
template <Kernel A>
[[nodiscard]] Scaled<A> operator*(double scale, A kernel) {
  return {scale, std::move(kernel)};
}

}  // namespace mercer

#endif  // MERCER_KERNELS_COMPOSITE_HPP
