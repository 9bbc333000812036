// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#define MERCER_COMPILING_CORE
#include <mercer/core/math/sine_cosine.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/tiles.hpp>
