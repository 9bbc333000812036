// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Matrices in the Matrix Market's text format, dense or sparse.
///
/// Source: Boisvert, Pozo, Remington, The Matrix Market exchange formats: initial design, 1996.

#ifndef MERCER_IO_MATRIX_MARKET_HPP
#define MERCER_IO_MATRIX_MARKET_HPP

#include <charconv>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <Eigen/SparseCore>

#include <mercer/core/suggestion.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/delimited.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/sparse_rows.hpp>
#include <mercer/io/text.hpp>

namespace mercer {
namespace detail {

template <Real Scalar>
class MatrixMarketReader {
 public:
  using Result = std::variant<Matrix<Scalar>, SparseMatrix<Scalar>>;

  explicit MatrixMarketReader(const std::string& path) : path_(path) {}

  [[nodiscard]] Result read(std::string_view text) {
    read_banner(next_line(text));
    std::vector<std::string> sizes;
    while (sizes.empty()) {
      if (text.empty()) file_fail(path_, "truncated: no line with the sizes");
      const std::string_view line = next_line(text);
      if (!line.starts_with('%')) sizes = split_blanks(line);
    }
    if (sizes.size() != (coordinate_ ? 3U : 2U))
      fail_line(coordinate_ ? "expected rows, columns and entries" : "expected rows and columns");
    rows_ = index(sizes[0]);
    columns_ = index(sizes[1]);
    if (symmetry_ != Symmetry::None && rows_ != columns_)
      fail_line("a symmetric matrix must be square");
    if (coordinate_) return read_entries(text, index(sizes[2]));
    return read_array(text);
  }

 private:
  enum class Symmetry { None, Symmetric, Skew };

  [[noreturn]] void fail_line(const std::string& what, std::string_view found = {}) const {
    file_fail(path_, what, " at line ", line_, found.empty() ? "" : ": ",
              found.empty() ? "" : in_quotes(found));
  }

  [[nodiscard]] std::string_view next_line(std::string_view& text) {
    ++line_;
    return trimmed(take_line(text));
  }

  void read_banner(std::string_view line) {
    std::vector<std::string> words = split_blanks(line);
    for (std::string& word : words) word = folded(word);
    if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix")
      file_fail(path_, "is not in Matrix Market format: the first line is ", in_quotes(line));
    coordinate_ = words[2] == "coordinate";
    pattern_ = words[3] == "pattern";
    if (!coordinate_ && words[2] != "array") fail_line("unknown format", words[2]);
    const bool real = words[3] == "real" || words[3] == "integer" || words[3] == "double";
    if (!real && !(pattern_ && coordinate_))
      fail_line(coordinate_ ? "values must be real, integer or pattern"
                            : "values must be real or integer",
                words[3]);
    if (words[4] == "symmetric")
      symmetry_ = Symmetry::Symmetric;
    else if (words[4] == "skew-symmetric")
      symmetry_ = Symmetry::Skew;
    else if (words[4] != "general")
      fail_line("the matrix must be general, symmetric or skew-symmetric", words[4]);
  }

  /// A whole number that a sparse matrix can count to.
  [[nodiscard]] Index index(std::string_view word) const {
    constexpr Index most =
        (std::numeric_limits<typename SparseMatrix<Scalar>::StorageIndex>::max)();
    Index value = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    if (error == std::errc::invalid_argument || stop != end)
      fail_line("expected a whole number", word);
    if (error != std::errc{} || value < 0 || value >= most)
      fail_line("the number is out of range", word);
    return value;
  }

  [[nodiscard]] Scalar number(std::string_view word) const {
    Scalar value{};
    const NumberError error = parse_number(word, value);
    if (error != NumberError::None)
      fail_line(std::string("the value is ").append(describe(error)), word);
    return value;
  }

  /// Throws if so many lines of text cannot hold what the sizes promise.
  void require_text(std::string_view text, double wanted, std::size_t bytes_each) const {
    if (wanted * static_cast<double>(bytes_each) > static_cast<double>(text.size()) + 1)
      file_fail(path_, "truncated, or wrong sizes: ", rows_, " x ", columns_,
                coordinate_ ? " with " : "", coordinate_ ? to_text(wanted) + " entries" : "",
                " do not fit in ", text.size(), " bytes");
  }

  [[nodiscard]] Result read_entries(std::string_view text, Index count) {
    const std::size_t shortest = pattern_ ? 4 : 6;  // "1 1\n", "1 1 1\n"
    require_text(text, static_cast<double>(count), shortest);
    require_sparse_rows(path_, rows_, text.size());
    std::vector<Eigen::Triplet<Scalar>> entries;
    entries.reserve(static_cast<std::size_t>(count));
    while (static_cast<Index>(lines_) < count) {
      if (text.empty()) file_fail(path_, "truncated: expected ", count, " entries, found ", lines_);
      const std::string_view line = next_line(text);
      if (!line.empty()) add_entry(split_blanks(line), line, entries);
    }
    require_end(text);
    return sparse_of_entries(path_, rows_, columns_, Repeated::Error, std::move(entries));
  }

  void add_entry(const std::vector<std::string>& words, std::string_view line,
                 std::vector<Eigen::Triplet<Scalar>>& entries) {
    if (words.size() != (pattern_ ? 2U : 3U))
      fail_line(pattern_ ? "expected row and column" : "expected row, column and value", line);
    const Index i = index(words[0]) - 1, j = index(words[1]) - 1;
    if (i < 0 || i >= rows_ || j < 0 || j >= columns_)
      fail_line(
          "the position is outside of " + std::to_string(rows_) + " x " + std::to_string(columns_),
          line);
    if (symmetry_ != Symmetry::None && i < j)
      fail_line("a symmetric matrix gives its lower triangle", line);
    if (symmetry_ == Symmetry::Skew && i == j) fail_line("a diagonal entry must be left out", line);
    const Scalar value = pattern_ ? Scalar(1) : number(words[2]);
    const auto row = static_cast<int>(i), column = static_cast<int>(j);
    entries.emplace_back(row, column, value);
    if (symmetry_ != Symmetry::None && i != j) entries.emplace_back(column, row, mirrored(value));
    ++lines_;
  }

  [[nodiscard]] Scalar mirrored(Scalar value) const {
    return symmetry_ == Symmetry::Skew ? -value : value;
  }

  /// Column after column; of symmetric matrices the lower triangle.
  [[nodiscard]] Result read_array(std::string_view text) {
    const double cells = static_cast<double>(rows_) * static_cast<double>(columns_);
    require_text(text, symmetry_ == Symmetry::None ? cells : cells / 4, 2);
    Matrix<Scalar> values = Matrix<Scalar>::Zero(rows_, columns_);
    const Index columns = rows_ > 0 ? columns_ : 0;  // any number of columns without values
    for (Index j = 0; j < columns; ++j) {
      const Index first = symmetry_ == Symmetry::None        ? 0
                          : symmetry_ == Symmetry::Symmetric ? j
                                                             : j + 1;
      for (Index i = first; i < rows_; ++i) {
        std::string_view line;
        while (line.empty()) {
          if (text.empty())
            file_fail(path_, "truncated: ends before row ", i + 1, " of column ", j + 1);
          line = next_line(text);
        }
        values(i, j) = number(line);
        if (symmetry_ != Symmetry::None && i != j) values(j, i) = mirrored(values(i, j));
      }
    }
    require_end(text);
    return values;
  }

  void require_end(std::string_view text) {
    while (!text.empty())
      if (const std::string_view line = next_line(text); !line.empty())
        fail_line("more values than the sizes say", line);
  }

  const std::string& path_;
  bool coordinate_ = false, pattern_ = false;
  Symmetry symmetry_ = Symmetry::None;
  Index line_ = 0, rows_ = 0, columns_ = 0;
  std::size_t lines_ = 0;  // of entries
};

}  // namespace detail

namespace io {

/// Reads a matrix in Matrix Market format: one of the kind "array" as dense, one of the kind
/// "coordinate" as sparse. Symmetric and skew-symmetric ones are completed. Entries of a pattern
/// are 1.
/// Cost: O(bytes) time.
/// Memory: the text and the entries, beside the result.
/// Throws FileError for a file that is truncated, has more values than it says, an entry outside of
///   the matrix or given twice, values that are complex or no finite numbers. The message gives the
///   line and the text; of an entry given twice, row and column, counted from 1.
template <Real Scalar>
[[nodiscard]] std::variant<Matrix<Scalar>, SparseMatrix<Scalar>> read_matrix_market(
    const std::string& path) {
  return detail::MatrixMarketReader<Scalar>(path).read(read_file(path));
}

}  // namespace io
}  // namespace mercer

#endif  // MERCER_IO_MATRIX_MARKET_HPP
