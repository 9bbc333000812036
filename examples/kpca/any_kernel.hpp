// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A kernel that is chosen at run time: the kernels of mercer in a few types, so that what uses
/// them is compiled a few times and not once for each.

#ifndef MERCER_EXAMPLES_KPCA_ANY_KERNEL_HPP
#define MERCER_EXAMPLES_KPCA_ANY_KERNEL_HPP

#include <concepts>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/maclaurin_series.hpp>
#include <mercer/features/detail/spectral_density.hpp>
#include <mercer/io/archive_traits.hpp>
#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>

namespace kpca {

/// One of several kernels, and itself a kernel: whatever takes a kernel of one's own takes it.
/// The choice costs one jump for each tile of values.
template <mercer::Kernel... K>
class OneOf {
 public:
  static constexpr bool translation_invariant = (mercer::IsTranslationInvariant<K> && ...);

  template <class T>
    requires(std::same_as<T, K> || ...)
  OneOf(T kernel)  // NOLINT: implicit, as for std::variant
      : kernel_(std::move(kernel)) {}
  explicit OneOf(std::variant<K...> kernel) : kernel_(std::move(kernel)) {}

  template <class X, mercer::Real S = typename X::Scalar>
  void gram(const X& x, const X& y, mercer::GramOut<typename X::Scalar> out) const {
    visit<X>([&](const auto& kernel) { kernel.gram(x, y, out); });
  }

  template <class X, mercer::Real S = typename X::Scalar>
  void diagonal(const X& x, Eigen::Ref<mercer::Vector<typename X::Scalar>> out) const {
    visit<X>(
        [&](const auto& kernel) { out = mercer::diagonal(kernel, mercer::OwnedSamplesOf<X>(x)); });
  }

  template <class X>
  void check_domain(const X& x) const {
    visit<X>([&](const auto& kernel) {
      if constexpr (mercer::HasDomain<std::decay_t<decltype(kernel)>, X>) kernel.check_domain(x);
    });
  }

  [[nodiscard]] std::string describe() const {
    return with_kernel([](const auto& kernel) { return kernel.describe(); });
  }

  [[nodiscard]] const std::variant<K...>& kernel() const { return kernel_; }

  /// Calls \p use with the kernel.
  template <class Use>
  auto with_kernel(const Use& use) const {
    return std::visit(use, kernel_);
  }

 private:
  /// Calls \p use with the kernel; throws mercer::InvalidArgument if it takes no samples like X.
  template <class X, class Use>
  void visit(const Use& use) const {
    std::visit(
        [&](const auto& kernel) {
          if constexpr (mercer::evaluates<std::decay_t<decltype(kernel)>,
                                          mercer::OwnedSamplesOf<X>>)
            use(kernel);
          else
            throw mercer::InvalidArgument("the samples are sparse (LIBSVM), and the kernel " +
                                          kernel.describe() +
                                          " takes dense ones only; give them as .npy or .csv");
        },
        kernel_);
  }

  std::variant<K...> kernel_;
};

/// What random Fourier features draw their frequencies from.
template <class... K>
  requires(mercer::HasSpectralDensity<K>&&...)
[[nodiscard]] mercer::SpectralDensity spectral_density(const OneOf<K...>& kernel) {
  return kernel.with_kernel([](const auto& one) { return spectral_density(one); });
}

/// What random Maclaurin features are made of. Throws mercer::InvalidArgument for a kernel without.
template <class... K>
  requires(mercer::HasMaclaurinSeries<K> || ...)
[[nodiscard]] mercer::MaclaurinSeries maclaurin_series(const OneOf<K...>& kernel) {
  return kernel.with_kernel([](const auto& one) -> mercer::MaclaurinSeries {
    if constexpr (mercer::HasMaclaurinSeries<std::decay_t<decltype(one)>>)
      return maclaurin_series(one);
    else
      throw mercer::InvalidArgument("the kernel " + one.describe() + " has no Maclaurin series");
  });
}

/// Those of x - y alone.
using DifferenceKernel = OneOf<mercer::Gaussian, mercer::RationalQuadratic, mercer::Matern,
                               mercer::Laplacian, mercer::Cauchy>;
using OtherKernel =
    OneOf<mercer::Linear, mercer::Polynomial, mercer::Sigmoid, mercer::ExponentialDot,
          mercer::InverseDot, mercer::Cosine, mercer::ArcCosine, mercer::ExponentialSemigroup,
          mercer::ReciprocalSemigroup, mercer::AdditiveChiSquare, mercer::ChiSquare,
          mercer::Intersection>;

static_assert(DifferenceKernel::translation_invariant && !OtherKernel::translation_invariant);

template <class... K, class... L>
[[nodiscard]] OneOf<K..., L...> joined(const OneOf<K...>&, const OneOf<L...>&);

/// All kernels with features in one type, for what only draws these.
using FeatureKernel =
    decltype(joined(std::declval<DifferenceKernel>(), std::declval<OtherKernel>()));

template <mercer::Kernel... K>
[[nodiscard]] FeatureKernel any_of_them(const OneOf<K...>& kernel) {
  return kernel.with_kernel([](const auto& one) { return FeatureKernel(one); });
}
[[nodiscard]] inline FeatureKernel any_of_them(const mercer::Precomputed&) {
  throw mercer::InvalidArgument("a precomputed kernel has no features");
}

using AnyKernel = std::variant<DifferenceKernel, OtherKernel, mercer::Precomputed>;

/// Calls \p use with the kernel that it is.
template <class Use>
auto with_kernel(const AnyKernel& kernel, const Use& use) {
  return std::visit(
      [&](const auto& any) {
        if constexpr (requires { any.with_kernel(use); })
          return any.with_kernel(use);
        else
          return use(any);
      },
      kernel);
}

}  // namespace kpca

/// In a file, the kernel is what it is; that it was one of several is not written down.
template <mercer::Kernel... K>
struct mercer::io::ArchiveTraits<kpca::OneOf<K...>> {
  static auto parts(const kpca::OneOf<K...>& one) { return std::tie(one.kernel()); }
};

#endif  // MERCER_EXAMPLES_KPCA_ANY_KERNEL_HPP
