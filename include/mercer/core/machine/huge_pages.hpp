// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Large matrices in huge pages.

#ifndef MERCER_CORE_MACHINE_HUGE_PAGES_HPP
#define MERCER_CORE_MACHINE_HUGE_PAGES_HPP

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace mercer::detail {

/// Asks the system to use huge pages for memory that is not written to yet. The system clears a
/// page when it is first written to. With pages of 4 KiB this can take longer than the arithmetic
/// on a large matrix, most of all on a virtual machine.
/// Does nothing for less than 4 MiB, and where the system has no huge pages or refuses them.
inline void ask_for_huge_pages([[maybe_unused]] void* data,
                               [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::size_t least = std::size_t{4} << 20U;
  if (bytes < least) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  // Whole pages, so that a mapping is not split, and realloc() can still move it.
  const std::uintptr_t first = begin / page * page;
  const std::uintptr_t last = (begin + bytes + page - 1) / page * page;
  static_cast<void>(::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE));
#endif
}

/// The same for a dense matrix or vector whose values are not set yet.
template <class M>
void ask_for_huge_pages(M& fresh) noexcept {
  ask_for_huge_pages(fresh.data(),
                     static_cast<std::size_t>(fresh.size()) * sizeof(typename M::Scalar));
}

/// The same, for use in an expression.
template <class M>
[[nodiscard]] M in_huge_pages(M fresh) noexcept {
  ask_for_huge_pages(fresh);
  return fresh;
}

/// The same, set to zero.
template <class M>
[[nodiscard]] M zeros_in_huge_pages(M fresh) noexcept {
  ask_for_huge_pages(fresh);
  fresh.setZero();
  return fresh;
}

}  // namespace mercer::detail

#endif  // MERCER_CORE_MACHINE_HUGE_PAGES_HPP
