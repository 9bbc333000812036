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
#include <vector>

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

/// The integers that stand for values whose sum is below 2^bound: value times 2^(61 - bound), cut.
/// Their sum stays below 2^61.
class ScaledInteger {
 public:
  static constexpr int bits = 61;
  static constexpr int largest = 1023;  ///< sums up to 2^1023 are finite

  /// Of sums that need not be finite, which are then NaN.
  ScaledInteger() = default;
  /// For a bound above 2^1023, the sums need not be finite.
  explicit ScaledInteger(int bound) {
    if (bound > largest) return;
    // No double has digits below 2^-1074.
    const int exponent = bits - (std::max)(bound, std::numeric_limits<double>::min_exponent - 64);
    // The factor itself need not be a double.
    const int first = (std::min)(exponent, std::numeric_limits<double>::max_exponent - 1);
    first_ = std::ldexp(1.0, first);
    second_ = std::ldexp(1.0, exponent - first);
  }

  [[nodiscard]] bool is_finite() const { return first_ != 0; }
  /// The value times 2^(61 - bound). Exact.
  [[nodiscard]] double scaled(double value) const { return value * first_ * second_; }
  [[nodiscard]] double value(std::int64_t fixed) const {
    return is_finite() ? static_cast<double>(fixed) / second_ / first_
                       : std::numeric_limits<double>::quiet_NaN();
  }
  [[nodiscard]] static std::int64_t cut(double scaled) { return static_cast<std::int64_t>(scaled); }

 private:
  double first_ = 0, second_ = 1;  ///< their product is the factor
};

/// A sum in two integers: one in units of 2^-61 of its bound, the other one in units of 2^-101 of
/// it, from 0 to 2^40. So the sum keeps the digits of a double even if it is far smaller than its
/// bound. Any number of values may be added if carry() is called at least after every 2^22 of them;
/// the same holds for sums that carry() was called for.
struct ScaledPair {
  static constexpr int low_bits = 40;

  /// Adds \p value, which \p unit scales.
  static void add(double value, const ScaledInteger& unit, std::int64_t& high, std::int64_t& low) {
    const double scaled = unit.scaled(value);
    const std::int64_t whole = ScaledInteger::cut(scaled);
    high += whole;
    // The difference is exact: it has no more digits than the value.
    low += ScaledInteger::cut((scaled - static_cast<double>(whole)) * 0x1p40);
  }
  /// Brings the low part back into its range. So equal sums are equal pairs.
  static void carry(std::int64_t& high, std::int64_t& low) {
    const std::int64_t whole = low >> low_bits;
    high += whole;
    low -= whole << low_bits;
  }
  [[nodiscard]] static double value(std::int64_t high, std::int64_t low,
                                    const ScaledInteger& unit) {
    carry(high, low);
    return unit.value(high) + unit.value(low) * 0x1p-40;
  }
};

/// A matrix of sums of parts, each entry a ScaledPair. The result has the same bits for any order
/// of the parts, and for any processes that they come from.
class OrderFreeSum {
 public:
  /// \param bounds  exponents: the sum of the magnitudes of part(i, j) must be below 2^bounds(i, j)
  explicit OrderFreeSum(const Eigen::MatrixXi& bounds)
      : units_(bounds.data(), bounds.data() + bounds.size()),
        high_(Matrix64::Zero(bounds.rows(), bounds.cols())),
        low_(Matrix64::Zero(bounds.rows(), bounds.cols())) {}

  template <Real S>
  void add(const Matrix<S>& part) {
    for (Index i = 0; i < high_.size(); ++i) {
      if (!unit(i).is_finite()) continue;
      ScaledPair::add(static_cast<double>(part(i)), unit(i), high_(i), low_(i));
      ScaledPair::carry(high_(i), low_(i));
    }
  }

  void add(const OrderFreeSum& other) {
    high_ += other.high_;
    low_ += other.low_;
    for (Index i = 0; i < high_.size(); ++i) ScaledPair::carry(high_(i), low_(i));
  }

  /// Adds up the sums of all processes. Collective.
  void reduce(const Processes& processes) {
    processes.sum(std::span(high_.data(), static_cast<std::size_t>(high_.size())));
    processes.sum(std::span(low_.data(), static_cast<std::size_t>(low_.size())));
  }

  /// The sums; NaN where they may exceed 2^1023.
  [[nodiscard]] Matrix<double> value() const {
    Matrix<double> out(high_.rows(), high_.cols());
    for (Index i = 0; i < out.size(); ++i) out(i) = ScaledPair::value(high_(i), low_(i), unit(i));
    return out;
  }

 private:
  [[nodiscard]] const ScaledInteger& unit(Index i) const {
    return units_[static_cast<std::size_t>(i)];
  }

  std::vector<ScaledInteger> units_;
  Matrix64 high_, low_;
};

}  // namespace mercer::detail

#endif  // MERCER_CORE_ROWS_ORDER_FREE_SUM_HPP
