// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Samples whose rows are in several processes: how they get there, and how they come together.

#ifndef MERCER_CORE_ROWS_SPREAD_ROWS_HPP
#define MERCER_CORE_ROWS_SPREAD_ROWS_HPP

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/core/rows/row_bytes.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

namespace detail {

/// Blocks of rows, one below the other. Blocks without rows may have any number of columns.
template <OwnedSamples X>
[[nodiscard]] X stack(const std::vector<X>& parts, Index cols) {
  Index total = 0;
  for (const X& part : parts) total += part.rows();
  X all(total, cols);
  if constexpr (SparseSamples<X>) {
    Index entries = 0;
    for (const X& part : parts) entries += part.nonZeros();
    all.reserve(entries);
  }
  Index at = 0;
  for (const X& part : parts) {
    if (part.rows() > 0) all.middleRows(at, part.rows()) = part;
    at += part.rows();
  }
  return all;
}

/// The rows [first, first + size) of a block; a block without rows if size is 0.
template <OwnedSamples X>
[[nodiscard]] X cut(const X& x, Index first, Index size) {
  if (size <= 0) return X(0, x.cols());
  return x.middleRows(first, size);
}

/// Throws InvalidArgument, on all processes, if blocks have different numbers of columns. Blocks
/// without rows do not count. Returns the number. Collective.
inline Index common_columns(const Processes& processes, Index rows, Index cols) {
  const auto columns = static_cast<double>(cols);
  double ends[2] = {rows > 0 ? columns : 0, rows > 0 ? -columns : -1e300};
  processes.maximum(ends);
  if (ends[1] > -1e300 && ends[0] != -ends[1])
    fail("mercer: samples have ", static_cast<Index>(-ends[1]), " columns on one process and ",
         static_cast<Index>(ends[0]), " on another");
  return static_cast<Index>(ends[0]);
}

/// The rows that processes bring, in the order of their ranks: on all processes. Collective.
template <OwnedSamples X>
[[nodiscard]] X join_rows(const Processes& processes, X mine) {
  const Index size = processes.size(), rank = processes.rank(), cols = mine.cols();
  std::vector<X> parts(static_cast<std::size_t>(size), X(0, 0));
  RowWriter out;
  out.add(mine);
  parts[static_cast<std::size_t>(rank)] = std::move(mine);
  std::vector<std::byte> letter = out.take();
  // Round the ring: in each step, the block of the next process.
  for (Index s = 1; s < size; ++s) {
    letter =
        processes.start_exchange((rank + size - 1) % size, (rank + 1) % size, std::move(letter))
            ->finish();
    RowReader(letter).read(parts[static_cast<std::size_t>((rank + s) % size)]);
  }
  return stack(parts, cols);
}

/// The rows with these numbers, in the order given, which may repeat some: on all processes.
/// \param take  returns the rows of this process with some numbers, counted from its first row
/// Collective.
template <class Take>
[[nodiscard]] auto take_rows_by(const RowSpace& rows, const std::vector<Index>& indices,
                                const Take& take) {
  if (!rows.is_spread()) return take(indices);
  std::vector<Index> ascending = indices, places, mine;
  std::sort(ascending.begin(), ascending.end());
  ascending.erase(std::unique(ascending.begin(), ascending.end()), ascending.end());
  for (const Index i : indices)
    places.push_back(std::lower_bound(ascending.begin(), ascending.end(), i) - ascending.begin());
  for (const Index i : ascending)
    if (i >= rows.first() && i < rows.first() + rows.local()) mine.push_back(i - rows.first());
  return take_rows(join_rows(rows.processes(), take(mine)), places);
}

/// The same of samples.
template <OwnedSamples X>
[[nodiscard]] X take_rows(const RowSpace& rows, const X& local, const std::vector<Index>& indices) {
  return take_rows_by(rows, indices,
                      [&](const std::vector<Index>& mine) -> X { return take_rows(local, mine); });
}

/// The numbers of about 256 of n rows, at equal distances.
[[nodiscard]] inline std::vector<Index> spaced_numbers(Index n) {
  constexpr Index most = 256;
  const Index step = (n + most - 1) / most;
  std::vector<Index> few;
  for (Index i = 0; i < n; i += step) few.push_back(i);
  return few;
}

/// These rows, on all processes: the same for any number of them. Collective.
template <OwnedSamples X>
[[nodiscard]] X spaced_rows(const RowSpace& rows, const X& local) {
  return take_rows(rows, local, spaced_numbers(rows.total()));
}

/// All rows on process 0, from the rows of each; a block without rows on the others. Collective.
/// Memory: there, all rows twice.
template <OwnedSamples X>
[[nodiscard]] X gather_rows(const RowSpace& rows, const X& local) {
  std::vector<X> parts;
  {
    RowWriter out;
    out.add(local);
    const std::vector<std::byte> bytes = rows.processes().gather(out.take());
    for (RowReader in(bytes); !in.at_end();) in.read(parts.emplace_back(0, 0));
  }
  return stack(parts, local.cols());
}

}  // namespace detail

/// Samples whose rows are in several processes, in the order of their ranks. Each process holds the
/// rows that RowSpace gives it.
/// \tparam X  Matrix or SparseMatrix of float or double
/// Lifetime: refers to the processes.
template <OwnedSamples X>
class SpreadRows {
 public:
  /// Makes them from blocks of any sizes: the rows of process 0 come first, then those of process
  /// 1, and so on. Rows move to the process that RowSpace gives them to; if all are there already,
  /// nothing is copied.
  /// Memory: while rows move, those of this process three times.
  /// Throws InvalidArgument, on all processes, if there are no rows at all, for blocks of different
  ///   numbers of columns, and if processes want different sums. Collective.
  [[nodiscard]] static SpreadRows from_parts(const Processes& processes, X mine,
                                             RowSums sums = RowSums::OrderFree);

  /// All rows, and those of this process.
  [[nodiscard]] const RowSpace& rows() const { return rows_; }
  /// The rows of this process: rows().local() of them.
  [[nodiscard]] const X& local() const { return local_; }
  /// The number of columns.
  [[nodiscard]] Index cols() const { return local_.cols(); }

  /// All rows on process 0; a block without rows on the others. Collective.
  [[nodiscard]] X gather() const { return detail::gather_rows(rows_, local_); }

 private:
  SpreadRows(const RowSpace& rows, X local) : rows_(rows), local_(std::move(local)) {}

  RowSpace rows_;
  X local_;
};

template <OwnedSamples X>
SpreadRows<X> SpreadRows<X>::from_parts(const Processes& processes, X mine, RowSums sums) {
  const Index size = processes.size(), rank = processes.rank();
  detail::require_same(processes, "sums over rows",
                       sums == RowSums::Plain ? "plain ones" : "order-free ones");
  std::vector<double> counts(static_cast<std::size_t>(size), 0);
  counts[static_cast<std::size_t>(rank)] = static_cast<double>(mine.rows());
  processes.maximum(counts);
  const Index cols = detail::common_columns(processes, mine.rows(), mine.cols());
  Index total = 0, first = 0;
  for (Index p = 0; p < size; ++p) {
    if (p == rank) first = total;
    total += static_cast<Index>(counts[static_cast<std::size_t>(p)]);
  }
  if (total == 0 || cols == 0)
    detail::fail("mercer::SpreadRows: needs at least one row and one column, got ", total, " x ",
                 cols);
  const RowSpace rows = RowSpace::spread(total, processes, sums);
  bool in_place = true;
  for (Index p = 0; p < size; ++p)
    in_place &= counts[static_cast<std::size_t>(p)] == static_cast<double>(rows.rows_of(p).size);
  if (in_place) return SpreadRows(rows, mine.rows() > 0 ? std::move(mine) : X(0, cols));
  std::vector<X> parts(static_cast<std::size_t>(size), X(0, cols));
  for (Index s = 0; s < size; ++s) {
    const Index to = (rank + s) % size, from = (rank + size - s) % size;
    const detail::Range theirs = rows.rows_of(to);
    const Index begin = std::clamp(theirs.begin - first, Index{0}, mine.rows());
    const Index end = std::clamp(theirs.begin + theirs.size - first, Index{0}, mine.rows());
    X part = detail::cut(mine, begin, end - begin);
    if (s > 0) {
      detail::RowWriter out;
      out.add(part);
      const std::vector<std::byte> letter =
          processes.start_exchange(to, from, out.take())->finish();
      detail::RowReader(letter).read(part);
    }
    parts[static_cast<std::size_t>(from)] = std::move(part);
  }
  return SpreadRows(rows, detail::stack(parts, cols));
}

}  // namespace mercer

#endif  // MERCER_CORE_ROWS_SPREAD_ROWS_HPP
