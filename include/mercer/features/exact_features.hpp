// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Feature maps without error: x for Linear, x / |x| for Cosine.

#ifndef MERCER_FEATURES_EXACT_FEATURES_HPP
#define MERCER_FEATURES_EXACT_FEATURES_HPP

#include <concepts>
#include <cstdint>
#include <string>

#include <mercer/core/types.hpp>
#include <mercer/features/detail/projections.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

/// x or x / |x|. The settings are explained at ExactFeatures. Models BoundFeatureMap; all blocks
/// are the same.
template <Real S>
class BoundExactFeatures {
 public:
  using Scalar = S;
  struct Block {};
  static constexpr bool deterministic = true;

  BoundExactFeatures(Index dimension, bool unit) : dimension_(dimension), unit_(unit) {}

  [[nodiscard]] Index columns() const { return dimension_; }
  [[nodiscard]] Index dimension() const { return dimension_; }

  void draw(std::uint64_t, Block&) const {}

  void evaluate(const Block&, const Points<S>& x, GramOut<S> out) const { evaluate_tiles(x, out); }
  void evaluate(const Block&, const SparsePoints<S>& x, GramOut<S> out) const {
    evaluate_tiles(x, out);
  }

 private:
  template <class Samples>
  void evaluate_tiles(const Samples& x, GramOut<S>& out) const {
    detail::for_tiles(x.cols() == 0 ? 0 : x.rows(), [&](detail::Range rows) {
      // The order of the sums in a norm depends on the number of rows. So all tiles have the same.
      Matrix<S> tile = Matrix<S>::Zero(detail::tile_size, x.cols());
      tile.topRows(rows.size) = detail::dense_rows<S>(x, rows);
      if (unit_) tile = detail::unit_rows(tile, detail::row_norms(tile));
      out.middleRows(rows.begin, rows.size) = tile.topRows(rows.size);
    });
  }

  Index dimension_;
  bool unit_;
};

/// The exact features of kernels that are inner products already: x for Linear, and x / |x| for
/// Cosine (0 for x = 0). There are d columns, nothing is random, and Z Z^T is the Gram matrix.
struct ExactFeatures {
  template <class K>
  static constexpr bool maps = std::same_as<K, Linear> || std::same_as<K, Cosine>;
  [[nodiscard]] static constexpr bool unbiased() { return true; }

  [[nodiscard]] std::string describe() const { return "exact-features"; }

  /// Throws InvalidArgument for bounds out of range.
  template <Real S, class K>
  [[nodiscard]] BoundExactFeatures<S> bind(const K&, const SampleBounds& bounds,
                                           std::uint64_t) const {
    static_assert(maps<K>, "mercer::ExactFeatures: the kernel must be Linear or Cosine");
    detail::require_bounds("ExactFeatures", bounds);
    return {bounds.dimension, std::same_as<K, Cosine>};
  }
};

}  // namespace mercer

#endif  // MERCER_FEATURES_EXACT_FEATURES_HPP
