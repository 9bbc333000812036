// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Functions that select, shift and convert samples, dense or sparse, one per row.

#ifndef MERCER_CORE_SAMPLES_HPP
#define MERCER_CORE_SAMPLES_HPP

#include <cmath>
#include <cstddef>
#include <vector>

#include <mercer/core/types.hpp>

namespace mercer {

/// The stored form X with scalar S in place of its own.
template <Real S, OwnedSamples X>
using SamplesIn = std::conditional_t<SparseSamples<X>, SparseMatrix<S>, Matrix<S>>;

namespace detail {

/// The number of entries that \p x stores.
template <DenseSamples X>
[[nodiscard]] Index stored_entries(const X& x) {
  return x.size();
}

template <SparseSamples X>
[[nodiscard]] Index stored_entries(const X& x) {
  return x.nonZeros();
}

/// Bytes of the values that \p x stores.
template <OwnedSamples X>
[[nodiscard]] std::size_t value_bytes(const X& x) {
  return static_cast<std::size_t>(stored_entries(x)) * sizeof(typename X::Scalar);
}

/// The chosen rows, in the order given and in scalar S.
template <Real S, DenseSamples X>
[[nodiscard]] Matrix<S> take_rows(const X& x, const std::vector<Index>& rows) {
  Matrix<S> taken(static_cast<Index>(rows.size()), x.cols());
  if (x.cols() == 0) return taken;  // row ranges need at least one column
  for (Index i = 0; i < taken.rows(); ++i)
    taken.row(i) = x.row(rows[static_cast<std::size_t>(i)]).matrix().template cast<S>();
  return taken;
}

template <Real S, SparseSamples X>
[[nodiscard]] SparseMatrix<S> take_rows(const X& x, const std::vector<Index>& rows) {
  SparseMatrix<S> taken(static_cast<Index>(rows.size()), x.cols());
  Index entries = 0;
  for (const Index row : rows) entries += x.innerVector(row).nonZeros();
  taken.reserve(entries);
  for (Index i = 0; i < taken.rows(); ++i) {
    taken.startVec(i);
    for (typename X::InnerIterator entry(x, rows[static_cast<std::size_t>(i)]); entry; ++entry)
      taken.insertBackByOuterInner(i, entry.col()) = static_cast<S>(entry.value());
  }
  taken.finalize();
  return taken;
}

/// The same in the samples' own scalar.
template <OwnedSamples X>
[[nodiscard]] X take_rows(const X& x, const std::vector<Index>& rows) {
  return take_rows<typename X::Scalar>(x, rows);
}

/// The chosen columns of a matrix, in the order given.
template <Real S>
[[nodiscard]] Matrix<S> take_columns(const Matrix<S>& x, const std::vector<Index>& columns) {
  Matrix<S> taken(x.rows(), static_cast<Index>(columns.size()));
  for (Index j = 0; j < taken.cols(); ++j)
    taken.col(j) = x.col(columns[static_cast<std::size_t>(j)]);
  return taken;
}

/// The entries in the chosen rows and columns of a matrix, in the orders given.
template <DenseSamples X>
[[nodiscard]] Matrix<typename X::Scalar> take_block(const X& x, const std::vector<Index>& rows,
                                                    const std::vector<Index>& columns) {
  Matrix<typename X::Scalar> taken(static_cast<Index>(rows.size()),
                                   static_cast<Index>(columns.size()));
  for (Index j = 0; j < taken.cols(); ++j)
    for (Index i = 0; i < taken.rows(); ++i)
      taken(i, j) = x(rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(j)]);
  return taken;
}

/// Puts the columns of \p taken into the chosen columns of \p x: the reverse of take_columns.
template <Real S>
void put_columns(const Matrix<S>& taken, const std::vector<Index>& columns, Matrix<S>& x) {
  for (Index j = 0; j < taken.cols(); ++j)
    x.col(columns[static_cast<std::size_t>(j)]) = taken.col(j);
}

/// The chosen entries of a vector, in the order given.
template <Real S>
[[nodiscard]] Vector<S> take_entries(const Vector<S>& values, const std::vector<Index>& entries) {
  Vector<S> taken(static_cast<Index>(entries.size()));
  for (Index i = 0; i < taken.size(); ++i) taken(i) = values(entries[static_cast<std::size_t>(i)]);
  return taken;
}

/// The columns that are not constant.
[[nodiscard]] inline std::vector<Index> varying_columns(const Matrix<double>& x) {
  std::vector<Index> columns;
  for (Index j = 0; j < x.cols(); ++j)
    if (x.col(j).minCoeff() < x.col(j).maxCoeff()) columns.push_back(j);
  return columns;
}

/// For each column, a multiple of a power of two near its mean. Subtracting it removes an offset
/// that is large compared with the spread. It is 0 if there is no such offset. Integers stay
/// integers.
[[nodiscard]] inline Vector<double> coarse_means(const Matrix<double>& x) {
  Vector<double> means(x.cols());
  for (Index j = 0; j < x.cols(); ++j) {
    const double low = x.col(j).minCoeff(), high = x.col(j).maxCoeff();
    const double middle = low / 2 + high / 2, spread = high / 2 - low / 2;
    // The smallest power of two that is at least high - low. For integers it is at least 1. If it
    // is not finite, no offset is large compared with the spread.
    const double unit = 2 * std::exp2(std::ceil(std::log2(spread)));
    if (!(spread > 0))
      means(j) = middle;
    else
      means(j) = std::isfinite(unit) && std::isfinite(middle / unit)
                     ? std::round(middle / unit) * unit
                     : 0;
  }
  return means;
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_CORE_SAMPLES_HPP
