// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel PCA by Oja's rule without features, as a solver.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_KERNEL_OJA_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_KERNEL_OJA_HPP

#include <type_traits>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/doubly_stochastic/detail/kernel_oja_fit.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

/// Components by Oja's rule on functions of all samples, as KernelOjaRun makes its steps: what
/// DoublyStochastic does, without random features. This is the baseline that the method is compared
/// with; it keeps all samples, and its time is quadratic in their number. The kernel Hebbian
/// algorithm with the gain InverseTime is the same rule (Gha) for batches of one sample, a random
/// start and an exact centre: see KernelHebbian. BlockKrylov is faster and more accurate.
///
/// \code
///   KernelPca pca{Gaussian{1.5}, KernelOja{{.rule = StochasticRule::Gha}}, {.components = 5}};
/// \endcode
/// The start is kernel PCA of the first params.start_rows samples of a random order; if they vary
/// in fewer directions than components are wanted, so do the functions. The samples keep this
/// order, so a batch is the same in each pass. The result is a Rayleigh-Ritz step in the span of
/// the last functions: orthonormal components, and eigenvalues that are never above the exact ones.
///
/// Shapes: X n x d.
/// Cost: O(n^2 (d + k)) time for each pass after the first, half of it for the first, and once at the
///   end; O(start_rows^3) for the start.
/// Memory: a copy of the samples and some seven values of each function at each sample.
/// Threads: the result does not depend on their number.
/// Status: Finished without a tolerance; else Converged if no |K u - mu u|, estimated from
///   params.certificate_rows rows, is above tolerance mu_1. NotConverged if the steps diverged;
///   since they are cut to 1 / lambda_max(M), they do so only by overflow. Cancelled: the
///   components so far.
/// Random: params.seed, purpose "kernel oja order". The rows of the certificate: see
///   certificate_rows().
/// Throws InvalidArgument for parameters out of range, components as a fraction of variance, and
///   negative k(x, x).
/// Source: see KernelOjaRun.
class KernelOja {
 public:
  using Params = KernelOjaParams;

  KernelOja() = default;

  /// Throws InvalidArgument for parameters out of range.
  explicit KernelOja(KernelOjaParams params) : params_(params) { params.validate(); }

  [[nodiscard]] const KernelOjaParams& params() const { return params_; }

  template <OwnedSamples X>
  [[nodiscard]] KernelSolution<X> solve(const std::type_identity_t<KernelView<X>>& kernel,
                                        const X& samples, const KernelRequest& request,
                                        const Observer& observer = {}) const {
    detail::require_counted_components("KernelOja", samples, request.pairs.components);
    return detail::KernelOjaFit<X>(kernel, samples, request, params_, observer).solve();
  }

 private:
  KernelOjaParams params_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_KERNEL_OJA_HPP
