// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The kernel Hebbian algorithm: components by stochastic updates, one column of the Gram matrix
/// each.

#ifndef MERCER_SOLVERS_KERNEL_HEBBIAN_HPP
#define MERCER_SOLVERS_KERNEL_HEBBIAN_HPP

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/hebbian_gain.hpp>
#include <mercer/solvers/kernel_hebbian_fit.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

/// Components by the kernel Hebbian algorithm (KHA): Sanger's rule in feature space,
/// A <- A + eta (y e_p^T - LT(y y^T) A) with y = A k_p for one sample p after the other, in a fresh
/// random order in each pass. Row i of A (k x n) tends to u_i^T / mu_i^(1/2).
///
/// \code
///   KernelPca pca{Gaussian{1.5}, KernelHebbian{{.gain = Gain::EtStar, .epochs = 50}},
///                 {.components = 20}};
/// \endcode
/// The baseline that stochastic methods are measured against: BlockKrylov and Exact give more
/// digits in less time. The result is a Rayleigh-Ritz step on the last A: orthonormal components
/// and eigenvalues that are never above the exact ones. Residuals of 1e-3 to 1e-2 of mu_1 are what
/// 50 passes reach; with Constant, they stay where the noise of the gain leaves them.
///
/// The Gram matrix is centred exactly and divided by its mean diagonal entry, so that gains mean
/// the same for a kernel of any scale: for a Gaussian that is not centred they are those of the
/// literature. Estimated gains (Et, EtStar) are cut at 1 / |y|^2. Updates that diverge, eta |y|^2 >
/// 10, start anew with half the step, 10 times at most; report.reason tells. report.iterations
/// counts the updates, those in vain included; report.kernel_products the products with all of K,
/// to which every pass adds the evaluation of n columns.
///
/// Shapes: X n x d. Cost: for each pass O(n^2 k) time, and n^2 kernel values unless the Gram matrix
/// fits in the memory budget, where it is evaluated once; some four products with k vectors.
/// Memory: 6 n k doubles (7 n k for Smd), 64 columns of the Gram matrix, or all of it; a copy of
/// the samples in the solution. Threads: over samples, same bits for any number.
/// Status: NotConverged where |K u - mu u| of a component, measured by one product, is above
/// params.tolerance mu_1, or where no step was small enough; the components are those of the last
/// A. Cancelled in a pass: the same without residuals.
/// Throws InvalidArgument for parameters out of range, components as a fraction of variance, kernel
/// values that are not finite, and negative k(x, x). Random: params.seed, purposes "hebbian start"
/// and "hebbian order" with the pass as block.
/// Source: as HebbianRun.
class KernelHebbian {
 public:
  using Params = KernelHebbianParams;

  KernelHebbian() = default;

  /// Throws InvalidArgument for parameters out of range.
  explicit KernelHebbian(KernelHebbianParams params) : params_(params) { params.validate(); }

  [[nodiscard]] const KernelHebbianParams& params() const { return params_; }

  template <Kernel K, OwnedSamples X>
    requires evaluates<K, X>
  [[nodiscard]] KernelSolution<X> solve(const K& kernel, const X& samples,
                                        const KernelRequest& request,
                                        const Observer& observer = {}) const {
    return run(KernelView<X>(kernel), samples, request, observer);
  }

 private:
  /// Compiled once for all kernels.
  template <OwnedSamples X>
  [[nodiscard]] KernelSolution<X> run(const KernelView<X>& kernel, const X& samples,
                                      const KernelRequest& request,
                                      const Observer& observer) const {
    if (samples.rows() == 0 || samples.cols() == 0)
      detail::fail("mercer::KernelHebbian: needs at least one row and one column, got ",
                   samples.rows(), " x ", samples.cols());
    const Components& components = request.pairs.components;
    components.validate(samples.rows());
    if (components.is_fraction())
      detail::fail("mercer::KernelHebbian: needs components as a number, got the fraction ",
                   components.fraction(), " of variance; Exact and BlockKrylov take fractions");
    return detail::KernelHebbianFit<X>(kernel, samples, request, params_, observer).solve();
  }

  KernelHebbianParams params_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_KERNEL_HEBBIAN_HPP
