// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A feature map that is chosen at run time.

#ifndef MERCER_RUNTIME_ANY_FEATURES_HPP
#define MERCER_RUNTIME_ANY_FEATURES_HPP

#include <any>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/additive_features.hpp>
#include <mercer/features/arc_cosine_features.hpp>
#include <mercer/features/chi_square_features.hpp>
#include <mercer/features/exact_features.hpp>
#include <mercer/features/fastfood.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/features/homogeneous_kernel_map.hpp>
#include <mercer/features/nystrom_features.hpp>
#include <mercer/features/orthogonal_fourier.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_laplace.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/features/tensor_sketch.hpp>
#include <mercer/features/zonal_features.hpp>
#include <mercer/io/archive/archive_traits.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

/// A bound feature map of any type behind one type, so that the code that uses features is compiled
/// only once. The features are the same to the last bit, at the cost of one virtual call per block.
/// Models BoundFeatureMap, for dense samples. Copies share the map.
template <Real S>
class BoundAnyFeatures {
 public:
  using Scalar = S;

  /// The parameters of one block, as the wrapped map drew them.
  class Block {
   public:
    /// A block without a size of its own reports the largest number, so that no budget can hold it.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

   private:
    friend BoundAnyFeatures;
    std::any parameters_;
    std::size_t bytes_ = 0;
  };

  template <BoundFeatureMap B>
    requires(std::same_as<typename B::Scalar, S> && !std::same_as<B, BoundAnyFeatures>)
  explicit BoundAnyFeatures(B map) : map_(std::make_shared<const MapOf<B>>(std::move(map))) {}

  [[nodiscard]] Index columns() const { return map_->columns(); }
  [[nodiscard]] Index dimension() const { return map_->dimension(); }
  /// Whether all blocks are the same, as IsDeterministic says of the wrapped map.
  [[nodiscard]] bool is_deterministic() const { return map_->is_deterministic(); }

  void draw(std::uint64_t b, Block& block) const { map_->draw(b, block); }
  void evaluate(const Block& block, const Points<S>& x, GramOut<S> out) const {
    map_->evaluate(block, x, out);
  }

 private:
  struct AnyMap {
    AnyMap() = default;
    AnyMap(const AnyMap&) = delete;
    AnyMap& operator=(const AnyMap&) = delete;
    virtual ~AnyMap() = default;

    [[nodiscard]] virtual Index columns() const = 0;
    [[nodiscard]] virtual Index dimension() const = 0;
    [[nodiscard]] virtual bool is_deterministic() const = 0;
    virtual void draw(std::uint64_t b, Block& block) const = 0;
    virtual void evaluate(const Block& block, const Points<S>& x, GramOut<S>& out) const = 0;
  };

  template <class B>
  struct MapOf final : AnyMap {
    using Parameters = typename B::Block;

    explicit MapOf(B bound) : map(std::move(bound)) {}

    [[nodiscard]] Index columns() const override { return map.columns(); }
    [[nodiscard]] Index dimension() const override { return map.dimension(); }
    [[nodiscard]] bool is_deterministic() const override { return IsDeterministic<B>; }

    void draw(std::uint64_t b, Block& block) const override {
      auto* parameters = std::any_cast<Parameters>(&block.parameters_);
      if (!parameters) parameters = &block.parameters_.template emplace<Parameters>();
      map.draw(b, *parameters);
      if constexpr (detail::HasBytes<Parameters>)
        block.bytes_ = parameters->bytes();
      else
        block.bytes_ = (std::numeric_limits<std::size_t>::max)();
    }

    void evaluate(const Block& block, const Points<S>& x, GramOut<S>& out) const override {
      const auto* parameters = std::any_cast<Parameters>(&block.parameters_);
      MERCER_ASSERT(parameters);
      map.evaluate(*parameters, x, out);
    }

    B map;
  };

  std::shared_ptr<const AnyMap> map_;
};

/// One of the feature maps of mercer, chosen at run time. It is a feature map itself, so solvers
/// and models that use it are compiled only once. The file of a saved model does not depend on this
/// wrapper: a model saved with any map can be read with that map or with AnyFeatures.
/// \code
///   AnyFeatures map = RandomFourier{.features = 250};
///   if (name == "nystrom") map = NystromFeatures{X.topRows(200)};
///   const auto model = KernelPca{Gaussian{1.5}, FeaturePca{map}, {.components = 10}}.fit(X);
/// \endcode
/// Whether the map fits the kernel is checked when it is bound. Landmarks of NystromFeatures are
/// dense and in double precision; the samples may be in single or double precision.
class AnyFeatures {
 public:
  using Choice = std::variant<RandomFourier, OrthogonalFourier, Fastfood, RandomMaclaurin,
                              TensorSketch, RandomLaplace, ArcCosineFeatures, AdditiveFeatures,
                              HomogeneousKernelMap, ChiSquareFeatures, ZonalFeatures, ExactFeatures,
                              NystromFeatures<Matrix<double>>>;

  template <class K>
  static constexpr bool maps = Kernel<K>;  // NystromFeatures accept every kernel

  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, AnyFeatures> &&
             std::constructible_from<Choice, F>)
  AnyFeatures(F&& map)  // NOLINT: implicit, as for std::variant
      : choice_(std::forward<F>(map)) {}

  [[nodiscard]] const Choice& choice() const { return choice_; }
  /// Whether the chosen map is unbiased.
  [[nodiscard]] bool unbiased() const {
    return std::visit([](const auto& map) { return map.unbiased(); }, choice_);
  }
  [[nodiscard]] std::string describe() const {
    return std::visit([](const auto& map) { return map.describe(); }, choice_);
  }

  /// Whether the map has features for kernels of type K.
  template <class K>
  [[nodiscard]] bool fits() const {
    return std::visit([]<class F>(const F&) -> bool { return FeatureMapFor<F, K>; }, choice_);
  }
  /// The same for the type of the kernel, or of the kernel that it holds.
  template <KernelOrPrecomputed K>
  [[nodiscard]] bool fits(const K& kernel) const {
    if constexpr (HoldsKernel<K>)
      return kernel.with_kernel([this](const auto& held) { return this->fits(held); });
    else
      return fits<K>();
  }

  /// Throws InvalidArgument if the map does not fit the kernel, and whatever bind() of the chosen
  ///   map throws.
  template <Real S, KernelOrPrecomputed K>
  [[nodiscard]] BoundAnyFeatures<S> bind(const K& kernel, const SampleBounds& bounds,
                                         std::uint64_t seed) const;

 private:
  // A map that takes K itself, as those by the spectral density or from landmarks take AnyKernel,
  // is compiled once for it, and not once for each kernel that K may hold.
  template <Real S, class F, class K>
  [[nodiscard]] static BoundAnyFeatures<S> bind_map(const F& map, const K& kernel,
                                                    const SampleBounds& bounds,
                                                    std::uint64_t seed) {
    if constexpr (FeatureMapFor<F, K>)
      return BoundAnyFeatures<S>(map.template bind<S>(kernel, bounds, seed));
    else if constexpr (HoldsKernel<K>)
      return kernel.with_kernel(
          [&](const auto& held) { return bind_map<S>(map, held, bounds, seed); });
    else
      detail::fail("mercer::AnyFeatures: the map does not fit the kernel");  // never: it fits
  }

  Choice choice_;
};

template <Real S, KernelOrPrecomputed K>
BoundAnyFeatures<S> AnyFeatures::bind(const K& kernel, const SampleBounds& bounds,
                                      std::uint64_t seed) const {
  if (!fits(kernel))
    detail::fail("mercer::AnyFeatures: ", describe(), " are no features of the kernel ",
                 detail::describe(kernel));
  return std::visit([&](const auto& map) { return bind_map<S>(map, kernel, bounds, seed); },
                    choice_);
}

/// The file holds the chosen map itself. It does not record that the map was chosen at run time.
template <>
struct io::ArchiveTraits<AnyFeatures> {
  static auto parts(const AnyFeatures& map) { return std::tie(map.choice()); }
};

}  // namespace mercer

#endif  // MERCER_RUNTIME_ANY_FEATURES_HPP
