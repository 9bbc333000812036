// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Which variables matter, for a kernel that is chosen at run time.

#ifndef MERCER_EXAMPLES_KPCA_VARIABLES_HPP
#define MERCER_EXAMPLES_KPCA_VARIABLES_HPP

#include <mercer/core/types.hpp>
#include <mercer/runtime/any_kernel.hpp>

namespace kpca {

/// Throws mercer::InvalidArgument for a kernel without gradients.
void require_gradients(const mercer::AnyKernel& kernel);

/// mercer::mean_absolute_gradients() of the components with these points and coefficients at the
/// samples x, by their weights if there are any: d x k. Compiled once for each precision, in
/// variables.cpp.
template <mercer::Real S>
[[nodiscard]] mercer::Matrix<S> variable_gradients(const mercer::AnyKernel& kernel,
                                                   const mercer::Matrix<S>& points,
                                                   const mercer::Matrix<S>& coefficients,
                                                   const mercer::Matrix<S>& x,
                                                   const mercer::Vector<double>& weights);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_VARIABLES_HPP
