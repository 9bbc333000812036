// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/rows/order_free_sum.hpp>

namespace order_free_sum_test {

namespace {

using mercer::Index;
using mercer::Matrix;
using mercer::detail::Exponent;
using mercer::detail::OrderFreeSum;
using mercer::detail::ScaledInteger;
using mercer::detail::ScaledPair;

constexpr double eps = std::numeric_limits<double>::epsilon();

Eigen::MatrixXi bound(int exponent) {
  return Eigen::MatrixXi::Constant(1, 1, exponent);
}

Matrix<double> number(double value) {
  return Matrix<double>::Constant(1, 1, value);
}

}  // namespace

TEST_CASE("order-free sums: the same bits in any order and any grouping", "[core][rows]") {
  constexpr Index count = 1000;
  const Matrix<double> values = mercer::normal_matrix<double>(count, 1, 1, "values");
  OrderFreeSum forward(bound(14)), left(bound(14)), right(bound(14));
  double exact = 0;
  for (Index i = 0; i < count; ++i) {
    forward.add(number(values(i)));
    exact += values(i);
  }
  for (Index i = count - 1; i >= 0; --i) (i % 3 == 0 ? left : right).add(number(values(i)));
  left.add(right);
  CHECK(left.value() == forward.value());
  // The roundings of the plain sum of 1000 values, whose partial sums are below 100.
  CHECK(std::abs(forward.value()(0) - exact) <= count * eps * 100);
}

TEST_CASE("order-free sums: all digits of a value far below the bound", "[core][rows]") {
  // 2^-40 of the bound still has 61 binary digits in the two integers.
  for (const double value : {1.0 / 3, std::ldexp(1.0 / 3, -20), std::ldexp(-1.0 / 3, -40)}) {
    OrderFreeSum sum(bound(0));
    sum.add(number(value));
    CHECK(std::abs(sum.value()(0) - value) <= 2 * eps * std::abs(value));
  }
}

TEST_CASE("order-free sums: more values than the low integer has room for", "[core][rows]") {
  // Each is 2^40 - 1 units of the low integer, and the sum has 64 digits in them.
  OrderFreeSum sum(bound(61));
  sum.add(number(1 - std::ldexp(1.0, -40)));
  for (int doublings = 0; doublings < 24; ++doublings) {
    const OrderFreeSum half = sum;
    sum.add(half);
  }
  CHECK(sum.value()(0) == std::ldexp(1.0, 24) - std::ldexp(1.0, -16));
  std::int64_t high = 0, low = 0;
  for (Index count = 1; count <= (Index{1} << 24); ++count) {
    ScaledPair::add(1 - std::ldexp(1.0, -40), ScaledInteger(61), high, low);
    if (count % (Index{1} << 22) == 0) ScaledPair::carry(high, low);
  }
  CHECK(ScaledPair::value(high, low, ScaledInteger(61)) == sum.value()(0));
}

TEST_CASE("order-free sums: ends of the range", "[core][rows]") {
  // The smallest ones have digits down to the last that a double has.
  for (const int exponent : {-1072, -1021, -1000, -800, 800, 1023}) {
    CAPTURE(exponent);
    const double value = std::ldexp(0.75, exponent - 1), digits = 1.0 / 3;
    OrderFreeSum sum(bound(exponent)), many(bound(exponent));
    sum.add(number(value));
    CHECK(sum.value()(0) == value);
    many.add(number(std::ldexp(digits, exponent)));
    CHECK(many.value()(0) == std::ldexp(digits, exponent));
  }
  OrderFreeSum unbounded(bound(Exponent::infinite)), zero(bound(Exponent::zero));
  unbounded.add(number(std::numeric_limits<double>::infinity()));
  zero.add(number(0));
  CHECK(std::isnan(unbounded.value()(0)));
  CHECK(zero.value()(0) == 0);
}

TEST_CASE("order-free sums: exponents bound the value", "[core][rows]") {
  for (const double value : {1.0, 0.5, 3.7, -1e300, 5e-324}) {
    CHECK(std::abs(value) / 2 < std::ldexp(0.5, Exponent::of(value)));
    CHECK(std::abs(value) >= std::ldexp(0.5, Exponent::of(value)));
  }
  CHECK(Exponent::of(0) == Exponent::zero);
  CHECK(Exponent::of(std::numeric_limits<double>::quiet_NaN()) == Exponent::infinite);
}

}  // namespace order_free_sum_test
