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
#include <mercer/io/content.hpp>
#include <mercer/io/delimited.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/sparse_rows.hpp>
#include <mercer/io/text.hpp>

namespace mercer {
namespace io {

/// Samples, one per row, and one label for each.
template <Real Scalar>
struct LabeledSamples {
  SparseMatrix<Scalar> samples;    ///< n x d
  Vector<double> labels;           ///< n
  bool indices_from_zero = false;  ///< the file's indices count from 0
};

}  // namespace io

namespace detail {

/// Collects the rows of a LIBSVM file as a compressed sparse row matrix.
template <Real Scalar>
class LibsvmReader {
 public:
  /// \param from_zero  indices count from 0 even if none is 0
  LibsvmReader(const std::string& path, Index dimension, bool from_zero = false)
      : path_(path), dimension_(dimension), from_zero_(from_zero) {}

  [[nodiscard]] io::LabeledSamples<Scalar> read(std::string_view text) {
    append(text_body(text));
    if (labels_.empty()) file_fail(path_, "has no samples");
    return finish(columns_for(largest_index(), from_zero()), from_zero());
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

  /// The largest index so far; -1 if there are no entries.
  [[nodiscard]] Index largest_index() const { return Index{largest_index_}; }

  /// Whether the indices count from 0, as far as the lines so far tell: one of them is 0.
  [[nodiscard]] bool from_zero() const { return from_zero_; }

  /// How many columns the samples of the file have, from what is true of all of its lines.
  /// Throws io::FileError if an index that counts from 0 is too large.
  [[nodiscard]] Index columns_for(Index largest, bool zero_based) const {
    const Index needed = zero_based ? largest + 1 : (std::max)(largest, Index{0});
    const Index allowed = dimension_ > 0 ? dimension_ : Index{most};
    if (needed > allowed)
      file_fail(path_, "index ", largest, " exceeds the dimension ", allowed,
                ", as indices count from 0 here");
    return dimension_ > 0 ? dimension_ : needed;
  }

  /// The samples so far, perhaps none.
  [[nodiscard]] io::LabeledSamples<Scalar> finish(Index columns, bool zero_based) {
    if (!zero_based)
      for (StorageIndex& index : indices_) --index;
    const auto n = static_cast<Index>(labels_.size());
    return {sparse_rows(columns, row_begins_, indices_, values_),
            Eigen::Map<const Vector<double>>(labels_.data(), n), zero_based};
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
    previous_ = -1;
    std::string_view token = take_token(line);
    if (is_libsvm_query(token)) token = take_token(line);
    for (; !token.empty(); token = take_token(line)) read_entry(token);
    if (std::cmp_greater(values_.size(), most) || std::cmp_greater(labels_.size(), most - 1))
      fail_at("too many entries for one sparse matrix", line);
    row_begins_.push_back(static_cast<StorageIndex>(values_.size()));
  }

  void read_label(std::string_view token) {
    if (token.find(':') != std::string_view::npos)
      fail_at("no label: a line begins with a number, then come index:value pairs", token);
    double label = 0;
    const NumberError error = parse_number(token, label);
    if (error == NumberError::NotANumber && are_numbers(token))
      fail_at("several labels, and mercer reads one for each sample", token);
    if (error != NumberError::None)
      fail_at(std::string("label is ").append(describe(error)), token);
    labels_.push_back(label);
  }

  /// Whether a token is numbers with commas between them.
  [[nodiscard]] static bool are_numbers(std::string_view token) {
    for (;;) {
      const std::size_t comma = token.find(',');
      double value = 0;
      if (parse_number(token.substr(0, comma), value) != NumberError::None) return false;
      if (comma == std::string_view::npos) return true;
      token.remove_prefix(comma + 1);
    }
  }

  void read_entry(std::string_view token) {
    const char* const end = token.data() + token.size();
    StorageIndex index = 0;
    const auto [colon, error] = std::from_chars(token.data(), end, index);
    if (error == std::errc::result_out_of_range && !token.starts_with('-'))
      fail_at("index is too large", token);
    if (error == std::errc::invalid_argument || colon == end || *colon != ':')
      fail_at("expected index:value", token);
    if (error != std::errc{} || index < 0) fail_at("index is below 0", token);
    if (index <= previous_) fail_at("index does not rise", token);
    if (dimension_ > 0 && index > dimension_)
      fail_at("index exceeds the dimension " + to_text(dimension_), token);
    Scalar value{};
    const NumberError value_error =
        parse_number(token.substr(static_cast<std::size_t>(colon - token.data()) + 1), value);
    if (value_error != NumberError::None)
      fail_at(std::string("value is ").append(describe(value_error)), token);
    indices_.push_back(index);
    values_.push_back(value);
    previous_ = index;
    from_zero_ = from_zero_ || index == 0;
    largest_index_ = (std::max)(largest_index_, index);
  }

  [[noreturn]] void fail_at(std::string_view what, std::string_view token) const {
    file_fail(path_, what, " at line ", line_, ": ", in_quotes(token));
  }

  const std::string& path_;
  const Index dimension_;
  bool from_zero_;  ///< indices count from 0
  Index line_ = 0;
  StorageIndex previous_ = -1;  ///< index of the previous entry of this sample
  StorageIndex largest_index_ = -1;
  std::vector<double> labels_;
  std::vector<StorageIndex> row_begins_{0};
  std::vector<StorageIndex> indices_;  ///< as in the file
  std::vector<Scalar> values_;
};

}  // namespace detail

namespace io {

/// Reads lines of the form "label index:value index:value ..." with ascending indices.
///
/// Indices count from 1; if one of the file is 0, all of them count from 0, as in scikit-learn's
/// load_svmlight_file (zero_based="auto"). So a file in which the first of all columns has no entry
/// may be read one column too far to the left: \p from_zero says that its indices count from 0,
/// as those of another file of the same data do. The number of a query, "qid:7" behind the label,
/// is ignored. Text from '#' to the end of the line is a comment. Lines with nothing else are
/// ignored.
/// \p dimension is the number of columns of the result; 0 means the largest index in the file, and
/// one more if indices count from 0.
/// Cost: O(bytes) time.
/// Memory: the text and the entries, beside the result.
/// Throws FileError for a missing label, several labels of one sample, an index below 0, out of
///   order or beyond \p dimension, and anything that is not a finite number. The message gives the
///   line and the text.
/// Throws InvalidArgument if dimension < 0.
template <Real Scalar>
[[nodiscard]] LabeledSamples<Scalar> read_libsvm(const std::string& path, Index dimension = 0,
                                                 bool from_zero = false) {
  if (dimension < 0)
    detail::fail("mercer::io::read_libsvm: dimension must be 0 or more, got ", dimension);
  return detail::LibsvmReader<Scalar>(path, dimension, from_zero).read(read_file(path));
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
