// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#define MERCER_COMPILING_KERNELS
#define MERCER_COMPILING_OPERATORS
#include <mercer/kernels/product.hpp>
#include <mercer/kernels/squared_distances.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/gram_plan.hpp>
#include <mercer/operators/precomputed_gram.hpp>
