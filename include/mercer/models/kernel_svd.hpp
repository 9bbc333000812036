// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel SVD: the singular functions of the cross-covariance operator of two views.

#ifndef MERCER_MODELS_KERNEL_SVD_HPP
#define MERCER_MODELS_KERNEL_SVD_HPP

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <mercer/core/observer.hpp>
#include <mercer/core/streams/pair_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/detail/pair_streams.hpp>
#include <mercer/models/detail/two_views.hpp>
#include <mercer/models/pair_model.hpp>
#include <mercer/models/pair_report.hpp>
#include <mercer/solvers/dense/exact.hpp>

namespace mercer {

struct KernelSvdParams {
  Index components = 2;
  Components rank =
      Components::all();          ///< of the basis of each view: a number, or a share of variance
  bool centered = true;           ///< subtract the means in feature space
  double holdout = 0;             ///< share of the pairs to hold out, in [0, 1); see the report
  double zero_threshold = 1e-12;  ///< eigenvalues up to this times the largest one count as zero
  std::size_t memory_budget = 0;  ///< as in KernelPcaParams
  std::uint64_t seed = 1;         ///< chooses the pairs to hold out
};

/// A fitted kernel SVD: unit functions f_j and g_j in the feature spaces of the two views, with
/// sigma_j = mean of f_j(x_i) g_j(y_i) over the training pairs.
template <class Fx, class Fy>
class KernelSvdModel : public PairModel<Fx, Fy> {
 public:
  /// \param dependence  sum of all sigma^2 in the bases of the views
  KernelSvdModel(Fx x, Fy y, Vector<double> singular_values, double dependence, PairReport report)
      : PairModel<Fx, Fy>(std::move(x), std::move(y), std::move(singular_values),
                          std::move(report)),
        dependence_(detail::require_finite("KernelSvdModel", "dependence", dependence)) {}

  /// sigma_1 >= sigma_2 >= ... > 0.
  [[nodiscard]] const Vector<double>& singular_values() const { return this->values(); }

  /// The sum of sigma_j^2 over all components, found or not. With bases of full rank, it is
  /// tr(K L)/n^2 of the (centred) Gram matrices: the biased statistic HSIC. With smaller bases, it
  /// is a lower bound of this.
  /// Source: Gretton, Bousquet, Smola, Schoelkopf, Measuring statistical dependence with
  ///   Hilbert-Schmidt norms, 2005.
  [[nodiscard]] double dependence() const { return dependence_; }

  /// sigma_j^2 / dependence(): the share of dependence that a component explains.
  [[nodiscard]] Vector<double> explained_dependence_ratio() const {
    return singular_values().array().square() / dependence_;
  }

 private:
  double dependence_;
};

/// Kernel singular value decomposition of two views. It finds the leading singular functions of the
/// cross-covariance operator C_xy = (1/n) sum_i phi(x_i) (x) psi(y_i):
///   C_xy g_j = sigma_j f_j and C_xy^T f_j = sigma_j g_j, with |f_j| = |g_j| = 1.
/// These are the directions of largest covariance between the views. With linear kernels this is
/// partial least squares by SVD. With the same samples and kernel twice it is kernel PCA, with
/// sigma = mu / n.
///
/// \code
///   mercer::KernelSvd svd{mercer::Gaussian{1.0}, mercer::Gaussian{2.0}, mercer::Exact{},
///                         {.components = 5}};
///   auto model = svd.fit(X, Y);  // rows are pairs
///   model.singular_values();
///   Eigen::MatrixXd f = model.transform_x(X_new), g = model.transform_y(Y_new);
/// \endcode
///
/// Each view is reduced to a basis by kernel PCA of that view with the solver, then one small
/// singular value decomposition is left. Smaller bases can only lower the singular values; the
/// report bounds by how much.
/// \tparam Kx, Ky  model Kernel, or are Precomputed
/// \tparam S  a solver for both views, or Views of two. Exact by default
/// Signs: in each column of transform_x() of the training samples, the entry of largest absolute
///   value is positive.
/// Cost: that of two fits of KernelPca with all components, O(n r^2 + r^3) for bases of rank r.
/// Threads: one object may fit from several threads at once.
/// Source: the sound form of the eigenproblem of K L / n^2: M = F_x^T F_y / n for the scores F of
///   the views, decomposed as P diag(sigma) Q^T.
template <KernelOrPrecomputed Kx, KernelOrPrecomputed Ky, class S = Exact>
  requires detail::solves_views<S, 2>
class KernelSvd {
 public:
  using Params = KernelSvdParams;

  KernelSvd(Kx kernel_x, Ky kernel_y, S solver = {}, KernelSvdParams params = {})
      : views_{std::move(kernel_x), std::move(kernel_y), std::move(solver)}, params_(params) {}

  [[nodiscard]] const Kx& kernel_x() const { return views_.kernel_x; }
  [[nodiscard]] const Ky& kernel_y() const { return views_.kernel_y; }
  [[nodiscard]] const S& solver() const { return views_.solver; }
  [[nodiscard]] const KernelSvdParams& params() const { return params_; }

  /// Fits to pairs (x_i, y_i): the rows of \p x and of \p y, dense or sparse, of float or double.
  /// The views may differ in all of this. For Precomputed, pass the n x n Gram matrix.
  /// Throws InvalidArgument for different numbers of rows, for fewer than two rows (one, if not
  ///   centred), for samples that KernelPca does not take, and for parameters out of range.
  template <class X, class Y>
    requires(!PairStream<X>)
  [[nodiscard]] auto fit(const X& x, const Y& y, const Observer& observer = {}) const {
    const auto begin = std::chrono::steady_clock::now();
    const OwnedSamplesOf<X>& all_x = x;
    const OwnedSamplesOf<Y>& all_y = y;
    views_.check("KernelSvd::fit", all_x, all_y, params_.centered);
    const detail::TrainingPairs pairs("KernelSvd::fit", views_, all_x, all_y, params_.holdout,
                                      params_.seed);
    const auto judge = [&](const auto& f, const auto& g, PairReport& r) { pairs.judge(f, g, r); };
    if constexpr (detail::solves_pairs<S>) {
      return detail::as_stream(
          pairs, [&](auto& stream) { return fit_steps(stream, observer, {}, begin, judge); });
    } else {
      const Index n = pairs.x().rows();
      detail::require_components("KernelSvd::fit", params_.components, params_.rank, n);
      const detail::BasisRequest basis = basis_request();
      return finish(detail::PairFit(views_.basis_x(pairs.x(), basis, observer),
                                    views_.basis_y(pairs.y(), basis, observer), n),
                    begin, judge);
    }
  }

  /// Fits to a stream of pairs, with solvers over features, or Views of two. FeaturePca takes one
  /// pass. The result is that of the same pairs in memory, up to rounding, and up to signs: the
  /// coefficient of largest absolute value of each function of view x is positive.
  /// DoublyStochastic takes stochastic steps over batches of pairs; see there, and
  /// report().stochastic.
  /// With DoublyStochastic, dependence() is the sum over the components found.
  /// \param checkpoints  with DoublyStochastic: PairCheckpoints
  /// Memory: the second moments of the features of both views, or with DoublyStochastic the
  ///   coefficients; independent of n.
  /// Throws InvalidArgument as above and as the solver, and for pairs to hold out.
  template <class P>
    requires PairStream<std::remove_cvref_t<P>>
  [[nodiscard]] auto fit(P&& pairs, const Observer& observer = {},
                         const detail::PairCheckpointsOf<S>& checkpoints = {}) const {
    const auto begin = std::chrono::steady_clock::now();
    detail::require_no_holdout("KernelSvd::fit", params_.holdout);
    const auto judge = [](const auto&, const auto&, PairReport&) {};
    if constexpr (detail::solves_pairs<S>) {
      return fit_steps(pairs, observer, checkpoints, begin, judge);
    } else {
      static_cast<void>(checkpoints);
      return finish(detail::stream_bases("KernelSvd::fit", views_, pairs, params_.components,
                                         basis_request(), observer),
                    begin, judge);
    }
  }

 private:
  [[nodiscard]] detail::BasisRequest basis_request() const {
    return {params_.rank, params_.centered, params_.zero_threshold, params_.memory_budget};
  }

  /// Fits by stochastic steps.
  template <class P, class Judge>
  [[nodiscard]] auto fit_steps(P& pairs, const Observer& observer,
                               const detail::PairCheckpointsOf<S>& checkpoints,
                               std::chrono::steady_clock::time_point begin,
                               const Judge& judge) const {
    auto found = detail::stream_functions("KernelSvd::fit", views_, pairs,
                                          {.method = PairMethod::Svd,
                                           .components = params_.components,
                                           .centered = params_.centered,
                                           .memory_budget = params_.memory_budget},
                                          checkpoints, observer);
    judge(found.x, found.y, found.report);
    found.report.fit_seconds = detail::seconds_since(begin);
    const double dependence = found.values.squaredNorm();
    return KernelSvdModel(std::move(found.x), std::move(found.y), std::move(found.values),
                          dependence, std::move(found.report));
  }

  /// \param judge  reports what held-out pairs say of the functions
  template <class Fit, class Judge>
  [[nodiscard]] auto finish(const Fit& fit, std::chrono::steady_clock::time_point begin,
                            const Judge& judge) const {
    const Index n = fit.samples;
    PairReport report = fit.report("kernel-svd", params_.components);
    const double root = std::sqrt(static_cast<double>(n));
    const auto found =
        fit.solve(Vector<double>::Constant(fit.x.rank(), 1 / root),
                  Vector<double>::Constant(fit.y.rank(), 1 / root), params_.components, report);
    bound_truncation(fit.x.eigenvalues(), fit.y.eigenvalues(), report);
    auto f = fit.x.functions(found.x);
    auto g = fit.y.functions(found.y);
    judge(f, g, report);
    report.fit_seconds = detail::seconds_since(begin);
    const double dependence = (fit.cross / static_cast<double>(n)).squaredNorm();
    return KernelSvdModel(std::move(f), std::move(g), found.values, dependence, std::move(report));
  }

  /// Smaller bases lower sigma by at most ((t_x |L_c|)^(1/2) + (|K~_c| t_y)^(1/2)) / n.
  static void bound_truncation(const Vector<double>& mu_x, const Vector<double>& mu_y,
                               PairReport& report) {
    const auto &t_x = report.views[0].trace_error, &t_y = report.views[1].trace_error;
    if (!t_x || !t_y) return;
    const double norm_x = mu_x.size() > 0 ? mu_x(0) : 0;
    const double norm_y = (mu_y.size() > 0 ? mu_y(0) : 0) + *t_y;
    report.truncation_bound =
        (std::sqrt(*t_x * norm_y) + std::sqrt(norm_x * *t_y)) / static_cast<double>(report.samples);
  }

  detail::TwoViews<Kx, Ky, S> views_;
  KernelSvdParams params_;
};

template <KernelOrPrecomputed Kx, KernelOrPrecomputed Ky>
KernelSvd(Kx, Ky) -> KernelSvd<Kx, Ky, Exact>;
template <KernelOrPrecomputed Kx, KernelOrPrecomputed Ky, class S>
KernelSvd(Kx, Ky, S) -> KernelSvd<Kx, Ky, S>;
template <KernelOrPrecomputed Kx, KernelOrPrecomputed Ky, class S>
KernelSvd(Kx, Ky, S, KernelSvdParams) -> KernelSvd<Kx, Ky, S>;

}  // namespace mercer

#endif  // MERCER_MODELS_KERNEL_SVD_HPP
