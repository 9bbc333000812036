// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Sparse matrices from the entries that a file has.

#ifndef MERCER_IO_SPARSE_ROWS_HPP
#define MERCER_IO_SPARSE_ROWS_HPP

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/SparseCore>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/file_error.hpp>

namespace mercer::detail {

/// A sparse matrix of these entries: those of row i are the ones from \c row_begins[i] to
/// \c row_begins[i + 1], with ascending columns.
/// Memory: in proportion to rows and entries. Eigen's setFromTriplets() and its assignments from
///   maps take memory in proportion to the columns too, of which a file of few bytes may name many.
template <Real Scalar, class StorageIndex = typename SparseMatrix<Scalar>::StorageIndex>
[[nodiscard]] SparseMatrix<Scalar> sparse_rows(Index columns,
                                               const std::vector<StorageIndex>& row_begins,
                                               const std::vector<StorageIndex>& column_of,
                                               const std::vector<Scalar>& values) {
  MERCER_ASSERT(column_of.size() == values.size());
  SparseMatrix<Scalar> x(static_cast<Index>(row_begins.size()) - 1, columns);
  x.resizeNonZeros(static_cast<Index>(values.size()));
  std::copy(row_begins.begin(), row_begins.end(), x.outerIndexPtr());
  std::copy(column_of.begin(), column_of.end(), x.innerIndexPtr());
  std::copy(values.begin(), values.end(), x.valuePtr());
  return x;
}

/// What several entries at one position are.
enum class Repeated { Error, Sum };

/// A sparse matrix of entries in any order, which are sorted. Their positions are within the
/// matrix.
/// Throws io::FileError for too many entries, and if repeated ones are an error.
template <Real Scalar>
[[nodiscard]] SparseMatrix<Scalar> sparse_of_entries(const std::string& path, Index rows,
                                                     Index columns, Repeated repeated,
                                                     std::vector<Eigen::Triplet<Scalar>> entries) {
  if (std::cmp_greater(entries.size(), (std::numeric_limits<int>::max)()))
    file_fail(path, "has too many entries for one sparse matrix");
  const auto position = [](const auto& entry) { return std::pair(entry.row(), entry.col()); };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const auto& a, const auto& b) { return position(a) < position(b); });
  std::vector<int> row_begins(static_cast<std::size_t>(rows) + 1), column_of;
  std::vector<Scalar> values;
  std::pair<int, int> before{-1, -1};
  for (const Eigen::Triplet<Scalar>& entry : entries) {
    if (position(entry) == before) {
      if (repeated == Repeated::Error)
        file_fail(path, "the entry at row ", entry.row() + 1, ", column ", entry.col() + 1,
                  " is given twice");
      values.back() += entry.value();
      continue;
    }
    before = position(entry);
    ++row_begins[static_cast<std::size_t>(entry.row()) + 1];
    column_of.push_back(entry.col());
    values.push_back(entry.value());
  }
  std::partial_sum(row_begins.begin(), row_begins.end(), row_begins.begin());
  return sparse_rows(columns, row_begins, column_of, values);
}

/// Throws io::FileError if the sizes of a sparse matrix cannot be those of a file of so many bytes:
/// rows without entries are possible, but not many times as many as there are bytes.
inline void require_sparse_rows(const std::string& path, Index rows, std::size_t bytes) {
  if (rows > 64 * (static_cast<Index>(bytes) + 1024))
    file_fail(path, "wrong sizes: ", rows, " rows in ", bytes, " bytes");
}

}  // namespace mercer::detail

#endif  // MERCER_IO_SPARSE_ROWS_HPP
