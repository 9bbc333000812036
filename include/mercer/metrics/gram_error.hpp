// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Errors of a low-rank approximation of the Gram matrix and of its eigenvalues.

#ifndef MERCER_METRICS_GRAM_ERROR_HPP
#define MERCER_METRICS_GRAM_ERROR_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string_view>

#include <mercer/core/errors.hpp>
#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/low_rank/low_rank_norms.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/metrics/expansions.hpp>
#include <mercer/operators/gram.hpp>

namespace mercer {

struct GramErrorParams {
  bool centered = true;  ///< compare with the centred Gram matrix
};

struct GramErrorEstimateParams {
  bool centered = true;  ///< compare with the centred Gram matrix
  Index probes = 100;    ///< m, the number of random vectors
  std::uint64_t seed = 0;

  void validate() const {
    if (probes < 2)
      detail::fail("mercer::GramErrorEstimateParams: probes must be at least 2, got ", probes);
  }
};

/// An estimate of the distance of an approximation to the Gram matrix.
struct GramErrorEstimate {
  double error;           ///< the estimate of |K~ - K|_F / n
  double standard_error;  ///< standard error of that estimate, from the spread over the probes
};

namespace detail {

/// U diag(mu) U^T with checked shapes, in double precision.
struct Eigenpairs {
  Matrix<double> vectors;
  Vector<double> values;
};

template <class U, class Mu>
[[nodiscard]] Eigenpairs checked_eigenpairs(std::string_view who, Index samples,
                                            const Eigen::MatrixBase<U>& vectors,
                                            const Eigen::MatrixBase<Mu>& values) {
  if (values.size() != vectors.cols())
    fail("mercer::", who, ": ", values.size(), " eigenvalues for ", vectors.cols(), " vectors");
  Eigenpairs pairs{checked_coefficients(who, samples, vectors), values.template cast<double>()};
  require_finite_entries<double>(who, pairs.values);
  return pairs;
}

/// |A|_F. Uses the plain sum of squares unless that would overflow or lose digits to underflow.
template <std::same_as<double> S>  // a template for the reason given in expansions.hpp
[[nodiscard]] S frobenius_norm(const Points<S>& a) {
  const S square = a.squaredNorm();
  if (square > 1e-280 && square < 1e300) return std::sqrt(square);
  return a.stableNorm();
}

/// |U diag(mu) U^T - (K - m 1^T - 1 m^T + mean 1 1^T)|_F, computed over the tiles of the lower
/// triangle. m are the row means.
/// Throws InvalidArgument for kernel values that are not finite.
template <class K, OwnedSamples X>
[[nodiscard]] double gram_difference_norm(const K& kernel, const X& x, const Eigenpairs& pairs,
                                          const Vector<double>& row_means) {
  const Index n = x.rows(), tiles = tile_count(n);
  const Matrix<double> scaled = pairs.vectors * pairs.values.asDiagonal();
  const double mean = row_means.mean();
  Vector<double> norms = Vector<double>::Zero(tiles);
  parallel_for(tiles, [&](Index task) {
    const SingleThread one;
    const Index i = tiles - 1 - task;  // the longest row of tiles first
    const Range rows = Range::tile(i, n);
    Matrix<double> tile, difference;
    for (Index j = 0; j <= i; ++j) {
      const Range cols = Range::tile(j, n);
      tile.resize(rows.size, cols.size);
      fill_tile(kernel, x, rows, x, cols, tile);
      if constexpr (!std::same_as<K, Precomputed>)
        require_finite_values<X>(KernelView<X>(kernel), tile, rows, cols);
      difference = -tile;
      if (pairs.values.size() > 0)
        difference.noalias() += scaled.middleRows(rows.begin, rows.size) *
                                pairs.vectors.middleRows(cols.begin, cols.size).transpose();
      difference.colwise() += row_means.segment(rows.begin, rows.size);
      difference.rowwise() += row_means.segment(cols.begin, cols.size).transpose();
      difference.array() -= mean;
      const double norm = frobenius_norm<double>(difference);
      norms(i) = std::hypot(norms(i), i == j ? norm : std::sqrt(2.0) * norm);
    }
  });
  return norms.stableNorm();
}

}  // namespace detail

/// The error of a low-rank approximation of the Gram matrix,
/// \f$ |U \mathrm{diag}(\mu) U^T - K|_F / n \f$. Unless params.centered is false, the centred
/// \f$ K_c = J K J \f$ takes the place of K.
///
/// U need not be orthonormal. For a symmetric LowRank z, pass z.left() and z.values().
/// @param x        n x d samples; the Gram matrix for Precomputed
/// @param vectors  U, n x r
/// @param values   mu, r
/// Cost: one pass over K (two if centred), O(n^2 (d + r)) time.
/// Memory: tiles and O(n r).
/// Throws InvalidArgument for no samples, for shapes that do not fit, and for values that are not
///   finite, those of the kernel among them.
/// Accuracy: entries are subtracted in double, so errors down to eps |K|_F / n are resolved.
/// Threads: over rows of tiles. The result does not depend on their number.
template <KernelOrPrecomputed K, class X, class U, class Mu>
[[nodiscard]] double gram_error(const K& kernel, const X& x, const Eigen::MatrixBase<U>& vectors,
                                const Eigen::MatrixBase<Mu>& values, GramErrorParams params = {}) {
  const Index n = x.rows();
  if (n == 0) detail::fail("mercer::gram_error: no samples");
  const auto& samples = detail::evaluable_in_double("gram_error", kernel, x);
  const auto pairs = detail::checked_eigenpairs("gram_error", n, vectors, values);
  Vector<double> row_means = Vector<double>::Zero(n);
  if (params.centered)
    row_means = detail::kernel_times(kernel, samples, samples, Matrix<double>::Ones(n, 1)) /
                static_cast<double>(n);
  return detail::gram_difference_norm(kernel, samples, pairs, row_means) / static_cast<double>(n);
}

/// \f$ |F F^T - K|_F / n \f$ for any n x r factor F of the raw Gram matrix, such as a partial
/// Cholesky factor. Unless params.centered is false, both sides are centred:
/// \f$ |J F F^T J - J K J|_F / n \f$. The rest is as for gram_error.
template <KernelOrPrecomputed K, class X, class F>
[[nodiscard]] double factor_gram_error(const K& kernel, const X& x,
                                       const Eigen::MatrixBase<F>& factor,
                                       GramErrorParams params = {}) {
  Matrix<double> columns = factor.template cast<double>();
  if (params.centered) centre_columns(columns);
  return gram_error(kernel, x, columns, Vector<double>::Ones(factor.cols()), params);
}

/// An estimate of gram_error from products with m = params.probes random sign vectors, \f$ \frac1n
/// \big(\frac1m \sum_t |(\tilde K - K) z_t|^2\big)^{1/2} \f$.
///
/// Accuracy: the mean square is unbiased. Its relative standard error is at most sqrt(2/m) for any
///   matrices. That of its root is about half as large: 7 % for the default m = 100.
/// Cost: one pass over K, O(n^2 (d + m)) time. This is less than for gram_error only if r is well
///   above m.
/// Memory: O(n (r + m)).
/// Random: params.seed, stream "Hutchinson".
/// Throws InvalidArgument in the same cases as gram_error, and for fewer than 2 probes.
/// Source: Hutchinson, A stochastic estimator of the trace of the influence matrix, 1990, with
///   (K~ - K)^2 as the matrix.
template <KernelOrPrecomputed K, class X, class U, class Mu>
[[nodiscard]] GramErrorEstimate estimate_gram_error(const K& kernel, const X& x,
                                                    const Eigen::MatrixBase<U>& vectors,
                                                    const Eigen::MatrixBase<Mu>& values,
                                                    GramErrorEstimateParams params = {}) {
  constexpr std::string_view who = "estimate_gram_error";
  params.validate();
  const Index n = x.rows();
  if (n == 0) detail::fail("mercer::estimate_gram_error: no samples");
  const auto& samples = detail::evaluable_in_double(who, kernel, x);
  const auto pairs = detail::checked_eigenpairs(who, n, vectors, values);
  Matrix<double> probes = random_matrix<double>(
      n, params.probes, params.seed, "Hutchinson",
      [](RandomStream& stream) { return stream.uniform() < 0.5 ? -1.0 : 1.0; });
  Matrix<double> difference = multiply(
      pairs.vectors, Matrix<double>(pairs.values.asDiagonal() * inner(pairs.vectors, probes)));
  if (params.centered) centre_columns(probes);
  Matrix<double> product = detail::kernel_times(kernel, samples, samples, probes);
  detail::require_finite_entries(who, product);
  if (params.centered) centre_columns(product);
  difference -= product;
  // The variance has fourth powers of the entries. A power of two rounds nothing.
  const double largest = difference.cwiseAbs().maxCoeff();
  const double unit = largest > 0 && std::isfinite(largest) ? std::exp2(std::ilogb(largest)) : 1.0;
  difference /= unit;
  const Vector<double> squares = difference.colwise().squaredNorm();
  const double m = static_cast<double>(params.probes), mean = squares.mean();
  const double variance = (squares.array() - mean).square().sum() / (m * (m - 1));
  const double root = std::sqrt(mean), size = static_cast<double>(n);
  return {unit * (root / size), root > 0 ? unit * (std::sqrt(variance) / (2 * root * size)) : 0};
}

/// The normalised error of a recovered matrix, \f$ |Z - \hat K|_F^2 / n^2 \f$, for factored n x n
/// matrices. An example is an iterate of stochastic optimisation and the matrix it converges to.
///
/// The error is computed from inner products of the factors as long as these do not cancel.
/// Otherwise it is computed in a common orthonormal basis, by distance().
/// Accuracy: relative digits are lost only where the two matrices agree in most of their digits.
/// Cost: O(n r_z r_k) time with inner products, O(n r_k (r_z + r_k)) with the basis.
/// Rows may be in several processes; then it is collective.
/// Throws InvalidArgument for matrices that differ in shape, are not square, or have no rows.
/// Source: Zhang et al., Stochastic optimization for kernel PCA, AAAI 2016, experiments.
template <Real S>
[[nodiscard]] double recovery_error(const LowRank<S>& z, const LowRank<S>& target) {
  const Index n = z.row_space().total();
  if (n != z.column_space().total() || n == 0)
    detail::fail("mercer::recovery_error: needs n x n matrices, got ", n, " x ",
                 z.column_space().total());
  S error = distance_by_inner_products(z, target);
  constexpr S cancelled = S(0.1);  // below this ratio, the squares have lost two digits
  if (!(error > cancelled * (std::max)(z.frobenius_norm(), target.frobenius_norm())))
    error = distance(z, target);
  const double root = static_cast<double>(error) / static_cast<double>(n);
  return root * root;
}

/// \f$ \max_i |\mu'_i/\mu_i - 1| \f$, the largest relative error of approximate eigenvalues.
/// Throws InvalidArgument if the numbers of values differ, if a value is not finite, or if a
///   reference value is zero.
template <class Mu, class Reference>
[[nodiscard]] double eigenvalue_error(const Eigen::MatrixBase<Mu>& values,
                                      const Eigen::MatrixBase<Reference>& reference) {
  if (values.size() != reference.size())
    detail::fail("mercer::eigenvalue_error: ", values.size(), " values for ", reference.size(),
                 " reference values");
  double worst = 0;
  for (Index i = 0; i < values.size(); ++i) {
    const auto approximate = static_cast<double>(values(i));
    const auto exact = static_cast<double>(reference(i));
    if (exact == 0 || !std::isfinite(exact) || !std::isfinite(approximate))
      detail::fail("mercer::eigenvalue_error: cannot compare ", approximate, " with ", exact,
                   " at position ", i);
    worst = (std::max)(worst, std::abs(approximate / exact - 1));
  }
  return worst;
}

}  // namespace mercer

#endif  // MERCER_METRICS_GRAM_ERROR_HPP
