// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Means and scatter matrices of rows that arrive batch by batch.

#ifndef MERCER_CORE_MOMENT_SUM_HPP
#define MERCER_CORE_MOMENT_SUM_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// Number of rows, mean, and scatter matrix sum_i (z_i - c)(z_i - c)^T of rows z_i that arrive in
/// batches, in one pass. The centre c is the mean of the rows, or 0 if they are not to be centred.
/// Each batch is centred by its own mean before it is multiplied, and batches are merged exactly.
/// So an offset that is large compared with the spread does no harm. Sums within a batch are in S,
/// sums over batches in double.
/// Cost: O(n m^2) time for n rows and m columns, on all threads.
/// Memory: the m x m matrix and a copy of the batch.
/// Threads: the result has the same bits for any number of threads.
/// Source: Chan, Golub, LeVeque, Algorithms for computing the sample variance, 1983.
template <Real S>
class MomentSum {
 public:
  MomentSum(Index columns, bool centered)
      : centered_(centered),
        mean_(Vector<double>::Zero(columns)),
        scatter_(Matrix<double>::Zero(columns, columns)) {}

  void add(const Points<S>& rows) {
    if (rows.rows() == 0) return;
    const auto before = static_cast<double>(count_), more = static_cast<double>(rows.rows());
    batch_ = rows;
    Vector<double> step = column_means(rows).template cast<double>();
    if (centered_) batch_.rowwise() -= step.template cast<S>().transpose();
    step -= mean_;
    const double weight = centered_ ? before * more / (before + more) : 0;
    const Index m = mean_.size(), tiles = (m + tile - 1) / tile;
    parallel_for(tiles * tiles, [&](Index task) {
      const Index i = task / tiles * tile, j = task % tiles * tile;
      if (i < j) return;
      const Index height = (std::min)(tile, m - i), width = (std::min)(tile, m - j);
      const Matrix<S> product =
          batch_.middleCols(i, height).transpose() * batch_.middleCols(j, width);
      scatter_.block(i, j, height, width) +=
          product.template cast<double>() +
          weight * step.segment(i, height) * step.segment(j, width).transpose();
    });
    mean_ += step * (more / (before + more));
    count_ += rows.rows();
  }

  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] const Vector<double>& mean() const { return mean_; }
  [[nodiscard]] Matrix<double> scatter() const {
    return scatter_.template selfadjointView<Eigen::Lower>();
  }
  /// The sum of |z_i|^2, not centred.
  [[nodiscard]] double squares() const {
    const double shift = centered_ ? static_cast<double>(count_) * mean_.squaredNorm() : 0;
    return scatter_.trace() + shift;
  }
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(scatter_.size()) * sizeof(double) +
           static_cast<std::size_t>(batch_.size()) * sizeof(S);
  }

 private:
  static constexpr Index tile = 128;

  bool centered_;
  Index count_ = 0;
  Vector<double> mean_;
  Matrix<double> scatter_;  // the lower triangle
  Matrix<S> batch_;
};

}  // namespace mercer::detail

#endif  // MERCER_CORE_MOMENT_SUM_HPP
