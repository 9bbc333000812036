// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The block Krylov solver: leading eigenpairs from products with blocks of vectors.

#ifndef MERCER_SOLVERS_KRYLOV_BLOCK_KRYLOV_HPP
#define MERCER_SOLVERS_KRYLOV_BLOCK_KRYLOV_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/operator_view.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/operators/symmetric_operator.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/krylov/detail/block_krylov_run.hpp>

namespace mercer {
namespace detail {

/// Approximate leading eigenvectors (classical Nystroem): those of the submatrix of some landmarks,
/// extended to all rows by the columns of the landmarks.
template <Real S>
[[nodiscard]] Matrix<S> sketch_eigenvectors(const OperatorView<S>& a, Index count,
                                            std::uint64_t seed);

/// BlockKrylov::solve, compiled once for each scalar.
template <Real S>
[[nodiscard]] EigenSolution<S> solve_block_krylov(const OperatorView<S>& a,
                                                  const BlockKrylovParams& params,
                                                  const EigenRequest& request,
                                                  const Observer& observer, double trace,
                                                  bool from_sketch = true) {
  const bool fraction = request.components.is_fraction();
  const Index n = a.rows();
  Report report;
  report.solver = params.block == 1 ? SolverId::Lanczos : SolverId::BlockKrylov;
  report.trace = trace;
  if (!fraction) report.components_requested = request.components.count();
  BlockKrylovRun<S> run(a, params, request, observer, report);
  Index wanted = fraction ? (std::min)(params.first_guess, n) : request.components.count();
  const auto block = [&] { return params.block_for(wanted, n); };
  // The random vectors find eigenvectors that the landmarks of the sketch have missed.
  const Index random = (std::max)(Index{2}, block() / 8);
  const Matrix<S> guess = from_sketch && block() > random
                              ? sketch_eigenvectors(a, block() - random, params.seed)
                              : Matrix<S>(a.row_space().local(), 0);
  run.find(wanted, guess, run.random_block(block() - guess.cols()));
  // True if more pairs would not change the result.
  const auto enough = [&] {
    const auto values = run.ritz_values().head((std::min)(wanted, run.ritz_values().size()));
    return !fraction || report.status != Status::Converged || wanted == n ||
           static_cast<double>(values.sum()) >= request.components.fraction() * trace ||
           !(static_cast<double>(values.minCoeff()) >
             zero_floor<S>(static_cast<double>(values.maxCoeff()), n, request));
  };
  for (;;) {
    if (enough()) run.find_missed();
    if (enough()) return run.solution();
    wanted = (std::min)(2 * wanted, n);
    run.find(wanted, run.next_block(block()));
  }
}

/// The trace for a report, and for solvers that need it to know how many pairs explain a fraction.
template <SymmetricOperator A>
[[nodiscard]] EigenSolution<typename A::Scalar> solve_block_krylov(const A& a,
                                                                   const BlockKrylovParams& params,
                                                                   const EigenRequest& request,
                                                                   const Observer& observer) {
  using S = typename A::Scalar;
  EigenSolution<S> solution =
      solve_block_krylov<S>(OperatorView<S>(a), params, request, observer,
                            request.components.is_fraction() ? trace(a, request) : 0);
  // The diagonal of a centred operator needs row means. The products have computed them by now.
  if (solution.report.iterations > 0) solution.report.trace = trace(a, request);
  return solution;
}

template <Real S>
[[nodiscard]] Matrix<S> sketch_eigenvectors(const OperatorView<S>& a, Index count,
                                            std::uint64_t seed) {
  constexpr Index most_landmarks = 1000, share = 10;
  const Index m = (std::min)(most_landmarks, a.rows() / share);
  if (!a.has_samples() || m < 2 * count) return Matrix<S>(a.row_space().local(), 0);
  const PhaseTimer timer(Phase::Landmarks, static_cast<std::size_t>(a.rows() * m) * sizeof(S));
  RandomStream stream(seed, "sketch");
  const auto landmarks = sample_without_replacement(a.rows(), m, stream);
  const auto block = PrecomputedGram<S>::unchecked(a.sample_block(landmarks));
  const BlockKrylovParams rough{.tolerance = 0.05, .seed = seed};
  EigenSolution<S> system = solve_block_krylov<S>(
      OperatorView<S>(block), rough, {.components = count}, {}, 0, /*from_sketch=*/false);
  a.row_space().agree(system.eigenvectors);
  return a.sample_product(landmarks, system.eigenvectors);
}

}  // namespace detail

/// Randomised block Krylov with Rayleigh-Ritz. It builds an orthonormal basis of the space
/// that V, K V, K^2 V, ... span, for a block V with a few more vectors than wanted components. When
/// the basis is full, it restarts with the leading Ritz vectors.
///
/// Works on any SymmetricOperator. For an indefinite one it finds the largest eigenvalues and keeps
/// the positive ones. For a fraction of variance, the number of components is doubled until they
/// explain it.
///
/// If the operator has samples, V comes from a Nystroem sketch: eigenvectors of the submatrix of up
/// to 1000 random rows, extended to all rows, and random vectors for an eighth of the block. This
/// saves one or two of five products. The landmarks may miss whole eigenvectors, for example if
/// there are many groups of equal samples; the random vectors find these. For that, the run makes
/// at least three products, and goes on while Ritz values in the complement of the sketch grow
/// towards the wanted ones.
///
/// Blocks may have fewer vectors than wanted components; blocks of one vector are Lanczos. The
/// Krylov space of b random vectors has only b vectors of each eigenspace, beside those of the
/// sketch. So it misses multiple eigenvalues, which regular or one-hot data has. So, after the k
/// pairs are found, their complement is searched from new random vectors for eigenvalues above
/// mu_k + tolerance mu_1, until there are none. Blocks of k and more vectors are searched only if
/// there are as many equal Ritz values above mu_k as random vectors at the start.
///
/// Cost: at the default tolerance about 4 to 6 products with blocks, for spectra that decay; and
///   O(n basis block) operations for each.
/// Memory: twice the basis and four blocks, by default 16 n b values for blocks of b = k + 10 to
///   k + 25 vectors.
/// Accuracy: the error of an eigenvalue is at most its residual; for an isolated one it is about
///   the squared residual divided by the gap.
/// Rows in several processes: operators that model HasRowSpace; eigenvectors hold the rows of this
///   process, and the result does not depend on which process has which rows.
/// Status: NotConverged, with the best pairs so far, if max_iterations products were not enough, or
///   if products are not finite.
/// Random: params.seed, purposes "sketch" and "block krylov".
/// Throws InvalidArgument for a basis that has no room for a number of components and a block. For
///   a fraction of variance it grows, and report.reason says so.
/// Source: Musco and Musco, Randomized block Krylov methods for stronger and faster approximate
///   singular value decomposition, 2015.
/// Source: restarts as in Wu and Simon, Thick-restart Lanczos method for large symmetric eigenvalue
///   problems, 2000.
class BlockKrylov {
 public:
  using Params = BlockKrylovParams;

  BlockKrylov() = default;

  /// Throws InvalidArgument for a tolerance that is not positive, negative sizes,
  ///   max_iterations < 1 and a basis of less than 2 blocks.
  explicit BlockKrylov(BlockKrylovParams params) : params_(params) { params.validate(); }

  [[nodiscard]] const BlockKrylovParams& params() const { return params_; }

  static constexpr bool wants_dense = false;
  /// Operators may have their rows in several processes.
  static constexpr bool takes_spread_rows = true;
  [[nodiscard]] double tolerance() const { return params_.tolerance; }
  /// Memory of a run: the basis, its products, and some blocks of workspace.
  [[nodiscard]] std::size_t bytes(Index n, Index components) const {
    return params_.bytes<double>(n, components > 0 ? components : params_.first_guess);
  }

  template <SymmetricOperator A>
  [[nodiscard]] EigenSolution<typename A::Scalar> solve(const A& a, const EigenRequest& request,
                                                        const Observer& observer = {}) const {
    detail::require_room("BlockKrylov", params_, request.components, a.rows());
    return detail::solve_block_krylov(a, params_, request, observer);
  }

 private:
  BlockKrylovParams params_;
};

#define MERCER_BLOCK_KRYLOV(S)                                                                \
  MERCER_INSTANTIATE_KRYLOV(EigenSolution<S> detail::solve_block_krylov<S>(                   \
      const OperatorView<S>&, const BlockKrylovParams&, const EigenRequest&, const Observer&, \
      double, bool))                                                                          \
  MERCER_INSTANTIATE_KRYLOV(                                                                  \
      Matrix<S> detail::sketch_eigenvectors<S>(const OperatorView<S>&, Index, std::uint64_t))
MERCER_FOR_SCALARS(MERCER_BLOCK_KRYLOV)
#undef MERCER_BLOCK_KRYLOV

}  // namespace mercer

#endif  // MERCER_SOLVERS_KRYLOV_BLOCK_KRYLOV_HPP
