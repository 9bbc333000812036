// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Sums of tile products, in fixed point or in double.

#ifndef MERCER_CORE_ROWS_TILE_SUMS_HPP
#define MERCER_CORE_ROWS_TILE_SUMS_HPP

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <mercer/core/rows/order_free_sum.hpp>
#include <mercer/core/rows/row_bytes.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/row_sums.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// Sums of tile products for some rows, in fixed point or in double. Adding to different rows at
/// the same time is allowed.
class TileSums {
 public:
  TileSums() = default;
  /// \param units  of each column; empty: sums are in double
  /// \param row_scales  for each row, a power of two that its sums in fixed point are divided by;
  ///   empty: 1
  TileSums(Index rows, Index cols, std::vector<ScaledInteger> units, Vector<double> row_scales = {})
      : units_(std::move(units)), row_scales_(std::move(row_scales)) {
    if (units_.empty())
      plain_.setZero(rows, cols);
    else
      fixed_.setZero(rows, cols);
  }

  /// Adds to the rows from \p first on. Returns false if a value is beyond the bound of its column,
  /// of which \p share is the part that one product may have.
  template <Real T>
  [[nodiscard]] bool add(Index first, const RowMajorMatrix<T>& product, double share) {
    if (units_.empty()) {
      plain_.middleRows(first, product.rows()) += product.template cast<double>();
      return true;
    }
    constexpr double most = 0x1p61;
    bool within = true;
    for (Index i = 0; i < product.rows(); ++i) {
      std::int64_t* const sums = &fixed_(first + i, 0);
      const double down = 1 / row_scale(first + i);
      for (Index j = 0; j < product.cols(); ++j) {
        const ScaledInteger& unit = units_[static_cast<std::size_t>(j)];
        if (!unit.is_finite()) continue;
        const double scaled = unit.scaled(static_cast<double>(product(i, j)) * down);
        const bool fits = std::abs(scaled) <= share * most;
        within = within && fits;
        if (fits) sums[j] += ScaledInteger::cut(scaled);
      }
    }
    return within;
  }

  void add(const TileSums& other) {
    if (units_.empty())
      plain_ += other.plain_;
    else
      fixed_ += other.fixed_;
  }

  [[nodiscard]] Matrix<double> values(Index cols) const {
    if (units_.empty()) return plain_.leftCols(cols);
    Matrix<double> out(fixed_.rows(), cols);
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < out.rows(); ++i)
        out(i, j) = units_[static_cast<std::size_t>(j)].value(fixed_(i, j)) * row_scale(i);
    return out;
  }

  void write(RowWriter& out) const {
    out.add(plain_);
    out.add(fixed_);
  }
  void read(RowReader& in) {
    in.read(plain_);
    in.read(fixed_);
  }

 private:
  [[nodiscard]] double row_scale(Index row) const {
    return row_scales_.size() > 0 ? row_scales_(row) : 1.0;
  }

  std::vector<ScaledInteger> units_;
  Vector<double> row_scales_;
  RowMajorMatrix<double> plain_;
  Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> fixed_;
};

/// Vectors in the scalar T of tiles, for products with a kernel whose values are below 2^largest.
/// They are scaled by powers of two to be in the range of T. Collective.
template <Real T>
struct SpreadVectors {
  /// \param padded  the number of columns becomes a multiple of it
  SpreadVectors(const RowSpace& rows, const Points<double>& v, int largest, Index padded)
      : values(RowMajorMatrix<T>::Zero(v.rows(), (v.cols() + padded - 1) / padded * padded)),
        scales(Vector<double>::Ones(v.cols())) {
    const Eigen::VectorXi exponents = column_exponents<double>(rows, v);
    const int count = exponent_of_count(rows.total());
    for (Index j = 0; j < v.cols(); ++j) {
      const bool scaled = std::same_as<T, float> && exponents(j) > Exponent::zero &&
                          exponents(j) < Exponent::infinite;
      if (scaled) scales(j) = std::ldexp(1.0, exponents(j));
      values.col(j) = (v.col(j) / scales(j)).template cast<T>();
      // One more for the rounding of values and products.
      if (rows.order_free()) units.emplace_back((scaled ? 0 : exponents(j)) + largest + count + 1);
    }
    if (rows.order_free())
      units.resize(static_cast<std::size_t>(values.cols()), ScaledInteger(ScaledInteger::bits));
  }

  RowMajorMatrix<T> values;
  Vector<double> scales;             ///< values times scales are the vectors
  std::vector<ScaledInteger> units;  ///< of the sums of products, see TileSums
};

}  // namespace mercer::detail

#endif  // MERCER_CORE_ROWS_TILE_SUMS_HPP
