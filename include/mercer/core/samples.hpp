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

/// A point in the midst of the samples, and the mean squared distance from it, both from a few of
/// them. Each coordinate is a median, which a few samples far from the others do not move, and is
/// one of the values: of integers an integer, and 0 where most are 0. The origin, if there are no
/// samples.
template <Real S>
struct Middle {
  explicit Middle(const Matrix<S>& x) : point(Vector<S>::Zero(x.cols())) {
    constexpr Index most = 33;
    const Index count = (std::min)(most, x.rows());
    Vector<S> taken(count);
    for (Index j = 0; j < x.cols() && count > 0; ++j) {
      for (Index i = 0; i < count; ++i) taken(i) = x(i * x.rows() / count, j);
      std::nth_element(taken.data(), taken.data() + count / 2, taken.data() + count);
      point(j) = taken(count / 2);
      spread += (taken.array() - point(j)).square().mean();
    }
  }

  Vector<S> point;
  S spread = 0;
};

/// The columns whose values are not all the same.
[[nodiscard]] inline std::vector<Index> varying_columns(const Matrix<double>& x) {
  std::vector<Index> columns;
  for (Index j = 0; j < x.cols(); ++j) {
    const auto values = x.col(j);
    if (std::any_of(values.begin(), values.end(), [&](double v) { return v != values(0); }))
      columns.push_back(j);
  }
  return columns;
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_CORE_SAMPLES_HPP
