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
#include <limits>

#include <mercer/core/errors.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/symmetric_operator.hpp>
#include <mercer/solvers/detail/ritz_space.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer {

struct PowerIterationParams {
  double tolerance = 1e-10;     ///< for each pair |K v - mu v| <= tolerance |mu| / k^(1/2), or at
                                ///< rounding, where k is the number of components asked for
  Index max_iterations = 5000;  ///< for each pair
  std::uint64_t seed = 1;

  /// Throws InvalidArgument for a tolerance that is not positive or max_iterations < 1.
  void validate() const {
    detail::require_positive("PowerIteration", "tolerance", tolerance);
    detail::require_at_least("PowerIteration", "max_iterations", max_iterations, Index{1});
  }
};

/// Finds one eigenpair after the other by v <- K v / |K v|. Every iterate is kept orthogonal to the
/// pairs already found. This applies K - sum mu u u^T implicitly. The result is the
/// Rayleigh-Ritz pairs of all vectors found.
///
/// Needs only products, so it works on any SymmetricOperator. For indefinite matrices, pairs come
/// in the order of |mu|, and the run ends at the first one that is not positive.
/// Cost: one product for each iteration. The error of pair i falls by the factor mu_{i+1} / mu_i in
///   each iteration, so close eigenvalues take very long: for real work, use another solver.
/// Status: NotConverged if a pair misses the tolerance within max_iterations; it is then the best
///   so far. NotConverged, with the pairs so far, if a product is not finite.
/// Random: start vectors from params.seed, purpose "power iteration".
/// Source: Golub, Van Loan, Matrix computations, 4th edition, 2013, section 8.2; Parlett, The
///   symmetric eigenvalue problem, 1998, section 5.1, for the deflation.
class PowerIteration {
 public:
  using Params = PowerIterationParams;

  PowerIteration() = default;

  /// Throws InvalidArgument for a tolerance that is not positive or max_iterations < 1.
  explicit PowerIteration(Params params) : params_(params) { params.validate(); }

  static constexpr bool wants_dense = false;
  /// 0, for tiles in double precision: params.tolerance is relative to each eigenvalue.
  [[nodiscard]] double tolerance() const { return 0; }
  [[nodiscard]] std::size_t bytes(Index n, Index components) const {
    return static_cast<std::size_t>(n * (2 * components + 3)) * sizeof(double);
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
    detail::RitzSpace<S> found(RowSpace::whole(n));
    // A Ritz vector mixes all that is outside of the vectors found: up to k^(1/2) times as much.
    const double share = 1 / std::sqrt(static_cast<double>(most));
    bool converged = true, negative = false;
    while (found.size() < most && report.status != Status::Cancelled) {
      const Outcome outcome = add_pair(a, request, observer, share, report, found);
      converged = converged && outcome.converged;
      if (!outcome.added) break;
      const Vector<S>& values = found.ritz().values;
      const auto last = static_cast<double>(values(values.size() - 1));
      const double floor = detail::zero_floor<S>(static_cast<double>(values(0)), n, request);
      negative = last < -floor;
      if (!(last > floor)) break;
      if (request.components.is_fraction() &&
          static_cast<double>(values.sum()) >= request.components.fraction() * report.trace)
        break;
    }
    // Behind a negative eigenvalue, positive ones of less magnitude may follow.
    if (negative)
      report.reason =
          "stopped at a negative eigenvalue, so that Lanczos or BlockKrylov may find more";
    else if (converged)
      report.status = Status::Converged;
    const Vector<S> values = found.ritz().values;
    const Index kept = detail::select_components(values, n, request, report);
    if (report.status != Status::Converged) report.zero_eigenvalues = 0;  // not searched for
    solution.eigenvalues = values.head(kept);
    solution.eigenvectors = found.vectors(kept);
    solution.products = found.vector_products(kept);
    const Vector<S> residuals = detail::column_norms(found.residuals(kept));
    report.residuals.assign(residuals.begin(), residuals.end());
    report.eigenvalue_error_bounds = report.residuals;
    report.bytes = static_cast<std::size_t>(n * (2 * found.size() + 3)) * sizeof(S);
    return solution;
  }

 private:
  struct Outcome {
    bool added, converged;
  };

  /// Adds the pair of largest |mu| outside of the space. Adds nothing if a product is not finite.
  template <class A, Real S = typename A::Scalar>
  [[nodiscard]] Outcome add_pair(const A& a, const EigenRequest& request, const Observer& observer,
                                 double share, Report& report, detail::RitzSpace<S>& found) const {
    const PhaseTimer timer(Phase::Steps);
    constexpr double rounding = 16 * double{std::numeric_limits<S>::epsilon()};
    const double first = found.size() > 0 ? std::abs(double{found.ritz().values(0)}) : 0;
    const double known_noise = (std::max)(rounding * first, detail::rounding_noise<S>(request));
    Matrix<S> v =
        normal_block<S>({0, a.rows()}, {found.size(), 1}, params_.seed, "power iteration");
    Matrix<S> product(a.rows(), 1);
    for (Index step = 0;; ++step) {
      v = found.outside(v);
      const S norm = v.stableNorm();
      if (norm > 0) v /= norm;
      a.apply(v, product);
      ++report.iterations;
      ++report.kernel_products;
      if (!product.allFinite()) return {.added = false, .converged = false};
      const S value = v.col(0).dot(product.col(0));
      // Errors of the pairs found before must not count for this pair's tolerance.
      const Matrix<S> next = found.outside(product);
      const double size = std::abs(double{value});
      const double noise = (std::max)(rounding * size, known_noise);
      const bool converged = static_cast<double>((next - value * v).stableNorm()) <=
                             (std::max)(share * params_.tolerance * size, noise);
      const bool cancelled =
          !converged && !detail::go_on(observer, {"power iteration", found.size(), 0});
      if (!converged && !cancelled && step + 1 < params_.max_iterations) {
        v = next;
        continue;
      }
      if (cancelled) report.status = Status::Cancelled;
      return {.added = found.append(v, product), .converged = converged};
    }
  }

  Params params_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_KRYLOV_POWER_ITERATION_HPP
