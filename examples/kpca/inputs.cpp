// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/inputs.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include <mercer/core/sample_weights.hpp>
#include <mercer/core/streams/shuffled_stream.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/io/file_error.hpp>
#include <mercer/io/labels.hpp>
#include <mercer/io/npy/npy_stream.hpp>
#include <mercer/io/text.hpp>

#include <examples/kpca/table_options.hpp>

namespace kpca {
namespace {

/// Whether no two values are the same. Changes their order.
template <mercer::Real S>
[[nodiscard]] bool are_distinct(Eigen::Ref<mercer::Vector<S>> values) {
  std::sort(values.begin(), values.end());
  return std::adjacent_find(values.begin(), values.end()) == values.end();
}

/// Whether all values are whole numbers, and no two the same. From 2^53 on (2^24 in single
/// precision) there are no others, so these say nothing.
template <mercer::Real S>
[[nodiscard]] bool are_distinct_integers(mercer::Vector<S> values) {
  const S all_whole = std::ldexp(S(1), std::numeric_limits<S>::digits);
  for (const S value : values)
    if (value != std::round(value) || std::abs(value) >= all_whole) return false;
  // Most columns show two equal values early, and then the others need not be sorted.
  constexpr mercer::Index first = 256;
  return are_distinct<S>(values.head((std::min)(first, values.size()))) && are_distinct<S>(values);
}

/// Whether the values are the numbers of the rows, from 0 or from 1.
template <mercer::Real S>
[[nodiscard]] bool are_row_numbers(const Eigen::Ref<const mercer::Vector<S>>& values) {
  if (values(0) != 0 && values(0) != 1) return false;
  for (mercer::Index i = 1; i < values.size(); ++i)
    if (values(i) != values(0) + static_cast<S>(i)) return false;
  return true;
}

/// Names of columns for a message: of many, some from this one on.
[[nodiscard]] std::string listed(const std::vector<std::string>& names, std::size_t from) {
  constexpr std::size_t most = 6;
  if (names.size() <= most) from = 0;
  const std::size_t end = (std::min)(names.size(), from + most);
  std::string text;
  for (std::size_t i = from; i < end; ++i)
    text += (i == from ? "" : ", ") + mercer::detail::in_quotes(names[i]);
  return (from > 0 ? "... " : "") + text + (end < names.size() ? " ..." : "");
}

/// Throws for an empty matrix and for a value that is not finite (only .npy files can hold one).
template <mercer::Real S>
void require_usable(const SampleFile<S>& file) {
  if (file.rows() == 0 || file.columns() == 0)
    throw mercer::InvalidArgument(file.path + ": no samples: the matrix is " +
                                  std::to_string(file.rows()) + " x " +
                                  std::to_string(file.columns()));
  if (const auto* dense = std::get_if<mercer::Matrix<S>>(&file.samples))
    require_finite(file.path, *dense);
}

/// Throws for weights that are negative, not finite, or all 0.
void require_weights(const std::string& path, const std::vector<double>& weights) {
  const Eigen::Map<const mercer::Vector<double>> all(weights.data(),
                                                     static_cast<mercer::Index>(weights.size()));
  static_cast<void>(mercer::detail::largest_weight(path + ": ", all));
}

}  // namespace

template <mercer::Real S>
void require_finite(const std::string& path, const mercer::Matrix<S>& rows, mercer::Index first) {
  // The sum is a fast test. Only if it fails are the values checked one by one.
  if (std::isfinite(rows.sum())) return;
  for (mercer::Index i = 0; i < rows.rows(); ++i)
    for (mercer::Index j = 0; j < rows.cols(); ++j)
      if (!std::isfinite(rows(i, j)))
        throw mercer::InvalidArgument(path + ": values must be finite, got " +
                                      std::to_string(rows(i, j)) + " at row " +
                                      std::to_string(first + i + 1) + ", column " +
                                      std::to_string(j + 1) + precision_advice<S>);
}

template <mercer::Real S>
SampleFile<S> read_sample_file(const std::string& path, mercer::Index columns,
                               const mercer::io::ColumnChoice& choice, bool indices_from_zero) {
  mercer::io::SampleTable<S> table = mercer::io::read_sample_table<S>(
      path, {.dimension = columns, .columns = choice, .indices_from_zero = indices_from_zero});
  SampleFile<S> file{path,
                     std::move(table.samples),
                     {},
                     std::move(table.column_names),
                     std::move(table.labels),
                     std::move(table.weights)};
  file.indices_from_zero = table.indices_from_zero;
  require_usable(file);
  if (!file.weights.empty()) require_weights(path, file.weights);
  return file;
}

template <mercer::Real S>
void require_same_columns(const SampleFile<S>& fresh, const SampleFile<S>& known) {
  if (fresh.indices_from_zero == true && known.indices_from_zero == false)
    throw mercer::InvalidArgument(fresh.path + ": an index is 0, but none of " + known.path +
                                  ", whose indices were taken to count from 1; write both with "
                                  "indices from 1 (scikit-learn: zero_based=False)");
  std::vector<std::string> here = fresh.column_names, there = known.column_names;
  if (here.empty() || there.empty() || here == there) return;
  const auto first = std::mismatch(here.begin(), here.end(), there.begin(), there.end()).first;
  const auto from = static_cast<std::size_t>(first - here.begin());
  const std::string lists = listed(here, from) + "; there: " + listed(there, from);
  std::sort(here.begin(), here.end());
  std::sort(there.begin(), there.end());
  throw mercer::InvalidArgument(fresh.path + ": has " +
                                (here == there
                                     ? "the columns of " + known.path + " in another order: "
                                     : "other columns than " + known.path + ": ") +
                                lists);
}

template <mercer::Real S>
SampleFile<S> sample_of_file(const std::string& path, std::uint64_t seed) {
  constexpr mercer::Index most = 4000;
  mercer::io::NpyStream<S> stream(path);
  mercer::ShuffledStream shuffled(stream, {.seed = seed});
  mercer::Matrix<S> rows((std::min)(most, stream.rows()), stream.dimension());
  std::vector<mercer::Index> numbers(static_cast<std::size_t>(rows.rows()));
  static_cast<void>(shuffled.read_numbers(numbers));
  shuffled.seek({});
  static_cast<void>(shuffled.read(rows));
  SampleFile<S> file{.path = path,
                     .samples = std::move(rows),
                     .streamed_rows = stream.rows(),
                     .numbers = std::move(numbers)};
  require_usable(file);
  return file;
}

std::vector<std::string> read_labels(const std::string& path, mercer::Index samples) {
  std::vector<std::string> labels = mercer::io::read_labels(path, samples);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return labels;  // it can be read only once
  const std::vector<std::string> lines = mercer::io::read_labels(path);
  if (lines.size() > labels.size() &&
      std::find(labels.begin(), labels.end(), lines.front()) != labels.end())
    std::fprintf(stderr, "kpca: %s: first line taken as a name, though %s is a label too\n",
                 mercer::io::printable(path).c_str(),
                 mercer::detail::in_quotes(lines.front()).c_str());
  return labels;
}

std::vector<double> read_weights(const std::string& path, mercer::Index samples) {
  std::vector<double> weights;
  for (const std::string& text : mercer::io::read_labels(path, samples, "weights")) {
    double weight = 0;
    const auto error = mercer::detail::parse_number(text, weight);
    if (error != mercer::detail::NumberError::None)
      mercer::detail::file_fail(path, mercer::detail::describe(error), " at row ",
                                weights.size() + 1, ": ", mercer::detail::in_quotes(text));
    weights.push_back(weight);
  }
  require_weights(path, weights);
  return weights;
}

template <mercer::Real S>
std::string column_name(const SampleFile<S>& file, mercer::Index column) {
  const auto at = static_cast<std::size_t>(column);
  const std::string number = "column " + std::to_string(column + 1);
  if (at >= file.column_names.size()) return number;
  return file.column_names[at].empty() ? number + " (without a name)" : file.column_names[at];
}

void tell_of_names(const std::string& path, const std::vector<std::string>& names,
                   const std::string& program) {
  if (std::any_of(names.begin(), names.end(),
                  [](const std::string& name) { return parse_number<double>(name).has_value(); }))
    std::fprintf(stderr, "%s: %s: first line taken as names: %s\n", program.c_str(),
                 mercer::io::printable(path).c_str(), listed(names, 0).c_str());
}

template <mercer::Real S>
void tell_of_names(const SampleFile<S>& file) {
  tell_of_names(file.path, file.column_names, "kpca");
}

template <mercer::Real S>
std::vector<std::string> oddities(const SampleFile<S>& file, bool standardized) {
  constexpr mercer::Index fewest_rows = 50, fewest_numbered = 5;
  constexpr S most_apart = 100;
  const auto* const x = std::get_if<mercer::Matrix<S>>(&file.samples);
  std::vector<std::string> found;
  if (x == nullptr || x->cols() < 2 || x->rows() < 2) return found;
  const auto where = [&](mercer::Index column) {
    return file.path + ": " + column_name(file, column);
  };
  mercer::Vector<S> deviations(x->cols());
  enum class Look : char { Number, Distinct, RowNumber };
  std::vector<Look> looks(static_cast<std::size_t>(x->cols()), Look::Number);
  mercer::parallel_for(x->cols(), [&](mercer::Index j) {
    const auto values = x->col(j);
    deviations(j) = std::sqrt((values.array() - values.mean()).square().mean());
    looks[static_cast<std::size_t>(j)] =
        x->rows() >= fewest_numbered && are_row_numbers<S>(values)     ? Look::RowNumber
        : x->rows() >= fewest_rows && are_distinct_integers<S>(values) ? Look::Distinct
                                                                       : Look::Number;
  });
  mercer::Index widest = 0, narrowest = -1;
  for (mercer::Index j = 0; j < x->cols(); ++j) {
    if (deviations(j) > deviations(widest)) widest = j;
    if (deviations(j) > 0 && (narrowest < 0 || deviations(j) < deviations(narrowest)))
      narrowest = j;
    if (const Look look = looks[static_cast<std::size_t>(j)]; look != Look::Number)
      found.push_back(where(j) + " looks like an identifier: " +
                      (look == Look::RowNumber
                           ? "its values are the numbers of the rows"
                           : "all its values are whole numbers, and no two the same") +
                      "; --drop leaves it out");
  }
  if (standardized || narrowest < 0 || deviations(widest) <= most_apart * deviations(narrowest))
    return found;
  std::array<char, 32> ratio{};
  std::snprintf(ratio.data(), ratio.size(), "%.2g",
                static_cast<double>(deviations(widest) / deviations(narrowest)));
  found.push_back(where(widest) + " varies " + ratio.data() + " times as much as " +
                  column_name(file, narrowest) +
                  ", and so decides; --standardize gives all columns the same weight");
  return found;
}

template SampleFile<double> read_sample_file(const std::string&, mercer::Index,
                                             const mercer::io::ColumnChoice&, bool);
template void require_finite(const std::string&, const mercer::Matrix<double>&, mercer::Index);
template void require_same_columns(const SampleFile<double>&, const SampleFile<double>&);
template SampleFile<double> sample_of_file(const std::string&, std::uint64_t);
template std::string column_name(const SampleFile<double>&, mercer::Index);
template void tell_of_names(const SampleFile<double>&);
template std::vector<std::string> oddities(const SampleFile<double>&, bool);
#if !defined(MERCER_DOUBLE_ALONE)
template SampleFile<float> read_sample_file(const std::string&, mercer::Index,
                                            const mercer::io::ColumnChoice&, bool);
template void require_finite(const std::string&, const mercer::Matrix<float>&, mercer::Index);
template void require_same_columns(const SampleFile<float>&, const SampleFile<float>&);
template SampleFile<float> sample_of_file(const std::string&, std::uint64_t);
template std::string column_name(const SampleFile<float>&, mercer::Index);
template void tell_of_names(const SampleFile<float>&);
template std::vector<std::string> oddities(const SampleFile<float>&, bool);
#endif

}  // namespace kpca
