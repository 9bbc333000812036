// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The code of all solvers, which is compiled once for each precision, in solver_code_double.cpp
/// and solver_code_single.cpp, and not in every file that has a model.

#ifndef MERCER_EXAMPLES_KPCA_SOLVER_CODE_HPP
#define MERCER_EXAMPLES_KPCA_SOLVER_CODE_HPP

#include <mercer/core/types.hpp>
#include <mercer/runtime/any_kernel.hpp>
#include <mercer/runtime/any_solver.hpp>

#include <examples/kpca/kernel_code.hpp>

namespace mercer {

extern template KernelSolution<Matrix<double>> AnyKernelSolver::solve(const AnyKernel&,
                                                                      const Matrix<double>&,
                                                                      const KernelRequest&,
                                                                      const Observer&) const;
extern template KernelSolution<SparseMatrix<double>> AnyKernelSolver::solve(
    const AnyKernel&, const SparseMatrix<double>&, const KernelRequest&, const Observer&) const;
extern template FeatureSolution<double> AnyFeatureSolver::solve(const AnyKernel&,
                                                                SampleStreamView<double>,
                                                                const KernelRequest&,
                                                                const Observer&) const;
#if !defined(MERCER_DOUBLE_ALONE)
extern template KernelSolution<Matrix<float>> AnyKernelSolver::solve(const AnyKernel&,
                                                                     const Matrix<float>&,
                                                                     const KernelRequest&,
                                                                     const Observer&) const;
extern template KernelSolution<SparseMatrix<float>> AnyKernelSolver::solve(
    const AnyKernel&, const SparseMatrix<float>&, const KernelRequest&, const Observer&) const;
extern template FeatureSolution<float> AnyFeatureSolver::solve(const AnyKernel&,
                                                               SampleStreamView<float>,
                                                               const KernelRequest&,
                                                               const Observer&) const;
#endif

}  // namespace mercer

#endif  // MERCER_EXAMPLES_KPCA_SOLVER_CODE_HPP
