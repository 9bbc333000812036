// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A kernel that is chosen at run time.

#ifndef MERCER_RUNTIME_ANY_KERNEL_HPP
#define MERCER_RUNTIME_ANY_KERNEL_HPP

#include <concepts>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/maclaurin_series.hpp>
#include <mercer/features/detail/spectral_density.hpp>
#include <mercer/io/archive/archive_traits.hpp>
#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/runtime/detail/alternative.hpp>

namespace mercer {

/// One of the kernels of mercer, chosen at run time. It is a kernel itself, so solvers and models
/// that use it are compiled once, and not for each kernel. Tiles are filled by the kernel that it
/// holds, with the same bits and no further cost. The file of a saved model does not depend on this
/// wrapper: a model saved with any kernel can be read with that kernel or with AnyKernel.
/// \code
///   AnyKernel kernel = Gaussian{1.5};
///   if (name == "laplacian") kernel = Laplacian{0.3};
///   const auto model = KernelPca{kernel, Auto{}, {.components = 10}}.fit(X);
/// \endcode
/// Some kernels take dense samples only, and Precomputed takes kernel values in place of samples.
/// What a kernel does not take is an InvalidArgument when it is used; takes() tells it before.
/// Pre-images with FixedPoint need the type of the kernel; KernelRidge and KwokTsang do not.
class AnyKernel {
 public:
  using Choice =
      std::variant<Linear, Polynomial, Gaussian, Laplacian, Cauchy, RationalQuadratic, Matern,
                   Sigmoid, ExponentialDot, InverseDot, ExponentialSemigroup, ReciprocalSemigroup,
                   ArcCosine, Cosine, AdditiveChiSquare, ChiSquare, Intersection, Precomputed>;

  template <detail::AlternativeOf<Choice> K>
  AnyKernel(K kernel)  // NOLINT: implicit, as for std::variant
      : choice_(std::move(kernel)) {}
  explicit AnyKernel(Choice kernel) : choice_(std::move(kernel)) {}

  [[nodiscard]] const Choice& choice() const { return choice_; }

  /// Calls \p use with the kernel.
  template <class Use>
  decltype(auto) with_kernel(const Use& use) const {
    return std::visit(use, choice_);
  }

  /// Whether the kernel has values for samples of this form.
  template <OwnedSamples X>
  [[nodiscard]] bool takes() const {
    return with_kernel([]<class K>(const K&) { return evaluates_on<K, X>; });
  }
  /// Whether it holds Precomputed.
  [[nodiscard]] bool is_precomputed() const { return std::holds_alternative<Precomputed>(choice_); }

  [[nodiscard]] std::string describe() const {
    return with_kernel([](const auto& held) { return held.describe(); });
  }
  /// The name without parameters: "gaussian".
  [[nodiscard]] std::string name() const {
    const std::string text = describe();
    return text.substr(0, text.find('('));
  }

  /// Throws InvalidArgument for a kernel that takes no samples like X.
  template <class X, Real S = typename X::Scalar>
  void gram(const X& x, const X& y, GramOut<typename X::Scalar> out) const {
    visit<X>([&](const auto& held) { held.gram(x, y, out); });
  }

  /// Throws as gram().
  template <class X, Real S = typename X::Scalar>
  void diagonal(const X& x, Eigen::Ref<Vector<typename X::Scalar>> out) const {
    visit<X>([&](const auto& held) { out = mercer::diagonal(held, x); });
  }

  /// See HasGrowth.
  template <class X>
  [[nodiscard]] double growth(const X& x) const {
    return with_kernel([&](const auto& held) { return mercer::growth(held, x); });
  }

  template <class X>
  void check_domain(const X& x) const {
    with_kernel([&](const auto& held) { detail::check_domain(held, x); });
  }

 private:
  template <class X, class Use>
  void visit(const Use& use) const {
    with_kernel([&]<class K>(const K& held) {
      if constexpr (evaluates<K, OwnedSamplesOf<X>>)
        use(held);
      else
        detail::fail("mercer::AnyKernel: the kernel ", held.describe(),
                     " cannot be evaluated on samples of this form");
    });
  }

  Choice choice_;
};

/// For random Fourier features. A template, so that no kernel gets a density by conversion.
/// Throws InvalidArgument for a kernel without a spectral density.
template <std::same_as<AnyKernel> K>
[[nodiscard]] SpectralDensity spectral_density(const K& kernel) {
  return kernel.with_kernel([]<class Held>(const Held& held) -> SpectralDensity {
    if constexpr (HasSpectralDensity<Held>)
      return spectral_density(held);
    else
      detail::fail("mercer: the kernel ", held.describe(), " has no spectral density");
  });
}

/// For random Maclaurin features; a template, as above.
/// Throws InvalidArgument for a kernel without a power series.
template <std::same_as<AnyKernel> K>
[[nodiscard]] MaclaurinSeries maclaurin_series(const K& kernel) {
  return kernel.with_kernel([]<class Held>(const Held& held) -> MaclaurinSeries {
    if constexpr (HasMaclaurinSeries<Held>)
      return maclaurin_series(held);
    else
      detail::fail("mercer: the kernel ", held.describe(), " has no Maclaurin series");
  });
}

/// The file holds the kernel itself. It does not record that the kernel was chosen at run time.
template <>
struct io::ArchiveTraits<AnyKernel> {
  static auto parts(const AnyKernel& kernel) { return std::tie(kernel.choice()); }
};

}  // namespace mercer

#endif  // MERCER_RUNTIME_ANY_KERNEL_HPP
