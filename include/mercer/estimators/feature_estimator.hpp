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
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>

namespace mercer {

/// Draw t is Z_t(X) Z_t(X)^T, where Z_t is block t of a feature map. Models BoundEstimator.
/// Cost: that of one block.
/// Lifetime: refers to the samples; owns the map.
template <BoundFeatureMap B, OwnedSamples X>
class BoundFeatureEstimator {
 public:
  using Term = PsdTerm<typename B::Scalar>;

  BoundFeatureEstimator(B map, const X& samples) : map_(std::move(map)), samples_(&samples) {}

  void draw(std::uint64_t t, Term& out) {
    map_.draw(t, block_);
    out.factor.resize(samples_->rows(), map_.columns());
    map_.evaluate(block_, detail::rows_of(*samples_, {0, samples_->rows()}), out.factor);
  }

  /// A bound of |xi|_F for all draws: |Z Z^T|_F is at most the sum of the squared rows of Z.
  [[nodiscard]] double largest_norm() const requires requires(const B& map) {
    { map.largest_square() } -> std::same_as<double>;
  }
  { return static_cast<double>(samples_->rows()) * map_.largest_square(); }

 private:
  B map_;
  const X* samples_;
  typename B::Block block_;  // reused by every draw
};

}  // namespace mercer

#endif  // MERCER_ESTIMATORS_FEATURE_ESTIMATOR_HPP
