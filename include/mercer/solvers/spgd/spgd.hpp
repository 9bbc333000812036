// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel PCA by stochastic proximal gradient descent with singular value shrinkage.

#ifndef MERCER_SOLVERS_SPGD_SPGD_HPP
#define MERCER_SOLVERS_SPGD_SPGD_HPP

#include <utility>

#include <mercer/core/observer.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/types.hpp>
#include <mercer/estimators/estimator.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/spgd/detail/spgd_fit.hpp>

namespace mercer {

/// Components of K^ = D_lambda[K], the Gram matrix with its singular values shrunk by lambda. They
/// come from stochastic proximal gradient descent with unbiased low-rank draws of K: see SpgdRun.
/// The eigenvalues are those of the iterate plus lambda.
///
/// The number of components is the number of eigenvalues of K above lambda, but at most as many as
/// asked for: a number, or those that explain a fraction of the variance.
/// \code
///   Spgd solver{RandomFourier{.features = 50}, {.lambda = 10, .iterations = 200}};
///   auto model = KernelPca{Gaussian{4.2}, solver, {.components = 20}}.fit(x);
/// \endcode
/// SpgdCheckpoints, if given, see iterates during the run. With KernelPcaParams::record, the
/// iterate is kept there after every so many steps and at the end, and a fit with the same draws
/// and schedule goes on from it, with the same bits as one that was not interrupted: also one of
/// more iterations. Checkpoints see only the iterates after it. The report has residuals, estimated
/// from certificate_rows rows, and SpgdDetails: lambda; ranks, one for each iteration; and
/// expected_error, the |Z - K^|_F^2/n^2 that predicted_error() finds from the variance of the draws
/// and the error of the start. That error is estimated: after Nystroem as a bound from rows of K,
/// and for a start from zero from the eigenvalues of a subsample. For Fourier features, a start
/// from zero and the steps 2/t, error_bound is the guarantee of the source's theorem 1, which is
/// far larger.
///
/// \tparam E  models Estimator: an UnbiasedFeatureMap that fits the kernel, or ColumnSampling;
///   compilation stops with a sentence if it does not
/// Cost: time of an iteration is linear in n.
/// Memory: linear in n; only the iterate and one draw.
/// Status: Finished after all iterations; with a params.tolerance, Converged if all residuals are
///   within tolerance mu_1, else NotConverged. NotConverged also if no eigenvalue exceeds a lambda
///   above 0, if fewer components than asked for exceed a lambda that was not given although the
///   samples have more, or if the rank outgrows the memory budget; the reason then says which
///   lambda would fit. With a lambda that was given, the reason alone says that there are fewer.
///   Cancelled: the components so far; without residuals if these were stopped.
/// Random: params.seed, with the purposes of the estimator, "lambda rows", "start landmarks",
///   "start rows" and "certificate rows".
/// Throws InvalidArgument for parameters out of range.
/// Source: Zhang, Yang, Yi, Jin, Zhou, Stochastic optimization for kernel PCA, AAAI 2016.
template <class E>
class Spgd {
  static_assert(check_estimator<E>());

 public:
  using Params = SpgdParams;

  /// Throws InvalidArgument for parameters and checkpoints out of range, and for a feature map
  ///   whose settings make it biased.
  explicit Spgd(E estimator, SpgdParams params = {}, SpgdCheckpoints checkpoints = {})
      : estimator_(std::move(estimator)), params_(params), checkpoints_(std::move(checkpoints)) {
    if constexpr (FeatureMap<E>) detail::require_unbiased("Spgd", estimator_);
    params.validate();
    checkpoints_.validate(params.iterations);
  }

  [[nodiscard]] const E& estimator() const { return estimator_; }
  [[nodiscard]] const SpgdParams& params() const { return params_; }
  [[nodiscard]] const SpgdCheckpoints& checkpoints() const { return checkpoints_; }
  /// It keeps its iterate.
  [[nodiscard]] static constexpr bool keeps_record() { return true; }

  template <Kernel K, OwnedSamples X>
    requires evaluates<K, X>
  [[nodiscard]] KernelSolution<X> solve(const K& kernel, const X& samples,
                                        const KernelRequest& request,
                                        const Observer& observer = {}) const {
    return solve_rows(kernel, RowSpace::whole(samples.rows()), samples, request, observer);
  }

  /// The same for samples whose rows may be in several processes; see fit_spread(). Collective.
  /// \param samples  the rows of this process
  template <Kernel K, OwnedSamples X>
    requires evaluates<K, X>
  [[nodiscard]] KernelSolution<X> solve_rows(const K& kernel, const RowSpace& space,
                                             const X& samples, const KernelRequest& request,
                                             const Observer& observer) const {
    return detail::SpgdFit<X>(kernel, space, samples, params_, checkpoints_, request, observer)
        .solve(bind_estimator(estimator_, kernel, space, samples, params_.seed));
  }

 private:
  E estimator_;
  SpgdParams params_;
  SpgdCheckpoints checkpoints_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_SPGD_SPGD_HPP
