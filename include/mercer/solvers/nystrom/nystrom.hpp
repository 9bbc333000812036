// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Nystroem's method: components over a few landmarks, in time linear in the number of samples.

#ifndef MERCER_SOLVERS_NYSTROM_NYSTROM_HPP
#define MERCER_SOLVERS_NYSTROM_NYSTROM_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/nystrom/detail/nystrom_components.hpp>
#include <mercer/solvers/nystrom/detail/nystrom_factor.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>

namespace mercer {

struct NystromParams {
  /// m. 0: max(10 k, 200), or 500 for a fraction of variance, but at most n. With a trace_tolerance
  /// this is the least number of landmarks; 0 for a selector that follows the residual: k + 1.
  Index landmarks = 0;
  double trace_tolerance = 0;    ///< add landmarks until tr(K - K~) <= trace_tolerance tr K; 0: off
  Index max_landmarks = 0;       ///< with a trace_tolerance; 0: max(4096, landmarks), at most n
  Index certificate_rows = 128;  ///< rows to estimate |K u - mu u| from, at least
  std::uint64_t seed = 1;

  /// Throws InvalidArgument for negative numbers of landmarks, a trace_tolerance outside [0, 1), a
  ///   maximum below the number of landmarks, and certificate_rows < 2.
  void validate() const {
    if (landmarks < 0)
      detail::fail("mercer::Nystrom: landmarks must not be negative, got ", landmarks);
    if (!(trace_tolerance >= 0 && trace_tolerance < 1))
      detail::fail("mercer::Nystrom: trace_tolerance must be in [0, 1), got ", trace_tolerance);
    if (max_landmarks < 0)
      detail::fail("mercer::Nystrom: max_landmarks must not be negative, got ", max_landmarks);
    if (max_landmarks > 0 && max_landmarks < landmarks)
      detail::fail("mercer::Nystrom: max_landmarks, ", max_landmarks,
                   ", must not be below landmarks, ", landmarks);
    detail::require_at_least("Nystrom", "certificate_rows", certificate_rows, Index{2});
  }
};

/// Components of K~ = K(X, P) K(P, P)^+ K(P, X) for m landmarks P. K~ is the best approximation of
/// K by functions over the landmarks.
///
/// \code
///   KernelPca pca{Gaussian{1.5}, Nystrom{Uniform{}, {.landmarks = 500}}, {.components = 20}};
/// \endcode
/// K - K~ is positive semidefinite. So no eigenvalue of K~ exceeds the one of K, and they differ by
/// at most tr(K - K~). The report has this bound, the trace_error of NystromDetails, and
/// |K u - mu u| estimated from a sample of rows. With m = n landmarks the result is exact.
///
/// The components are orthonormal, of unit norm, and centred with their own mean over all n samples
/// (not over the landmarks). report.trace is tr K - n |mean|^2 with that mean; it differs from the
/// exact one by at most trace_error.
///
/// The selector L chooses the landmarks: RpCholesky (the default), GreedyCholesky, Uniform,
/// KMeansLandmarks, Given. Landmarks that depend linearly on the others, up to rounding, are
/// dropped (pivots up to 1e-12 of the largest). With given landmarks, NystromPcaMoments sum over
/// parts of the rows, on several machines, and merge to the model of all.
///
/// Samples of double: kernel values with the landmarks, and the products of n rows, are in single
/// precision if n is at least 4096, the landmarks are samples, and rounding is far below what the
/// landmarks leave out: the trace error exceeds 1/128 of the trace, and sampled kernel values and
/// the condition of K(P, P) promise that rounding errors stay below 1/100 of it. Then scores and
/// directions have the accuracy of single precision. The components are still orthonormal in
/// double, and the residuals are estimated from kernel values in double. If they exceed the trace
/// error, or if components are lost, the fit is repeated in double.
/// request.precision = Precision::Double, or `.precision` of KernelPca, prevents it;
/// report.precision says what was done.
///
/// Samples may have weights: they count in the choice of landmarks (not of given ones), in the
/// mean, in the eigenproblem, in the trace error and in the residuals, for which a part of the rows
/// is drawn in proportion to them. All is in the precision of the samples.
///
/// \tparam L  models LandmarkSelector
/// Shapes: X n x d.
/// Cost: O(n m (d + m)) time, on all threads: n m^2 operations for the products of rows, and twice
///   that for RpCholesky and GreedyCholesky, or where K(P, P) is ill-conditioned. Kernel values
///   with the landmarks are computed once if n m values fit into the memory budget, and with
///   RpCholesky and GreedyCholesky they are those of the selection. Otherwise they are computed
///   twice. Then O(m^3), and the kernel values of certificate_rows()
///   rows.
/// Memory: n m values if they fit into the budget; else n k values and a few times m^2, and what
///   the selector holds.
/// Threads: the result does not depend on their number.
/// Status: NotConverged if max_landmarks do not reach the trace_tolerance, if all components
///   together explain less than the fraction asked for, or if the landmarks hold fewer components
///   than were asked for and the samples have more. Then take more landmarks. NotConverged also if
///   rounding errors of kernel values hide components. Converged says nothing of residuals: see
///   these, and the bounds, in the report.
/// Random: params.seed, as the selector. The rows of the certificate: see certificate_rows().
/// Throws InvalidArgument for parameters out of range, fewer landmarks than the components need,
///   and indefinite kernels; Exact and BlockKrylov take these.
/// Source: Williams, Seeger, Using the Nystroem method to speed up kernel machines, 2001; error
///   bounds by Weyl's inequality.
/// Source: Fowlkes, Belongie, Chung, Malik, Spectral grouping using the Nystroem method, 2004: the
///   eigenproblem of F^T F from products of kernel values, whitened as a small matrix.
template <LandmarkSelector L = RpCholesky>
class Nystrom {
 public:
  using Params = NystromParams;

  Nystrom() requires std::default_initializable<L>
  = default;

  /// Throws InvalidArgument for parameters out of range.
  explicit Nystrom(L selector, NystromParams params = {})
      : selector_(std::move(selector)), params_(params) {
    params.validate();
  }

  [[nodiscard]] const L& selector() const { return selector_; }
  [[nodiscard]] const NystromParams& params() const { return params_; }
  /// Whether it follows the weights of samples.
  [[nodiscard]] static constexpr bool takes_weights() { return true; }

  template <OwnedSamples X>
  [[nodiscard]] KernelSolution<X> solve(const std::type_identity_t<KernelView<X>>& kernel,
                                        const X& samples, const KernelRequest& request,
                                        const Observer& observer = {}) const {
    return solve_rows<X>(kernel, RowSpace::whole(samples.rows()), samples, request, observer,
                         [&](const LandmarkRequest& ask) {
                           return selector_.select(kernel, samples, ask, observer);
                         });
  }

  /// The same for samples whose rows may be spread over processes; see fit_spread(). Scores are the
  /// rows of this process, all else is the same on all.
  /// \param samples  the rows of this process
  /// \param select   the Landmarks for a LandmarkRequest, the same on all processes
  /// Collective.
  template <OwnedSamples X, class Select>
  [[nodiscard]] KernelSolution<X> solve_rows(const std::type_identity_t<KernelView<X>>& kernel,
                                             const RowSpace& space, const X& samples,
                                             const KernelRequest& request, const Observer& observer,
                                             const Select& select) const;

 private:
  /// Checks the whole request, and returns the request for the first landmarks.
  [[nodiscard]] LandmarkRequest first_request(Index n, Index cols,
                                              const KernelRequest& request) const {
    if (n == 0 || cols == 0)
      detail::fail("mercer::Nystrom: needs at least one row and one column, got ", n, " x ", cols);
    const Components& components = request.pairs.components;
    components.validate(n);
    Index count = params_.landmarks;
    if constexpr (detail::FixedCount<L>) {
      if (count != 0 && count != selector_.count())
        detail::fail("mercer::Nystrom: landmarks is ", count, ", but ", selector_.count(),
                     " are given; leave it 0");
      count = selector_.count();
    } else {
      if (count > n)
        detail::fail("mercer::Nystrom: landmarks must not exceed the number of samples, ", n,
                     ", got ", count);
      const Index automatic =
          components.is_fraction() ? 500 : (std::max)(10 * components.count(), Index{200});
      if (count == 0) count = (std::min)(n, automatic);
      // The automatic number must not exceed a maximum that the user gave alone.
      if (params_.max_landmarks > 0) count = (std::min)(count, params_.max_landmarks);
    }
    const Index needed = components.is_fraction() ? 1 : (std::min)(components.count() + 1, n);
    if (count < needed)
      detail::fail("mercer::Nystrom: ", components.count(), " components need at least ", needed,
                   " landmarks, got ", count);
    return {.count = count,
            .least = params_.landmarks > 0 ? count : needed,
            .trace_tolerance = params_.trace_tolerance,
            .memory_budget = request.memory_budget,
            .seed = params_.seed};
  }

  [[nodiscard]] Index last_count(Index n, const LandmarkRequest& first) const {
    if (detail::FixedCount<L> || params_.trace_tolerance == 0) return first.count;
    const Index most =
        params_.max_landmarks > 0 ? params_.max_landmarks : (std::max)(Index{4096}, first.count);
    return (std::min)(n, most);
  }

  [[no_unique_address]] L selector_{};
  NystromParams params_;
};

template <LandmarkSelector L>
template <OwnedSamples X, class Select>
KernelSolution<X> Nystrom<L>::solve_rows(const std::type_identity_t<KernelView<X>>& kernel,
                                         const RowSpace& space, const X& samples,
                                         const KernelRequest& request, const Observer& observer,
                                         const Select& select) const {
  LandmarkRequest ask = first_request(space.total(), samples.cols(), request);
  const Index last = last_count(space.total(), ask);
  if constexpr (detail::FollowsResidual<L>)
    if (params_.trace_tolerance > 0) ask.count = last;
  detail::NystromFit<X> fit(kernel, space, samples, request, observer);
  ask.single = fit.takes_single();
  ask.weights = request.weights;
  for (Index before = 0;;) {
    Landmarks<X> landmarks = [&] {
      PhaseTimer timer(Phase::Landmarks);
      Landmarks<X> chosen = select(ask);
      timer.count(static_cast<std::size_t>(chosen.evaluations) * sizeof(typename X::Scalar));
      return chosen;
    }();
    const Index count = landmarks.points.rows();
    if (!fit.approximate(std::move(landmarks))) return fit.cancelled();
    const double target = params_.trace_tolerance * fit.gram_trace();
    double error = fit.trace_error();
    space.agree(error);
    if (params_.trace_tolerance == 0 || error <= target) break;
    // The last block of landmarks may reach a lower tolerance, too: the same landmarks again.
    constexpr double least_tolerance = std::numeric_limits<double>::epsilon();
    const bool stays = count == before;
    const bool may_go_on = detail::FollowsResidual<L> && ask.trace_tolerance >= least_tolerance;
    if (count == last || (stays && !may_go_on)) {
      fit.not_converged();
      break;
    }
    before = count;
    ask.count = (std::min)(2 * ask.count, last);
    // Rows outside of a selector's pool may be approximated less well than rows in it.
    ask.trace_tolerance *= (stays ? 1.0 / 16 : 1.0) * target / (2 * error);
    fit.discard();
  }
  KernelSolution<X> solution = fit.components(params_.certificate_rows, params_.seed);
  if (!fit.spoiled_by_single() || solution.report.status == Status::Cancelled) return solution;
  KernelRequest in_double = request;
  in_double.precision = Precision::Double;
  if (!in_double.choice.empty()) in_double.choice += "; ";
  in_double.choice += "double precision by the certificate of a fit in single precision";
  return solve_rows<X>(kernel, space, samples, in_double, observer, select);
}

template <LandmarkSelector L>
Nystrom(L) -> Nystrom<L>;
template <LandmarkSelector L>
Nystrom(L, NystromParams) -> Nystrom<L>;

}  // namespace mercer

#endif  // MERCER_SOLVERS_NYSTROM_NYSTROM_HPP
