// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include "other_headers.hpp"

// What <windows.h> and <complex.h> define; no name of mercer's may fall to them.
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define I _Complex_I
#define C 1

#include "our_headers.hpp"

int version_of_other_unit();

int main() {
  return version_of_other_unit() == MERCER_VERSION_MINOR ? 0 : 1;
}
