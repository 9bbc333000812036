// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// From a kernel and samples to the operator that a solver takes, and from its result to
/// components.

#ifndef MERCER_SOLVERS_DETAIL_GRAM_PROBLEM_HPP
#define MERCER_SOLVERS_DETAIL_GRAM_PROBLEM_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/gram_form.hpp>
#include <mercer/operators/gram_plan.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/operators/recorded.hpp>
#include <mercer/solvers/detail/certificate.hpp>
#include <mercer/solvers/detail/expansion_scores.hpp>
#include <mercer/solvers/detail/judge_rounding.hpp>
#include <mercer/solvers/detail/turn_orthogonal.hpp>
#include <mercer/solvers/directions.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer::detail {

/// One problem for a solver of operators: makes the operator, and turns the solver's result into
/// components. Compiled once for all kernels and solvers.
template <OwnedSamples X>
class GramProblem {
 public:
  using S = typename X::Scalar;

  GramProblem(const KernelView<X>& kernel, const X& samples, const KernelRequest& request)
      : kernel_(kernel),
        samples_(std::shared_ptr<const X>(), &samples),
        request_(request),
        pairs_(request.pairs),
        scale_(request.weights.cwiseSqrt()) {}

  /// Lets plan_gram() choose the form of the operator for a solver with these needs.
  void plan(double tolerance, std::size_t solver_bytes) {
    tolerance_ = tolerance;
    ask_ = {.tolerance = tolerance,
            .memory_budget = request_.memory_budget,
            .solver_bytes = solver_bytes,
            .storage = request_.storage,
            .precision = request_.precision};
    const PhaseTimer timer(Phase::SamplesPrepared);
    plan_ = plan_gram(kernel_, *samples_, ask_);
  }

  /// Plans again, in double precision.
  void plan_double() {
    ask_.precision = Precision::Double;
    plan_ = plan_gram(kernel_, *samples_, ask_);
    plan_.reason += " by the certificate of a fit in single precision";
  }

  /// K as tiles, in the planned form. If the observer stops the storing of tiles, was_stopped().
  [[nodiscard]] Gram<X> tiles(const Observer& observer = {}) {
    Gram<X> gram = Gram<X>::unchecked(kernel_, samples_, plan_.form, observer);
    stopped_ = gram.form().storage != plan_.form.storage;
    precision_ = gram.form().precision;
    set_noise(gram.diagonal());
    const bool single = precision_ == Precision::Single;
    pairs_.epsilon = single ? double{std::numeric_limits<float>::epsilon()} : 0;
    return gram;
  }

  /// The same, whose products are kept if the caller wants that.
  [[nodiscard]] Recorded<Gram<X>> recorded_tiles(const Observer& observer) {
    Gram<X> gram = tiles(observer);
    return Recorded(std::move(gram), request_.record, precision_);
  }

  [[nodiscard]] bool was_stopped() const { return stopped_; }

  /// K as a matrix in the scalar of the samples.
  [[nodiscard]] PrecomputedGram<S> matrix() {
    auto gram = PrecomputedGram<S>::unchecked(Gram<X>::unchecked(kernel_, samples_).values());
    precision_ = precision_of<S>;
    set_noise(gram.diagonal().template cast<double>());
    return gram;
  }

  /// What to ask the solver for, once there is an operator.
  [[nodiscard]] const EigenRequest& pairs() const { return pairs_; }

  [[nodiscard]] bool centered() const { return request_.centered; }

  /// Whether the samples have weights. The operator of the problem is then S K_c S, where K_c is K,
  /// centred with the weights p if that is wanted, and S = diag(n p)^(1/2).
  [[nodiscard]] bool weighted() const { return scale_.size() > 0; }
  /// p, with the sum 1; empty without weights.
  template <Real V>
  [[nodiscard]] Vector<V> mean_weights() const {
    return (request_.weights / static_cast<double>(samples_->rows())).template cast<V>();
  }
  /// The diagonal of S; empty without weights.
  template <Real V>
  [[nodiscard]] Vector<V> scale() const {
    return scale_.template cast<V>();
  }

  /// The pairs in the scalar of the samples. If K is centred, so are the vectors, with norm 1.
  template <Real V>
  [[nodiscard]] EigenSolution<S> finished(EigenSolution<V> solution) const;

  /// Adds to residuals and bounds the rounding errors that the solver could not see. Returns false
  /// if the plan chose single precision and this missed the tolerance or lost components.
  [[nodiscard]] bool certify(EigenSolution<S>& solution) const;

  /// The components from eigenpairs. Row means are those of K; empty if K is not centred.
  template <Real V>
  [[nodiscard]] KernelSolution<X> components(EigenSolution<S> solution,
                                             const Vector<V>& row_means) const;

  /// The components from directions, with only those samples that have a weight.
  template <Real V>
  [[nodiscard]] KernelSolution<X> components(DirectionSolution<V> solution,
                                             const Vector<V>& row_means) const;

  /// Completes components of weighted samples: sets the scores of all.
  void finish_weighted(KernelSolution<X>& solution) const;

  /// Completes a report: how the matrix was stored, and why.
  void describe_storage(Report& report, bool dense) const;

 private:
  void set_noise(const Vector<double>& diagonal) {
    const Vector<double> sizes = diagonal.cwiseAbs();
    pairs_.noise_scale = detail::noise_scale(
        kernel_, *samples_, weighted() ? sizes.dot(request_.weights) : sizes.sum());
  }
  /// True if the plan, and not the caller, chose single precision for samples in double.
  [[nodiscard]] bool chose_single() const {
    return precision_ != precision_of<S> && !request_.precision;
  }
  void drop_ones(EigenSolution<S>& solution) const;
  void judge_grown(const std::vector<double>& before, EigenSolution<S>& solution) const;
  void judge_rounded(const EigenSolution<S>& solution, Report& report) const;
  [[nodiscard]] bool lost_components(const EigenSolution<S>& solution) const;
  [[nodiscard]] bool add_single_errors(const Matrix<double>& u, Matrix<double> products,
                                       const Vector<double>& mu, Report& report) const;
  void centre(const Vector<S>& row_means, KernelSolution<X>& solution) const;
  void keep_support(KernelSolution<X>& solution) const;

  KernelView<X> kernel_;
  std::shared_ptr<const X> samples_;  // the caller's
  const KernelRequest& request_;
  EigenRequest pairs_;
  Vector<double> scale_;  // of S; empty without weights
  double tolerance_ = 0;
  GramPlanRequest ask_;
  GramPlan plan_;
  Precision precision_ = Precision::Double;
  bool stopped_ = false;
};

template <OwnedSamples X>
template <Real V>
auto GramProblem<X>::finished(EigenSolution<V> solution) const -> EigenSolution<S> {
  EigenSolution<S> out;
  out.report = std::move(solution.report);
  if constexpr (std::same_as<V, S>) {
    out.eigenvalues = std::move(solution.eigenvalues);
    out.eigenvectors = std::move(solution.eigenvectors);
    out.products = std::move(solution.products);
  } else {
    out.eigenvalues = solution.eigenvalues.template cast<S>();
    out.eigenvectors = solution.eigenvectors.template cast<S>();
    out.products = solution.products.template cast<S>();
  }
  if (!centered()) return out;
  // A residual within the tolerance, or rounding, leaves some of the vector of ones (S 1, with
  // weights) in the vector of a small eigenvalue. K u stays as it is without that. A residual that
  // is below mu can only become smaller; of others, the norm is known.
  const Vector<S> s = scale<S>();
  for (Index i = 0; i < out.eigenvectors.cols(); ++i) {
    auto u = out.eigenvectors.col(i);
    if (weighted())
      u -= s * (s.dot(u) / static_cast<S>(s.size()));
    else
      u.array() -= u.mean();
  }
  drop_ones(out);
  const std::vector<double> before = out.report.residuals;
  const bool turned = turn_orthogonal(out);
  for (Index i = 0; !turned && i < out.eigenvectors.cols(); ++i) {
    const S norm = out.eigenvectors.col(i).norm();
    if (!(norm > 0)) continue;
    out.eigenvectors.col(i) /= norm;
    if (i < out.products.cols()) out.products.col(i) /= norm;
    if (static_cast<std::size_t>(i) >= out.report.residuals.size()) continue;
    double& residual = out.report.residuals[static_cast<std::size_t>(i)];
    if (!(residual <= static_cast<double>(out.eigenvalues(i))))
      residual /= static_cast<double>(norm);
  }
  judge_grown(before, out);
  return out;
}

/// Drops the pairs whose vectors, without the vector of ones, have lost more than half of their
/// square. Their eigenvalues are what rounding errors of row means leave of K.
template <OwnedSamples X>
void GramProblem<X>::drop_ones(EigenSolution<S>& solution) const {
  std::vector<Index> kept;
  for (Index i = 0; i < solution.eigenvectors.cols(); ++i)
    if (!(solution.eigenvectors.col(i).squaredNorm() < S(0.5))) kept.push_back(i);
  const Index dropped = solution.eigenvectors.cols() - static_cast<Index>(kept.size());
  if (dropped == 0) return;
  Report& report = solution.report;
  std::vector<double> residuals;
  for (const Index i : kept)
    if (static_cast<std::size_t>(i) < report.residuals.size())
      residuals.push_back(report.residuals[static_cast<std::size_t>(i)]);
  report.residuals = std::move(residuals);
  report.components -= dropped;
  if (report.components_requested) report.zero_eigenvalues += dropped;
  if (solution.products.cols() > 0) solution.products = take_columns(solution.products, kept);
  solution.eigenvectors = take_columns(solution.eigenvectors, kept);
  solution.eigenvalues = take_entries(solution.eigenvalues, kept);
}

/// Sets NotConverged if a residual within the tolerance has grown beyond it.
template <OwnedSamples X>
void GramProblem<X>::judge_grown(const std::vector<double>& before,
                                 EigenSolution<S>& solution) const {
  Report& report = solution.report;
  if (!(tolerance_ > 0) || report.status != Status::Converged) return;
  const double epsilon =
      (std::max)(double{std::numeric_limits<S>::epsilon()}, pairs_.epsilon);  // of kernel values
  const double noise = noise_ulps * epsilon * pairs_.noise_scale;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto largest = static_cast<double>(solution.eigenvalues(0));
    const double bound = (std::max)((std::max)(tolerance_, 16 * epsilon) * largest, noise);
    if (!(before[i] <= bound) || report.residuals[i] <= bound) continue;
    report.status = Status::NotConverged;
    return add_reason(
        "without the vector of ones, residuals of small eigenvalues exceed the tolerance", report);
  }
}

template <OwnedSamples X>
bool GramProblem<X>::certify(EigenSolution<S>& solution) const {
  const PhaseTimer timer(Phase::Certificate);
  Report& report = solution.report;
  bool good = true;
  if (precision_ == Precision::Single && !report.residuals.empty()) {
    if (kernel_.has_double())
      good = add_single_errors(solution.eigenvectors.template cast<double>(),
                               solution.products.template cast<double>(),
                               solution.eigenvalues.template cast<double>(), report);
    else
      add_reason(
          "residuals leave out the rounding of kernel values, as this kernel has none in double "
          "precision",
          report);
  }
  // Coefficients and scores are rounded to the scalar of the samples, once each.
  constexpr double rounding = 2 * double{std::numeric_limits<S>::epsilon()};
  const double norm = solution.eigenvalues.size() > 0
                          ? (std::max)(static_cast<double>(solution.eigenvalues(0)),
                                       -report.most_negative_eigenvalue.value_or(0))
                          : 0;
  report.eigenvalue_error_bounds = report.residuals;
  for (double& bound : report.eigenvalue_error_bounds)
    bound += rounding_bound<double>(pairs_, samples_->rows(), norm) + rounding * norm;
  judge_rounded(solution, report);
  if (chose_single() && lost_components(solution)) good = false;
  return good || !chose_single() || report.status == Status::Cancelled;
}

/// Sets NotConverged if residuals are far above the tolerance, or if components are missing that
/// rounding errors may hide. Solvers stop where products are rounding errors of kernel values, and
/// these may be much larger than the centred matrix.
template <OwnedSamples X>
void GramProblem<X>::judge_rounded(const EigenSolution<S>& solution, Report& report) const {
  if (report.status != Status::Converged) return;
  const double largest =
      solution.eigenvalues.size() > 0 ? static_cast<double>(solution.eigenvalues(0)) : 0;
  if (lost_components(solution) &&
      may_hide_components(pairs_, tolerance_, largest, RowSpace::whole(samples_->rows()), *samples_,
                          request_.weights)) {
    report.status = Status::NotConverged;
    note_missing_components(hidden_components(), report);
    return;
  }
  const double worst = report.residuals.empty()
                           ? 0
                           : *std::max_element(report.residuals.begin(), report.residuals.end());
  if (worst <= accepted_rounding<S>(pairs_, tolerance_, largest)) return;
  report.status = Status::NotConverged;
  add_reason("the rounding of kernel values leaves residuals above the tolerance; " +
                 std::string(rounding_advice),
             report);
}

/// True if components are missing that may be above the rounding errors of double precision.
template <OwnedSamples X>
bool GramProblem<X>::lost_components(const EigenSolution<S>& solution) const {
  const Components& wanted = request_.pairs.components;
  if (wanted.is_all()) return solution.eigenvalues.size() < samples_->rows();
  if (!wanted.is_fraction()) return solution.report.zero_eigenvalues > 0;
  return !(solution.eigenvalues.template cast<double>().sum() >=
           wanted.fraction() * solution.report.trace);
}

/// Adds the measured errors of single precision to the residuals. Returns false, and sets
/// NotConverged, if a residual exceeds the tolerance. If the caller asked for single precision,
/// residuals at its rounding level are accepted.
template <OwnedSamples X>
bool GramProblem<X>::add_single_errors(const Matrix<double>& u, Matrix<double> products,
                                       const Vector<double>& mu, Report& report) const {
  const double noise =
      chose_single() ? rounding_noise<double>(pairs_) : rounding_noise<float>(pairs_);
  const double bound = (std::max)(tolerance_ * mu(0), noise);
  // Without the solver's products, measure K u - mu u as a whole.
  if (products.cols() != u.cols()) products = u * mu.asDiagonal();
  const Matrix<double> rest = products - u * mu.asDiagonal();
  const EstimatedNorms norms =
      residual_norms(kernel_, *samples_, u, products, rest, request_.centered, scale_);
  if (norms.rows > 0) report.residual_rows = norms.rows;
  bool within = true;
  for (std::size_t i = 0; i < report.residuals.size(); ++i) {
    report.residuals[i] = norms.values(static_cast<Index>(i));
    within = within && report.residuals[i] <= bound;
  }
  if (tolerance_ > 0 && !within && report.status == Status::Converged)
    report.status = Status::NotConverged;
  return within;
}

template <OwnedSamples X>
template <Real V>
KernelSolution<X> GramProblem<X>::components(EigenSolution<S> solution,
                                             const Vector<V>& row_means) const {
  const PhaseTimer timer(Phase::Scores);
  fix_signs(solution.eigenvectors);
  const Vector<S> roots = solution.eigenvalues.cwiseSqrt();
  KernelSolution<X> out;
  out.coefficients = solution.eigenvectors * roots.cwiseInverse().asDiagonal();
  if (weighted()) out.coefficients = (scale<S>().asDiagonal() * out.coefficients).eval();
  out.eigenvalues = std::move(solution.eigenvalues);
  out.report = std::move(solution.report);
  centre(row_means.template cast<S>(), out);
  return out;
}

/// Sets the scores to K A - offset, and drops the samples without weight: the eigenvectors have no
/// scores of samples without weight, and small weights would enlarge the errors of their entries.
/// The samples that have weight decide the signs.
/// Cost: a pass over the kernel values.
template <OwnedSamples X>
void GramProblem<X>::finish_weighted(KernelSolution<X>& solution) const {
  const Matrix<double> coefficients = solution.coefficients.template cast<double>();
  Matrix<double> scores(coefficients.rows(), coefficients.cols());
  if (scores.cols() > 0) Gram<X>::unchecked(kernel_, samples_).apply(coefficients, scores);
  scores.rowwise() -= solution.offset.template cast<double>().transpose();
  const Vector<S> signs = fix_signs(request_.weights, scores).template cast<S>();
  solution.training_scores = scores.template cast<S>();
  solution.coefficients *= signs.asDiagonal();
  solution.offset = solution.offset.cwiseProduct(signs).eval();
  solution.report.kernel_products += scores.cols();
  keep_support(solution);
}

template <OwnedSamples X>
template <Real V>
KernelSolution<X> GramProblem<X>::components(DirectionSolution<V> solution,
                                             const Vector<V>& row_means) const {
  const PhaseTimer timer(Phase::Scores);
  const Vector<V> signs = fix_signs(solution.scores);
  KernelSolution<X> out;
  out.coefficients = (solution.coefficients * signs.asDiagonal()).template cast<S>();
  out.eigenvalues = solution.eigenvalues.template cast<S>();
  out.training_scores = solution.scores.template cast<S>();
  out.report = std::move(solution.report);
  centre(row_means.template cast<S>(), out);
  keep_support(out);
  return out;
}

/// Sets the offset and the mean; they are zero if there are no row means.
template <OwnedSamples X>
void GramProblem<X>::centre(const Vector<S>& row_means, KernelSolution<X>& solution) const {
  const Index n = samples_->rows();
  solution.offset = Vector<S>::Zero(solution.eigenvalues.size());
  solution.mean_weights = Vector<S>::Zero(n);
  if (row_means.size() == 0) return;
  // The offset needs columns of A that sum to zero. If an eigenvalue is near the rounding error,
  // its eigenvector contains enough of the vector of ones to spoil this.
  if (weighted()) {
    solution.mean_weights = mean_weights<S>();
    solution.coefficients -= solution.mean_weights * solution.coefficients.colwise().sum().eval();
    solution.mean = solution.mean_weights.dot(row_means);
  } else {
    solution.mean_weights.setConstant(1 / static_cast<S>(n));
    solution.coefficients.rowwise() -= solution.coefficients.colwise().mean().eval();
    solution.mean = row_means.mean();
  }
  solution.offset = solution.coefficients.transpose() * row_means;
}

/// Drops the samples that have no weight in any component or in the mean. A precomputed Gram matrix
/// keeps all of them, because new rows hold kernel values with all of them.
template <OwnedSamples X>
void GramProblem<X>::keep_support(KernelSolution<X>& solution) const {
  if (kernel_.is_precomputed() || solution.eigenvalues.size() == 0) return;
  const auto rows = support<S>(solution.coefficients, solution.mean_weights);
  if (!rows) return;
  solution.points = take_rows(*samples_, *rows);
  solution.coefficients = take_rows(solution.coefficients, *rows);
  solution.mean_weights = take_entries<S>(solution.mean_weights, *rows);
  solution.report.expansion_points = static_cast<Index>(rows->size());
}

template <OwnedSamples X>
void GramProblem<X>::describe_storage(Report& report, bool dense) const {
  const std::string told = std::exchange(report.reason, request_.choice);
  report.precision = precision_;
  if (dense) {
    report.storage = "stored";
  } else {
    const bool stored = plan_.form.storage == GramStorage::Stored;
    report.storage = stored ? "tiles stored" : "tiles recomputed";
    if (stored) report.bytes += stored_tile_bytes(samples_->rows(), plan_.form.precision);
    add_reason(plan_.reason, report);
    add_reason(told, report);
  }
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DETAIL_GRAM_PROBLEM_HPP
