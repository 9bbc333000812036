// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/solver_code.hpp>

namespace mercer {

template KernelSolution<Matrix<double>> AnyKernelSolver::solve(const AnyKernel&,
                                                               const Matrix<double>&,
                                                               const KernelRequest&,
                                                               const Observer&) const;
template KernelSolution<SparseMatrix<double>> AnyKernelSolver::solve(const AnyKernel&,
                                                                     const SparseMatrix<double>&,
                                                                     const KernelRequest&,
                                                                     const Observer&) const;
template FeatureSolution<double> AnyFeatureSolver::solve(const AnyKernel&, SampleStreamView<double>,
                                                         const KernelRequest&,
                                                         const Observer&) const;

}  // namespace mercer
