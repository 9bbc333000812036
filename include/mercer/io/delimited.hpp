// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Lines and fields of text with separators, for CSV tables and for label files.

#ifndef MERCER_IO_DELIMITED_HPP
#define MERCER_IO_DELIMITED_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/suggestion.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/content.hpp>
#include <mercer/io/file_error.hpp>
#include <mercer/io/text.hpp>

namespace mercer::detail {

inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// The text of a file without a byte-order mark and without blank lines at the end.
[[nodiscard]] inline std::string_view text_body(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return text.substr(0, text.find_last_not_of(" \r\n") + 1);
}

/// The separator of a line: the first of tab, semicolon and comma that \p line has outside quotes.
/// Comma if it has none.
[[nodiscard]] inline char detect_separator(std::string_view line) {
  bool has_tab = false, has_semicolon = false, in_quotes = false;
  for (const char character : line) {
    if (character == '"') in_quotes = !in_quotes;
    if (in_quotes) continue;
    has_tab |= character == '\t';
    has_semicolon |= character == ';';
  }
  return has_tab ? '\t' : has_semicolon ? ';' : ',';
}

/// Whether a field is what tables have in place of a number that is missing.
[[nodiscard]] inline bool is_missing(std::string_view field) {
  constexpr std::array<std::string_view, 7> marks = {"", "?", "NA", "N/A", ".", "-", "NULL"};
  return std::find(marks.begin(), marks.end(), field) != marks.end();
}

/// Whether the first line of a file holds column names: one of its fields is a word, neither a
/// number nor the mark of a missing one. NaN and infinity count as numbers.
[[nodiscard]] inline bool is_header(const std::vector<std::string>& fields) {
  return std::any_of(fields.begin(), fields.end(), [](const std::string& field) {
    double value = 0;
    return !is_missing(field) &&
           parse_number(std::string_view(field), value) == NumberError::NotANumber;
  });
}

/// Stands for blanks between fields, one or more of them.
inline constexpr char blanks = ' ';

/// What a field that is no number may be: a sentence to add to a message, or nothing.
[[nodiscard]] inline std::string_view what_it_may_be(std::string_view field) {
  constexpr std::string_view digits = "0123456789";
  const std::string_view unsigned_field = field.substr(field.find_first_not_of("+-") == 1 ? 1 : 0);
  if (is_missing(field) || folded(unsigned_field) == "nan")
    return "; it stands for a missing value: give it one, or leave out its row or column";
  if (field.find('|') != std::string_view::npos)
    return "; '|' separates nothing here: take commas, semicolons, tabs or blanks";
  const std::size_t comma = field.find(',');
  if (comma != std::string_view::npos &&
      field.find_first_not_of("0123456789,.+-eE ") == std::string_view::npos &&
      field.find_first_of(digits) < comma)
    return "; a comma inside a number: the decimal mark is a point, and thousands have no mark";
  return "";
}

/// Whether a line with tabs is numbers with runs of blanks and tabs between them, not fields with
/// tabs between them.
[[nodiscard]] inline bool is_blank_separated(std::string_view line) {
  const std::vector<std::string> words = split_blanks(line);
  if (words.empty() || is_header(words)) return false;
  for (;;) {
    const std::size_t tab = line.find('\t');
    if (trimmed(line.substr(0, tab)).find(' ') != std::string_view::npos) return true;
    if (tab == std::string_view::npos) return false;
    line.remove_prefix(tab + 1);
  }
}

/// A line with quotes in place of all that is in quotes, where separators do not count.
[[nodiscard]] inline std::string without_quoted(std::string_view line) {
  std::string plain(line);
  bool quoted = false;
  for (char& letter : plain) {
    if (letter == '"')
      quoted = !quoted;
    else if (quoted)
      letter = '"';
  }
  return plain;
}

/// The separator of a table, from its first two lines: that of the first line, or blanks if it has
/// none but consists of several numbers, or there are several words in the second line. So a header
/// of one column may have blanks itself. Blanks, too, if one line is numbers with blanks and tabs
/// between them.
[[nodiscard]] inline char detect_table_separator(std::string_view first, std::string_view second) {
  const char separator = detect_separator(first);
  if (separator == '\t' && (is_blank_separated(first) || is_blank_separated(second))) return blanks;
  const std::string plain = without_quoted(first), next = without_quoted(second);
  if (separator != ',' || plain.find(',') != std::string::npos) return separator;
  const std::vector<std::string> words = split_blanks(plain);
  if (words.size() > 1 && !is_header(words)) return blanks;
  const bool several = trimmed(next).find_first_of(" \t") != std::string_view::npos;
  return several && next.find_first_of(",;") == std::string::npos ? blanks : separator;
}

[[nodiscard]] inline std::string_view without_spaces(std::string_view field) {
  const std::size_t first = field.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return field.substr(first, field.find_last_not_of(' ') - first + 1);
}

/// Removes a text in quotes from the beginning, and returns it without them. A doubled quote inside
/// quotes stands for one quote.
/// Throws io::FileError, with line and column, if a quote is not closed.
[[nodiscard]] inline std::string take_quoted(const std::string& path, Index line,
                                             std::size_t column, std::string_view& text) {
  std::string quoted;
  const std::string_view opening = text;
  do {
    if (opening.size() != text.size()) quoted += '"';
    const std::size_t end = text.find('"', 1);
    if (end == std::string_view::npos)
      file_fail(path, "unclosed quote at line ", line, ", column ", column, ": ",
                in_quotes(opening));
    quoted += text.substr(1, end - 1);
    text.remove_prefix(end + 1);
  } while (text.starts_with('"'));
  return quoted;
}

/// The fields of one line, without quotes and without the spaces around them.
/// \param separator  between them; or blanks
/// Throws io::FileError if a quote is not closed.
[[nodiscard]] inline std::vector<std::string> split_fields(const std::string& path, Index line,
                                                           std::string_view text, char separator) {
  const std::string_view separators =
      separator == blanks ? std::string_view(" \t") : std::string_view(&separator, 1);
  if (separator == blanks) text = trimmed(text);
  std::vector<std::string> fields;
  for (;;) {
    const std::size_t begin = text.find_first_not_of(separator == blanks ? separators : " ");
    text.remove_prefix((std::min)(begin, text.size()));
    std::string field;
    if (text.starts_with('"')) field = take_quoted(path, line, fields.size() + 1, text);
    const std::size_t end = text.find_first_of(separators);
    field += without_spaces(text.substr(0, end));
    fields.push_back(std::move(field));
    if (end == std::string_view::npos) return fields;
    text.remove_prefix(end + 1);
  }
}

/// What may come before the header line and the rows of a table.
struct Preamble {
  std::string_view comment = {};  ///< the last line that starts with '#', without it
  char separator = '\0';          ///< what a first line "sep=;" states, as Excel reads it
  Index lines = 0;
};

/// Removes blank lines, those that start with '#', and a first line "sep=;" from the beginning.
/// Throws as require_lines_of_text().
[[nodiscard]] inline Preamble take_preamble(const std::string& path, std::string_view& text) {
  constexpr std::string_view statement = "sep=", separators = ",;\t|";
  Preamble found;
  for (; !text.empty(); ++found.lines) {
    std::string_view rest = text;
    const std::string_view line = take_line(rest);
    if (line.starts_with('#')) {
      require_lines_of_text(path, text);
      found.comment = line.substr(1);
    } else if (found.lines == 0 && line.size() == statement.size() + 1 &&
               line.starts_with(statement) &&
               separators.find(line.back()) != std::string_view::npos) {
      found.separator = line.back();
    } else if (!without_spaces(line).empty()) {
      break;
    }
    text = rest;
  }
  return found;
}

}  // namespace mercer::detail

#endif  // MERCER_IO_DELIMITED_HPP
