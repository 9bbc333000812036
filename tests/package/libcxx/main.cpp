// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// main() of the tests with libc++, for which there is no RapidCheck.

#define CATCH_CONFIG_MAIN
#include <tests/support/catch.hpp>

#if __has_include(<catch2/catch_all.hpp>)
int main(int argc, char* argv[]) {
  return Catch::Session().run(argc, argv);
}
#endif
