// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The product of a tile with a narrow block, without packing. Matrix-free products spend most of
/// their time in this loop.

#ifndef MERCER_OPERATORS_TILE_PRODUCT_HPP
#define MERCER_OPERATORS_TILE_PRODUCT_HPP

#include <cstddef>

#include <mercer/core/compiled.hpp>
#include <mercer/core/machine/instruction_sets.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// Rows of narrow blocks are padded to a multiple of this many values (32 bytes).
template <Real T>
inline constexpr Index padded_to = 32 / Index{sizeof(T)};

/// A tile as it is stored in memory: entry (p, q) is data[p * row_stride + q * column_stride]. A
/// tile and its transpose differ only in their strides.
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
/// A line of values that compilers keep in registers. Plain arrays of this size are not an
/// alternative: both GCC and Clang turn them into loads and stores in some cases.
template <Real T, Index Bytes>
struct LineOf {
  typedef T type __attribute__((vector_size(Bytes), aligned(alignof(T)), may_alias));
};
#else
template <Real T, Index Bytes>
struct LineOf {
  struct type {
    static constexpr Index count = Bytes / Index{sizeof(T)};
    T values[count];
    friend type operator*(T s, type x) {
      for (T& v : x.values) v *= s;
      return x;
    }
    type& operator+=(const type& x) {
      for (Index i = 0; i < count; ++i) values[i] += x.values[i];
      return *this;
    }
  };
};
#endif

// The sums below are in registers only if the loops over them are unrolled, which g++ does not do
// by itself at -O2. Products then take half as long again.
#if defined(__GNUC__) && !defined(__clang__)
#define MERCER_UNROLL _Pragma("GCC unroll 8")
#else
#define MERCER_UNROLL
#endif

/// out(p, :) += sum_q tile(p, q) v(q, :) for \p Rows rows from \p first on and \p Lines lines of
/// the blocks. Rows of the blocks are \p stride values apart. The sums stay in registers.
template <Index Rows, Index Lines, Index Bytes, Real T>
void add_rows(const StridedTile<T>& tile, Index first, const T* v, Index stride, T* out) {
  using Line = typename LineOf<T, Bytes>::type;
  constexpr Index values = Bytes / Index{sizeof(T)};
  constexpr auto rows = static_cast<std::size_t>(Rows), lines = static_cast<std::size_t>(Lines);
  Line sums[rows][lines] = {};
  const T* const entries = tile.data + first * tile.row_stride;
  for (Index q = 0; q < tile.cols; ++q) {
    Line x[lines];
    MERCER_UNROLL
    for (Index c = 0; c < Lines; ++c)
      x[c] = *reinterpret_cast<const Line*>(v + q * stride + c * values);
    MERCER_UNROLL
    for (Index p = 0; p < Rows; ++p) {
      const T entry = entries[p * tile.row_stride + q * tile.column_stride];
      MERCER_UNROLL
      for (Index c = 0; c < Lines; ++c) sums[p][c] += entry * x[c];
    }
  }
  MERCER_UNROLL
  for (Index p = 0; p < Rows; ++p) {
    MERCER_UNROLL
    for (Index c = 0; c < Lines; ++c)
      *reinterpret_cast<Line*>(out + (first + p) * stride + c * values) += sums[p][c];
  }
}

#undef MERCER_UNROLL

/// add_rows() for all rows of the tile.
template <Index Lines, Index Bytes, Real T>
void add_lines(const StridedTile<T>& tile, const T* v, Index stride, T* out) {
#if defined(__AVX512F__)
  constexpr Index at_once = 8;
#else
  constexpr Index at_once = 2;  // narrower registers: a line takes more of them
#endif
  Index p = 0;
  for (; p + at_once <= tile.rows; p += at_once)
    add_rows<at_once, Lines, Bytes>(tile, p, v, stride, out);
  for (; p < tile.rows; ++p) add_rows<1, Lines, Bytes>(tile, p, v, stride, out);
}

/// out += tile v.
/// Shapes: v is cols x w and out is rows x w, stored by rows; w is a multiple of padded_to<T>.
/// Cost: 2 rows cols w operations, at about the speed of a large matrix product.
template <Real T>
void add_tile_product(const StridedTile<T>& tile, const T* v, Index w, T* out) {
  if (const auto* loops = inner_loops<T>())
    return loops->add_tile_product(
        {tile.data, tile.rows, tile.cols, tile.row_stride, tile.column_stride}, v, w, out);
  constexpr Index part = padded_to<T>;
  Index done = 0;
  for (; done + 4 * part <= w; done += 4 * part) add_lines<2, 64>(tile, v + done, w, out + done);
  if (done + 2 * part <= w) {
    add_lines<1, 64>(tile, v + done, w, out + done);
    done += 2 * part;
  }
  if (done < w) add_lines<1, 32>(tile, v + done, w, out + done);
}

#define MERCER_TILE_PRODUCT(T) \
  MERCER_INSTANTIATE_OPERATORS(void add_tile_product<T>(const StridedTile<T>&, const T*, Index, T*))
MERCER_FOR_TILE_SCALARS(MERCER_TILE_PRODUCT)
#undef MERCER_TILE_PRODUCT

}  // namespace mercer::detail

#endif  // MERCER_OPERATORS_TILE_PRODUCT_HPP
