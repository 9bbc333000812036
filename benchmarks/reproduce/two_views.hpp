// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The commands of mercer_reproduce_two_views. Each has a file of its own, since each takes the
/// compiler a while.

#ifndef MERCER_BENCHMARKS_REPRODUCE_TWO_VIEWS_HPP
#define MERCER_BENCHMARKS_REPRODUCE_TWO_VIEWS_HPP

#include <benchmarks/reproduce/command.hpp>

namespace reproduce {

/// Kernel CCA of the halves of digits.
void halves(const Arguments& given);

/// The times of kernel CCA by landmarks and of kernel PCA of one of its views.
void cost(const Arguments& given);

/// Kernel sliced inverse regression of the torques of an arm.
void torques(const Arguments& given);

/// The components of a mixture of a Gaussian and a Gamma law.
void mixture(const Arguments& given);

}  // namespace reproduce

#endif  // MERCER_BENCHMARKS_REPRODUCE_TWO_VIEWS_HPP
