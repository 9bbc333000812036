// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Features that are each a function of one inner product.

#ifndef MERCER_FEATURES_DETAIL_PROJECTION_FEATURES_HPP
#define MERCER_FEATURES_DETAIL_PROJECTION_FEATURES_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/projections.hpp>
#include <mercer/features/detail/random_directions.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

/// Features D^(-1/2) f(w . x) for D random vectors w; see RandomLaplace and ArcCosineFeatures.
/// Models BoundFeatureMap.
/// @tparam Function  function(values, D) turns the products of one block, a GramOut, into features
template <Real S, class Function>
class BoundProjectionFeatures {
 public:
  using Scalar = S;
  struct Block {
    Matrix<S> directions;  ///< one w per row, D x d

    [[nodiscard]] std::size_t bytes() const { return detail::bytes_of(directions); }
  };

  BoundProjectionFeatures(const detail::RandomDirections<S>& directions, Function function)
      : directions_(directions), function_(std::move(function)) {}

  [[nodiscard]] Index columns() const { return directions_.features(); }
  [[nodiscard]] Index dimension() const { return directions_.dimension(); }

  void draw(std::uint64_t b, Block& block) const { directions_.draw(b, block.directions); }

  /// Cost: one matrix product of n d D operations, and n D values of f.
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
    MERCER_ASSERT(x.cols() == block.directions.cols());
    detail::project<S>(x, block.directions, out, [&](detail::Range rows, detail::Range cols) {
      function_(GramOut<S>(out.block(rows.begin, cols.begin, rows.size, cols.size)), out.cols());
    });
  }

  detail::RandomDirections<S> directions_;
  Function function_;
};

}  // namespace mercer

#endif  // MERCER_FEATURES_DETAIL_PROJECTION_FEATURES_HPP
