// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// How a caller can watch a long run and stop it.

#ifndef MERCER_CORE_OBSERVER_HPP
#define MERCER_CORE_OBSERVER_HPP

#include <atomic>
#include <functional>
#include <string_view>
#include <thread>

#include <mercer/core/types.hpp>

namespace mercer {

/// The progress of a run.
struct Progress {
  std::string_view phase;  ///< what is being done: "gram matrix", "eigenvectors", ...
  Index step = 0;          ///< steps of this phase done so far
  Index total = 0;         ///< steps of this phase in all; 0 when not known
  /// Products of the Gram matrix so far, for solvers whose steps are components that they have
  /// found; 0 for others.
  Index products = 0;
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

/// The progress of a parallel loop. Its observer is called from the thread that made this object
/// alone, as that thread finishes tasks.
/// Lifetime: refers to the observer.
class LoopProgress {
 public:
  LoopProgress(const Observer& observer, std::string_view phase, Index total)
      : observer_(observer), phase_(phase), total_(total), caller_(std::this_thread::get_id()) {}

  /// Whether the observer wants the loop to end. Tasks that begin after that do nothing.
  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

  /// A task is done.
  void advance() {
    const Index done = done_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (std::this_thread::get_id() == caller_ &&
        !go_on(observer_, {.phase = phase_, .step = done, .total = total_}))
      stopped_.store(true, std::memory_order_relaxed);
  }

 private:
  const Observer& observer_;
  std::string_view phase_;
  Index total_;
  std::thread::id caller_;
  std::atomic<Index> done_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_CORE_OBSERVER_HPP
