// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Some rows of the product of a Gram matrix with values that arrive batch by batch.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_STREAMED_PRODUCTS_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_STREAMED_PRODUCTS_HPP

#include <algorithm>
#include <concepts>
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
/// the values h of some functions at them. Kernel values are in double, also for samples in single
/// precision, unless the kernel has none: residuals of small components would be those of rounding.
/// Lifetime: refers to the rows.
/// Threads: over the fixed rows; the result has the same bits for any number of threads.
template <Real S>
class StreamedProducts {
 public:
  StreamedProducts(KernelView<Matrix<S>> kernel, const Matrix<S>& rows, Index functions)
      : kernel_(std::move(kernel)),
        rows_(rows),
        sums_(Matrix<double>::Zero(rows.rows(), functions + 1)),
        totals_(Vector<double>::Zero(functions + 1)) {}

  /// \p values has a row for each sample, and a column for each function.
  /// Cost: O(rows samples (d + functions)).
  void add(const Matrix<S>& samples, const Matrix<S>& values) {
    const Index functions = values.cols();
    const bool widened = !std::same_as<S, double> && kernel_.has_double();
    const auto evaluated = static_cast<std::size_t>(rows_.rows() * samples.rows());
    const PhaseTimer timer(Phase::Certificate, evaluated * (widened ? sizeof(double) : sizeof(S)));
    if (samples.rows() == 0) return;
    if (!shift_) shift_ = values.colwise().mean().transpose().eval();
    Matrix<S> with_ones(values.rows(), functions + 1);
    with_ones << values.rowwise() - shift_->transpose(), Vector<S>::Ones(values.rows());
    totals_ += with_ones.template cast<double>().colwise().sum().transpose();
    if constexpr (!std::same_as<S, double>)
      if (widened) {
        const Matrix<double> x = samples.template cast<double>(), r = rows_.template cast<double>();
        add_strips<double>(samples.rows(), with_ones.template cast<double>(),
                           [&](Range rows, Range cols, auto tile) {
                             kernel_.fill_double(r, rows, x, cols, tile);
                           });
        return;
      }
    const PreparedSamples<Matrix<S>> x = kernel_.prepare(samples), r = kernel_.prepare(rows_, x);
    add_strips<S>(samples.rows(), with_ones,
                  [&](Range rows, Range cols, auto tile) { kernel_.fill(r, rows, x, cols, tile); });
  }

  /// The mean of h over all samples. Each sum is one in double, so that h less this mean is centred
  /// also where h hardly varies.
  [[nodiscard]] Vector<double> mean() const {
    const Index functions = totals_.size() - 1;
    if (!shift_) return Vector<double>::Zero(functions);
    return shift_->template cast<double>() + totals_.head(functions) / totals_(functions);
  }

  /// sum_j k(x_r, x_j) (h(x_j) - means)^T, one row for each x_r.
  [[nodiscard]] Matrix<double> sums(const Vector<double>& means) const {
    const Index functions = sums_.cols() - 1;
    const Vector<double> shift = shift_ ? Vector<double>(shift_->template cast<double>())
                                        : Vector<double>(Vector<double>::Zero(functions));
    return sums_.leftCols(functions) - sums_.col(functions) * (means - shift).transpose();
  }

 private:
  /// Adds the products with strips of the fixed rows.
  /// \param samples    the number of samples
  /// \param with_ones  the values of the functions less the shift, and ones
  /// \param fill       fill(rows, cols, tile) sets a tile of kernel values
  template <Real T, class Fill>
  void add_strips(Index samples, const Matrix<T>& with_ones, const Fill& fill) {
    constexpr Index strip = 64;
    const Index count = rows_.rows();
    parallel_for((count + strip - 1) / strip, [&](Index task) {
      const Range rows{task * strip, (std::min)(strip, count - task * strip)};
      Matrix<T> block(rows.size, tile_size), part(rows.size, with_ones.cols());
      for (Index t = 0; t < tile_count(samples); ++t) {
        const Range cols = Range::tile(t, samples);
        GramOut<T> tile = block.leftCols(cols.size);
        fill(rows, cols, tile);
        part.setZero();
        multiply_add<T>(tile, with_ones.middleRows(cols.begin, cols.size), part);
        sums_.middleRows(rows.begin, rows.size) += part.template cast<double>();
      }
    });
  }

  KernelView<Matrix<S>> kernel_;
  const Matrix<S>& rows_;
  // The means of the first values, which are subtracted from all: sums of functions that hardly
  // differ from a constant would lose most of their digits.
  std::optional<Vector<S>> shift_;
  Matrix<double> sums_;    // the last column is that of the constant function 1
  Vector<double> totals_;  // of h less the shift, and the number of samples
};

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_STREAMED_PRODUCTS_HPP
