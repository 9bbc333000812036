// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Whether malloc() is that of glibc, for tests of what it does.

#ifndef MERCER_TESTS_SUPPORT_GLIBC_MALLOC_HPP
#define MERCER_TESTS_SUPPORT_GLIBC_MALLOC_HPP

#include <cstdlib>

// Sanitizers have a malloc() of their own, which mallopt() does not reach.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MERCER_TEST_OTHER_MALLOC
#endif
#endif

#if defined(__GLIBC__) && !defined(MERCER_TEST_OTHER_MALLOC)
#define MERCER_TEST_GLIBC_MALLOC
#endif

#endif  // MERCER_TESTS_SUPPORT_GLIBC_MALLOC_HPP
