// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include "our_headers.hpp"

static_assert(EIGEN_MAJOR_VERSION >= 5);
