// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Errors of single values in units in the last place.

#ifndef MERCER_TESTS_SUPPORT_UNITS_HPP
#define MERCER_TESTS_SUPPORT_UNITS_HPP

#include <cmath>
#include <limits>

#include <mercer/core/types.hpp>

namespace mercer::test {

/// |value - exact| in units in the last place of \p exact.
template <Real S>
[[nodiscard]] double error_in_units(S value, long double exact) {
  const auto size = static_cast<S>(std::abs(exact));
  const S unit = std::nextafter(size, std::numeric_limits<S>::infinity()) - size;
  return static_cast<double>(std::abs(static_cast<long double>(value) - exact) /
                             static_cast<long double>(unit));
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_SUPPORT_UNITS_HPP
