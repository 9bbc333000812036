// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// What a fit of a small problem claims is true: residuals and error bounds in long double, the
// order of scores, and their norms.

#include <cstddef>
#include <cstdint>
#include <string>

#include <tests/fuzz/scratch_file.hpp>
#include <tests/fuzz/solver_problem.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mercer;
  const std::string broken = fuzz::broken_claims(fuzz::view(data, size));
  fuzz::require(broken.empty(), broken.c_str());
  return 0;
}
