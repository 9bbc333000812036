// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel canonical correlation analysis of two views, with a ridge.

#ifndef MERCER_MODELS_KERNEL_CCA_HPP
#define MERCER_MODELS_KERNEL_CCA_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/detail/pair_method.hpp>
#include <mercer/models/detail/paired_bases.hpp>
#include <mercer/models/detail/ridge.hpp>
#include <mercer/models/detail/two_views.hpp>
#include <mercer/models/pair_model.hpp>
#include <mercer/models/pair_report.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/pair_solver.hpp>

namespace mercer {

struct KernelCcaParams {
  Index components = 2;
  /// The ridge of a view relative to the variance of its samples in feature space: kappa = eps
  /// tr(K) / n for the (centred) Gram matrix K. If not set, 1/n, which is a guess;
  /// choose_regularization() does better. 0 means no ridge. Over landmarks, K is centred by the
  /// mean of their approximation, as in Nystrom; the report has the kappa of each view.
  std::optional<double> regularization = {};
  std::optional<double> regularization_y = {};  ///< of view y, if it is to have another one
  Components rank =
      Components::all();          ///< of the basis of each view: a number, or a share of variance
  bool centered = true;           ///< subtract the means in feature space
  double holdout = 0;             ///< share of the pairs to hold out, in [0, 1); see the report
  double zero_threshold = 1e-12;  ///< eigenvalues up to this times the largest one count as zero
  std::size_t memory_budget = 0;  ///< as in KernelPcaParams; of all views together
  std::uint64_t seed = 1;         ///< chooses the pairs to hold out, the folds and the permutations
};

/// A fitted kernel CCA: functions f_j and g_j of the two views with <f, (C_xx + kappa_x) f> = <g,
/// (C_yy + kappa_y) g> = 1, and rho_j = mean of f_j(x_i) g_j(y_i) over the training pairs.
template <class Fx, class Fy>
class KernelCcaModel : public PairModel<Fx, Fy> {
 public:
  KernelCcaModel(Fx x, Fy y, Vector<double> correlations, PairReport report)
      : PairModel<Fx, Fy>(std::move(x), std::move(y), std::move(correlations), std::move(report)) {}

  using PairModel<Fx, Fy>::correlations;

  /// rho_1 >= rho_2 >= ... > 0, the regularised correlations. They fall as the ridge grows, and go
  /// to 1 as it vanishes, whatever the data are. The number that says something about the data is
  /// the correlation of pairs that the fit has not seen: correlations(X, Y), or
  /// report().holdout_correlations.
  [[nodiscard]] const Vector<double>& correlations() const { return this->values(); }
};

/// A ridge chosen by cross-validation.
struct RegularizationChoice {
  /// Of the largest score; of equal scores, the largest ridge. NaN if the run was cancelled, and if
  /// no fold has a component with any ridge, as for a view that is constant.
  double best = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> grid;    ///< the relative ridges tried
  std::vector<double> scores;  ///< for each, the sum over the components of the correlations of
                               ///< held-out pairs, averaged over the folds. NaN likewise
  bool at_edge = false;  ///< best is the smallest or the largest ridge of several: a wider grid may
                         ///< hold a better one
  Status status = Status::Converged;  ///< the worst of all bases of all folds
};

/// Kernel canonical correlation analysis. It finds functions of two views that are correlated most:
///   max <f, C_xy g> subject to <f, (C_xx + kappa_x) f> = <g, (C_yy + kappa_y) g> = 1,
/// in turn for k pairs, orthogonal in these metrics.
///
/// \code
///   mercer::KernelCca cca{mercer::Gaussian{sx}, mercer::Gaussian{sy},
///                         mercer::Nystrom{mercer::RpCholesky{}, {.landmarks = 500}},
///                         {.components = 10, .regularization = 1e-4, .holdout = 0.2}};
///   auto model = cca.fit(X, Y);  // rows are pairs
///   Eigen::MatrixXd u = model.transform_x(X_new), v = model.transform_y(Y_new);
///   model.report().holdout_correlations;  // the numbers to quote
///
///   io::NpyStream<float> xs("x.npy"), ys("y.npy");  // more pairs than fit in memory
///   mercer::RandomFourier map{.features = 1024};
///   mercer::KernelCca big{kx, ky,
///                         mercer::DoublyStochastic{map, {.blocks = 16, .start_rows = 4096}},
///                         {.components = 50, .regularization = 1e-5}};
///   auto streamed = big.fit(mercer::ZipStream(xs, ys));
/// \endcode
///
/// Each view is reduced to a basis by kernel PCA of that view with the solver, then one small
/// singular value decomposition is left. Smaller bases can only lower the correlations; the report
/// bounds by how much.
///
/// If both feature spaces can separate all samples and there is no ridge, every correlation is 1,
/// whatever the data are. Such a fit is refused.
/// \tparam Kx, Ky  model Kernel, or are Precomputed
/// \tparam S  a solver for both views, or Views of two. Exact by default
/// Signs: in each column of transform_x() of the training samples, the entry of largest absolute
///   value is positive.
/// Scale: the training scores of a component have mean square 1 - kappa |f|^2.
/// Cost: that of two fits of KernelPca with all components, O(n r^2 + r^3) for bases of rank r.
/// Threads: one object may fit from several threads at once. fit() is described in the base class.
/// Source: Hardoon, Szedmak, Shawe-Taylor, Canonical correlation analysis, 2004, with the ridge
///   K^2 + n kappa K; solved by the SVD of D_x U_x^T U_y D_y with D^2 = mu / (mu + n kappa), which
///   needs no jitter.
template <KernelOrPrecomputed Kx, KernelOrPrecomputed Ky, class S = Exact>
  requires detail::SolvesTwoViews<S>
class KernelCca : public detail::PairMethodOf<KernelCca<Kx, Ky, S>, Kx, Ky, S, KernelCcaParams> {
  using Base = detail::PairMethodOf<KernelCca, Kx, Ky, S, KernelCcaParams>;
  friend Base;
  friend struct detail::SpreadPairs;

 public:
  KernelCca(Kx kernel_x, Ky kernel_y, S solver = {}, KernelCcaParams params = {})
      : Base(std::move(kernel_x), std::move(kernel_y), std::move(solver), params) {}

  /// Tries relative ridges, the same for both views, by cross-validation. The score of a ridge is
  /// the sum of the correlations of held-out pairs over the components asked for, averaged over the
  /// folds. A component that is noise in every fold adds only noise to its score.
  /// \param grid   relative ridges above 0; the powers of ten from 1e-8 to 1 by default
  /// Cost: for each fold that of one fit, and a small singular value decomposition for each ridge.
  /// Random: purpose "folds" of the seed.
  /// Status: Cancelled, with neither scores nor a choice, if the observer stops a fold.
  /// Throws InvalidArgument as fit(), for an empty grid, and for folds with fewer than two pairs.
  template <class X, class Y>
  [[nodiscard]] RegularizationChoice choose_regularization(
      const X& x, const Y& y, std::vector<double> grid = powers_of_ten(), Index folds = 5,
      const Observer& observer = {}) const;

  /// The largest regularised correlation of fits to samples whose pairing is random. Components
  /// whose correlation is below the largest of some ten of these values are noise. A value is 0 if
  /// there is no component, as for a view that is constant.
  /// Cost: that of one fit, and one small singular value decomposition for each permutation.
  /// Random: purpose "permutation" of the seed, one block for each.
  /// Status: empty if the observer stops a basis or a permutation.
  /// Throws InvalidArgument as fit(), and for fewer than one permutation.
  template <class X, class Y>
  [[nodiscard]] std::vector<double> permutation_null(const X& x, const Y& y, Index count = 10,
                                                     const Observer& observer = {}) const;

  /// 1e-8, 1e-7, ..., 1.
  [[nodiscard]] static std::vector<double> powers_of_ten() {
    return {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};
  }

 private:
  static constexpr std::string_view name = "KernelCca::fit";

  struct Ridges {
    detail::Ridge x, y;
  };

  void check() const {
    const auto require = [](std::string_view parameter, const std::optional<double>& eps) {
      if (eps) detail::require_not_negative(name, parameter, *eps);
    };
    require("regularization", this->params_.regularization);
    require("regularization_y", this->params_.regularization_y);
  }

  [[nodiscard]] PairRequest pair_request() const {
    return {.method = PairMethod::Cca,
            .components = this->params_.components,
            .centered = this->params_.centered,
            .regularization_x = this->params_.regularization,
            .regularization_y = this->params_.regularization_y,
            .memory_budget = this->params_.memory_budget};
  }

  template <class Found>
  [[nodiscard]] auto from_steps(Found found) const {
    return KernelCcaModel(std::move(found.x), std::move(found.y), std::move(found.values),
                          std::move(found.report));
  }

  template <class Fit, class Judge>
  [[nodiscard]] auto from_bases(const Fit& fit, const Judge& judge) const {
    PairReport report = fit.report("kernel-cca", this->params_.components);
    const Ridges ridges = this->ridges(fit);
    ridges.x.describe(fit.x.eigenvalues(), report.views[0]);
    ridges.y.describe(fit.y.eigenvalues(), report.views[1]);
    const auto found =
        fit.solve(ridges.x.weights, ridges.y.weights, this->params_.components, report);
    detail::bound_truncation(report);
    auto f = fit.x.functions(found.x);
    auto g = fit.y.functions(found.y);
    judge(f, g, report);
    return KernelCcaModel(std::move(f), std::move(g), found.values, std::move(report));
  }

  /// A choice from a grid before the first fold.
  [[nodiscard]] RegularizationChoice begin_choice(std::string_view who,
                                                  std::vector<double> grid) const {
    if (grid.empty()) detail::fail("mercer::", who, ": the grid is empty");
    for (const double eps : grid) detail::require_positive(who, "each ridge of the grid", eps);
    RegularizationChoice choice{.grid = std::move(grid), .scores = {}};
    choice.scores.assign(choice.grid.size(), 0);
    return choice;
  }

  /// Adds the score of each ridge in one of the folds. Returns whether there is a component.
  /// \param fit  to the other pairs
  /// \param correlations  of held-out pairs, for the coefficients of functions in both bases
  template <class Fit, class Correlations>
  [[nodiscard]] bool add_fold(const Fit& fit, Index components, Index folds,
                              const Correlations& correlations,
                              RegularizationChoice& choice) const {
    bool any = false;
    for (std::size_t i = 0; i < choice.grid.size(); ++i) {
      const Ridges ridges = this->ridges(fit, choice.grid[i], choice.grid[i]);
      const auto found = detail::PairedBases<double>::solve(
          fit.cross, {fit.x.eigenvalues(), ridges.x.weights},
          {fit.y.eigenvalues(), ridges.y.weights}, fit.samples, components);
      const std::vector<double> held = correlations(found.x, found.y);
      any = any || !held.empty();
      for (const double correlation : held)
        choice.scores[i] += correlation / static_cast<double>(folds);
    }
    return any;
  }

  /// Chooses, if there was a component in any fold and the run was not cancelled.
  static void end_choice(bool any, RegularizationChoice& choice) {
    if (choice.status == Status::Cancelled)
      choice.scores.assign(choice.grid.size(), std::numeric_limits<double>::quiet_NaN());
    if (choice.status == Status::Cancelled || !any) return;
    std::size_t best = 0;
    for (std::size_t i = 1; i < choice.grid.size(); ++i)
      if (choice.scores[i] > choice.scores[best] ||
          (choice.scores[i] == choice.scores[best] && choice.grid[i] > choice.grid[best]))
        best = i;
    choice.best = choice.grid[best];
    const auto [least, most] = std::minmax_element(choice.grid.begin(), choice.grid.end());
    choice.at_edge = *least < *most && (choice.best == *least || choice.best == *most);
  }

  template <class Fit>
  [[nodiscard]] Ridges ridges(const Fit& fit) const {
    const double guess = 1 / static_cast<double>(fit.samples);
    const double eps = this->params_.regularization.value_or(guess);
    return ridges(fit, eps, this->params_.regularization_y.value_or(eps));
  }

  template <class Fit>
  [[nodiscard]] Ridges ridges(const Fit& fit, double eps_x, double eps_y) const {
    Ridges ridges{detail::relative_ridge(fit.x, fit.samples, eps_x),
                  detail::relative_ridge(fit.y, fit.samples, eps_y)};
    detail::require_ridge("KernelCca", fit.samples - (this->params_.centered ? 1 : 0),
                          ridges.x.kappa, fit.x.rank(), ridges.y.kappa, fit.y.rank());
    return ridges;
  }
};

template <KernelOrPrecomputed Kx, KernelOrPrecomputed Ky, class S>
  requires detail::SolvesTwoViews<S>
template <class X, class Y>
RegularizationChoice KernelCca<Kx, Ky, S>::choose_regularization(const X& x, const Y& y,
                                                                 std::vector<double> grid,
                                                                 Index folds,
                                                                 const Observer& observer) const {
  static_assert(!detail::solves_pairs<S>,
                "mercer::KernelCca: folds share the bases of their views, and DoublyStochastic has "
                "none; choose the ridge with FeaturePca and the same features");
  constexpr std::string_view who = "KernelCca::choose_regularization";
  const OwnedSamplesOf<X>& all_x = x;
  const OwnedSamplesOf<Y>& all_y = y;
  this->Base::check(who, all_x, all_y);
  detail::require_components(who, this->params_.components, this->params_.rank, x.rows());
  RegularizationChoice choice = begin_choice(who, std::move(grid));
  bool any = false;  // component of any fold
  for (const auto& [training, held] : detail::fold_rows(who, x.rows(), folds, this->params_.seed)) {
    const auto part_x = detail::take_samples(this->views_.kernel_x, all_x, training, training);
    const auto part_y = detail::take_samples(this->views_.kernel_y, all_y, training, training);
    const Index components = (std::min)(this->params_.components, part_x.rows());
    const detail::PairFit fit = this->bases(who, part_x, part_y, components, observer);
    choice.status = detail::worse(choice.status, fit.status());
    if (choice.status == Status::Cancelled) break;
    const auto f =
        fit.x.model().transform(detail::take_samples(this->views_.kernel_x, all_x, held, training));
    const auto g =
        fit.y.model().transform(detail::take_samples(this->views_.kernel_y, all_y, held, training));
    const auto correlations = [&](const Matrix<double>& a, const Matrix<double>& b) {
      return detail::column_correlations<double, double>(f.template cast<double>() * a,
                                                         g.template cast<double>() * b);
    };
    any |= add_fold(fit, components, folds, correlations, choice);
  }
  end_choice(any, choice);
  return choice;
}

template <KernelOrPrecomputed Kx, KernelOrPrecomputed Ky, class S>
  requires detail::SolvesTwoViews<S>
template <class X, class Y>
std::vector<double> KernelCca<Kx, Ky, S>::permutation_null(const X& x, const Y& y, Index count,
                                                           const Observer& observer) const {
  static_assert(
      !detail::solves_pairs<S>,
      "mercer::KernelCca: permutations share the bases of the views, and DoublyStochastic "
      "has none; take FeaturePca and the same features");
  constexpr std::string_view who = "KernelCca::permutation_null";
  const OwnedSamplesOf<X>& all_x = x;
  const OwnedSamplesOf<Y>& all_y = y;
  this->Base::check(who, all_x, all_y);
  detail::require_at_least(who, "count", count, Index{1});
  const detail::PairFit fit = this->bases(who, all_x, all_y, this->params_.components, observer);
  if (fit.status() == Status::Cancelled) return {};
  const Ridges ridges = this->ridges(fit);
  std::vector<double> null;
  for (Index i = 0; i < count; ++i) {
    if (!detail::go_on(observer, {"permutations", i, count})) return {};
    RandomStream stream(this->params_.seed, "permutation", static_cast<std::uint64_t>(i));
    const std::vector<Index> order = random_permutation(fit.samples, stream);
    const Matrix<double> cross =
        detail::cross_product(fit.x, detail::row_range(0, fit.samples), fit.y, order);
    const auto found =
        detail::PairedBases<double>::solve(cross, {fit.x.eigenvalues(), ridges.x.weights},
                                           {fit.y.eigenvalues(), ridges.y.weights}, fit.samples, 1);
    null.push_back(found.values.size() > 0 ? found.values(0) : 0);
  }
  return null;
}

template <KernelOrPrecomputed Kx, KernelOrPrecomputed Ky>
KernelCca(Kx, Ky) -> KernelCca<Kx, Ky, Exact>;
template <KernelOrPrecomputed Kx, KernelOrPrecomputed Ky, class S>
KernelCca(Kx, Ky, S) -> KernelCca<Kx, Ky, S>;
template <KernelOrPrecomputed Kx, KernelOrPrecomputed Ky, class S>
KernelCca(Kx, Ky, S, KernelCcaParams) -> KernelCca<Kx, Ky, S>;

}  // namespace mercer

#endif  // MERCER_MODELS_KERNEL_CCA_HPP
