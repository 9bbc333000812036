// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The exact solver: eigendecomposition of the dense matrix.

#ifndef MERCER_SOLVERS_DENSE_EXACT_HPP
#define MERCER_SOLVERS_DENSE_EXACT_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/gram_form.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/operators/symmetric_operator.hpp>
#include <mercer/solvers/dense/detail/dense_cholesky.hpp>
#include <mercer/solvers/dense/detail/dense_eigen.hpp>
#include <mercer/solvers/detail/leading_pairs.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer {

/// Symmetric eigendecomposition of the whole matrix: for n up to some thousands, and the reference
/// for all other solvers. It finds all eigenvalues, or all that matter. So the number of components
/// may be given as a fraction of variance, and the negative eigenvalues of an indefinite kernel are
/// known exactly.
///
/// For k components of n >= 400 samples, with k <= n / 8, it finds the k pairs alone, if a
/// Cholesky factorisation shows that there are no negative eigenvalues beside them. Where
/// eigenvalues hardly decay, or some are negative, it finds all of them.
///
/// Uses LAPACK in programs that link mercer::blas or define EIGEN_USE_LAPACKE, else Eigen.
///
/// Cost: k pairs alone: n^3 / 3 + O(n^2 k) operations. All eigenvalues: with LAPACK
///   4/3 n^3 + O(n^2 k) operations, half of which wait for memory; with Eigen 9 n^3.
/// Memory: n^2 values with LAPACK, up to 2 n^2 more for k > n / 2, 2 n^2 with Eigen. A stored operator that is passed as an rvalue
///   gives its matrix away, so no further copy is made.
/// Accuracy: backward stable, eigenvalues to about eps |K|. The report has |K u - mu u| for each
///   pair.
/// Status: Converged. NotConverged without components if the QR iteration fails, which is very
///   unlikely; and in a fit by KernelPca, if rounding errors of kernel values leave residuals above
///   1e-6 mu_1 or hide components.
struct Exact {
  static constexpr bool wants_dense = true;

  /// 0: eigenpairs are computed to rounding error.
  [[nodiscard]] double tolerance() const { return 0; }

  /// Memory of a run: the matrix and the eigensolver's workspace.
  [[nodiscard]] std::size_t bytes(Index n, Index k) const {
    using LeadingPairs = detail::LeadingPairs<double>;
    const std::size_t alone = k > 0 && LeadingPairs::pays(n, k) ? LeadingPairs::bytes(n, k) : 0;
    return static_cast<std::size_t>(n * n) * sizeof(double) +
           (std::max)(alone, detail::DenseEigen<double>::bytes(n, k));
  }

  template <class A>
    requires SymmetricOperator<std::remove_cvref_t<A>>
  [[nodiscard]] EigenSolution<typename std::remove_cvref_t<A>::Scalar> solve(
      A&& a, const EigenRequest& request, const Observer& observer = {}) const {
    using S = typename std::remove_cvref_t<A>::Scalar;
    Matrix<S> k = to_dense(std::forward<A>(a));
    EigenSolution<S> solution;
    Report& report = solution.report;
    report.solver = SolverId::Exact;
    report.solver_form = detail::dense_eigen_name;
    const Index n = k.rows();
    report.bytes =
        static_cast<std::size_t>(k.size()) * sizeof(S) + detail::DenseEigen<S>::bytes(n, 0);
    solution.eigenvectors.resize(n, 0);
    if (!detail::go_on(observer, {"eigenvalues", 0, 2})) {
      report.status = Status::Cancelled;
      return solution;
    }
    const auto entries = static_cast<std::size_t>(k.size());
    const PhaseTimer timer(Phase::Eigenproblems, entries * sizeof(S));
    // Scaling by a power of two is exact. Entries of order 1 have squares that do not overflow.
    const S largest = k.cwiseAbs().maxCoeff();
    const int exponent =
        largest > 0 ? (std::max)(std::ilogb(largest), std::numeric_limits<S>::min_exponent) : 0;
    k *= std::ldexp(S(1), -exponent);
    decompose(k, exponent, request, observer, solution);
    return solution;
  }

 private:
  /// Restores the matrix; the eigensolver has left the strictly upper triangle unchanged.
  template <Real S>
  static void restore_from_upper(Matrix<S>& k, const Vector<S>& diagonal) {
    constexpr Index tile = 64;  // a tile and its mirror image both stay in the first-level cache
    for (Index j = 0; j < k.cols(); j += tile)
      for (Index i = j; i < k.rows(); i += tile)
        for (Index c = j; c < (std::min)(j + tile, k.cols()); ++c)
          for (Index r = (std::max)(i, c + 1); r < (std::min)(i + tile, k.rows()); ++r)
            k(r, c) = k(c, r);
    k.diagonal() = diagonal;
  }

  enum class Answer { No, Yes, Cancelled };

  /// Whether there are no eigenvalues below -\p shift, by a Cholesky factorisation in the lower
  /// triangle, which is restored.
  template <Real S>
  [[nodiscard]] static Answer not_negative(Matrix<S>& k, const Vector<S>& diagonal, S shift,
                                           const Observer& observer) {
    // The factorisation spoils the upper triangle of the tiles on the diagonal.
    const Index n = k.rows();
    std::vector<Matrix<S>> corners;
    for (Index i = 0; i < detail::tile_count(n); ++i) {
      const auto tile = detail::Range::tile(i, n);
      corners.emplace_back(k.block(tile.begin, tile.begin, tile.size, tile.size));
    }
    k.diagonal().array() += shift;
    const detail::DenseCholesky<S> factor(k, observer, "check of the smallest eigenvalues");
    for (Index i = 0; i < detail::tile_count(n); ++i) {
      const auto tile = detail::Range::tile(i, n);
      k.block(tile.begin, tile.begin, tile.size, tile.size) = corners[static_cast<std::size_t>(i)];
    }
    restore_from_upper(k, diagonal);
    return factor.cancelled() ? Answer::Cancelled : factor.ok() ? Answer::Yes : Answer::No;
  }

  /// Whether the wanted pairs can be found alone; then they are in values and vectors.
  template <Real S>
  [[nodiscard]] static Answer find_leading(Matrix<S>& k, const Vector<S>& diagonal, int exponent,
                                           const EigenRequest& request, const Observer& observer,
                                           Vector<S>& values, Matrix<S>& vectors) {
    const Index n = k.rows(), count = request.components.count();
    constexpr Index worth_it = 400;
    if (request.components.is_fraction() || n < worth_it ||
        !detail::LeadingPairs<S>::pays(n, count))
      return Answer::No;
    const detail::LeadingPairs<S> leading(k, count, observer);
    if (!leading.ok()) return leading.cancelled() ? Answer::Cancelled : Answer::No;
    values = std::ldexp(S(1), exponent) * leading.eigenvalues();
    const double zero = detail::zero_floor<S>(static_cast<double>(values(0)), n, request);
    const Answer alone =
        not_negative(k, diagonal, static_cast<S>(std::ldexp(zero, -exponent)), observer);
    if (alone == Answer::Yes) vectors = leading.vectors();
    return alone;
  }

  template <Real S>
  static void decompose(Matrix<S>& k, int exponent, const EigenRequest& request,
                        const Observer& observer, EigenSolution<S>& solution);

  static constexpr const char* failed = "the dense eigensolver failed; try BlockKrylov";
};

template <Real S>
void Exact::decompose(Matrix<S>& k, int exponent, const EigenRequest& request,
                      const Observer& observer, EigenSolution<S>& solution) {
  Report& report = solution.report;
  const Vector<S> diagonal = k.diagonal();
  report.trace = std::ldexp(static_cast<double>(diagonal.sum()), exponent);
  Vector<S> values;
  Matrix<S> vectors;
  const Answer found = find_leading(k, diagonal, exponent, request, observer, values, vectors);
  if (found == Answer::Cancelled) {
    report.status = Status::Cancelled;
    return;
  }
  const bool alone = found == Answer::Yes;
  std::optional<detail::DenseEigen<S>> eigen;
  if (alone) {
    report.solver_form = "subspace iteration";
    report.bytes = static_cast<std::size_t>(k.size()) * sizeof(S) +
                   detail::LeadingPairs<S>::bytes(k.rows(), values.size());
  } else {
    eigen.emplace(k);
    if (!eigen->ok()) {
      report.reason = failed;
      return;
    }
    values = std::ldexp(S(1), exponent) * eigen->eigenvalues().reverse();
  }
  const Index kept = detail::select_components(values, k.rows(), request, report);
  if (!detail::go_on(observer, {"eigenvectors", 1, 2})) {
    report.status = Status::Cancelled;
    report.components = 0;
    return;
  }
  if (alone) {
    vectors.conservativeResize(Eigen::NoChange, kept);
  } else {
    report.bytes = static_cast<std::size_t>(k.size()) * sizeof(S) +
                   detail::DenseEigen<S>::bytes(k.rows(), kept);
    vectors = eigen->leading_vectors(kept);
    if (!eigen->ok()) {
      report.components = 0;
      report.reason = failed;
      return;
    }
  }
  report.status = Status::Converged;
  solution.eigenvectors = std::move(vectors);
  solution.eigenvalues = values.head(kept);
  if (!alone) restore_from_upper(k, diagonal);
  const PhaseTimer timer(Phase::Certificate, detail::stored_tile_values(k.rows()) * sizeof(S));
  Matrix<S> residual(k.rows(), kept);
  detail::symmetric_product<S>(k, solution.eigenvectors, residual);
  solution.products = std::ldexp(S(1), exponent) * residual;
  for (Index i = 0; i < kept; ++i)
    residual.col(i) -=
        std::ldexp(solution.eigenvalues(i), -exponent) * solution.eigenvectors.col(i);
  report.kernel_products = kept;
  for (Index i = 0; i < kept; ++i)
    report.residuals.push_back(std::ldexp(static_cast<double>(residual.col(i).norm()), exponent));
  report.eigenvalue_error_bounds = report.residuals;
}

#define MERCER_EXACT(S)                                                                   \
  MERCER_INSTANTIATE_DENSE(void Exact::decompose<S>(Matrix<S>&, int, const EigenRequest&, \
                                                    const Observer&, EigenSolution<S>&))
MERCER_FOR_SCALARS(MERCER_EXACT)
#undef MERCER_EXACT

}  // namespace mercer

#endif  // MERCER_SOLVERS_DENSE_EXACT_HPP
