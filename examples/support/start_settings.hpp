// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Settings of threads and memory that are read before main() begins, and of signals.

#ifndef MERCER_EXAMPLES_SUPPORT_START_SETTINGS_HPP
#define MERCER_EXAMPLES_SUPPORT_START_SETTINGS_HPP

#include <csignal>

#ifdef __linux__
#include <sys/auxv.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <initializer_list>
#ifdef _OPENMP
#include <omp.h>
#endif
#endif

namespace examples {

/// Starts the program anew with the settings that suit it. To be called first in main(). The
/// libraries read them when they are loaded, and most have no other way to change them.
///
/// Threads sleep while they wait (OMP_WAIT_POLICY). By default OpenMP's threads go on running for a
/// while at the end of a parallel loop. This saves a few microseconds on an idle machine. On one
/// that others use too, it takes the time of the threads they wait for, and two threads can be
/// slower than one.
///
/// Memory comes in huge pages, and stays with the program for its next matrix (GLIBC_TUNABLES). The
/// system clears each page when it is first written to; in pages of 4 KiB this can take as long as
/// the arithmetic. Blocks of 32 MiB or more are still returned at once, and others when more than
/// 128 MiB are free.
///
/// A file that reaches the limit of its size (ulimit -f) does not end the program (SIGXFSZ): the
/// write fails, and is reported like one to a full disk. On all systems that have the signal.
///
/// Threads and memory are left alone if the user has made these choices, under tools that load
/// libraries into the program, for a program with special rights, for one that is run by the
/// dynamic loader, whose own file is not known then, and on other systems than Linux.
inline void start_with_settings([[maybe_unused]] char** argv) {
#ifdef SIGXFSZ
  std::signal(SIGXFSZ, SIG_IGN);
#endif
#ifdef __linux__
  const auto set = [](std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (std::getenv(name) != nullptr) return true;
    return false;
  };
  // The first of these says that the program was started by itself. Without it, a system that takes
  // a setting away again would keep it from ever beginning.
  constexpr const char* started = "MERCER_STARTED_WITH_SETTINGS";
  if (set({started, "LD_PRELOAD"})) return;
  if (::getauxval(AT_SECURE) != 0 || ::getauxval(AT_BASE) == 0) return;
  std::array<char, 4096> path{};
  if (::readlink("/proc/self/exe", path.data(), path.size() - 1) <= 0) return;
  bool again = false;
  [[maybe_unused]] const auto choose = [&](const char* name, const char* value) {
    again = ::setenv(name, value, 1) == 0 || again;
  };
#ifdef _OPENMP
  if (omp_get_max_threads() > 1 && !set({"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"}))
    choose("OMP_WAIT_POLICY", "passive");
#endif
#ifdef __GLIBC__
  if (!set({"GLIBC_TUNABLES", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"}))
    choose("GLIBC_TUNABLES",
           "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=33554432:"
           "glibc.malloc.trim_threshold=134217728:glibc.malloc.top_pad=4194304");
#endif
  // Returns only if it cannot be done; then all is as it was.
  if (again && ::setenv(started, "1", 1) == 0) ::execv(path.data(), argv);
#endif
}

}  // namespace examples

#endif  // MERCER_EXAMPLES_SUPPORT_START_SETTINGS_HPP
