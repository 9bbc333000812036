// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A mark for parameters that a view refers to.

#ifndef MERCER_CORE_LIFETIME_HPP
#define MERCER_CORE_LIFETIME_HPP

/// Placed behind a parameter of a view's constructor: clang then warns where a view with a name is
/// made of a temporary, which is gone at the end of that line. Other compilers see nothing.
#if defined(__clang__)
#define MERCER_LIFETIMEBOUND [[clang::lifetimebound]]
#else
#define MERCER_LIFETIMEBOUND
#endif

#endif  // MERCER_CORE_LIFETIME_HPP
