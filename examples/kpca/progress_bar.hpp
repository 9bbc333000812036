// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A bar on the terminal while a fit runs.

#ifndef MERCER_EXAMPLES_KPCA_PROGRESS_BAR_HPP
#define MERCER_EXAMPLES_KPCA_PROGRESS_BAR_HPP

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

#include <mercer/core/observer.hpp>
#include <mercer/core/types.hpp>

namespace kpca {

[[nodiscard]] bool on_a_terminal(std::FILE* file);

/// "0:07", "12:30", "3:05:00".
[[nodiscard]] std::string clock_text(double seconds);

/// A line on standard error while a fit runs, if that is a terminal; gone when it goes out of
/// scope. It shows the step of the phase, the time since the start, and what the rest of the phase
/// takes if its steps go on as they did. A thread of its own draws it, so that the time goes on in
/// long steps too.
class ProgressBar {
 public:
  ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  /// Stops the run if an Interruption was requested. Lifetime: refers to the bar.
  [[nodiscard]] mercer::Observer observer();

 private:
  using Clock = std::chrono::steady_clock;

  void take(const mercer::Progress& progress);
  void draw() const;

  const bool shown_;
  const Clock::time_point begin_ = Clock::now();
  // The rest is shared with the thread.
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::string phase_;
  mercer::Index step_ = 0, total_ = 0, products_ = 0, rank_ = 0, first_step_ = 0;
  Clock::time_point begin_of_phase_ = begin_;
  std::thread thread_;
};

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_PROGRESS_BAR_HPP
