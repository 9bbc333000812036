// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Some rows of the product of a Gram matrix with values that arrive batch by batch.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_STREAMED_PRODUCTS_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_STREAMED_PRODUCTS_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <mercer/core/phases.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/prepared_samples.hpp>
#include <mercer/kernels/product.hpp>

namespace mercer::detail {

/// sum_j k(x_r, x_j) h(x_j) at fixed rows x_r, for samples x_j that arrive in batches together with
/// the values h of some functions at them.
/// Lifetime: refers to the rows.
/// Threads: over the fixed rows; the result has the same bits for any number of threads.
template <Real S>
class StreamedProducts {
 public:
  StreamedProducts(KernelView<Matrix<S>> kernel, const Matrix<S>& rows, Index functions)
      : kernel_(std::move(kernel)),
        rows_(rows),
        sums_(Matrix<double>::Zero(rows.rows(), functions + 1)) {}

  /// \p values has a row for each sample, and a column for each function.
  /// Cost: O(rows samples (d + functions)).
  void add(const Matrix<S>& samples, const Matrix<S>& values) {
    const Index count = rows_.rows(), functions = values.cols();
    const auto evaluated = static_cast<std::size_t>(count * samples.rows());
    const PhaseTimer timer(Phase::Certificate, evaluated * sizeof(S));
    if (samples.rows() == 0) return;
    if (!shift_) shift_ = values.colwise().mean().transpose().eval();
    Matrix<S> with_ones(values.rows(), functions + 1);
    with_ones << values.rowwise() - shift_->transpose(), Vector<S>::Ones(values.rows());
    constexpr Index strip = 64;
    const PreparedSamples<Matrix<S>> x = kernel_.prepare(samples), r = kernel_.prepare(rows_, x);
    parallel_for((count + strip - 1) / strip, [&](Index task) {
      const Range rows{task * strip, (std::min)(strip, count - task * strip)};
      Matrix<S> block(rows.size, tile_size), part(rows.size, functions + 1);
      for (Index t = 0; t < tile_count(samples.rows()); ++t) {
        const Range cols = Range::tile(t, samples.rows());
        GramOut<S> tile = block.leftCols(cols.size);
        kernel_.fill(r, rows, x, cols, tile);
        part.setZero();
        multiply_add<S>(tile, with_ones.middleRows(cols.begin, cols.size), part);
        sums_.middleRows(rows.begin, rows.size) += part.template cast<double>();
      }
    });
  }

  /// sum_j k(x_r, x_j) (h(x_j) - means)^T, one row for each x_r.
  [[nodiscard]] Matrix<double> sums(const Vector<double>& means) const {
    const Index functions = sums_.cols() - 1;
    const Vector<double> shift = shift_ ? Vector<double>(shift_->template cast<double>())
                                        : Vector<double>(Vector<double>::Zero(functions));
    return sums_.leftCols(functions) - sums_.col(functions) * (means - shift).transpose();
  }

 private:
  KernelView<Matrix<S>> kernel_;
  const Matrix<S>& rows_;
  // The means of the first values, which are subtracted from all: sums of functions that hardly
  // differ from a constant would lose most of their digits.
  std::optional<Vector<S>> shift_;
  Matrix<double> sums_;  // the last column is that of the constant function 1
};

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_STREAMED_PRODUCTS_HPP
