// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// One fit by Oja's rule without features: the start, the steps, and the components.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_KERNEL_OJA_FIT_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_KERNEL_OJA_FIT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/random_order.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/solvers/detail/complete_expansion.hpp>
#include <mercer/solvers/detail/spanned_functions.hpp>
#include <mercer/solvers/doubly_stochastic/detail/doubly_stochastic_start.hpp>
#include <mercer/solvers/doubly_stochastic/kernel_oja_run.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/nystrom/detail/nystrom_factor.hpp>

namespace mercer {

struct KernelOjaParams {
  StochasticRule rule = StochasticRule::Oja;  ///< how components are kept apart
  /// Samples of a step at least: n samples make n / data_batch batches, rounded down, but at least
  /// one. Steps have up to 2 data_batch - 1 samples.
  Index data_batch = 128;
  Index epochs = 5;  ///< passes over the samples
  /// eta_t = step / (1 + decay t). The defaults are those of DoublyStochasticParams.
  std::optional<double> step = {};
  /// See step.
  std::optional<double> decay = {};
  Index start_rows = 512;        ///< samples used for the start and the default step
  double tolerance = 0;          ///< of |K u - mu u| / mu_1, to judge the result by; 0: none
  Index certificate_rows = 128;  ///< rows to estimate |K u - mu u| from, at least
  std::uint64_t seed = 1;

  /// Throws InvalidArgument for values out of range.
  void validate() const {
    constexpr const char* who = "KernelOja";
    detail::require_at_least(who, "data_batch", data_batch, Index{2});
    detail::require_at_least(who, "epochs", epochs, Index{1});
    detail::require_at_least(who, "start_rows", start_rows, Index{2});
    detail::require_not_negative(who, "tolerance", tolerance);
    detail::require_at_least(who, "certificate_rows", certificate_rows, Index{2});
    if (step) detail::require_positive(who, "step", *step);
    if (decay) detail::require_not_negative(who, "decay", *decay);
  }
};

/// The start of KernelOjaRun: the leading components of some samples, at most k and as many as
/// these samples have.
/// Cost: O(n^2 d + n^3).
/// Throws InvalidArgument for kernel values that are not finite.
template <OwnedSamples X>
[[nodiscard]] DoublyStochasticStart<typename X::Scalar> kernel_oja_start(
    const std::type_identity_t<KernelView<X>>& kernel, const X& samples, Index k, bool centered) {
  using S = typename X::Scalar;
  const auto m = static_cast<double>(samples.rows());
  Matrix<double> gram = detail::landmark_gram(kernel, samples);
  DoublyStochasticStart<S> start;
  start.diagonal = gram.trace() / m;
  if (centered) {
    centre_columns(gram);
    gram.transposeInPlace();
    centre_columns(gram);
  }
  const EigenSystem<double> eigen = symmetric_eigensystem<double>(gram / m);
  start.eigenvalues = eigen.values.cwiseMax(0.0);
  const double noise = double{detail::rounding_level<S>(samples.rows())} * start.diagonal;
  const Index rank = (std::min)(k, Index{(start.eigenvalues.array() > noise).count()});
  const Vector<double> norms = (m * start.eigenvalues.head(rank)).cwiseSqrt();
  start.coefficients =
      (eigen.vectors.leftCols(rank) * norms.cwiseInverse().asDiagonal()).template cast<S>();
  return start;
}

namespace detail {

/// A fit by KernelOja; call solve() once.
template <OwnedSamples X>
class KernelOjaFit {
 public:
  using S = typename X::Scalar;

  KernelOjaFit(const KernelView<X>& kernel, const X& samples, const KernelRequest& request,
               const KernelOjaParams& params, const Observer& observer)
      : kernel_(kernel),
        samples_(samples),
        request_(request),
        params_(params),
        observer_(observer),
        diagonal_(semidefinite_diagonal("KernelOja", kernel, samples)) {
    raise_noise_scale(request_.pairs, kernel, samples, diagonal_.sum());
    solution_.report = begin_report(kernel, samples, request);
    Report& report = solution_.report;
    report.solver = SolverId::KernelOja;
    report.storage = "all samples";
    report.trace = diagonal_.sum();
    remove_components(samples.rows(), solution_);
  }

  [[nodiscard]] KernelSolution<X> solve() {
    const Index n = samples_.rows();
    const RandomOrder order(n, params_.seed, "kernel oja order", 0);
    std::vector<Index> rows;
    for (Index i = 0; i < n; ++i) rows.push_back(order(i));
    X shuffled = take_rows(samples_, rows);
    rows.resize(static_cast<std::size_t>((std::min)(n, params_.start_rows)));
    const DoublyStochasticStart<S> start = kernel_oja_start(
        kernel_, take_rows(samples_, rows), request_.pairs.components.count(), request_.centered);
    Outcome outcome = Outcome::Done;
    Matrix<double> coefficients = Matrix<double>::Zero(n, start.coefficients.cols());
    if (start.coefficients.cols() > 0) {
      KernelOjaRun<X> run(kernel_, std::move(shuffled), schedule(start), start.coefficients);
      outcome = iterate(run);
      describe(run);
      for (Index i = 0; i < n; ++i)
        coefficients.row(order(i)) = run.coefficients().row(i).template cast<double>();
    }
    finish(coefficients, outcome);
    return std::move(solution_);
  }

 private:
  enum class Outcome { Done, Diverged, Cancelled };

  [[nodiscard]] DoublyStochasticSchedule schedule(const DoublyStochasticStart<S>& start) const {
    const Index batches = (std::max)(samples_.rows() / params_.data_batch, Index{1});
    const DoublyStochasticParams params{
        .rule = params_.rule, .blocks = batches, .step = params_.step, .decay = params_.decay};
    return schedule_for(params, request_.centered, start.coefficients.cols(),
                        params_.epochs * batches, start);
  }

  [[nodiscard]] Outcome iterate(KernelOjaRun<X>& run) {
    const Index wanted = params_.epochs * run.schedule().blocks;
    while (run.steps() < wanted) {
      if (!go_on(observer_, {"kernel oja steps", run.steps(), wanted})) return Outcome::Cancelled;
      if (run.step()) continue;
      add_reason("the steps diverged after " + to_text(run.steps()), solution_.report);
      return Outcome::Diverged;
    }
    return Outcome::Done;
  }

  void describe(const KernelOjaRun<X>& run) {
    Report& report = solution_.report;
    const DoublyStochasticSchedule& schedule = run.schedule();
    report.solver_form = std::string(to_string(schedule.rule)) + ", " + to_text(schedule.blocks) +
                         " batches, " + to_text(params_.epochs) + " passes";
    report.iterations = run.steps();
    add_reason("steps " + to_text(schedule.step) + " / (1 + " + to_text(schedule.decay) + " t)",
               report);
    if (samples_.rows() < params_.data_batch)
      add_reason("batches of all " + to_text(samples_.rows()) + " samples", report);
    const auto n = static_cast<std::size_t>(samples_.rows());
    const auto k = static_cast<std::size_t>(run.coefficients().cols());
    report.bytes = n * k * (3 * sizeof(S) + 4 * sizeof(double));
  }

  /// Makes the functions orthonormal and turns them to the axes of their scores.
  void finish(Matrix<double>& coefficients, Outcome outcome) {
    Report& report = solution_.report;
    Matrix<S> products;
    report.status = Status::Cancelled;
    // What a run that was stopped has found is worth its scores.
    if (!find_products(coefficients, outcome == Outcome::Cancelled ? Observer{} : observer_,
                       products))
      return;
    const Index n = samples_.rows(), k = coefficients.cols();
    if (request_.centered) {
      const double mean = products.col(k).template cast<double>().mean();
      report.trace = (std::max)(0.0, report.trace - static_cast<double>(n) * mean);
      solution_.mean = static_cast<S>(mean);
      solution_.mean_weights.setConstant(S(1) / static_cast<S>(n));
    }
    SpannedFunctions<double> functions{std::move(coefficients),
                                       products.leftCols(k).template cast<double>()};
    functions.orthonormalize(request_.pairs.noise_scale);
    solution_.coefficients = functions.coefficients.template cast<S>();
    solution_.training_scores = functions.scores.template cast<S>();
    solution_.offset = Vector<S>::Zero(functions.scores.cols());
    solution_.eigenvalues = Vector<S>::Zero(functions.scores.cols());
    complete_scores(n, request_, solution_);
    if (outcome == Outcome::Cancelled ||
        !estimate_residuals(kernel_, samples_, request_, params_.certificate_rows, params_.seed,
                            observer_, solution_))
      return;
    judge_residuals(params_.tolerance, solution_.eigenvalues, report);
    if (outcome == Outcome::Diverged) report.status = Status::NotConverged;
    if (k >= request_.pairs.components.count() || !misses_components(request_.pairs, solution_))
      return;
    report.status = Status::NotConverged;
    note_missing_components("the start samples have only " + to_text(k) +
                                " components, and others have more; take more start_rows",
                            report);
  }

  /// K [A, 1/n], the last column only if centred. Returns false if the observer stopped it.
  [[nodiscard]] bool find_products(Matrix<double>& coefficients, const Observer& observer,
                                   Matrix<S>& products) {
    constexpr Index group = 8192;
    const Index n = samples_.rows(), k = coefficients.cols();
    if (request_.centered) centre_columns(coefficients);
    Matrix<S> weights(n, k + (request_.centered ? 1 : 0));
    weights.leftCols(k) = coefficients.template cast<S>();
    if (request_.centered) weights.col(k).setConstant(S(1) / static_cast<S>(n));
    products.resize(n, weights.cols());
    const PhaseTimer timer(Phase::Scores);
    for (Index first = 0; first < n; first += group) {
      if (!go_on(observer, {"scores", first, n})) return false;
      const Index size = (std::min)(group, n - first);
      kernel_product(kernel_, samples_.middleRows(first, size), samples_, weights,
                     products.middleRows(first, size));
    }
    solution_.report.kernel_products = weights.cols();
    return true;
  }

  KernelView<X> kernel_;
  const X& samples_;
  KernelRequest request_;
  const KernelOjaParams& params_;
  const Observer& observer_;
  Vector<double> diagonal_;
  KernelSolution<X> solution_;
};

}  // namespace detail

}  // namespace mercer

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_KERNEL_OJA_FIT_HPP
