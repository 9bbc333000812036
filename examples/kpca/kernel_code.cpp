// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/kernel_code.hpp>

namespace mercer {

template KernelView<Matrix<double>> detail::view_of_held(const AnyKernel&);
template KernelView<SparseMatrix<double>> detail::view_of_held(const AnyKernel&);
template BoundAnyFeatures<double> AnyFeatures::bind(const AnyKernel&, const SampleBounds&,
                                                    std::uint64_t) const;
#if !defined(MERCER_DOUBLE_ALONE)
template KernelView<Matrix<float>> detail::view_of_held(const AnyKernel&);
template KernelView<SparseMatrix<float>> detail::view_of_held(const AnyKernel&);
template BoundAnyFeatures<float> AnyFeatures::bind(const AnyKernel&, const SampleBounds&,
                                                   std::uint64_t) const;
#endif

}  // namespace mercer
