// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The kernel Hebbian algorithm: components by stochastic updates, each of which uses one column of
/// the Gram matrix.

#ifndef MERCER_SOLVERS_HEBBIAN_KERNEL_HEBBIAN_HPP
#define MERCER_SOLVERS_HEBBIAN_KERNEL_HEBBIAN_HPP

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/hebbian/detail/kernel_hebbian_fit.hpp>
#include <mercer/solvers/hebbian/hebbian_gain.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

/// Components by the kernel Hebbian algorithm (KHA), which is Sanger's rule in feature space:
/// A <- A + eta (y e_p^T - LT(y y^T) A) with y = A k_p, for one sample p after the other. Each pass
/// visits the samples in a new random order. Row i of A (k x n) tends to u_i^T / mu_i^(1/2).
///
/// \code
///   KernelPca pca{Gaussian{1.5}, KernelHebbian{{.gain = Gain::EtStar, .epochs = 50}},
///                 {.components = 20}};
/// \endcode
/// This is a baseline for comparisons of stochastic methods: BlockKrylov and Exact are faster and
/// more accurate. The result is a Rayleigh-Ritz step on the last A: orthonormal components, and
/// eigenvalues that are never above the exact ones. 50 passes reach residuals of 1e-3 to 1e-2 of
/// mu_1. With the gain Constant, the noise of the gain limits them. Rows of A that rounding errors
/// of K would hide are multiplied by K first: that takes away the part of them in its null space,
/// which updates do not.
///
/// The Gram matrix is centred exactly and divided by its mean diagonal entry, so that a gain means
/// the same for kernels of any scale. For a Gaussian that is not centred, gains are those of the
/// literature. Estimated gains (Et, EtStar) are cut at 1 / |y|^2. If updates diverge
/// (eta |y|^2 > 10), the run restarts with half the step, at most 10 times; report.reason says so.
/// report.iterations counts all updates, also those of abandoned runs. report.kernel_products
/// counts products with the whole K; each pass also evaluates n columns.
///
/// Shapes: X n x d.
/// Cost: O(n^2 k) time for each pass, and four or five products with k vectors. Each pass evaluates
///   n^2 kernel values, unless the Gram matrix fits in the memory budget: then once in all.
/// Memory: 6 n k doubles (7 n k for Smd), and 64 columns of the Gram matrix or all of it. The
///   solution holds a copy of the samples.
/// Threads: parallel over samples; the result is the same to the last bit for any number.
/// Status: NotConverged if one product measures |K u - mu u| > params.tolerance mu_1 for a
///   component, if A holds fewer components than were asked for and the samples have more, or if no
///   step was small enough; the components are those of the last A. Cancelled during a pass: the
///   components of the last A, without residuals.
/// Random: params.seed, purposes "hebbian start" and "hebbian order" with the pass as block.
/// Throws InvalidArgument for parameters out of range, components as a fraction of variance, kernel
///   values that are not finite, and negative k(x, x).
/// Source: see detail::HebbianRun.
class KernelHebbian {
 public:
  using Params = KernelHebbianParams;

  KernelHebbian() = default;

  /// Throws InvalidArgument for parameters out of range.
  explicit KernelHebbian(KernelHebbianParams params) : params_(params) { params.validate(); }

  [[nodiscard]] const KernelHebbianParams& params() const { return params_; }

  template <OwnedSamples X>
  [[nodiscard]] KernelSolution<X> solve(const std::type_identity_t<KernelView<X>>& kernel,
                                        const X& samples, const KernelRequest& request,
                                        const Observer& observer = {}) const {
    detail::require_counted_components("KernelHebbian", samples, request.pairs.components);
    return detail::KernelHebbianFit<X>(kernel, samples, request, params_, observer).solve();
  }

 private:
  KernelHebbianParams params_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_HEBBIAN_KERNEL_HEBBIAN_HPP
