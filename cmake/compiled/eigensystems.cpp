// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#define MERCER_COMPILING_EIGENSYSTEMS
#include <mercer/core/small_dense.hpp>
