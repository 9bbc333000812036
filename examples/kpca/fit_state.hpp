// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Fits that can be interrupted and go on later, from a file.

#ifndef MERCER_EXAMPLES_KPCA_FIT_STATE_HPP
#define MERCER_EXAMPLES_KPCA_FIT_STATE_HPP

#include <memory>
#include <optional>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/recorded.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic_checkpoint.hpp>

namespace kpca {

/// Checkpoints that are written to the file at \p path after every so many steps; a fit goes on
/// from the one that is there already. Throws mercer::InvalidArgument with the option's name for a
/// file that is damaged or holds something else, and for a folder.
[[nodiscard]] mercer::DoublyStochasticCheckpoints checkpoints_in(const std::string& path,
                                                                 mercer::Index every);

/// What a solver keeps in the folder at \p path; a fit goes on from what is there. Throws
/// mercer::InvalidArgument with the option's name for a file.
/// \param every  steps after which an iterate is kept, if not by default
[[nodiscard]] std::shared_ptr<mercer::FitRecord> record_in(const std::string& path,
                                                           const std::string& solver,
                                                           std::optional<mercer::Index> every);

/// What a state of another fit differs in, in one sentence with the options' names.
[[nodiscard]] std::string describe_mismatch(const std::string& state,
                                            const mercer::CheckpointMismatch& mismatch);

/// Calls \p action, which may resume a fit from the file at \p state. Throws
/// mercer::InvalidArgument with the options' names if that is of another fit.
template <class Action>
auto resuming(const std::string& state, const Action& action) {
  try {
    return action();
  } catch (const mercer::CheckpointMismatch& mismatch) {
    throw mercer::InvalidArgument(describe_mismatch(state, mismatch));
  }
}

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_FIT_STATE_HPP
