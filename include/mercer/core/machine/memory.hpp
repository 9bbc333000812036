// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// How much memory is available, and how much of it a fit uses by default.

#ifndef MERCER_CORE_MACHINE_MEMORY_HPP
#define MERCER_CORE_MACHINE_MEMORY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

#if !defined(_WIN32)
#include <unistd.h>
#endif

#include <mercer/core/machine/control_groups.hpp>

namespace mercer {

namespace detail {

inline constexpr std::size_t unlimited_memory = (std::numeric_limits<std::size_t>::max)();

/// In words, rounded up.
[[nodiscard]] inline std::string megabytes(std::size_t bytes) {
  constexpr std::size_t megabyte = std::size_t{1} << 20U;
  return std::to_string(bytes / megabyte + (bytes % megabyte > 0 ? 1 : 0)) + " MiB";
}

/// A budget, rounded down, and what is needed, rounded up, in one unit, so that a budget that is
/// too small is also smaller in words: {"1 KiB", "9 KiB"}.
struct BudgetInWords {
  std::string budget, needed;

  BudgetInWords(std::size_t budget_bytes, std::size_t needed_bytes) {
    constexpr std::size_t mebibyte = std::size_t{1} << 20U, kibibyte = std::size_t{1} << 10U;
    const bool large = budget_bytes >= 16 * mebibyte, medium = budget_bytes >= kibibyte;
    const std::size_t unit = large ? mebibyte : medium ? kibibyte : 1;
    const std::string name = large ? " MiB" : medium ? " KiB" : " bytes";
    budget = std::to_string(budget_bytes / unit) + name;
    needed = std::to_string(needed_bytes / unit + (needed_bytes % unit > 0 ? 1 : 0)) + name;
  }
};

/// The first number in a file; \p otherwise if there is none.
[[nodiscard]] inline std::size_t number_in(const std::string& path, std::size_t otherwise) {
  std::ifstream file(path);
  std::size_t value = 0;
  return file >> value ? value : otherwise;
}

/// The number behind \p name at the start of a line of a file; \p otherwise if there is none.
[[nodiscard]] inline std::size_t number_of(const std::string& name, const std::string& path,
                                           std::size_t otherwise) {
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    std::size_t value = 0;
    if (word == name && file >> value) return value;
    file.ignore((std::numeric_limits<std::streamsize>::max)(), '\n');
  }
  return otherwise;
}

/// So many kilobytes in bytes; unlimited_memory if no std::size_t holds them.
[[nodiscard]] constexpr std::size_t kilobytes_in_bytes(std::size_t kilobytes) {
  return kilobytes > unlimited_memory / 1024 ? unlimited_memory : kilobytes * 1024;
}

/// How Linux names the files of a control group, which differ between its versions 1 and 2.
struct ControlGroupFiles {
  const char* limit;
  const char* used;
  const char* cache;  // in memory.stat: part of what is used, given back when it is needed
};

/// What the group of this folder leaves; unlimited_memory without a limit.
[[nodiscard]] inline std::size_t rest_of_group(const std::string& folder,
                                               const ControlGroupFiles& files) {
  const std::size_t limit = number_in(folder + files.limit, unlimited_memory);
  if (limit == unlimited_memory) return limit;
  const std::size_t used = number_in(folder + files.used, 0);
  const std::size_t cache = number_of(files.cache, folder + "/memory.stat", 0);
  const std::size_t kept = used - (std::min)(used, cache);
  return limit - (std::min)(limit, kept);
}

/// What the control groups of this process leave it: the least of its own group and of those above
/// it. \p root is in front of all paths, for tests.
[[nodiscard]] inline std::size_t available_in_control_groups(const std::string& root = "") {
  constexpr ControlGroupFiles version_1{"/memory.limit_in_bytes", "/memory.usage_in_bytes",
                                        "total_inactive_file"};
  constexpr ControlGroupFiles version_2{"/memory.max", "/memory.current", "inactive_file"};
  std::size_t rest = unlimited_memory;
  for_control_groups("memory", root, [&](int version, const std::string& folder) {
    rest = (std::min)(rest, rest_of_group(folder, version == 1 ? version_1 : version_2));
  });
  return rest;
}

#if defined(_WIN32)
// As <windows.h> declares it.
extern "C" __declspec(dllimport) int __stdcall GetPhysicallyInstalledSystemMemory(
    unsigned long long*);
#endif

/// Half of the machine's memory, for systems that do not say how much is free; 2 GiB if they do not
/// say that either.
[[nodiscard]] inline std::size_t half_of_machine() {
  std::uint64_t bytes = std::uint64_t{4} << 30U;
#if defined(_WIN32)
  unsigned long long kilobytes = 0;
  if (GetPhysicallyInstalledSystemMemory(&kilobytes) != 0) bytes = kilobytes * 1024;
#elif defined(_SC_PHYS_PAGES)
  const auto pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0)
    bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size);
#endif
  return static_cast<std::size_t>((std::min<std::uint64_t>)(bytes, unlimited_memory) / 2);
}

}  // namespace detail

/// The number of bytes that this process can still allocate. On Linux it is the available memory
/// that the kernel reports, or the rest of what the control groups of the process allow (cgroups,
/// version 1 or 2, as in containers) if that is less. Elsewhere it is half of the machine's memory.
[[nodiscard]] inline std::size_t available_memory() {
  const std::size_t kilobytes = detail::number_of("MemAvailable:", "/proc/meminfo", 0);
  const std::size_t machine =
      kilobytes > 0 ? detail::kilobytes_in_bytes(kilobytes) : detail::half_of_machine();
  return (std::min)(machine, detail::available_in_control_groups());
}

/// The most that default_memory_budget() gives: 1 GiB.
inline constexpr std::size_t most_memory_by_default = std::size_t{1} << 30U;

/// The number of bytes that a fit may use beside the samples if the caller sets no limit: half of
/// the available memory, but at most most_memory_by_default, so that no fit fills a machine
/// unasked.
/// \param sharing  processes of the fit on this machine, from 1: they share that half
[[nodiscard]] inline std::size_t default_memory_budget(std::size_t sharing = 1) {
  return (std::min)(available_memory() / 2 / sharing, most_memory_by_default);
}

}  // namespace mercer

#endif  // MERCER_CORE_MACHINE_MEMORY_HPP
