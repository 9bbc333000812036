// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel principal component analysis.

#ifndef MERCER_MODELS_KERNEL_PCA_HPP
#define MERCER_MODELS_KERNEL_PCA_HPP

#include <chrono>
#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/callable.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/kernel_pca_model.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/exact.hpp>

namespace mercer {

struct KernelPcaParams {
  Components components = 2;      ///< how many, or the fraction of variance to explain
  bool centered = true;           ///< subtract the mean in feature space
  double zero_threshold = 1e-12;  ///< eigenvalues up to this times the largest one are zero
};

/// Kernel principal component analysis: the leading eigenpairs of the (centred) Gram matrix of the
/// samples, and from them k functions on the input space. \code mercer::KernelPca
/// pca{mercer::Gaussian{1.5}, mercer::Exact{}, {.components = 20}}; auto model = pca.fit(X); // X:
/// n x d, one sample per row Eigen::MatrixXd scores = model.transform(Q);   // q x 20 \endcode
/// \tparam K  models Kernel, or is Precomputed (fit then takes the n x n Gram matrix itself)
/// \tparam S  models GramSolver
/// Settings only: one object may fit any number of data sets, from several threads.
/// Source: Schoelkopf, Smola, Mueller, Nonlinear component analysis as a kernel eigenvalue problem,
/// 1998.
template <KernelOrPrecomputed K, GramSolver S = Exact>
class KernelPca {
 public:
  using Params = KernelPcaParams;

  explicit KernelPca(K kernel, S solver = {}, KernelPcaParams params = {})
      : kernel_(std::move(kernel)), solver_(std::move(solver)), params_(params) {}

  [[nodiscard]] const K& kernel() const { return kernel_; }
  [[nodiscard]] const S& solver() const { return solver_; }
  [[nodiscard]] const KernelPcaParams& params() const { return params_; }

  /// Fits to the samples in the rows of \p x: dense in either storage order, or sparse, of float or
  /// double. Fewer components than asked for come back where the others have no variance: constant
  /// data and n = 1 have none at all. The report says how many were dropped, and of which sign.
  /// Throws InvalidArgument for empty or non-finite samples, samples outside the kernel's domain,
  /// and components outside [1, n] or (0, 1]. Lifetime: the model owns its samples; an rvalue in
  /// their stored form is moved into it, all else is copied. Random: as the solver.
  /// Returns KernelPcaModel<K, OwnedSamplesOf<X>>.
  template <class Samples>
  [[nodiscard]] auto fit(Samples&& x, const Observer& observer = {}) const {
    using X = std::remove_cvref_t<Samples>;
    static_assert(Real<typename X::Scalar>,
                  "mercer::KernelPca: samples must be of float or double; cast<double>() them");
    static_assert(
        evaluates_on<K, OwnedSamplesOf<X>>,
        "mercer::KernelPca: this kernel cannot be evaluated on samples of this form: it has "
        "no gram() for this scalar, or none for sparse rows");
    const auto begin = std::chrono::steady_clock::now();
    if (x.rows() == 0 || x.cols() == 0)
      detail::fail("mercer::KernelPca::fit: needs at least one row and one column, got ", x.rows(),
                   " x ", x.cols());
    params_.components.validate(x.rows());
    auto samples = std::make_shared<const OwnedSamplesOf<X>>(std::forward<Samples>(x));
    auto model = fit_owned(std::move(samples), observer);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    model.report_.fit_seconds = elapsed.count();
    return model;
  }

  /// The scores of the training samples, n x k: fit(x).training_scores().
  template <class Samples>
  [[nodiscard]] auto fit_transform(Samples&& x, const Observer& observer = {}) const {
    return fit(std::forward<Samples>(x), observer).training_scores();
  }

 private:
  template <OwnedSamples X>
  [[nodiscard]] KernelPcaModel<K, X> fit_owned(std::shared_ptr<const X> samples,
                                               const Observer& observer) const {
    using Scalar = typename X::Scalar;
    KernelPcaModel<K, X> model(kernel_, samples, params_.centered);
    constexpr bool stored = requires {
      requires S::wants_stored;
    };
    if (!detail::go_on(observer, {"gram matrix", 0, 1})) {
      model.report_.status = Status::Cancelled;
      return model;
    }
    Gram<K, X> gram(kernel_, samples, stored ? GramStorage::Stored : GramStorage::Recomputed);
    EigenRequest request{.components = params_.components,
                         .zero_threshold = params_.zero_threshold};
    request.noise_scale = static_cast<double>(gram.diagonal().cwiseAbs().sum());
    if (params_.centered) {
      Centered<Gram<K, X>> centered(std::move(gram));
      const Vector<Scalar> row_means = centered.row_means();
      const Scalar mean = centered.mean();
      model.set(solver_.solve(std::move(centered), request, observer));
      model.set_centering(row_means, mean);
    } else {
      model.set(solver_.solve(std::move(gram), request, observer));
    }
    model.report_.storage = stored ? "stored" : "tiles recomputed";
    model.report_.reason = "asked for by the caller";
    return model;
  }

  K kernel_;
  S solver_;
  KernelPcaParams params_;
};

template <KernelOrPrecomputed K>
KernelPca(K) -> KernelPca<K, Exact>;
template <KernelOrPrecomputed K, GramSolver S>
KernelPca(K, S) -> KernelPca<K, S>;
template <KernelOrPrecomputed K, GramSolver S>
KernelPca(K, S, KernelPcaParams) -> KernelPca<K, S>;

/// A bare function of two samples stands for Callable.
template <class F>
  requires(!KernelOrPrecomputed<F> && kernel_function<F, double>)
KernelPca(F)
->KernelPca<Callable<F>, Exact>;
template <class F, GramSolver S>
  requires(!KernelOrPrecomputed<F> && kernel_function<F, double>)
KernelPca(F, S)
->KernelPca<Callable<F>, S>;
template <class F, GramSolver S>
  requires(!KernelOrPrecomputed<F> && kernel_function<F, double>)
KernelPca(F, S, KernelPcaParams)
->KernelPca<Callable<F>, S>;

}  // namespace mercer

#endif  // MERCER_MODELS_KERNEL_PCA_HPP
