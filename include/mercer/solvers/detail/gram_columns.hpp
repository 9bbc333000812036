// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Single columns of a Gram matrix, and products with it, for a kernel given as KernelView.

#ifndef MERCER_SOLVERS_DETAIL_GRAM_COLUMNS_HPP
#define MERCER_SOLVERS_DETAIL_GRAM_COLUMNS_HPP

#include <cstddef>
#include <vector>

#include <mercer/core/samples.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/symmetric_product.hpp>

namespace mercer::detail {

/// K(i, j) = k(x_i, x_j), a symmetric operator in double; kernel values are computed in the scalar
/// of the samples. Unless the whole matrix is stored, columns are evaluated in groups, which is
/// much cheaper than one by one.
/// Lifetime: refers to the kernel and the samples.
template <OwnedSamples X>
class GramColumns {
 public:
  using Scalar = double;
  using S = typename X::Scalar;

  /// Throws InvalidArgument for a value that is not finite: here if stored, else in apply().
  GramColumns(const KernelView<X>& kernel, const X& samples, bool stored)
      : kernel_(kernel), samples_(samples), prepared_(kernel.prepare(samples)) {
    if (stored) store();
  }

  [[nodiscard]] Index rows() const { return samples_.rows(); }

  [[nodiscard]] Vector<double> diagonal() const {
    return kernel_.diagonal(samples_).template cast<double>();
  }

  /// out = K v, n x b.
  /// Cost: n^2 / 2 kernel values unless stored, and 2 n^2 b operations.
  void apply(const Points<double>& v, GramOut<double> out) const {
    const Index n = rows();
    if (stored_.size() > 0)
      symmetric_tile_product<S, double>(
          n,
          [&](Index i, Index j) {
            const Range rows = Range::tile(i, n), cols = Range::tile(j, n);
            return stored_.block(rows.begin, cols.begin, rows.size, cols.size);
          },
          v, out);
    else
      symmetric_tile_product<S, double>(
          n, [&](Index i, Index j) { return tile(i, j); }, v, out);
  }

  /// Prepares the columns order[first], ..., order[first + count - 1].
  void load(const std::vector<Index>& order, Index first, Index count) {
    loaded_.assign(order.begin() + first, order.begin() + first + count);
    if (stored_.size() > 0) return;
    const X chosen = take_rows(samples_, loaded_);
    const PreparedSamples<X> prepared = kernel_.prepare(chosen, prepared_);
    values_.resize(rows(), count);
    parallel_for(tile_count(rows()), [&](Index task) {
      const Range block = Range::tile(task, rows());
      kernel_.fill(prepared_, block, prepared, {0, count},
                   values_.middleRows(block.begin, block.size));
    });
  }

  /// Column order[first + at] of those prepared by load(), n values.
  [[nodiscard]] Eigen::Ref<const Vector<S>> column(Index at) const {
    if (stored_.size() > 0) return stored_.col(loaded_[static_cast<std::size_t>(at)]);
    return values_.col(at);
  }

 private:
  void store() {
    stored_.resize(rows(), rows());
    for_symmetric_tiles(tile_count(rows()), [&](Index i, Index j) {
      const Range rows = Range::tile(i, this->rows()), cols = Range::tile(j, this->rows());
      const Matrix<S> values = tile(i, j);
      stored_.block(rows.begin, cols.begin, rows.size, cols.size) = values;
      if (i != j) stored_.block(cols.begin, rows.begin, cols.size, rows.size) = values.transpose();
    });
  }

  /// Tile (i, j). Tiles on the diagonal are symmetric to the last bit.
  [[nodiscard]] Matrix<S> tile(Index i, Index j) const {
    const Range rows = Range::tile(i, this->rows()), cols = Range::tile(j, this->rows());
    Matrix<S> values(rows.size, cols.size);
    kernel_.fill(prepared_, rows, prepared_, cols, values);
    require_finite_values(kernel_, values, rows, cols);
    if (i == j) values.template triangularView<Eigen::StrictlyUpper>() = values.transpose();
    return values;
  }

  KernelView<X> kernel_;
  const X& samples_;
  PreparedSamples<X> prepared_;
  Matrix<S> stored_;           // n x n, or empty
  std::vector<Index> loaded_;  // numbers of the columns in values_
  Matrix<S> values_;           // n x loaded
};

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DETAIL_GRAM_COLUMNS_HPP
