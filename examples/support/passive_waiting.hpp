// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Programs whose threads sleep while they wait.

#ifndef MERCER_EXAMPLES_SUPPORT_PASSIVE_WAITING_HPP
#define MERCER_EXAMPLES_SUPPORT_PASSIVE_WAITING_HPP

#if defined(_OPENMP) && defined(__linux__)
#include <unistd.h>

#include <array>
#include <cstdlib>

#include <omp.h>
#endif

namespace examples {

/// Starts the program anew, with threads that sleep while they wait. To be called first in main().
///
/// By default OpenMP's threads go on running for a while at the end of a parallel loop. This saves
/// a few microseconds on an idle machine. On one that others use too, it takes the time of the
/// threads they wait for, and two threads can be slower than one. OpenMP reads the setting when it
/// is loaded, before main(), and has no other way to change it.
///
/// Does nothing if the user has made a choice, for one thread, and under tools that load libraries
/// into the program. On Linux only.
inline void wait_passively([[maybe_unused]] char** argv) {
#if defined(_OPENMP) && defined(__linux__)
  if (omp_get_max_threads() == 1) return;
  for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "LD_PRELOAD"})
    if (std::getenv(name) != nullptr) return;
  std::array<char, 4096> path{};
  const auto size = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (size <= 0 || ::setenv("OMP_WAIT_POLICY", "passive", 1) != 0) return;
  ::execv(path.data(), argv);  // returns only if it cannot be done; then all is as it was
#endif
}

}  // namespace examples

#endif  // MERCER_EXAMPLES_SUPPORT_PASSIVE_WAITING_HPP
