// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel PCA by stochastic proximal gradient descent with shrinkage of singular values.

#ifndef MERCER_SOLVERS_SPGD_HPP
#define MERCER_SOLVERS_SPGD_HPP

#include <utility>

#include <mercer/core/observer.hpp>
#include <mercer/core/types.hpp>
#include <mercer/estimators/estimator.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/spgd_fit.hpp>

namespace mercer {

/// Components of K^ = D_lambda[K], the Gram matrix with its singular values shrunk by lambda, by
/// stochastic proximal gradient descent from unbiased low-rank draws of K: see SpgdRun. The
/// eigenvalues are those of the iterate with lambda added back.
///
/// Time and memory of an iteration are linear in n, and no more than the iterate and one draw is
/// held. The number of components is that of the eigenvalues of K above lambda, and no more than
/// asked for.
/// \code
///   Spgd solver{RandomFourier{.features = 50}, {.lambda = 10, .iterations = 200}};
///   auto model = KernelPca{Gaussian{4.2}, solver, {.components = 20}}.fit(x);
/// \endcode
/// Iterates on the way are shown to SpgdCheckpoints, if there are any.
/// \tparam E  models Estimator: a feature map that fits the kernel, or ColumnSampling
/// Report: lambda; ranks, one for each iteration; expected_error, the predicted |Z - K^|_F^2/n^2;
/// residuals estimated from certificate_rows. Status: Converged after the iterations asked for;
/// NotConverged if nothing exceeds a lambda above 0, or if the rank outgrows the memory budget (the
/// reason says which lambda would fit). Throws InvalidArgument for parameters out of range. Random:
/// params.seed, with the purposes of the estimator, "lambda rows", "start landmarks", "start rows"
/// and "certificate rows". Source: Zhang, Yang, Yi, Jin, Zhou, Stochastic optimization for kernel
/// PCA, AAAI 2016.
template <Estimator E>
class Spgd {
 public:
  using Params = SpgdParams;

  /// Throws InvalidArgument for parameters and checkpoints out of range.
  explicit Spgd(E estimator, SpgdParams params = {}, SpgdCheckpoints checkpoints = {})
      : estimator_(std::move(estimator)), params_(params), checkpoints_(std::move(checkpoints)) {
    params.validate();
    checkpoints_.validate(params.iterations);
  }

  [[nodiscard]] const E& estimator() const { return estimator_; }
  [[nodiscard]] const SpgdParams& params() const { return params_; }
  [[nodiscard]] const SpgdCheckpoints& checkpoints() const { return checkpoints_; }

  template <Kernel K, OwnedSamples X>
    requires evaluates<K, X>
  [[nodiscard]] KernelSolution<X> solve(const K& kernel, const X& samples,
                                        const KernelRequest& request,
                                        const Observer& observer = {}) const {
    return detail::SpgdFit<X>(kernel, samples, params_, checkpoints_, request, observer)
        .solve(bind_estimator(estimator_, kernel, samples, params_.seed));
  }

 private:
  E estimator_;
  SpgdParams params_;
  SpgdCheckpoints checkpoints_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_SPGD_HPP
