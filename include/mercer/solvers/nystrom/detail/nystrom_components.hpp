// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Components, scores, error bounds and certificates from Nystroem's factor.

#ifndef MERCER_SOLVERS_NYSTROM_DETAIL_NYSTROM_COMPONENTS_HPP
#define MERCER_SOLVERS_NYSTROM_DETAIL_NYSTROM_COMPONENTS_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/machine/memory.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/order_free_sum.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/row_sums.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/operators/gram_plan.hpp>
#include <mercer/solvers/detail/complete_expansion.hpp>
#include <mercer/solvers/detail/expansion_scores.hpp>
#include <mercer/solvers/detail/judge_rounding.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/nystrom/detail/nystrom_expansion.hpp>
#include <mercer/solvers/nystrom/detail/nystrom_factor.hpp>
#include <mercer/solvers/nystrom/detail/partial_cholesky.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>

namespace mercer::detail {

/// A run of Nystroem's method: call approximate() once or more, then components(). All but the
/// small questions are collective.
template <OwnedSamples X>
class NystromFit {
 public:
  using S = typename X::Scalar;

  /// \param samples  the rows of this process
  /// Throws InvalidArgument for samples that are not finite or outside the kernel's domain, and for
  ///   k(x, x) that are negative or not finite.
  /// Lifetime: refers to samples, observer and processes.
  NystromFit(const KernelView<X>& kernel, const RowSpace& space, const X& samples,
             const KernelRequest& request, const Observer& observer);

  /// tr K.
  [[nodiscard]] double gram_trace() const { return gram_trace_; }
  /// tr(K - K~) of the last approximation.
  [[nodiscard]] double trace_error() const { return details_.trace_error; }

  /// Whether kernel values of the samples are welcome in single precision.
  [[nodiscard]] bool takes_single() const { return single_error_ < 1; }

  /// Computes K~ for these landmarks, which replaces the last one. Returns false if cancelled.
  [[nodiscard]] bool approximate(Landmarks<X> landmarks);

  /// Releases most of the memory of the last approximation, before the next one.
  void discard() {
    factor_ = {};
    rows_ = {};
    single_rows_ = {};
  }

  /// True if components in single precision miss what was asked for, so that the fit must be done
  /// again in double. To be asked after components().
  [[nodiscard]] bool spoiled_by_single() const { return spoiled_; }

  /// Says that the components are not good enough, whatever comes later.
  void not_converged() { missed_ = true; }

  /// A solution without components, for a run that the observer stopped.
  [[nodiscard]] KernelSolution<X> cancelled() const;

  /// The components of the last approximation. Call once.
  [[nodiscard]] KernelSolution<X> components(Index certificate_rows, std::uint64_t seed);

 private:
  using Single = SamplesIn<float, X>;

  /// True if the memory budget holds so many columns of values for all samples.
  [[nodiscard]] bool holds_values(Index cols, std::size_t value_size) const {
    return static_cast<std::size_t>(space_.total()) * static_cast<std::size_t>(cols) * value_size <=
           request_.memory_budget;
  }
  /// True if the scores of this many components exceed the budget, and the caller can do without.
  [[nodiscard]] bool leaves_out_scores(Index components) const {
    return request_.factored_scores && !rows_.held && !single_rows_.held &&
           !holds_values(components, sizeof(S));
  }
  template <Real T>
  [[nodiscard]] bool holds_squares() const;
  void choose_rows(const Landmarks<X>& landmarks);
  void sum_rows(const Landmarks<X>& landmarks);
  [[nodiscard]] Matrix<double> principal_directions();
  [[nodiscard]] bool score(const Matrix<double>& directions);
  [[nodiscard]] bool compute_scores();
  template <Real T>
  void score_rows(FactorRows<T>& rows, const Matrix<double>& turn);
  [[nodiscard]] bool in_single() const { return solution_.report.precision != precision_of<S>; }
  void certify(Index certificate_rows, std::uint64_t seed);
  void count_bytes(std::size_t selection);

  KernelView<X> kernel_;
  RowSpace space_;
  const X& samples_;
  KernelRequest request_;
  const Observer& observer_;
  double gram_trace_ = 0;
  int largest_ = 0;  ///< exponent of the largest k(x, x)
  /// Relative error of kernel values in single precision; 1: they are not welcome.
  double single_error_ = 1;
  NystromFactor<X> factor_;
  FactorRows<S> rows_;  // of the samples; if in_single(), single_rows_
  FactorRows<float> single_rows_;
  Single single_points_{0, 0};  ///< the landmarks, if in_single() and single_rows_ are not held
  NystromMoments moments_;
  NystromDetails details_;
  bool missed_ = false;  // something that was asked for was not reached
  bool spoiled_ = false;
  KernelSolution<X> solution_;
};

template <OwnedSamples X>
NystromFit<X>::NystromFit(const KernelView<X>& kernel, const RowSpace& space, const X& samples,
                          const KernelRequest& request, const Observer& observer)
    : kernel_(kernel), space_(space), samples_(samples), request_(request), observer_(observer) {
  const PhaseTimer timer(Phase::SamplesPrepared);
  Matrix<double> diagonal(0, 1);
  space.together_on_rows([&] {
    if (samples.rows() > 0) diagonal = semidefinite_diagonal("Nystrom", kernel, samples);
  });
  largest_ = column_exponents<double>(space, diagonal)(0);
  if (request.weights.size() > 0) diagonal = space.own_of(request.weights).asDiagonal() * diagonal;
  gram_trace_ = block_sums<double>(space, diagonal)(0);
  if (request_.memory_budget == 0) request_.memory_budget = default_memory_budget();
  request_.pairs.noise_scale =
      (std::max)(request_.pairs.noise_scale, noise_scale(kernel, space, samples, gram_trace_));
  solution_.report = begin_report(kernel, samples, request);
  solution_.report.samples = space.total();
  solution_.report.solver = SolverId::Nystrom;
  solution_.report.storage = "landmarks";
  // A caller who combines the components may divide by small eigenvalues.
  if constexpr (std::same_as<S, double>)
    if (!space.is_spread() && samples.rows() >= factor_group && request.weights.size() == 0 &&
        request.precision != Precision::Double && !request.factored_scores && kernel.has_single())
      single_error_ = (std::min)(1.0, single_tile_error(kernel, samples));
}

template <OwnedSamples X>
bool NystromFit<X>::approximate(Landmarks<X> landmarks) {
  Report& report = solution_.report;
  details_.sampling_evaluations += landmarks.evaluations;
  if (landmarks.cancelled) return false;
  if (landmarks.rows.empty()) kernel_.check_domain(landmarks.points);
  factor_ = selected_factor(kernel_, space_, landmarks);
  const bool selected = factor_.points.rows() > 0;
  if (selected) {
    report.precision = landmarks.factor ? precision_of<S> : Precision::Single;
    if (landmarks.factor) rows_.take(std::move(*landmarks.factor));
    if (landmarks.single_factor) single_rows_.take(std::move(*landmarks.single_factor));
  } else {
    factor_ = nystrom_factor(kernel_, landmarks.points);
  }
  agree(space_, landmarks.points, factor_);
  if (!selected) choose_rows(landmarks);
  sum_rows(landmarks);
  if (moments_.cancelled) return false;
  if (!moments_.scatter.allFinite())
    fail("mercer::Nystrom: the kernel ", kernel_.describe(),
         " has values that are not finite, or too large for their products");
  const Index count = factor_.points.rows();
  report.expansion_points = count;
  report.solver_form = landmarks.method + ", " + to_text(count) + " landmarks";
  details_.trace_error = (std::max)(0.0, gram_trace_ - moments_.squared_norm);
  count_bytes(landmarks.bytes);
  return true;
}

/// True if sums of squares of kernel values neither overflow nor underflow in T. Those of whitened
/// rows are of the size of kernel values.
template <OwnedSamples X>
template <Real T>
bool NystromFit<X>::holds_squares() const {
  using Limits = std::numeric_limits<T>;
  constexpr int most = ScaledInteger::largest;  // for sums in double, which may be order-free
  const int square = 2 * (largest_ + 2);        // as the bound in nystrom_moments()
  return square + exponent_of_count(factor_group) <= Limits::max_exponent &&
         square + exponent_of_count(space_.total()) <= most &&
         square - Limits::digits >= (std::max)(Limits::min_exponent, -most);
}

/// Decides in which precision the rows of the samples are computed, and whether they are whitened.
/// They need not be if the rounding errors that this lets through are small: beside what the
/// landmarks leave out, or as eigenvalues that count as zero.
template <OwnedSamples X>
void NystromFit<X>::choose_rows(const Landmarks<X>& landmarks) {
  if (request_.weights.size() > 0) {  // the estimates below are for equal weights
    solution_.report.precision = precision_of<S>;
    return;
  }
  constexpr Index probed = 128;
  constexpr double small = 0.01, zero = 1e-12;
  RandomStream stream(0, "nystrom probe");
  const Index n = space_.total();
  const X drawn =
      take_rows(space_, samples_, sample_without_replacement(n, (std::min)(n, probed), stream));
  NystromProbe probe = probe_factor(kernel_, drawn, n, factor_, request_.centered, gram_trace_);
  space_.agree(probe.trace_error);
  space_.agree(probe.amplification);
  const double rest = gram_trace_ > 0 ? probe.trace_error / gram_trace_ : 0;
  const bool single = takes_single() && !landmarks.rows.empty() && rest > least_rest_in_single &&
                      single_error_ * probe.amplification <= small * rest && holds_squares<float>();
  solution_.report.precision = single ? Precision::Single : precision_of<S>;
  const double rounding = double{std::numeric_limits<S>::epsilon()} * probe.amplification;
  rows_.whitened = !holds_squares<S>() || !(rounding <= (std::max)(small * rest, zero));
  single_rows_.whitened = false;
}

/// Sets the moments, and the rows if there is room for them. For rows over processes this is the
/// room on one process for the rows of all, so that their number does not matter.
template <OwnedSamples X>
void NystromFit<X>::sum_rows(const Landmarks<X>& landmarks) {
  const bool hold = holds_values(factor_.whiten.cols(), in_single() ? sizeof(float) : sizeof(S));
  if (!in_single()) {
    const bool weighted = request_.weights.size() > 0;
    moments_ = nystrom_moments<X, X>(kernel_, space_, samples_, factor_.points, factor_, rows_,
                                     request_.centered, hold, largest_, observer_,
                                     weighted ? space_.own_of(request_.weights) : Vector<double>());
  } else if constexpr (std::same_as<S, double>) {
    Single rounded(0, 0);
    single_points_ = Single(0, 0);
    if (!single_rows_.held) {
      const PhaseTimer timer(Phase::SamplesPrepared, value_bytes(samples_));
      rounded = kernel_.to_single(samples_);
      std::vector<Index> rows;
      for (const Index i : factor_.kept)
        rows.push_back(landmarks.rows[static_cast<std::size_t>(i)]);
      single_points_ = take_rows(rounded, rows);
    }
    moments_ =
        nystrom_moments<X, Single>(kernel_, space_, rounded, single_points_, factor_, single_rows_,
                                   request_.centered, hold, largest_, observer_);
  }
}

template <OwnedSamples X>
KernelSolution<X> NystromFit<X>::cancelled() const {
  KernelSolution<X> none;
  none.report = solution_.report;
  remove_components(samples_.rows(), none);
  if (space_.is_spread()) none.points = X(0, samples_.cols());
  none.report.status = Status::Cancelled;
  none.report.expansion_points = 0;
  return none;
}

template <OwnedSamples X>
KernelSolution<X> NystromFit<X>::components(Index certificate_rows, std::uint64_t seed) {
  const Matrix<double> directions = principal_directions();
  const PhaseTimer timer(Phase::Scores);
  expand_over_landmarks(factor_.points, factor_.whiten, moments_, request_.centered, directions,
                        solution_);
  const bool left_out = leaves_out_scores(directions.cols());
  if (!left_out && !score(directions)) return cancelled();
  if (!missed_) solution_.report.status = Status::Converged;
  solution_.report.details = details_;
  if (in_single())
    add_reason("kernel values in single precision, whose errors are far below the trace error",
               solution_.report);
  bound_by_trace_error(details_.trace_error, request_.pairs, solution_);
  // Landmarks were dropped whose rest was no larger.
  const double dropped = least_pivot<S>(gram_trace_, factor_.points.rows());
  if (judge_landmarks(request_.pairs, dropped, solution_) &&
      solution_.report.zero_eigenvalues > 0 &&
      may_hide_components(request_.pairs, 0,
                          solution_.eigenvalues.size() > 0 ? double{solution_.eigenvalues(0)} : 0,
                          space_, samples_, request_.weights)) {
    solution_.report.status = Status::NotConverged;
    note_missing_components(hidden_components(), solution_.report);
  }
  if (!left_out && solution_.rotation.size() == 0) certify(certificate_rows, seed);
  return std::move(solution_);
}

/// Sets the eigenvalues that the request keeps, and returns their eigenvectors, r x k.
template <OwnedSamples X>
Matrix<double> NystromFit<X>::principal_directions() {
  if (in_single() && moments_.scatter.rows() > 0)
    request_.pairs.epsilon = double{std::numeric_limits<float>::epsilon()};
  NystromDirections found =
      nystrom_directions(moments_, details_.trace_error, request_.pairs, solution_);
  Matrix<S> values = solution_.eigenvalues;
  space_.agree(values);
  space_.agree(found.vectors);
  solution_.eigenvalues = values;
  if (!found.complete) not_converged();
  const bool lost = request_.pairs.components.is_all()
                        ? solution_.eigenvalues.size() < factor_.lower.rows()
                        : solution_.report.zero_eigenvalues > 0;
  spoiled_ = in_single() && (!found.complete || lost);
  return std::move(found.vectors);
}

/// Sets the scores of the samples: from the rows that are held, else from kernel values. Returns
/// false if the observer stopped the run.
template <OwnedSamples X>
bool NystromFit<X>::score(const Matrix<double>& directions) {
  if (!rows_.held && !single_rows_.held) {
    if (!compute_scores()) return false;
    diagonalize_scores(space_, request_.centered, solution_, request_.weights);
    return true;
  }
  const bool whitened = in_single() ? single_rows_.whitened : rows_.whitened;
  const Matrix<double> turn = whitened ? directions : small_product(factor_.whiten, directions);
  const Vector<double> rest = moments_.mean - moments_.origin;  // of the means of the rows
  // A product pays where there are about as many components as landmarks.
  if (request_.factored_scores && 2 * turn.cols() > turn.rows() && !in_single()) {
    Matrix<S>& rows = rows_.values;
    if (request_.centered) {
      const Vector<double> shift = whitened ? rest : Vector<double>(factor_.lower * rest);
      rows.rowwise() -= shift.transpose().template cast<S>();
    }
    solution_.training_scores = std::move(rows);
    solution_.rotation = turn;
    return true;
  }
  if (in_single())
    score_rows(single_rows_, turn);
  else
    score_rows(rows_, turn);
  if (request_.centered) {
    const Vector<double> means = small_product<double>(directions.transpose(), rest);
    solution_.training_scores.rowwise() -= means.transpose().template cast<S>();
  }
  diagonalize_scores(space_, request_.centered, solution_, request_.weights);
  return true;
}

/// The scores from kernel values, in the precision that those of the moments have.
template <OwnedSamples X>
bool NystromFit<X>::compute_scores() {
  if constexpr (std::same_as<S, double>)
    if (in_single())
      return fill_scores(kernel_, space_, kernel_.to_single(samples_), single_points_, observer_,
                         solution_);
  return fill_scores(kernel_, space_, samples_, observer_, solution_);
}

/// The scores are the products of the rows with \p turn, and take their place.
template <OwnedSamples X>
template <Real T>
void NystromFit<X>::score_rows(FactorRows<T>& held, const Matrix<double>& turn) {
  Matrix<T>& rows = held.values;
  const Index k = turn.cols();
  const PhaseTimer timer(Phase::Scores, static_cast<std::size_t>(rows.size()) * sizeof(T));
  const Matrix<T> weights = turn.template cast<T>();
  // In place: a second matrix of this size might exceed the budget.
  for_local_blocks(space_, [&](Index first, Index size) {
    Matrix<T> turned = Matrix<T>::Zero(size, k);
    multiply_add<T>(rows.middleRows(first, size), weights, turned);
    rows.block(first, 0, size, k) = turned;
  });
  solution_.training_scores = rows.leftCols(k).template cast<S>();
  rows.resize(0, 0);
  held.held = false;
}

/// Sets the residuals. Where they are exact, they may be smaller bounds; where they exceed the
/// bounds, they take their place.
template <OwnedSamples X>
void NystromFit<X>::certify(Index certificate_rows, std::uint64_t seed) {
  Report& report = solution_.report;
  const Vector<S>& mu = solution_.eigenvalues;
  if (mu.size() == 0) return;
  const PhaseTimer timer(Phase::Certificate);
  const bool measured = measure_residuals(kernel_, space_, samples_, request_, certificate_rows,
                                          seed, largest_, observer_, solution_);
  const bool exact = measured && !report.residual_rows;
  if (!measured) report.status = Status::Cancelled;
  // With exact products, |K u - mu u| <= |K - K~| for a pair of K~.
  if (in_single() && measured)
    for (const double residual : report.residuals)
      spoiled_ = spoiled_ || !(residual <= 1.5 * details_.trace_error);
  // So a larger one is a sign of an indefinite kernel, for which the trace error is no bound.
  const double rounding =
      rounding_bound<S>(request_.pairs, space_.total(), static_cast<double>(mu(0)));
  for (std::size_t i = 0; i < report.residuals.size(); ++i) {
    double& bound = report.eigenvalue_error_bounds[i];
    const double measured_bound = report.residuals[i] + rounding;
    if (report.residuals[i] > bound)
      bound = measured_bound;
    else if (exact)
      bound = (std::min)(bound, measured_bound);
  }
}

/// The largest memory at one time: of the selection of landmarks, or of the passes over samples.
template <OwnedSamples X>
void NystromFit<X>::count_bytes(std::size_t selection) {
  const auto n = static_cast<std::size_t>(samples_.rows());
  const auto m = static_cast<std::size_t>(factor_.points.rows());
  const Components& wanted = request_.pairs.components;
  const std::size_t k = wanted.is_fraction() ? m : static_cast<std::size_t>(wanted.count());
  const auto threads = static_cast<std::size_t>(thread_count());
  const bool holds = rows_.held || single_rows_.held;
  const std::size_t held = holds ? n : (std::min)(n, static_cast<std::size_t>(factor_group));
  const std::size_t rows = held + threads * static_cast<std::size_t>(factor_tile);
  // Beside K(P, P): its factor, the factor's inverse, the scatter, its eigenvectors and a copy.
  const std::size_t scores = holds ? 0 : n * k;  // in place of held rows
  const std::size_t value = in_single() ? sizeof(float) : sizeof(S);
  const std::size_t rounded =  // the samples in single precision
      in_single() && single_rows_.whitened == false ? n * static_cast<std::size_t>(samples_.cols())
                                                    : 0;
  const std::size_t passes =
      7 * m * m * sizeof(double) + (rows * m + rounded) * value + scores * sizeof(S);
  std::size_t& bytes = solution_.report.bytes;
  bytes = (std::max)({bytes, selection, passes});
}

#define MERCER_NYSTROM_FIT(X) MERCER_INSTANTIATE_NYSTROM(class NystromFit<X>)
MERCER_FOR_SAMPLES(MERCER_NYSTROM_FIT)
#undef MERCER_NYSTROM_FIT

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_NYSTROM_DETAIL_NYSTROM_COMPONENTS_HPP
