// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Lines and fields of text with separators, for CSV tables and for label files.

#ifndef MERCER_IO_DELIMITED_HPP
#define MERCER_IO_DELIMITED_HPP

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/text.hpp>

namespace mercer::detail {

/// Whether the extension is that of a table in text.
[[nodiscard]] inline bool is_table(std::string_view format) {
  return format == ".csv" || format == ".tsv" || format == ".txt" || format == ".dat";
}

inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// The text of a file without a byte-order mark and without blank lines at the end.
[[nodiscard]] inline std::string_view text_body(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return text.substr(0, text.find_last_not_of(" \r\n") + 1);
}

/// Whether a text starts as one in UTF-16 does.
[[nodiscard]] inline bool has_utf16_mark(std::string_view text) {
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
}

/// Throws io::FileError if the first line is none: of what looks like text, but has no lines in it: UTF-16, and lines that
/// end in CR alone. Else all of the file would be one line, in messages too.
inline void require_lines_of_text(const std::string& path, std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  if (has_utf16_mark(text) || first.find('\0') != std::string_view::npos)
    file_fail(path, "has zero bytes between its letters, as UTF-16 has; save it as UTF-8");
  if (first.substr(0, first.size() - (first.ends_with('\r') ? 1 : 0)).find('\r') !=
      std::string_view::npos)
    file_fail(path, "its lines end in CR alone, not in LF or CR LF; save it with other line ends");
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

/// What a field that is no number may be: a sentence to add to a message, or nothing.
[[nodiscard]] inline std::string_view what_it_may_be(std::string_view field) {
  constexpr std::string_view digits = "0123456789";
  if (!field.empty() && is_missing(field))
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

/// The separator of a table, from its first two lines: that of the first line, or blanks if it has
/// none but consists of several numbers, or there are several words in the second line. So a header
/// of one column may have blanks itself. Blanks, too, if one line is numbers with blanks and tabs
/// between them.
[[nodiscard]] inline char detect_table_separator(std::string_view first, std::string_view second) {
  const char separator = detect_separator(first);
  if (separator == '\t' && (is_blank_separated(first) || is_blank_separated(second))) return blanks;
  if (separator != ',' || first.find(',') != std::string_view::npos) return separator;
  const std::vector<std::string> words = split_blanks(first);
  if (words.size() > 1 && !is_header(words)) return blanks;
  const bool several = trimmed(second).find_first_of(" \t") != std::string_view::npos;
  return several && second.find_first_of(",;\"") == std::string_view::npos ? blanks : separator;
}

[[nodiscard]] inline std::string_view without_spaces(std::string_view field) {
  const std::size_t first = field.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return field.substr(first, field.find_last_not_of(' ') - first + 1);
}

/// The fields of one line, without quotes and without the spaces around them. A doubled quote
/// inside quotes stands for one quote.
/// Throws io::FileError if a quote is not closed.
[[nodiscard]] inline std::vector<std::string> split_fields(const std::string& path, Index line,
                                                           std::string_view text, char separator) {
  std::vector<std::string> fields;
  for (;;) {
    text.remove_prefix((std::min)(text.find_first_not_of(' '), text.size()));
    std::string field;
    if (text.starts_with('"')) {
      const std::string_view opening = text;
      do {
        if (opening.size() != text.size()) field += '"';
        const std::size_t end = text.find('"', 1);
        if (end == std::string_view::npos)
          file_fail(path, "unclosed quote at line ", line, ", column ", fields.size() + 1, ": ",
                    in_quotes(opening));
        field += text.substr(1, end - 1);
        text.remove_prefix(end + 1);
      } while (text.starts_with('"'));
    }
    const std::size_t end = text.find(separator);
    field += without_spaces(text.substr(0, end));
    fields.push_back(std::move(field));
    if (end == std::string_view::npos) return fields;
    text.remove_prefix(end + 1);
  }
}

}  // namespace mercer::detail

#endif  // MERCER_IO_DELIMITED_HPP
