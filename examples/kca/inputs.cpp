// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kca/inputs.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <map>
#include <numeric>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/io/content.hpp>
#include <mercer/io/delimited.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/labels.hpp>
#include <mercer/io/text.hpp>

#include <examples/kpca/inputs.hpp>
#include <examples/kpca/table_options.hpp>

namespace kca {
namespace {

using mercer::Index;
using Matrix = mercer::Matrix<double>;
using Rows = std::vector<Index>;

void require_square(const View& view) {
  if (view.gram && view.all.rows() != view.all.cols())
    throw mercer::InvalidArgument(view.path + ": a precomputed Gram matrix must be square, is " +
                                  std::to_string(view.all.rows()) + " x " +
                                  std::to_string(view.all.cols()));
}

/// Divides the rows as KernelCca does for its parameter holdout.
[[nodiscard]] std::pair<Rows, Rows> split(const Options& options, Index n) {
  const auto count = static_cast<Index>(std::llround(options.holdout * static_cast<double>(n)));
  if (options.holdout > 0 && (count < 2 || n - count < 2))
    throw mercer::InvalidArgument("--holdout: leaves " + std::to_string(count) + " of " +
                                  std::to_string(n) + " rows out; needs at least 2 on each side");
  mercer::RandomStream stream(options.seed, "holdout");
  const Rows held = mercer::sample_without_replacement(n, count, stream);
  Rows all(static_cast<std::size_t>(n)), fitted;
  std::iota(all.begin(), all.end(), Index{0});
  std::set_difference(all.begin(), all.end(), held.begin(), held.end(), std::back_inserter(fitted));
  return {fitted, held};
}

void divide(View& view, const Pairs& pairs) {
  // A sample of a Gram matrix is its row of kernel values with the pairs to fit to.
  if (view.gram) view.all = mercer::detail::take_columns(view.all, pairs.fitted);
  view.fitted = mercer::detail::take_rows(view.all, pairs.fitted);
  view.held = mercer::detail::take_rows(view.all, pairs.held);
}

void require_rows(const std::string& x, Index rows_x, const std::string& y, Index rows_y) {
  if (rows_x != rows_y)
    throw mercer::InvalidArgument("rows are pairs, but " + x + " has " + std::to_string(rows_x) +
                                  " and " + y + " has " + std::to_string(rows_y));
}

/// Whether a file is text with one column, which may hold words, also several in a row. Several
/// numbers in a row are columns.
[[nodiscard]] bool is_column_of_text(const std::string& path) {
  const std::string name = mercer::detail::format_extension(path);
  if (path == "-" || (mercer::detail::is_known_format(name) && !mercer::detail::is_table(name)) ||
      mercer::detail::file_and_array(path).first != path)
    return false;
  std::string content = mercer::io::read_file(path);
  if (!mercer::detail::is_table(mercer::detail::format_of_file(path, content))) return false;
  std::string_view text = mercer::detail::text_body(content);
  std::string_view first = mercer::detail::take_line(text);
  while (first.starts_with('#') && !text.empty()) first = mercer::detail::take_line(text);
  if (first.find_first_of(",;\t") != std::string_view::npos) return false;
  const std::string_view second = mercer::detail::take_line(text);
  const auto words = mercer::detail::split_blanks(second.empty() ? first : second);
  return words.size() < 2 || mercer::detail::is_header(words);
}

/// The column of labels.
[[nodiscard]] std::vector<std::string> read_column(const std::string& path,
                                                   const mercer::io::ColumnChoice& columns) {
  return kpca::with_column_advice({}, "--drop-y leaves columns out", [&] {
    return kpca::read_sample_file<double>(path, 0, columns).labels;
  });
}

/// The labels as numbers. Throws, with the row, for a word.
[[nodiscard]] Matrix as_numbers(const std::vector<std::string>& labels, const std::string& path) {
  Matrix values(static_cast<Index>(labels.size()), 1);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto value = kpca::parse_number<double>(labels[i]);
    if (!value || !std::isfinite(*value))
      throw mercer::InvalidArgument(path + ": '" + labels[i] + "' at row " + std::to_string(i + 1) +
                                    " is no finite number; for words, take --target classes");
    values(static_cast<Index>(i), 0) = *value;
  }
  return values;
}

[[nodiscard]] bool is_word(const std::string& label) {
  return !kpca::parse_number<double>(label);
}

[[nodiscard]] bool is_whole(const std::string& label) {
  const auto value = kpca::parse_number<double>(label);
  return value && std::isfinite(*value) && *value == std::round(*value);
}

[[nodiscard]] bool is_fraction(const std::string& label) {
  const auto value = kpca::parse_number<double>(label);
  return value && std::isfinite(*value) && *value != std::round(*value);
}

/// Classes if there is a word, or nothing but whole numbers. A word among other numbers is no class
/// but a mistake, such as "NA" for a value that is missing: as_numbers() refuses it.
[[nodiscard]] Target target_of(const std::vector<std::string>& labels) {
  const bool classes = std::none_of(labels.begin(), labels.end(), is_fraction) &&
                       (std::any_of(labels.begin(), labels.end(), is_word) ||
                        std::all_of(labels.begin(), labels.end(), is_whole));
  return classes ? Target::Classes : Target::Slices;
}

void number_classes(Responses& responses, const std::string& path) {
  std::map<std::string, Index> numbers;
  responses.values.resize(static_cast<Index>(responses.labels.size()), 1);
  for (std::size_t i = 0; i < responses.labels.size(); ++i) {
    const auto next = static_cast<Index>(numbers.size());
    const Index number = numbers.emplace(responses.labels[i], next).first->second;
    responses.values(static_cast<Index>(i), 0) = static_cast<double>(number);
  }
  responses.classes = static_cast<Index>(numbers.size());
  if (responses.classes < 2)
    throw mercer::InvalidArgument(path + ": one class only, '" + responses.labels.front() + "'");
}

/// Whether these are one file, by whatever name.
[[nodiscard]] bool are_one_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return a == b || std::filesystem::equivalent(a, b, error);
}

[[nodiscard]] Triples divide_columns(const std::string& path,
                                     const mercer::io::ColumnChoice& columns) {
  const Matrix all = read_dense(path, columns);
  if (all.cols() % 3 != 0)
    throw mercer::InvalidArgument(path +
                                  ": one file has the columns of three views, equally many, "
                                  "but it has " +
                                  std::to_string(all.cols()));
  const Index d = all.cols() / 3;
  Triples triples;
  for (Index v = 0; v < 3; ++v) {
    const std::string first = std::to_string(v * d), last = std::to_string((v + 1) * d - 1);
    triples.names.push_back(
        path + (d == 1 ? " (column " + first : " (columns " + first + " to " + last) + ")");
    triples.views.emplace_back(all.middleCols(v * d, d));
  }
  return triples;
}

[[nodiscard]] Triples read_each(const std::vector<std::string>& paths,
                                const mercer::io::ColumnChoice& columns) {
  Triples triples{.names = paths, .views = {}};
  for (std::size_t v = 0; v < paths.size(); ++v) {
    for (std::size_t u = 0; u < v; ++u)
      if (are_one_file(paths[u], paths[v]))
        throw mercer::InvalidArgument(
            "X" + std::to_string(v + 1) + " " + paths[v] + " is the file of X" +
            std::to_string(u + 1) +
            " again; views are measured apart, and independent given the component");
    triples.views.push_back(read_dense(paths[v], columns));
    if (triples.views[v].rows() != triples.rows())
      throw mercer::InvalidArgument("row i of each view is of sample i, but " + paths[0] + " has " +
                                    std::to_string(triples.rows()) + " rows and " + paths[v] +
                                    " has " + std::to_string(triples.views[v].rows()));
  }
  return triples;
}

[[nodiscard]] std::string label_of(double value) {
  if (value == std::round(value) && std::abs(value) < 1e15)
    return std::to_string(static_cast<Index>(value));
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

/// The label as label_of() writes it, if it is a number: 1, +1 and 1.0 are one class.
[[nodiscard]] std::string in_one_spelling(const std::string& label) {
  double value = 0;
  const auto error = mercer::detail::parse_number(std::string_view(label), value);
  // From here on, different whole numbers are one double.
  const bool exact = error == mercer::detail::NumberError::None && std::abs(value) < 0x1p53;
  return exact ? label_of(value) : label;
}

/// Throws if a number of slices is given for responses that are not cut.
void require_slices_wanted(const Options& options, const Responses& responses) {
  if (!options.slices || responses.target == Target::Slices) return;
  const std::vector<std::string>& labels = responses.labels;
  const bool possible = !labels.empty() && std::none_of(labels.begin(), labels.end(), is_word);
  throw mercer::InvalidArgument(
      "--slices: the responses of " + options.y + " are " +
      (responses.target == Target::Classes ? "classes" : "outputs") +
      (possible ? "; take --target slices" : ", which are not cut into slices"));
}

/// Throws if the fit would see one response only.
void require_differing(const Responses& responses, const Pairs& pairs, const std::string& path) {
  const Matrix fitted = mercer::detail::take_rows(responses.values, pairs.fitted);
  if (fitted == fitted.row(0).replicate(fitted.rows(), 1))
    throw mercer::InvalidArgument(path + ": the responses" +
                                  (pairs.held.empty() ? "" : " of the rows to fit to") +
                                  " are all equal");
}

}  // namespace

Matrix read_dense(const std::string& path, const mercer::io::ColumnChoice& columns,
                  const std::string& suffix) {
  return kpca::with_column_advice(columns, "--drop" + suffix + " leaves columns out", [&] {
    return kpca::in_form<Matrix>(kpca::read_sample_file<double>(path, 0, columns).samples);
  });
}

std::vector<kpca::NamedFile> files_read(const Options& options) {
  if (options.method != Method::Mixture) {
    std::vector<kpca::NamedFile> files = {{"X " + options.x, options.x}};
    if (options.method != Method::Ica) files.push_back({"Y " + options.y, options.y});
    return files;
  }
  std::vector<kpca::NamedFile> files;
  for (const std::string& view : options.views)
    files.push_back({"X" + std::to_string(files.size() + 1) + " " + view, view});
  return files;
}

Triples read_triples(const Options& options) {
  const bool one = options.views.size() == 1;
  Triples triples = one ? divide_columns(options.views[0], options.columns_x)
                        : read_each(options.views, options.columns_x);
  const std::vector<Matrix>& views = triples.views;
  if (triples.rows() < 2)
    throw mercer::InvalidArgument(options.views[0] + ": one row; needs at least 2");
  if (options.exchangeable)
    for (std::size_t v = 1; v < 3; ++v)
      if (views[v].cols() != views[0].cols())
        throw mercer::InvalidArgument(
            "--exchangeable: views with one law have one dimension, but " + triples.names[0] +
            " has " + std::to_string(views[0].cols()) + " columns and " + triples.names[v] +
            " has " + std::to_string(views[v].cols()));
  return triples;
}

Pairs read_pairs(const Options& options) {
  Pairs pairs;
  pairs.x = {.path = options.x,
             .gram = options.kernel_x.name == "precomputed",
             .all = read_dense(options.x, options.columns_x)};
  require_square(pairs.x);
  if (options.two_kernels()) {
    pairs.y = {.path = options.y,
               .gram = options.kernel_y.name == "precomputed",
               .all = read_dense(options.y, options.columns_y, "-y")};
    require_square(pairs.y);
    require_rows(options.x, pairs.rows(), options.y, pairs.y.all.rows());
  }
  if (pairs.rows() < 2) throw mercer::InvalidArgument(options.x + ": one row; needs at least 2");
  std::tie(pairs.fitted, pairs.held) = split(options, pairs.rows());
  divide(pairs.x, pairs);
  if (options.two_kernels()) divide(pairs.y, pairs);
  return pairs;
}

Responses read_responses(const Options& options, const Pairs& pairs) {
  Responses responses{.target = options.target};
  const bool is_named = !options.columns_y.labels.empty();
  if (is_named || (options.columns_y.is_all() && is_column_of_text(options.y))) {
    responses.labels = is_named ? read_column(options.y, options.columns_y)
                                : mercer::io::read_labels(options.y, pairs.rows());
    require_rows(options.x, pairs.rows(), options.y, static_cast<Index>(responses.labels.size()));
    for (std::string& label : responses.labels) label = in_one_spelling(label);
    if (responses.target == Target::Automatic) responses.target = target_of(responses.labels);
    if (responses.target != Target::Classes)
      responses.values = as_numbers(responses.labels, options.y);
  } else {
    responses.values = read_dense(options.y, options.columns_y, "-y");
    require_rows(options.x, pairs.rows(), options.y, responses.values.rows());
    if (responses.values.cols() == 1) {
      for (const double value : responses.values.col(0))
        responses.labels.push_back(label_of(value));
      if (responses.target == Target::Automatic) responses.target = target_of(responses.labels);
    } else if (responses.target == Target::Automatic) {
      responses.target = Target::Outputs;
    }
  }
  if (responses.labels.empty() && responses.target != Target::Outputs)
    throw mercer::InvalidArgument("--target: classes and slices are one column, " + options.y +
                                  " has " + std::to_string(responses.values.cols()));
  require_slices_wanted(options, responses);
  if (responses.target == Target::Classes) number_classes(responses, options.y);
  require_differing(responses, pairs, options.y);
  return responses;
}

}  // namespace kca
