// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Catch2, version 2 (Debian 12) or 3, under the names of version 3.

#ifndef MERCER_TESTS_SUPPORT_CATCH_HPP
#define MERCER_TESTS_SUPPORT_CATCH_HPP

#include <string>

#if __has_include(<catch2/catch_all.hpp>)

#include <catch2/catch_all.hpp>

using Catch::Approx;

#else

#include <catch2/catch.hpp>

namespace Catch::Matchers {

inline auto ContainsSubstring(const std::string& text) {
  return Contains(text);
}

}  // namespace Catch::Matchers

#endif

/// Single and double precision; double alone in builds whose time counts.
#if !defined(MERCER_TEST_SCALARS)
#define MERCER_TEST_SCALARS float, double
#endif

/// A test for each of these, the scalar TestType.
#define SCALAR_TEST_CASE(name, tags) TEMPLATE_TEST_CASE(name, tags, MERCER_TEST_SCALARS)

#endif  // MERCER_TESTS_SUPPORT_CATCH_HPP
