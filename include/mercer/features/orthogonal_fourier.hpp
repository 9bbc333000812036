// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Fourier features with frequencies that are orthogonal to each other.

#ifndef MERCER_FEATURES_ORTHOGONAL_FOURIER_HPP
#define MERCER_FEATURES_ORTHOGONAL_FOURIER_HPP

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>

#include <Eigen/QR>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/fourier_pass.hpp>
#include <mercer/features/detail/frequency_lengths.hpp>
#include <mercer/features/detail/random_directions.hpp>
#include <mercer/features/detail/spectral_density.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/features/random_fourier.hpp>

namespace mercer {

namespace detail {

/// \p count orthonormal vectors of R^d, one per column, uniformly distributed (Haar measure). They
/// are the Q of the QR factorisation of a normal matrix, with signs such that the diagonal of R is
/// positive.
/// Source: Mezzadri, How to generate random matrices from the classical compact groups, 2007.
template <Real S>
[[nodiscard]] Matrix<S> random_orthonormal(Index d, Index count, RandomStream& stream) {
  Matrix<S> a(d, count);
  for (S& value : a.reshaped()) value = static_cast<S>(stream.normal());
  const Eigen::HouseholderQR<Matrix<S>> qr(a);
  a.setIdentity();
  a.applyOnTheLeft(qr.householderQ());
  for (Index j = 0; j < count; ++j)
    if (qr.matrixQR()(j, j) < 0) a.col(j) *= -1;
  return a;
}

/// Draws frequencies in groups of d, which are orthogonal within a group.
template <Real S>
class OrthogonalFrequencies {
 public:
  OrthogonalFrequencies(const SpectralDensity& density, Index features, FourierForm form,
                        Index dimension, std::uint64_t seed)
      : lengths_(density, dimension, seed, "orthogonal lengths"),
        features_(features),
        form_(form),
        dimension_(dimension),
        limit_(largest_frequency<S>(density.scale)),
        seed_(seed) {}

  void operator()(std::uint64_t b, FourierBlock<S>& block) const {
    block.frequencies.resize(features_, dimension_);
    const Vector<double> lengths = lengths_.draw(b, features_);
    const Index groups = dimension_ == 0 ? 0 : (features_ + dimension_ - 1) / dimension_;
    parallel_for(groups, [&](Index group) {
      const Index first = group * dimension_;
      const Index count = (std::min)(dimension_, features_ - first);
      RandomStream stream = feature_stream(seed_, "orthogonal directions", b, group);
      const auto directions = random_orthonormal<double>(dimension_, count, stream);
      for (Index j = 0; j < count; ++j)
        block.frequencies.row(first + j) = (lengths(first + j) * directions.col(j).transpose())
                                               .cwiseMax(-limit_)
                                               .cwiseMin(limit_)
                                               .template cast<S>();
    });
    lengths_.draw_phases(b, form_ == FourierForm::Phase ? features_ : 0, block.phases);
  }

 private:
  FrequencyLengths lengths_;
  Index features_;
  FourierForm form_;
  Index dimension_;
  double limit_;
  std::uint64_t seed_;
};

}  // namespace detail

/// Orthogonal random features: random Fourier features whose frequencies are orthogonal in groups
/// of d. Each frequency has the distribution of the spectral density. For kernels of |x - y|:
/// Gaussian, RationalQuadratic and Matern.
///
/// Accuracy: unbiased. For the Gaussian, large d and D <= d, the variance is that of independent
///   frequencies times about 1 - (D - 1) exp(-t) t^2 / (d (1 - exp(-t))^2), where t = |x - y|^2 /
///   sigma^2. That is a few hundredths for near samples, and no gain for distant ones.
/// Cost: O(D d min(D, d)) operations for a draw, d times that of RandomFourier. The features
///   themselves cost the same as those of RandomFourier. For large d see Fastfood.
/// Random: streams "orthogonal directions" and "orthogonal lengths" of the seed.
/// Source: Yu et al., Orthogonal random features, 2016.
struct OrthogonalFourier {
  Index features = 100;                    ///< D, frequencies in a block, >= 1
  FourierForm form = FourierForm::Paired;  ///< more accurate for the same number of columns

  template <class K>
  static constexpr bool maps = MayBeIsotropic<K>;
  [[nodiscard]] static constexpr bool unbiased() { return true; }

  [[nodiscard]] std::string describe() const {
    return "orthogonal-fourier(features=" + detail::to_text(features) + ", " +
           std::string(to_string(form)) + ")";
  }

  /// Throws InvalidArgument unless features is at least 1 and fits an int, and if the spectral
  ///   density of the kernel does not depend on |w| alone.
  template <Real S, class K>
  [[nodiscard]] BoundRandomFourier<S> bind(const K& kernel, const SampleBounds& bounds,
                                           std::uint64_t seed) const {
    static_assert(maps<K>,
                  "mercer::OrthogonalFourier: this kernel is not a function of |x - y| with a "
                  "spectral density; use Gaussian, Matern or RationalQuadratic, or RandomFourier");
    detail::require_block_size("OrthogonalFourier", features, bounds);
    const SpectralDensity density =
        detail::require_isotropic("OrthogonalFourier", spectral_density(kernel));
    return {detail::OrthogonalFrequencies<S>(density, features, form, bounds.dimension, seed),
            features, form, bounds.dimension, density.scale};
  }
};

}  // namespace mercer

#endif  // MERCER_FEATURES_ORTHOGONAL_FOURIER_HPP
