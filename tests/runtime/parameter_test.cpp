// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/runtime/parameter.hpp>

#include <limits>
#include <string>
#include <vector>

#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace parameter_test {

using namespace mercer;

namespace {

const std::vector<Parameter> parameters = {
    {.name = "scale", .description = "", .range = positive_number},
    {.name = "rate",
     .description = "",
     .range = positive_number,
     .otherwise = "found",
     .instead_of = "steps"},
    {.name = "steps", .description = "", .range = whole_number(1, 10), .fallback = Index{4}},
    {.name = "rule", .description = "", .choices = {"oja", "gha"}, .fallback = "oja"}};

std::string refusal(const Settings& settings) {
  return test::error_of([&] { return Arguments("thing", parameters, settings); });
}

}  // namespace

TEST_CASE("runtime: ranges say what they contain", "[runtime]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const NumberRange fraction{
      .minimum = 0, .maximum = 1, .above_minimum = true, .below_maximum = true};
  const NumberRange smoothness{.minimum = 0, .maximum = 50, .above_minimum = true};
  CHECK(finite_number.describe() == "a finite number");
  CHECK(positive_number.describe() == "a number greater than 0");
  CHECK(not_negative_number.describe() == "a number of at least 0");
  CHECK(fraction.describe() == "a number greater than 0 and less than 1");
  CHECK(smoothness.describe() == "a number greater than 0, at most 50");
  CHECK(whole_number(1, 1000).describe() == "a whole number from 1 to 1000");

  CHECK((finite_number.contains(-1e300) && !finite_number.contains(infinity)));
  CHECK_FALSE(finite_number.contains(std::numeric_limits<double>::quiet_NaN()));
  CHECK((positive_number.contains(1e-300) && !positive_number.contains(0)));
  CHECK((not_negative_number.contains(0) && !not_negative_number.contains(-1e-300)));
  CHECK((fraction.contains(0.5) && !fraction.contains(0) && !fraction.contains(1)));
  CHECK((smoothness.contains(50) && !smoothness.contains(50.5)));
  CHECK((whole_number(1, 3).contains(3) && !whole_number(1, 3).contains(2.5)));
  CHECK((!whole_number(1, 3).contains(0) && !whole_number(1, 3).contains(4)));
}

TEST_CASE("runtime: arguments have the values given, and defaults for the others", "[runtime]") {
  const Arguments given("thing", parameters, {{"scale", 2}, {"steps", 3.0}, {"rule", "gha"}});
  CHECK(given.number("scale") == 2);
  CHECK(given.whole("steps") == 3);
  CHECK(given.word("rule") == "gha");
  CHECK((given.has("steps") && !given.has("rate")));
  CHECK_FALSE(given.optional<double>("rate"));

  const Arguments few("thing", parameters, {{"scale", 0.5}});
  CHECK(few.whole("steps") == 4);
  CHECK(few.word("rule") == "oja");
  CHECK_FALSE(few.has("rule"));
  int steps = 7;
  few.set("steps", steps);
  CHECK(steps == 7);
}

TEST_CASE("runtime: what does not fit a parameter is refused by name and value", "[runtime]") {
  CHECK(refusal({{"scale", -1}}) == "thing: scale must be a number greater than 0, got -1");
  CHECK(refusal({{"scale", "big"}}) == "thing: scale must be a number greater than 0, got big");
  CHECK(refusal({{"scale", 1}, {"steps", 2.5}}) ==
        "thing: steps must be a whole number from 1 to 10, got 2.5");
  CHECK(refusal({{"scale", 1}, {"rule", "sgd"}}) == "thing: rule must be one of oja, gha, got sgd");
  CHECK(refusal({{"scale", 1}, {"rule", 2}}) == "thing: rule must be one of oja, gha, got 2");
  CHECK(refusal({}) == "thing: scale is needed, a number greater than 0");
  CHECK(refusal({{"scale", 1}, {"size", 1}}) ==
        "thing: size is not known; there is scale, rate, steps and rule");
  CHECK(refusal({{"scale", 1}, {"rate", 1}, {"steps", 1}}) ==
        "thing: rate takes the place of steps, which is given too");

  try {
    static_cast<void>(Arguments("thing", parameters, {{"scale", 0}}));
    FAIL("no error");
  } catch (const ParameterError& error) {
    CHECK(error.owner() == "thing");
    CHECK(error.parameter() == "scale");
    CHECK(error.problem() == "must be a number greater than 0, got 0");
  }
}

}  // namespace parameter_test
