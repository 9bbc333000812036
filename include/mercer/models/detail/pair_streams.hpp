// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Fits of two views to a stream of pairs.

#ifndef MERCER_MODELS_DETAIL_PAIR_STREAMS_HPP
#define MERCER_MODELS_DETAIL_PAIR_STREAMS_HPP

#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/memory.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/pair_stream.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/streams/zip_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/models/detail/two_views.hpp>
#include <mercer/models/detail/view_basis.hpp>
#include <mercer/models/feature_functions.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <mercer/models/pair_report.hpp>
#include <mercer/solvers/feature_solver.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/pair_solver.hpp>

namespace mercer::detail {

/// The solvers of the two views of T, which is one solver or Views.
template <class T>
using SolverXOf = std::remove_cvref_t<decltype(solver_of<0>(std::declval<const T&>()))>;
template <class T>
using SolverYOf = std::remove_cvref_t<decltype(solver_of<1>(std::declval<const T&>()))>;

/// Throws InvalidArgument if a share of the pairs of a stream is to be held out.
inline void require_no_holdout(std::string_view who, double holdout) {
  if (holdout != 0)
    fail("mercer::", who, ": the pairs of a stream cannot be held out, got holdout ", holdout,
         "; read others, and ask the model for correlations(X, Y) of them");
}

/// The bases of two views of a stream of pairs, from one pass.
template <class Kx, class Ky, class S, class P>
[[nodiscard]] auto stream_bases(std::string_view who, const TwoViews<Kx, Ky, S>& views, P& pairs,
                                Index components, const BasisRequest& request,
                                const Observer& observer) {
  using Sx = SolverXOf<S>;
  using Sy = SolverYOf<S>;
  static_assert(PairBasisSolver<Sx> && PairBasisSolver<Sy>,
                "mercer: these solvers need all samples in memory; FeaturePca and DoublyStochastic "
                "take streams of pairs");
  static_assert(FeatureMapFor<FeatureMapOf<Sx>, Kx> && FeatureMapFor<FeatureMapOf<Sy>, Ky>,
                "mercer: the solver's feature map has no features for the kernel of a view");
  using Scalar = typename P::Scalar;
  require_components(who, components, request.rank, endless);
  JoinedStream rows(pairs);
  FeatureBases<Scalar> found =
      solver_of<0>(views.solver)
          .bases(views.kernel_x, solver_of<1>(views.solver), views.kernel_y,
                 SampleStreamView<Scalar>(rows), pairs.dimension_x(), request.for_solver(),
                 request.rank_y.value_or(request.rank), observer);
  const Index n = found.x.report.samples, least = request.centered ? 2 : 1;
  if (n < least)
    fail("mercer::", who, ": needs at least ", least, " pairs, got ", n, " from ", rows.name());
  require_components(who, components, request.rank, n);
  found.x.report.kernel = describe(views.kernel_x);
  found.y.report.kernel = describe(views.kernel_y);
  using ModelX = FeaturePcaModel<Kx, FeatureMapOf<Sx>, Scalar>;
  using ModelY = FeaturePcaModel<Ky, FeatureMapOf<Sy>, Scalar>;
  ViewBasis<ModelX> x(ModelX(views.kernel_x, solver_of<0>(views.solver).map(), std::move(found.x),
                             request.centered),
                      std::move(found.mean_x));
  ViewBasis<ModelY> y(ModelY(views.kernel_y, solver_of<1>(views.solver).map(), std::move(found.y),
                             request.centered),
                      std::move(found.mean_y));
  return PairFit(std::move(x), std::move(y), n, std::move(found.cross));
}

/// True if T, one solver or Views, finds functions of two views from a stream of their pairs.
template <class T>
inline constexpr bool solves_pairs = PairSolver<SolverXOf<T>>&& PairSolver<SolverYOf<T>>;

/// The checkpoints that fits of pairs with T take; for most solvers there are none.
struct NoCheckpoints {};
template <class T>
struct CheckpointsOf {
  using Type = NoCheckpoints;
};
template <class T>
  requires solves_pairs<T>
struct CheckpointsOf<T> {
  using Type = typename SolverXOf<T>::PairCheckpoints;
};
template <class T>
using PairCheckpointsOf = typename CheckpointsOf<T>::Type;

/// The functions of two views and what is known of them.
template <class Fx, class Fy>
struct StreamedFunctions {
  Fx x;
  Fy y;
  Vector<double> values;
  PairReport report;
};

/// The functions that a PairSolver finds in a stream of pairs.
template <class Kx, class Ky, class S, class P>
[[nodiscard]] auto stream_functions(std::string_view who, const TwoViews<Kx, Ky, S>& views,
                                    P& pairs, PairRequest request,
                                    const PairCheckpointsOf<S>& checkpoints,
                                    const Observer& observer) {
  using Mx = FeatureMapOf<SolverXOf<S>>;
  using My = FeatureMapOf<SolverYOf<S>>;
  static_assert(FeatureMapFor<Mx, Kx> && FeatureMapFor<My, Ky>,
                "mercer: the solver's feature map has no features for the kernel of a view");
  using Scalar = typename P::Scalar;
  require_components(who, request.components, request.components, endless);
  JoinedStream rows(pairs);
  if (request.memory_budget == 0) request.memory_budget = default_memory_budget();
  request.choice = "solver as asked for";
  PairSolution<Scalar> found =
      solver_of<0>(views.solver)
          .solve_pairs(views.kernel_x, solver_of<1>(views.solver), views.kernel_y,
                       SampleStreamView<Scalar>(rows), pairs.dimension_x(), request, checkpoints,
                       observer);
  require_components(who, request.components, request.components, found.report_x.samples);
  found.report_x.kernel = describe(views.kernel_x);
  found.report_y.kernel = describe(views.kernel_y);
  PairReport report;
  report.method = to_string(request.method);
  report.status = found.report_x.status;
  report.samples = found.report_x.samples;
  report.components = found.values.size();
  report.components_requested = request.components;
  report.error_bounds = std::move(found.error_bounds);
  report.training_correlations = std::move(found.training_correlations);
  report.stochastic = found.details;
  report.bytes = found.report_x.bytes;
  const auto view = [](Report& basis, const FeatureExpansion<Scalar>& expansion,
                       const std::optional<double>& kappa, std::vector<double>& residuals) {
    ViewReport out;
    out.residuals = std::move(residuals);
    out.rank = expansion.coefficients.rows();
    out.basis = std::move(basis);
    out.kappa = kappa;
    return out;
  };
  report.views = {view(found.report_x, found.x, found.kappa_x, found.residuals_x),
                  view(found.report_y, found.y, found.kappa_y, found.residuals_y)};
  using Fx = FeatureFunctions<Kx, Mx, Scalar>;
  using Fy = FeatureFunctions<Ky, My, Scalar>;
  return StreamedFunctions<Fx, Fy>{
      Fx(views.kernel_x, solver_of<0>(views.solver).map(), std::move(found.x)),
      Fy(views.kernel_y, solver_of<1>(views.solver).map(), std::move(found.y)),
      std::move(found.values), std::move(report)};
}

/// Calls use(pairs) with the training pairs as a stream.
template <class X, class Y, class Use>
[[nodiscard]] auto as_stream(const TrainingPairs<X, Y>& pairs, const Use& use) {
  static_assert(std::same_as<typename X::Scalar, typename Y::Scalar>,
                "mercer: this solver needs both views in the same precision; cast one of them");
  MatrixStream x(pairs.x());
  MatrixStream y(pairs.y());
  ZipStream stream(x, y);
  return use(stream);
}

}  // namespace mercer::detail

#endif  // MERCER_MODELS_DETAIL_PAIR_STREAMS_HPP
