// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#define MERCER_COMPILING_HEBBIAN
#include <mercer/solvers/hebbian/kernel_hebbian.hpp>
