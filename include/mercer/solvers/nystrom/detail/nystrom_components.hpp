// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Components, scores, error bounds and certificates from Nystroem's factor.

#ifndef MERCER_SOLVERS_NYSTROM_DETAIL_NYSTROM_COMPONENTS_HPP
#define MERCER_SOLVERS_NYSTROM_DETAIL_NYSTROM_COMPONENTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/memory.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/row_blocks.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/dense/detail/dense_eigen.hpp>
#include <mercer/solvers/detail/expansion_scores.hpp>
#include <mercer/solvers/detail/sampled_residuals.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/nystrom/detail/nystrom_factor.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>

namespace mercer::detail {

/// A run of Nystroem's method: call approximate() once or more, then components().
template <OwnedSamples X>
class NystromFit {
 public:
  using S = typename X::Scalar;

  /// Throws InvalidArgument for samples that are not finite or outside the kernel's domain, and for
  ///   k(x, x) that are negative or not finite.
  /// Lifetime: refers to samples and observer.
  NystromFit(const KernelView<X>& kernel, const X& samples, const KernelRequest& request,
             const Observer& observer);

  /// tr K.
  [[nodiscard]] double gram_trace() const { return gram_trace_; }
  /// tr(K - K~) of the last approximation.
  [[nodiscard]] double trace_error() const { return details_.trace_error; }

  /// Computes K~ for these landmarks, which replaces the last one. Returns false if cancelled.
  [[nodiscard]] bool approximate(Landmarks<X> landmarks);

  /// Releases most of the memory of the last approximation, before the next one.
  void discard() { factor_ = {}; }

  /// Says that the components are not good enough, whatever comes later.
  void not_converged() { missed_ = true; }

  /// A solution without components, for a run that the observer stopped.
  [[nodiscard]] KernelSolution<X> cancelled() const;

  /// The components of the last approximation. Call once.
  [[nodiscard]] KernelSolution<X> components(Index certificate_rows, std::uint64_t seed);

 private:
  [[nodiscard]] Matrix<double> principal_directions();
  void expand(const Matrix<double>& directions);
  [[nodiscard]] bool score(const Matrix<double>& directions);
  void bound_errors();
  void certify(Index certificate_rows, std::uint64_t seed);
  void count_bytes(std::size_t selection);

  KernelView<X> kernel_;
  const X& samples_;
  KernelRequest request_;
  const Observer& observer_;
  double gram_trace_ = 0;
  NystromFactor<X> factor_;
  NystromMoments moments_;
  NystromDetails details_;
  bool missed_ = false;  // something that was asked for was not reached
  KernelSolution<X> solution_;
};

template <OwnedSamples X>
NystromFit<X>::NystromFit(const KernelView<X>& kernel, const X& samples,
                          const KernelRequest& request, const Observer& observer)
    : kernel_(kernel), samples_(samples), request_(request), observer_(observer) {
  gram_trace_ = semidefinite_diagonal("Nystrom", kernel, samples).sum();
  if (request_.memory_budget == 0) request_.memory_budget = default_memory_budget();
  request_.pairs.noise_scale = (std::max)(request_.pairs.noise_scale, gram_trace_);
  solution_.report = begin_report(kernel, samples, request);
  solution_.report.solver = SolverId::Nystrom;
  solution_.report.storage = "landmarks";
}

template <OwnedSamples X>
bool NystromFit<X>::approximate(Landmarks<X> landmarks) {
  Report& report = solution_.report;
  details_.sampling_evaluations += landmarks.evaluations;
  if (landmarks.cancelled) return false;
  if (landmarks.rows.empty()) kernel_.check_domain(landmarks.points);
  factor_ = selected_factor(landmarks);
  if (factor_.points.rows() == 0) factor_ = nystrom_factor(kernel_, landmarks.points);
  landmarks.factor.reset();
  const auto rows = static_cast<std::size_t>(samples_.rows());
  const std::size_t size = rows * static_cast<std::size_t>(factor_.whiten.cols()) * sizeof(S);
  moments_ = nystrom_moments(kernel_, samples_, factor_, request_.centered,
                             size <= request_.memory_budget, observer_);
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

template <OwnedSamples X>
KernelSolution<X> NystromFit<X>::cancelled() const {
  KernelSolution<X> none;
  none.points = X(0, samples_.cols());
  none.training_scores.resize(samples_.rows(), 0);
  none.report = solution_.report;
  none.report.status = Status::Cancelled;
  none.report.components = 0;
  none.report.expansion_points = 0;
  return none;
}

template <OwnedSamples X>
KernelSolution<X> NystromFit<X>::components(Index certificate_rows, std::uint64_t seed) {
  const Matrix<double> directions = principal_directions();
  expand(directions);
  if (!score(directions)) return cancelled();
  if (!missed_) solution_.report.status = Status::Converged;
  solution_.report.details = details_;
  bound_errors();
  if (solution_.rotation.size() == 0) certify(certificate_rows, seed);
  return std::move(solution_);
}

/// Sets the eigenvalues of F^T F (centred if the request says so) that the request keeps. Returns
/// their eigenvectors, r x k.
template <OwnedSamples X>
Matrix<double> NystromFit<X>::principal_directions() {
  const SingleThread one;
  Report& report = solution_.report;
  const Components& wanted = request_.pairs.components;
  report.trace = moments_.scatter.trace() + details_.trace_error;
  const Index r = moments_.scatter.rows();
  if (r == 0) {  // K is zero
    static_cast<void>(
        select_components<S>(Vector<S>::Zero(1), samples_.rows(), request_.pairs, report));
    return Matrix<double>(0, 0);
  }
  DenseEigen<double> eigen(moments_.scatter);
  const Vector<S> values = eigen.eigenvalues().reverse().template cast<S>();
  Index kept = eigen.ok() ? select_components(values, samples_.rows(), request_.pairs, report) : 0;
  const Matrix<double> vectors = eigen.leading_vectors(kept);
  if (!eigen.ok()) kept = report.components = 0;
  const double reached = static_cast<double>(values.head(kept).sum());
  constexpr double eps = std::numeric_limits<S>::epsilon();
  const bool too_few = wanted.is_fraction() && !wanted.is_all() &&
                       reached < wanted.fraction() * report.trace * (1 - 4 * eps);
  if (!eigen.ok() || too_few) not_converged();
  solution_.eigenvalues = values.head(kept);
  return vectors.leftCols(kept);
}

/// Sets the coefficients over the landmarks, and the mean.
template <OwnedSamples X>
void NystromFit<X>::expand(const Matrix<double>& directions) {
  const Matrix<double> whiten = factor_.whiten.template cast<double>();
  solution_.points = factor_.points;
  solution_.coefficients = small_product(whiten, directions).template cast<S>();
  solution_.offset = Vector<S>::Zero(directions.cols());
  solution_.mean_weights = Vector<S>::Zero(whiten.rows());
  if (!request_.centered || whiten.size() == 0) return;  // BLAS takes no empty matrices
  const Matrix<double> mean = moments_.mean;
  solution_.offset = small_product<double>(directions.transpose(), mean).template cast<S>();
  solution_.mean_weights = small_product(whiten, mean).template cast<S>();
  solution_.mean = static_cast<S>(moments_.mean.squaredNorm());
}

/// Sets the scores of the samples: from the rows of F where they are held, else from kernel values.
/// Returns false if the observer stopped the run.
template <OwnedSamples X>
bool NystromFit<X>::score(const Matrix<double>& directions) {
  Matrix<S>& rows = factor_.rows;
  if (rows.size() == 0) {
    if (!fill_scores(kernel_, samples_, observer_, solution_)) return false;
    diagonalize_scores(request_.centered, solution_);
    return true;
  }
  const Vector<double> rest = moments_.mean - factor_.shift;  // of the means of the rows
  const Index n = rows.rows(), k = directions.cols();
  // A product pays where there are about as many components as landmarks.
  if (request_.factored_scores && 2 * k > rows.cols()) {
    if (request_.centered) rows.rowwise() -= rest.transpose().template cast<S>();
    solution_.training_scores = std::move(rows);
    solution_.rotation = directions;
    return true;
  }
  // In place: a second matrix of this size might exceed the budget.
  const Matrix<S> turn = directions.template cast<S>();
  for_row_blocks(n, [&](Index, Index first, Index size) {
    Matrix<S> turned = Matrix<S>::Zero(size, k);
    multiply_add<S>(rows.middleRows(first, size), turn, turned);
    rows.block(first, 0, size, k) = turned;
  });
  rows.conservativeResize(Eigen::NoChange, k);
  solution_.training_scores = std::move(rows);
  if (request_.centered) {
    const Vector<double> means = small_product<double>(directions.transpose(), rest);
    solution_.training_scores.rowwise() -= means.transpose().template cast<S>();
  }
  diagonalize_scores(request_.centered, solution_);
  return true;
}

/// Sets Weyl's bound |mu_i(K) - mu_i(K~)| <= |K - K~| <= tr(K - K~), with the rounding error added.
/// The bound also holds if both matrices are centred.
template <OwnedSamples X>
void NystromFit<X>::bound_errors() {
  const Vector<S>& mu = solution_.eigenvalues;
  if (mu.size() == 0) return;
  const double rounding =
      zero_floor<S>(static_cast<double>(mu(0)), samples_.rows(), request_.pairs);
  solution_.report.eigenvalue_error_bounds.assign(static_cast<std::size_t>(mu.size()),
                                                  details_.trace_error + rounding);
}

/// Sets the residuals. Where they are exact, they may be smaller bounds.
template <OwnedSamples X>
void NystromFit<X>::certify(Index certificate_rows, std::uint64_t seed) {
  Report& report = solution_.report;
  const Vector<S>& mu = solution_.eigenvalues;
  if (mu.size() == 0) return;
  const Index n = samples_.rows(), count = (std::min)(n, certificate_rows);
  RandomStream stream(seed, "certificate rows");
  const std::vector<Index> rows = sample_without_replacement(n, count, stream);
  const Matrix<S> product =
      sampled_product(kernel_, samples_, solution_.training_scores, rows, observer_);
  const bool measured = product.size() > 0, exact = measured && count == n;
  if (measured)
    report.residuals = sampled_residuals<S>(
        product, mu, solution_.training_scores(rows, Eigen::indexing::all), request_.centered, n);
  else
    report.status = Status::Cancelled;
  if (exact)
    report.kernel_products = mu.size();
  else if (measured)
    report.residual_rows = count;
  if (!exact) return;
  const double rounding = zero_floor<S>(static_cast<double>(mu(0)), n, request_.pairs);
  for (std::size_t i = 0; i < report.residuals.size(); ++i)
    report.eigenvalue_error_bounds[i] =
        (std::min)(report.eigenvalue_error_bounds[i], report.residuals[i] + rounding);
}

/// The largest memory at one time: of the selection of landmarks, or of the passes over samples.
template <OwnedSamples X>
void NystromFit<X>::count_bytes(std::size_t selection) {
  const auto n = static_cast<std::size_t>(samples_.rows());
  const auto m = static_cast<std::size_t>(factor_.points.rows());
  const Components& wanted = request_.pairs.components;
  const std::size_t k = wanted.is_fraction() ? m : static_cast<std::size_t>(wanted.count());
  const auto threads = static_cast<std::size_t>(thread_count());
  const std::size_t held =
      factor_.rows.size() > 0 ? n : (std::min)(n, static_cast<std::size_t>(factor_group));
  const std::size_t rows = held + threads * static_cast<std::size_t>(factor_tile);
  // Beside K(P, P): its factor, the factor's inverse, the scatter, its eigenvectors and a copy.
  const std::size_t scores = factor_.rows.size() > 0 ? 0 : n * k;  // in place of held rows
  const std::size_t passes = 6 * m * m * sizeof(double) + (rows * m + scores) * sizeof(S);
  std::size_t& bytes = solution_.report.bytes;
  bytes = (std::max)({bytes, selection, passes});
}

#define MERCER_NYSTROM_FIT(X) MERCER_INSTANTIATE_NYSTROM(class NystromFit<X>)
MERCER_FOR_SAMPLES(MERCER_NYSTROM_FIT)
#undef MERCER_NYSTROM_FIT

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_NYSTROM_DETAIL_NYSTROM_COMPONENTS_HPP
