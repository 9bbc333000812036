// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// How a Gram operator holds its matrix, and the bytes that this takes.

#ifndef MERCER_OPERATORS_GRAM_FORM_HPP
#define MERCER_OPERATORS_GRAM_FORM_HPP

#include <cstddef>

#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// What happens to the tiles of a Gram matrix between two products.
enum class GramStorage {
  Stored,     ///< evaluated once and kept: about n^2 / 2 values
  Recomputed  ///< not kept: every product evaluates all of them again
};

/// How a Gram operator holds its matrix.
struct GramForm {
  GramStorage storage = GramStorage::Recomputed;  ///< what happens to the tiles
  /// The precision of kernel values, and of the samples that they are evaluated on. Samples of
  /// float always give tiles in single precision.
  Precision precision = Precision::Double;
};

namespace detail {

/// Number of values in the stored tiles of the lower triangle. Tiles at the edge are padded.
[[nodiscard]] constexpr std::size_t stored_tile_values(Index n) {
  const auto tiles = static_cast<std::size_t>(tile_count(n));
  return tiles * (tiles + 1) / 2 * static_cast<std::size_t>(tile_size * tile_size);
}

/// Bytes of these tiles.
[[nodiscard]] constexpr std::size_t stored_tile_bytes(Index n, Precision precision) {
  return stored_tile_values(n) * (precision == Precision::Single ? 4 : 8);
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_OPERATORS_GRAM_FORM_HPP
