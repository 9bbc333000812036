// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// How much memory there is, and large uninitialised arrays.

#ifndef MERCER_CORE_MEMORY_HPP
#define MERCER_CORE_MEMORY_HPP

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <limits>
#include <memory>
#include <new>
#include <string>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <mercer/core/types.hpp>

namespace mercer {

namespace detail {

/// The first number in a file, or \p otherwise.
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

/// Bytes that this process could still take: on Linux what the kernel says is available, or what is
/// left of the control group's limit if that is less; elsewhere 4 GiB.
[[nodiscard]] inline std::size_t available_memory() {
  constexpr std::size_t unknown = std::size_t{4} << 30U;
  constexpr std::size_t unlimited = (std::numeric_limits<std::size_t>::max)();
  const std::size_t machine = detail::available_in_meminfo(unknown);
  const std::size_t limit = detail::number_in("/sys/fs/cgroup/memory.max", unlimited);
  const std::size_t used = detail::number_in("/sys/fs/cgroup/memory.current", 0);
  return (std::min)(machine, limit > used ? limit - used : 0);
}

/// Bytes that a fit may hold beside the samples unless its caller says otherwise: half of what is
/// available, and no more than 3 GiB, so that nobody's machine is filled without being asked.
[[nodiscard]] inline std::size_t default_memory_budget() {
  return (std::min)(available_memory() / 2, std::size_t{3} << 30U);
}

namespace detail {

/// Frees what allocate_array() took.
struct ArrayDelete {
  void operator()(void* memory) const {
    ::operator delete (memory, std::align_val_t{array_alignment});
  }
  static constexpr std::size_t array_alignment = std::size_t{1} << 21U;
};

template <Real S>
using LargeArray = std::unique_ptr<S[], ArrayDelete>;

/// Memory for many values, not initialised. On Linux in huge pages where the system has them: then
/// the first touch of every 2 MiB costs one page fault and not 512.
template <Real S>
[[nodiscard]] LargeArray<S> allocate_array(std::size_t count) {
  const std::size_t bytes = count * sizeof(S);
  void* memory = ::operator new (bytes, std::align_val_t{ArrayDelete::array_alignment});
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  // Advice only: where it is not taken, the memory works all the same.
  static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
#endif
  return LargeArray<S>(static_cast<S*>(memory));
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_CORE_MEMORY_HPP
