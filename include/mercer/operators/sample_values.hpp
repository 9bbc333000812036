// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel values of some samples, for the start of an iteration: see HasSamples.

#ifndef MERCER_OPERATORS_SAMPLE_VALUES_HPP
#define MERCER_OPERATORS_SAMPLE_VALUES_HPP

#include <cstddef>
#include <string_view>
#include <vector>

#include <mercer/core/symmetric_tiles.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>

namespace mercer::detail {

/// The Gram matrix of prepared samples, m x m.
/// \param numbers  of the samples, for errors of \p who
/// \tparam Y  the form of the samples, in the scalar of the values
/// Throws InvalidArgument for a value that is not finite. The message names the pair of samples.
template <OwnedSamples Y, OwnedSamples X>
[[nodiscard]] Matrix<double> gram_of(std::string_view who, const KernelView<X>& kernel,
                                     const PreparedSamples<Y>& prepared,
                                     const std::vector<Index>& numbers) {
  using T = typename Y::Scalar;
  const Index m = prepared.samples->rows();
  Matrix<T> out(m, m);
  fill_symmetric<T>(
      m,
      [&](Index i, Index j, GramOut<T> tile) {
        kernel.fill(prepared, Range::tile(i, m), prepared, Range::tile(j, m), tile);
      },
      out);
  const auto number = [&](Index i) { return numbers[static_cast<std::size_t>(i)]; };
  require_finite_values(who, kernel, out, number, number);
  return out.template cast<double>();
}

/// The product of an n x m block with m x b weights, whose tiles in T are written by
/// fill(rows, cols, out).
/// Threads: over rows.
template <Real T, class Fill>
[[nodiscard]] Matrix<double> product_of_tiles(Index n, const Matrix<double>& weights,
                                              const Fill& fill) {
  const Matrix<T> w = weights.template cast<T>();
  Matrix<double> out = Matrix<double>::Zero(n, w.cols());
  if (out.size() == 0) return out;
  parallel_for(tile_count(n), [&](Index task) {
    const Range block = Range::tile(task, n);
    Matrix<T> sum = Matrix<T>::Zero(block.size, w.cols()), tile(block.size, tile_size);
    for (Index j = 0; j < tile_count(w.rows()); ++j) {
      const Range cols = Range::tile(j, w.rows());
      GramOut<T> values = tile.leftCols(cols.size);
      fill(block, cols, values);
      multiply_add<T>(values, w.middleRows(cols.begin, cols.size), sum);
    }
    out.middleRows(block.begin, block.size) = sum.template cast<double>();
  });
  return out;
}

}  // namespace mercer::detail

#endif  // MERCER_OPERATORS_SAMPLE_VALUES_HPP
