// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// std::from_chars for floating-point numbers, or fast_float where the standard library has none:
/// libc++ has none before version 20.

#ifndef MERCER_IO_FROM_CHARS_HPP
#define MERCER_IO_FROM_CHARS_HPP

#include <charconv>
#include <concepts>
#include <system_error>

#include <mercer/core/types.hpp>

#if !defined(__cpp_lib_to_chars) && __has_include(<fast_float/fast_float.h>)
#include <fast_float/fast_float.h>
#define MERCER_FAST_FLOAT 1
#else
#define MERCER_FAST_FLOAT 0
#endif

namespace mercer {

namespace detail {

template <class T>
concept standard_from_chars = requires(const char* text, T& value) {
  std::from_chars(text, text, value);
};

}  // namespace detail

namespace io {

/// What is behind the number, and what was wrong with it.
struct FromChars {
  const char* end;  ///< the first character after the number
  std::errc error;  ///< std::errc{} if nothing was wrong
};

/// Reads a number from the start of a text, as std::from_chars does: decimal, without spaces or a
/// plus sign before it. A floating-point number out of range may come back as infinity or zero
/// without an error.
template <class Number>
  requires Real<Number> || std::integral<Number>
[[nodiscard]] FromChars from_chars(const char* first, const char* last, Number& value) {
  if constexpr (detail::standard_from_chars<Number>) {
    const auto [end, error] = std::from_chars(first, last, value);
    return {end, error};
  } else {
#if MERCER_FAST_FLOAT
    const auto [end, error] = fast_float::from_chars(first, last, value);
    return {end, error};
#else
    static_assert(detail::standard_from_chars<Number>,
                  "mercer/io: this standard library has no std::from_chars for floating-point "
                  "numbers; install fast_float (CMake: mercer::fast_float; Debian package: "
                  "libfast-float-dev)");
#endif
  }
}

}  // namespace io
}  // namespace mercer

#undef MERCER_FAST_FLOAT

#endif  // MERCER_IO_FROM_CHARS_HPP
