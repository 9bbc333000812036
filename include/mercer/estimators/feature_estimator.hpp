// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Random features as an estimator of the Gram matrix.

#ifndef MERCER_ESTIMATORS_FEATURE_ESTIMATOR_HPP
#define MERCER_ESTIMATORS_FEATURE_ESTIMATOR_HPP

#include <concepts>
#include <cstdint>
#include <utility>

#include <mercer/core/low_rank/low_rank_term.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>

namespace mercer {

/// Draw t is Z_t(X) Z_t(X)^T, where Z_t is block t of a feature map. Models BoundEstimator.
/// Rows in several processes: draws hold the rows of this process, which are evaluated in tiles.
/// Cost: that of one block.
/// Lifetime: refers to the samples; owns the map.
template <BoundFeatureMap B, OwnedSamples X>
class BoundFeatureEstimator {
 public:
  using Term = PsdTerm<typename B::Scalar>;

  /// \param samples  the rows of this process
  BoundFeatureEstimator(B map, const RowSpace& space, const X& samples)
      : map_(std::move(map)), space_(space), samples_(&samples) {}

  void draw(std::uint64_t t, Term& out) {
    map_.draw(t, block_);
    out.factor.resize(samples_->rows(), map_.columns());
    if (!space_.is_spread())
      return map_.evaluate(block_, detail::rows_of(*samples_, {0, samples_->rows()}), out.factor);
    // Copies of tiles: the bits of a row may depend on its place in a block.
    space_.together([&] {
      parallel_for(detail::tile_count(samples_->rows()), [&](Index number) {
        const detail::Range tile = detail::Range::tile(number, samples_->rows());
        const X x = samples_->middleRows(tile.begin, tile.size);
        map_.evaluate(block_, detail::rows_of(x, {0, tile.size}),
                      out.factor.middleRows(tile.begin, tile.size));
      });
    });
  }

  /// A bound of |xi|_F for all draws: |Z Z^T|_F is at most the sum of the squared rows of Z.
  [[nodiscard]] double largest_norm() const requires requires(const B& map) {
    { map.largest_square() } -> std::same_as<double>;
  }
  { return static_cast<double>(space_.total()) * map_.largest_square(); }

 private:
  B map_;
  RowSpace space_;
  const X* samples_;
  typename B::Block block_;  // reused by every draw
};

}  // namespace mercer

#endif  // MERCER_ESTIMATORS_FEATURE_ESTIMATOR_HPP
