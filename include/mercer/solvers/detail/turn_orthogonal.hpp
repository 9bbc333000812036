// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Eigenpairs whose vectors have lost their right angles, made orthonormal.

#ifndef MERCER_SOLVERS_DETAIL_TURN_ORTHOGONAL_HPP
#define MERCER_SOLVERS_DETAIL_TURN_ORTHOGONAL_HPP

#include <cmath>
#include <cstddef>
#include <limits>

#include <Eigen/Cholesky>

#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer::detail {

/// Makes pairs of vectors that have lost their right angles orthonormal: the Ritz pairs of their
/// span, by the products with K that are known, of which the residuals follow. Returns false, and
/// does nothing, if they are orthogonal to rounding, if the products are not known, or if one
/// vector is nearly in the span of the others.
template <Real S>
[[nodiscard]] bool turn_orthogonal(EigenSolution<S>& pairs) {
  const Index n = pairs.eigenvectors.rows(), k = pairs.eigenvectors.cols();
  if (k < 2 || pairs.products.cols() != k) return false;
  const RowSpace rows = RowSpace::whole(n);
  const Matrix<double> inner =
      block_inner<S>(rows, pairs.eigenvectors, pairs.eigenvectors).template cast<double>();
  constexpr double least = 1e-3, epsilon = std::numeric_limits<S>::epsilon();
  const double lost = (inner - Matrix<double>(inner.diagonal().asDiagonal())).cwiseAbs().maxCoeff();
  if (!(lost > 16 * std::sqrt(static_cast<double>(n)) * epsilon)) return false;
  const Eigen::LLT<Matrix<double>> factor(inner);
  if (factor.info() != Eigen::Success) return false;
  const Matrix<double> lower = factor.matrixL();
  if (!(lower.diagonal().minCoeff() > least)) return false;
  Matrix<double> form =
      block_inner<S>(rows, pairs.eigenvectors, pairs.products).template cast<double>();
  form = lower.template triangularView<Eigen::Lower>().solve(
      Matrix<double>((form + form.transpose()) / 2));
  form = lower.template triangularView<Eigen::Lower>().solve(Matrix<double>(form.transpose()));
  const EigenSystem<double> ritz = symmetric_eigensystem<double>((form + form.transpose()) / 2);
  if (!(ritz.values(k - 1) > 0)) return false;
  const Matrix<S> turn = lower.transpose()
                             .template triangularView<Eigen::Upper>()
                             .solve(ritz.vectors)
                             .template cast<S>();
  pairs.eigenvectors = multiply(rows, pairs.eigenvectors, turn);
  pairs.products = multiply(rows, pairs.products, turn);
  pairs.eigenvalues = ritz.values.template cast<S>();
  const Matrix<S> rest = pairs.products - pairs.eigenvectors * pairs.eigenvalues.asDiagonal();
  for (std::size_t i = 0; i < pairs.report.residuals.size(); ++i)
    pairs.report.residuals[i] = static_cast<double>(rest.col(static_cast<Index>(i)).stableNorm());
  return true;
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DETAIL_TURN_ORTHOGONAL_HPP
