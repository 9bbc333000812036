// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#define MERCER_COMPILING_HEBBIAN
#define MERCER_COMPILING_NYSTROM
#include <mercer/solvers/auto.hpp>
#include <mercer/solvers/hebbian/kernel_hebbian.hpp>
#include <mercer/solvers/nystrom/greedy_cholesky.hpp>
#include <mercer/solvers/nystrom/kmeans_landmarks.hpp>
