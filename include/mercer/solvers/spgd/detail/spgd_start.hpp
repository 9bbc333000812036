// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The start of stochastic proximal gradient descent: its shrinkage threshold and first iterate.

#ifndef MERCER_SOLVERS_SPGD_DETAIL_SPGD_START_HPP
#define MERCER_SOLVERS_SPGD_DETAIL_SPGD_START_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/row_sums.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/solvers/detail/expansion_scores.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/nystrom/detail/nystrom_factor.hpp>
#include <mercer/solvers/spgd/spgd_params.hpp>

namespace mercer::detail {

/// Estimates of the eigenvalues of the Gram matrix, in descending order: (n/m) mb_i, where mb_i are
/// those of the Gram matrix of m of the n samples. Both are centred if \p centered.
/// Collective.
template <OwnedSamples X>
[[nodiscard]] Vector<double> subsampled_eigenvalues(const KernelView<X>& kernel,
                                                    const RowSpace& space, const X& samples,
                                                    Index m, bool centered, std::uint64_t seed) {
  RandomStream stream(seed, "lambda rows");
  const X chosen = take_rows(space, samples, sample_without_replacement(space.total(), m, stream));
  Matrix<double> gram;
  space.together([&] {
    gram = kernel_rows(kernel, chosen, {0, m}, chosen).template cast<double>();
  });
  if (centered) center_symmetric(gram);
  if (!gram.allFinite())
    fail("mercer::Spgd: values of the kernel ", kernel.describe(),
         ", or their sums, overflow; scale the samples or the kernel down");
  Vector<double> values =
      symmetric_eigenvalues(gram) * (static_cast<double>(space.total()) / static_cast<double>(m));
  space.agree(values);
  return values;
}

/// A threshold that keeps all eigenvalues wanted: half way between the last one kept and the next
/// one, or to zero if the next one is only rounding error. Zero if there are no positive
/// eigenvalues. See LambdaRule.
///
/// Of m eigenvalues of a subsample, only about the first m / 10 are near those of all samples. So
/// the elbow is looked for among these, and after those wanted.
[[nodiscard]] inline double threshold_between(const Vector<double>& values,
                                              const Components& wanted,
                                              LambdaRule rule = LambdaRule::Midpoint) {
  const double zero = rounding_level<double>(values.size()) * largest_size(values);
  const Index positive = (values.array() > zero).count();
  if (positive == 0) return 0;
  const Vector<double> kept = values.head(positive);
  const auto next = [&](Index count) { return count < positive ? kept(count) : 0; };
  Index count = wanted.is_fraction() ? count_explaining(kept, wanted.fraction(), kept.sum())
                                     : (std::min)(wanted.count(), positive);
  if (rule == LambdaRule::Elbow) {
    const Index last = (std::min)(positive, values.size() / 10);
    for (Index i = count + 1; i <= last; ++i)
      if (next(i) * kept(count - 1) < next(count) * kept(i - 1)) count = i;
  }
  return (kept(count - 1) + next(count)) / 2;
}

/// A nonzero first iterate.
template <Real S>
struct WarmStart {
  LowRank<S> iterate;
  double error = 0;  ///< estimated upper bound of |iterate - K^|_F^2 / n^2
};

/// D_lambda of Nystroem's approximation over landmarks drawn uniformly.
///
/// Neither shrinkage nor centring increases distances. So the error of the approximation, which is
/// estimated from up to 256 rows of K, bounds the error of the start.
/// Cost: O(n m (d + m)) time.
/// Memory: n m values.
/// \param largest  for order-free sums: the exponent of the largest kernel value
/// Collective.
template <OwnedSamples X, Real S = typename X::Scalar>
[[nodiscard]] WarmStart<S> nystrom_start(const KernelView<X>& kernel, const RowSpace& space,
                                         const X& samples, Index landmarks, double lambda,
                                         bool centered, std::uint64_t seed, int largest) {
  constexpr Index most_rows = 256;
  const Index n = space.total(), tile = rows_at_once(space);
  RandomStream stream(seed, "start landmarks");
  const X chosen = take_rows(space, samples, sample_without_replacement(n, landmarks, stream));
  NystromFactor<X> factor;
  space.together([&] { factor = nystrom_factor(kernel, chosen); });
  agree(space, chosen, factor);
  const Matrix<S> whiten = factor.whiten.template cast<S>();
  Matrix<S> f(space.local(), whiten.cols());
  const Vector<S> no_shift = Vector<S>::Zero(f.cols());
  std::optional<PreparedPair<X, X>> prepared;
  space.together([&] {
    prepared.emplace(kernel, space, samples, factor.points);
    parallel_for((space.local() + tile - 1) / tile, [&](Index task) {
      const Index first = task * tile;
      const Range rows{first, (std::min)(tile, space.local() - first)};
      fill_factor<X, X, S>(kernel, prepared->x, rows, prepared->p, whiten, no_shift,
                           f.middleRows(first, rows.size));
    });
  });
  RandomStream row_stream(seed, "start rows");
  const std::vector<Index> rows =
      sample_without_replacement(n, (std::min)(n, most_rows), row_stream);
  const X drawn = take_rows(space, samples, rows);
  PreparedSamples<X> drawn_x;
  space.together(
      [&] { drawn_x = kernel.prepare(drawn, space.is_spread() ? prepared->p : prepared->x); });
  const Matrix<S> drawn_factor = take_rows_by(
      space, rows, [&](const std::vector<Index>& mine) { return take_rows<S>(f, mine); });
  const Matrix<double> squares = sum_over_rows<double>(
      space, 1, 1,
      [&](Index first, Index size) -> Matrix<double> {
        Matrix<S> values(drawn.rows(), size);
        kernel.fill(drawn_x, {0, drawn.rows()}, prepared->x, {first, size}, values);
        if (space.order_free()) require_bounded("Spgd", kernel, values, largest);
        values.noalias() -= drawn_factor * f.middleRows(first, size).transpose();
        return Matrix<double>::Constant(1, 1, values.template cast<double>().squaredNorm());
      },
      [&]() -> Eigen::MatrixXi {
        // Neither K nor its approximation has entries above the largest k(x, x).
        const int terms = exponent_of_count(n * drawn.rows());
        return Eigen::MatrixXi::Constant(1, 1, 2 * (largest + 1) + terms);
      },
      /*may_throw=*/true);
  if (centered) centre_columns<S>(space, f);
  WarmStart<S> start{LowRank<S>::from_psd_factor(space, f), 0};
  start.iterate.shrink({.threshold = static_cast<S>(lambda), .positive_only = true});
  start.error = squares(0, 0) / static_cast<double>(rows.size()) / static_cast<double>(n);
  return start;
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_SPGD_DETAIL_SPGD_START_HPP
