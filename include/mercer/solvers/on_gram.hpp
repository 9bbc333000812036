// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// OnGram: makes a KernelSolver from a solver of operators.

#ifndef MERCER_SOLVERS_ON_GRAM_HPP
#define MERCER_SOLVERS_ON_GRAM_HPP

#include <type_traits>
#include <utility>

#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/diagonally_scaled.hpp>
#include <mercer/operators/recorded.hpp>
#include <mercer/operators/symmetric_operator.hpp>
#include <mercer/solvers/detail/gram_problem.hpp>
#include <mercer/solvers/directions.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

/// Makes a KernelSolver from a solver of operators. It plans the storage and precision of the Gram
/// matrix, makes and centres it, solves, and adds the rounding errors to the residuals. If tiles in
/// single precision are not accurate enough, it solves again in double precision. If the samples
/// have weights omega with the mean 1, a solver of eigenpairs gets the operator of the weighted
/// problem, diag(omega)^(1/2) K_c diag(omega)^(1/2).
/// \tparam T  models OperatorSolver
/// Throws what plan_gram() and the solver throw.
/// Throws InvalidArgument for kernel values that are not finite.
template <OperatorSolver T>
class OnGram {
 public:
  explicit OnGram(T solver) : solver_(std::move(solver)) {}

  /// Whether it follows the weights of samples.
  [[nodiscard]] static constexpr bool takes_weights() { return GramSolver<T>; }

  /// Whether it keeps the products of the Gram matrix: solvers that make products do.
  [[nodiscard]] static constexpr bool keeps_record() { return !T::wants_dense; }

  template <OwnedSamples X>
  [[nodiscard]] KernelSolution<X> solve(const std::type_identity_t<KernelView<X>>& kernel,
                                        const X& samples, const KernelRequest& request,
                                        const Observer& observer = {}) const;

 private:
  /// Returns false if single precision has spoiled the result.
  template <OwnedSamples X, SymmetricOperator A>
  [[nodiscard]] bool attempt(detail::GramProblem<X>& problem, A gram, const Observer& observer,
                             KernelSolution<X>& solution) const {
    using V = typename A::Scalar;
    if (!problem.centered()) {
      DiagonallyScaled scaled(std::move(gram), problem.template scale<V>());
      return take(problem, solver_.solve(std::move(scaled), problem.pairs(), observer), Vector<V>(),
                  solution);
    }
    DiagonallyScaled centered(Centered(std::move(gram), problem.template mean_weights<V>()),
                              problem.template scale<V>());
    Vector<V> row_means;
    if constexpr (T::wants_dense) {
      row_means = centered.base().row_means();
      return take(problem, solver_.solve(std::move(centered), problem.pairs(), observer), row_means,
                  solution);
    } else {
      auto found = solver_.solve(centered, problem.pairs(), observer);
      // A run that was cancelled before its first product has no row means, and needs none.
      if (found.report.status != Status::Cancelled || found.eigenvalues.size() > 0)
        row_means = centered.base().row_means();
      return take(problem, std::move(found), row_means, solution);
    }
  }

  template <OwnedSamples X, class Found, Real V>
  [[nodiscard]] bool take(const detail::GramProblem<X>& problem, Found found,
                          const Vector<V>& row_means, KernelSolution<X>& solution) const {
    problem.describe_storage(found.report, T::wants_dense);
    if constexpr (GramSolver<T>) {
      auto pairs = problem.finished(std::move(found));
      const bool good = problem.certify(pairs);
      solution = problem.components(std::move(pairs), row_means);
      return good;
    } else {
      solution = problem.components(std::move(found), row_means);
      return true;
    }
  }

  T solver_;
};

template <OperatorSolver T>
template <OwnedSamples X>
KernelSolution<X> OnGram<T>::solve(const std::type_identity_t<KernelView<X>>& kernel,
                                   const X& samples, const KernelRequest& request,
                                   const Observer& observer) const {
  detail::GramProblem<X> problem(kernel, samples, request);
  KernelSolution<X> solution;
  if constexpr (T::wants_dense) {
    static_cast<void>(attempt(problem, problem.matrix(), observer, solution));
  } else {
    const Components& wanted = request.pairs.components;
    problem.plan(solver_.tolerance(),
                 solver_.bytes(samples.rows(), wanted.is_fraction() ? 0 : wanted.count()));
    if (request.record)
      detail::begin_record(*request.record, kernel, RowSpace::whole(samples.rows()), samples);
    const Observer stop = [](const Progress&) { return false; };
    const auto try_tiles = [&] {
      auto gram = problem.recorded_tiles(observer);
      const Observer& rest = problem.was_stopped() ? stop : observer;
      return attempt(problem, std::move(gram), rest, solution);
    };
    if (!try_tiles()) {
      problem.plan_double();
      static_cast<void>(try_tiles());
    }
    detail::add_record_reason(request.record, solution.report);
  }
  if (problem.weighted()) problem.finish_weighted(solution);
  return solution;
}

/// The solver itself if it is a KernelSolver; OnGram of it if it is an OperatorSolver.
template <class T>
  requires KernelSolver<T> || OperatorSolver<T>
[[nodiscard]] decltype(auto) as_kernel_solver(const T& solver) {
  if constexpr (OperatorSolver<T>)
    return OnGram<T>(solver);
  else
    return (solver);
}

}  // namespace mercer

#endif  // MERCER_SOLVERS_ON_GRAM_HPP
