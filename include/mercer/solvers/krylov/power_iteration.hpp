// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Power iteration with deflation: the simplest iterative solver, for reading and for comparisons.

#ifndef MERCER_SOLVERS_KRYLOV_POWER_ITERATION_HPP
#define MERCER_SOLVERS_KRYLOV_POWER_ITERATION_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/symmetric_operator.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer {

/// Finds one eigenpair after the other by v <- K v / |K v|. Every iterate is kept orthogonal to the
/// pairs already found. This applies K - sum mu u u^T implicitly (spec 5.4).
///
/// Needs only products, so it works on any SymmetricOperator. For indefinite matrices, pairs come
/// in the order of |mu|, and the run ends at the first one that is not positive.
/// Cost: one product for each iteration. The error of pair i falls by the factor mu_{i+1} / mu_i in
///   each iteration, so close eigenvalues take very long: for real work, use another solver.
/// Status: NotConverged if a pair misses the tolerance within max_iterations; it is then the best
///   so far.
/// Random: start vectors from params.seed, purpose "power iteration".
/// Source: the power method with deflation, spec 5.4.
class PowerIteration {
 public:
  struct Params {
    double tolerance = 1e-10;     ///< stop a pair at |K v - mu v| <= tolerance mu
    Index max_iterations = 5000;  ///< for each pair
    std::uint64_t seed = 1;
  };

  PowerIteration() = default;

  /// Throws InvalidArgument for a tolerance that is not positive or max_iterations < 1.
  explicit PowerIteration(Params params) : params_(params) {
    detail::require_positive("PowerIteration", "tolerance", params.tolerance);
    detail::require_at_least("PowerIteration", "max_iterations", params.max_iterations, Index{1});
  }

  static constexpr bool wants_dense = false;
  /// 0, for tiles in double precision: params.tolerance is relative to each eigenvalue.
  [[nodiscard]] double tolerance() const { return 0; }
  [[nodiscard]] std::size_t bytes(Index n, Index components) const {
    return static_cast<std::size_t>(n * (components + 3)) * sizeof(double);
  }

  template <SymmetricOperator A>
  [[nodiscard]] EigenSolution<typename A::Scalar> solve(const A& a, const EigenRequest& request,
                                                        const Observer& observer = {}) const {
    using S = typename A::Scalar;
    const Index n = a.rows();
    EigenSolution<S> solution;
    Report& report = solution.report;
    report.solver = SolverId::PowerIteration;
    report.trace = detail::trace(a, request);
    const Index most = request.components.is_fraction() ? n : request.components.count();
    Matrix<S> found(n, 0);
    Vector<S> values(0);
    double sum = 0;
    bool converged = true;
    while (found.cols() < most && report.status != Status::Cancelled) {
      Pair<S> pair = next_pair(a, found, observer, report);
      converged = converged && pair.converged;
      const double largest = static_cast<double>(values.size() > 0 ? values(0) : pair.value);
      append(pair, found, values);
      sum += static_cast<double>(pair.value);
      if (!(static_cast<double>(pair.value) > detail::zero_floor<S>(largest, n, request))) break;
      if (request.components.is_fraction() && sum >= request.components.fraction() * report.trace)
        break;
    }
    if (converged) report.status = Status::Converged;
    const Index kept = detail::select_components(values, n, request, report);
    solution.eigenvalues = values.head(kept);
    solution.eigenvectors = found.leftCols(kept);
    report.residuals.resize(static_cast<std::size_t>(kept));
    report.eigenvalue_error_bounds = report.residuals;
    report.bytes = static_cast<std::size_t>(found.size() + 3 * n) * sizeof(S);
    return solution;
  }

 private:
  template <Real S>
  struct Pair {
    S value;
    Matrix<S> vector;
    bool converged;
  };

  /// The pair of largest |mu| orthogonal to the pairs found. Appends its residual to the report.
  template <class A, Real S = typename A::Scalar>
  [[nodiscard]] Pair<S> next_pair(const A& a, const Matrix<S>& found, const Observer& observer,
                                  Report& report) const {
    Matrix<S> v = normal_matrix<S>(
        a.rows(), 1, params_.seed + static_cast<std::uint64_t>(found.cols()), "power iteration");
    Matrix<S> product(a.rows(), 1);
    for (Index step = 0;; ++step) {
      deflate(found, v);
      const S norm = v.stableNorm();
      if (norm > 0) v /= norm;
      a.apply(v, product);
      ++report.iterations;
      ++report.kernel_products;
      const S value = v.col(0).dot(product.col(0));
      const auto residual = static_cast<double>((product - value * v).norm());
      // Errors of the pairs found before must not count for this pair's tolerance.
      deflate(found, product);
      const bool converged = static_cast<double>((product - value * v).norm()) <=
                             params_.tolerance * std::abs(static_cast<double>(value));
      const bool cancelled =
          !converged && !detail::go_on(observer, {"power iteration", found.cols(), 0});
      if (!converged && !cancelled && step + 1 < params_.max_iterations) {
        v = product;
        continue;
      }
      if (cancelled) report.status = Status::Cancelled;
      report.residuals.push_back(residual);
      return {value, v, converged};
    }
  }

  /// Makes v orthogonal to the vectors found. Two passes, because one leaves a remainder.
  template <Real S>
  static void deflate(const Matrix<S>& found, Matrix<S>& v) {
    for (int pass = 0; pass < 2; ++pass) v -= found * (found.transpose() * v);
  }

  template <Real S>
  static void append(const Pair<S>& pair, Matrix<S>& found, Vector<S>& values) {
    found.conservativeResize(Eigen::NoChange, found.cols() + 1);
    found.rightCols(1) = pair.vector;
    values.conservativeResize(values.size() + 1);
    values(values.size() - 1) = pair.value;
  }

  Params params_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_KRYLOV_POWER_ITERATION_HPP
