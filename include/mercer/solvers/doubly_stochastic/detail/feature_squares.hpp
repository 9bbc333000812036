// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Sums of squares of features over the rows of a stream.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_FEATURE_SQUARES_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_FEATURE_SQUARES_HPP

#include <mercer/core/types.hpp>

namespace mercer::detail {

/// The sum of squares of features about their means, and about 0. Means are taken off before values
/// are squared: of features that hardly vary, the difference of two sums of squares would have no
/// digits.
/// Source: Chan, Golub, LeVeque, Algorithms for computing the sample variance, 1983.
class FeatureSquares {
 public:
  explicit FeatureSquares(Index features) : mean_(Vector<double>::Zero(features)) {}

  /// Writes the column sums of some rows, and returns the squares about the column means.
  template <Real S>
  [[nodiscard]] static double of_rows(const Points<S>& z, Eigen::Ref<Vector<double>> sums) {
    double squares = 0;
    for (Index j = 0; j < z.cols(); ++j) {
      const auto column = z.col(j).template cast<double>();
      sums(j) = column.sum();
      squares += (column.array() - sums(j) / static_cast<double>(z.rows())).square().sum();
    }
    return squares;
  }

  /// Adds so many rows, of which of_rows() has given these sums and squares.
  void add(Index rows, const Vector<double>& sums, double squares) {
    const double before = count_, added = static_cast<double>(rows);
    count_ += added;
    const Vector<double> shift = sums / added - mean_;
    mean_ += shift * (added / count_);
    about_means_ += squares + shift.squaredNorm() * before * added / count_;
  }

  [[nodiscard]] double about_means() const { return about_means_; }
  [[nodiscard]] double about_zero() const { return about_means_ + count_ * mean_.squaredNorm(); }

 private:
  double count_ = 0, about_means_ = 0;
  Vector<double> mean_;
};

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_FEATURE_SQUARES_HPP
