// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The share of the variance of the leading components that a set of functions captures.

#ifndef MERCER_METRICS_CAPTURED_VARIANCE_HPP
#define MERCER_METRICS_CAPTURED_VARIANCE_HPP

#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/metrics/expansions.hpp>

namespace mercer {

struct CapturedVarianceParams {
  bool centered = true;  ///< use the centred kernel matrix
};

/// The variance captured by s functions, relative to the largest variance that s functions can
/// capture: \f$ \mathrm{tr}(\hat A^T K_c^2 \hat A) / \sum_{i \le s} \mu_i \f$ with
/// \f$ \hat A^T K_c \hat A = I \f$.
///
/// The result is in [0, 1] up to rounding, and 1 for the leading components themselves. It depends
/// only on the span of the functions sum_j A_js phi_c(x_j), because the basis is orthonormalised
/// here.
/// @param x            n x d samples; the Gram matrix for Precomputed
/// @param a            n x s coefficients
/// @param eigenvalues  the s largest eigenvalues mu_i of the (centred) Gram matrix
/// Cost: two passes over K; O(n^2 (d + s)) time.
/// Memory: O(n s).
/// Throws InvalidArgument for shapes that do not fit, for values that are not finite, and for
///   eigenvalues whose sum is not positive.
template <KernelOrPrecomputed K, class X, class A, class Mu>
[[nodiscard]] double captured_variance(const K& kernel, const X& x, const Eigen::MatrixBase<A>& a,
                                       const Eigen::MatrixBase<Mu>& eigenvalues,
                                       CapturedVarianceParams params = {}) {
  constexpr std::string_view who = "captured_variance";
  const auto& samples = detail::evaluable_in_double(who, kernel, x);
  Matrix<double> coefficients = detail::checked_coefficients(who, samples.rows(), a);
  if (eigenvalues.size() != a.cols())
    detail::fail("mercer::captured_variance: ", eigenvalues.size(), " eigenvalues for ", a.cols(),
                 " functions");
  const Vector<double> mu = eigenvalues.template cast<double>();
  detail::require_finite_entries<double>(who, mu);
  const double most = mu.sum();
  if (!(most > 0)) detail::fail("mercer::captured_variance: eigenvalues add up to ", most);
  if (params.centered) centre_columns(coefficients);
  std::vector<Matrix<double>> blocks;
  blocks.push_back(std::move(coefficients));
  auto bases = detail::orthonormal_expansions(kernel, samples, std::move(blocks));
  if (params.centered) centre_columns(bases[0].values);
  return bases[0].values.squaredNorm() / most;
}

}  // namespace mercer

#endif  // MERCER_METRICS_CAPTURED_VARIANCE_HPP
