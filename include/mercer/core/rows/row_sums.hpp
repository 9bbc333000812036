// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Sums over the rows of a RowSpace, in one process or in several.

#ifndef MERCER_CORE_ROWS_ROW_SUMS_HPP
#define MERCER_CORE_ROWS_ROW_SUMS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <mercer/core/rows/order_free_sum.hpp>
#include <mercer/core/rows/row_blocks.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// For each column of \p a, the least exponent e with |a_ij| < 2^e for all rows of all processes.
/// Collective.
template <Real S>
[[nodiscard]] Eigen::VectorXi column_exponents(const RowSpace& rows, const Points<S>& a) {
  Vector<double> largest = Vector<double>::Constant(a.cols(), Exponent::zero);
  parallel_for(a.cols(), [&](Index j) {
    // NaN must not get lost in the maximum.
    if (a.rows() > 0)
      largest(j) = a.col(j).allFinite()
                       ? Exponent::of(static_cast<double>(a.col(j).cwiseAbs().maxCoeff()))
                       : Exponent::infinite;
  });
  if (rows.is_spread())
    rows.processes().maximum({largest.data(), static_cast<std::size_t>(largest.size())});
  return largest.template cast<int>();
}

/// The least e with count <= 2^e.
[[nodiscard]] inline int exponent_of_count(Index count) {
  int e = 0;
  while ((Index{1} << e) < count) ++e;
  return e;
}

/// The bounds of the sums of a_ij b_ik over the rows i, from the exponents of the columns.
[[nodiscard]] inline Eigen::MatrixXi product_bounds(Index rows, const Eigen::VectorXi& a,
                                                    const Eigen::VectorXi& b) {
  return (a.replicate(1, b.size()) + b.transpose().replicate(a.size(), 1)).array() +
         exponent_of_count(rows);
}

/// Calls task(first row, number of rows) for blocks of the rows of this process, in any order. With
/// order-free sums blocks are tiles: the rounding of a row in a product depends on its place in the
/// block.
template <class Task>
void for_local_blocks(const RowSpace& rows, const Task& task) {
  if (!rows.order_free())
    return for_row_blocks(rows.local(), [&](Index, Index first, Index size) { task(first, size); });
  parallel_for(tile_count(rows.local()), [&](Index t) {
    const Range range = Range::tile(t, rows.local());
    task(range.begin, range.size);
  });
}

/// The sum of part(first row, number of rows) over blocks of the rows of this process, in fixed
/// point. Blocks are tiles, so they are the same on any number of processes.
template <class Part>
void add_tiles(Index local, const Part& part, OrderFreeSum& sum) {
  constexpr Index tiles_in_task = 8;
  const Index tiles = tile_count(local), tasks = (tiles + tiles_in_task - 1) / tiles_in_task;
  const OrderFreeSum zero = sum;
  for (Index start = 0; start < tasks; start += blocks_at_once) {
    const Index count = (std::min)(blocks_at_once, tasks - start);
    std::vector<OrderFreeSum> sums(static_cast<std::size_t>(count), zero);
    parallel_for(count, [&](Index task) {
      const Index begin = (start + task) * tiles_in_task;
      for (Index t = begin; t < (std::min)(tiles, begin + tiles_in_task); ++t) {
        const Range range = Range::tile(t, local);
        sums[static_cast<std::size_t>(task)].add(part(range.begin, range.size));
      }
    });
    for (const OrderFreeSum& done : sums) sum.add(done);
  }
}

/// The sum over all rows of part(first row, number of rows), a matrix of the shape of the bounds.
/// Parts get rows of this process, counted from its first one. Collective.
///
/// In one process, parts are blocks of 1024 rows that are added in order. With order-free sums they
/// are tiles, added in fixed point.
/// \param bounds  called for order-free sums: exponents of bounds of the sums, see OrderFreeSum
/// \param may_throw  what a part throws on one process, all throw. Takes one more message
template <Real S, class Part, class Bounds>
[[nodiscard]] Matrix<S> sum_over_rows(const RowSpace& rows, Index height, Index width,
                                      const Part& part, const Bounds& bounds,
                                      bool may_throw = false) {
  Matrix<S> sum = Matrix<S>::Zero(height, width);
  if (sum.size() == 0) return sum;
  const auto run = [&](const auto& work) {
    if (may_throw)
      rows.together(work);
    else
      work();
  };
  if (!rows.order_free()) {
    run([&] { add_row_blocks(rows.local(), part, sum); });
    if (rows.is_spread()) {
      Matrix<double> all = sum.template cast<double>();
      rows.processes().sum(std::span(all.data(), static_cast<std::size_t>(all.size())));
      sum = all.template cast<S>();
    }
    return sum;
  }
  OrderFreeSum fixed{bounds()};
  run([&] { add_tiles(rows.local(), part, fixed); });
  fixed.reduce(rows.processes());
  return fixed.value().template cast<S>();
}

}  // namespace mercer::detail

#endif  // MERCER_CORE_ROWS_ROW_SUMS_HPP
