// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// Empty: CMake builds the precompiled header with the first file that uses it, and this is one.
