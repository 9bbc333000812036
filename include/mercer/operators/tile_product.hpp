// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Tile times narrow block, without packing: the loop that a matrix-free product spends its time
/// in.

#ifndef MERCER_OPERATORS_TILE_PRODUCT_HPP
#define MERCER_OPERATORS_TILE_PRODUCT_HPP

#include <cstddef>

#include <mercer/core/types.hpp>

namespace mercer::detail {

/// Rows of narrow blocks are padded to a multiple of this many values: one 64-byte line.
template <Real T>
inline constexpr Index line_values = 64 / Index{sizeof(T)};

/// A tile as it lies in memory: entry (p, q) at data[p * row_stride + q * column_stride]. A tile
/// and its transpose differ in strides only.
template <Real T>
struct StridedTile {
  const T* data;
  Index rows, cols;
  Index row_stride, column_stride;

  [[nodiscard]] StridedTile transposed() const {
    return {data, cols, rows, column_stride, row_stride};
  }
};

#if defined(__GNUC__)
/// 64 bytes of values that compilers keep in registers; both compilers turn plain arrays of this
/// size into loads and stores in one case or another.
template <Real T>
struct LineOf {
  typedef T type __attribute__((vector_size(64), aligned(alignof(T)), may_alias));
};
#else
template <Real T>
struct LineOf {
  struct type {
    T values[64 / sizeof(T)];
    friend type operator*(T s, type x) {
      for (T& v : x.values) v *= s;
      return x;
    }
    type& operator+=(const type& x) {
      for (Index i = 0; i < line_values<T>; ++i) values[i] += x.values[i];
      return *this;
    }
  };
};
#endif

/// out(p, :) += sum_q tile(p, q) v(q, :) for a number of rows from \p first on and of lines of the
/// blocks, whose rows are \p stride values apart. The sums stay in registers.
template <Index Rows, Index Lines, Real T>
void add_rows(const StridedTile<T>& tile, Index first, const T* v, Index stride, T* out) {
  using Line = typename LineOf<T>::type;
  constexpr Index values = line_values<T>;
  constexpr auto rows = static_cast<std::size_t>(Rows), lines = static_cast<std::size_t>(Lines);
  Line sums[rows][lines] = {};
  const T* const entries = tile.data + first * tile.row_stride;
  for (Index q = 0; q < tile.cols; ++q) {
    Line x[lines];
    for (Index c = 0; c < Lines; ++c)
      x[c] = *reinterpret_cast<const Line*>(v + q * stride + c * values);
    for (Index p = 0; p < Rows; ++p) {
      const T entry = entries[p * tile.row_stride + q * tile.column_stride];
      for (Index c = 0; c < Lines; ++c) sums[p][c] += entry * x[c];
    }
  }
  for (Index p = 0; p < Rows; ++p)
    for (Index c = 0; c < Lines; ++c)
      *reinterpret_cast<Line*>(out + (first + p) * stride + c * values) += sums[p][c];
}

/// The same for all rows of the tile.
template <Index Lines, Real T>
void add_lines(const StridedTile<T>& tile, const T* v, Index stride, T* out) {
#if defined(__AVX512F__)
  constexpr Index at_once = 8;
#else
  constexpr Index at_once = 2;  // with narrower registers a line takes more of them
#endif
  Index p = 0;
  for (; p + at_once <= tile.rows; p += at_once) add_rows<at_once, Lines>(tile, p, v, stride, out);
  for (; p < tile.rows; ++p) add_rows<1, Lines>(tile, p, v, stride, out);
}

/// out += tile v. Shapes: v cols x w and out rows x w, row by row, w a multiple of line_values<T>.
/// Cost: 2 rows cols w operations, at about the speed of a large matrix product.
template <Real T>
void add_tile_product(const StridedTile<T>& tile, const T* v, Index w, T* out) {
  Index line = 0;
  for (; line + 2 * line_values<T> <= w; line += 2 * line_values<T>)
    add_lines<2>(tile, v + line, w, out + line);
  if (line < w) add_lines<1>(tile, v + line, w, out + line);
}

}  // namespace mercer::detail

#endif  // MERCER_OPERATORS_TILE_PRODUCT_HPP
