// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Keeps the basis of a low-rank iterate orthonormal over many updates.

#ifndef MERCER_CORE_LOW_RANK_KEEP_ORTHONORMAL_HPP
#define MERCER_CORE_LOW_RANK_KEEP_ORTHONORMAL_HPP

#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// Makes the columns of an iterate orthonormal again if rounding errors of its updates have added
/// up. Looks at every hundredth step only.
template <Real S>
void keep_orthonormal(Index step, LowRank<S>& iterate) {
  constexpr Index check_every = 100;
  constexpr double most = sizeof(S) == 8 ? 1e-10 : 1e-4;
  if (step % check_every != 0) return;
  if (static_cast<double>(orthogonality_error(iterate.row_space(), iterate.left())) > most)
    iterate.reorthonormalize();
}

}  // namespace mercer::detail

#endif  // MERCER_CORE_LOW_RANK_KEEP_ORTHONORMAL_HPP
