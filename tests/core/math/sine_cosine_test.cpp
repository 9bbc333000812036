// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/math/sine_cosine.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/units.hpp>

namespace sine_cosine_test {

using namespace mercer;

namespace {

/// The largest error over the angles; long double has the eleven digits more that this takes.
template <Real S>
double worst_error(const Vector<S>& angles) {
  Vector<S> sines(angles.size()), cosines(angles.size());
  detail::sine_cosine<S>(angles, sines, cosines);
  double worst = 0;
  for (Index i = 0; i < angles.size(); ++i) {
    const auto angle = static_cast<long double>(angles(i));
    worst = std::max({worst, test::error_in_units(sines(i), std::sin(angle)),
                      test::error_in_units(cosines(i), std::cos(angle))});
  }
  return worst;
}

/// What is promised.
constexpr double units = 2;

}  // namespace

SCALAR_TEST_CASE("sine_cosine: a few units in the last place on every range", "[core]") {
  for (const double range : {1e-3, 1.0, 10.0, 1e3, 9e3, 1e5, 3e5, 1e12}) {
    CAPTURE(range);
    const Matrix<TestType> angles = test::uniform_samples<TestType>(3001, 1, 5, -range, range);
    CHECK(worst_error<TestType>(angles.col(0)) <= units);
  }
}

SCALAR_TEST_CASE("sine_cosine: the numbers nearest to multiples of pi/2 and pi/4", "[core]") {
  Vector<TestType> angles(4000);
  for (Index i = 0; i < angles.size(); ++i)
    angles(i) = static_cast<TestType>(static_cast<double>(i) * 3 * std::numbers::pi / 4);
  CHECK(worst_error<TestType>(angles) <= units);
}

TEST_CASE("sine_cosine: single-precision angles next to multiples of pi/2, up to the fast limit",
          "[core]") {
  Vector<float> angles(3 * 63662);
  for (Index i = 0; i < 63662; ++i) {
    const auto near = static_cast<float>(static_cast<double>(i) * std::numbers::pi / 2);
    angles.segment(3 * i, 3) << std::nextafter(near, 0.0F), near, std::nextafter(near, 1e6F);
  }
  REQUIRE(angles.maxCoeff() > 99998);
  CHECK(worst_error<float>(angles) <= units);
}

SCALAR_TEST_CASE("sine_cosine: zeros, tiny, huge and other special angles", "[core]") {
  using Limits = std::numeric_limits<TestType>;
  const TestType infinity = Limits::infinity(), nan = Limits::quiet_NaN();
  Vector<TestType> angles(7), sines(7), cosines(7);
  angles << 0, -TestType(0), (Limits::min)(), (Limits::max)(), infinity, -infinity, nan;
  detail::sine_cosine<TestType>(angles, sines, cosines);
  CHECK((sines(0) == 0 && cosines(0) == 1));
  CHECK((sines(1) == 0 && cosines(1) == 1));
  CHECK((sines(2) == (Limits::min)() && cosines(2) == 1));
  CHECK(sines(3) == std::sin((Limits::max)()));
  CHECK(cosines(3) == std::cos((Limits::max)()));
  for (Index i = 4; i < 7; ++i) CHECK((std::isnan(sines(i)) && std::isnan(cosines(i))));
}

SCALAR_TEST_CASE("sine_cosine: in place, and the same bits wherever an angle stands", "[core]") {
  const Index n = 101;
  // Some of these take the slow path, and their neighbours must not notice.
  Vector<TestType> angles = test::uniform_samples<TestType>(n, 1, 9, -50, 50).col(0);
  angles(40) = TestType(1e8);
  Vector<TestType> sines(n), cosines(n);
  detail::sine_cosine<TestType>(angles, sines, cosines);
  for (Index first : {1, 7, 39, 41}) {
    const Index count = n - first;
    Vector<TestType> again = angles.tail(count), other(count);
    detail::sine_cosine<TestType>(again, other, again);
    CHECK(other == sines.tail(count));
    CHECK(again == cosines.tail(count));
  }
  Vector<TestType> none(0);
  detail::sine_cosine<TestType>(none, none, none);
}

}  // namespace sine_cosine_test
