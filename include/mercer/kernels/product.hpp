// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel matrix times block of vectors, without the kernel matrix.

#ifndef MERCER_KERNELS_PRODUCT_HPP
#define MERCER_KERNELS_PRODUCT_HPP

#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>

namespace mercer {

namespace detail {

/// A block of samples in the stored form To, from a dense or sparse expression.
template <OwnedSamples To, class From>
[[nodiscard]] To to_owned(const From& from) {
  if constexpr (SparseSamples<To> && !SparseSamples<From>)
    return from.sparseView();
  else
    return To(from);
}

/// out += a b. The one dense product of blocks, so that each program compiles it once.
template <Real S>
void multiply_add(const Points<S>& a, const Points<S>& b, GramOut<S> out) {
  out.noalias() += a * b;
}

}  // namespace detail

/// out = K(Q, X) V, where K(Q, X)(i, j) = k(q_i, x_j): each tile of K is evaluated, multiplied and
/// forgotten.
/// Shapes: q  rows x d in any dense or (row-major) sparse form, x n x d, v n x b, out rows x b.
/// Cost: O(rows n (d + b)) time; memory beyond the arguments: a few tiles per thread, however many
/// rows. Threads: over blocks of rows of q; tiles are summed in the order of x, so the result does
/// not depend on the number of threads.
template <KernelOrPrecomputed K, class Q, OwnedSamples X>
void kernel_product(const K& kernel, const Q& q, const X& x, const Points<typename X::Scalar>& v,
                    GramOut<typename X::Scalar> out) {
  using S = typename X::Scalar;
  if (v.cols() == 0) return;
  parallel_for(detail::tile_count(q.rows()), [&](Index task) {
    const auto rows = detail::Range::tile(task, q.rows());
    const Index begin = q.cols() == 0 ? 0 : rows.begin;  // as in rows_of
    const X block = detail::to_owned<X>(q.middleRows(begin, rows.size));
    Matrix<S> sum = Matrix<S>::Zero(rows.size, v.cols());
    Matrix<S> tile(rows.size, detail::tile_size);
    for (Index j = 0; j < detail::tile_count(x.rows()); ++j) {
      const auto cols = detail::Range::tile(j, x.rows());
      detail::fill_tile(kernel, block, {0, rows.size}, x, cols, tile.leftCols(cols.size));
      detail::multiply_add<S>(tile.leftCols(cols.size), v.middleRows(cols.begin, cols.size), sum);
    }
    out.middleRows(rows.begin, rows.size) = sum;
  });
}

}  // namespace mercer

#endif  // MERCER_KERNELS_PRODUCT_HPP
