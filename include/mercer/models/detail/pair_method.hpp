// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What kernel SVD and kernel CCA share: settings, and fits to samples and to streams of pairs.

#ifndef MERCER_MODELS_DETAIL_PAIR_METHOD_HPP
#define MERCER_MODELS_DETAIL_PAIR_METHOD_HPP

#include <string_view>
#include <type_traits>
#include <utility>

#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/streams/pair_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/models/detail/pair_streams.hpp>
#include <mercer/models/detail/two_views.hpp>
#include <mercer/models/pair_report.hpp>

namespace mercer::detail {

struct SpreadPairs;  // fits over processes, in models/spread/spread_pairs.hpp

/// A method for two views, whose parts are:
/// - `name`: "KernelSvd::fit" and so on, for messages;
/// - `check() const`: throws for parameters of its own;
/// - `pair_request() const`: what to ask a solver of pairs for;
/// - `from_bases(fit, judge) const`: the model from bases of the views;
/// - `from_steps(found) const`: the model from the functions of a solver of pairs.
/// Here `judge(f, g, report)` reports what held-out pairs say of the functions f and g.
/// \tparam Method  the method itself
/// \tparam P       its parameters, with components, rank, centered, holdout, zero_threshold,
///   memory_budget and seed
template <class Method, class Kx, class Ky, class S, class P>
class PairMethodOf {
  friend struct SpreadPairs;

 public:
  using Params = P;

  [[nodiscard]] const Kx& kernel_x() const { return views_.kernel_x; }
  [[nodiscard]] const Ky& kernel_y() const { return views_.kernel_y; }
  [[nodiscard]] const S& solver() const { return views_.solver; }
  [[nodiscard]] const P& params() const { return params_; }

  /// Fits to pairs (x_i, y_i): the rows of \p x and of \p y, dense or sparse, of float or double.
  /// The views may differ in all of this. For Precomputed, pass the n x n Gram matrix.
  /// Memory: for each view that of its kernel PCA, and n x r scores, which are held together.
  ///   Scores over landmarks or features that exceed the budget are not held: kernel values or
  ///   features are then computed up to three times more.
  /// Throws InvalidArgument for different numbers of rows, for fewer than two rows (one, if not
  ///   centred), for samples that KernelPca does not take, for parameters out of range, and, for
  ///   kernel CCA, for no ridge where every correlation would be 1.
  template <class X, class Y>
    requires(!PairStream<X>)
  [[nodiscard]] auto fit(const X& x, const Y& y, const Observer& observer = {}) const {
    const FitClock clock;
    const OwnedSamplesOf<X>& all_x = x;
    const OwnedSamplesOf<Y>& all_y = y;
    check(Method::name, all_x, all_y);
    const TrainingPairs pairs(Method::name, views_, all_x, all_y, params_.holdout, params_.seed);
    const auto judge = [&](const auto& f, const auto& g, PairReport& r) { pairs.judge(f, g, r); };
    if constexpr (solves_pairs<S>)
      return as_stream(pairs,
                       [&](auto& rows) { return fit_steps(rows, observer, {}, clock, judge); });
    else
      return finish(bases(Method::name, pairs.x(), pairs.y(), params_.components, observer), clock,
                    judge);
  }

  /// Fits to a stream of pairs, with solvers over features, or Views of two. FeaturePca takes one
  /// pass. The result is that of the same pairs in memory, up to rounding, and up to signs: the
  /// coefficient of largest absolute value of each function of view x is positive.
  ///
  /// DoublyStochastic takes stochastic steps over batches of pairs; see there, and
  /// report().stochastic. Then the dependence() of kernel SVD is the sum over the components found.
  /// The correlations() of kernel CCA are those of the functions in the two spans found, without
  /// the ridge, and the functions have variance 1 at the evaluated pairs.
  /// \param checkpoints  with DoublyStochastic: PairCheckpoints
  /// Memory: the second moments of the features of both views, or with DoublyStochastic the
  ///   coefficients; independent of n.
  /// Throws InvalidArgument as above and as the solver, and for pairs to hold out.
  template <class Pairs>
    requires PairStream<std::remove_cvref_t<Pairs>>
  [[nodiscard]] auto fit(Pairs&& pairs, const Observer& observer = {},
                         const PairCheckpointsOf<S>& checkpoints = {}) const {
    const FitClock clock;
    method().check();
    require_no_holdout(Method::name, params_.holdout);
    const auto judge = [](const auto&, const auto&, PairReport&) {};
    if constexpr (solves_pairs<S>) {
      return fit_steps(pairs, observer, checkpoints, clock, judge);
    } else {
      static_cast<void>(checkpoints);
      return finish(
          stream_bases(Method::name, views_, pairs, params_.components, basis_request(), observer),
          clock, judge);
    }
  }

 protected:
  PairMethodOf(Kx kernel_x, Ky kernel_y, S solver, P params)
      : views_{std::move(kernel_x), std::move(kernel_y), std::move(solver)}, params_(params) {}

  template <OwnedSamples X, OwnedSamples Y>
  void check(std::string_view who, const X& x, const Y& y) const {
    method().check();
    views_.check(who, x, y, params_.centered);
  }

  /// The bases of both views, all that a fit needs of the samples.
  template <OwnedSamples X, OwnedSamples Y>
  [[nodiscard]] auto bases(std::string_view who, const X& x, const Y& y, Index components,
                           const Observer& observer) const {
    require_components(who, components, params_.rank, x.rows());
    const BasisRequest request = basis_request();
    if constexpr (JointBasisSolver<S>) {
      auto found = views_.solver.solve_jointly(views_.kernel_x, x, views_.kernel_y, y,
                                               request.for_samples(x.rows()).for_solver(),
                                               components, observer);
      return PairFit{basis_of(views_.kernel_x, x, std::move(found.x), params_.centered),
                     basis_of(views_.kernel_y, y, std::move(found.y), params_.centered), x.rows()};
    } else {
      ViewFits fits(request, observer);
      return PairFit{views_.basis_x(x, fits), views_.basis_y(y, fits), x.rows()};
    }
  }

  TwoViews<Kx, Ky, S> views_;
  P params_;

 private:
  [[nodiscard]] const Method& method() const { return static_cast<const Method&>(*this); }
  // What SpreadPairs needs of the method, of which it is no friend.
  [[nodiscard]] static constexpr std::string_view method_name() { return Method::name; }
  void check_parameters() const { method().check(); }

  [[nodiscard]] BasisRequest basis_request() const {
    return {.rank = params_.rank,
            .centered = params_.centered,
            .zero_threshold = params_.zero_threshold,
            .memory_budget = params_.memory_budget};
  }

  template <class Pairs, class Judge>
  [[nodiscard]] auto fit_steps(Pairs& pairs, const Observer& observer,
                               const PairCheckpointsOf<S>& checkpoints, const FitClock& clock,
                               const Judge& judge) const {
    auto found = stream_functions(Method::name, views_, pairs, method().pair_request(), checkpoints,
                                  observer);
    judge(found.x, found.y, found.report);
    clock.report(found.report);
    return method().from_steps(std::move(found));
  }

  template <class Fit, class Judge>
  [[nodiscard]] auto finish(const Fit& fit, const FitClock& clock, const Judge& judge) const {
    const auto timed = [&](const auto& f, const auto& g, PairReport& report) {
      judge(f, g, report);
      clock.report(report);
    };
    return method().from_bases(fit, timed);
  }
};

}  // namespace mercer::detail

#endif  // MERCER_MODELS_DETAIL_PAIR_METHOD_HPP
