// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Random features of the exponential chi-square kernel.

#ifndef MERCER_FEATURES_CHI_SQUARE_FEATURES_HPP
#define MERCER_FEATURES_CHI_SQUARE_FEATURES_HPP

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

#include <mercer/core/types.hpp>
#include <mercer/features/detail/fourier_pass.hpp>
#include <mercer/features/detail/projections.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/features/homogeneous_kernel_map.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/kernels/radial.hpp>

namespace mercer {

/// Fourier features of a homogeneous kernel map. The settings are explained at ChiSquareFeatures.
/// Models BoundFeatureMap.
template <Real S>
class BoundChiSquareFeatures {
 public:
  using Scalar = S;
  using Block = FourierBlock<S>;

  BoundChiSquareFeatures(BoundHomogeneousKernelMap<S> additive, BoundRandomFourier<S> fourier)
      : additive_(std::move(additive)), fourier_(std::move(fourier)) {}

  [[nodiscard]] Index columns() const { return fourier_.columns(); }
  [[nodiscard]] Index dimension() const { return additive_.dimension(); }

  void draw(std::uint64_t b, Block& block) const { fourier_.draw(b, block); }

  /// Cost: n d orders + n D sines and cosines, and n d (2 orders + 1) D operations in matrix
  ///   products.
  void evaluate(const Block& block, const Points<S>& x, GramOut<S> out) const {
    detail::for_tiles(x.rows(), [&](detail::Range rows) {
      Matrix<S> psi(rows.size, additive_.columns());
      additive_.evaluate({}, detail::rows_of(x, rows), psi);
      fourier_.evaluate(block, psi, out.middleRows(rows.begin, rows.size));
    });
  }

 private:
  BoundHomogeneousKernelMap<S> additive_;
  BoundRandomFourier<S> fourier_;
};

/// Random features of ChiSquare in two stages. First comes the homogeneous kernel map Psi of
/// AdditiveChiSquare, for which |Psi(x) - Psi(y)|^2 is the chi-square distance. Then come random
/// Fourier features of the Gaussian exp(-gamma |Psi(x) - Psi(y)|^2). Samples must be in the
/// kernel's domain, x >= 0.
///
/// Accuracy: the variance is that of RandomFourier for a Gaussian of the same value. Psi adds a
///   bias of at most gamma k(x, y) times about 4e-4 sum_j max(x_j, y_j) with the default settings
///   below; for other settings see HomogeneousKernelMap.
/// Random: as RandomFourier.
/// Source: Vedaldi, Zisserman, Efficient additive kernels via explicit feature maps, 2012.
struct ChiSquareFeatures {
  Index features = 100;                    ///< D, frequencies in a block, >= 1
  FourierForm form = FourierForm::Paired;  ///< more accurate for the same number of columns
  /// The map of the additive kernel, whose features the frequencies are taken of.
  HomogeneousKernelMap additive{.orders = 10, .step = 0.3};

  template <class K>
  static constexpr bool maps = std::same_as<K, ChiSquare>;
  /// False: the homogeneous kernel map is not exact.
  [[nodiscard]] static constexpr bool unbiased() { return false; }

  [[nodiscard]] std::string describe() const {
    return "chi-square-features(features=" + detail::to_text(features) + ", " +
           std::string(to_string(form)) + ", " + additive.describe() + ")";
  }

  /// Throws InvalidArgument if a setting is out of range.
  template <Real S, class K>
  [[nodiscard]] BoundChiSquareFeatures<S> bind(const K& kernel, const SampleBounds& bounds,
                                               std::uint64_t seed) const {
    static_assert(maps<K>, "mercer::ChiSquareFeatures: the kernel must be ChiSquare");
    detail::require_block_size("ChiSquareFeatures", features, bounds);
    BoundHomogeneousKernelMap<S> psi = additive.bind<S>(AdditiveChiSquare{}, bounds, seed);
    const SampleBounds of_psi{.dimension = psi.columns()};
    return {std::move(psi), RandomFourier{.features = features, .form = form}.bind<S>(
                                Gaussian::from_gamma(kernel.gamma()), of_psi, seed)};
  }
};

}  // namespace mercer

#endif  // MERCER_FEATURES_CHI_SQUARE_FEATURES_HPP
