// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Means and scatter matrices of rows that arrive batch by batch.

#ifndef MERCER_CORE_MOMENT_SUM_HPP
#define MERCER_CORE_MOMENT_SUM_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// Number of rows, mean, and scatter matrix sum_i w_i (z_i - c)(z_i - c)^T of rows z_i with weights
/// w_i, 1 if none are given, that arrive in batches, in one pass. The centre c is the weighted mean
/// of the rows, or 0 if they are not to be centred.
/// Each batch is centred by its own mean before it is multiplied, and batches are merged exactly.
/// So an offset that is large compared with the spread does no harm. Sums within a batch are in S,
/// sums over batches in double. Sums over different rows can be merged, too: they are what one sum
/// over all these rows would be, up to rounding. If each has one batch and they are merged in the
/// order of the batches, they are the same to the last bit.
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

  /// The sum that has these values.
  /// \param scatter  symmetric; the lower triangle is read
  /// Throws InvalidArgument for a negative count, shapes that do not fit together, and sums over no
  ///   rows that are not zero.
  MomentSum(bool centered, Index count, Vector<double> mean, Matrix<double> scatter)
      : centered_(centered),
        count_(count),
        weight_(static_cast<double>(count)),
        mean_(std::move(mean)),
        scatter_(std::move(scatter)) {
    require_at_least("MomentSum", "count", count, Index{0});
    if (scatter_.rows() != mean_.size() || scatter_.cols() != mean_.size())
      fail("mercer::MomentSum: the scatter is ", scatter_.rows(), " x ", scatter_.cols(),
           ", but the mean has ", mean_.size(), " values");
    if (count == 0 && !(mean_.isZero(0) && scatter_.isZero(0)))
      fail("mercer::MomentSum: sums over no rows must be zero");
  }

  /// \param weights  of these rows, not negative; empty: 1 each
  void add(const Points<S>& rows, const Vector<double>& weights = {}) {
    if (rows.rows() == 0) return;
    if (weights.size() > 0) return add_weighted(rows, weights);
    const PhaseTimer timer(Phase::Products, static_cast<std::size_t>(rows.size()) * sizeof(S));
    batch_ = rows;
    // Of the copy: sums of columns in Eigen depend on where in memory a column begins.
    const Vector<double> mean = column_means(batch_).template cast<double>();
    if (centered_) batch_.rowwise() -= mean.template cast<S>().transpose();
    join(rows.rows(), static_cast<double>(rows.rows()), mean, products_of(batch_));
  }

  /// Adds the rows of another sum over as many columns, centred as this one is.
  /// Cost: O(m^2).
  void merge(const MomentSum& other) {
    MERCER_ASSERT(other.columns() == columns() && other.centered_ == centered_);
    if (other.count_ == 0) return;
    join(other.count_, other.weight_, other.mean_,
         [&](Index i, Index j, Index height, Index width) -> Matrix<double> {
           return other.scatter_.block(i, j, height, width);
         });
  }

  [[nodiscard]] Index columns() const { return mean_.size(); }
  [[nodiscard]] bool centered() const { return centered_; }
  [[nodiscard]] Index count() const { return count_; }
  /// The sum of the weights.
  [[nodiscard]] double weight() const { return weight_; }
  [[nodiscard]] const Vector<double>& mean() const { return mean_; }
  [[nodiscard]] Matrix<double> scatter() const {
    return scatter_.template selfadjointView<Eigen::Lower>();
  }
  /// The sum of |z_i|^2, not centred.
  [[nodiscard]] double squares() const {
    const double shift = centered_ ? weight_ * mean_.squaredNorm() : 0;
    return scatter_.trace() + shift;
  }
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(scatter_.size()) * sizeof(double) +
           static_cast<std::size_t>(batch_.size()) * sizeof(S);
  }

 private:
  static constexpr Index tile = 128;

  void add_weighted(const Points<S>& rows, const Vector<double>& weights) {
    MERCER_ASSERT(weights.size() == rows.rows());
    const double total = weights.sum();
    const PhaseTimer timer(Phase::Products, static_cast<std::size_t>(rows.size()) * sizeof(S));
    batch_ = rows;
    const Vector<S> shares = (weights / (total > 0 ? total : 1)).template cast<S>();
    const Vector<double> mean =
        column_means(RowSpace::whole(rows.rows()), &shares, batch_).template cast<double>();
    if (centered_) batch_.rowwise() -= mean.template cast<S>().transpose();
    batch_ = (weights.cwiseSqrt().template cast<S>().asDiagonal() * batch_).eval();
    join(rows.rows(), total, mean, products_of(batch_));
  }

  /// Blocks of the products of the columns of a batch.
  [[nodiscard]] static auto products_of(const Matrix<S>& batch) {
    return [&batch](Index i, Index j, Index height, Index width) -> Matrix<double> {
      Matrix<S> product = Matrix<S>::Zero(height, width);
      add_inner_products<S>(batch.middleCols(i, height), batch.middleCols(j, width), product);
      return product.template cast<double>();
    };
  }

  /// Adds \p rows rows with this weight and mean. \p scatter returns a block of their scatter
  /// matrix.
  template <class Scatter>
  void join(Index rows, double more, const Vector<double>& mean, const Scatter& scatter) {
    count_ += rows;
    if (!(more > 0)) return;
    const double before = weight_;
    const Vector<double> step = mean - mean_;
    const double weight = centered_ ? before * more / (before + more) : 0;
    const Index m = mean_.size(), tiles = (m + tile - 1) / tile;
    parallel_for(tiles * tiles, [&](Index task) {
      const Index i = task / tiles * tile, j = task % tiles * tile;
      if (i < j) return;
      const Index height = (std::min)(tile, m - i), width = (std::min)(tile, m - j);
      scatter_.block(i, j, height, width) +=
          scatter(i, j, height, width) +
          weight * step.segment(i, height) * step.segment(j, width).transpose();
    });
    mean_ += step * (more / (before + more));
    weight_ += more;
  }

  bool centered_;
  Index count_ = 0;
  double weight_ = 0;
  Vector<double> mean_;
  Matrix<double> scatter_;  // the lower triangle
  Matrix<S> batch_;
};

}  // namespace mercer::detail

#endif  // MERCER_CORE_MOMENT_SUM_HPP
