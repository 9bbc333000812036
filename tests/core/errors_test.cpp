// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/errors.hpp>

#include <limits>

#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace errors_test {

using namespace mercer;

TEST_CASE("errors: one type, derived from std::invalid_argument", "[core]") {
  CHECK_THROWS_AS(detail::fail("x"), std::invalid_argument);
  CHECK_THROWS_AS(detail::fail("x"), InvalidArgument);
  CHECK(test::error_of([]() -> int { detail::fail("a ", 1, " b ", 0.1, " ", true, " ", -2.5F); }) ==
        "a 1 b 0.1 true -2.5");
}

TEST_CASE("errors: requirements name the thing and its value", "[core]") {
  CHECK(detail::require_positive("T", "x", 2.0) == 2.0);
  CHECK(detail::require_finite("T", "x", -2.0) == -2.0);
  CHECK(test::error_of([] { return detail::require_positive("T", "x", 0.0); }) ==
        "mercer::T: x must be positive and finite, got 0");
  CHECK(test::error_of([] {
          return detail::require_positive("T", "x", std::numeric_limits<double>::quiet_NaN());
        }) == "mercer::T: x must be positive and finite, got nan");
  CHECK(test::error_of([] {
          return detail::require_finite("T", "x", -std::numeric_limits<double>::infinity());
        }) == "mercer::T: x must be finite, got -inf");
}

}  // namespace errors_test
