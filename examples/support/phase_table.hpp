// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Where the time of a fit went, as a table.

#ifndef MERCER_EXAMPLES_SUPPORT_PHASE_TABLE_HPP
#define MERCER_EXAMPLES_SUPPORT_PHASE_TABLE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <mercer/core/phases.hpp>

namespace examples {

/// "1.2 GB"; empty for 0, which says that nobody counted.
[[nodiscard]] inline std::string byte_text(std::size_t bytes) {
  constexpr std::array units{"B", "kB", "MB", "GB", "TB"};
  if (bytes == 0) return "";
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < units.size(); ++unit) value /= 1000;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g %s", value, units[unit]);
  return text.data();
}

/// A line for each phase, and one for the time of the fit in none. "one thread" is the part of a
/// phase outside of parallel loops, and "bytes" what it went over.
inline void print_phases(const std::vector<mercer::PhaseCost>& phases, double total) {
  const auto percent = [](double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0.0;
  };
  std::printf("%-18s %10s %8s %11s %9s\n", "phase", "seconds", "share", "one thread", "bytes");
  double rest = total;
  for (const mercer::PhaseCost& cost : phases) {
    rest -= cost.seconds;
    std::printf("%-18s %10.4f %6.1f %% %9.1f %% %9s\n", std::string(to_string(cost.phase)).c_str(),
                cost.seconds, percent(cost.seconds, total),
                percent(cost.serial_seconds, cost.seconds), byte_text(cost.bytes).c_str());
  }
  rest = (std::max)(rest, 0.0);
  std::printf("%-18s %10.4f %6.1f %%\n", "none of these", rest, percent(rest, total));
}

}  // namespace examples

#endif  // MERCER_EXAMPLES_SUPPORT_PHASE_TABLE_HPP
