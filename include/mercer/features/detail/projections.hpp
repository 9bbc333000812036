// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Inner products of samples and random directions, tile by tile. Most feature maps are built on
/// these products.

#ifndef MERCER_FEATURES_DETAIL_PROJECTIONS_HPP
#define MERCER_FEATURES_DETAIL_PROJECTIONS_HPP

#include <algorithm>
#include <cmath>
#include <limits>

#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/blocks.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer::detail {

/// A dense copy of the given rows of the samples.
template <Real S>
[[nodiscard]] Matrix<S> dense_rows(const Points<S>& x, Range rows) {
  return rows_of(x, rows);
}
template <Real S>
[[nodiscard]] Matrix<S> dense_rows(const SparsePoints<S>& x, Range rows) {
  Matrix<S> dense = Matrix<S>::Zero(rows.size, x.cols());
  for (Index i = 0; i < rows.size; ++i)
    for (typename SparsePoints<S>::InnerIterator entry(x, rows.begin + i); entry; ++entry)
      dense(i, entry.col()) = entry.value();
  return dense;
}

/// The samples of one tile, filled up with zero rows to the size of a whole tile. Some results
/// depend on the number of rows, for example through the order of sums. With padding they are the
/// same for every tile.
template <Real S>
[[nodiscard]] Matrix<S> padded_tile(const Points<S>& x, Range rows) {
  Matrix<S> padded = Matrix<S>::Zero(tile_size, x.cols());
  padded.topRows(rows.size) = rows_of(x, rows);
  return padded;
}
template <Real S>
[[nodiscard]] SparseMatrix<S> padded_tile(const SparsePoints<S>& x, Range rows) {
  SparseMatrix<S> padded(tile_size, x.cols());
  for (Index i = 0; i < tile_size; ++i) {
    padded.startVec(i);
    if (i >= rows.size) continue;
    for (typename SparsePoints<S>::InnerIterator entry(x, rows.begin + i); entry; ++entry)
      padded.insertBackByOuterInner(i, entry.col()) = entry.value();
  }
  padded.finalize();
  return padded;
}

/// out(i, j) = x_i . w_j for the samples of one tile and the rows w_j of \p directions. The bits of
/// a sample's products do not depend on its place. Runs on the calling thread.
template <Real S>
void project_tile(const Points<S>& x, Range rows, const Points<S>& directions, GramOut<S> out) {
  if (x.cols() == 0) {
    out.setZero();
    return;
  }
  // Samples are the columns of the product, and all of them are treated alike. Of its rows, those
  // at the end would be summed in another order.
  Matrix<S> products(directions.rows(), tile_size);
  if (rows.size == tile_size)
    inner_products(directions, Points<S>(rows_of(x, rows)), products);
  else
    inner_products(directions, Points<S>(padded_tile<S>(x, rows)), products);
  columns_to_rows<S>(
      products, [](Index i) { return i; }, out);
}

/// The same for sparse samples. Each sample is a sum of columns of \p directions, which are
/// contiguous in memory.
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

/// Calls task(rows) for each tile of \p n samples, in parallel.
template <class Task>
void for_tiles(Index n, Task&& task) {
  parallel_for(tile_count(n), [&](Index tile) { task(Range::tile(tile, n)); });
}

/// Number of directions that multiply a tile at once. Their products are then still in the
/// second-level cache when the pass over them starts.
inline constexpr Index panel_size = 128;

/// The largest |entry| of the given rows.
template <Real S>
[[nodiscard]] double largest_entry(const Points<S>& x, Range rows) {
  if (rows.size == 0 || x.cols() == 0) return 0;
  return static_cast<double>(rows_of(x, rows).cwiseAbs().maxCoeff());
}
template <Real S>
[[nodiscard]] double largest_entry(const SparsePoints<S>& x, Range rows) {
  S largest = 0;
  for (Index i = rows.begin; i < rows.begin + rows.size; ++i)
    for (typename SparsePoints<S>::InnerIterator entry(x, i); entry; ++entry)
      largest = (std::max)(largest, std::abs(entry.value()));
  return static_cast<double>(largest);
}

/// Shortens the rows with an entry above \p largest, so that none is left, for functions whose
/// values at such rows are no better than random numbers anyway. The larger such a row is, the
/// shorter it becomes: rows that differ stay different.
template <OwnedSamples X>
void shorten_rows(X& x, double largest) {
  using S = typename X::Scalar;
  for (Index i = 0; i < x.rows(); ++i) {
    const Vector<S> entries = row_entries(x, i);
    const S size = entries.size() > 0 ? entries.cwiseAbs().maxCoeff() : S(0);
    if (!(static_cast<double>(size) > largest)) continue;
    // In two steps, since their product may be out of range.
    x.row(i) /= size;
    x.row(i) *= static_cast<S>(largest * std::pow(largest / static_cast<double>(size), 0.125));
  }
}

/// Computes out(i, j) = x_i . w_j for all samples and the rows w_j of \p directions. Then calls
/// pass(rows, cols) for each block of these products, in parallel. \p out may have more columns
/// than there are directions.
/// \param largest  rows with an entry above this are shortened first; see shorten_rows()
template <Real S, class Samples, class Pass>
void project(const Samples& x, const Matrix<S>& directions, GramOut<S> out, Pass&& pass,
             double largest = std::numeric_limits<double>::infinity()) {
  const Index tiles = tile_count(x.rows());
  const Index panels = (directions.rows() + panel_size - 1) / panel_size;
  parallel_for(tiles * panels, [&](Index task) {
    const Range rows = Range::tile(task % tiles, x.rows());
    const Index first = task / tiles * panel_size;
    const Range cols{first, (std::min)(panel_size, directions.rows() - first)};
    GramOut<S> products = out.block(rows.begin, cols.begin, rows.size, cols.size);
    if (std::isinf(largest) || largest_entry<S>(x, rows) <= largest) {
      project_tile<S>(x, rows, rows_of(directions, cols), products);
    } else {
      auto tile = padded_tile<S>(x, rows);  // dense or sparse, as the samples
      shorten_rows(tile, largest);
      project_tile<S>(tile, {0, rows.size}, rows_of(directions, cols), products);
    }
    pass(rows, cols);
  });
}

}  // namespace mercer::detail

#endif  // MERCER_FEATURES_DETAIL_PROJECTIONS_HPP
