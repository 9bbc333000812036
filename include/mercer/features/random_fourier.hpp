// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Random Fourier features of translation-invariant kernels.

#ifndef MERCER_FEATURES_RANDOM_FOURIER_HPP
#define MERCER_FEATURES_RANDOM_FOURIER_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/sine_cosine.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/features/projections.hpp>
#include <mercer/features/spectral_density.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

enum class FourierForm {
  Paired,  ///< cos(w . x) and sin(w . x), two columns for each frequency; k(x, x) is exact
  Phase,   ///< 2^(1/2) cos(w . x + b), one column for each frequency
};

/// The random parameters of a block of Fourier features.
template <Real S>
struct FourierBlock {
  Matrix<S> frequencies;  ///< one w per row, D x d
  Vector<S> phases;       ///< b in [0, 2 pi), D; empty in the paired form
};

/// Fourier features for one kernel; see RandomFourier. Models BoundFeatureMap.
template <Real S>
class BoundRandomFourier {
 public:
  using Scalar = S;
  using Block = FourierBlock<S>;

  BoundRandomFourier(SpectralDensity density, Index features, FourierForm form,
                     const SampleBounds& bounds, std::uint64_t seed)
      : density_(std::move(density)),
        features_(features),
        form_(form),
        bounds_(bounds),
        seed_(seed) {}

  [[nodiscard]] Index columns() const {
    return form_ == FourierForm::Paired ? 2 * features_ : features_;
  }
  [[nodiscard]] Index dimension() const { return bounds_.dimension; }

  /// Cost: D d draws. Random: streams "Fourier frequencies" and "Fourier phases" of the seed.
  void draw(std::uint64_t b, Block& block) const {
    // Heavy tails are cut where w . x would overflow; its sine is as good as random long before.
    const double limit = std::sqrt(static_cast<double>((std::numeric_limits<S>::max)())) /
                         (std::max)(bounds_.radius, 1.0);
    block.frequencies.resize(features_, bounds_.dimension);
    // A matrix without columns has no rows to point to.
    const Index tasks = bounds_.dimension == 0 ? 0 : (features_ + group - 1) / group;
    parallel_for(tasks, [&](Index task) {
      Vector<double> w(bounds_.dimension);
      for (Index j = task * group; j < (std::min)(features_, (task + 1) * group); ++j) {
        RandomStream stream = detail::feature_stream(seed_, "Fourier frequencies", b, j);
        density_(stream, w);
        block.frequencies.row(j) =
            w.cwiseMax(-limit).cwiseMin(limit).transpose().template cast<S>();
      }
    });
    block.phases.resize(form_ == FourierForm::Paired ? 0 : features_);
    RandomStream stream(seed_, "Fourier phases", b);
    for (S& phase : block.phases) phase = static_cast<S>(2 * std::numbers::pi * stream.uniform());
  }

  /// Paired: D^(-1/2) [cos(w_1 . x) ... cos(w_D . x), sin(w_1 . x) ... sin(w_D . x)]; phase:
  /// (2/D)^(1/2) [cos(w_1 . x + b_1) ... cos(w_D . x + b_D)]. D is that of the block.
  /// Cost: n d D operations and n D sines and cosines; memory: that of a tile of samples.
  void evaluate(const Block& block, const Points<S>& x, GramOut<S> out) const {
    evaluate_tiles(block, x, out);
  }
  void evaluate(const Block& block, const SparsePoints<S>& x, GramOut<S> out) const {
    evaluate_tiles(block, x, out);
  }

 private:
  static constexpr Index group = 8;  // frequencies that one thread draws at a time

  template <class Samples>
  void evaluate_tiles(const Block& block, const Samples& x, GramOut<S>& out) const {
    const bool paired = form_ == FourierForm::Paired;
    const Index d = block.frequencies.rows();
    MERCER_ASSERT(out.rows() == x.rows() && out.cols() == (paired ? 2 * d : d));
    MERCER_ASSERT(x.cols() == block.frequencies.cols() && (paired || block.phases.size() == d));
    const S scale = std::sqrt((paired ? S(1) : S(2)) / static_cast<S>(d));
    detail::for_tiles(x.rows(), [&](detail::Range rows) {
      GramOut<S> tile = out.middleRows(rows.begin, rows.size);
      detail::project_tile<S>(x, rows, block.frequencies, tile.leftCols(d));
      Vector<S> sines(rows.size);
      for (Index j = 0; j < d; ++j) {
        if (!paired) tile.col(j).array() += block.phases(j);
        detail::sine_cosine<S>(tile.col(j), sines, tile.col(j));
        tile.col(j) *= scale;
        if (paired) tile.col(d + j) = scale * sines;
      }
    });
  }

  SpectralDensity density_;
  Index features_;
  FourierForm form_;
  SampleBounds bounds_;
  std::uint64_t seed_;
};

/// Random Fourier features: k(x, y) = E cos(w . (x - y)) over frequencies w from the kernel's
/// spectral density. For Gaussian, RationalQuadratic, Matern, Laplacian and Cauchy, and kernels
/// with a spectral_density of their own.
///
/// Accuracy: the error of one entry of Z Z^T has variance V / D; V = (1 + k(2 z))/2 - k(z)^2 at
/// z = x - y in the paired form, 1 + k(2 z)/2 - k(z)^2 in the other. For large |w . x|, eps |w . x|
/// of rounding in the angles: samples far from the origin are better shifted to it, which changes
/// no kernel value.
/// Source: Rahimi, Recht, Random features for large-scale kernel machines, 2007; the variances as
/// in Sutherland, Schneider, On the error of random Fourier features, 2015.
struct RandomFourier {
  Index features = 100;                    ///< D, frequencies in a block, >= 1
  FourierForm form = FourierForm::Paired;  ///< more accurate for the same number of columns

  template <class K>
  static constexpr bool maps = HasSpectralDensity<K>;

  /// Throws InvalidArgument unless features is at least 1.
  template <Real S, class K>
  [[nodiscard]] BoundRandomFourier<S> bind(const K& kernel, const SampleBounds& bounds,
                                           std::uint64_t seed) const {
    static_assert(maps<K>,
                  "mercer::RandomFourier: this kernel has no spectral density; use one that "
                  "depends on x - y (Gaussian, Laplacian, Cauchy, Matern, RationalQuadratic), or "
                  "give yours a function spectral_density(kernel)");
    detail::require_at_least("RandomFourier", "features", features, Index{1});
    return {spectral_density(kernel), features, form, bounds, seed};
  }
};

}  // namespace mercer

#endif  // MERCER_FEATURES_RANDOM_FOURIER_HPP
