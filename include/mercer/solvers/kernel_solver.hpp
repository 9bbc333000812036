// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The KernelSolver concept: solvers that need the kernel and the samples, and not the Gram matrix
/// alone.

#ifndef MERCER_SOLVERS_KERNEL_SOLVER_HPP
#define MERCER_SOLVERS_KERNEL_SOLVER_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/operators/gram_form.hpp>
#include <mercer/operators/recorded.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer {

/// What a caller wants of a kernel solver.
struct KernelRequest {
  EigenRequest pairs;             ///< how many components, and what counts as zero
  bool centered = true;           ///< subtract the mean in feature space
  std::size_t memory_budget = 0;  ///< bytes that the run may plan to hold beside the samples
  /// A run whose memory grows must stop at this number of bytes. 0: no limit.
  std::size_t memory_limit = 0;
  /// How a Gram operator holds its matrix. Chosen by plan_gram() if not set.
  std::optional<GramStorage> storage = {};
  /// The precision of kernel values. If not set, the solver chooses.
  std::optional<Precision> precision = {};
  /// The caller combines the components and has certificates of its own. Then a solver may leave
  /// the scores as a product, see KernelSolution::rotation, leave out scores over landmarks that
  /// exceed the memory budget, and leave out the residuals.
  bool factored_scores = false;
  std::string choice = {};  ///< why this solver was chosen; the report's reason begins with it
  /// The weights of the samples, of all processes, with the mean 1; empty: 1 each. Only for solvers
  /// of which takes_weights() is true.
  Vector<double> weights = {};
  /// Keeps the products of the Gram matrix or the iterate, or null. Only for solvers of which
  /// keeps_record() is true.
  FitRecord* record = nullptr;
};

/// Components as functions of a sample: score_i(x) = sum_j A_ji k(x, p_j) - offset_i.
/// If the components are centred, the mean in feature space is m = sum_j w_j phi(p_j).
///
/// With weights omega_i of the samples, mean 1, the mean is that of the weighted samples, and mu_i
/// and the components are eigenpairs of sum_i omega_i phi_i phi_i^T.
template <OwnedSamples X>
struct KernelSolution {
  using Scalar = typename X::Scalar;

  Vector<Scalar> eigenvalues;   ///< mu_i, k, descending
  std::optional<X> points;      ///< p_j, m x d; not set: the p_j are the samples
  Matrix<Scalar> coefficients;  ///< A, m x k: component i is the unit vector sum_j A_ji phi(p_j)
  Vector<Scalar> offset;        ///< inner products of the components and the mean, k
  Vector<Scalar> mean_weights;  ///< w, m; zero where the request was not centred
  Scalar mean = 0;              ///< |m|^2
  /// n x k; column i has squared norm mu_i, with the weights of the samples. Without rows, the
  /// scores of the samples are A diag(mu) or, if the points are set, were left out as the request
  /// allows it. With weights, there are rows.
  Matrix<Scalar> training_scores;
  /// If not empty, the scores are training_scores * rotation. Only where the request allows it.
  Matrix<double> rotation;
  Report report;
};

/// Finds components from a kernel and samples.
///
/// Syntax:
/// - copyable;
/// - `solve(kernel, samples, request, observer) const` for samples in their stored form, which
///   returns a KernelSolution of that form. A solver that needs only kernel values takes
///   `const KernelView<X>&`, and is then compiled once for all kernels.
///
/// Semantics:
/// - Settings only, as for GramSolver.
/// - Fills the report, and sets its status, as GramSolver. A numerical failure is a Status, not an
///   exception.
/// - A solver that follows `request.weights` says so by a member `takes_weights() const` that
///   returns true. With weights it returns scores, and fixes the signs itself: by the samples that
///   have weight.
/// - A solver that keeps its products or its iterate in `request.record` says so by a member
///   `keeps_record() const`.
template <class T>
concept KernelSolver = std::copy_constructible<T> &&
    requires(const T& solver, const Linear& kernel, const Matrix<double>& samples,
             const KernelRequest& request, const Observer& observer) {
  {
    solver.solve(kernel, samples, request, observer)
    } -> std::same_as<KernelSolution<Matrix<double>>>;
};

/// Whether a solver follows the weights of samples in a KernelRequest.
template <class T>
[[nodiscard]] constexpr bool takes_weights(const T& solver) {
  if constexpr (requires { solver.takes_weights(); })
    return solver.takes_weights();
  else
    return false;
}

/// Whether a solver keeps what it has computed in a FitRecord, so that its fits can go on from
/// there.
template <class T>
[[nodiscard]] constexpr bool keeps_record(const T& solver) {
  if constexpr (requires { solver.keeps_record(); })
    return solver.keeps_record();
  else
    return false;
}

/// True if the solver takes this kernel on samples of this form.
template <class T, class K, class X>
concept solves_for = requires(const T& solver, const K& kernel, const X& samples,
                              const KernelRequest& request, const Observer& observer) {
  { solver.solve(kernel, samples, request, observer) } -> std::same_as<KernelSolution<X>>;
};

namespace detail {

/// The report of a run on these samples, before the solver adds its own entries.
template <OwnedSamples X>
[[nodiscard]] Report begin_report(const KernelView<X>& kernel, const X& samples,
                                  const KernelRequest& request) {
  const Components& wanted = request.pairs.components;
  Report report;
  report.kernel = kernel.describe();
  report.precision = precision_of<typename X::Scalar>;
  report.samples = samples.rows();
  report.dimension = samples.cols();
  if (!wanted.is_fraction()) report.components_requested = wanted.count();
  report.reason = request.choice;
  return report;
}

/// Throws InvalidArgument for samples without rows or columns, and unless the components that
/// \p who is asked for are a number from 1 to that of the rows.
template <OwnedSamples X>
void require_counted_components(std::string_view who, const X& samples,
                                const Components& components) {
  if (samples.rows() == 0 || samples.cols() == 0)
    fail("mercer::", who, ": needs at least one row and one column, got ", samples.rows(), " x ",
         samples.cols());
  components.validate(samples.rows());
  require_number(who, components);
}

/// Says why components are missing: they do not count as zero.
inline void note_missing_components(const std::string& reason, Report& report) {
  report.zero_eigenvalues = 0;
  add_reason(reason, report);
}

/// Throws InvalidArgument if there are weights that the solver does not follow.
template <class S>
void require_weights_taken(std::string_view who, const S& solver, bool weighted) {
  if (weighted && !takes_weights(solver))
    fail("mercer::", who,
         ": this solver takes no weights of samples; Auto, Exact, BlockKrylov, Lanczos, "
         "PowerIteration, Dual with the square loss, Nystrom and FeaturePca do");
}

/// Throws InvalidArgument, with the name of \p who, if a record is wanted of a solver that has none.
inline void require_record_kept(std::string_view who, bool wanted, bool kept) {
  if (wanted && !kept)
    fail("mercer::", who,
         ": this solver keeps no record; Auto, BlockKrylov, Lanczos, PowerIteration, Dual, Dca and "
         "Spgd do, and FeaturePca over processes");
}

/// Tells that no products are kept, if there were to be some, as the solver that was chosen makes
/// none.
inline void note_record_not_kept(bool missing, Report& report) {
  if (missing) add_reason("no products are kept, as this solver makes none", report);
}

/// Tells how many products of the fit were kept before it, if it has a record.
inline void add_record_reason(const FitRecord* record, Report& report) {
  if (record) add_reason(to_text(record->found()) + " products were there already", report);
}

/// True if no residual of the report exceeds tolerance mu_1.
template <Real S>
[[nodiscard]] bool residuals_within(double tolerance, const Vector<S>& eigenvalues,
                                    const Report& report) {
  const double largest = eigenvalues.size() > 0 ? static_cast<double>(eigenvalues(0)) : 0;
  return std::all_of(report.residuals.begin(), report.residuals.end(),
                     [&](double residual) { return residual <= tolerance * largest; });
}

/// Sets the status of a run that has done all of its steps and has estimated its residuals:
/// Finished if the tolerance is 0, so that none was asked for; else Converged if no residual
/// exceeds tolerance mu_1, or NotConverged with the reason.
template <Real S>
void judge_residuals(double tolerance, const Vector<S>& eigenvalues, Report& report) {
  const bool within = residuals_within(tolerance, eigenvalues, report);
  report.status = tolerance == 0 ? Status::Finished
                  : within       ? Status::Converged
                                 : Status::NotConverged;
  if (tolerance == 0 || within) return;
  const double worst = *std::max_element(report.residuals.begin(), report.residuals.end());
  add_reason("the largest residual is " + to_text(worst / static_cast<double>(eigenvalues(0))) +
                 " mu_1, the tolerance " + to_text(tolerance) + " mu_1",
             report);
}

/// k(x_i, x_i), n values. For solvers that take positive semidefinite kernels only, and that
/// evaluate them at chosen points.
/// Throws InvalidArgument, with the name of \p solver, for a precomputed Gram matrix, for samples
///   that are not finite or outside the kernel's domain, and for diagonal values that are negative
///   or not finite.
template <OwnedSamples X>
[[nodiscard]] Vector<double> semidefinite_diagonal(std::string_view solver,
                                                   const KernelView<X>& kernel, const X& samples) {
  if (kernel.is_precomputed())
    fail("mercer::", solver,
         ": needs samples, and a precomputed Gram matrix has none; take BlockKrylov, Lanczos or "
         "Exact");
  require_finite_samples(solver, samples);
  kernel.check_domain(samples);
  Vector<double> diagonal = kernel.diagonal(samples).template cast<double>();
  for (Index i = 0; i < diagonal.size(); ++i)
    if (!(diagonal(i) >= 0 && std::isfinite(diagonal(i))))
      fail("mercer::", solver, ": k(x, x) must be finite and not negative, but the kernel ",
           kernel.describe(), " has the value ", diagonal(i), " for sample ", i,
           " (counted from 0); Exact and BlockKrylov take indefinite kernels");
  return diagonal;
}

/// What rounding errors of kernel values are proportional to: \p diagonal, the sum of |k(x, x)|
/// over the samples of all processes, and more for a kernel that grows so fast that its values have
/// more than the usual errors. Collective.
template <OwnedSamples X>
[[nodiscard]] double noise_scale(const KernelView<X>& kernel, const RowSpace& space,
                                 const X& samples, double diagonal) {
  double growth = kernel.growth(samples);
  if (space.is_spread()) space.processes().maximum({&growth, 1});
  return diagonal * (std::max)(1.0, growth / noise_ulps);
}
template <OwnedSamples X>
[[nodiscard]] double noise_scale(const KernelView<X>& kernel, const X& samples, double diagonal) {
  return noise_scale(kernel, RowSpace::whole(samples.rows()), samples, diagonal);
}

/// Makes the noise scale of a request at least that of these samples.
template <OwnedSamples X>
void raise_noise_scale(EigenRequest& pairs, const KernelView<X>& kernel, const X& samples,
                       double diagonal) {
  pairs.noise_scale = (std::max)(pairs.noise_scale, noise_scale(kernel, samples, diagonal));
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_SOLVERS_KERNEL_SOLVER_HPP
