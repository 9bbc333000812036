// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The scatter matrix of rows that are spread over processes and arrive in groups.

#ifndef MERCER_CORE_ROWS_SCATTER_SUM_HPP
#define MERCER_CORE_ROWS_SCATTER_SUM_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/rows/order_free_sum.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/row_sums.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// The sums of f and of f f^T over all rows f of a RowSpace, or of w f and of w f f^T if rows have
/// weights w >= 0, of which the mean is at most 1. Each process adds its rows in groups; reduce()
/// adds up what the processes have.
///
/// Sums of a group are in T, sums of groups in double. With order-free sums a tile of rows takes
/// the place of a group, and tiles are added in fixed point: the bits do not depend on the number
/// of processes.
/// Cost: O(n m^2) time for n rows of m values on this process, on all threads.
/// Memory: m^2 doubles; with order-free sums m^2 doubles and 2 m^2 integers.
/// Threads: the result has the same bits for any number of threads.
template <Real T>
class ScatterSum {
 public:
  /// \param largest  for order-free sums: the exponent of a bound, |f_j| <= 2^largest for all f
  ScatterSum(const RowSpace& rows, Index columns, int largest)
      : rows_(rows),
        panel_(panel_of(columns)),
        scatter_(zeros_in_huge_pages(Matrix<double>(columns, columns))),
        sum_(Vector<double>::Zero(columns)),
        most_(std::ldexp(1.0, (std::min)(largest, ScaledInteger::largest))) {
    if (!rows.order_free()) return;
    const int count = exponent_of_count(rows.total());
    unit_ = ScaledInteger(2 * largest + count);
    sum_unit_ = ScaledInteger(largest + count);
    high_ = low_ = Matrix64::Zero(columns, columns);
    high_sum_ = low_sum_ = Matrix64::Zero(columns, 1);
  }

  /// Columns of a block of the scatter in one product. Wide panels are packed less often.
  [[nodiscard]] static constexpr Index panel_of(Index columns) { return columns < 768 ? 128 : 256; }

  /// Adds a group of rows of this process. With order-free sums all groups but that with the last
  /// rows have a multiple of 256 rows.
  /// \param weights  of these rows; empty: 1 each
  void add(const Points<T>& f, const Vector<T>& weights = {}) {
    if (f.rows() == 0) return;
    if (weights.size() == 0) return add_products(f, f);
    const Matrix<T> weighted = weights.asDiagonal() * f;
    add_products(weighted, f);
  }

  /// The number of rows that this process has added.
  [[nodiscard]] Index count() const { return count_; }
  /// Whether all rows that this process has added keep to the bound. Always true with plain sums.
  [[nodiscard]] bool within() const { return !rows_.order_free() || largest_seen_ <= most_; }
  /// The least exponent that is a bound of the rows of all processes. Collective.
  [[nodiscard]] int least_bound() const {
    double exponent = Exponent::of(largest_seen_);
    if (rows_.is_spread()) rows_.processes().maximum({&exponent, 1});
    return static_cast<int>(exponent);
  }

  /// Adds up the sums of all processes. All must keep to the bound. Collective.
  void reduce() {
    if (rows_.order_free()) {
      MERCER_ASSERT(within());
      for (Matrix64* part : {&high_, &low_, &high_sum_, &low_sum_})
        rows_.processes().sum(std::span(part->data(), static_cast<std::size_t>(part->size())));
      for (Index j = 0; j < scatter_.cols(); ++j)
        for (Index i = j; i < scatter_.rows(); ++i)
          scatter_(i, j) = ScaledPair::value(high_(i, j), low_(i, j), unit_);
      for (Index i = 0; i < sum_.size(); ++i)
        sum_(i) = ScaledPair::value(high_sum_(i), low_sum_(i), sum_unit_);
    } else if (rows_.is_spread()) {
      rows_.processes().sum(std::span(scatter_.data(), static_cast<std::size_t>(scatter_.size())));
      rows_.processes().sum(std::span(sum_.data(), static_cast<std::size_t>(sum_.size())));
    }
  }

  /// The number of columns of state().
  [[nodiscard]] static Index state_columns(const RowSpace& rows, Index columns) {
    return (rows.order_free() ? 3 : 1) * (columns + 1);
  }

  /// The sums of all processes so far, exactly: the scatter and one column of sums, of order-free
  /// sums three such blocks, as their integers have more digits than a double. All processes must
  /// keep to the bound. Collective.
  /// Shapes: m x state_columns().
  [[nodiscard]] Matrix<double> state() const {
    const Index m = sum_.size();
    Matrix<double> out(m, state_columns(rows_, m));
    if (!rows_.order_free()) {
      out << scatter_, sum_;
      if (rows_.is_spread())
        rows_.processes().sum(std::span(out.data(), static_cast<std::size_t>(out.size())));
      return out;
    }
    Matrix64 high(m, m + 1), low(m, m + 1);
    high << high_, high_sum_;
    low << low_, low_sum_;
    for (Matrix64* part : {&high, &low})
      if (rows_.is_spread())
        rows_.processes().sum(std::span(part->data(), static_cast<std::size_t>(part->size())));
    for (Index j = 0; j <= m; ++j)
      for (Index i = 0; i < m; ++i) {
        ScaledPair::carry(high(i, j), low(i, j));
        const std::int64_t upper = high(i, j) >> state_bits;
        out(i, j) = static_cast<double>(upper);
        out(i, m + 1 + j) = static_cast<double>(high(i, j) - (upper << state_bits));
        out(i, 2 * (m + 1) + j) = static_cast<double>(low(i, j));
      }
    return out;
  }

  /// Adds the sums of a state() with the same bound. On one of the processes only.
  void add_state(const Matrix<double>& state) {
    const Index m = sum_.size();
    if (!rows_.order_free()) {
      scatter_ += state.leftCols(m);
      sum_ += state.col(m);
      return;
    }
    const auto add = [&](Index i, Index j, std::int64_t& high, std::int64_t& low) {
      high += (static_cast<std::int64_t>(state(i, j)) << state_bits) +
              static_cast<std::int64_t>(state(i, m + 1 + j));
      low += static_cast<std::int64_t>(state(i, 2 * (m + 1) + j));
      ScaledPair::carry(high, low);
    };
    for (Index j = 0; j < m; ++j)
      for (Index i = 0; i < m; ++i) add(i, j, high_(i, j), low_(i, j));
    for (Index i = 0; i < m; ++i) add(i, m, high_sum_(i), low_sum_(i));
  }

  /// The sum of f f^T, of which the lower triangle is set. To be moved from after reduce().
  [[nodiscard]] Matrix<double>& scatter() { return scatter_; }
  /// The sum of f.
  [[nodiscard]] Vector<double>& sum() { return sum_; }

 private:
  /// Adds the sums of w f and of (w f) f^T.
  void add_products(const Points<T>& weighted, const Points<T>& f) {
    const PhaseTimer timer(Phase::Products, static_cast<std::size_t>(f.size()) * sizeof(T));
    count_ += f.rows();
    largest_seen_ = (std::max)(largest_seen_, largest_of(f));
    const Index m = f.cols(), panels = (m + panel_ - 1) / panel_;
    parallel_for(panels * (panels + 1) / 2, [&](Index task) {
      Index i = 0;
      while ((i + 1) * (i + 2) / 2 <= task) ++i;
      const Range rows = panel(i), cols = panel(task - i * (i + 1) / 2);
      if (!rows_.order_free()) return add_group(weighted, f, rows, cols);
      if (!within()) return;
      Matrix<T> part(rows.size, cols.size);
      for (Index t = 0; t < tile_count(f.rows()); ++t) {
        const Range tile = Range::tile(t, f.rows());
        add_tile(weighted.middleRows(tile.begin, tile.size), f.middleRows(tile.begin, tile.size),
                 rows, cols, part);
      }
      carry(rows, cols);
    });
  }

  [[nodiscard]] Range panel(Index index) const {
    return {index * panel_, (std::min)(panel_, sum_.size() - index * panel_)};
  }

  /// The largest magnitude; infinite if a value is not finite. 0 if sums are plain.
  [[nodiscard]] double largest_of(const Points<T>& f) const {
    if (!rows_.order_free()) return 0;
    Vector<double> largest(f.cols());
    parallel_for(f.cols(), [&](Index j) {
      constexpr Index piece = 1024;  // fits the cache, as it is read twice
      T most = 0, zero = 0;          // zero: unless a value is not finite
      for (Index begin = 0; begin < f.rows(); begin += piece) {
        const auto values = f.col(j).segment(begin, (std::min)(piece, f.rows() - begin)).array();
        most = (std::max)(most, values.abs().maxCoeff());
        zero += (values * T(0)).sum();
      }
      largest(j) = zero == 0 ? static_cast<double>(most) : std::numeric_limits<double>::infinity();
    });
    return largest.size() > 0 ? largest.maxCoeff() : 0;
  }

  void add_group(const Points<T>& weighted, const Points<T>& f, Range rows, Range cols) {
    const auto left = weighted.middleCols(rows.begin, rows.size);
    const Matrix<T> part = left.transpose() * f.middleCols(cols.begin, cols.size);
    scatter_.block(rows.begin, cols.begin, rows.size, cols.size) += part.template cast<double>();
    if (rows.begin == cols.begin)
      sum_.segment(rows.begin, rows.size) +=
          left.template cast<double>().colwise().sum().transpose();
  }

  /// \param part  of the scatter; overwritten
  void add_tile(const Points<T>& weighted, const Points<T>& f, Range rows, Range cols,
                Matrix<T>& part) {
    part.noalias() = weighted.middleCols(rows.begin, rows.size).transpose() *
                     f.middleCols(cols.begin, cols.size);
    const bool diagonal = rows.begin == cols.begin;
    for (Index j = 0; j < cols.size; ++j) {
      const Index i = diagonal ? j : 0;  // the lower triangle
      add_fixed(&part(i, j), rows.size - i, unit_, &high_(rows.begin + i, cols.begin + j),
                &low_(rows.begin + i, cols.begin + j));
    }
    if (!diagonal) return;
    // A copy: the order of Eigen's sum depends on the address of the first row.
    const Matrix<double> values =
        weighted.middleCols(rows.begin, rows.size).template cast<double>();
    const Vector<double> sums = values.colwise().sum().transpose();
    add_fixed(sums.data(), rows.size, sum_unit_, &high_sum_(rows.begin), &low_sum_(rows.begin));
  }

  /// A group has far fewer than 2^22 tiles; see ScaledPair.
  void carry(Range rows, Range cols) {
    for (Index j = cols.begin; j < cols.begin + cols.size; ++j)
      for (Index i = rows.begin; i < rows.begin + rows.size; ++i)
        ScaledPair::carry(high_(i, j), low_(i, j));
    if (rows.begin != cols.begin) return;
    for (Index i = rows.begin; i < rows.begin + rows.size; ++i)
      ScaledPair::carry(high_sum_(i), low_sum_(i));
  }

  template <Real V>
  static void add_fixed(const V* values, Index count, const ScaledInteger& unit, std::int64_t* high,
                        std::int64_t* low) {
    for (Index i = 0; i < count; ++i)
      ScaledPair::add(static_cast<double>(values[i]), unit, high[i], low[i]);
  }

  static constexpr int state_bits = 30;  ///< a double has 53, and half of an integer has 31

  RowSpace rows_;
  Index panel_;
  Matrix<double> scatter_;
  Vector<double> sum_;
  double most_;
  Index count_ = 0;
  double largest_seen_ = 0;
  ScaledInteger unit_, sum_unit_;
  Matrix64 high_, low_, high_sum_, low_sum_;
};

}  // namespace mercer::detail

#endif  // MERCER_CORE_ROWS_SCATTER_SUM_HPP
