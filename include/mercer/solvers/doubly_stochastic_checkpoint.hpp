// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Where a fit by doubly stochastic gradients stood, so that it can be resumed.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_CHECKPOINT_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_CHECKPOINT_HPP

#include <functional>
#include <memory>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/sample_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/doubly_stochastic_run.hpp>

namespace mercer {

/// All that it takes to go on with a fit, but for the kernel, the map, the settings and the
/// samples.
struct DoublyStochasticCheckpoint {
  std::string fit;                    ///< which fit it is of, in words
  DoublyStochasticState<double> run;  ///< exact for runs in single precision too
  StreamPosition position;            ///< of the next batch
  Index passes = 0;                   ///< over the samples that are over
};

/// What a fit hands out on its way, and where it begins.
/// \code
///   DoublyStochasticCheckpoints checkpoints{
///       .every = 100, .visit = [](const auto& c) { io::write_archive("run.state", c); }};
///   // ... and after the machine went down:
///   checkpoints.resume = std::make_shared<const DoublyStochasticCheckpoint>(
///       io::read_archive<DoublyStochasticCheckpoint>("run.state"));
/// \endcode
struct DoublyStochasticCheckpoints {
  Index every = 0;  ///< steps between two of them; a fit that is cancelled gives one more. 0: none
  std::function<void(const DoublyStochasticCheckpoint&)> visit = {};
  /// Goes on from here, to the same bits as the fit that was interrupted would have. Without: from
  /// the start.
  std::shared_ptr<const DoublyStochasticCheckpoint> resume = nullptr;

  /// Throws InvalidArgument for a negative interval, or one without visit.
  void validate() const {
    detail::require_at_least("DoublyStochastic", "every", every, Index{0});
    if (every > 0 && !visit)
      detail::fail("mercer::DoublyStochastic: checkpoints need a function to visit them");
  }
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_CHECKPOINT_HPP
