// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The processor time that a container or a service may take.

#ifndef MERCER_CORE_MACHINE_CPU_QUOTA_HPP
#define MERCER_CORE_MACHINE_CPU_QUOTA_HPP

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include <mercer/core/machine/control_groups.hpp>

namespace mercer::detail {

/// quota / period in processors, or infinity if there is no limit ("max", -1) or no such number.
[[nodiscard]] inline double processors_of(std::string_view quota, std::string_view period) {
  const auto number = [](std::string_view text) {
    long long value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    return end.ec == std::errc() ? static_cast<double>(value) : 0.0;
  };
  const double top = number(quota), bottom = number(period);
  return top > 0 && bottom > 0 ? top / bottom : std::numeric_limits<double>::infinity();
}

/// The least quota of the control groups of this process, in processors; infinity for none.
/// \param root  in front of all paths, for tests
[[nodiscard]] inline double cpu_quota(const std::string& root = "") {
  double least = std::numeric_limits<double>::infinity();
  for_control_groups("cpu", root, [&](int version, const std::string& folder) {
    if (version == 1) {
      least = (std::min)(least, processors_of(small_file(folder + "/cpu.cfs_quota_us"),
                                              small_file(folder + "/cpu.cfs_period_us")));
      return;
    }
    const std::string limit = small_file(folder + "/cpu.max");  // "quota period"
    std::string_view period = limit;
    const std::string_view quota = take_until(period, ' ');
    least = (std::min)(least, processors_of(quota, period));
  });
  return least;
}

/// The number of threads that use up the quota of this process, at least 1; the largest int without
/// a quota. It is read once.
[[nodiscard]] inline int quota_threads() {
  static const int threads = [] {
    constexpr int most = (std::numeric_limits<int>::max)();
    const double quota = cpu_quota();
    return quota < most ? (std::max)(1, static_cast<int>(std::ceil(quota))) : most;
  }();
  return threads;
}

}  // namespace mercer::detail

#endif  // MERCER_CORE_MACHINE_CPU_QUOTA_HPP
