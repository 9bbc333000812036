// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// How a caller can watch a long run and stop it.

#ifndef MERCER_CORE_OBSERVER_HPP
#define MERCER_CORE_OBSERVER_HPP

#include <functional>
#include <string_view>

#include <mercer/core/types.hpp>

namespace mercer {

/// The progress of a run.
struct Progress {
  std::string_view phase;  ///< what is being done: "gram matrix", "eigenvectors", ...
  Index step = 0;          ///< steps of this phase done so far
  Index total = 0;         ///< steps of this phase in all; 0 when not known
  // Only for solvers whose iterate Z is a low-rank matrix; 0 for others:
  Index rank = 0;            ///< of Z
  double trace = 0;          ///< of Z
  double step_residual = 0;  ///< |Z - previous Z|_F / step size
};

/// Called between steps, from the thread that called the library. Return true to continue, false to
/// cancel. A cancelled run returns what it has so far, with Status::Cancelled.
using Observer = std::function<bool(const Progress&)>;

namespace detail {

[[nodiscard]] inline bool go_on(const Observer& observer, const Progress& progress) {
  return !observer || observer(progress);
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_CORE_OBSERVER_HPP
