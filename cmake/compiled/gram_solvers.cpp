// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#define MERCER_COMPILING_DENSE
#define MERCER_COMPILING_KRYLOV
#include <mercer/solvers/auto.hpp>
#include <mercer/solvers/detail/spanned_functions.hpp>
