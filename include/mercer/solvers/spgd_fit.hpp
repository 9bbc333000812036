// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A fit by stochastic proximal gradient descent: threshold, start, iterations, and components.

#ifndef MERCER_SOLVERS_SPGD_FIT_HPP
#define MERCER_SOLVERS_SPGD_FIT_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/low_rank.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/estimators/estimator.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/sampled_residuals.hpp>
#include <mercer/solvers/spgd_run.hpp>
#include <mercer/solvers/spgd_start.hpp>

namespace mercer {

struct SpgdParams {
  /// Shrinkage threshold, in units of the eigenvalues of K: components up to it are lost. Unset:
  /// half way between the eigenvalues k and k + 1, as a subsample has them. 0: no shrinkage.
  std::optional<double> lambda = {};
  Index iterations = 100;
  Index lambda_samples = 0;  ///< rows that lambda is chosen from; 0: max(1000, 10 k), at most n
  Index landmarks = 0;       ///< start from Nystroem's approximation over so many; 0: from zero
  /// t0 of the steps 2/(t + t0). 0: none for a start from zero, and else the t at which the error
  /// predicted for a run from zero is down to that of the start.
  double step_offset = 0;
  Index max_rank = 0;             ///< keep at most so many singular values; 0: all
  bool positive_only = true;      ///< drop negative eigenvalues of symmetric draws
  Index certificate_rows = 4096;  ///< rows for residuals and the mean; n or more: exact
  std::uint64_t seed = 1;

  /// Throws InvalidArgument for values out of range.
  void validate() const;
};

inline void SpgdParams::validate() const {
  if (lambda && !(*lambda >= 0 && std::isfinite(*lambda)))
    detail::fail("mercer::Spgd: lambda must be finite and not negative, got ", *lambda);
  detail::require_at_least("Spgd", "iterations", iterations, Index{1});
  detail::require_at_least("Spgd", "lambda_samples", lambda_samples, Index{0});
  detail::require_at_least("Spgd", "landmarks", landmarks, Index{0});
  detail::require_at_least("Spgd", "max_rank", max_rank, Index{0});
  detail::require_at_least("Spgd", "certificate_rows", certificate_rows, Index{2});
  if (!(step_offset >= 0 && std::isfinite(step_offset)))
    detail::fail("mercer::Spgd: step_offset must be finite and not negative, got ", step_offset);
  if (landmarks > 0 && step_offset > 0 && step_offset < 1)
    detail::fail("mercer::Spgd: a start from landmarks needs a step_offset of at least 1, got ",
                 step_offset);
}

/// Iterates of a run that are shown to the caller, for error curves and the like.
struct SpgdCheckpoints {
  std::vector<Index> iterations = {};  ///< after which, each from 1 to SpgdParams::iterations
  /// Gets the iteration and LowRank::eigensystem() of the iterate Z in double: Z, or its symmetric
  /// part for draws without symmetry, is vectors diag(values) vectors^T. Lambda is not added back.
  std::function<void(Index iteration, const EigenSystem<double>& iterate)> visit = {};

  /// Throws InvalidArgument for iterations that there are none of, or without visit.
  void validate(Index most) const;
};

inline void SpgdCheckpoints::validate(Index most) const {
  for (const Index t : iterations)
    if (t < 1 || t > most)
      detail::fail("mercer::Spgd: checkpoints must be iterations from 1 to ", most, ", got ", t);
  if (!iterations.empty() && !visit)
    detail::fail("mercer::Spgd: checkpoints need a function to visit them");
}

namespace detail {

/// One fit; solve() once.
template <OwnedSamples X>
class SpgdFit {
 public:
  using S = typename X::Scalar;

  /// Throws InvalidArgument for a request that the samples cannot fulfil. Lifetime: refers to
  /// samples, params, checkpoints, request and observer.
  SpgdFit(const KernelView<X>& kernel, const X& samples, const SpgdParams& params,
          const SpgdCheckpoints& checkpoints, const KernelRequest& request,
          const Observer& observer)
      : kernel_(kernel),
        samples_(samples),
        params_(params),
        checkpoints_(checkpoints),
        request_(request),
        observer_(observer) {
    const Index n = samples.rows();
    request.pairs.components.validate(n);
    if (params.landmarks > n)
      fail("mercer::Spgd: landmarks must not exceed the number of samples, ", n, ", got ",
           params.landmarks);
    solution_.report = begin_report(kernel, samples, request);
    solution_.report.solver = "spgd";
    solution_.report.storage = "low-rank iterate";
  }

  template <BoundEstimator B>
  [[nodiscard]] KernelSolution<X> solve(B estimator) {
    Report& report = solution_.report;
    report.lambda = params_.lambda ? *params_.lambda : chosen_lambda();
    if (report.lambda == 0) report.reason = "lambda is 0: nothing is shrunk, and the rank grows";
    const double variance = estimated_variance(
        estimator, {.first = first_variance_draw, .pairs = 4, .centered = request_.centered});
    WarmStart<S> start{LowRank<S>(samples_.rows(), samples_.rows()), 0};
    if (params_.landmarks > 0)
      start = nystrom_start(kernel_, samples_, params_.landmarks, report.lambda, request_.centered,
                            params_.seed);
    const SpgdSchedule schedule{.lambda = report.lambda,
                                .step_offset = offset(start.error, variance),
                                .centered = request_.centered,
                                .positive_only = params_.positive_only,
                                .max_rank = params_.max_rank};
    SpgdRun<B> run(std::move(estimator), std::move(start.iterate), schedule);
    iterate(run);
    report.expected_error =
        predicted_error(variance, static_cast<double>(run.iterations()) + schedule.step_offset);
    expand(run.eigenpairs());
    return std::move(solution_);
  }

 private:
  /// Draws far from those of any run.
  static constexpr std::uint64_t first_variance_draw = std::uint64_t{1} << 31U;

  [[nodiscard]] double chosen_lambda() const {
    const Components& wanted = request_.pairs.components;
    const Index n = samples_.rows(), k = wanted.is_fraction() ? 0 : wanted.count();
    const Index automatic = (std::max)(Index{1000}, 10 * k);
    const Index m = (std::min)(n, params_.lambda_samples > 0 ? params_.lambda_samples : automatic);
    return threshold_between(
        subsampled_eigenvalues(kernel_, samples_, m, request_.centered, params_.seed), wanted);
  }

  [[nodiscard]] double offset(double start_error, double variance) const {
    if (params_.step_offset > 0 || params_.landmarks == 0) return params_.step_offset;
    constexpr double most = 1e9;  // steps that do not move an iterate in single precision
    const double steps = start_error > 0 ? predicted_error(variance, 1) / start_error : most;
    return (std::min)((std::max)(steps, 1.0), most);
  }

  /// Steps until the end, the observer's stop, or the limit of memory.
  template <class Run>
  void iterate(Run& run) {
    Report& report = solution_.report;
    while (run.iterations() < params_.iterations) {
      const LowRank<S>& z = run.iterate();
      if (!go_on(observer_, {.phase = "stochastic proximal gradient",
                             .step = run.iterations(),
                             .total = params_.iterations,
                             .rank = z.rank(),
                             .trace = static_cast<double>(z.trace()),
                             .step_residual = run.step_residual()})) {
        report.status = Status::Cancelled;
        break;
      }
      run.step();
      report.ranks.push_back(z.rank());
      show(run.iterations(), z);
      const std::size_t bytes = run.bytes(z.rank());
      report.bytes = (std::max)(report.bytes, bytes);
      if (request_.memory_limit > 0 && bytes > request_.memory_limit) {
        outgrown(run);
        break;
      }
    }
    report.iterations = run.iterations();
  }

  void show(Index iteration, const LowRank<S>& z) const {
    const std::vector<Index>& wanted = checkpoints_.iterations;
    if (std::find(wanted.begin(), wanted.end(), iteration) == wanted.end()) return;
    const EigenSystem<S> pairs = z.eigensystem();
    checkpoints_.visit(
        iteration, {pairs.values.template cast<double>(), pairs.vectors.template cast<double>()});
  }

  template <class Run>
  void outgrown(const Run& run) {
    Report& report = solution_.report;
    const LowRank<S>& z = run.iterate();
    Index fits = z.rank();
    while (fits > 0 && run.bytes(fits) > request_.memory_limit) --fits;
    std::string sentence = "stopped after " + to_text(run.iterations()) +
                           " iterations, as an iterate of rank " + to_text(z.rank()) + " takes " +
                           to_text(run.bytes(z.rank()) >> 20U) + " MiB and the limit is " +
                           to_text(request_.memory_limit >> 20U) + "; ";
    if (fits > 0) {
      const auto next = static_cast<double>(z.values()(fits));
      sentence += "lambda = " + to_text(run.schedule().lambda + next) + " or a max_rank of " +
                  to_text(fits) + " would fit";
    } else {
      sentence += "draws of lower rank may fit";  // these alone do not
    }
    report.status = Status::NotConverged;
    add_reason(sentence);
  }

  void add_reason(const std::string& sentence) {
    std::string& reason = solution_.report.reason;
    reason += reason.empty() ? sentence : "; " + sentence;
  }

  /// The components wanted, as expansions over the samples, with scores, mean and residuals.
  void expand(const EigenSystem<S>& pairs) {
    Report& report = solution_.report;
    report.trace = kernel_.diagonal(samples_).template cast<double>().sum();
    const Index n = samples_.rows(), k = kept(pairs.values);
    report.components = k;
    if (k == 0 && report.lambda > 0 && report.status == Status::Converged) {
      report.status = Status::NotConverged;
      add_reason("no eigenvalue exceeds lambda = " + to_text(report.lambda));
    }
    solution_.eigenvalues = pairs.values.head(k);
    const Vector<S> roots = solution_.eigenvalues.cwiseSqrt();
    solution_.training_scores = pairs.vectors.leftCols(k) * roots.asDiagonal();
    solution_.coefficients = pairs.vectors.leftCols(k) * roots.cwiseInverse().asDiagonal();
    solution_.offset = Vector<S>::Zero(k);
    solution_.mean_weights = Vector<S>::Zero(n);
    certify();
  }

  /// Those above what rounding leaves of samples that coincide, and no more than asked for.
  [[nodiscard]] Index kept(const Vector<S>& values) const {
    if (values.size() == 0) return 0;
    EigenRequest pairs = request_.pairs;
    pairs.noise_scale = (std::max)(pairs.noise_scale, solution_.report.trace);
    const double floor = zero_floor<S>(static_cast<double>(values(0)), samples_.rows(), pairs);
    const Index positive = (values.template cast<double>().array() > floor).count();
    const Components& wanted = pairs.components;
    return wanted.is_fraction() ? positive : (std::min)(wanted.count(), positive);
  }

  /// Residuals, and the inner products of the components and the mean, from some rows of K.
  ///
  /// For an eigenvector u of J K J, entry l of K u differs from mu u_l by the same number for all
  /// l, which is what the offset is made of; so a few rows tell it nearly as well as all.
  void certify() {
    Report& report = solution_.report;
    const Index n = samples_.rows(), k = solution_.eigenvalues.size();
    const Index count = (std::min)(n, params_.certificate_rows);
    RandomStream stream(params_.seed, "certificate rows");
    const std::vector<Index> rows = sample_without_replacement(n, count, stream);
    Matrix<S> block(n, k + 1);
    block << solution_.training_scores, Vector<S>::Constant(n, S(1) / static_cast<S>(n));
    const Matrix<S> product = sampled_product(kernel_, samples_, block, rows, observer_);
    if (product.size() == 0) {
      report.status = Status::Cancelled;
      return;
    }
    if (request_.centered) {
      solution_.mean = product.col(k).mean();
      solution_.mean_weights.setConstant(S(1) / static_cast<S>(n));
      report.trace -= static_cast<double>(n) * static_cast<double>(solution_.mean);
      report.trace = (std::max)(report.trace, 0.0);
      for (Index i = 0; i < k; ++i) {
        const S mu = solution_.eigenvalues(i);
        solution_.offset(i) = (product.col(i) / mu - solution_.training_scores(rows, i)).mean();
      }
    }
    report.residuals = sampled_residuals<S>(product.leftCols(k), solution_.eigenvalues,
                                            solution_.training_scores, request_.centered, rows);
    report.residual_rows = count < n ? count : 0;
    report.eigenvalue_error_bounds = report.residuals;
  }

  KernelView<X> kernel_;
  const X& samples_;
  const SpgdParams& params_;
  const SpgdCheckpoints& checkpoints_;
  const KernelRequest& request_;
  const Observer& observer_;
  KernelSolution<X> solution_;
};

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_SOLVERS_SPGD_FIT_HPP
