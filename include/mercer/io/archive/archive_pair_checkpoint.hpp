// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Archives of the states of unfinished stochastic fits of pairs.

#ifndef MERCER_IO_ARCHIVE_ARCHIVE_PAIR_CHECKPOINT_HPP
#define MERCER_IO_ARCHIVE_ARCHIVE_PAIR_CHECKPOINT_HPP

#include <string_view>
#include <tuple>
#include <utility>

#include <mercer/core/types.hpp>
#include <mercer/io/archive/archive_models.hpp>
#include <mercer/io/archive/archive_traits.hpp>
#include <mercer/solvers/doubly_stochastic/pairs/pair_checkpoint.hpp>
#include <mercer/solvers/doubly_stochastic/pairs/pair_run.hpp>
#include <mercer/solvers/pair_solver.hpp>

namespace mercer::io {

template <>
struct ArchiveTraits<PairMethod> {
  static constexpr PairMethod last = PairMethod::Cca;
};

template <>
struct ArchiveTraits<PairSchedule> {
  static auto parts(const PairSchedule& schedule) {
    const auto& [method, rule, blocks, step, decay, centered, ridge_x, ridge_y, bound, leave_out,
                 safeguard] = schedule;
    return std::tie(method, rule, blocks, step, decay, centered, ridge_x, ridge_y, bound, leave_out,
                    safeguard);
  }
  template <class... Part>
  static PairSchedule make(Part... part) {
    const PairSchedule schedule{part...};
    schedule.validate();
    require_block_count("PairRun", schedule.blocks);
    return schedule;
  }
};

/// A run that continues from the state checks what depends on its maps.
template <Real S>
struct ArchiveTraits<PairRunState<S>> {
  static constexpr std::string_view name = "pair-run-state";
  static auto parts(const PairRunState<S>& state) {
    const auto& [schedule, x, y, next_block, steps, step_sum, mean_moments] = state;
    return std::tie(schedule, x, y, next_block, steps, step_sum, mean_moments);
  }
  static PairRunState<S> make(const PairSchedule& schedule, Matrix<S> x, Matrix<S> y,
                              Index next_block, Index steps, double step_sum,
                              Matrix<double> mean_moments) {
    require_run_position("PairRun", next_block, schedule.blocks, steps);
    return {schedule, std::move(x), std::move(y),           next_block,
            steps,    step_sum,     std::move(mean_moments)};
  }
};

/// A fit writes these on its way, and resumes one after the machine went down:
/// \code
///   PairCheckpoints checkpoints{
///       .every = 100, .visit = [](const auto& c) { io::write_archive("run.state", c); }};
///   auto model = cca.fit(pairs, {}, checkpoints);
///   // ... or, to go on:
///   checkpoints.resume = std::make_shared<const PairCheckpoint>(
///       io::read_archive<PairCheckpoint>("run.state"));
/// \endcode
template <>
struct ArchiveTraits<PairCheckpoint> : CheckpointArchive<PairRunState<double>> {
  static constexpr std::string_view name = "pair-checkpoint";
};

}  // namespace mercer::io

#endif  // MERCER_IO_ARCHIVE_ARCHIVE_PAIR_CHECKPOINT_HPP
