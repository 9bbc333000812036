// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Programs whose threads sleep while they wait, for their main files.
///
/// By default OpenMP's threads go on running for a while at the end of a parallel loop. This saves
/// a few microseconds on an idle machine. On one that others use too, it takes the time of the
/// threads they wait for, and two threads can be slower than one. The setting is read when the
/// OpenMP library is loaded, before main().

#ifndef MERCER_EXAMPLES_SUPPORT_PASSIVE_WAITING_HPP
#define MERCER_EXAMPLES_SUPPORT_PASSIVE_WAITING_HPP

#include <cstdlib>

#if defined(_OPENMP) && defined(__GLIBC__)

namespace examples::detail {

using Initialiser = void (*)(int, char**, char**);

/// Leaves a setting of the user's as it is.
inline void wait_passively(int, char**, char**) {
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
}

/// What is listed in this section runs before the initialisers of shared libraries.
[[gnu::section(".preinit_array"), gnu::used]] static const Initialiser before_libraries =
    wait_passively;

}  // namespace examples::detail

#endif

#endif  // MERCER_EXAMPLES_SUPPORT_PASSIVE_WAITING_HPP
