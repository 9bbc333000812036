// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Loops and sums over blocks of rows, whose result does not depend on the number of threads.

#ifndef MERCER_CORE_ROWS_ROW_BLOCKS_HPP
#define MERCER_CORE_ROWS_ROW_BLOCKS_HPP

#include <algorithm>
#include <cstddef>
#include <vector>

#include <mercer/core/small_dense.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

inline constexpr Index row_block = 1024;
inline constexpr Index blocks_at_once = 16;  // bounds the memory of a blocked sum

/// Calls task(block, first row, number of rows) for blocks of rows, in any order.
template <class Task>
void for_row_blocks(Index rows, Task&& task) {
  if (rows == 0) return;
  if (rows <= row_block) {  // too little work for several threads
    const SingleThread one;
    return task(Index{0}, Index{0}, rows);
  }
  parallel_for((rows + row_block - 1) / row_block, [&](Index block) {
    const Index first = block * row_block;
    task(block, first, (std::min)(row_block, rows - first));
  });
}

/// sum += part(first row, number of rows), in order of the blocks. Each part is a matrix of the
/// shape of \p sum.
template <Real S, class Part>
void add_row_blocks(Index rows, Part&& part, Matrix<S>& sum) {
  if (sum.size() == 0) return;  // row ranges need at least one column
  constexpr Index step = blocks_at_once * row_block;
  std::vector<Matrix<S>> parts(static_cast<std::size_t>(blocks_at_once));
  for (Index start = 0; start < rows; start += step) {
    const Index count = (std::min)(step, rows - start);
    for_row_blocks(count, [&](Index block, Index first, Index size) {
      parts[static_cast<std::size_t>(block)] = part(start + first, size);
    });
    for (Index block = 0; block * row_block < count; ++block)
      sum += parts[static_cast<std::size_t>(block)];
  }
}

}  // namespace mercer::detail

#endif  // MERCER_CORE_ROWS_ROW_BLOCKS_HPP
