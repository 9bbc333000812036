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
#include <mercer/io/columns.hpp>
#include <mercer/io/content.hpp>
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
  std::vector<std::string> column_names;  ///< of these values; empty if the file has no header line
  std::vector<std::string> labels = {};   ///< one for each row, if a column of labels was chosen
  std::vector<double> weights = {};       ///< one for each row, if a column of weights was chosen
};

}  // namespace io

namespace detail {

/// Reads the rows of a table into one array, row after row.
template <Real Scalar>
class TableReader {
 public:
  explicit TableReader(const std::string& path, io::ColumnChoice choice = {})
      : path_(path), choice_(std::move(choice)) {}

  [[nodiscard]] io::Table<Scalar> read(std::string_view text) {
    text = text_body(text);
    take_head(text);
    append(text);
    return finish();
  }

  /// Takes what comes before the rows from the beginning of the text of a table. It need not be all
  /// of it, but must have the lines up to the first row of numbers, and the next one if there is
  /// one.
  void take_head(std::string_view& text) {
    if (text.empty()) file_fail(path_, "is empty");
    const Preamble preamble = take_preamble(path_, text);
    header_lines_ = preamble.lines;
    if (!text.empty()) require_lines_of_text(path_, text);
    names_ = read_header(preamble, text);
    if (text.empty()) file_fail(path_, "has a header line but no rows of numbers");
  }

  /// There are so many rows before those to come, which are read elsewhere.
  void skip_rows(Index rows) { rows_ = first_row_ = rows; }

  /// Reads rows.
  void append(std::string_view text) {
    while (!text.empty()) read_row(take_line(text));
  }

  [[nodiscard]] io::Table<Scalar> finish() {
    io::Table<Scalar> table;
    table.column_names = std::move(names_);
    const auto kept = std::count(uses_.begin(), uses_.end(), ColumnUse::Sample);
    table.values = Eigen::Map<const RowMajorMatrix<Scalar>>(values_.data(), rows_ - first_row_,
                                                            static_cast<Index>(kept));
    table.labels = std::move(labels_);
    table.weights = std::move(weights_);
    return table;
  }

 private:
  /// A comment may be anything, also text with a quote that is not closed.
  [[nodiscard]] std::vector<std::string> names_in(std::string_view comment) const {
    try {
      return split_fields(path_, header_lines_, comment, separator_);
    } catch (const io::FileError&) {
      return {};
    }
  }

  /// Finds the separator, the number of columns and the use of each, and removes a header line.
  /// Returns the names of the columns of samples, if there are any.
  [[nodiscard]] std::vector<std::string> read_header(const Preamble& preamble,
                                                     std::string_view& text) {
    std::string_view rest = text;
    const std::string_view first = take_line(rest);
    std::string_view tail = rest;
    const std::string_view second = take_line(tail);
    separator_ =
        preamble.separator != '\0' ? preamble.separator : detect_table_separator(first, second);
    const std::vector<std::string> fields =
        split_fields(path_, header_lines_ + 1, first, separator_);
    columns_ = fields.size();
    if (is_header(fields) || chooses_by_name(choice_, fields)) {
      uses_ = column_uses(path_, fields, columns_, choice_);
      std::vector<std::string> names = of_use(fields, uses_, ColumnUse::Sample);
      // Words where no numbers must be may be data, but not one that a column is called by.
      if (is_header(names) || is_header(of_use(fields, uses_, ColumnUse::Weight)) ||
          chooses_by_name(choice_, fields)) {
        ++header_lines_;
        has_header_ = true;
        text = rest;
        if (has_row_name(second)) {
          uses_.insert(uses_.begin(), ColumnUse::Nothing);
          ++columns_;
        }
        return names;
      }
    }
    std::vector<std::string> names = names_in(preamble.comment);
    if (names.size() != columns_ || !(is_header(names) || chooses_by_name(choice_, names)))
      names.clear();
    uses_ = column_uses(path_, names, columns_, choice_);
    return of_use(names, uses_, ColumnUse::Sample);
  }

  /// Whether a row has one field more than there are names, and the first of them is in quotes, but
  /// not all: the names of rows, as R's write.table writes them.
  [[nodiscard]] bool has_row_name(std::string_view row) const {
    return count_fields(row) == columns_ + 1 && trimmed(row).starts_with('"') &&
           without_quoted(row).find_first_of("0123456789") != std::string::npos;
  }

  void read_row(std::string_view line) {
    ++rows_;
    const char* at = line.data();
    const char* const end = line.data() + line.size();
    for (std::size_t column = 1;; ++column) {
      at = after_blanks(at, end);
      const bool sample = column > columns_ || uses_[column - 1] == ColumnUse::Sample;
      const char* field_end =
          sample ? read_number(at, end, column, line) : read_text(at, end, column, line);
      if (column > columns_) fail_count(line);
      field_end = after_blanks(field_end, end);
      if (field_end == end) {
        if (column != columns_) fail_count(line);
        return;
      }
      at = separator_ == blanks ? field_end : field_end + 1;
    }
  }

  /// Where blanks separate, what comes after them.
  [[nodiscard]] const char* after_blanks(const char* at, const char* end) const {
    if (separator_ != blanks) return at;
    return std::find_if(at, end, [](char letter) { return letter != ' ' && letter != '\t'; });
  }

  [[nodiscard]] bool separates(char letter) const {
    return letter == separator_ || (separator_ == blanks && letter == '\t');
  }
  [[nodiscard]] const char* find_separator(const char* at, const char* end) const {
    return std::find_if(at, end, [this](char letter) { return separates(letter); });
  }

  /// The end of a field that may be in quotes, in which separators do not count.
  /// Throws io::FileError if a quote is not closed.
  [[nodiscard]] const char* end_of_field(const char* at, const char* end,
                                         std::size_t column) const {
    const std::string_view rest(at, static_cast<std::size_t>(end - at));
    const std::size_t quote = rest.find_first_not_of(' ');
    if (quote == std::string_view::npos || rest[quote] != '"') return find_separator(at, end);
    // Quotes inside are doubled, so the last one is the first that is alone.
    std::size_t last = quote;
    do last = rest.find('"', last + 1);
    while (last != std::string_view::npos && rest.substr(last + 1).starts_with('"') && ++last);
    if (last == std::string_view::npos)
      file_fail(path_, "unclosed quote at ", row_text(), ", column ", column, ": ",
                in_quotes(rest));
    return find_separator(at + last + 1, end);
  }

  /// Keeps the number at \p at and returns its end.
  [[nodiscard]] const char* read_number(const char* at, const char* end, std::size_t column,
                                        std::string_view line) {
    Scalar value{};
    const auto [stop, error] = io::from_chars(at, end, value);
    const bool plain =
        error == std::errc{} && (stop == end || separates(*stop)) && std::isfinite(value);
    const char* const field_end = plain ? stop : end_of_field(at, end, column);
    if (!plain)
      value = read_field<Scalar>({at, static_cast<std::size_t>(field_end - at)}, column, line);
    values_.push_back(value);
    return field_end;
  }

  /// Passes over a field that may be text, keeps it if it is a label or a weight, and returns its
  /// end.
  [[nodiscard]] const char* read_text(const char* at, const char* end, std::size_t column,
                                      std::string_view line) {
    const char* const field_end = end_of_field(at, end, column);
    const std::string_view field(at, static_cast<std::size_t>(field_end - at));
    if (uses_[column - 1] == ColumnUse::Weight)
      weights_.push_back(read_field<double>(field, column, line));
    if (uses_[column - 1] == ColumnUse::Label) {
      labels_.push_back(split_fields(path_, rows_ + header_lines_, field, separator_).front());
      if (labels_.back().empty())
        file_fail(path_, "empty label at ", row_text(), ", column ", column);
    }
    return field_end;
  }

  /// Reads a field that is not just a number followed by the separator.
  template <Real T>
  [[nodiscard]] T read_field(std::string_view field, std::size_t column,
                             std::string_view line) const {
    std::string_view text = without_spaces(field);
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
      text = text.substr(1, text.size() - 2);
    T value{};
    const NumberError error = parse_number(text, value);
    if (error == NumberError::None) return value;
    if (is_blank(line) || count_fields(line) != columns_) fail_count(line);
    file_fail(path_, text.empty() ? "empty field" : describe(error), " at ", row_text(),
              ", column ", column, ": ", in_quotes(field), what_it_may_be(text));
  }

  [[nodiscard]] static bool is_blank(std::string_view line) { return without_spaces(line).empty(); }

  [[nodiscard]] std::size_t count_fields(std::string_view line) const {
    const std::string plain = without_quoted(line);
    if (separator_ == blanks) return split_blanks(plain).size();
    return static_cast<std::size_t>(std::count(plain.begin(), plain.end(), separator_)) + 1;
  }

  [[noreturn]] void fail_count(std::string_view line) const {
    if (is_blank(line)) file_fail(path_, "blank line at ", row_text());
    const std::size_t found = count_fields(line);
    const bool row_names = has_header_ && rows_ == 1 && found == columns_ + 1;
    file_fail(path_, "expected ", columns_, columns_ == 1 ? " field, found " : " fields, found ",
              found, " at ", row_text(), ", column ", (std::min)(found, columns_) + 1, ": ",
              in_quotes(line),
              row_names ? "; if the first are names of rows, write none: in R, write.csv(..., "
                          "row.names = FALSE)"
                        : "");
  }

  [[nodiscard]] std::string row_text() const {
    return "line " + to_text(rows_ + header_lines_) + " (row " + to_text(rows_) + ")";
  }

  const std::string& path_;
  io::ColumnChoice choice_;
  char separator_ = ',';
  std::size_t columns_ = 0;
  std::vector<ColumnUse> uses_;
  std::vector<std::string> names_;  ///< of the columns of samples
  Index rows_ = 0;       ///< rows of numbers so far, with the current one and those skipped
  Index first_row_ = 0;  ///< rows skipped
  Index header_lines_ = 0;
  bool has_header_ = false;  ///< the first line has names
  std::vector<Scalar> values_;
  std::vector<std::string> labels_;
  std::vector<double> weights_;
};

/// A column name as one field, in quotes if it needs them.
[[nodiscard]] inline std::string name_field(const std::string& name) {
  const bool looks_like_numbers = !name.empty() && !is_header(split_blanks(name));
  if (name.find_first_of(",;\t\"") == std::string::npos && without_spaces(name) == name &&
      !name.starts_with(byte_order_mark) && !has_utf16_mark(name) && !name.starts_with('#') &&
      !name.starts_with("sep=") && format_of_magic(name) == nullptr && !looks_like_numbers)
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
    if (name.find('\0') != std::string::npos)
      fail("mercer::io::write_csv: ", path, ": a column name has a zero byte: ", in_quotes(name));
    line += name_field(name) + ',';
  }
  line.back() = '\n';
  return line;
}

}  // namespace detail

namespace io {

/// Reads a table of numbers, one row per line.
///
/// Separator: tab, semicolon or comma. The first of these, in this order, that the first line
/// contains is used. If it contains none and the next line has several words, blanks separate, as
/// NumPy's savetxt writes. So do blanks and tabs together, where the first line or the next one is
/// all numbers with both between them. Header: the first line holds the column names if one of its
/// fields is a word: not a number, and not the mark of a missing one (?, NA, N/A, NULL, a point or
/// a dash). If the first row has one field more than the header, and begins with one in quotes, as
/// R's write.table writes the names of rows, the first field of each row is ignored. Lines at the
/// beginning that start with '#' are ignored, but the last of them holds the column names if it has
/// as many fields as there are columns, and one of them is a word. Fields may have spaces or quotes
/// around them. Blank lines at the beginning and at the end are ignored. A first line "sep=;"
/// states the separator, which may be '|', too. The decimal mark is a point in every locale.
///
/// \p columns says which columns to read. Only those of samples and weights must be numbers, and
/// only these decide whether the first line is a header, unless it has a name that \p columns has:
/// then it is one, and so is a comment with such a name. So where all names are numbers, as years
/// are, choose a column by its name; a number of columns in the file, such as 2, is no name.
/// Cost: O(bytes) time.
/// Memory: the text and the numbers, beside the result.
/// Throws FileError for a field that is empty, not a number, NaN, infinite or too large for Scalar,
///   for a row with more or fewer fields than the first, and for columns that are not there. The
///   message gives line, row and column, and for common dialects, such as decimal commas, marks
///   of missing values and UTF-16, what is not understood.
template <Real Scalar>
[[nodiscard]] Table<Scalar> read_csv(const std::string& path, const ColumnChoice& columns = {}) {
  return detail::TableReader<Scalar>(path, columns).read(read_file(path));
}

/// Writes the same file as write_csv(), for a matrix whose rows come in parts.
template <Real Scalar>
class CsvWriter {
 public:
  /// Throws as write_csv().
  CsvWriter(const std::string& path, Index columns,
            const std::vector<std::string>& column_names = {})
      : text_(header(path, columns, column_names)), file_(path), columns_(columns) {}

  /// Throws InvalidArgument for another number of columns.
  /// Throws FileError if the rows cannot be written.
  void append(const Points<Scalar>& rows) {
    constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
    if (rows.cols() != columns_)
      mercer::detail::fail("mercer::io::CsvWriter: expected ", columns_, " columns, got ",
                           rows.cols());
    for (Index i = 0; i < rows.rows(); ++i) {
      for (Index j = 0; j < columns_; ++j) {
        if (j > 0) text_ += ',';
        text_ += mercer::detail::to_text(rows(i, j));
      }
      text_ += '\n';
      if (text_.size() < buffer_bytes) continue;
      file_.write(text_);
      text_.clear();
    }
  }

  /// Gives the file its name.
  void commit() {
    file_.write(text_);
    file_.commit();
  }

 private:
  [[nodiscard]] static std::string header(const std::string& path, Index columns,
                                          const std::vector<std::string>& names) {
    if (columns == 0)
      mercer::detail::fail("mercer::io::write_csv: ", path, ": the matrix has no columns");
    return names.empty() ? "" : mercer::detail::header_line(path, names, columns);
  }

  std::string text_;
  AtomicFile file_;
  Index columns_;
};

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
  const Eigen::Ref<const Matrix<Scalar>> values(matrix.derived());
  CsvWriter<Scalar> writer(path, values.cols(), column_names);
  writer.append(values);
  writer.commit();
}

}  // namespace io
}  // namespace mercer

#endif  // MERCER_IO_CSV_HPP
