// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel canonical correlation analysis of more than two views.

#ifndef MERCER_MODELS_MULTIVIEW_CCA_HPP
#define MERCER_MODELS_MULTIVIEW_CCA_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/detail/ridge.hpp>
#include <mercer/models/detail/two_views.hpp>
#include <mercer/models/pair_report.hpp>
#include <mercer/solvers/dense/exact.hpp>

namespace mercer {

struct MultiviewCcaParams {
  Index components = 2;
  /// The ridge of each view relative to the variance of its samples in feature space: kappa = eps
  /// tr(K) / n for the (centred) Gram matrix K. If not set, 1/n.
  std::optional<double> regularization = {};
  Components rank = Components::all();  ///< of the basis of each view: a number, or a share of
                                        ///< variance
  bool centered = true;                 ///< subtract the means in feature space
  double zero_threshold = 1e-12;  ///< eigenvalues up to this times the largest one count as zero
  std::size_t memory_budget = 0;  ///< as in KernelPcaParams; of all views together
};

/// A fitted MultiviewCca: k functions of each view.
/// \tparam F  KernelFunctions or FeatureFunctions, one for each view
/// Threads: const members may run concurrently.
template <class... F>
class MultiviewCcaModel {
 public:
  /// The number of views.
  static constexpr std::size_t views = sizeof...(F);

  /// Throws InvalidArgument unless each view has as many functions as there are eigenvalues.
  MultiviewCcaModel(std::tuple<F...> functions, Vector<double> eigenvalues, PairReport report)
      : functions_(std::move(functions)),
        eigenvalues_(std::move(eigenvalues)),
        report_(std::move(report)) {
    std::apply(
        [&](const auto&... view) {
          if (((view.size() != eigenvalues_.size()) || ...))
            detail::fail("mercer::MultiviewCcaModel: each view needs ", eigenvalues_.size(),
                         " functions");
        },
        functions_);
  }

  /// Number of components found. It is less than requested if the others have no correlation, or a
  /// negative one.
  [[nodiscard]] Index components() const { return eigenvalues_.size(); }

  /// lambda_1 >= lambda_2 >= ... in (1, V]. (lambda - 1) / (V - 1) is the mean of the inner
  /// products of the training scores of two views, divided by n; for two views it is rho.
  [[nodiscard]] const Vector<double>& eigenvalues() const { return eigenvalues_; }

  /// The functions of view v at the rows of \p q: q x k.
  template <std::size_t v, class Q>
  [[nodiscard]] auto transform(const Q& q) const {
    return std::get<v>(functions_).transform(q);
  }

  /// The sum of the functions over all views, the common score of a sample: one matrix of samples
  /// for each view, all with the same number of rows.
  template <class... Q>
  [[nodiscard]] Matrix<double> common_scores(const Q&... q) const {
    static_assert(sizeof...(Q) == views, "mercer::MultiviewCcaModel: needs samples of every view");
    const std::vector<Matrix<double>> scores = all_scores(q...);
    Matrix<double> sum = scores[0];
    for (std::size_t v = 1; v < views; ++v) sum += scores[v];
    return sum;
  }

  /// The mean over all pairs of views of the Pearson correlation of their scores, for each
  /// component.
  template <class... Q>
  [[nodiscard]] std::vector<double> correlations(const Q&... q) const {
    static_assert(sizeof...(Q) == views, "mercer::MultiviewCcaModel: needs samples of every view");
    return detail::mean_correlations<double>(all_scores(q...));
  }

  [[nodiscard]] const std::tuple<F...>& functions() const { return functions_; }
  [[nodiscard]] const PairReport& report() const { return report_; }

 private:
  template <class... Q>
  [[nodiscard]] std::vector<Matrix<double>> all_scores(const Q&... q) const {
    const Index rows = std::get<0>(std::tie(q...)).rows();
    if (((q.rows() != rows) || ...))
      detail::fail("mercer::MultiviewCcaModel: the views must have the same number of rows, ",
                   rows);
    return std::apply(
        [&](const auto&... view) {
          return std::vector<Matrix<double>>{view.transform(q).template cast<double>()...};
        },
        functions_);
  }

  std::tuple<F...> functions_;
  Vector<double> eigenvalues_;
  PairReport report_;
};

/// Kernel canonical correlation analysis of two and more views. It maximises the sum over all pairs
/// of views of mean(f_v f_w), where the mean over the views of <f_v, (C_vv + kappa_v) f_v> is 1.
/// For two views it is KernelCca, with eigenvalues 1 + rho.
///
/// \code
///   mercer::MultiviewCca cca{std::tuple{mercer::Gaussian{1.0}, mercer::Gaussian{2.0},
///                                       mercer::Linear{}},
///                            mercer::Exact{}, {.components = 3}};
///   auto model = cca.fit(X, Y, Z);  // rows belong together
///   Eigen::MatrixXd f = model.transform<0>(X_new);
/// \endcode
/// \tparam Kernels  a std::tuple of kernels, one for each view
/// \tparam S  a solver for all views, or Views of one for each. Exact by default
/// Signs: those of KernelCca, by the first view.
/// Cost: that of a fit of KernelPca for each view, and O(R^3) for the sum R of the ranks.
/// Source: Kettenring, Canonical analysis of several sets of variables, 1971 (the sum of
///   correlations, in its eigenvalue form).
template <class Kernels, class S = Exact>
class MultiviewCca {
 public:
  /// The number of views.
  static constexpr std::size_t views = std::tuple_size_v<Kernels>;
  static_assert(views >= 2, "mercer::MultiviewCca: needs at least two views");
  static_assert(detail::solves_views<S, views>,
                "mercer::MultiviewCca: needs one solver for all views, or Views of one for each");

  explicit MultiviewCca(Kernels kernels, S solver = {}, MultiviewCcaParams params = {})
      : kernels_(std::move(kernels)), solver_(std::move(solver)), params_(params) {}

  [[nodiscard]] const Kernels& kernels() const { return kernels_; }
  [[nodiscard]] const S& solver() const { return solver_; }
  [[nodiscard]] const MultiviewCcaParams& params() const { return params_; }

  /// Fits to samples of each view whose rows belong together, dense or sparse, of float or double.
  /// Throws InvalidArgument as KernelCca::fit().
  template <class... X>
  [[nodiscard]] auto fit(const X&... x) const {
    return fit_observed(Observer(), x...);
  }

  /// The same with an observer.
  template <class... X>
  [[nodiscard]] auto fit_observed(const Observer& observer, const X&... x) const {
    static_assert(sizeof...(X) == views, "mercer::MultiviewCca: needs samples of every view");
    // Samples in another form are copied here, and live as long as the call.
    return [&](const OwnedSamplesOf<X>&... owned) {
      return fit_views(std::make_index_sequence<views>(), observer, std::tie(owned...));
    }(x...);
  }

 private:
  static constexpr std::string_view who = "MultiviewCca::fit";

  template <std::size_t... v, class Samples>
  [[nodiscard]] auto fit_views(std::index_sequence<v...>, const Observer& observer,
                               const Samples& samples) const {
    const detail::FitClock clock;
    const Index n = std::get<0>(samples).rows();
    if (((std::get<v>(samples).rows() != n) || ...))
      detail::fail("mercer::", who,
                   ": the views must have the same number of rows, but the first "
                   "has ",
                   n, " and another one does not");
    (detail::require_view(who, detail::to_text(v), std::get<v>(kernels_), std::get<v>(samples),
                          params_.centered),
     ...);
    if (params_.regularization)
      detail::require_not_negative(who, "regularization", *params_.regularization);
    detail::require_components(who, params_.components, params_.rank, n);
    detail::ViewFits fits({.rank = params_.rank,
                           .centered = params_.centered,
                           .zero_threshold = params_.zero_threshold,
                           .memory_budget = params_.memory_budget},
                          observer);
    const std::tuple bases{fits.next(detail::to_text(v), std::get<v>(kernels_),
                                     detail::solver_of<v>(solver_), std::get<v>(samples))...};

    PairReport report = detail::report_of_bases("multiview-cca", n, std::get<v>(bases)...);
    report.components_requested = params_.components;
    const double eps = params_.regularization.value_or(1 / static_cast<double>(n));
    const std::vector<detail::Ridge> ridges{detail::relative_ridge(std::get<v>(bases), n, eps)...};
    Index without_ridge = 0;  // functions of views without a ridge
    std::vector<Vector<double>> weights;
    for (std::size_t i = 0; i < views; ++i) {
      if (ridges[i].kappa == 0) without_ridge += report.views[i].rank;
      weights.push_back(ridges[i].weights);
    }
    // A constant view has neither variance, and so no ridge, nor functions that would need one.
    for (std::size_t i = 0; i < views; ++i)
      if (const Index rank = report.views[i].rank; ridges[i].kappa == 0 && rank > 0)
        detail::require_ridge(who, n - (params_.centered ? 1 : 0), 0, rank, 0,
                              without_ridge - rank);
    (ridges[v].describe(std::get<v>(bases).eigenvalues(), report.views[v]), ...);

    std::vector<std::vector<Matrix<double>>> cross(views, std::vector<Matrix<double>>(views));
    (add_cross<v>(bases, cross, std::make_index_sequence<views>()), ...);
    for (const auto& row : cross)
      for (const Matrix<double>& block : row)
        report.bytes += 2 * static_cast<std::size_t>(block.size()) * sizeof(double);
    auto found = detail::JoinedBases<double>::solve(cross, weights, n, params_.components);
    auto values = std::get<0>(bases).sign_values(found.views[0]);
    const Vector<double> signs = detail::fix_signs(values).template cast<double>();
    for (Matrix<double>& view : found.views) view *= signs.asDiagonal();
    report.components = found.values.size();
    report.error_bounds = detail::to_std(found.error_bounds);
    (static_cast<void>(report.views[v].residuals = detail::to_std(found.residuals[v])), ...);
    report.training_correlations = detail::mean_correlations<double>(
        {std::get<v>(bases).combined(found.views[v]).template cast<double>()...});
    std::tuple functions{std::get<v>(bases).functions(found.views[v])...};
    clock.report(report);
    return MultiviewCcaModel(std::move(functions), std::move(found.values), std::move(report));
  }

  template <std::size_t v, class Bases, std::size_t... w>
  static void add_cross(const Bases& bases, std::vector<std::vector<Matrix<double>>>& cross,
                        std::index_sequence<w...>) {
    (static_cast<void>(
         v < w ? void(cross[v][w] = detail::cross_product(std::get<v>(bases), std::get<w>(bases)))
               : void()),
     ...);
  }

  Kernels kernels_;
  S solver_;
  MultiviewCcaParams params_;
};

}  // namespace mercer

#endif  // MERCER_MODELS_MULTIVIEW_CCA_HPP
