// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Numbers and lines in text files, and pieces of a file as text for messages.

#ifndef MERCER_IO_TEXT_HPP
#define MERCER_IO_TEXT_HPP

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/io/from_chars.hpp>

namespace mercer {
namespace detail {

/// The number of bytes of the UTF-8 character at the start of \p text; 0 if there is none.
/// Source: The Unicode Standard, version 15.0, table 3-7.
[[nodiscard]] inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return text.empty() ? 0 : 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  // Second bytes below these limits would encode characters that need fewer bytes. Above them are
  // surrogates and numbers that are no characters.
  const unsigned least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < least || byte(1) > most) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  return length;
}

/// Whether \p character, in UTF-8, is a control character: U+0000 to U+001F or U+007F to U+009F.
[[nodiscard]] inline bool is_control(std::string_view character) {
  const auto last = static_cast<unsigned char>(character.back());
  return character.size() == 1 ? last < 0x20 || last == 0x7f
                               : character.size() == 2 && character[0] == '\xc2' && last < 0xa0;
}

}  // namespace detail

namespace io {

/// Makes any text, for example from a file, safe to print on a terminal. Bytes of control
/// characters (also line breaks) and bytes that are not UTF-8 become `\xNN`, as in "\x1b". Use it
/// where values are shown; the readers return values unchanged. FileError::what() is already
/// printable.
[[nodiscard]] inline std::string printable(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = detail::utf8_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    text.remove_prefix(character.size());
    if (length > 0 && !detail::is_control(character)) {
      shown += character;
      continue;
    }
    for (const char byte : character) {
      const auto code = static_cast<unsigned char>(byte);
      shown += "\\x";
      shown += hex[code >> 4];
      shown += hex[code & 15];
    }
  }
  return shown;
}

}  // namespace io

namespace detail {

/// The beginning of a text, of at most \p most bytes, that ends with a whole character.
[[nodiscard]] inline std::string_view whole_characters(std::string_view text, std::size_t most) {
  std::size_t size = 0;
  while (size < text.size()) {
    const std::size_t length = utf8_length(text.substr(size));
    const std::size_t end = size + (length == 0 ? 1 : length);
    if (end > most) break;
    size = end;
  }
  return text.substr(0, size);
}

/// Text from a file for a message: printable, in quotes, and shortened if it is long.
[[nodiscard]] inline std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 40;
  const std::string_view shown = whole_characters(text, longest);
  return "'" + io::printable(shown) + (shown.size() < text.size() ? "...'" : "'");
}

[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The words of a line, with blanks between them.
[[nodiscard]] inline std::vector<std::string> split_blanks(std::string_view line) {
  std::vector<std::string> words;
  for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    words.emplace_back(word);
    line.remove_prefix(word.size());
  }
  return words;
}

/// Removes the first line from \p text and returns it without its end ("\n" or "\r\n").
[[nodiscard]] inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// For a decimal number outside the range of its type: true if it is too small, false if it is too
/// large. \p number must have the form that std::from_chars accepts.
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
    // Beyond this, the digits decide nothing, and the sum below would overflow.
    constexpr long long most = (std::numeric_limits<long long>::max)() / 2;
    exponent = std::clamp(exponent, -most, most);
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

/// Reads all of \p text as one finite number. A leading '+' is allowed. A number too small for
/// Scalar becomes zero.
template <Real Scalar>
[[nodiscard]] NumberError parse_number(std::string_view text, Scalar& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = io::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) return NumberError::NotANumber;
  if (error == std::errc::result_out_of_range) {
    if (!magnitude_below_one(text)) return NumberError::OutOfRange;
    value = Scalar(0);
  }
  if (std::isfinite(value)) return NumberError::None;
  // Some standard libraries read 1e999 as infinity and report success.
  const bool is_word = text.find_first_of("nN") != std::string_view::npos;
  return is_word ? NumberError::NotFinite : NumberError::OutOfRange;
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_IO_TEXT_HPP
