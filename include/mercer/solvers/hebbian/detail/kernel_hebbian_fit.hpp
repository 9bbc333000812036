// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// One fit by the kernel Hebbian algorithm: passes over the samples, restarts, and components.

#ifndef MERCER_SOLVERS_HEBBIAN_DETAIL_KERNEL_HEBBIAN_FIT_HPP
#define MERCER_SOLVERS_HEBBIAN_DETAIL_KERNEL_HEBBIAN_FIT_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/gram_form.hpp>
#include <mercer/operators/operator_view.hpp>
#include <mercer/solvers/detail/certificate.hpp>
#include <mercer/solvers/detail/complete_expansion.hpp>
#include <mercer/solvers/detail/expansion_scores.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/hebbian/detail/hebbian_run.hpp>
#include <mercer/solvers/hebbian/detail/whitening.hpp>
#include <mercer/solvers/hebbian/hebbian_gain.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer::detail {

/// A run of the algorithm; call solve() once. Computes in double, except for the kernel values and
/// the solution, which have the scalar of the samples.
template <OwnedSamples X>
class KernelHebbianFit {
 public:
  using S = typename X::Scalar;

  /// After this many restarts, each with half the step, the fit gives up.
  static constexpr Index max_restarts = 10;

  /// Throws InvalidArgument for samples that are not finite or outside the kernel's domain, and for
  ///   k(x, x) that are negative or not finite.
  /// Lifetime: refers to samples and observer.
  KernelHebbianFit(const KernelView<X>& kernel, const X& samples, const KernelRequest& request,
                   const KernelHebbianParams& params, const Observer& observer);

  [[nodiscard]] KernelSolution<X> solve();

 private:
  enum class Outcome { Done, Diverged, Cancelled };

  static constexpr Index batch = 64;  // columns that are evaluated together

  [[nodiscard]] std::size_t state_bytes() const;
  [[nodiscard]] std::size_t gram_bytes() const;
  [[nodiscard]] bool stores_gram() const {
    return gram_bytes() + state_bytes() <= request_.memory_budget;
  }
  [[nodiscard]] Matrix<double> product(const Matrix<double>& v);
  [[nodiscard]] Outcome iterate(HebbianRun<double>& run);
  [[nodiscard]] KernelSolution<X> finish(const HebbianRun<double>& run, Outcome outcome);
  void expand(const Matrix<double>& coefficients, const Matrix<double>& scores);
  [[nodiscard]] Matrix<double> with_hidden(const Matrix<double>& a, const Matrix<double>& products,
                                           Matrix<double> found, const Matrix<double>& found_k,
                                           double noise);
  void certify(bool good);
  void give_reason(double step, Index restarts, Outcome outcome);
  [[nodiscard]] KernelSolution<X> cancelled();

  KernelView<X> kernel_;
  const X& samples_;
  KernelRequest request_;
  KernelHebbianParams params_;
  const Observer& observer_;
  Vector<double> diagonal_;
  Index rank_;  // r, the number of components asked for
  Gram<X> gram_;
  Centered<OperatorView<double>> centered_;
  double scale_ = 0;  // mean diagonal entry of the (centred) Gram matrix; K is divided by it
  Vector<double> column_;
  KernelSolution<X> solution_;
};

template <OwnedSamples X>
KernelHebbianFit<X>::KernelHebbianFit(const KernelView<X>& kernel, const X& samples,
                                      const KernelRequest& request,
                                      const KernelHebbianParams& params, const Observer& observer)
    : kernel_(kernel),
      samples_(samples),
      request_(request),
      params_(params),
      observer_(observer),
      diagonal_(semidefinite_diagonal("KernelHebbian", kernel, samples)),
      rank_(request.pairs.components.count()),
      gram_(Gram<X>::unchecked(
          kernel, std::shared_ptr<const X>(std::shared_ptr<const X>(), &samples),  // not owned
          {.storage = stores_gram() ? GramStorage::Stored : GramStorage::Recomputed})),
      centered_(OperatorView<double>(gram_)),
      column_(samples.rows()) {
  raise_noise_scale(request_.pairs, kernel, samples, diagonal_.sum());
  solution_.report = begin_report(kernel, samples, request);
  Report& report = solution_.report;
  report.solver = SolverId::KernelHebbian;
  report.solver_form =
      std::string(to_string(params.gain)) + ", " + to_text(params.epochs) + " passes";
  report.storage = stores_gram() ? "stored" : "columns recomputed";
  report.bytes = state_bytes();
  if (stores_gram()) report.bytes += gram_bytes();
}

/// Bytes of A, A K, B and scratch of the run, of four more blocks at its end, and of the columns.
template <OwnedSamples X>
std::size_t KernelHebbianFit<X>::state_bytes() const {
  const auto n = static_cast<std::size_t>(diagonal_.size()), r = static_cast<std::size_t>(rank_);
  const std::size_t blocks = params_.gain == Gain::Smd ? 7 : 6;
  return n * (blocks * r + 4 + std::size_t{batch}) * sizeof(double);
}

template <OwnedSamples X>
std::size_t KernelHebbianFit<X>::gram_bytes() const {
  return stored_tile_bytes(diagonal_.size(), precision_of<S>);
}

/// K v, centred if the request says so.
template <OwnedSamples X>
Matrix<double> KernelHebbianFit<X>::product(const Matrix<double>& v) {
  Matrix<double> out(v.rows(), v.cols());
  if (request_.centered)
    centered_.apply(v, out);
  else
    gram_.apply(v, out);
  solution_.report.kernel_products += v.cols();
  return out;
}

template <OwnedSamples X>
KernelSolution<X> KernelHebbianFit<X>::solve() {
  const Index n = samples_.rows();
  GainSchedule schedule = gain_schedule(params_, n);
  for (Index restarts = 0;; ++restarts, schedule.step /= 2) {
    if (!go_on(observer_, {"gram matrix", 0, 1})) return cancelled();
    Matrix<double> a = normal_matrix<double>(n, rank_, params_.seed, "hebbian start") /
                       std::sqrt(static_cast<double>(n * rank_));
    Matrix<double> ak = product(a);
    if (restarts == 0) {
      double& trace = solution_.report.trace = diagonal_.sum();
      if (request_.centered) trace -= static_cast<double>(n) * centered_.mean();
      trace = (std::max)(trace, 0.0);
      if (trace <= rounding_noise<S>(request_.pairs)) {  // all samples are equal, or K is zero
        expand(Matrix<double>(n, 0), Matrix<double>(n, 0));
        solution_.report.status = Status::Converged;
        return std::move(solution_);
      }
      scale_ = trace / static_cast<double>(n);
    }
    ak /= scale_;
    HebbianRun<double> run(std::move(a), std::move(ak), schedule);
    const Outcome outcome = iterate(run);
    solution_.report.iterations += run.updates();
    if (outcome == Outcome::Diverged && restarts < max_restarts) continue;
    give_reason(schedule.step, restarts, outcome);
    return finish(run, outcome);
  }
}

template <OwnedSamples X>
auto KernelHebbianFit<X>::iterate(HebbianRun<double>& run) -> Outcome {
  const PhaseTimer timer(Phase::Steps);
  const Index n = samples_.rows();
  Vector<double> means = Vector<double>::Zero(n);
  if (request_.centered) means = centered_.row_means();
  const double mean = means.mean();
  for (Index epoch = 0; epoch < params_.epochs; ++epoch) {
    RandomStream stream(params_.seed, "hebbian order", static_cast<std::uint64_t>(epoch));
    const std::vector<Index> order = random_permutation(n, stream);
    for (Index first = 0; first < n; first += batch) {
      if (!go_on(observer_, {"hebbian updates", epoch, params_.epochs})) return Outcome::Cancelled;
      const Index count = (std::min)(batch, n - first);
      const Matrix<double> columns =
          gram_.columns({order.begin() + first, order.begin() + first + count});
      for (Index at = 0; at < count; ++at) {
        const Index p = order[static_cast<std::size_t>(first + at)];
        column_ = (columns.col(at).array() - (means.array() + means(p)) + mean) / scale_;
        run.update(p, column_);
      }
      if (run.diverged()) return Outcome::Diverged;
    }
  }
  return Outcome::Done;
}

/// Rayleigh-Ritz in feature space: S = A K A^T, R = (A K)(A K)^T, R v = mu S v. Component i is the
/// function A^T v_i of norm 1. A K is computed again for it, unless the run was cancelled.
template <OwnedSamples X>
KernelSolution<X> KernelHebbianFit<X>::finish(const HebbianRun<double>& run, Outcome outcome) {
  const PhaseTimer timer(Phase::Scores);
  Matrix<double> a = run.coefficients();
  if (request_.centered) centre_columns(a);
  const double noise = rounding_noise<S>(request_.pairs) / scale_;
  const Matrix<double> white =
      whitening_of_functions<double>(a, run.products(), noise, rounding_level<S>(rank_));
  Matrix<double> ak = multiply(run.products(), white);
  const bool stopped = outcome == Outcome::Cancelled || !go_on(observer_, {"scores", 0, 1});
  if (stopped) {
    a = multiply(a, white);
  } else {
    a = with_hidden(a, run.products(), multiply(a, white), ak, noise);
    ak = product(a) / scale_;
    // Functions that were only rounding error have a smaller norm now, and are dropped here.
    const Matrix<double> again = whitening_of_functions<double>(a, ak, noise, 0.5);
    a = multiply(a, again);
    ak = multiply(ak, again);
  }
  const Matrix<double> rotation = symmetric_eigensystem<double>(inner(ak)).vectors;
  // The functions have norm 1 with respect to K / scale; this makes it norm 1 with respect to K.
  expand(multiply(a, rotation) / std::sqrt(scale_), multiply(ak, rotation) * std::sqrt(scale_));
  const bool missing = misses_components(request_.pairs, solution_);
  if (missing)
    note_missing_components(
        "the last updates hold only " + to_text(solution_.report.components) +
            " components above rounding error, and the samples have more; "
            "take more epochs" +
            (precision_of<S> == Precision::Single ? " or double precision" : ""),
        solution_.report);
  if (stopped)
    solution_.report.status = Status::Cancelled;
  else
    certify(outcome == Outcome::Done && !missing);
  return std::move(solution_);
}

/// Adds coefficients of orthonormal functions for those columns of A^T that rounding errors hide.
/// The null space of K holds a part of them that updates only add to. It changes no function, but
/// rounding errors grow with it. K A^T has no such part.
/// \param a, products     A^T and K A^T
/// \param found, found_k  orthonormal functions of the other columns, and K times them
template <OwnedSamples X>
Matrix<double> KernelHebbianFit<X>::with_hidden(const Matrix<double>& a,
                                                const Matrix<double>& products,
                                                Matrix<double> found, const Matrix<double>& found_k,
                                                double noise) {
  Matrix<double> rest(a.rows(), 0);
  for (Index i = 0; i < rank_; ++i) {
    if (!is_hidden(a.col(i).dot(products.col(i)), a.col(i).squaredNorm(), noise, rank_)) continue;
    rest.conservativeResize(Eigen::NoChange, rest.cols() + 1);
    rest.rightCols(1) = products.col(i);
  }
  if (rest.cols() == 0) return found;
  if (request_.centered) centre_columns(rest);
  // Twice, as K enlarges what the columns have of leading components by far more than the rest.
  for (int pass = 0; pass < 2; ++pass) rest -= multiply(found, inner(found_k, rest));
  const Matrix<double> white =
      whitening_of_functions<double>(rest, product(rest) / scale_, noise, rounding_level<S>(rank_));
  const Index count = found.cols();
  found.conservativeResize(Eigen::NoChange, count + white.cols());
  found.rightCols(white.cols()) = multiply(rest, white);
  return found;
}

/// Fills the solution from components in descending order; only the report's residuals are missing.
template <OwnedSamples X>
void KernelHebbianFit<X>::expand(const Matrix<double>& coefficients, const Matrix<double>& scores) {
  const Index n = samples_.rows();
  Vector<S> values = Vector<S>::Zero((std::max)(Index{1}, scores.cols()));
  if (scores.cols() > 0) values = column_products(scores, scores).template cast<S>();
  const Index kept = select_components<S>(values, n, request_.pairs, solution_.report);
  solution_.coefficients = coefficients.leftCols(kept).template cast<S>();
  solution_.training_scores = scores.leftCols(kept).template cast<S>();
  solution_.offset = Vector<S>::Zero(kept);
  solution_.mean_weights = Vector<S>::Zero(n);
  if (request_.centered) {
    const Vector<double>& means = centered_.row_means();
    solution_.offset = inner(coefficients.leftCols(kept), means).template cast<S>();
    solution_.mean_weights.setConstant(S(1) / static_cast<S>(n));
    solution_.mean = static_cast<S>(means.mean());
  }
  diagonalize_scores(RowSpace::whole(samples_.rows()), request_.centered, solution_);
}

/// |K u - mu u| for u = scores / mu^(1/2), and the status that follows. One product with K.
/// \param good  the updates are done, and no component is missing
template <OwnedSamples X>
void KernelHebbianFit<X>::certify(bool good) {
  const PhaseTimer timer(Phase::Certificate);
  Report& report = solution_.report;
  const Vector<double> mu = solution_.eigenvalues.template cast<double>();
  if (mu.size() == 0) {
    if (good) report.status = Status::Converged;
    return;
  }
  if (!go_on(observer_, {"residuals", 0, 1})) {
    report.status = Status::Cancelled;
    return;
  }
  const Matrix<double> u = solution_.training_scores.template cast<double>() *
                           mu.cwiseSqrt().cwiseInverse().asDiagonal();
  const Matrix<double> products = product(u), rest = products - u * mu.asDiagonal();
  Vector<double> residuals = rest.colwise().stableNorm().transpose();
  if (precision_of<S> == Precision::Single && kernel_.has_double()) {
    // The product has the rounding errors of the tiles, which are those of the updates.
    const EstimatedNorms norms =
        residual_norms(kernel_, samples_, u, products, rest, request_.centered);
    residuals = norms.values;
    if (norms.rows > 0) report.residual_rows = norms.rows;
  }
  const double rounding = rounding_bound<S>(request_.pairs, samples_.rows(), mu(0));
  const double bound = (std::max)(params_.tolerance * mu(0), rounding_noise<S>(request_.pairs));
  for (Index i = 0; i < mu.size(); ++i) {
    const double residual = residuals(i);
    report.residuals.push_back(residual);
    report.eigenvalue_error_bounds.push_back(residual + rounding);
    good = good && residual <= bound;
  }
  if (good) report.status = Status::Converged;
}

template <OwnedSamples X>
void KernelHebbianFit<X>::give_reason(double step, Index restarts, Outcome outcome) {
  std::string reason = "gain step " + to_text(step);
  if (restarts > 0)
    reason += " after " + to_text(restarts) + (restarts == 1 ? " restart" : " restarts") +
              " with half of the step, as the updates diverged";
  if (outcome == Outcome::Diverged) reason += "; given up, as they diverge still";
  add_reason(reason, solution_.report);
}

/// A solution without components: the observer stopped the run before there were any.
template <OwnedSamples X>
KernelSolution<X> KernelHebbianFit<X>::cancelled() {
  const Index n = samples_.rows();
  KernelSolution<X> none;
  none.coefficients.resize(n, 0);
  none.training_scores.resize(n, 0);
  none.mean_weights = Vector<S>::Zero(n);
  none.report = std::move(solution_.report);
  none.report.status = Status::Cancelled;
  return none;
}

#define MERCER_KERNEL_HEBBIAN_FIT(X) MERCER_INSTANTIATE_HEBBIAN(class KernelHebbianFit<X>)
MERCER_FOR_SAMPLES(MERCER_KERNEL_HEBBIAN_FIT)
#undef MERCER_KERNEL_HEBBIAN_FIT

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_HEBBIAN_DETAIL_KERNEL_HEBBIAN_FIT_HPP
