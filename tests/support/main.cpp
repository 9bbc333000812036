// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// main() of the test programs. One seed drives Catch2 and RapidCheck; it is fixed unless given
/// (--rng-seed N, or RC_PARAMS for RapidCheck alone) and printed, so that any run can be repeated.

#define CATCH_CONFIG_RUNNER
#include <tests/support/catch.hpp>

#include <cstdlib>
#include <iostream>
#include <string>

int main(int argc, char* argv[]) {
  Catch::Session session;
  session.configData().rngSeed = 20260101;
  if (const int status = session.applyCommandLine(argc, argv); status != 0) return status;

  const std::string seed = std::to_string(session.configData().rngSeed);
  ::setenv("RC_PARAMS", ("seed=" + seed).c_str(), 0);
  // To stderr: CTest reads the list of tests from stdout.
  std::cerr << "seed " << seed << ", RC_PARAMS " << std::getenv("RC_PARAMS") << '\n';
  return session.run();
}
