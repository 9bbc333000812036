// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Checkpoints of stochastic fits, and what all of them have in an archive.

#ifndef MERCER_TESTS_IO_ARCHIVE_CHECKPOINT_BYTES_HPP
#define MERCER_TESTS_IO_ARCHIVE_CHECKPOINT_BYTES_HPP

#include <utility>
#include <vector>

#include <mercer/solvers/doubly_stochastic/doubly_stochastic_checkpoint.hpp>
#include <tests/io/archive/archive_bytes.hpp>

namespace mercer::test {

/// A checkpoint with this state, at a place in its stream that no two members of it agree on.
template <class State>
[[nodiscard]] FitCheckpoint<State> checkpoint_of(std::vector<FitSetting> fit, State run) {
  FitCheckpoint<State> checkpoint{.fit = std::move(fit),
                                  .run = std::move(run),
                                  .position = {.epoch = 6, .row = 7},
                                  .passes = 4,
                                  .start = {},
                                  .read = {}};
  checkpoint.start.rows = 8;
  checkpoint.start.checksum = 9;
  checkpoint.read.rows = 10;
  checkpoint.read.checksum = 11;
  return checkpoint;
}

/// Its place, as an archive has it.
inline void put_place(ArchiveBytes& bytes) {
  bytes.integer(6).integer(7).integer(4);
  bytes.integer(8).integer(9).integer(10).integer(11);
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_IO_ARCHIVE_CHECKPOINT_BYTES_HPP
