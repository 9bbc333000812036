// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/kernel_code.hpp>

namespace mercer {

template KernelView<Matrix<double>> detail::view_of_held(const AnyKernel&);
template KernelView<Matrix<float>> detail::view_of_held(const AnyKernel&);
template KernelView<SparseMatrix<double>> detail::view_of_held(const AnyKernel&);
template KernelView<SparseMatrix<float>> detail::view_of_held(const AnyKernel&);

}  // namespace mercer
