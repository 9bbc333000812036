// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#define MERCER_INSTRUCTIONS(name) name##_avx512
#include "inner_loops.hpp"
