// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Functions that select, shift and convert samples, dense or sparse, one per row.

#ifndef MERCER_CORE_SAMPLES_HPP
#define MERCER_CORE_SAMPLES_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/core/threads.hpp>
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

/// The largest |x_ij|.
template <DenseSamples X>
[[nodiscard]] double largest_magnitude(const X& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0;
}

template <SparseSamples X>
[[nodiscard]] double largest_magnitude(const X& x) {
  return x.nonZeros() > 0 ? x.coeffs().abs().maxCoeff() : 0;
}

/// Throws InvalidArgument for the first entry that is NaN or infinite. The message names row,
///   column (from 0) and value.
template <class X>
void require_finite_samples(std::string_view who, const X& x) {
  // Sums are a fast test. Only if it fails are the values checked one by one.
  if constexpr (DenseSamples<X>) {
    // An expression would be evaluated for each of its columns.
    if constexpr (!X::IsRowMajor && (X::Flags & Eigen::DirectAccessBit) != 0) {
      Vector<double> sums(x.cols());
      parallel_for(x.cols(), [&](Index j) { sums(j) = static_cast<double>(x.col(j).sum()); });
      if (std::isfinite(sums.sum())) return;
    } else {
      if (std::isfinite(x.sum())) return;
    }
  }
  for (Index outer = 0; outer < x.outerSize(); ++outer)
    for (typename X::InnerIterator entry(x, outer); entry; ++entry)
      if (!std::isfinite(entry.value()))
        fail("mercer::", who, ": samples must be finite, got ", entry.value(), " at row ",
             entry.row(), ", column ", entry.col(), " (counted from 0)");
}

/// Whether row i of x and row j of y have the same entries.
template <DenseSamples X>
[[nodiscard]] bool equal_rows(const X& x, Index i, const X& y, Index j) {
  return (x.row(i).array() == y.row(j).array()).all();
}
template <SparseSamples X>
[[nodiscard]] bool equal_rows(const X& x, Index i, const X& y, Index j) {
  using Row = Eigen::SparseVector<typename X::Scalar, Eigen::RowMajor, typename X::StorageIndex>;
  const Row difference = Row(x.row(i)) - Row(y.row(j));
  for (typename Row::InnerIterator it(difference); it; ++it)
    if (it.value() != 0) return false;
  return true;
}

/// Bytes of the values that \p x stores.
template <OwnedSamples X>
[[nodiscard]] std::size_t value_bytes(const X& x) {
  return static_cast<std::size_t>(stored_entries(x)) * sizeof(typename X::Scalar);
}

/// Samples of the caller's, copied.
template <OwnedSamples X>
[[nodiscard]] X copy_of(const X& x) {
  if constexpr (SparseSamples<X>) {
    return x;
  } else {
    X copy = in_huge_pages(X(x.rows(), x.cols()));
    copy = x;
    return copy;
  }
}

/// The chosen rows, in the order given and in scalar S.
/// Threads: over columns, of samples stored by columns.
template <Real S, DenseSamples X>
[[nodiscard]] Matrix<S> take_rows(const X& x, const std::vector<Index>& rows) {
  const auto count = static_cast<Index>(rows.size());
  Matrix<S> taken = in_huge_pages(Matrix<S>(count, x.cols()));
  const auto take = [&](Index i, Index j) {
    taken(i, j) = static_cast<S>(x(rows[static_cast<std::size_t>(i)], j));
  };
  if (X::IsRowMajor) {
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < x.cols(); ++j) take(i, j);
    return taken;
  }
  constexpr Index entries_in_task = 1 << 15;
  const Index columns = (std::max)(Index{1}, entries_in_task / (std::max)(Index{1}, count));
  parallel_for((x.cols() + columns - 1) / columns, [&](Index task) {
    for (Index j = task * columns; j < (std::min)(x.cols(), (task + 1) * columns); ++j)
      for (Index i = 0; i < count; ++i) take(i, j);
  });
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

/// The least and the greatest value of each column, 2 x d.
[[nodiscard]] inline Matrix<double> column_ranges(const Matrix<double>& x) {
  Matrix<double> ranges(2, x.cols());
  parallel_for(x.cols(), [&](Index j) {
    ranges(0, j) = x.col(j).minCoeff();
    ranges(1, j) = x.col(j).maxCoeff();
  });
  return ranges;
}

/// For each column, a multiple of a power of two near its mean, from the ranges of all. Subtracting
/// it removes an offset that is large compared with the spread. It is 0 if there is no such offset.
/// Integers stay integers.
[[nodiscard]] inline Vector<double> coarse_means(const Matrix<double>& ranges) {
  Vector<double> means(ranges.cols());
  for (Index j = 0; j < ranges.cols(); ++j) {
    const double low = ranges(0, j), high = ranges(1, j);
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
