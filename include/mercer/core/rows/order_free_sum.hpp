// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Sums in fixed point, which do not depend on the order of the additions.

#ifndef MERCER_CORE_ROWS_ORDER_FREE_SUM_HPP
#define MERCER_CORE_ROWS_ORDER_FREE_SUM_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <mercer/core/rows/processes.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

using Matrix64 = Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic>;

/// A power of two that bounds the magnitude of a value, as the exponent e of 2^e.
struct Exponent {
  static constexpr int zero = -2000;     ///< of the value 0
  static constexpr int infinite = 4000;  ///< of a value that is not finite

  /// The least e with |value| < 2^e.
  [[nodiscard]] static int of(double value) {
    if (!std::isfinite(value)) return infinite;
    return value == 0 ? zero : std::ilogb(value) + 1;
  }
};

/// The integers that stand for values whose sum is below 2^bound: value times unit(bound), cut.
/// Their sum stays below 2^61.
struct ScaledInteger {
  static constexpr int bits = 61;
  static constexpr int largest = 900;  ///< sums up to 2^900 are finite

  /// A power of two; 0 if the sum need not be finite, which is then NaN. Digits below 2^-961 are
  /// lost.
  [[nodiscard]] static double unit(int bound) {
    return bound > largest ? 0.0 : std::ldexp(1.0, bits - (std::max)(bound, -largest));
  }
  [[nodiscard]] static std::int64_t cut(double scaled) { return static_cast<std::int64_t>(scaled); }
  [[nodiscard]] static double value(std::int64_t fixed, double unit) {
    return unit == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(fixed) / unit;
  }
};

/// A sum in two integers: one in units of 2^-61 of its bound, the other one in units of 2^-101 of
/// it. So the sum keeps the digits of a double even if it is far smaller than its bound. Up to 2^22
/// values may be added.
struct ScaledPair {
  static constexpr double low_unit = 0x1p40;

  /// Adds \p value times \p unit, that of the ScaledInteger.
  static void add(double value, double unit, std::int64_t& high, std::int64_t& low) {
    const double scaled = value * unit;
    const std::int64_t whole = ScaledInteger::cut(scaled);
    high += whole;
    // The difference is exact: it has no more digits than the value.
    low += ScaledInteger::cut((scaled - static_cast<double>(whole)) * low_unit);
  }
  [[nodiscard]] static double value(std::int64_t high, std::int64_t low, double unit) {
    return ScaledInteger::value(high, unit) + ScaledInteger::value(low, unit) / low_unit;
  }
};

/// A matrix of sums of parts, each entry a ScaledPair. The result has the same bits for any order
/// of the parts, and for any processes that they come from.
class OrderFreeSum {
 public:
  /// \param bounds  exponents: the sum of the magnitudes of part(i, j) must be below 2^bounds(i, j)
  explicit OrderFreeSum(const Eigen::MatrixXi& bounds)
      : units_(bounds.unaryExpr([](int bound) { return ScaledInteger::unit(bound); })),
        high_(Matrix64::Zero(bounds.rows(), bounds.cols())),
        low_(Matrix64::Zero(bounds.rows(), bounds.cols())) {}

  template <Real S>
  void add(const Matrix<S>& part) {
    for (Index i = 0; i < units_.size(); ++i) {
      const double unit = units_(i);
      if (unit != 0) ScaledPair::add(static_cast<double>(part(i)), unit, high_(i), low_(i));
    }
  }

  void add(const OrderFreeSum& other) {
    high_ += other.high_;
    low_ += other.low_;
  }

  /// Adds up the sums of all processes. Collective.
  void reduce(const Processes& processes) {
    processes.sum(std::span(high_.data(), static_cast<std::size_t>(high_.size())));
    processes.sum(std::span(low_.data(), static_cast<std::size_t>(low_.size())));
  }

  /// The sums; NaN where they may exceed 2^900.
  [[nodiscard]] Matrix<double> value() const {
    Matrix<double> out(units_.rows(), units_.cols());
    for (Index i = 0; i < out.size(); ++i) out(i) = ScaledPair::value(high_(i), low_(i), units_(i));
    return out;
  }

 private:
  Matrix<double> units_;
  Matrix64 high_, low_;
};

}  // namespace mercer::detail

#endif  // MERCER_CORE_ROWS_ORDER_FREE_SUM_HPP
