// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The product of a symmetric matrix with a block of vectors, from the tiles of one triangle.

#ifndef MERCER_OPERATORS_SYMMETRIC_PRODUCT_HPP
#define MERCER_OPERATORS_SYMMETRIC_PRODUCT_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <mercer/core/rows/row_blocks.hpp>
#include <mercer/core/symmetric_tiles.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/tile_product.hpp>

namespace mercer::detail {

/// A block of vectors in precision T, stored by rows and padded with zero columns for tile
/// products. Each column is divided by a power of two that keeps it in the range of T.
template <Real T, Real S>
struct NarrowBlock {
  explicit NarrowBlock(const Points<S>& v)
      : values(v.rows(), (v.cols() + padded_to<T> - 1) / padded_to<T> * padded_to<T>),
        scales(v.cols()) {
    for (Index j = 0; j < v.cols(); ++j) scales(j) = power_of_two(v.col(j));
    for_row_blocks(v.rows(), [&](Index, Index first, Index size) {
      auto rows = values.middleRows(first, size);
      rows.rightCols(values.cols() - v.cols()).setZero();
      for (Index j = 0; j < v.cols(); ++j)
        rows.col(j) = (v.col(j).segment(first, size) / scales(j)).template cast<T>();
    });
  }

  RowMajorMatrix<T> values;
  Vector<S> scales;

 private:
  template <class Column>
  [[nodiscard]] static S power_of_two(const Column& column) {
    if constexpr (std::same_as<T, S>) return 1;
    const S largest = column.size() > 0 ? column.cwiseAbs().maxCoeff() : S(0);
    return largest > 0 && std::isfinite(largest) ? std::ldexp(S(1), std::ilogb(largest)) : S(1);
  }
};

/// out = A v for a symmetric n x n matrix A. For i >= j, tile(i, j) is tile (i, j) of A in
/// precision T: the rows of Range::tile(i, n) and the columns of Range::tile(j, n). Each tile is
/// asked for once and used for both triangles. The product of a tile with a block is computed in T
/// and added up in S.
/// Cost: 2 n^2 b operations and n^2 / 2 values of tiles.
/// Memory: n (b + 8) values, in T and in S.
/// Threads: over tiles; the result has the same bits for any number of threads.
template <Real T, Real S, class Tile>
void symmetric_tile_product(Index n, const Tile& tile, const Points<S>& v, GramOut<S> out) {
  if (v.cols() == 0) return;
  const NarrowBlock<T, S> right(v);
  const Index w = right.values.cols();
  RowMajorMatrix<S> sums = RowMajorMatrix<S>::Zero(n, w);
  const auto add = [&](const StridedTile<T>& part, Range rows, Range cols) {
    const T* block = right.values.data() + cols.begin * w;
    if constexpr (std::same_as<T, S>) {
      add_tile_product(part, block, w, sums.data() + rows.begin * w);
    } else {
      RowMajorMatrix<T> product = RowMajorMatrix<T>::Zero(rows.size, w);
      add_tile_product(part, block, w, product.data());
      sums.middleRows(rows.begin, rows.size) += product.template cast<S>();
    }
  };
  for_symmetric_tiles(tile_count(n), [&](Index i, Index j) {
    const Range rows = Range::tile(i, n), cols = Range::tile(j, n);
    const auto& values = tile(i, j);
    const StridedTile<T> part{values.data(), rows.size, cols.size, 1, values.outerStride()};
    add(part, rows, cols);
    if (i != j) add(part.transposed(), cols, rows);
  });
  for_row_blocks(n, [&](Index, Index first, Index size) {
    out.middleRows(first, size) = sums.block(first, 0, size, v.cols()) * right.scales.asDiagonal();
  });
}

}  // namespace mercer::detail

#endif  // MERCER_OPERATORS_SYMMETRIC_PRODUCT_HPP
