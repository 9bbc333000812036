// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Tables of numbers in text files with separators (CSV).

#ifndef MERCER_IO_CSV_HPP
#define MERCER_IO_CSV_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/delimited.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/from_chars.hpp>
#include <mercer/io/text.hpp>

namespace mercer {
namespace io {

/// Numbers, with column names if the file has them.
template <Real Scalar>
struct Table {
  Matrix<Scalar> values;                  ///< one row for each line
  std::vector<std::string> column_names;  ///< empty if the file has no header line
};

}  // namespace io

namespace detail {

/// Reads the rows of a table into one array, row after row.
template <Real Scalar>
class TableReader {
 public:
  explicit TableReader(const std::string& path) : path_(path) {}

  [[nodiscard]] io::Table<Scalar> read(std::string_view text) {
    text = text_body(text);
    if (text.empty()) file_fail(path_, "is empty");
    io::Table<Scalar> table;
    std::string_view rest = text;
    const std::string_view first = take_line(rest);
    separator_ = detect_separator(first);
    std::vector<std::string> fields = split_fields(path_, 1, first, separator_);
    columns_ = fields.size();
    if (is_header(fields)) {
      if (rest.empty()) file_fail(path_, "has a header line but no rows of numbers");
      table.column_names = std::move(fields);
      header_lines_ = 1;
      text = rest;
    }
    while (!text.empty()) read_row(take_line(text));
    table.values = Eigen::Map<const RowMajorMatrix<Scalar>>(values_.data(), rows_,
                                                            static_cast<Index>(columns_));
    return table;
  }

 private:
  void read_row(std::string_view line) {
    ++rows_;
    const char* at = line.data();
    const char* const end = line.data() + line.size();
    for (std::size_t column = 1;; ++column) {
      Scalar value{};
      const auto [stop, error] = io::from_chars(at, end, value);
      const bool plain =
          error == std::errc{} && (stop == end || *stop == separator_) && std::isfinite(value);
      const char* const field_end = plain ? stop : std::find(at, end, separator_);
      if (!plain) value = read_field({at, static_cast<std::size_t>(field_end - at)}, column, line);
      if (column > columns_) fail_count(line);
      values_.push_back(value);
      if (field_end == end) {
        if (column != columns_) fail_count(line);
        return;
      }
      at = field_end + 1;
    }
  }

  /// Reads a field that is not just a number followed by the separator.
  [[nodiscard]] Scalar read_field(std::string_view field, std::size_t column,
                                  std::string_view line) const {
    std::string_view text = without_spaces(field);
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
      text = text.substr(1, text.size() - 2);
    Scalar value{};
    const NumberError error = parse_number(text, value);
    if (error == NumberError::None) return value;
    if (is_blank(line) || count_fields(line) != columns_) fail_count(line);
    file_fail(path_, text.empty() ? "empty field" : describe(error), " at ", row_text(),
              ", column ", column, ": ", in_quotes(field));
  }

  [[nodiscard]] static bool is_blank(std::string_view line) { return without_spaces(line).empty(); }

  [[nodiscard]] std::size_t count_fields(std::string_view line) const {
    return static_cast<std::size_t>(std::count(line.begin(), line.end(), separator_)) + 1;
  }

  [[noreturn]] void fail_count(std::string_view line) const {
    if (is_blank(line)) file_fail(path_, "blank line at ", row_text());
    const std::size_t found = count_fields(line);
    file_fail(path_, "expected ", columns_, columns_ == 1 ? " field, found " : " fields, found ",
              found, " at ", row_text(), ", column ", (std::min)(found, columns_) + 1, ": ",
              in_quotes(line));
  }

  [[nodiscard]] std::string row_text() const {
    return "line " + to_text(rows_ + header_lines_) + " (row " + to_text(rows_) + ")";
  }

  const std::string& path_;
  char separator_ = ',';
  std::size_t columns_ = 0;
  Index rows_ = 0;  ///< rows of numbers so far, with the current one
  Index header_lines_ = 0;
  std::vector<Scalar> values_;
};

/// A column name as one field, in quotes if it needs them.
[[nodiscard]] inline std::string name_field(const std::string& name) {
  if (name.find_first_of(",;\t\"") == std::string::npos && without_spaces(name) == name &&
      !name.starts_with(byte_order_mark))
    return name;
  std::string field = "\"";
  for (const char character : name) {
    if (character == '"') field += '"';
    field += character;
  }
  return field += '"';
}

[[nodiscard]] inline std::string header_line(const std::string& path,
                                             const std::vector<std::string>& column_names,
                                             Index columns) {
  if (std::cmp_not_equal(column_names.size(), columns))
    fail("mercer::io::write_csv: ", path, ": ", column_names.size(), " column names for ", columns,
         " columns");
  if (!is_header(column_names))
    fail("mercer::io::write_csv: ", path,
         ": column names that are all numbers or empty cannot be "
         "told from data");
  std::string line;
  for (const std::string& name : column_names) {
    if (name.find_first_of("\r\n") != std::string::npos)
      fail("mercer::io::write_csv: ", path, ": a column name has a line break: ", in_quotes(name));
    line += (line.empty() ? "" : ",") + name_field(name);
  }
  return line += '\n';
}

}  // namespace detail

namespace io {

/// Reads a table of numbers, one row per line.
///
/// Separator: tab, semicolon or comma. The first of these, in this order, that the first line
/// contains is used. Header: the first line holds the column names if one of its fields is not a
/// number. Fields may have spaces or quotes around them. Blank lines at the end are ignored. The
/// decimal mark is a point in every locale.
/// Cost: O(bytes) time.
/// Memory: the text and the numbers, beside the result.
/// Throws FileError for a field that is empty, not a number, NaN, infinite or too large for Scalar,
///   and for a row with more or fewer fields than the first. The message gives line, row and
///   column.
template <Real Scalar>
[[nodiscard]] Table<Scalar> read_csv(const std::string& path) {
  return detail::TableReader<Scalar>(path).read(read_file(path));
}

/// Writes a table with commas. Each number has the shortest form that reads back as the same
/// number.
///
/// NaN and infinity are written as words, which read_csv rejects. The file appears complete or not
/// at all.
/// Throws FileError if the file cannot be written.
/// Throws InvalidArgument if the matrix has no columns. If there are column names, it also throws
///   unless there is one for each column, if a name has a line break, or if all names look like
///   numbers.
template <class Derived>
  requires Real<typename Derived::Scalar>
void write_csv(const std::string& path, const Eigen::MatrixBase<Derived>& matrix,
               const std::vector<std::string>& column_names = {}) {
  using Scalar = typename Derived::Scalar;
  constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
  const Eigen::Ref<const Matrix<Scalar>> values(matrix.derived());
  if (values.cols() == 0)
    mercer::detail::fail("mercer::io::write_csv: ", path, ": the matrix has no columns");
  std::string text;
  if (!column_names.empty()) text = detail::header_line(path, column_names, values.cols());
  AtomicFile file(path);
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < values.cols(); ++j) {
      if (j > 0) text += ',';
      text += detail::to_text(values(i, j));
    }
    text += '\n';
    if (text.size() < buffer_bytes) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
  file.commit();
}

}  // namespace io
}  // namespace mercer

#endif  // MERCER_IO_CSV_HPP
