// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// What the fuzzer of solvers searches for, in some problems at random.

#include <cstddef>
#include <string>

#include <mercer/core/random.hpp>
#include <tests/fuzz/solver_problem.hpp>
#include <tests/support/catch.hpp>

namespace random_problems_test {

using namespace mercer;

TEST_CASE("runtime: what solvers claim of small random problems is true", "[runtime][law]") {
  constexpr int problems = 150;
  constexpr std::size_t length = 96;
  RandomStream stream(1, "problems", 0);
  for (int i = 0; i < problems; ++i) {
    std::string spelling;
    while (spelling.size() < length) spelling += static_cast<char>(stream.below(256));
    INFO("problem " << i);
    CHECK(fuzz::broken_claims(spelling) == "");
  }
}

}  // namespace random_problems_test
