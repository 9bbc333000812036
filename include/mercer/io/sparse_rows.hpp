// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Sparse matrices from the entries that a file has.

#ifndef MERCER_IO_SPARSE_ROWS_HPP
#define MERCER_IO_SPARSE_ROWS_HPP

#include <algorithm>
#include <vector>

#include <Eigen/SparseCore>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>

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

}  // namespace mercer::detail

#endif  // MERCER_IO_SPARSE_ROWS_HPP
