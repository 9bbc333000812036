// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Tiles of a matrix: ranges of rows and columns, and their products.

#ifndef MERCER_CORE_TILES_HPP
#define MERCER_CORE_TILES_HPP

#include <algorithm>

#include <mercer/core/compiled.hpp>
#include <mercer/core/machine/instruction_sets.hpp>
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

/// Whether Eigen computes a product of these sizes as one of matrices. Others it sums in an order
/// that may depend on addresses, for registers wider than memory is aligned to: these stay with the
/// loops as compiled.
[[nodiscard]] constexpr bool is_matrix_product(Index rows, Index cols, Index depth) {
  return rows > 1 && cols > 1 && rows + cols + depth >= 20;
}

/// out += a b. Dense products of blocks go through this function and those below, so that each
/// program compiles them once.
template <Real S>
void multiply_add(const Points<S>& a, const Points<S>& b, GramOut<S> out) {
  const auto* loops = inner_loops<S>();
  if (loops && loops->multiply_add && is_matrix_product(a.rows(), b.cols(), a.cols()))
    loops->multiply_add(plain_block<S>(a), plain_block<S>(b), plain_block<S>(out));
  else
    out.noalias() += a * b;
}

/// out += a^T b.
template <Real S>
void add_inner_products(const Points<S>& a, const Points<S>& b, GramOut<S> out) {
  const auto* loops = inner_loops<S>();
  if (loops && loops->add_inner_products && is_matrix_product(a.cols(), b.cols(), a.rows()))
    loops->add_inner_products(plain_block<S>(a), plain_block<S>(b), plain_block<S>(out));
  else
    out.noalias() += a.transpose() * b;
}

/// out.row(i) = columns.col(at(i)), for all rows of out. Rows are written several at a time, in
/// whole cache lines.
template <Real S, class At>
void columns_to_rows(const Points<S>& columns, const At& at, GramOut<S> out) {
  constexpr Index width = 8;
  if (out.cols() == 0) return;  // the pointers may be null
  for (Index first = 0; first < out.rows(); first += width) {
    const Index count = (std::min)(width, out.rows() - first);
    const S* from[width];
    for (Index r = 0; r < width; ++r)
      from[r] = columns.data() + at(first + (std::min)(r, count - 1)) * columns.outerStride();
    S* to = out.data() + first;
    for (Index j = 0; j < out.cols(); ++j, to += out.outerStride()) {
      if (count == width) {
        for (Index r = 0; r < width; ++r) to[r] = from[r][j];
      } else {
        for (Index r = 0; r < count; ++r) to[r] = from[r][j];
      }
    }
  }
}

/// columns.col(at(i)) = rows.row(i), for all rows.
template <Real S, class At>
void rows_to_columns(const Points<S>& rows, const At& at, GramOut<S> columns) {
  constexpr Index width = 8;
  if (rows.cols() == 0) return;  // the pointers may be null
  for (Index first = 0; first < rows.rows(); first += width) {
    const Index count = (std::min)(width, rows.rows() - first);
    S* to[width];
    for (Index r = 0; r < width; ++r)
      to[r] = columns.data() + at(first + (std::min)(r, count - 1)) * columns.outerStride();
    const S* from = rows.data() + first;
    for (Index j = 0; j < rows.cols(); ++j, from += rows.outerStride())
      for (Index r = 0; r < count; ++r) to[r][j] = from[r];
  }
}

#define MERCER_TILES(S)                                                                         \
  MERCER_INSTANTIATE_CORE(void multiply_add<S>(const Points<S>&, const Points<S>&, GramOut<S>)) \
  MERCER_INSTANTIATE_CORE(                                                                      \
      void add_inner_products<S>(const Points<S>&, const Points<S>&, GramOut<S>))
MERCER_FOR_TILE_SCALARS(MERCER_TILES)
#undef MERCER_TILES

}  // namespace mercer::detail

#endif  // MERCER_CORE_TILES_HPP
