// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Fits of two views to a stream of pairs.

#ifndef MERCER_MODELS_DETAIL_PAIR_STREAMS_HPP
#define MERCER_MODELS_DETAIL_PAIR_STREAMS_HPP

#include <string_view>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/memory.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/streams/pair_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/models/detail/two_views.hpp>
#include <mercer/models/detail/view_basis.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <mercer/solvers/feature_solver.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/pair_solver.hpp>

namespace mercer::detail {

/// The solvers of the two views of T, which is one solver or Views.
template <class T>
using SolverXOf = std::remove_cvref_t<decltype(solver_x(std::declval<const T&>()))>;
template <class T>
using SolverYOf = std::remove_cvref_t<decltype(solver_y(std::declval<const T&>()))>;

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
                "mercer: these solvers need all samples in memory; FeaturePca takes streams of "
                "pairs, and its features for both views");
  static_assert(FeatureMapFor<FeatureMapOf<Sx>, Kx> && FeatureMapFor<FeatureMapOf<Sy>, Ky>,
                "mercer: the solver's feature map has no features for the kernel of a view");
  using Scalar = typename P::Scalar;
  require_components(who, components, request.rank, endless);
  JoinedStream rows(pairs);
  const std::size_t given = request.memory_budget;
  FeatureBases<Scalar> found =
      solver_x(views.solver)
          .bases(views.kernel_x, solver_y(views.solver), views.kernel_y,
                 SampleStreamView<Scalar>(rows), pairs.dimension_x(),
                 {.pairs = {.components = request.rank, .zero_threshold = request.zero_threshold},
                  .centered = request.centered,
                  .memory_budget = given > 0 ? given : default_memory_budget(),
                  .choice = "solver as asked for"},
                 observer);
  const Index n = found.x.report.samples, least = request.centered ? 2 : 1;
  if (n < least)
    fail("mercer::", who, ": needs at least ", least, " pairs, got ", n, " from ", rows.name());
  require_components(who, components, request.rank, n);
  found.x.report.kernel = describe(views.kernel_x);
  found.y.report.kernel = describe(views.kernel_y);
  using ModelX = FeaturePcaModel<Kx, FeatureMapOf<Sx>, Scalar>;
  using ModelY = FeaturePcaModel<Ky, FeatureMapOf<Sy>, Scalar>;
  ViewBasis<ModelX> x(
      ModelX(views.kernel_x, solver_x(views.solver).map(), std::move(found.x), request.centered),
      std::move(found.mean_x));
  ViewBasis<ModelY> y(
      ModelY(views.kernel_y, solver_y(views.solver).map(), std::move(found.y), request.centered),
      std::move(found.mean_y));
  return PairFit(std::move(x), std::move(y), n, std::move(found.cross));
}

}  // namespace mercer::detail

#endif  // MERCER_MODELS_DETAIL_PAIR_STREAMS_HPP
