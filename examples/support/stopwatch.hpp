// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Where the time of a whole run went: of the fit, and of all before and after it.

#ifndef MERCER_EXAMPLES_SUPPORT_STOPWATCH_HPP
#define MERCER_EXAMPLES_SUPPORT_STOPWATCH_HPP

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace examples {

/// Measures the parts of a run, one after the other, from when it is made.
class Stopwatch {
 public:
  struct Lap {
    std::string part;
    double seconds;
  };

  /// The time since the last lap was that of this part.
  void lap(std::string part) {
    const auto now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - std::exchange(mark_, now)).count();
    laps_.push_back({std::move(part), seconds});
  }

  [[nodiscard]] const std::vector<Lap>& laps() const { return laps_; }

  /// A line for each part, and one for their sum.
  void print() const {
    double sum = 0;
    std::printf("%-18s %10s\n", "part of the run", "seconds");
    for (const Lap& lap : laps_) {
      sum += lap.seconds;
      std::printf("%-18s %10.4f\n", lap.part.c_str(), lap.seconds);
    }
    std::printf("%-18s %10.4f\n", "all", sum);
  }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point mark_ = Clock::now();
  std::vector<Lap> laps_;
};

}  // namespace examples

#endif  // MERCER_EXAMPLES_SUPPORT_STOPWATCH_HPP
