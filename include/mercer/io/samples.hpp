// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Reads samples from a file of any known format. The extension of the name gives the format.

#ifndef MERCER_IO_SAMPLES_HPP
#define MERCER_IO_SAMPLES_HPP

#include <string>
#include <utility>
#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/csv.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/libsvm.hpp>
#include <mercer/io/npy.hpp>
#include <mercer/io/text.hpp>

namespace mercer::io {

/// Samples as they are in the file: dense or sparse.
template <Real Scalar>
using Samples = std::variant<Matrix<Scalar>, SparseMatrix<Scalar>>;

/// Reads samples, one per row. The extension of the name selects the reader: .npy is read by
/// read_npy; .csv, .tsv and .txt by read_csv; .svm and .libsvm by read_libsvm (sparse, without the
/// labels). Each may be followed by .gz.
///
/// \p dimension is the required number of columns, for example that of the samples a model was
/// fitted to; 0 accepts any. A sparse file may have fewer columns and is widened.
/// Throws FileError if the file cannot be read, is malformed, has an unknown extension, or has
///   another number of columns.
/// Throws InvalidArgument if dimension < 0.
template <Real Scalar>
[[nodiscard]] Samples<Scalar> read_samples(const std::string& path, Index dimension = 0) {
  if (dimension < 0)
    detail::fail("mercer::io::read_samples: dimension must be 0 or more, got ", dimension);
  const std::string extension = detail::format_extension(path);
  if (extension == ".svm" || extension == ".libsvm")
    return read_libsvm<Scalar>(path, dimension).samples;
  Matrix<Scalar> values;
  if (extension == ".npy")
    values = read_npy<Scalar>(path);
  else if (extension == ".csv" || extension == ".tsv" || extension == ".txt")
    values = read_csv<Scalar>(path).values;
  else
    detail::file_fail(path, "unknown extension ", detail::in_quotes(extension),
                      "; known are .npy, .csv, .tsv, .txt, .svm and .libsvm, each also with .gz");
  if (dimension > 0 && values.cols() != dimension)
    detail::file_fail(path, "has ", values.cols(), " columns, expected ", dimension);
  return values;
}

}  // namespace mercer::io

#endif  // MERCER_IO_SAMPLES_HPP
