// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Random Fourier features of translation-invariant kernels.

#ifndef MERCER_FEATURES_RANDOM_FOURIER_HPP
#define MERCER_FEATURES_RANDOM_FOURIER_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/fourier_pass.hpp>
#include <mercer/features/detail/projections.hpp>
#include <mercer/features/detail/random_directions.hpp>
#include <mercer/features/detail/spectral_density.hpp>
#include <mercer/features/detail/uniform_points.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

/// The random parameters of a block of Fourier features.
template <Real S>
struct FourierBlock {
  Matrix<S> frequencies;  ///< one w per row, D x d
  Vector<S> phases;       ///< b in [0, 2 pi), D; empty in the paired form

  [[nodiscard]] std::size_t bytes() const { return detail::bytes_of(frequencies, phases); }
};

namespace detail {

/// Sets the frequencies of block b, and its phases if the form needs them. Has no side effects.
/// Threads: may be called from several threads at once.
template <Real S>
using FrequencySource = std::function<void(std::uint64_t b, FourierBlock<S>& block)>;

}  // namespace detail

/// Fourier features of one kernel, with frequencies from any source; see RandomFourier and
/// OrthogonalFourier. Models BoundFeatureMap.
template <Real S>
class BoundRandomFourier {
 public:
  using Scalar = S;
  using Block = FourierBlock<S>;

  /// \param scale  of the density of the frequencies
  BoundRandomFourier(detail::FrequencySource<S> source, Index features, FourierForm form,
                     Index dimension, double scale)
      : source_(std::move(source)),
        features_(features),
        form_(form),
        dimension_(dimension),
        largest_(detail::largest_sample<S>(scale, dimension)) {}

  [[nodiscard]] Index columns() const { return detail::fourier_columns(form_, features_); }
  [[nodiscard]] Index dimension() const { return dimension_; }
  /// Exactly 1 in the paired form.
  [[nodiscard]] double largest_square() const { return form_ == FourierForm::Paired ? 1 : 2; }

  void draw(std::uint64_t b, Block& block) const { source_(b, block); }

  /// Cost: one matrix product of n d D operations, and n D sines and cosines.
  void evaluate(const Block& block, const Points<S>& x, GramOut<S> out) const {
    evaluate_panels(block, x, out);
  }
  void evaluate(const Block& block, const SparsePoints<S>& x, GramOut<S> out) const {
    evaluate_panels(block, x, out);
  }

 private:
  template <class Samples>
  void evaluate_panels(const Block& block, const Samples& x, GramOut<S>& out) const {
    MERCER_ASSERT(out.rows() == x.rows() &&
                  out.cols() == detail::fourier_columns(form_, block.frequencies.rows()));
    MERCER_ASSERT(x.cols() == block.frequencies.cols());
    MERCER_ASSERT(form_ == FourierForm::Paired || block.phases.size() == block.frequencies.rows());
    detail::project<S>(
        x, block.frequencies, out,
        [&](detail::Range rows, detail::Range cols) {
          detail::fourier_pass<S>(form_, block.phases, rows, cols, out);
        },
        largest_);
  }

  detail::FrequencySource<S> source_;
  Index features_;
  FourierForm form_;
  Index dimension_;
  double largest_;
};

/// Random Fourier features: k(x, y) = E cos(w . (x - y)) with frequencies w drawn from the kernel's
/// spectral density. For Gaussian, RationalQuadratic, Matern, Laplacian and Cauchy, and for kernels
/// with a spectral_density of their own.
///
/// Accuracy: with independent frequencies, the error of one entry of Z Z^T has variance V / D. With
///   z = x - y, V = (1 + k(2 z))/2 - k(z)^2 in the paired form and 1 + k(2 z)/2 - k(z)^2 in the
///   phase form. Quasi-random frequencies are unbiased too. They make the variance far smaller in
///   up to about five dimensions, and little smaller above thirty. Measured for a Gaussian and D =
///   1024, the standard error was 13 times smaller for d = 3 and 1.7 times for d = 10. Rounding:
///   the angles have an error of eps |w . x|. If samples are far from the origin, shift them to it;
///   this changes no kernel value. Samples so large that w . x could overflow are shortened: those
///   of entries above 1e18 / d times the width of the kernel in single precision, 1e153 / d in
///   double. Their features are no better than random numbers in either case.
/// Cost: D d quantiles for a draw.
/// Random: stream "Fourier frequencies" of the seed.
/// Source: Rahimi, Recht, Random features for large-scale kernel machines, 2007; the variances as
///   in Sutherland, Schneider, On the error of random Fourier features, 2015; quasi-random
///   frequencies as in Yang et al., Quasi-Monte Carlo feature maps for shift-invariant kernels,
///   2014.
struct RandomFourier {
  Index features = 100;                       ///< D, frequencies in a block, >= 1
  FourierForm form = FourierForm::Paired;     ///< more accurate for the same number of columns
  Sampling sampling = Sampling::Independent;  ///< of the frequencies of a block

  template <class K>
  static constexpr bool maps = HasSpectralDensity<K>;
  [[nodiscard]] static constexpr bool unbiased() { return true; }

  [[nodiscard]] std::string describe() const {
    return "random-fourier(features=" + detail::to_text(features) + ", " +
           std::string(to_string(form)) + ", " + std::string(to_string(sampling)) + ")";
  }

  /// Throws InvalidArgument unless features is at least 1 and fits an int.
  template <Real S, class K>
  [[nodiscard]] BoundRandomFourier<S> bind(const K& kernel, const SampleBounds& bounds,
                                           std::uint64_t seed) const {
    static_assert(maps<K>,
                  "mercer::RandomFourier: this kernel has no spectral density; use one that "
                  "depends on x - y (Gaussian, Laplacian, Cauchy, Matern, RationalQuadratic), or "
                  "give yours a function spectral_density(kernel)");
    detail::require_block_size("RandomFourier", features, bounds);
    const SpectralDensity density = spectral_density(kernel);
    const detail::RandomDirections<S> directions(density, features, bounds.dimension, sampling,
                                                 seed, "Fourier frequencies");
    return {[directions, with_phases = form == FourierForm::Phase](std::uint64_t b,
                                                                   FourierBlock<S>& block) {
              const Index d = directions.dimension();
              directions.draw(b, block.frequencies);
              if (with_phases)
                detail::draw_phases(directions.points(), b, d + 1, directions.features(),
                                    block.phases);
              else
                block.phases.resize(0);
            },
            features, form, bounds.dimension, density.scale};
  }
};

}  // namespace mercer

#endif  // MERCER_FEATURES_RANDOM_FOURIER_HPP
