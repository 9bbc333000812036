// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// main() of tests where there is no RapidCheck: with libc++, and for Windows.

#define CATCH_CONFIG_MAIN
#include <tests/support/catch.hpp>

#if __has_include(<catch2/catch_all.hpp>)
int main(int argc, char* argv[]) {
  return Catch::Session().run(argc, argv);
}
#endif
