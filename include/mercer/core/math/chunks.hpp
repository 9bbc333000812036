// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Functions of many numbers at a time, in chunks of one size.

#ifndef MERCER_CORE_MATH_CHUNKS_HPP
#define MERCER_CORE_MATH_CHUNKS_HPP

#include <mercer/core/types.hpp>

namespace mercer::detail {

/// values <- f(values) for a vectorised f of arrays. Eigen evaluates the numbers before the first
/// aligned address and after the last whole register one by one, which rounds differently. The
/// chunks have one fixed size and are aligned. So the result for a value depends neither on its
/// position nor on its address.
template <Real S, class Function>
void apply_in_chunks(S* values, Index count, Function&& f) {
  constexpr Index size = 32;
  using Chunk = Eigen::Array<S, int{size}, 1>;
  Index first = 0;
  for (; first + size <= count; first += size) {
    Eigen::Map<Chunk> part(values + first);
    const Chunk chunk = part;
    const Chunk result = f(chunk);
    part = result;
  }
  if (first == count) return;
  Eigen::Map<Eigen::Array<S, Eigen::Dynamic, 1>> rest(values + first, count - first);
  Chunk chunk = Chunk::Zero();
  chunk.head(rest.size()) = rest;
  const Chunk result = f(chunk);
  rest = result.head(rest.size());
}

}  // namespace mercer::detail

#endif  // MERCER_CORE_MATH_CHUNKS_HPP
