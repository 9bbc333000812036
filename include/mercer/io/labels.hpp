// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Labels of samples as text; they may be numbers or words.

#ifndef MERCER_IO_LABELS_HPP
#define MERCER_IO_LABELS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/content.hpp>
#include <mercer/io/delimited.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/libsvm.hpp>
#include <mercer/io/npy/npy_format.hpp>
#include <mercer/io/npy/npz.hpp>

namespace mercer {
namespace detail {

/// A number as a label: one without a fraction as an integer, in all its digits, as integers are.
template <class T>
[[nodiscard]] std::string label_text(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr double most = 9007199254740992;  // 2^53: below, double tells all integers apart
    if (double{std::abs(value)} < most && value == std::trunc(value))
      return to_text(static_cast<std::int64_t>(value));
  }
  return to_text(value);
}

[[nodiscard]] inline std::vector<std::string> npy_labels(const std::string& path,
                                                         const NpyArray& array,
                                                         std::string_view what) {
  const std::vector<Index>& shape = array.header.shape;
  if (shape.empty() || shape.size() > 2 || (shape.size() == 2 && shape[1] != 1))
    file_fail(path, what, " need an array of one dimension, found shape ", shape_text(shape));
  std::vector<std::string> labels(array.count);
  visit_elements(array, [&](const auto& elements) {
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = label_text(elements[i]);
  });
  return labels;
}

/// Whether a line is a comment, as numpy.savetxt writes it. "#ff0000" is not: it may be a label.
[[nodiscard]] inline bool is_comment(std::string_view text) {
  return text.starts_with("# ") || text.starts_with("#\n") || text.starts_with("#\r");
}

/// All lines of a text with one column, including a header line, but without comments before it.
[[nodiscard]] inline std::vector<std::string> single_column(const std::string& path,
                                                            const std::string& content,
                                                            std::string_view what) {
  std::string_view text = text_body(content);
  if (text.empty()) file_fail(path, "is empty");
  require_lines_of_text(path, text);
  Index line = 1;
  for (; is_comment(text); ++line) static_cast<void>(take_line(text));
  const char separator = detect_separator(text.substr(0, text.find('\n')));
  std::vector<std::string> column;
  for (; !text.empty(); ++line) {
    const std::string_view whole = take_line(text);
    std::vector<std::string> fields = split_fields(path, line, whole, separator);
    if (fields.size() != 1)
      file_fail(path, what, " need a single column, found ", fields.size(), " fields at line ",
                line, ": ", in_quotes(whole));
    if (fields[0].empty()) file_fail(path, what, " are missing at line ", line);
    column.push_back(std::move(fields[0]));
  }
  return column;
}

/// Whether the first line is a word, and all others are numbers or it is one more than \p samples.
[[nodiscard]] inline bool starts_with_header(const std::vector<std::string>& column,
                                             Index samples) {
  if (column.size() < 2 || !is_header({column.front()})) return false;
  return std::cmp_equal(column.size(), samples + 1) ||
         !is_header({column.begin() + 1, column.end()});
}

}  // namespace detail

namespace io {

/// Reads one label per sample from one of these files:
/// - .npy, or .npz, also "file.npz:name": an array of one dimension. Integers and floats become
///   their shortest decimal form, those without a fraction that of the integer, truth values 0
///   and 1.
/// - .csv, .tsv, .txt or .dat: text with one column of numbers or words. It may have a header line.
///   Lines at the beginning that start with '#' and a blank are ignored.
/// - .svm or .libsvm: the labels at the beginning of its lines, as numbers.
///
/// The content tells the format of a file with another extension, or none.
/// \p samples is the number of labels that the file must have; 0 accepts any number. The first line
/// is a header if it is a word and all other lines are numbers, or if it is a word and the file has
/// one line more than \p samples.
/// \param what  they are, for messages
/// Throws FileError if the file cannot be read, has an empty line or more than one column, or has
///   another number of labels.
[[nodiscard]] inline std::vector<std::string> read_labels(const std::string& path,
                                                          Index samples = 0,
                                                          std::string_view what = "labels") {
  const auto [file, member] = detail::file_and_array(path);
  std::string bytes = read_file(file);
  const std::string format = detail::format_of_file(file, bytes);
  std::vector<std::string> labels;
  if (format == ".npy") {
    labels = detail::npy_labels(path, detail::npy_array(path, std::move(bytes)), what);
  } else if (format == ".npz") {
    labels = detail::npy_labels(
        path, detail::npz_array(file, detail::ZipReader(file, bytes), member), what);
  } else if (detail::is_libsvm(format)) {
    for (const double label : detail::LibsvmReader<double>(path, 0).read(bytes).labels)
      labels.push_back(detail::label_text(label));
  } else if (detail::is_table(format)) {
    labels = detail::single_column(path, bytes, what);
    if (detail::starts_with_header(labels, samples)) labels.erase(labels.begin());
  } else {
    detail::file_fail(path, "no ", what, " are read from ", format,
                      " files; known are .npy, .npz, .csv, .tsv, .txt, .dat, .svm and .libsvm, "
                      "each also with .gz");
  }
  if (samples > 0 && std::cmp_not_equal(labels.size(), samples))
    detail::file_fail(path, "has ", labels.size(), " ", what, " for ", samples, " samples");
  return labels;
}

}  // namespace io
}  // namespace mercer

#endif  // MERCER_IO_LABELS_HPP
