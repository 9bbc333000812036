// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What nearly every test file includes, compiled once. Test files still include what they use.

#ifndef MERCER_TESTS_SUPPORT_PRECOMPILED_HPP
#define MERCER_TESTS_SUPPORT_PRECOMPILED_HPP

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <Eigen/SparseCore>

#include <tests/support/catch.hpp>

#endif  // MERCER_TESTS_SUPPORT_PRECOMPILED_HPP
