// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Samples from a file of any known format, chosen by its extension.

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

/// Samples in the form their file has them: dense, or sparse.
template <Real Scalar>
using Samples = std::variant<Matrix<Scalar>, SparseMatrix<Scalar>>;

/// Reads samples, one per row: .npy as read_npy, .csv, .tsv and .txt as read_csv, .svm and .libsvm
/// as read_libsvm (sparse; labels are left out), each also with .gz.
///
/// \p dimension is the number of columns that there must be, for example that of the samples a
/// model was fitted to; 0 accepts any. A sparse file may have fewer and is widened. Throws:
/// FileError if the file cannot be read, is malformed, has an unknown extension or another number
/// of columns; InvalidArgument if dimension < 0.
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
