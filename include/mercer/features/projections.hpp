// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Inner products of samples and random directions, tile by tile: the product under most maps.

#ifndef MERCER_FEATURES_PROJECTIONS_HPP
#define MERCER_FEATURES_PROJECTIONS_HPP

#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/blocks.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer::detail {

/// out(i, j) = x_i . w_j for the samples of one tile and the rows w_j of \p directions, on the
/// calling thread. The product always has the rows of a whole tile, as the order of the sums in it
/// depends on their number.
template <Real S>
void project_tile(const Points<S>& x, Range rows, const Points<S>& directions, GramOut<S> out) {
  if (rows.size == tile_size || x.cols() == 0)
    return inner_products(Points<S>(rows_of(x, rows)), directions, out);
  Matrix<S> padded = Matrix<S>::Zero(tile_size, x.cols()), products(tile_size, directions.rows());
  padded.topRows(rows.size) = x.middleRows(rows.begin, rows.size);
  inner_products(Points<S>(padded), directions, products);
  out = products.topRows(rows.size);
}

/// The same for sparse rows: each adds up contiguous columns of \p directions.
template <Real S>
void project_tile(const SparsePoints<S>& x, Range rows, const Points<S>& directions,
                  GramOut<S> out) {
  Vector<S> sum(directions.rows());
  for (Index i = 0; i < rows.size; ++i) {
    sum.setZero();
    for (typename SparsePoints<S>::InnerIterator entry(x, rows.begin + i); entry; ++entry)
      sum += entry.value() * directions.col(entry.col());
    out.row(i) = sum.transpose();
  }
}

/// Calls task(rows) for the tiles of \p n samples, over the cores.
template <class Task>
void for_tiles(Index n, Task&& task) {
  parallel_for(tile_count(n), [&](Index tile) { task(Range::tile(tile, n)); });
}

}  // namespace mercer::detail

#endif  // MERCER_FEATURES_PROJECTIONS_HPP
