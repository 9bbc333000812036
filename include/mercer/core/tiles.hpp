// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Tiles of a matrix: ranges of rows and columns, and their products.

#ifndef MERCER_CORE_TILES_HPP
#define MERCER_CORE_TILES_HPP

#include <algorithm>

#include <mercer/core/compiled.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// Edge of a tile of the Gram matrix: a tile of doubles and its operands fit in a second-level
/// cache.
inline constexpr Index tile_size = 256;

[[nodiscard]] constexpr Index tile_count(Index n) {
  return (n + tile_size - 1) / tile_size;
}

/// A range of consecutive rows or columns.
struct Range {
  Index begin;
  Index size;

  /// Tile \p index of n rows.
  [[nodiscard]] static constexpr Range tile(Index index, Index n) {
    return {index * tile_size, (std::min)(tile_size, n - index * tile_size)};
  }
};

/// out += a b. All dense products of blocks go through this function, so that each program compiles
/// the product once.
template <Real S>
void multiply_add(const Points<S>& a, const Points<S>& b, GramOut<S> out) {
  out.noalias() += a * b;
}

#define MERCER_TILES(S) \
  MERCER_INSTANTIATE_CORE(void multiply_add<S>(const Points<S>&, const Points<S>&, GramOut<S>))
MERCER_FOR_TILE_SCALARS(MERCER_TILES)
#undef MERCER_TILES

}  // namespace mercer::detail

#endif  // MERCER_CORE_TILES_HPP
