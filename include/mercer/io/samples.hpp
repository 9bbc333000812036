// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Reads samples from a file of any known format. The extension of the name gives the format, or
/// else the content.

#ifndef MERCER_IO_SAMPLES_HPP
#define MERCER_IO_SAMPLES_HPP

#include <concepts>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#endif

#include <mercer/core/errors.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/columns.hpp>
#include <mercer/io/content.hpp>
#include <mercer/io/csv.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/hdf5/hdf5_hook.hpp>
#include <mercer/io/labels.hpp>
#include <mercer/io/libsvm.hpp>
#include <mercer/io/matrix_market.hpp>
#include <mercer/io/npy/npy.hpp>
#include <mercer/io/npy/npy_format.hpp>
#include <mercer/io/npy/npz_sparse.hpp>
#include <mercer/io/text.hpp>
#if defined(MERCER_HAS_HDF5)  // set by the CMake target mercer::hdf5
#include <mercer/io/hdf5/hdf5.hpp>
#endif

namespace mercer {
namespace io {

/// Samples as they are in the file: dense or sparse.
template <Real Scalar>
using Samples = std::variant<Matrix<Scalar>, SparseMatrix<Scalar>>;

/// Samples, and what else the file says of them.
template <Real Scalar>
struct SampleTable {
  Samples<Scalar> samples;
  std::vector<std::string> column_names = {};  ///< of the samples; empty if the file has none
  std::vector<std::string> labels = {};        ///< one for each row, if a column of them was chosen
  std::vector<double> weights = {};            ///< the same
  std::optional<bool> indices_from_zero = {};  ///< of LIBSVM's format alone, see read_libsvm()
};

/// What to read of a file.
struct SampleRequest {
  Index dimension = 0;        ///< the number of columns that the samples must have; 0 accepts any
  ColumnChoice columns = {};  ///< of dense samples
  /// Of LIBSVM's format: indices count from 0 even if none is 0, as they do in other samples of the
  /// same columns.
  bool indices_from_zero = false;
};

}  // namespace io

namespace detail {

/// All of standard input.
[[nodiscard]] inline std::string read_standard_input() {
#if defined(_WIN32)
  _setmode(_fileno(stdin), _O_BINARY);
#endif
  return read_rest(stdin, "-");
}

/// A dataset of an HDF5 file.
template <Real Scalar>
[[nodiscard]] Matrix<Scalar> hdf5_matrix(const std::string& path, const std::string& dataset) {
  const Hdf5Reader<Scalar> reader = hdf5_reader<Scalar>.load();
  if (reader == nullptr)
    file_fail(path,
              "reading HDF5 files is not switched on in this program: include "
              "<mercer/io/hdf5/hdf5.hpp> and link HDF5 (CMake: mercer::hdf5)");
  if (path == "-" || ends_with_gz(path))
    file_fail(path, "HDF5 is read from a file by its name, not compressed by gzip as a whole");
  return reader(path, dataset);
}

/// The matrix in the bytes of a file that is neither a table nor LIBSVM's; HDF5 is read from the
/// file itself. \p member is the name of an array in a .npz or HDF5 file.
/// Throws io::FileError for one without rows or columns.
template <Real Scalar>
[[nodiscard]] io::Samples<Scalar> matrix_in(const std::string& path, const std::string& format,
                                            std::string bytes, const std::string& member) {
  io::Samples<Scalar> samples;
  if (format == ".mtx")
    samples = MatrixMarketReader<Scalar>(path).read(bytes);
  else if (format == ".npz")
    samples = npz_samples<Scalar>(path, bytes, member);
  else if (format == ".npy")
    samples = to_matrix<Scalar>(path, npy_array(path, std::move(bytes)));
  else if (is_hdf5(format))
    samples = hdf5_matrix<Scalar>(path, member);
  else
    file_fail(path, "is compressed by gzip twice");
  std::visit([&](const auto& x) { require_samples(path, x.rows(), x.cols()); }, samples);
  return samples;
}

/// The numbers of the columns of one use.
[[nodiscard]] inline std::vector<Index> columns_of_use(const std::vector<ColumnUse>& uses,
                                                       ColumnUse use) {
  std::vector<Index> all(uses.size());
  std::iota(all.begin(), all.end(), Index{0});
  return of_use(all, uses, use);
}

/// Takes labels and weights from a matrix without names. It is in double also where samples are
/// not, since labels may be numbers that float does not tell apart.
template <Real Scalar>
void take_labels_and_weights(const std::string& path, const io::ColumnChoice& choice,
                             const io::Samples<double>& samples, io::SampleTable<Scalar>& table) {
  const auto* const values = std::get_if<Matrix<double>>(&samples);
  if (values == nullptr) return;
  const std::vector<ColumnUse> uses =
      column_uses(path, {}, static_cast<std::size_t>(values->cols()), choice);
  for (const Index j : columns_of_use(uses, ColumnUse::Label))
    for (const double label : values->col(j)) table.labels.push_back(label_text(label));
  for (const Index j : columns_of_use(uses, ColumnUse::Weight))
    for (const double weight : values->col(j)) table.weights.push_back(weight);
}

/// The samples in the bytes of a file; HDF5 is read from the file itself. \p member is the name of
/// an array in a .npz or HDF5 file.
template <Real Scalar>
[[nodiscard]] io::SampleTable<Scalar> samples_in(const std::string& path, const std::string& format,
                                                 std::string bytes, const std::string& member,
                                                 const io::SampleRequest& request) {
  const io::ColumnChoice& choice = request.columns;
  if (is_table(format)) {
    io::Table<Scalar> table = TableReader<Scalar>(path, choice).read(bytes);
    return {std::move(table.values), std::move(table.column_names), std::move(table.labels),
            std::move(table.weights)};
  }
  io::SampleTable<Scalar> table;
  if (is_libsvm(format)) {
    io::LabeledSamples<Scalar> read =
        LibsvmReader<Scalar>(path, request.dimension, request.indices_from_zero).read(bytes);
    require_samples(path, read.samples.rows(), read.samples.cols());
    if (!choice.is_all()) file_fail(path, "columns can be chosen of dense samples only");
    table.samples = std::move(read.samples);
    table.indices_from_zero = read.indices_from_zero;
    return table;
  }
  if constexpr (!std::same_as<Scalar, double>)
    if (!choice.labels.empty() || !choice.weights.empty())
      take_labels_and_weights(path, choice, matrix_in<double>(path, format, bytes, member), table);
  table.samples = matrix_in<Scalar>(path, format, std::move(bytes), member);
  if (choice.is_all()) return table;
  auto* const values = std::get_if<Matrix<Scalar>>(&table.samples);
  if (values == nullptr) file_fail(path, "columns can be chosen of dense samples only");
  if constexpr (std::same_as<Scalar, double>)
    take_labels_and_weights(path, choice, table.samples, table);
  const auto uses = column_uses(path, {}, static_cast<std::size_t>(values->cols()), choice);
  *values = take_columns(*values, columns_of_use(uses, ColumnUse::Sample));
  return table;
}

}  // namespace detail

namespace io {

/// Reads samples, one per row. The extension of the name selects the reader: .npy is read by
/// read_npy; .npz by read_npz, also "file.npz:name"; .csv, .tsv, .txt and .dat by read_csv; .mtx by
/// read_matrix_market; .svm and .libsvm by read_libsvm (sparse, without the labels). Each may be
/// followed by .gz. With the component hdf5, .h5 and .hdf5 are read by read_hdf5, also
/// "file.h5:group/name". The content tells the format of a file with another extension or none, and
/// of standard input, "-". Text is then taken as a table, or as LIBSVM's if it looks like that.
///
/// Samples of another number of columns than requested are refused, for example those that do not
/// fit a model. A LIBSVM file may have fewer columns and is widened.
/// Labels and weights in a column are read in double, in either precision of the samples.
/// Memory: for single precision, where they are in a file that is no table, a matrix in double and
///   the content once more, while they are read.
/// Throws FileError if the file cannot be read, is malformed, has a name that tells no format and
///   content that is none of these, has no rows or columns, has another number of columns, or not
///   those that were chosen. Of Parquet, Arrow, Feather and Excel it says how to convert them.
/// Throws InvalidArgument if dimension < 0.
template <Real Scalar>
[[nodiscard]] SampleTable<Scalar> read_sample_table(const std::string& path,
                                                    const SampleRequest& request = {}) {
  if (request.dimension < 0)
    detail::fail("mercer::io::read_samples: dimension must be 0 or more, got ", request.dimension);
  const auto [file, member] = detail::file_and_array(path);
  std::string bytes;
  if (file == "-")
    bytes = detail::read_standard_input();
  else if (!detail::is_hdf5(detail::format_extension(file)))
    bytes = read_file(file);
  const std::string format = detail::format_of_file(file, bytes);
  SampleTable<Scalar> table =
      detail::samples_in<Scalar>(file, format, std::move(bytes), member, request);
  const Index columns = std::visit([](const auto& x) { return x.cols(); }, table.samples);
  if (request.dimension > 0 && columns != request.dimension)
    detail::file_fail(path, "has ", columns, " columns, expected ", request.dimension);
  return table;
}

/// The samples of read_sample_table().
template <Real Scalar>
[[nodiscard]] Samples<Scalar> read_samples(const std::string& path, Index dimension = 0) {
  return read_sample_table<Scalar>(path, {.dimension = dimension}).samples;
}

}  // namespace io
}  // namespace mercer

#endif  // MERCER_IO_SAMPLES_HPP
