// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Inner products and distances between two matrices of low rank.

#ifndef MERCER_CORE_LOW_RANK_LOW_RANK_NORMS_HPP
#define MERCER_CORE_LOW_RANK_LOW_RANK_NORMS_HPP

#include <algorithm>
#include <cmath>
#include <string_view>

#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/tall_skinny.hpp>

namespace mercer {

namespace detail {

template <Real S>
void require_same_shape(std::string_view who, const LowRank<S>& x, const LowRank<S>& y) {
  if (x.rows() != y.rows() || x.cols() != y.cols())
    fail("mercer::", who, ": matrices of ", x.rows(), " x ", x.cols(), " and ", y.rows(), " x ",
         y.cols());
}

/// tr(X^T Y) / unit^2.
template <Real S>
[[nodiscard]] S inner_in_units(const LowRank<S>& x, const LowRank<S>& y, S unit) {
  const Matrix<S> products =
      mercer::inner(x.row_space(), x.left(), y.left())
          .cwiseProduct(mercer::inner(x.column_space(), x.right(), y.right()));
  return (x.values() / unit).dot(products * (y.values() / unit));
}

}  // namespace detail

/// <X, Y> = tr(X^T Y).
/// Cost: O(n r_x r_y) time.
template <Real S>
[[nodiscard]] S inner(const LowRank<S>& x, const LowRank<S>& y) {
  detail::require_same_shape("inner", x, y);
  return detail::inner_in_units(x, y, S(1));
}

/// |X - Y|_F, computed in a common orthonormal basis.
/// Cost: O(n r_y (r_x + r_y)) time.
/// Accuracy: absolute error of a few epsilon times |X|_F + |Y|_F.
template <Real S>
[[nodiscard]] S distance(const LowRank<S>& x, const LowRank<S>& y) {
  detail::require_same_shape("distance", x, y);
  const Matrix<S> left = detail::GrowingBasis<S>(x.row_space(), x.left()).extend(y.left());
  const Matrix<S> right = detail::GrowingBasis<S>(x.column_space(), x.right()).extend(y.right());
  Matrix<S> core = detail::small_product<S>(left * y.values().asDiagonal(), right.transpose());
  core.topLeftCorner(x.rank(), x.rank()).diagonal() -= x.values();
  return core.size() == 0 ? S(0) : core.stableNorm();
}

/// |X - Y|_F from the norms and the inner product. It needs no basis and is a few times cheaper
/// than distance().
/// Accuracy: the squares cancel, so distances below about sqrt(epsilon) (|X|_F + |Y|_F) are noise.
template <Real S>
[[nodiscard]] S distance_by_inner_products(const LowRank<S>& x, const LowRank<S>& y) {
  detail::require_same_shape("distance_by_inner_products", x, y);
  const S norm_x = x.frobenius_norm();
  const S norm_y = y.frobenius_norm();
  const S unit = (std::max)(norm_x, norm_y);
  if (unit == 0) return 0;
  const S square = (norm_x / unit) * (norm_x / unit) + (norm_y / unit) * (norm_y / unit) -
                   2 * detail::inner_in_units(x, y, unit);
  return unit * std::sqrt((std::max)(square, S(0)));
}

}  // namespace mercer

#endif  // MERCER_CORE_LOW_RANK_LOW_RANK_NORMS_HPP
