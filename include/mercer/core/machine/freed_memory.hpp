// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Memory that is freed and soon allocated again.

#ifndef MERCER_CORE_MACHINE_FREED_MEMORY_HPP
#define MERCER_CORE_MACHINE_FREED_MEMORY_HPP

#include <cstddef>
#include <cstdlib>

namespace mercer::detail {

/// Asks the allocator to keep up to 64 MiB of freed memory for later allocations.
///
/// Matrix products and passes over rows allocate buffers of up to some MiB. At first, the allocator
/// of glibc gives them back to the system when they are freed, and the system has to clear each
/// page again in the next product. With many small products this can take as long as the
/// arithmetic. glibc keeps twice the size of the largest chunk of up to 32 MiB that it got from the
/// system and freed: so one such chunk is allocated, of which no page is touched, and freed.
///
/// Does nothing if the user has set these limits (mallopt), and with other allocators. Only the
/// first call in a program does anything.
inline void keep_freed_memory() {
#if defined(__GLIBC__)
  [[maybe_unused]] static const bool done = [] {
    constexpr std::size_t bytes = (std::size_t{31} << 20U);
    void* const volatile chunk = std::malloc(bytes);  // volatile: the compiler must not remove it
    std::free(chunk);
    return true;
  }();
#endif
}

}  // namespace mercer::detail

#endif  // MERCER_CORE_MACHINE_FREED_MEMORY_HPP
