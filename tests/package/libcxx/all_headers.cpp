// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include "our_headers.hpp"

#if !defined(_LIBCPP_VERSION)
#error "this is not libc++"
#endif
