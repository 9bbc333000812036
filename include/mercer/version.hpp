// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The version of mercer: the one place where it is written (CMake and the tests read it here).

#ifndef MERCER_VERSION_HPP
#define MERCER_VERSION_HPP

#define MERCER_VERSION_MAJOR 0         ///< X of version X.Y.Z
#define MERCER_VERSION_MINOR 1         ///< Y
#define MERCER_VERSION_PATCH 0         ///< Z
#define MERCER_VERSION_STRING "0.1.0"  ///< as text

#endif  // MERCER_VERSION_HPP
