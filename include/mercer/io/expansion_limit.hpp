// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// How much a compressed file may become.

#ifndef MERCER_IO_EXPANSION_LIMIT_HPP
#define MERCER_IO_EXPANSION_LIMIT_HPP

#include <atomic>
#include <cstddef>
#include <string>

#include <mercer/core/machine/memory.hpp>
#include <mercer/io/file_error.hpp>

namespace mercer {
namespace detail {

inline std::atomic<std::size_t> expansion_limit_set{0};

}  // namespace detail

namespace io {

/// The most bytes that a .gz file, an array of a .npz file, or a dataset of an HDF5 file may
/// become: what was set, or else half of the memory that is free now. While a .gz file is
/// decompressed, there are the bytes so far and a buffer of up to twice their size, together at
/// most twice the limit.
/// Threads: may run concurrently.
[[nodiscard]] inline std::size_t expansion_limit() {
  const std::size_t set = detail::expansion_limit_set.load();
  return set > 0 ? set : available_memory() / 2;
}

/// Sets it for the whole program; 0: as in the beginning. Files that would become larger are
/// refused with FileError, before they take more than twice that.
/// Threads: may run concurrently. What is being read keeps its limit.
inline void set_expansion_limit(std::size_t bytes) {
  detail::expansion_limit_set.store(bytes);
}

}  // namespace io

namespace detail {

[[noreturn]] inline void refuse_expansion(const std::string& path, std::size_t most) {
  file_fail(path, "would become more than ", most,
            " bytes when it is decompressed, which is the limit");
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_IO_EXPANSION_LIMIT_HPP
