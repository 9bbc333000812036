// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/suggestion.hpp>

#include <string>
#include <vector>

#include <tests/support/catch.hpp>

namespace suggestion_test {

using namespace mercer;
using detail::spelling_distance;

TEST_CASE("suggestion: distances counted by hand", "[core]") {
  CHECK(spelling_distance("", "") == 0);
  CHECK(spelling_distance("abc", "") == 3);
  CHECK(spelling_distance("kitten", "sitting") == 3);     // replace, replace, insert
  CHECK(spelling_distance("gaussain", "gaussian") == 1);  // two neighbours swapped
  CHECK(spelling_distance("ca", "abc") == 3);             // no letter is changed twice
  for (const char* a : {"linear", "lanczos", "x"})
    for (const char* b : {"exact", "lineax", ""})
      CHECK(spelling_distance(a, b) == spelling_distance(b, a));
}

TEST_CASE("suggestion: what was meant", "[core]") {
  const std::vector<std::string> names = {"linear", "gaussian", "laplacian", "rational-quadratic"};
  CHECK(suggestion("Gaussian", names) == "gaussian");
  CHECK(suggestion("rational_quadratic", names) == "rational-quadratic");
  CHECK(suggestion("gauss", names) == "gaussian");
  CHECK(suggestion("lin", names) == "linear");
  CHECK(suggestion("gaussain", names) == "gaussian");
  CHECK(suggestion("laplassian", names) == "laplacian");
  CHECK_FALSE(suggestion("wavelet", names));
  CHECK_FALSE(suggestion("", names));
  CHECK_FALSE(suggestion("l", names));
  CHECK_FALSE(suggestion("linear", {}));
  CHECK_FALSE(suggestion("x", {"a", "b"}));  // another letter is no spelling error
  CHECK(did_you_mean("gauss", names) == "; did you mean gaussian?");
  CHECK(did_you_mean("wavelet", names).empty());
}

}  // namespace suggestion_test
