// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Numbers and lines in text files, and how a piece of a file is shown in a message.

#ifndef MERCER_IO_TEXT_HPP
#define MERCER_IO_TEXT_HPP

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

#include <mercer/core/types.hpp>

namespace mercer::detail {

/// Text from a file in quotes, on one line and not too long, for a message.
[[nodiscard]] inline std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 40;
  constexpr std::string_view hex = "0123456789abcdef";
  std::string shown = "'";
  for (const char character : text.substr(0, longest)) {
    const auto code = static_cast<unsigned char>(character);
    if (code < 0x20 || code == 0x7f) {
      shown += "\\x";
      shown += hex[code >> 4];
      shown += hex[code & 15];
    } else {
      shown += character;
    }
  }
  return shown += text.size() > longest ? "...'" : "'";
}

[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Takes the next line, without its end ("\n" or "\r\n"), from \p text.
[[nodiscard]] inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// Whether a decimal number too large or too small for its type is too small. \p number is in the
/// form that std::from_chars accepts.
[[nodiscard]] inline bool magnitude_below_one(std::string_view number) {
  const std::size_t mark = number.find_first_of("eE");
  const std::string_view digits = number.substr(0, mark);
  const std::size_t point = (std::min)(digits.find('.'), digits.size());
  const std::size_t leading = digits.find_first_of("123456789");
  long long exponent = 0;
  if (mark != std::string_view::npos) {
    std::string_view text = number.substr(mark + 1);
    if (text.starts_with('+')) text.remove_prefix(1);
    const char* const end = text.data() + text.size();
    if (std::from_chars(text.data(), end, exponent).ec == std::errc::result_out_of_range)
      return text.starts_with('-');
  }
  const auto integer_digits = static_cast<long long>(point) - static_cast<long long>(leading);
  return exponent + (integer_digits > 0 ? integer_digits : integer_digits + 1) <= 0;
}

enum class NumberError { None, NotANumber, NotFinite, OutOfRange };

[[nodiscard]] inline std::string_view describe(NumberError error) {
  switch (error) {
    case NumberError::None:
      return "a number";
    case NumberError::NotANumber:
      return "not a number";
    case NumberError::NotFinite:
      return "not a finite number";
    case NumberError::OutOfRange:
      return "too large";
  }
  return "not a number";
}

/// Reads all of \p text as one finite number; a leading '+' is allowed. A number too small for
/// Scalar becomes zero.
template <Real Scalar>
[[nodiscard]] NumberError parse_number(std::string_view text, Scalar& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) return NumberError::NotANumber;
  if (error == std::errc::result_out_of_range) {
    if (!magnitude_below_one(text)) return NumberError::OutOfRange;
    value = Scalar(0);
  }
  if (std::isfinite(value)) return NumberError::None;
  // Some standard libraries turn 1e999 into infinity and call it a success.
  const bool is_word = text.find_first_of("nN") != std::string_view::npos;
  return is_word ? NumberError::NotFinite : NumberError::OutOfRange;
}

}  // namespace mercer::detail

#endif  // MERCER_IO_TEXT_HPP
