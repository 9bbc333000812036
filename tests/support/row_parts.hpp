// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Blocks cut over threads that take the part of processes, and put together again.

#ifndef MERCER_TESTS_SUPPORT_ROW_PARTS_HPP
#define MERCER_TESTS_SUPPORT_ROW_PARTS_HPP

#include <vector>

#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/types.hpp>
#include <mercer/testing/thread_processes.hpp>

namespace mercer::test {

/// Odd and even numbers, and one with more processes than most tests have tiles.
inline const std::vector<Index> process_counts{1, 2, 3, 4, 5, 7, 8};
/// Two of them, with and without processes that have no rows, for fits that take long.
inline const std::vector<Index> some_process_counts{3, 7};

/// The rows of a whole block that this process has.
template <class M>
[[nodiscard]] M local_rows(const RowSpace& rows, const M& whole) {
  return whole.middleRows(rows.first(), rows.local());
}

/// What work(rows) returns on each process, in order of ranks.
template <class Work>
[[nodiscard]] auto on_processes(Index count, Index n, RowSums sums, const Work& work) {
  using Result = decltype(work(RowSpace::whole(1)));
  std::vector<Result> results(static_cast<std::size_t>(count));
  run_as_processes(count, [&](const Processes& processes) {
    Result found = work(RowSpace::spread(n, processes, sums));
    results[static_cast<std::size_t>(processes.rank())] = std::move(found);
  });
  return results;
}

/// The parts of all processes, one below the other.
template <Real S>
[[nodiscard]] Matrix<S> stacked(const std::vector<Matrix<S>>& parts) {
  Index rows = 0;
  for (const Matrix<S>& part : parts) rows += part.rows();
  Matrix<S> all(rows, parts.front().cols());
  Index at = 0;
  for (const Matrix<S>& part : parts) {
    all.middleRows(at, part.rows()) = part;
    at += part.rows();
  }
  return all;
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_SUPPORT_ROW_PARTS_HPP
