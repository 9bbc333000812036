// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Chooses a solver by the size of the problem. This rule is written here and nowhere else.

#ifndef MERCER_SOLVERS_AUTO_HPP
#define MERCER_SOLVERS_AUTO_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <mercer/solvers/on_gram.hpp>

namespace mercer {

struct AutoParams {
  double tolerance = 1e-6;  ///< for each component, |K u - mu u| <= tolerance mu_1
  std::uint64_t seed = 1;

  /// Throws InvalidArgument for a tolerance that is not positive.
  void validate() const { detail::require_positive("Auto", "tolerance", tolerance); }
};

/// What the choice depends on.
struct Problem {
  Index samples = 0;              ///< n
  Components components = 2;      ///< k, or a fraction of variance
  std::size_t value_bytes = 8;    ///< bytes of one value of the Gram matrix
  std::size_t memory_budget = 0;  ///< bytes that a run may use beside the samples
  bool precomputed = false;       ///< the Gram matrix is given, so landmarks cannot be used
};

/// A solver, and the reason for it.
struct Choice {
  std::variant<Exact, BlockKrylov, Nystrom<>> solver;  ///< the solver
  std::string reason;                                  ///< one sentence
};

/// Picks Exact, BlockKrylov or Nystrom from n, k and the memory budget, and runs it. The default
/// solver of KernelPca.
///
/// The rule, in this order:
/// 1. Exact, if all eigenvalues cost no more than a few: n <= 500, or k > n / 10. For a fraction of
///    variance up to n = 3000, because the number of components is not known. Only if the matrix
///    and the eigensolver's copy of it fit in the memory budget.
/// 2. Nystrom with max(20 k, 1000) landmarks for n > 250 000, where one pass over the n^2 kernel
///    values takes minutes. The components are those of an approximation of the Gram matrix. The
///    status is NotConverged if the estimated residuals exceed the tolerance; report.residuals
///    tells the caller whether the components are good enough.
/// 3. BlockKrylov in all other cases. plan_gram() chooses the storage and precision of its tiles.
class Auto {
 public:
  using Params = AutoParams;

  Auto() = default;

  /// Throws InvalidArgument for a tolerance that is not positive.
  explicit Auto(AutoParams params) : params_(params) { params.validate(); }

  [[nodiscard]] const AutoParams& params() const { return params_; }
  [[nodiscard]] double tolerance() const { return params_.tolerance; }
  /// Whether it follows the weights of samples: all of its choices do.
  [[nodiscard]] static constexpr bool takes_weights() { return true; }
  /// Whether it keeps its products: BlockKrylov does; the others make none, and their reports say
  /// so.
  [[nodiscard]] static constexpr bool keeps_record() { return true; }

  /// The solver for this problem.
  [[nodiscard]] Choice choose(const Problem& problem) const {
    const Index n = problem.samples;
    const std::string size = "n = " + std::to_string(n);
    if (takes_exact(problem))
      return {Exact{},
              size + (n <= small_problem                 ? " is small"
                      : problem.components.is_fraction() ? " allows all eigenvalues to be found"
                                                         : ", and k is a large part of it")};
    if (n > large_problem && !problem.precomputed) {
      const Index k = problem.components.is_fraction() ? 0 : problem.components.count();
      const Index landmarks = (std::min)(n, (std::max)(20 * k, Index{1000}));
      return {Nystrom{RpCholesky{}, {.landmarks = landmarks, .seed = params_.seed}},
              size + ": a pass over the Gram matrix would take minutes"};
    }
    return {BlockKrylov{{.tolerance = params_.tolerance, .seed = params_.seed}},
            size + " is too large for all eigenvalues"};
  }

  /// Sets NotConverged if the residuals of a landmark approximation exceed the tolerance. For the
  /// results of a chosen solver.
  template <Real S>
  void judge(const Vector<S>& eigenvalues, Report& report) const {
    if (report.solver == SolverId::Nystrom && report.status == Status::Converged &&
        !detail::residuals_within(params_.tolerance, eigenvalues, report))
      report.status = Status::NotConverged;
  }

  template <OwnedSamples X>
  [[nodiscard]] KernelSolution<X> solve(const std::type_identity_t<KernelView<X>>& kernel,
                                        const X& samples, const KernelRequest& request,
                                        const Observer& observer = {}) const;

 private:
  static constexpr Index small_problem = 500, fraction_problem = 3000, large_problem = 250000;

  [[nodiscard]] static bool takes_exact(const Problem& problem) {
    const auto n = static_cast<std::size_t>(problem.samples);
    if (2 * n * n * problem.value_bytes > problem.memory_budget) return false;
    return problem.samples <= small_problem ||
           (problem.components.is_fraction() ? problem.samples <= fraction_problem
                                             : problem.components.count() > problem.samples / 10);
  }

  AutoParams params_;
};

template <OwnedSamples X>
KernelSolution<X> Auto::solve(const std::type_identity_t<KernelView<X>>& kernel, const X& samples,
                              const KernelRequest& request, const Observer& observer) const {
  const Choice choice = choose({.samples = samples.rows(),
                                .components = request.pairs.components,
                                .value_bytes = sizeof(typename X::Scalar),
                                .memory_budget = request.memory_budget,
                                .precomputed = kernel.is_precomputed()});
  KernelRequest passed = request;
  passed.choice = choice.reason;
  KernelSolution<X> solution = std::visit(
      [&](const auto& solver) {
        decltype(auto) chosen = as_kernel_solver(solver);
        if (!mercer::keeps_record(chosen)) passed.record = nullptr;
        return chosen.solve(kernel, samples, passed, observer);
      },
      choice.solver);
  detail::note_record_not_kept(request.record != nullptr && !passed.record, solution.report);
  judge(solution.eigenvalues, solution.report);
  return solution;
}

#define MERCER_AUTO(X)                                                              \
  MERCER_INSTANTIATE_DENSE(KernelSolution<X> OnGram<Exact>::solve<X>(               \
      const KernelView<X>&, const X&, const KernelRequest&, const Observer&) const) \
  MERCER_INSTANTIATE_KRYLOV(KernelSolution<X> OnGram<BlockKrylov>::solve<X>(        \
      const KernelView<X>&, const X&, const KernelRequest&, const Observer&) const) \
  MERCER_INSTANTIATE_NYSTROM(KernelSolution<X> Nystrom<RpCholesky>::solve<X>(       \
      const KernelView<X>&, const X&, const KernelRequest&, const Observer&) const) \
  MERCER_INSTANTIATE_NYSTROM(KernelSolution<X> Auto::solve<X>(                      \
      const KernelView<X>&, const X&, const KernelRequest&, const Observer&) const)
MERCER_FOR_SAMPLES(MERCER_AUTO)
#undef MERCER_AUTO

}  // namespace mercer

#endif  // MERCER_SOLVERS_AUTO_HPP
