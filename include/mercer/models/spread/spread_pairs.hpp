// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel CCA and kernel SVD of pairs whose rows are in several processes.

#ifndef MERCER_MODELS_SPREAD_SPREAD_PAIRS_HPP
#define MERCER_MODELS_SPREAD_SPREAD_PAIRS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/detail/pair_method.hpp>
#include <mercer/models/detail/row_splits.hpp>
#include <mercer/models/detail/two_views.hpp>
#include <mercer/models/detail/view_basis.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/kernel_svd.hpp>
#include <mercer/models/pair_report.hpp>
#include <mercer/models/spread/spread_basis.hpp>
#include <mercer/models/spread/spread_pca.hpp>

namespace mercer {

namespace detail {

/// Some rows of the samples of all processes, spread in the same way. Collective.
/// \param chosen  their numbers, ascending
template <OwnedSamples X>
[[nodiscard]] SpreadRows<X> take_spread(const SpreadRows<X>& samples,
                                        const std::vector<Index>& chosen) {
  const RowSpace& rows = samples.rows();
  std::vector<Index> mine;
  for (const Index i : chosen)
    if (i >= rows.first() && i < rows.first() + rows.local()) mine.push_back(i - rows.first());
  return SpreadRows<X>::from_parts(rows.processes(), take_rows(samples.local(), mine),
                                   rows.order_free() ? RowSums::OrderFree : RowSums::Plain);
}

/// As ScorePair::correlations(), of functions whose values are spread over processes. Collective.
/// \tparam S, T  what the values were computed in
template <Real S, Real T>
[[nodiscard]] std::vector<double> spread_correlations(const RowSpace& rows, Matrix<double> f,
                                                      Matrix<double> g) {
  const auto squares = [&](const Matrix<double>& a, const Matrix<double>& b) {
    return block_column_products<double>(rows, a, b);
  };
  const Vector<double> all_f = squares(f, f), all_g = squares(g, g);
  centre_columns<double>(rows, f);
  centre_columns<double>(rows, g);
  const Vector<double> f_f = squares(f, f), g_g = squares(g, g), f_g = squares(f, g);
  const auto constant = [](double deviation, double all, double epsilon) {
    return !(std::sqrt(deviation) > 4 * epsilon * std::sqrt(all));
  };
  std::vector<double> out;
  for (Index j = 0; j < f.cols(); ++j) {
    const bool none = constant(f_f(j), all_f(j), double{std::numeric_limits<S>::epsilon()}) ||
                      constant(g_g(j), all_g(j), double{std::numeric_limits<T>::epsilon()});
    out.push_back(none ? 0 : f_g(j) / (std::sqrt(f_f(j)) * std::sqrt(g_g(j))));
  }
  return out;
}

/// Fits of two views over processes. A friend of the methods.
struct SpreadPairs {
  template <class Method, class Kx, class Ky, class S, class P, OwnedSamples X, OwnedSamples Y>
  [[nodiscard]] static auto fit(const PairMethodOf<Method, Kx, Ky, S, P>& method,
                                const SpreadRows<X>& x, const SpreadRows<Y>& y,
                                const Observer& observer) {
    static_assert(!solves_pairs<S> && !JointBasisSolver<S>,
                  "mercer::fit_spread: this solver cannot have its pairs in several processes; "
                  "take Nystrom or FeaturePca, or Views of them");
    const FitClock clock;
    const P& params = method.params_;
    const RowSpace& all = x.rows();
    const std::string who(method.method_name());
    // All rows, before those to hold out are taken: they are to be evaluated after the fit.
    check(method, who, x, y);
    const Split split = split_rows(who, all.total(), params.holdout, params.seed);
    const auto judge = [&](const auto& f, const auto& g, PairReport& report) {
      if (split.holdout.empty()) return;
      const SpreadRows<X> held_x = take_spread(x, split.holdout);
      const SpreadRows<Y> held_y = take_spread(y, split.holdout);
      const Index k = report.components;
      report.holdout_samples = held_x.rows().total();
      report.holdout_correlations = spread_correlations<typename X::Scalar, typename Y::Scalar>(
          held_x.rows(), values_by_tiles(f, held_x.local(), k),
          values_by_tiles(g, held_y.local(), k));
    };
    if (split.holdout.empty()) return finish(method, x, y, observer, clock, judge);
    return finish(method, take_spread(x, split.training), take_spread(y, split.training), observer,
                  clock, judge);
  }

  template <Kernel Kx, Kernel Ky, class S, OwnedSamples X, OwnedSamples Y>
  [[nodiscard]] static RegularizationChoice choose(const KernelCca<Kx, Ky, S>& cca,
                                                   const SpreadRows<X>& x, const SpreadRows<Y>& y,
                                                   std::vector<double> grid, Index folds,
                                                   const Observer& observer) {
    const std::string who = "choose_regularization_spread";
    const RowSpace& all = x.rows();
    check(cca, who, x, y);
    std::string words = "folds " + to_text(folds) + ", grid";
    for (const double eps : grid) words.append(" ").append(to_text(eps));
    require_same(all.processes(), "grids", words);
    require_components(who, cca.params().components, cca.params().rank, all.total());
    RegularizationChoice choice = cca.begin_choice(who, std::move(grid));
    bool any = false;  // component of any fold
    for (const auto& [training, held] : fold_rows(who, all.total(), folds, cca.params().seed)) {
      const SpreadRows<X> part_x = take_spread(x, training);
      const SpreadRows<Y> part_y = take_spread(y, training);
      const Index components = (std::min)(cca.params().components, part_x.rows().total());
      const auto fit = bases(cca, part_x, part_y, components, observer);
      choice.status = worse(choice.status, fit.status());
      if (choice.status == Status::Cancelled) break;
      const SpreadRows<X> held_x = take_spread(x, held);
      const SpreadRows<Y> held_y = take_spread(y, held);
      const RowSpace& rows = held_x.rows();
      const Matrix<double> f = values_by_tiles(fit.x.model(), held_x.local(), fit.x.rank()),
                           g = values_by_tiles(fit.y.model(), held_y.local(), fit.y.rank());
      const auto correlations = [&](const Matrix<double>& a, const Matrix<double>& b) {
        return spread_correlations<double, double>(rows, multiply(rows, f, a),
                                                   multiply(rows, g, b));
      };
      any |= cca.add_fold(fit, components, folds, correlations, choice);
    }
    // Processors of several kinds may have other last bits, and choose another ridge.
    Vector<double> scores = Eigen::Map<const Vector<double>>(
        choice.scores.data(), static_cast<Index>(choice.scores.size()));
    all.agree(scores);
    choice.scores.assign(scores.begin(), scores.end());
    cca.end_choice(any, choice);
    return choice;
  }

 private:
  /// Throws InvalidArgument, on all processes, for settings that differ and pairs that a fit cannot
  /// have.
  template <class Method, class Kx, class Ky, class S, class P, OwnedSamples X, OwnedSamples Y>
  static void check(const PairMethodOf<Method, Kx, Ky, S, P>& method, const std::string& who,
                    const SpreadRows<X>& x, const SpreadRows<Y>& y) {
    const P& params = method.params_;
    const RowSpace& all = x.rows();
    require_same(all.processes(), "settings of " + who, words_of(params));
    all.together([&] {
      method.check_parameters();
      if (all.total() != y.rows().total())
        fail("mercer::", who, ": rows are pairs, but view x has ", all.total(), " rows and view y ",
             y.rows().total());
      if (params.centered && all.total() < 2)
        fail("mercer::", who, ": needs at least 2 rows, got 1");
    });
    naming_view("x", [&] { require_spread_samples(who, method.kernel_x(), x); });
    naming_view("y", [&] { require_spread_samples(who, method.kernel_y(), y); });
  }

  template <class P>
  [[nodiscard]] static std::string words_of(const P& params) {
    std::string words = "components " + to_text(params.components);
    words.append(", rank ").append(describe_components(params.rank));
    words.append(params.centered ? ", centred" : ", not centred");
    words.append(", holdout ").append(to_text(params.holdout));
    words.append(", seed ").append(to_text(params.seed));
    if constexpr (requires { params.regularization; })
      for (const auto& eps : {params.regularization, params.regularization_y})
        words.append(", regularization ").append(eps ? to_text(*eps) : "by default");
    return words;
  }

  template <class Method, class Kx, class Ky, class S, class P, OwnedSamples X, OwnedSamples Y,
            class Judge>
  [[nodiscard]] static auto finish(const PairMethodOf<Method, Kx, Ky, S, P>& method,
                                   const SpreadRows<X>& x, const SpreadRows<Y>& y,
                                   const Observer& observer, const FitClock& clock,
                                   const Judge& judge) {
    return method.finish(bases(method, x, y, method.params_.components, observer), clock, judge);
  }

  /// The bases of both views, the same on all processes.
  template <class Method, class Kx, class Ky, class S, class P, OwnedSamples X, OwnedSamples Y>
  [[nodiscard]] static auto bases(const PairMethodOf<Method, Kx, Ky, S, P>& method,
                                  const SpreadRows<X>& x, const SpreadRows<Y>& y, Index components,
                                  const Observer& observer) {
    const RowSpace& rows = x.rows();
    require_components(method.method_name(), components, method.params_.rank, rows.total());
    BasisRequest request = method.basis_request().for_samples(rows.total());
    std::size_t& left = request.memory_budget;  // of both views together; 0: by default
    const auto basis = [&](std::string_view view, const auto& kernel, const auto& solver,
                           const auto& samples) {
      const KernelPca pca{kernel, solver, request.for_pca()};
      static_assert(
          requires { spread_basis(pca, samples, observer); },
          "mercer::fit_spread: the bases of two views over processes need Nystrom or FeaturePca, "
          "or Views of them");
      auto found = naming_view(view, [&] { return spread_basis(pca, samples, observer); });
      // Counted for all rows, as other budgets are: the same on any number of processes.
      const auto kept = static_cast<std::size_t>(rows.total()) *
                        static_cast<std::size_t>(found.scores.cols()) * sizeof(double);
      if (left > 0) left = (std::max)(left - (std::min)(left, kept), std::size_t{1});
      return found;
    };
    auto of_x = basis("x", method.kernel_x(), solver_of<0>(method.solver()), x);
    auto of_y = basis("y", method.kernel_y(), solver_of<1>(method.solver()), y);
    Matrix<double> cross = inner(rows, of_x.scores, of_y.scores);
    Vector<double> means_x = column_means(rows, of_x.scores),
                   means_y = column_means(rows, of_y.scores);
    rows.agree(cross);
    rows.agree(means_x);
    rows.agree(means_y);
    return PairFit(ViewBasis(std::move(of_x.model), std::move(means_x)),
                   ViewBasis(std::move(of_y.model), std::move(means_y)), rows.total(),
                   std::move(cross));
  }
};

}  // namespace detail

/// Kernel CCA of pairs whose rows are in several processes: rows of \p x and of \p y with the same
/// number are a pair. The solver is Nystrom or FeaturePca, or Views of them, so that the bases of
/// the views are models over landmarks or features. The result is an ordinary model, the same on
/// all processes if their processors have the same instructions. With order-free sums it has the
/// same bits on any number of them.
///
/// It is that of the same pairs in one process, up to rounding, and up to signs: the coefficient of
/// largest absolute value of each function of view x is positive, as in fits to streams.
/// Cost: that of two fits of kernel PCA over processes, n r^2 / P operations for bases of rank r,
///   and one message of r^2 numbers.
/// Memory: n r / P scores of each view, and what the fits of kernel PCA hold.
/// Throws InvalidArgument, on all processes, in the cases of KernelCca::fit(), and if processes
///   have different kernels or settings. Collective.
template <Kernel Kx, Kernel Ky, class S, OwnedSamples X, OwnedSamples Y>
[[nodiscard]] auto fit_spread(const KernelCca<Kx, Ky, S>& cca, const SpreadRows<X>& x,
                              const SpreadRows<Y>& y, const Observer& observer = {}) {
  return detail::SpreadPairs::fit(cca, x, y, observer);
}

/// Chooses the ridge of kernel CCA by cross-validation, of pairs whose rows are in several
/// processes: KernelCca::choose_regularization(), with the same folds. The choice is the same on
/// all processes, and with order-free sums has the same bits on any number of them.
/// \param grid   relative ridges above 0
/// Cost: for each fold that of one fit_spread(), and a small singular value decomposition for each
///   ridge, on each process.
/// Status: Cancelled, with neither scores nor a choice, if the observer of any process stops a
///   fold.
/// Throws InvalidArgument, on all processes, as fit_spread(), for an empty grid, for folds with
///   fewer than two pairs, and if processes have different grids. Collective.
template <Kernel Kx, Kernel Ky, class S, OwnedSamples X, OwnedSamples Y>
[[nodiscard]] RegularizationChoice choose_regularization_spread(
    const KernelCca<Kx, Ky, S>& cca, const SpreadRows<X>& x, const SpreadRows<Y>& y,
    std::vector<double> grid = KernelCca<Kx, Ky, S>::powers_of_ten(), Index folds = 5,
    const Observer& observer = {}) {
  return detail::SpreadPairs::choose(cca, x, y, std::move(grid), folds, observer);
}

/// Kernel SVD of pairs whose rows are in several processes; all else as for KernelCca.
template <Kernel Kx, Kernel Ky, class S, OwnedSamples X, OwnedSamples Y>
[[nodiscard]] auto fit_spread(const KernelSvd<Kx, Ky, S>& svd, const SpreadRows<X>& x,
                              const SpreadRows<Y>& y, const Observer& observer = {}) {
  return detail::SpreadPairs::fit(svd, x, y, observer);
}

}  // namespace mercer

#endif  // MERCER_MODELS_SPREAD_SPREAD_PAIRS_HPP
