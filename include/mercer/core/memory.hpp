// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// How much memory is available, and how much of it a fit uses by default.

#ifndef MERCER_CORE_MEMORY_HPP
#define MERCER_CORE_MEMORY_HPP

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <limits>
#include <string>

namespace mercer {

namespace detail {

/// The first number in a file; \p otherwise if there is none.
[[nodiscard]] inline std::size_t number_in(const char* path, std::size_t otherwise) {
  std::ifstream file(path);
  std::size_t value = 0;
  return file >> value ? value : otherwise;
}

/// MemAvailable of /proc/meminfo, or \p otherwise.
[[nodiscard]] inline std::size_t available_in_meminfo(std::size_t otherwise) {
  std::ifstream file("/proc/meminfo");
  for (std::string name; file >> name;) {
    std::size_t kilobytes = 0;
    if (name == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
    file.ignore((std::numeric_limits<std::streamsize>::max)(), '\n');
  }
  return otherwise;
}

}  // namespace detail

/// The number of bytes that this process can still allocate. On Linux it is the available memory
/// that the kernel reports, or the rest of the control group's limit if that is less. Elsewhere it
/// is 4 GiB.
[[nodiscard]] inline std::size_t available_memory() {
  constexpr std::size_t unknown = std::size_t{4} << 30U;
  constexpr std::size_t unlimited = (std::numeric_limits<std::size_t>::max)();
  const std::size_t machine = detail::available_in_meminfo(unknown);
  const std::size_t limit = detail::number_in("/sys/fs/cgroup/memory.max", unlimited);
  const std::size_t used = detail::number_in("/sys/fs/cgroup/memory.current", 0);
  return (std::min)(machine, limit > used ? limit - used : 0);
}

/// The number of bytes that a fit may use beside the samples if the caller sets no limit: half of
/// the available memory, but at most 1 GiB, so that no fit fills a machine unasked.
[[nodiscard]] inline std::size_t default_memory_budget() {
  return (std::min)(available_memory() / 2, std::size_t{1} << 30U);
}

}  // namespace mercer

#endif  // MERCER_CORE_MEMORY_HPP
