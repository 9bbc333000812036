// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Reads files of samples into several processes.

#ifndef MERCER_IO_SAMPLES_SPREAD_HPP
#define MERCER_IO_SAMPLES_SPREAD_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/core/rows/processes.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/columns.hpp>
#include <mercer/io/content.hpp>
#include <mercer/io/csv.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/file_error.hpp>
#include <mercer/io/libsvm.hpp>
#include <mercer/io/line_file.hpp>
#include <mercer/io/npy/npy_spread.hpp>
#include <mercer/io/samples.hpp>
#include <mercer/io/text.hpp>

namespace mercer {
namespace io {

/// Samples over processes as they are in the file: dense or sparse.
template <Real S>
using SpreadSamples = std::variant<SpreadRows<Matrix<S>>, SpreadRows<SparseMatrix<S>>>;

/// Samples over processes, and what else the file says of them.
template <Real S>
struct SpreadSampleTable {
  SpreadSamples<S> samples;
  /// Of the samples, the same on all processes; empty if the file has none.
  std::vector<std::string> column_names = {};
  /// Of the samples, in one column, if a column of them was chosen.
  std::optional<SpreadRows<Matrix<double>>> weights = {};
  std::optional<bool> indices_from_zero = {};  ///< of LIBSVM's format alone, see read_libsvm()
};

}  // namespace io

namespace detail {

/// The sum of a number over the processes before this one. Collective.
[[nodiscard]] inline Index sum_before(const Processes& processes, Index mine) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(processes.size()), 0);
  all[static_cast<std::size_t>(processes.rank())] = mine;
  processes.sum(all);
  Index sum = 0;
  for (Index p = 0; p < processes.rank(); ++p) sum += Index{all[static_cast<std::size_t>(p)]};
  return sum;
}

/// The columns of samples and weights of a table: the rows of this process, and all names.
/// Collective.
template <Real S>
[[nodiscard]] io::Table<S> read_table_part(const Processes& processes, const std::string& path,
                                           const io::ColumnChoice& columns) {
  TableReader<S> reader(path, columns);
  std::string size, text;
  together_on_file(processes, [&] {
    LineFile file(path);
    size = file.describe_size();
    const std::string head = file.head();
    std::string_view rows = head;
    reader.take_head(rows);
    file.begin_at(file.begin() + static_cast<std::int64_t>(head.size() - rows.size()));
    text = file.part(processes.rank(), processes.size());
  });
  require_same_file(processes, path, size);
  const Index before = sum_before(processes, count_lines(text));
  io::Table<S> table;
  together_on_file(processes, [&] {
    reader.skip_rows(before);
    reader.append(text);
    table = reader.finish();
  });
  return table;
}

/// The format of a file as read_sample_table() finds it, from its beginning if the name does not
/// tell. Empty for standard input and for compressed files without a name of a known format.
/// Collective.
[[nodiscard]] inline std::string format_of_parts(const Processes& processes,
                                                 const std::string& path) {
  std::string format = format_extension(path);
  if (is_known_format(format)) return format;
  format.clear();
  if (path != "-" && !ends_with_gz(path))
    together_on_file(processes, [&] { format = format_of_content(path, LineFile(path).start()); });
  return format;
}

/// Samples in LIBSVM's format, of \p dimension columns, or of as many as the largest index of any
/// process if it is 0. Collective.
template <Real S>
[[nodiscard]] io::LabeledSamples<S> read_libsvm_part(const Processes& processes,
                                                     const std::string& path, Index dimension,
                                                     bool from_zero) {
  LibsvmReader<S> reader(path, dimension, from_zero);
  std::string size, text;
  together_on_file(processes, [&] {
    const LineFile file(path);
    size = file.describe_size();
    text = file.part(processes.rank(), processes.size());
  });
  require_same_file(processes, path, size);
  const Index before = sum_before(processes, count_lines(text));
  together_on_file(processes, [&] {
    reader.skip_lines(before);
    reader.append(text);
  });
  auto largest = static_cast<double>(reader.largest_index());
  processes.maximum({&largest, 1});
  from_zero = processes.any(reader.from_zero());
  Index columns = 0;
  together_on_file(processes,
                   [&] { columns = reader.columns_for(static_cast<Index>(largest), from_zero); });
  io::LabeledSamples<S> read = reader.finish(columns, from_zero);
  const bool any = processes.any(read.samples.rows() > 0);
  together_on_file(processes, [&] {
    if (!any) file_fail(path, "has no samples");
    if (columns == 0) file_fail(path, "has no entries");
  });
  return read;
}

}  // namespace detail

namespace io {

/// Reads samples into several processes, each a part of the file: .npy by rows; .csv, .tsv, .txt
/// and .dat as read_csv(), and .svm and .libsvm as read_libsvm(), by lines, where the part of a
/// process is cut at the ends of lines. The content tells the format of a file with another name.
/// All processes must see the file under this name.
/// \param request  as for read_sample_table(), without labels; columns can be chosen of tables only
/// Cost: O(bytes) over the processes.
/// Memory: the text and the numbers of the process, beside its rows.
/// Throws FileError, on all processes, if the file cannot be read on any, is malformed, has another
///   number of columns than requested, or is of a form that has no parts: compressed files, .npz,
///   .mtx and standard input.
/// Throws InvalidArgument if dimension < 0. Collective.
template <Real S>
[[nodiscard]] SpreadSampleTable<S> read_sample_table_spread(const Processes& processes,
                                                            const std::string& path,
                                                            const SampleRequest& request = {},
                                                            RowSums sums = RowSums::OrderFree) {
  if (request.dimension < 0)
    mercer::detail::fail("mercer::io::read_sample_table_spread: dimension must be 0 or more, got ",
                         request.dimension);
  const std::string format = mercer::detail::format_of_parts(processes, path);
  const auto is_one_of = [&](std::initializer_list<std::string_view> known) {
    return !mercer::detail::ends_with_gz(path) &&
           std::find(known.begin(), known.end(), format) != known.end();
  };
  const auto require = [&](bool holds, const auto&... words) {
    mercer::detail::together_on_file(processes, [&] {
      if (!holds) mercer::detail::file_fail(path, words...);
    });
  };
  const auto spread = [&]<class X>(SpreadRows<X> samples) {
    require(request.dimension == 0 || samples.cols() == request.dimension, "has ", samples.cols(),
            " columns, expected ", request.dimension);
    return SpreadSampleTable<S>{std::move(samples)};
  };
  if (!mercer::detail::ends_with_gz(path) && mercer::detail::is_table(format)) {
    Table<S> table = mercer::detail::read_table_part<S>(processes, path, request.columns);
    SpreadSampleTable<S> found =
        spread(SpreadRows<Matrix<S>>::from_parts(processes, std::move(table.values), sums));
    found.column_names = std::move(table.column_names);
    // Columns may miss.
    if (processes.any(!table.weights.empty())) {
      const Matrix<double> column = Eigen::Map<const Vector<double>>(
          table.weights.data(), static_cast<Index>(table.weights.size()));
      found.weights = SpreadRows<Matrix<double>>::from_parts(processes, column, sums);
    }
    return found;
  }
  require(request.columns.is_all(), "columns can be chosen of tables only");
  if (is_one_of({".svm", ".libsvm"})) {
    LabeledSamples<S> part = mercer::detail::read_libsvm_part<S>(processes, path, request.dimension,
                                                                 request.indices_from_zero);
    SpreadSampleTable<S> found =
        spread(SpreadRows<SparseMatrix<S>>::from_parts(processes, std::move(part.samples), sums));
    found.indices_from_zero = part.indices_from_zero;
    return found;
  }
  require(is_one_of({".npy"}),
          "cannot be read in parts; .npy, .csv, .tsv, .txt, .dat, .svm and .libsvm can, if they "
          "are not compressed");
  return spread(read_npy_spread<S>(processes, path, sums));
}

/// The samples of read_sample_table_spread(). Collective.
template <Real S>
[[nodiscard]] SpreadSamples<S> read_samples_spread(const Processes& processes,
                                                   const std::string& path,
                                                   const SampleRequest& request = {},
                                                   RowSums sums = RowSums::OrderFree) {
  return read_sample_table_spread<S>(processes, path, request, sums).samples;
}

/// Reads the weights of samples into several processes: a .npy file of one column, or of one
/// dimension, or a table with one column of numbers.
/// \param samples  how many there must be
/// Throws FileError, on all processes, as read_sample_table_spread(), and for another number of
///   rows or of columns. Collective.
[[nodiscard]] inline SpreadRows<Matrix<double>> read_weights_spread(
    const Processes& processes, const std::string& path, Index samples,
    RowSums sums = RowSums::OrderFree) {
  auto read = read_sample_table_spread<double>(processes, path, {}, sums).samples;
  auto* const weights = std::get_if<SpreadRows<Matrix<double>>>(&read);
  mercer::detail::together_on_file(processes, [&] {
    using mercer::detail::file_fail;
    if (!weights) file_fail(path, "has samples, not weights; take .npy or a table");
    if (weights->cols() != 1) file_fail(path, "has ", weights->cols(), " columns, expected 1");
    if (weights->rows().total() != samples)
      file_fail(path, "has ", weights->rows().total(), " weights for ", samples, " samples");
  });
  return std::move(*weights);
}

}  // namespace io
}  // namespace mercer

#endif  // MERCER_IO_SAMPLES_SPREAD_HPP
