// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The distance of an unmixing matrix to the true one, up to order, sign and scale of the sources.

#ifndef MERCER_METRICS_AMARI_ERROR_HPP
#define MERCER_METRICS_AMARI_ERROR_HPP

#include <cmath>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// The Amari error of P = \p unmixing \p mixing, which for a perfect unmixing is a permutation of
/// the sources with other signs and scales:
///   [sum_i (sum_j |p_ij| / max_j |p_ij| - 1) + sum_j (sum_i |p_ij| / max_i |p_ij| - 1)] / (2 m (m
///   - 1)).
/// It is between 0, for such a P only, and 1, if all |p_ij| are equal.
/// Shapes: both m x m, m >= 2; samples are X = S mixing^T and sources X unmixing^T.
/// Throws InvalidArgument for other shapes, for values that are not finite, and for a row or column
///   of zeros in P.
/// Source: Amari, Cichocki, Yang, A new learning algorithm for blind signal separation, 1996,
///   scaled as in Bach, Jordan, Kernel independent component analysis, 2002.
template <class U, class A>
[[nodiscard]] double amari_error(const Eigen::MatrixBase<U>& unmixing,
                                 const Eigen::MatrixBase<A>& mixing) {
  const Index m = unmixing.rows();
  if (m < 2)
    detail::fail("mercer::amari_error: needs at least two sources, got a matrix of ", m, " x ",
                 unmixing.cols());
  detail::require_matrix("amari_error", "unmixing", unmixing, m, m);
  detail::require_matrix("amari_error", "mixing", mixing, m, m);
  Matrix<double> p(m, m);
  // No call of a product of Eigen's: for matrices of this size, it is only slow to compile.
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i < m; ++i) {
      double sum = 0;
      for (Index l = 0; l < m; ++l)
        sum += static_cast<double>(unmixing(i, l)) * static_cast<double>(mixing(l, j));
      p(i, j) = std::abs(sum);
    }
  double excess = 0;
  for (Index i = 0; i < m; ++i) {
    const double row = p.row(i).maxCoeff(), column = p.col(i).maxCoeff();
    if (!(row > 0 && column > 0))
      detail::fail("mercer::amari_error: unmixing times mixing has only zeros in ",
                   row > 0 ? "column " : "row ", i, " (counted from 0)");
    excess += p.row(i).sum() / row - 1 + p.col(i).sum() / column - 1;
  }
  return excess / static_cast<double>(2 * m * (m - 1));
}

}  // namespace mercer

#endif  // MERCER_METRICS_AMARI_ERROR_HPP
