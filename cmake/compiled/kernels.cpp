// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#define MERCER_COMPILING_KERNELS
#include <mercer/kernels/squared_distances.hpp>
