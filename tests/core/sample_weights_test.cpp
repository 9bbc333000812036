// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/sample_weights.hpp>

#include <limits>

#include <mercer/core/types.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace sample_weights_test {

using Catch::Matchers::ContainsSubstring;
using mercer::Vector;
using mercer::detail::largest_weight;
using mercer::test::error_of;

TEST_CASE("sample weights: the largest one", "[core]") {
  CHECK(largest_weight("who: ", Vector<double>{{0, 3, 2}}) == 3);
  CHECK(largest_weight("who: ", Vector<double>{{1e-300}}) == 1e-300);
}

TEST_CASE("sample weights: what is refused", "[core]") {
  const auto error = [](const Vector<double>& weights) {
    return error_of([&] { return largest_weight("who: ", weights); });
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(error(Vector<double>{{1, -1, 2}}),
             ContainsSubstring("who: weights must be finite and not negative, got -1 at sample 1"));
  CHECK_THAT(error(Vector<double>{{1, 1, infinity}}), ContainsSubstring("at sample 2"));
  CHECK_THAT(error(Vector<double>{{nan, 1}}), ContainsSubstring("at sample 0"));
  for (const mercer::Index n : {0, 3})
    CHECK_THAT(error(Vector<double>::Zero(n)),
               ContainsSubstring("who: at least one weight must be positive"));
}

TEST_CASE("sample weights: one for each sample", "[core]") {
  mercer::detail::require_as_many_weights("who: ", 4, 4);
  CHECK_THAT(error_of([] { mercer::detail::require_as_many_weights("who: ", 4, 3); }),
             ContainsSubstring("who: 4 samples need as many weights, got 3"));
}

}  // namespace sample_weights_test
