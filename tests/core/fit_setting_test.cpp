// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/fit_setting.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <mercer/core/types.hpp>
#include <tests/support/catch.hpp>

namespace fit_setting_test {

using namespace mercer;

TEST_CASE("fit_setting: what differs, with both values", "[core]") {
  const std::vector<FitSetting> here = {{"seed", "1"}, {"kernel", "linear"}, {"blocks", "2"}};
  CHECK(detail::setting_differences(here, here).empty());
  CHECK(detail::in_words({}).empty());
  const auto differences =
      detail::setting_differences({{"kernel", "linear"}, {"seed", "3"}, {"more", "5"}}, here);
  REQUIRE(differences.size() == 2);
  CHECK(differences[0].name == "seed");
  CHECK(differences[0].there == "3");
  CHECK(differences[0].here == "1");
  CHECK(detail::in_words(differences) == "seed: 3 there, 1 here; blocks: nothing there, 2 here");
}

TEST_CASE("fit_setting: lists of numbers", "[core]") {
  const auto differences = [](const std::vector<double>& there, const std::vector<double>& here) {
    const auto text = [](const std::vector<double>& numbers) {
      return detail::text_of_numbers(
          Eigen::Map<const Vector<double>>(numbers.data(), static_cast<Index>(numbers.size())));
    };
    return detail::setting_differences({{"values", text(there)}}, {{"values", text(here), 1e-3}});
  };
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  CHECK(differences({}, {}).empty());
  CHECK(differences({1, -2, 0, 1e300}, {1.0009, -2.001, 0, 1e300}).empty());
  CHECK(differences({1, -2}, {1, -2.003}).size() == 1);
  CHECK(differences({1, -2}, {1, 2}).size() == 1);
  // Relative to the number itself, even if it is small; but not if it is a remainder of others.
  CHECK(differences({1, 1e-5}, {1, 1.0009e-5}).empty());
  CHECK(differences({1, 1e-5}, {1, 2e-5}).size() == 1);
  CHECK(differences({1, 1e-7}, {1, -8e-7}).empty());
  CHECK(differences({inf, -inf, nan, 1}, {inf, -inf, nan, 1}).empty());
  CHECK(differences({inf, 1}, {-inf, 1}).size() == 1);
  CHECK(differences({inf, 1}, {1, 1}).size() == 1);
  CHECK(differences({inf, 1}, {inf, 2}).size() == 1);
  CHECK(differences({nan}, {1}).size() == 1);
  CHECK(detail::in_words(differences({1, 0.5, 3}, {1, 0.25, 4})) == "values: 0.5 there, 0.25 here");
  CHECK(detail::in_words(differences({1, 0.5, 3}, {1, 0.5})) == "values: 3 numbers there, 2 here");
  // Text that is not such a list is another one.
  const std::vector<FitSetting> one = {
      {"values", detail::text_of_numbers(Vector<double>{{1.0}}), 1e-3}};
  for (const char* text : {"", "no", "3ff0000000000000,", "3ff0000000000000 x", "-1",
                           "3ff00000000000000", "3ff0000000000000 3ff0000000000000"}) {
    CAPTURE(text);
    CHECK(detail::setting_differences({{"values", text}}, one).size() == 1);
  }
  CHECK(detail::setting_differences({{"values", "3ff0000000000000"}}, one).empty());
  CHECK(detail::in_words(detail::setting_differences({}, one)) ==
        "values: 0 numbers there, 1 here");
}

}  // namespace fit_setting_test
