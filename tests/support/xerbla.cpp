// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Ends a test program whose code calls BLAS or LAPACK with an argument that these refuse. Their
/// own xerbla prints a line, which no test would see, and goes on with a wrong result.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" void xerbla_(const char* routine, const int* argument, std::size_t length);

extern "C" void xerbla_(const char* routine, const int* argument, std::size_t length) {
  std::fprintf(stderr, "%s: argument %d is illegal\n", std::string(routine, length).c_str(),
               *argument);
  std::abort();
}
