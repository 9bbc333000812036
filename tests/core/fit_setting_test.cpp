// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/fit_setting.hpp>

#include <string>
#include <vector>

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

}  // namespace fit_setting_test
