// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel principal component analysis.

#ifndef MERCER_MODELS_KERNEL_PCA_HPP
#define MERCER_MODELS_KERNEL_PCA_HPP

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/matrix_stream.hpp>
#include <mercer/core/memory.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/sample_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/callable.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <mercer/models/kernel_pca_model.hpp>
#include <mercer/models/kernel_pca_parts.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/gram_plan.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/solvers/auto.hpp>
#include <mercer/solvers/directions.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/feature_solver.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

struct KernelPcaParams {
  Components components = 2;      ///< how many, or the fraction of variance to explain
  bool centered = true;           ///< subtract the mean in feature space
  double zero_threshold = 1e-12;  ///< eigenvalues up to this times the largest one are zero
  /// Bytes that a fit may hold beside the samples; 0: default_memory_budget(). A matrix that Exact
  /// is asked for is held whatever it takes.
  std::size_t memory_budget = 0;
  /// How a Gram operator holds its matrix; by plan_gram() unless said here.
  std::optional<GramStorage> storage = {};
  std::optional<Precision> precision = {};
};

/// Kernel principal component analysis: the leading eigenpairs of the (centred) Gram matrix of the
/// samples, and from them k functions on the input space.
///
/// \code
///   mercer::KernelPca pca{mercer::Gaussian{1.5}, mercer::BlockKrylov{}, {.components = 20}};
///   auto model = pca.fit(X);                     // X: n x d, one sample per row
///   Eigen::MatrixXd scores = model.transform(Q);  // q x 20
/// \endcode
///
/// \tparam K  models Kernel, or is Precomputed (fit then takes the n x n Gram matrix itself)
/// \tparam S  models GramSolver, DirectionSolver or KernelSolver, or is Auto, which picks one; or
///            models FeatureSolver, which also takes streams of samples
///
/// Settings only: one object may fit any number of data sets, from several threads.
/// Source: Schoelkopf, Smola, Mueller, Nonlinear component analysis as a kernel eigenvalue problem,
/// 1998.
template <KernelOrPrecomputed K, SpectralSolver S = Auto>
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
  /// With a FeatureSolver, x may also be a SampleStream, and the model holds no samples.
  /// Returns KernelPcaModel<K, OwnedSamplesOf<X>>, or FeaturePcaModel.
  template <class Samples>
  [[nodiscard]] auto fit(Samples&& x, const Observer& observer = {}) const {
    using X = std::remove_cvref_t<Samples>;
    static_assert(!SampleStream<X> || FeatureSolver<S>,
                  "mercer::KernelPca: this solver needs all samples in memory; solvers over "
                  "features, FeaturePca and DoublyStochastic, take streams");
    if constexpr (FeatureSolver<S>)
      return fit_features(x, observer);
    else
      return fit_samples(std::forward<Samples>(x), observer);
  }

  /// The scores of the training samples, n x k: fit(x).training_scores().
  template <class Samples>
  [[nodiscard]] auto fit_transform(Samples&& x, const Observer& observer = {}) const {
    if constexpr (FeatureSolver<S>)
      return fit_features(x, observer).transform(x);
    else
      return fit(std::forward<Samples>(x), observer).training_scores();
  }

 private:
  template <class Samples>
  [[nodiscard]] auto fit_samples(Samples&& x, const Observer& observer) const {
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
    auto parts = fit_owned(std::move(samples), observer);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    parts.report.fit_seconds = elapsed.count();
    using Model = KernelPcaModel<K, OwnedSamplesOf<X>>;
    return Model(std::move(parts), typename Model::Checked{});
  }

  /// Solvers over features: a stream, or a matrix as one.
  template <class Samples>
  [[nodiscard]] auto fit_features(Samples& x, const Observer& observer) const {
    static_assert(Real<typename Samples::Scalar>,
                  "mercer::KernelPca: samples must be of float or double; cast<double>() them");
    static_assert(FeatureMapFor<FeatureMapOf<S>, K>,
                  "mercer::KernelPca: the solver's feature map has no features for this kernel");
    if constexpr (SampleStream<Samples>) {
      return fit_stream(SampleStreamView<typename Samples::Scalar>(x), observer);
    } else {
      params_.components.validate(x.rows());
      const OwnedSamplesOf<Samples>& samples = x;
      MatrixStream stream(samples);
      return fit_stream(SampleStreamView<typename Samples::Scalar>(stream), observer);
    }
  }

  template <Real Scalar>
  [[nodiscard]] auto fit_stream(SampleStreamView<Scalar> stream, const Observer& observer) const {
    const auto begin = std::chrono::steady_clock::now();
    FeatureSolution<Scalar> solution =
        solver_.solve(kernel_, stream, kernel_request(memory_budget()), observer);
    Report& report = solution.report;
    report.kernel = detail::describe(kernel_);
    report.reason = joined_reason("solver as asked for", report.reason);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    report.fit_seconds = elapsed.count();
    return FeaturePcaModel<K, FeatureMapOf<S>, Scalar>(kernel_, solver_.map(), std::move(solution),
                                                       params_.centered);
  }

  [[nodiscard]] std::size_t memory_budget() const {
    return params_.memory_budget > 0 ? params_.memory_budget : default_memory_budget();
  }

  [[nodiscard]] KernelRequest kernel_request(std::size_t budget) const {
    return {
        .pairs = {.components = params_.components, .zero_threshold = params_.zero_threshold},
        .centered = params_.centered,
        .memory_budget = budget,
        .memory_limit = params_.memory_budget > 0 ? params_.memory_budget : available_memory() / 2};
  }

  [[nodiscard]] static std::string joined_reason(const std::string& choice,
                                                 const std::string& details) {
    return details.empty() ? choice : choice + "; " + details;
  }

  /// One fit: what all ways to solve it share.
  template <OwnedSamples X>
  struct Fit {
    std::shared_ptr<const X> samples;
    std::size_t memory_budget;
    const Observer& observer;
    std::string reason;
  };

  template <OwnedSamples X>
  [[nodiscard]] KernelPcaParts<K, X> fit_owned(std::shared_ptr<const X> samples,
                                               const Observer& observer) const {
    detail::require_samples("KernelPca::fit", kernel_, *samples);
    KernelPcaParts<K, X> parts = detail::parts_before_fit(kernel_, samples, params_.centered);
    if (!detail::go_on(observer, {"gram matrix", 0, 1})) {
      parts.report.status = Status::Cancelled;
      return parts;
    }
    const std::size_t budget = memory_budget();
    const Fit<X> fit{samples, budget, observer, "solver as asked for"};
    if constexpr (std::same_as<S, Auto>) {
      const Problem problem{.samples = samples->rows(),
                            .components = params_.components,
                            .value_bytes = sizeof(typename X::Scalar),
                            .memory_budget = budget,
                            .precomputed = std::same_as<K, Precomputed>};
      solver_.choose(problem, [&](const auto& solver, const std::string& reason) {
        solve(solver, {samples, budget, observer, reason}, parts);
      });
      judge(parts);
    } else {
      solve(solver_, fit, parts);
    }
    return parts;
  }

  [[nodiscard]] EigenRequest request_for(const Vector<double>& diagonal) const {
    return {.components = params_.components,
            .zero_threshold = params_.zero_threshold,
            .noise_scale = diagonal.cwiseAbs().sum()};
  }

  /// Solvers that work on the matrix in memory.
  template <GramSolver T, OwnedSamples X>
    requires(T::wants_dense)
  void solve(const T& solver, const Fit<X>& fit, KernelPcaParts<K, X>& parts) const {
    using Scalar = typename X::Scalar;
    auto gram = PrecomputedGram<Scalar>::unchecked(detail::evaluate_gram(kernel_, *fit.samples));
    const EigenRequest request = request_for(gram.diagonal().template cast<double>());
    if (params_.centered) {
      Centered centered(std::move(gram));
      const Vector<Scalar> row_means = centered.row_means();
      detail::take_solution(solver.solve(std::move(centered), request, fit.observer), parts);
      detail::take_centering(row_means, parts);
    } else {
      detail::take_solution(solver.solve(std::move(gram), request, fit.observer), parts);
    }
    parts.report.precision = to_string(precision_of<Scalar>);
    parts.report.storage = "stored";
    parts.report.reason = fit.reason;
  }

  /// Solvers that need products only.
  template <OperatorSolver T, OwnedSamples X>
  void solve(const T& solver, const Fit<X>& fit, KernelPcaParts<K, X>& parts) const {
    GramPlanRequest ask = plan_request(solver, fit);
    const GramPlan plan = plan_gram(kernel_, *fit.samples, ask);
    if (solve_as(plan, solver, fit, parts) || params_.precision ||
        plan.form.precision == precision_of<typename X::Scalar>)
      return;
    // The certificate says that single tiles were not good enough after all.
    ask.precision = Precision::Double;
    GramPlan again = plan_gram(kernel_, *fit.samples, ask);
    again.reason += " by the certificate of a fit in single precision";
    static_cast<void>(solve_as(again, solver, fit, parts));
  }

  template <OperatorSolver T, OwnedSamples X>
  [[nodiscard]] GramPlanRequest plan_request(const T& solver, const Fit<X>& fit) const {
    const Index k = params_.components.is_fraction() ? 0 : params_.components.count();
    const Index n = fit.samples->rows();
    std::size_t bytes = static_cast<std::size_t>(n * 14 * detail::default_block(k)) * 8;
    if constexpr (requires { solver.template bytes<double>(n, k); })
      bytes = solver.template bytes<double>(n, k);
    return {.tolerance = tolerance_of(solver),
            .memory_budget = fit.memory_budget,
            .solver_bytes = bytes,
            .storage = params_.storage,
            .precision = params_.precision};
  }

  template <class T>
  [[nodiscard]] static double tolerance_of(const T& solver) {
    if constexpr (requires { solver.tolerance(); })
      return solver.tolerance();
    else
      return 0;
  }

  /// Solves with a Gram operator of this form; false if rounding in its tiles spoils the result.
  template <OperatorSolver T, OwnedSamples X>
  [[nodiscard]] bool solve_as(const GramPlan& plan, const T& solver, const Fit<X>& fit,
                              KernelPcaParts<K, X>& parts) const {
    const auto gram = Gram<K, X>::unchecked(kernel_, fit.samples, plan.form);
    EigenRequest request = request_for(gram.diagonal());
    if (gram.form().precision == Precision::Single)
      request.epsilon = std::numeric_limits<float>::epsilon();
    decltype(solver.solve(gram, request, fit.observer)) solution;
    Vector<double> row_means;
    if (params_.centered) {
      const Centered centered(gram);
      solution = solver.solve(centered, request, fit.observer);
      if (solution.report.status != Status::Cancelled || solution.eigenvalues.size() > 0)
        row_means = centered.row_means();
    } else {
      solution = solver.solve(gram, request, fit.observer);
    }
    solution.report.precision = to_string(gram.form().precision);
    solution.report.storage =
        gram.form().storage == GramStorage::Stored ? "tiles stored" : "tiles recomputed";
    std::string& reason = solution.report.reason;
    reason = fit.reason + "; " + plan.reason + (reason.empty() ? "" : "; " + reason);
    if (plan.form.storage == GramStorage::Stored)
      solution.report.bytes += detail::stored_tile_bytes(gram.rows(), plan.form.precision);
    bool good = true;
    if constexpr (GramSolver<T>) good = certify(gram, tolerance_of(solver), request, solution);
    detail::take_solution(std::move(solution), parts);
    if (row_means.size() > 0)
      detail::take_centering<K, X>(row_means.template cast<typename X::Scalar>(), parts);
    if constexpr (DirectionSolver<T>) detail::keep_support(parts);
    return good;
  }

  /// Adds to residuals and bounds what rounding in single tiles does, from a sample of rows; false
  /// if that exceeds the tolerance, or if components were lost in it.
  template <OwnedSamples X>
  [[nodiscard]] static bool certify(const Gram<K, X>& gram, double tolerance,
                                    const EigenRequest& request, EigenSolution<double>& solution) {
    Report& report = solution.report;
    if (gram.form().precision == precision_of<typename X::Scalar>) return true;
    const Index n = gram.rows();
    constexpr Index sample = 32;
    RandomStream stream(0, "single tiles");
    const std::vector<Index> rows = sample_without_replacement(n, (std::min)(n, sample), stream);
    const Matrix<double> error = gram.rounding_error(rows, solution.eigenvectors);
    const double scale = std::sqrt(static_cast<double>(n) / static_cast<double>(rows.size()));
    bool good = report.zero_eigenvalues == 0;
    for (std::size_t i = 0; i < report.residuals.size(); ++i) {
      report.residuals[i] += scale * error.col(static_cast<Index>(i)).norm();
      report.eigenvalue_error_bounds[i] = report.residuals[i];
      const double bound =
          (std::max)(tolerance * solution.eigenvalues(0), detail::rounding_noise<double>(request));
      if (!(report.residuals[i] <= bound)) {
        good = false;
        if (report.status == Status::Converged) report.status = Status::NotConverged;
      }
    }
    return good || report.status == Status::Cancelled;
  }

  /// Solvers that need the kernel and the samples.
  template <KernelSolver T, OwnedSamples X>
  void solve(const T& solver, const Fit<X>& fit, KernelPcaParts<K, X>& parts) const {
    if constexpr (std::same_as<K, Precomputed>) {
      detail::fail(
          "mercer::KernelPca: this solver needs samples, and a precomputed Gram matrix has "
          "none; take BlockKrylov, Lanczos or Exact");
    } else {
      KernelSolution<X> solution =
          solver.solve(kernel_, *fit.samples, kernel_request(fit.memory_budget), fit.observer);
      solution.report.reason = joined_reason(fit.reason, solution.report.reason);
      detail::take_solution(std::move(solution), parts);
    }
  }

  /// A solver that was picked for the tolerance has converged if it is within it.
  template <OwnedSamples X>
  void judge(KernelPcaParts<K, X>& parts) const {
    Report& report = parts.report;
    if (report.landmarks == 0 || report.status != Status::Converged) return;
    for (const double residual : report.residuals)
      if (!(residual <= tolerance_of(solver_) * static_cast<double>(parts.eigenvalues(0))))
        report.status = Status::NotConverged;
  }

  K kernel_;
  S solver_;
  KernelPcaParams params_;
};

template <KernelOrPrecomputed K>
KernelPca(K) -> KernelPca<K, Auto>;
template <KernelOrPrecomputed K, SpectralSolver S>
KernelPca(K, S) -> KernelPca<K, S>;
template <KernelOrPrecomputed K, SpectralSolver S>
KernelPca(K, S, KernelPcaParams) -> KernelPca<K, S>;

/// A bare function of two samples stands for Callable.
template <class F>
  requires(!KernelOrPrecomputed<F> && kernel_function<F, double>)
KernelPca(F)
->KernelPca<Callable<F>, Auto>;
template <class F, SpectralSolver S>
  requires(!KernelOrPrecomputed<F> && kernel_function<F, double>)
KernelPca(F, S)
->KernelPca<Callable<F>, S>;
template <class F, SpectralSolver S>
  requires(!KernelOrPrecomputed<F> && kernel_function<F, double>)
KernelPca(F, S, KernelPcaParams)
->KernelPca<Callable<F>, S>;

}  // namespace mercer

#endif  // MERCER_MODELS_KERNEL_PCA_HPP
