// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Random Laplace features of semigroup kernels.

#ifndef MERCER_FEATURES_RANDOM_LAPLACE_HPP
#define MERCER_FEATURES_RANDOM_LAPLACE_HPP

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <mercer/core/errors.hpp>
#include <mercer/core/normal_quantile.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/features/projections.hpp>
#include <mercer/features/random_directions.hpp>
#include <mercer/features/spectral_density.hpp>
#include <mercer/features/uniform_points.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

/// Independent Levy coordinates of scale beta^2 / 2: (beta^2 / 2) / n^2 for a standard normal n.
[[nodiscard]] inline SpectralDensity laplace_density(const ExponentialSemigroup& kernel) {
  return {.scale = kernel.beta() * kernel.beta() / 2,
          .coordinate = [](double u) { return std::pow(normal_quantile(u / 2), -2); },
          .mixture = {}};
}

/// Independent exponential coordinates of rate lambda.
[[nodiscard]] inline SpectralDensity laplace_density(const ReciprocalSemigroup& kernel) {
  return {.scale = 1 / kernel.lambda(),
          .coordinate = [](double u) { return -std::log1p(-u); },
          .mixture = {}};
}

/// Kernels k(x, y) = E exp(-w . (x + y)) over w >= 0. For a kernel of yours, give a free function
/// `laplace_density` in its namespace that returns a SpectralDensity.
template <class K>
concept HasLaplaceDensity = requires(const K& kernel) {
  { laplace_density(kernel) } -> std::convertible_to<SpectralDensity>;
};

/// Laplace features for one kernel; see RandomLaplace. Models BoundFeatureMap.
template <Real S>
class BoundRandomLaplace {
 public:
  using Scalar = S;
  struct Block {
    Matrix<S> frequencies;  ///< one w >= 0 per row, D x d

    [[nodiscard]] std::size_t bytes() const { return detail::bytes_of(frequencies); }
  };

  explicit BoundRandomLaplace(const detail::RandomDirections<S>& directions)
      : directions_(directions) {}

  [[nodiscard]] Index columns() const { return directions_.features(); }
  [[nodiscard]] Index dimension() const { return directions_.dimension(); }

  void draw(std::uint64_t b, Block& block) const { directions_.draw(b, block.frequencies); }

  /// D^(-1/2) exp(-w . x). Cost: one product, n d D operations, and n D exponentials.
  void evaluate(const Block& block, const Points<S>& x, GramOut<S> out) const {
    evaluate_panels(block, x, out);
  }
  void evaluate(const Block& block, const SparsePoints<S>& x, GramOut<S> out) const {
    evaluate_panels(block, x, out);
  }

 private:
  template <class Samples>
  void evaluate_panels(const Block& block, const Samples& x, GramOut<S>& out) const {
    MERCER_ASSERT(out.rows() == x.rows() && out.cols() == block.frequencies.rows());
    const S scale = 1 / std::sqrt(static_cast<S>(block.frequencies.rows()));
    detail::project<S>(x, block.frequencies, out, [&](detail::Range rows, detail::Range cols) {
      for (Index j = cols.begin; j < cols.begin + cols.size; ++j)
        detail::apply_in_chunks<S>(out.col(j).segment(rows.begin, rows.size),
                                   [scale](const auto& t) { return scale * (-t).exp(); });
    });
  }

  detail::RandomDirections<S> directions_;
};

/// Random Laplace features: k(x, y) = E exp(-w . x) exp(-w . y) over frequencies w >= 0. For
/// ExponentialSemigroup and ReciprocalSemigroup, and kernels with a laplace_density of their own.
/// The samples are in the kernel's domain, x >= 0.
///
/// Accuracy: the error of one entry of Z Z^T has variance V / D, V = k at twice x and y, less k^2:
/// exp(-2^(1/2) beta S) - exp(-2 beta S) with S = sum_j (x_j + y_j)^(1/2), or prod_j lambda /
/// (2 (x_j + y_j) + lambda) - k^2. That is large beside k^2 where k is small. Quasi-random
/// frequencies as for RandomFourier.
/// Cost of a draw: D d quantiles. Random: stream "Laplace frequencies" of the seed.
/// Source: Yang et al., Random Laplace feature maps for semigroup kernels on histograms, 2014.
struct RandomLaplace {
  Index features = 100;  ///< D, columns in a block, >= 1
  Sampling sampling = Sampling::Independent;

  template <class K>
  static constexpr bool maps = HasLaplaceDensity<K>;

  /// Throws InvalidArgument unless features is at least 1.
  template <Real S, class K>
  [[nodiscard]] BoundRandomLaplace<S> bind(const K& kernel, const SampleBounds& bounds,
                                           std::uint64_t seed) const {
    static_assert(maps<K>,
                  "mercer::RandomLaplace: this kernel is no Laplace transform of x + y; use "
                  "ExponentialSemigroup or ReciprocalSemigroup, or give yours a function "
                  "laplace_density(kernel)");
    detail::require_at_least("RandomLaplace", "features", features, Index{1});
    return BoundRandomLaplace<S>(
        {laplace_density(kernel), features, bounds, sampling, seed, "Laplace frequencies"});
  }
};

}  // namespace mercer

#endif  // MERCER_FEATURES_RANDOM_LAPLACE_HPP
