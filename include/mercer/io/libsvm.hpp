// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Sparse samples with labels in LIBSVM's text format.

#ifndef MERCER_IO_LIBSVM_HPP
#define MERCER_IO_LIBSVM_HPP

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <Eigen/SparseCore>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/delimited.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/sparse_rows.hpp>
#include <mercer/io/text.hpp>

namespace mercer {
namespace io {

/// Samples, one per row, and one label for each.
template <Real Scalar>
struct LabeledSamples {
  SparseMatrix<Scalar> samples;  ///< n x d
  Vector<double> labels;         ///< n
};

}  // namespace io

namespace detail {

/// Collects the rows of a LIBSVM file as a compressed sparse row matrix.
template <Real Scalar>
class LibsvmReader {
 public:
  LibsvmReader(const std::string& path, Index dimension) : path_(path), dimension_(dimension) {}

  [[nodiscard]] io::LabeledSamples<Scalar> read(std::string_view text) {
    append(text_body(text));
    if (labels_.empty()) file_fail(path_, "has no samples");
    return finish(dimension_ > 0 ? dimension_ : largest_index());
  }

  /// There are so many lines before those to come, which are read elsewhere.
  void skip_lines(Index lines) { line_ = lines; }

  /// Reads lines.
  void append(std::string_view text) {
    while (!text.empty()) {
      ++line_;
      std::string_view line = take_line(text);
      line = line.substr(0, line.find('#'));
      if (!trimmed(line).empty()) read_sample(line);
    }
  }

  /// The largest index so far; 0 if there are no entries.
  [[nodiscard]] Index largest_index() const { return Index{largest_index_}; }

  /// The samples so far, perhaps none.
  [[nodiscard]] io::LabeledSamples<Scalar> finish(Index columns) const {
    const auto n = static_cast<Index>(labels_.size());
    return {sparse_rows(columns, row_begins_, columns_, values_),
            Eigen::Map<const Vector<double>>(labels_.data(), n)};
  }

 private:
  using StorageIndex = typename SparseMatrix<Scalar>::StorageIndex;
  static constexpr StorageIndex most = (std::numeric_limits<StorageIndex>::max)();

  static std::string_view take_token(std::string_view& line) {
    line = trimmed(line);
    const std::string_view token = line.substr(0, line.find_first_of(" \t"));
    line.remove_prefix(token.size());
    return token;
  }

  void read_sample(std::string_view line) {
    read_label(take_token(line));
    previous_ = 0;
    for (std::string_view token = take_token(line); !token.empty(); token = take_token(line))
      read_entry(token);
    if (std::cmp_greater(values_.size(), most) || std::cmp_greater(labels_.size(), most - 1))
      fail_at("too many entries for one sparse matrix", line);
    row_begins_.push_back(static_cast<StorageIndex>(values_.size()));
  }

  void read_label(std::string_view token) {
    if (token.find(':') != std::string_view::npos)
      fail_at("no label: a line begins with a number, then come index:value pairs", token);
    double label = 0;
    const NumberError error = parse_number(token, label);
    if (error != NumberError::None)
      fail_at(std::string("label is ").append(describe(error)), token);
    labels_.push_back(label);
  }

  void read_entry(std::string_view token) {
    const char* const end = token.data() + token.size();
    StorageIndex index = 0;
    const auto [colon, error] = std::from_chars(token.data(), end, index);
    if (error == std::errc::result_out_of_range && !token.starts_with('-'))
      fail_at("index is too large", token);
    if (error == std::errc::invalid_argument || colon == end || *colon != ':')
      fail_at("expected index:value", token);
    if (error != std::errc{} || index < 1) fail_at("index is below 1", token);
    if (index <= previous_) fail_at("index does not rise", token);
    if (dimension_ > 0 && index > dimension_)
      fail_at("index exceeds the dimension " + to_text(dimension_), token);
    Scalar value{};
    const NumberError value_error =
        parse_number(token.substr(static_cast<std::size_t>(colon - token.data()) + 1), value);
    if (value_error != NumberError::None)
      fail_at(std::string("value is ").append(describe(value_error)), token);
    columns_.push_back(index - 1);
    values_.push_back(value);
    previous_ = index;
    largest_index_ = (std::max)(largest_index_, index);
  }

  [[noreturn]] void fail_at(std::string_view what, std::string_view token) const {
    file_fail(path_, what, " at line ", line_, ": ", in_quotes(token));
  }

  const std::string& path_;
  const Index dimension_;
  Index line_ = 0;
  StorageIndex previous_ = 0;  ///< index of the previous entry of this sample
  StorageIndex largest_index_ = 0;
  std::vector<double> labels_;
  std::vector<StorageIndex> row_begins_{0};
  std::vector<StorageIndex> columns_;
  std::vector<Scalar> values_;
};

}  // namespace detail

namespace io {

/// Reads lines of the form "label index:value index:value ..." with ascending indices from 1.
///
/// Text from '#' to the end of the line is a comment. Lines with nothing else are ignored.
/// \p dimension is the number of columns of the result; 0 means the largest index in the file.
/// Cost: O(bytes) time.
/// Memory: the text and the entries, beside the result.
/// Throws FileError for a missing label, an index below 1, out of order or above \p dimension, and
///   anything that is not a finite number. The message gives the line and the text.
/// Throws InvalidArgument if dimension < 0.
template <Real Scalar>
[[nodiscard]] LabeledSamples<Scalar> read_libsvm(const std::string& path, Index dimension = 0) {
  if (dimension < 0)
    detail::fail("mercer::io::read_libsvm: dimension must be 0 or more, got ", dimension);
  return detail::LibsvmReader<Scalar>(path, dimension).read(read_file(path));
}

/// Writes samples in the form that read_libsvm reads. Each number has the shortest form that reads
/// back as the same number. The file appears complete or not at all.
/// Throws FileError if the file cannot be written.
/// Throws InvalidArgument unless there is one label per sample.
template <Real Scalar>
void write_libsvm(const std::string& path, const SparseMatrix<Scalar>& samples,
                  const Vector<double>& labels) {
  constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
  if (labels.size() != samples.rows())
    detail::fail("mercer::io::write_libsvm: ", path, ": ", labels.size(), " labels for ",
                 samples.rows(), " samples");
  AtomicFile file(path);
  std::string text;
  for (Index i = 0; i < samples.rows(); ++i) {
    text += detail::to_text(labels(i));
    for (typename SparseMatrix<Scalar>::InnerIterator entry(samples, i); entry; ++entry)
      text += ' ' + detail::to_text(entry.col() + 1) + ':' + detail::to_text(entry.value());
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

#endif  // MERCER_IO_LIBSVM_HPP
