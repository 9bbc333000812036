// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Additive homogeneous kernels: their spectra, and the code that their feature maps share.

#ifndef MERCER_FEATURES_DETAIL_HOMOGENEOUS_KERNELS_HPP
#define MERCER_FEATURES_DETAIL_HOMOGENEOUS_KERNELS_HPP

#include <cmath>
#include <concepts>
#include <limits>
#include <numbers>

#include <mercer/core/math/chunks.hpp>
#include <mercer/core/math/sine_cosine.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/projections.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/histogram.hpp>

namespace mercer {

/// The spectrum of a kernel k(x, y) = sum_j (x_j y_j)^(1/2) E cos(w log(x_j / y_j)). It is given by
/// the density of the frequency w, which is even, and by its quantile function.
/// Source: Vedaldi, Zisserman, Efficient additive kernels via explicit feature maps, 2012.
struct HomogeneousSpectrum {
  double (*density)(double w);   ///< the density of w
  double (*quantile)(double u);  ///< the value of w that is not exceeded with probability u
};

/// The hyperbolic secant distribution.
[[nodiscard]] inline HomogeneousSpectrum homogeneous_spectrum(const AdditiveChiSquare&) {
  return {[](double w) { return 1 / std::cosh(std::numbers::pi * w); },
          [](double u) { return std::log(std::tan(std::numbers::pi / 2 * u)) / std::numbers::pi; }};
}

/// The Cauchy distribution of scale 1/2.
[[nodiscard]] inline HomogeneousSpectrum homogeneous_spectrum(const Intersection&) {
  return {[](double w) { return 2 / (std::numbers::pi * (1 + 4 * w * w)); },
          [](double u) { return std::tan(std::numbers::pi * (u - 0.5)) / 2; }};
}

/// Kernels with such a spectrum. For your own kernel, write a free function `homogeneous_spectrum`
/// in its namespace that returns a HomogeneousSpectrum.
template <class K>
concept HasHomogeneousSpectrum = requires(const K& kernel) {
  { homogeneous_spectrum(kernel) } -> std::convertible_to<HomogeneousSpectrum>;
};

namespace detail {

/// Roots and logarithms of one coordinate of some samples x >= 0. They give the features x^(1/2)
/// cos(w log x) for any w.
template <Real S>
class HomogeneousCoordinate {
 public:
  explicit HomogeneousCoordinate(const Eigen::Ref<const Vector<S>>& x) : roots_(x), logs_(x) {
    apply_in_chunks(roots_.data(), roots_.size(), [](const auto& v) { return v.sqrt(); });
    // At x = 0 the factor x^(1/2) makes the feature 0, whatever the angle. The angle only has to be
    // finite.
    apply_in_chunks(logs_.data(), logs_.size(),
                    [](const auto& v) { return (v.max)((std::numeric_limits<S>::min)()).log(); });
  }

  [[nodiscard]] const Vector<S>& roots() const { return roots_; }

  /// factor x^(1/2) cos(w log x) and factor x^(1/2) sin(w log x).
  void features(S w, S factor, Eigen::Ref<Vector<S>> cosines, Eigen::Ref<Vector<S>> sines) const {
    cosines = w * logs_;
    sine_cosine<S>(cosines, sines, cosines);
    cosines.array() *= factor * roots_.array();
    sines.array() *= factor * roots_.array();
  }

 private:
  Vector<S> roots_;
  Vector<S> logs_;
};

/// Calls task(rows, c) for each tile of samples and each coordinate, in parallel.
template <class Task>
void for_coordinates(Index n, Index d, Task&& task) {
  const Index tiles = tile_count(n);
  parallel_for(tiles * d, [&](Index i) { task(Range::tile(i % tiles, n), i / tiles); });
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_FEATURES_DETAIL_HOMOGENEOUS_KERNELS_HPP
