// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A fit by stochastic proximal gradient descent: threshold, start, iterations, and components.

#ifndef MERCER_SOLVERS_SPGD_DETAIL_SPGD_FIT_HPP
#define MERCER_SOLVERS_SPGD_DETAIL_SPGD_FIT_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/machine/memory.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/row_sums.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/estimators/estimator.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/operators/recorded.hpp>
#include <mercer/solvers/detail/complete_expansion.hpp>
#include <mercer/solvers/detail/drawn_rows.hpp>
#include <mercer/solvers/detail/sampled_residuals.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/spgd/detail/spgd_start.hpp>
#include <mercer/solvers/spgd/detail/spgd_state.hpp>
#include <mercer/solvers/spgd/spgd_params.hpp>
#include <mercer/solvers/spgd/spgd_run.hpp>

namespace mercer::detail {

/// One fit; call solve() once.
template <OwnedSamples X>
class SpgdFit {
 public:
  using S = typename X::Scalar;

  /// Throws InvalidArgument for a request that does not fit the samples.
  /// Lifetime: refers to samples, params, checkpoints, request and observer.
  /// \param samples  the rows of this process. Collective
  SpgdFit(const KernelView<X>& kernel, const RowSpace& space, const X& samples,
          const SpgdParams& params, const SpgdCheckpoints& checkpoints,
          const KernelRequest& request, const Observer& observer)
      : kernel_(kernel),
        space_(space),
        samples_(samples),
        params_(params),
        checkpoints_(checkpoints),
        request_(request),
        observer_(observer) {
    const Index n = space.total();
    request.pairs.components.validate(n);
    if (kernel.is_precomputed())
      fail(
          "mercer::Spgd: needs samples, and a precomputed Gram matrix has none; take BlockKrylov, ",
          "Lanczos or Exact");
    if (params.landmarks > n)
      fail("mercer::Spgd: landmarks must not exceed the number of samples, ", n, ", got ",
           params.landmarks);
    solution_.report = begin_report(kernel, samples, request);
    solution_.report.samples = n;
    measure_diagonal();
    solution_.report.solver = SolverId::Spgd;
    solution_.report.storage = "low-rank iterate";
  }

  template <BoundEstimator B>
  [[nodiscard]] KernelSolution<X> solve(B estimator) {
    Report& report = solution_.report;
    // What is in no phase of its own: the threshold, the variance of the draws, the start.
    const PhaseTimer timer(Phase::Steps);
    const double lambda = params_.lambda ? *params_.lambda : chosen_lambda();
    details_.lambda = lambda;
    if (lambda == 0) add_reason("lambda is 0: nothing is shrunk, and the rank grows", report);
    double variance = estimated_variance(
        estimator, {.first = first_variance_draw, .pairs = 4, .centered = request_.centered},
        space_);
    space_.agree(variance);
    WarmStart<S> start{LowRank<S>(space_), 0};
    if (params_.landmarks > 0)
      start = nystrom_start(kernel_, space_, samples_, params_.landmarks, lambda, request_.centered,
                            params_.seed, largest_);
    const SpgdSchedule schedule{.lambda = lambda,
                                .step_offset = offset(start.error, variance),
                                .centered = request_.centered,
                                .positive_only = params_.positive_only,
                                .max_rank = params_.max_rank};
    if (request_.record) resume(estimator, schedule, start.iterate);
    const auto done = static_cast<Index>(details_.ranks.size());
    SpgdRun<B> run(std::move(estimator), std::move(start.iterate), schedule, done);
    iterate(run);
    ErrorRecursion terms{
        .variance = variance, .start_error = start.error, .step_offset = schedule.step_offset};
    if (params_.landmarks == 0 && remembers_start(terms, run.iterations()))
      terms.start_error = error_of_zero(lambda);
    details_.expected_error = predicted_error(terms, run.iterations());
    details_.error_bound = error_bound(run);
    expand(run.eigenpairs());
    report.details = std::move(details_);
    return std::move(solution_);
  }

 private:
  /// The number of the first draw for the variance, far beyond those of any run.
  static constexpr std::uint64_t first_variance_draw = std::uint64_t{1} << 31U;
  /// Rows that give the offset and the mean if there is no time for those of the certificate.
  static constexpr Index stopped_rows = 64;

  /// Sets the trace to the sum of k(x, x).
  /// Throws InvalidArgument for values that are not finite.
  void measure_diagonal() {
    Matrix<double> diagonal(samples_.rows(), 1);
    space_.together_on_rows([&] {
      if (samples_.rows() > 0) diagonal = kernel_.diagonal(samples_).template cast<double>();
      for (Index i = 0; i < diagonal.rows(); ++i)
        if (!std::isfinite(diagonal(i, 0)))
          fail("mercer::Spgd: the kernel ", kernel_.describe(), " has the value ", diagonal(i, 0),
               " for sample ", i, " with itself (counted from 0)");
    });
    largest_ = column_exponents<double>(space_, diagonal)(0);
    diagonal_sum_ = solution_.report.trace = block_sums<double>(space_, diagonal)(0);
    // An indefinite kernel may have negative values.
    diagonal_size_ =
        noise_scale(kernel_, space_, samples_,
                    block_sums<double>(space_, Matrix<double>(diagonal.cwiseAbs()))(0));
  }

  [[nodiscard]] double chosen_lambda() {
    return threshold_between(subsample_spectrum(), request_.pairs.components, params_.lambda_rule);
  }

  /// Estimates of the eigenvalues of the (centred) Gram matrix, in descending order.
  [[nodiscard]] const Vector<double>& subsample_spectrum() {
    if (!spectrum_) {
      const Components& wanted = request_.pairs.components;
      const Index n = space_.total(), k = wanted.is_fraction() ? 0 : wanted.count();
      const Index automatic = (std::max)(Index{1000}, 10 * k);
      const Index m =
          (std::min)(n, params_.lambda_samples > 0 ? params_.lambda_samples : automatic);
      spectrum_ =
          subsampled_eigenvalues(kernel_, space_, samples_, m, request_.centered, params_.seed);
    }
    return *spectrum_;
  }

  /// Estimates |K^|_F^2 / n^2, the error of a start from zero.
  [[nodiscard]] double error_of_zero(double lambda) {
    const Vector<double> shrunk = (subsample_spectrum().array() - lambda).matrix().cwiseMax(0.0);
    return (shrunk / static_cast<double>(space_.total())).squaredNorm();
  }

  /// True if an error of the start is still felt after these steps.
  [[nodiscard]] static bool remembers_start(const ErrorRecursion& terms, Index iterations) {
    return predicted_error({.start_error = 1, .step_offset = terms.step_offset}, iterations) > 0;
  }

  /// The guarantee for runs that it is made for, relative to n^2.
  template <class Run>
  [[nodiscard]] std::optional<double> error_bound(const Run& run) const {
    const SpgdSchedule& schedule = run.schedule();
    const std::optional<double> norm = run.largest_norm();
    const bool covered = params_.landmarks == 0 && schedule.step_offset == 0 &&
                         schedule.max_rank == 0 && run.iterations() >= 2;
    if (!norm || !covered) return std::nullopt;
    const auto n = static_cast<double>(space_.total());
    const ErrorGuarantee terms{
        .largest_norm = *norm,
        .lambda = schedule.lambda,
        .largest_rank = *std::max_element(details_.ranks.begin(), details_.ranks.end())};
    return guaranteed_error(terms, run.iterations()) / n / n;
  }

  [[nodiscard]] double offset(double start_error, double variance) const {
    if (params_.step_offset > 0 || params_.landmarks == 0) return params_.step_offset;
    constexpr double most = 1e9;  // such steps do not change an iterate in single precision
    // Not so for NaN, which must be seen below.
    const double steps = start_error == 0 ? most : 4 * variance / (3 * start_error);
    if (std::isnan(steps))
      fail(
          "mercer::Spgd: the squares of the kernel's values overflow, and so the accuracy of the "
          "start is not known; give step_offset, or scale the samples down");
    return (std::min)((std::max)(steps, 1.0), most);
  }

  /// Begins, or goes on with, the record: if the iterate of a run with the same draws and schedule
  /// is there, and that run has not made more steps than this one is to make, it takes the place of
  /// the start.
  template <BoundEstimator B>
  void resume(B& estimator, const SpgdSchedule& schedule, LowRank<S>& start) {
    FitRecord& record = *request_.record;
    begin_record(record, kernel_, space_, samples_);
    typename B::Term term;
    estimator.draw(first_variance_draw, term);
    state_key_ = state_key(start, term, schedule);
    std::string found = "no iterate was there already";
    if (const std::optional<Matrix<double>> block = record.find(state_key_, space_)) {
      SpgdState<S> state = state_of_block<S>(space_, *block);
      const auto steps = static_cast<Index>(state.ranks.size());
      found = "the iterate of step " + to_text(steps) + " was there already";
      if (steps <= params_.iterations) {
        start = std::move(state.iterate);
        details_.ranks = std::move(state.ranks);
        solution_.report.bytes = state.bytes;
      } else {
        found += ", too far for " + to_text(params_.iterations) + " steps";
        keeps_state_ = false;
      }
    }
    add_reason(found, solution_.report);
  }

  /// Keeps the iterate, in place of the one before.
  void keep_state(const LowRank<S>& z) {
    if (request_.record && keeps_state_)
      request_.record->replace(state_key_, space_,
                               to_block(SpgdState<S>{z, details_.ranks, solution_.report.bytes}));
  }

  /// Iterates until the end, the observer's stop or the memory limit.
  template <class Run>
  void iterate(Run& run) {
    Report& report = solution_.report;
    Index kept = run.iterations();
    while (run.iterations() < params_.iterations) {
      const LowRank<S>& z = run.iterate();
      if (!space_.go_on(observer_, {.phase = "stochastic proximal gradient",
                                    .step = run.iterations(),
                                    .total = params_.iterations,
                                    .rank = z.rank(),
                                    .trace = static_cast<double>(z.trace()),
                                    .step_residual = run.step_residual()})) {
        report.status = Status::Cancelled;
        complete_ = false;
        break;
      }
      run.step();
      details_.ranks.push_back(z.rank());
      show(run.iterations(), z);
      const std::size_t bytes = run.bytes(z.rank());
      report.bytes = (std::max)(report.bytes, bytes);
      if (request_.memory_limit > 0 && bytes > request_.memory_limit) {
        outgrown(run);
        keeps_state_ = false;  // a fit that goes on must come to this step again
        break;
      }
      if (request_.record && run.iterations() - kept >= request_.record->every()) {
        keep_state(run.iterate());
        kept = run.iterations();
      }
    }
    if (run.iterations() > kept) keep_state(run.iterate());
    report.iterations = run.iterations();
  }

  void show(Index iteration, const LowRank<S>& z) const {
    const std::vector<Index>& wanted = checkpoints_.iterations;
    if (std::find(wanted.begin(), wanted.end(), iteration) == wanted.end()) return;
    const EigenSystem<S> pairs = z.eigensystem();
    space_.together([&] {
      checkpoints_.visit(
          iteration, {pairs.values.template cast<double>(), pairs.vectors.template cast<double>()});
    });
  }

  template <class Run>
  void outgrown(const Run& run) {
    const LowRank<S>& z = run.iterate();
    const BudgetInWords sizes(request_.memory_limit, run.bytes(z.rank()));
    Index fits = z.rank();
    while (fits > 0 && run.bytes(fits) > request_.memory_limit) --fits;
    std::string sentence = "stopped after " + to_text(run.iterations()) +
                           " iterations, as an iterate of rank " + to_text(z.rank()) + " takes " +
                           sizes.needed + " and the limit is " + sizes.budget + "; ";
    if (fits > 0) {
      // The largest of those that have to go; eigenvalues may be negative.
      Vector<S> values = z.values().cwiseAbs();
      std::nth_element(values.begin(), values.begin() + fits, values.end(), std::greater<S>());
      const auto next = static_cast<double>(values(fits));
      sentence += "lambda = " + to_text(run.schedule().lambda + next) + " or a max_rank of " +
                  to_text(fits) + " would fit";
    } else {
      sentence += "draws of lower rank may fit";  // these alone do not
    }
    complete_ = false;
    add_reason(sentence, solution_.report);
  }

  /// The wanted components as expansions over the samples, with scores, mean and residuals.
  void expand(const EigenSystem<S>& pairs) {
    Report& report = solution_.report;
    const Index k = kept(pairs.values);
    if (k == 0 && details_.lambda > 0 && complete_) {
      complete_ = false;
      add_reason("no eigenvalue exceeds lambda = " + to_text(details_.lambda), report);
    }
    solution_.eigenvalues = pairs.values.head(k);
    const Vector<S> roots = solution_.eigenvalues.cwiseSqrt();
    Matrix<S> u = pairs.vectors.leftCols(k);
    // Many updates leave rounding errors in the means, which K multiplies by its row means.
    if (request_.centered) centre_columns<S>(space_, u);
    solution_.training_scores = u * roots.asDiagonal();
    solution_.coefficients = u * roots.cwiseInverse().asDiagonal();
    solution_.offset = Vector<S>::Zero(k);
    solution_.mean_weights = Vector<S>::Zero(samples_.rows());
    certify();
    report.components = solution_.eigenvalues.size();
    if (k > 0 && complete_ && misses_variance()) note_lost();
  }

  /// True if components that were asked for are missing, and the variance that is left is more than
  /// the errors of those found.
  [[nodiscard]] bool misses_variance() const {
    const Report& report = solution_.report;
    const std::vector<double>& bounds = report.eigenvalue_error_bounds;
    const double errors = std::accumulate(bounds.begin(), bounds.end(), 0.0);
    const Components& wanted = request_.pairs.components;
    if (!wanted.is_fraction() || wanted.is_all())
      return misses_components(scaled_request(), solution_, errors);
    const double found = solution_.eigenvalues.template cast<double>().sum();
    return found + errors < wanted.fraction() * report.trace;
  }

  /// Says that lambda, or the largest rank, has left fewer components than were asked for. A lambda
  /// that the caller chose does what it was chosen for.
  void note_lost() {
    Report& report = solution_.report;
    add_reason("the iterate has only " + to_text(report.components) +
                   " eigenvalues above lambda = " + to_text(details_.lambda) +
                   (params_.max_rank > 0 ? " with max_rank = " + to_text(params_.max_rank) : "") +
                   ", and the samples have more components",
               report);
    if (!params_.lambda) report.status = Status::NotConverged;
  }

  /// The request, with the scale of rounding errors.
  [[nodiscard]] EigenRequest scaled_request() const {
    EigenRequest out = request_.pairs;
    out.noise_scale = (std::max)(out.noise_scale, diagonal_size_);
    return out;
  }

  /// Keeps the first \p k components.
  void keep(Index k) {
    const Index n = samples_.rows();
    solution_.eigenvalues.conservativeResize(k);
    solution_.training_scores.conservativeResize(n, k);
    solution_.coefficients.conservativeResize(n, k);
    solution_.offset.conservativeResize(k);
  }

  /// The number of eigenvalues above rounding error, but at most the number asked for. A fraction
  /// of the variance is a number only when the trace is known.
  [[nodiscard]] Index kept(const Vector<S>& values) const {
    if (values.size() == 0) return 0;
    const double floor =
        zero_floor<S>(static_cast<double>(values(0)), space_.total(), scaled_request());
    const Index positive = (values.template cast<double>().array() > floor).count();
    const Components& wanted = request_.pairs.components;
    return wanted.is_fraction() ? positive : (std::min)(wanted.count(), positive);
  }

  /// Residuals, and the inner products of the components with the mean, from some rows of K.
  ///
  /// For an eigenvector u of J K J, the entries of K u differ from those of mu u by a constant. The
  /// offset follows from this constant, so a few rows give it nearly as well as all. If the
  /// observer stops it, they come from stopped_rows rows, and there are no residuals.
  void certify() {
    const PhaseTimer timer(Phase::Certificate);
    Report& report = solution_.report;
    const Index n = space_.total(), found = solution_.eigenvalues.size();
    const Index count = (std::min)(n, params_.certificate_rows);
    const ScaledScores<S> scores(solution_.training_scores, solution_.eigenvalues);
    Matrix<S> block(space_.local(), found + 1);
    block << scores.values, Vector<S>::Constant(space_.local(), S(1) / static_cast<S>(n));
    std::vector<Index> rows;
    X points;
    Matrix<double> product;
    const auto measure = [&](Index drawn, const Observer& observer) {
      RandomStream stream(params_.seed, "certificate rows");
      rows = sample_without_replacement(n, drawn, stream);
      points = take_rows(space_, samples_, rows);
      product = sampled_product(kernel_, space_, samples_, block, points, largest_, observer);
    };
    // What a cancelled fit has found needs its offset and its mean, too.
    measure(count, report.status == Status::Cancelled ? Observer{} : observer_);
    const bool stopped = product.size() == 0;
    if (stopped) {
      complete_ = false;
      report.status = Status::Cancelled;
      measure((std::min)(count, stopped_rows), {});
    }
    if (request_.centered) {
      solution_.mean = static_cast<S>(mean_of_rows(product.col(found), points));
      solution_.mean_weights.setConstant(S(1) / static_cast<S>(n));
      report.trace -= static_cast<double>(n) * static_cast<double>(solution_.mean);
      report.trace = (std::max)(report.trace, 0.0);
    }
    const Components& wanted = request_.pairs.components;
    if (wanted.is_fraction() && !wanted.is_all())
      keep(count_explaining(solution_.eigenvalues, wanted.fraction(), report.trace));
    const Index k = solution_.eigenvalues.size();
    const Matrix<S> drawn = take_rows_by(space_, rows, [&](const std::vector<Index>& mine) {
      return take_rows<S>(scores.values, mine);
    });
    if (request_.centered)
      for (Index i = 0; i < k; ++i) {
        const auto mu = static_cast<double>(solution_.eigenvalues(i));
        const Vector<double> distances = product.col(i) / mu - drawn.col(i).template cast<double>();
        solution_.offset(i) = static_cast<S>(std::ldexp(distances.mean(), scores.unit));
      }
    if (stopped) return;
    report.residuals =
        sampled_residuals<S>(product.leftCols(k), solution_.eigenvalues, drawn.leftCols(k),
                             scores.unit, request_.centered, n, uniform_rows(rows, n));
    if (count < n) report.residual_rows = count;
    report.eigenvalue_error_bounds = report.residuals;
    const double norm = k > 0 ? static_cast<double>(solution_.eigenvalues(0)) : 0;
    for (double& bound : report.eigenvalue_error_bounds)
      bound += rounding_bound<S>(scaled_request(), n, norm);
    if (complete_) judge_residuals(params_.tolerance, solution_.eigenvalues, report);
  }

  /// The mean of (1/n) K 1 over all rows, from its values at some rows. The diagonal of K is known
  /// at all rows, so the part of these values that follows the diagonal has no sampling error.
  [[nodiscard]] double mean_of_rows(const Vector<double>& means, const X& points) const {
    if (points.rows() == space_.total()) return means.mean();
    const Vector<double> diagonal = kernel_.diagonal(points).template cast<double>();
    const Vector<double> deviations = diagonal.array() - diagonal.mean();
    const double square = deviations.squaredNorm();
    const double slope = square > 0 ? deviations.dot(means) / square : 0;
    const double all = diagonal_sum_ / static_cast<double>(space_.total());
    return means.mean() + (std::isfinite(slope) ? slope : 0) * (all - diagonal.mean());
  }

  KernelView<X> kernel_;
  RowSpace space_;
  const X& samples_;
  const SpgdParams& params_;
  const SpgdCheckpoints& checkpoints_;
  const KernelRequest& request_;
  const Observer& observer_;
  SpgdDetails details_;
  std::optional<Vector<double>> spectrum_;  // see subsample_spectrum()
  double diagonal_sum_ = 0;                 // of k(x, x)
  double diagonal_size_ = 0;                // of |k(x, x)|, or more: see noise_scale()
  int largest_ = 0;                         // exponent of the largest k(x, x)
  RecordKey state_key_;                     // of the iterate in the record
  bool keeps_state_ = true;                 // false if the one in the record is to stay
  bool complete_ = true;  // the iterations were not cut short, and components were found
  KernelSolution<X> solution_;
};

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_SPGD_DETAIL_SPGD_FIT_HPP
