// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Random features of the arc-cosine kernels.

#ifndef MERCER_FEATURES_ARC_COSINE_FEATURES_HPP
#define MERCER_FEATURES_ARC_COSINE_FEATURES_HPP

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/features/projections.hpp>
#include <mercer/features/random_directions.hpp>
#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

/// Features of one arc-cosine kernel; see ArcCosineFeatures. Models BoundFeatureMap.
template <Real S>
class BoundArcCosineFeatures {
 public:
  using Scalar = S;
  struct Block {
    Matrix<S> directions;  ///< one standard normal w per row, D x d

    [[nodiscard]] std::size_t bytes() const { return detail::bytes_of(directions); }
  };

  BoundArcCosineFeatures(const detail::RandomDirections<S>& directions, int order)
      : directions_(directions), order_(order) {}

  [[nodiscard]] Index columns() const { return directions_.features(); }
  [[nodiscard]] Index dimension() const { return directions_.dimension(); }

  void draw(std::uint64_t b, Block& block) const { directions_.draw(b, block.directions); }

  /// (2/D)^(1/2) step(w . x) (w . x)^order. Cost: one product, n d D operations.
  void evaluate(const Block& block, const Points<S>& x, GramOut<S> out) const {
    evaluate_panels(block, x, out);
  }
  void evaluate(const Block& block, const SparsePoints<S>& x, GramOut<S> out) const {
    evaluate_panels(block, x, out);
  }

 private:
  template <class Samples>
  void evaluate_panels(const Block& block, const Samples& x, GramOut<S>& out) const {
    MERCER_ASSERT(out.rows() == x.rows() && out.cols() == block.directions.rows());
    const S scale = std::sqrt(S(2) / static_cast<S>(block.directions.rows()));
    detail::project<S>(x, block.directions, out, [&](detail::Range rows, detail::Range cols) {
      auto values = out.block(rows.begin, cols.begin, rows.size, cols.size).array();
      if (order_ == 0)
        values = (scale / 2) * (S(1) + values.sign());  // 1/2 at 0
      else if (order_ == 1)
        values = scale * (values.max)(S(0));
      else
        values = scale * (values.max)(S(0)).square();
    });
  }

  detail::RandomDirections<S> directions_;
  int order_;
};

/// Random features of the arc-cosine kernel of order m: 2^(1/2) step(w . x) (w . x)^m for standard
/// normal w, with step(0) = 1/2: a layer of a neural network with random weights.
///
/// Accuracy: the error of one entry of Z Z^T has variance V / D, V = 2 k_2m(x, y) - k_m(x, y)^2:
/// 2 k - k^2 for order 0, 2 k_2 - k^2 for order 1. Order 2 has heavy tails, with about three times
/// the relative error of order 1.
/// Cost of a draw: D d normals. Random: stream "arc-cosine directions" of the seed.
/// Source: Cho, Saul, Kernel methods for deep learning, 2009, eq. (1).
struct ArcCosineFeatures {
  Index features = 100;  ///< D, columns in a block, >= 1

  template <class K>
  static constexpr bool maps = std::same_as<K, ArcCosine>;

  /// Throws InvalidArgument unless features is at least 1.
  template <Real S, class K>
  [[nodiscard]] BoundArcCosineFeatures<S> bind(const K& kernel, const SampleBounds& bounds,
                                               std::uint64_t seed) const {
    static_assert(maps<K>, "mercer::ArcCosineFeatures: the kernel must be ArcCosine");
    detail::require_at_least("ArcCosineFeatures", "features", features, Index{1});
    return {
        {SpectralDensity{}, features, bounds, Sampling::Independent, seed, "arc-cosine directions"},
        kernel.order()};
  }
};

}  // namespace mercer

#endif  // MERCER_FEATURES_ARC_COSINE_FEATURES_HPP
