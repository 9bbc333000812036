// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Samples that stand for the others, for features that are made of some.

#ifndef MERCER_EXAMPLES_KPCA_LANDMARK_CHOICE_HPP
#define MERCER_EXAMPLES_KPCA_LANDMARK_CHOICE_HPP

#include <cstdint>

#include <mercer/core/types.hpp>
#include <mercer/runtime/any_kernel.hpp>

#include <examples/kpca/inputs.hpp>

namespace kpca {

/// Throws mercer::InvalidArgument for more landmarks than there are samples in memory.
template <mercer::Real S>
[[nodiscard]] mercer::Matrix<double> choose_landmarks(const mercer::AnyKernel& kernel,
                                                      const SampleFile<S>& file,
                                                      mercer::Index count, std::uint64_t seed);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_LANDMARK_CHOICE_HPP
