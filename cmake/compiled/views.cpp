// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#define MERCER_COMPILING_VIEWS
#include <mercer/models/detail/mixture_components.hpp>
#include <mercer/models/detail/paired_bases.hpp>
#include <mercer/models/detail/ridge.hpp>
#include <mercer/models/detail/tensor_power.hpp>
#include <mercer/models/kernel_ica.hpp>
#include <mercer/solvers/cross_iteration.hpp>
#include <mercer/solvers/dense/ridge_cholesky.hpp>
