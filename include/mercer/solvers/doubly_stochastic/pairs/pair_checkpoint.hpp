// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The state of a stochastic fit of pairs, from which it can be resumed.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_PAIR_CHECKPOINT_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_PAIR_CHECKPOINT_HPP

#include <mercer/solvers/doubly_stochastic/doubly_stochastic_checkpoint.hpp>
#include <mercer/solvers/doubly_stochastic/pairs/pair_run.hpp>

namespace mercer {

/// As DoublyStochasticCheckpoint, where the samples are the rows [x_i y_i].
using PairCheckpoint = FitCheckpoint<PairRunState<double>>;

/// The checkpoints that a fit of pairs hands out, and the one that it resumes; see FitCheckpoints.
/// \code
///   PairCheckpoints checkpoints{.every = 100, .visit = [&](const auto& c) { last = c; }};
///   const auto model = cca.fit(pairs, {}, checkpoints);
/// \endcode
using PairCheckpoints = FitCheckpoints<PairCheckpoint>;

}  // namespace mercer

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_PAIR_CHECKPOINT_HPP
