// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The code of all kernels and of all their features, which is compiled once, in
/// kernel_code.cpp, and not in every file that has a kernel.

#ifndef MERCER_EXAMPLES_KPCA_KERNEL_CODE_HPP
#define MERCER_EXAMPLES_KPCA_KERNEL_CODE_HPP

#include <cstdint>

#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/runtime/any_features.hpp>
#include <mercer/runtime/any_kernel.hpp>

namespace mercer {

extern template KernelView<Matrix<double>> detail::view_of_held(const AnyKernel&);
extern template KernelView<SparseMatrix<double>> detail::view_of_held(const AnyKernel&);
extern template BoundAnyFeatures<double> AnyFeatures::bind(const AnyKernel&, const SampleBounds&,
                                                           std::uint64_t) const;
#if !defined(MERCER_DOUBLE_ALONE)
extern template KernelView<Matrix<float>> detail::view_of_held(const AnyKernel&);
extern template KernelView<SparseMatrix<float>> detail::view_of_held(const AnyKernel&);
extern template BoundAnyFeatures<float> AnyFeatures::bind(const AnyKernel&, const SampleBounds&,
                                                          std::uint64_t) const;
#endif

}  // namespace mercer

#endif  // MERCER_EXAMPLES_KPCA_KERNEL_CODE_HPP
