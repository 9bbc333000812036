// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Any loss behind one type, applied to blocks of rows.

#ifndef MERCER_LOSSES_LOSS_VIEW_HPP
#define MERCER_LOSSES_LOSS_VIEW_HPP

#include <concepts>
#include <numeric>
#include <vector>

#include <mercer/core/lifetime.hpp>
#include <mercer/core/rows/row_blocks.hpp>
#include <mercer/core/types.hpp>
#include <mercer/losses/loss.hpp>

namespace mercer::detail {

/// A loss behind function pointers, so that code that uses a loss is compiled once. Rows are
/// processed in fixed blocks, so sums have the same bits for any number of threads.
/// Lifetime: refers to the loss, which must outlive it.
template <Real S>
class LossView {
 public:
  template <class L>
    requires(!std::same_as<L, LossView> && Loss<L, S>)
  explicit LossView(const L& loss MERCER_LIFETIMEBOUND)
      : loss_(&loss), value_(&value_of<L>), conjugate_(&conjugate_of<L>), prox_(&prox_of<L>) {}

  /// f(Y).
  [[nodiscard]] double value(const Matrix<S>& y) const { return sum(value_, y); }

  /// Psi*(H); may be infinite.
  [[nodiscard]] double conjugate(const Matrix<S>& h) const { return sum(conjugate_, h); }

  /// y <- prox of Psi* at y.
  void apply_prox(Matrix<S>& y) const {
    for_row_blocks(y.rows(), [&](Index, Index first, Index size) {
      y.middleRows(first, size) = prox_(loss_, y.middleRows(first, size));
    });
  }

 private:
  using Value = double (*)(const void*, const Points<S>&);
  using Prox = Matrix<S> (*)(const void*, const Points<S>&);

  [[nodiscard]] double sum(Value part, const Matrix<S>& rows) const {
    std::vector<double> parts(static_cast<std::size_t>((rows.rows() + row_block - 1) / row_block));
    for_row_blocks(rows.rows(), [&](Index block, Index first, Index size) {
      parts[static_cast<std::size_t>(block)] = part(loss_, rows.middleRows(first, size));
    });
    return std::accumulate(parts.begin(), parts.end(), 0.0);
  }

  template <class L>
  static double value_of(const void* loss, const Points<S>& y) {
    return static_cast<const L*>(loss)->value(y);
  }
  template <class L>
  static double conjugate_of(const void* loss, const Points<S>& h) {
    return static_cast<const L*>(loss)->conjugate(h);
  }
  template <class L>
  static Matrix<S> prox_of(const void* loss, const Points<S>& y) {
    return static_cast<const L*>(loss)->prox_conjugate(y);
  }

  const void* loss_;
  Value value_;
  Value conjugate_;
  Prox prox_;
};

}  // namespace mercer::detail

#endif  // MERCER_LOSSES_LOSS_VIEW_HPP
