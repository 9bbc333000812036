// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Blocks of random vectors w with a given distribution. Features are functions of their products
/// with the samples.

#ifndef MERCER_FEATURES_DETAIL_RANDOM_DIRECTIONS_HPP
#define MERCER_FEATURES_DETAIL_RANDOM_DIRECTIONS_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string_view>
#include <utility>

#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/core/math/normal_quantile.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/spectral_density.hpp>
#include <mercer/features/detail/uniform_points.hpp>

namespace mercer::detail {

/// Frequencies from heavy tails are cut off at the root of the largest number, in units of the
/// scale of their density. The limit does not depend on the samples, of which a few may be huge.
template <Real S>
[[nodiscard]] double largest_frequency(double scale) {
  const double most{(std::numeric_limits<S>::max)()};
  return (std::min)(std::sqrt(most) * std::abs(scale), most / 2);
}

/// Samples in R^d of entries up to this have inner products with such frequencies that are in
/// range.
template <Real S>
[[nodiscard]] double largest_sample(double scale, Index dimension) {
  const double most{(std::numeric_limits<S>::max)()};
  return most / largest_frequency<S>(scale) /
         (4 * static_cast<double>((std::max)(dimension, Index{1})));
}

/// One number m from the mixture of the density for each point of block b, or ones if there is no
/// mixture.
[[nodiscard]] inline Vector<double> mixture_draws(const SpectralDensity& density,
                                                  const UniformPoints& points, std::uint64_t b,
                                                  Index coordinate, Index count) {
  Vector<double> m = Vector<double>::Ones(count);
  if (!density.mixture) return m;
  points.fill(b, coordinate, m);
  for (double& value : m) value = density.mixture(value);
  return m;
}

/// The phases of block b, uniform on [0, 2 pi).
template <Real S>
void draw_phases(const UniformPoints& points, std::uint64_t b, Index coordinate, Index count,
                 Vector<S>& phases) {
  Vector<double> u(count);
  points.fill(b, coordinate, u);
  phases = (2 * std::numbers::pi * u).template cast<S>();
}

/// Draws of a SpectralDensity. Coordinates 0, ..., d - 1 of the uniform points give the coordinates
/// of w. Coordinate d gives m, which they share. Coordinate d + 1 is free for phases.
template <Real S>
class RandomDirections {
 public:
  RandomDirections(SpectralDensity density, Index features, Index dimension, Sampling sampling,
                   std::uint64_t seed, std::string_view purpose)
      : density_(std::move(density)),
        features_(features),
        dimension_(dimension),
        limit_(largest_frequency<S>(density_.scale)),
        points_(sampling, seed, purpose, dimension + 2) {}

  [[nodiscard]] Index features() const { return features_; }
  [[nodiscard]] Index dimension() const { return dimension_; }
  [[nodiscard]] const UniformPoints& points() const { return points_; }

  /// The vectors of block b, D x d, one per row.
  /// Cost: D d quantiles, in parallel.
  void draw(std::uint64_t b, Matrix<S>& w) const {
    w.resize(features_, dimension_);
    ask_for_huge_pages(w);
    const Vector<double> scales =
        density_.scale * mixture_draws(density_, points_, b, dimension_, features_);
    parallel_for(dimension_, [&](Index c) {
      Vector<double> values(features_);
      points_.fill(b, c, values);
      if (density_.coordinate)
        for (double& value : values) value = density_.coordinate(value);
      else
        for (double& value : values) value = normal_quantile(value);
      w.col(c) = values.cwiseProduct(scales).cwiseMax(-limit_).cwiseMin(limit_).template cast<S>();
    });
  }

 private:
  SpectralDensity density_;
  Index features_;
  Index dimension_;
  double limit_;
  UniformPoints points_;
};

}  // namespace mercer::detail

#endif  // MERCER_FEATURES_DETAIL_RANDOM_DIRECTIONS_HPP
