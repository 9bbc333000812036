// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include "our_headers.hpp"

int version_of_other_unit();

int version_of_other_unit() {
  return MERCER_VERSION_MINOR;
}
