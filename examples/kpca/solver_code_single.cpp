// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/solver_code.hpp>

namespace mercer {

template KernelSolution<Matrix<float>> AnyKernelSolver::solve(const AnyKernel&,
                                                              const Matrix<float>&,
                                                              const KernelRequest&,
                                                              const Observer&) const;
template KernelSolution<SparseMatrix<float>> AnyKernelSolver::solve(const AnyKernel&,
                                                                    const SparseMatrix<float>&,
                                                                    const KernelRequest&,
                                                                    const Observer&) const;
template FeatureSolution<float> AnyFeatureSolver::solve(const AnyKernel&, SampleStreamView<float>,
                                                        const KernelRequest&,
                                                        const Observer&) const;

}  // namespace mercer
