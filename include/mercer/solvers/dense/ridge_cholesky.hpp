// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The basis for sliced inverse regression from one Cholesky factorisation.

#ifndef MERCER_SOLVERS_DENSE_RIDGE_CHOLESKY_HPP
#define MERCER_SOLVERS_DENSE_RIDGE_CHOLESKY_HPP

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/solvers/dense/detail/dense_cholesky.hpp>
#include <mercer/solvers/detail/gram_problem.hpp>
#include <mercer/solvers/detail/spanned_functions.hpp>
#include <mercer/solvers/directions.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

namespace detail {

/// Orthonormal functions that span the coefficients (K + shift)^-1 E, for \p k the centred K, which
/// is overwritten, and the columns E of \p response. Returns false if K + shift is not positive
/// definite to rounding.
template <Real S>
[[nodiscard]] bool span_of_response(Matrix<S>& k, Matrix<S> response, S shift,
                                    SpannedFunctions<S>& out) {
  const S trace = k.trace();
  k.diagonal().array() += shift;
  const DenseCholesky<S> factor(k);
  if (!factor.ok()) return false;
  centre_columns(response);  // the functions do not see the constant, but its coefficient is large
  out.coefficients = response;
  factor.solve(out.coefficients);
  out.scores = response - shift * out.coefficients;  // K R = E - shift R
  out.orthonormalize(trace);
  return true;
}

MERCER_INSTANTIATE_VIEWS(bool span_of_response<double>(Matrix<double>&, Matrix<double>, double,
                                                       SpannedFunctions<double>&))

}  // namespace detail

/// The functions of kernel SIR without a spectrum: for a ridge kappa and the columns E of a
/// response, they are in the span of the coefficients
///   R = (K + n kappa)^-1 E,
/// so a basis of these few functions is as good as that of all samples. Many times faster than
/// Exact, with the same result.
///
/// \code
///   mercer::KernelSir sir{mercer::Gaussian{3.0}, mercer::RidgeCholesky{}, {.slices = 20}};
///   auto model = sir.fit(X, y);
/// \endcode
/// For kernels that are positive semidefinite.
/// Shapes: X n x d, E n x c.
/// Cost: n^3 / 3 operations on all cores, n^2 / 2 kernel values, and O(n^2 c).
/// Memory: n^2 values in double; samples of float take n^2 values of float more while K is made.
/// Accuracy: absolute. Eigenvalues rho^2 are those of Exact to about eps |K| / (n kappa), where eps
///   is that of the samples, so that small ones lose digits.
/// Status: Converged; NotConverged without components if K + n kappa is not positive definite to
///   rounding.
/// Threads: the result does not depend on their number.
/// Source: Wu, Kernel sliced inverse regression with applications to classification, 2008, for the
///   eigenproblem Gamma f = rho^2 (C + kappa) f. As Gamma has rank c, f is (C + kappa)^-1 times one
///   of c functions.
class RidgeCholesky {
 public:
  /// Components that span R; see ResponseBasisSolver.
  /// Throws InvalidArgument without a ridge, and for a rank other than all.
  template <OwnedSamples X>
  [[nodiscard]] KernelSolution<X> solve_response(const std::type_identity_t<KernelView<X>>& kernel,
                                                 const X& samples, const Matrix<double>& response,
                                                 double ridge, const KernelRequest& request,
                                                 const Observer& observer = {}) const;
};

template <OwnedSamples X>
KernelSolution<X> RidgeCholesky::solve_response(const std::type_identity_t<KernelView<X>>& kernel,
                                                const X& samples, const Matrix<double>& response,
                                                double ridge, const KernelRequest& request,
                                                const Observer& observer) const {
  detail::require_positive("RidgeCholesky", "regularization", ridge);
  if (!request.pairs.components.is_all())
    detail::fail("mercer::RidgeCholesky: its basis has no rank to choose; leave rank at all");
  MERCER_ASSERT(request.centered);
  const Index n = samples.rows();
  detail::GramProblem<X> problem(kernel, samples, request);
  Report report = detail::begin_report(kernel, samples, request);
  report.solver = SolverId::RidgeCholesky;
  report.status = Status::Cancelled;
  report.bytes = static_cast<std::size_t>(n) * static_cast<std::size_t>(n + 4 * response.cols()) *
                 sizeof(double);
  detail::SpannedFunctions<double> functions{Matrix<double>(n, 0), Matrix<double>(n, 0)};
  Vector<double> row_means;
  if (detail::go_on(observer, {"cholesky factorisation", 0, 1})) {
    Centered centered(problem.matrix());
    row_means = centered.row_means().template cast<double>();
    Matrix<double> a = std::move(centered).dense().template cast<double>();
    report.trace = a.trace();
    // If only rounding errors are left, the samples do not vary.
    const bool varies =
        std::abs(report.trace) > detail::rounding_noise<typename X::Scalar>(problem.pairs());
    const bool solved =
        !varies || detail::span_of_response(a, response, ridge * report.trace, functions);
    report.status = solved ? Status::Converged : Status::NotConverged;
  }
  DirectionSolution<double> found = std::move(functions).directions(request.pairs.zero_threshold);
  problem.describe_storage(report, true);
  if (report.status == Status::NotConverged)
    detail::add_reason(
        "K + n kappa is not positive definite to rounding; take a larger regularization, or Exact",
        report);
  report.components = found.eigenvalues.size();
  found.report = std::move(report);
  return problem.components(std::move(found), row_means);
}

}  // namespace mercer

#endif  // MERCER_SOLVERS_DENSE_RIDGE_CHOLESKY_HPP
