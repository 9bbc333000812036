// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The Lanczos solver: leading eigenpairs from products with one vector at a time.

#ifndef MERCER_SOLVERS_KRYLOV_LANCZOS_HPP
#define MERCER_SOLVERS_KRYLOV_LANCZOS_HPP

#include <cstddef>
#include <cstdint>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/symmetric_operator.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>

namespace mercer {

struct LanczosParams {
  double tolerance =
      1e-6;         ///< for each component, |K u - mu u| <= tolerance mu_1 (at least 16 epsilon)
  Index basis = 0;  ///< largest size, k + 1 or more, as BlockKrylovParams; 0: max(2 k + 1, 20)
  Index max_iterations = 10000;  ///< products
  std::uint64_t seed = 1;

  /// Throws InvalidArgument for a tolerance that is not positive, a negative basis, and
  ///   max_iterations < 1.
  void validate() const {
    detail::require_positive("Lanczos", "tolerance", tolerance);
    if (basis < 0) detail::fail("mercer::Lanczos: basis must not be negative, got ", basis);
    detail::require_at_least("Lanczos", "max_iterations", max_iterations, Index{1});
  }
};

/// Lanczos iteration with thick restarts: BlockKrylov with blocks of one random vector. It needs
/// fewer products than the other solvers, each with one vector. Take it for matrices in memory. If
/// entries are recomputed for each product, take a block method, which shares that work.
///
/// Works on any SymmetricOperator. For indefinite ones it finds the largest positive eigenvalues.
/// Multiple eigenvalues are found as often as they are there, because the complement of the pairs
/// found is searched, as BlockKrylov says; this takes products too.
///
/// Cost: report.kernel_products products, and O(n basis) operations for each.
/// Memory: 2 basis + 4 vectors of n values.
/// Accuracy, Status: as for BlockKrylov.
/// Threads: the result is the same to the last bit for any number.
/// Random: params.seed, purpose "block krylov".
/// Throws InvalidArgument for a basis of less than k + 1 vectors (n, if that is less), and for a
///   fraction of variance if the operator has no diagonal. For such a fraction, a basis that is too
///   small grows, and report.reason says so.
/// Source: Wu and Simon, Thick-restart Lanczos method for large symmetric eigenvalue problems, 2000.
class Lanczos {
 public:
  using Params = LanczosParams;

  Lanczos() = default;

  /// Throws InvalidArgument for a tolerance that is not positive, a negative basis or
  ///   max_iterations < 1.
  explicit Lanczos(Params params) : params_(params) { params.validate(); }

  [[nodiscard]] const Params& params() const { return params_; }

  static constexpr bool wants_dense = false;
  /// Operators may have their rows in several processes.
  static constexpr bool takes_spread_rows = true;
  [[nodiscard]] double tolerance() const { return params_.tolerance; }
  /// Memory of a run: the basis, its products, and some vectors of workspace.
  [[nodiscard]] std::size_t bytes(Index n, Index components) const {
    return block_params().bytes<double>(
        n, components > 0 ? components : BlockKrylovParams::first_guess);
  }

  template <SymmetricOperator A>
  [[nodiscard]] EigenSolution<typename A::Scalar> solve(const A& a, const EigenRequest& request,
                                                        const Observer& observer = {}) const {
    detail::require_room("Lanczos", block_params(), request.components, a.rows());
    return detail::solve_block_krylov(a, block_params(), request, observer);
  }

 private:
  [[nodiscard]] constexpr BlockKrylovParams block_params() const {
    return {.tolerance = params_.tolerance,
            .block = 1,
            .basis = params_.basis,
            .max_iterations = params_.max_iterations,
            .seed = params_.seed};
  }

  Params params_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_KRYLOV_LANCZOS_HPP
