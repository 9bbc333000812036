// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The choice of a solver by the size of the problem: the one place where this rule is written.

#ifndef MERCER_SOLVERS_AUTO_HPP
#define MERCER_SOLVERS_AUTO_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/block_krylov.hpp>
#include <mercer/solvers/directions.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/exact.hpp>
#include <mercer/solvers/feature_solver.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/nystrom.hpp>

namespace mercer {

struct AutoParams {
  double tolerance = 1e-6;  ///< for each component, |K u - mu u| <= tolerance mu_1
  std::uint64_t seed = 1;
};

/// What the choice depends on.
struct Problem {
  Index samples = 0;              ///< n
  Components components = 2;      ///< k, or a fraction of variance
  std::size_t value_bytes = 8;    ///< of a value of the Gram matrix
  std::size_t memory_budget = 0;  ///< bytes beside the samples
  bool precomputed = false;       ///< the Gram matrix is given: there are no landmarks
};

/// Picks Exact, BlockKrylov or Nystrom from n, k and the memory budget; the default of KernelPca.
///
/// The rule, in this order:
/// 1. Exact where all eigenvalues cost no more than a few: n <= 500, or k > n / 10; and for a
///    fraction of variance up to n = 3000, as the number of components is not known. Only if the
///    matrix and the eigensolver's copy fit in the memory budget.
/// 2. Nystrom with max(20 k, 1000) landmarks for n > 250 000, where a pass over the n^2 kernel
///    values takes minutes. Its components are those of an approximation: the status is
///    NotConverged if the residuals that it estimates exceed the tolerance, and it is for the
///    caller to judge by report.residuals whether they will do.
/// 3. BlockKrylov for all else. Storage and precision of its tiles: see plan_gram().
class Auto {
 public:
  using Params = AutoParams;

  Auto() = default;

  /// Throws InvalidArgument for a tolerance that is not positive.
  explicit Auto(AutoParams params) : params_(params) {
    detail::require_positive("Auto", "tolerance", params.tolerance);
  }

  [[nodiscard]] const AutoParams& params() const { return params_; }
  [[nodiscard]] double tolerance() const { return params_.tolerance; }

  /// Calls use(solver, reason) with the solver for this problem, and returns what it returns.
  template <class Use>
  auto choose(const Problem& problem, const Use& use) const {
    const Index n = problem.samples;
    const std::string size = "n = " + std::to_string(n);
    if (takes_exact(problem)) {
      const bool small = n <= small_problem;
      return use(Exact{},
                 size + (small                              ? " is small"
                         : problem.components.is_fraction() ? " allows all eigenvalues to be found"
                                                            : ", and k is a large part of it"));
    }
    if (n > large_problem && !problem.precomputed) {
      const Index k = problem.components.is_fraction() ? 0 : problem.components.count();
      const Index landmarks = (std::max)(20 * k, Index{1000});
      return use(
          Nystrom{RpCholesky{}, {.landmarks = (std::min)(n, landmarks), .seed = params_.seed}},
          size + ": a pass over the Gram matrix would take minutes");
    }
    return use(BlockKrylov{{.tolerance = params_.tolerance, .seed = params_.seed}},
               size + " is too large for all eigenvalues");
  }

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

/// Solvers that a model can be fitted with.
template <class S>
concept SpectralSolver =
    OperatorSolver<S> || KernelSolver<S> || FeatureSolver<S> || std::same_as<S, Auto>;

}  // namespace mercer

#endif  // MERCER_SOLVERS_AUTO_HPP
