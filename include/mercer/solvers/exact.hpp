// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The exact solver: eigendecomposition of the dense matrix.

#ifndef MERCER_SOLVERS_EXACT_HPP
#define MERCER_SOLVERS_EXACT_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <mercer/core/types.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/operators/symmetric_operator.hpp>
#include <mercer/solvers/dense_eigen.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer {

/// Symmetric eigendecomposition of the whole matrix: for n up to some thousands, and the yardstick
/// for all other solvers. All eigenvalues are found, so the number of components may follow from
/// them and the negative part of an indefinite kernel is known exactly.
///
/// By Eigen (9 n^3 operations, on one core); by LAPACK (4/3 n^3 + O(n^2 k), on all cores) in
/// programs that link mercer::blas or define EIGEN_USE_LAPACKE. Memory: n^2 values with LAPACK, 2
/// n^2 with Eigen; an operator passed as an rvalue in stored form gives its matrix up, so there is
/// no further copy. Accuracy: backward stable, eigenvalues to about eps |K|; the report has |K u -
/// mu u| for each pair. Status: Converged; NotConverged without components in the improbable case
/// that the QR iteration fails.
struct Exact {
  /// The caller should hand over the matrix in memory.
  static constexpr bool wants_dense = true;

  template <class A>
    requires SymmetricOperator<std::remove_cvref_t<A>>
  [[nodiscard]] EigenSolution<typename std::remove_cvref_t<A>::Scalar> solve(
      A&& a, const EigenRequest& request, const Observer& observer = {}) const {
    using S = typename std::remove_cvref_t<A>::Scalar;
    Matrix<S> k = to_dense(std::forward<A>(a));
    EigenSolution<S> solution;
    Report& report = solution.report;
    report.solver = std::string("exact (") + detail::dense_eigen_name + ")";
    const Index n = k.rows();
    report.bytes = static_cast<std::size_t>(k.size()) * sizeof(S) + detail::DenseEigen<S>::bytes(n);
    solution.eigenvectors.resize(n, 0);
    if (!detail::go_on(observer, {"eigenvalues", 0, 2})) {
      report.status = Status::Cancelled;
      return solution;
    }
    // A power of two brings the entries to order 1 without rounding: no square overflows then.
    const S largest = k.cwiseAbs().maxCoeff();
    const int exponent =
        largest > 0 ? (std::max)(std::ilogb(largest), std::numeric_limits<S>::min_exponent) : 0;
    k *= std::ldexp(S(1), -exponent);
    decompose(k, exponent, request, observer, solution);
    return solution;
  }

 private:
  /// The eigensolver has left the strictly upper triangle alone.
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

  template <Real S>
  static void decompose(Matrix<S>& k, int exponent, const EigenRequest& request,
                        const Observer& observer, EigenSolution<S>& solution) {
    Report& report = solution.report;
    const Vector<S> diagonal = k.diagonal();
    report.trace = std::ldexp(static_cast<double>(diagonal.sum()), exponent);
    detail::DenseEigen<S> eigen(k);
    if (!eigen.ok()) {
      report.status = Status::NotConverged;
      return;
    }
    const Vector<S> values = std::ldexp(S(1), exponent) * eigen.eigenvalues().reverse();
    const Index kept = detail::select_components(values, k.rows(), request, report);
    if (!detail::go_on(observer, {"eigenvectors", 1, 2})) {
      report.status = Status::Cancelled;
      report.components = 0;
      return;
    }
    Matrix<S> vectors = eigen.leading_vectors(kept);
    if (!eigen.ok()) {
      report.status = Status::NotConverged;
      report.components = 0;
      return;
    }
    solution.eigenvectors = std::move(vectors);
    solution.eigenvalues = values.head(kept);
    restore_from_upper(k, diagonal);
    Matrix<S> residual(k.rows(), kept);
    detail::symmetric_product<S>(k, solution.eigenvectors, residual);
    for (Index i = 0; i < kept; ++i)
      residual.col(i) -=
          std::ldexp(solution.eigenvalues(i), -exponent) * solution.eigenvectors.col(i);
    report.kernel_products = kept;
    for (Index i = 0; i < kept; ++i)
      report.residuals.push_back(std::ldexp(static_cast<double>(residual.col(i).norm()), exponent));
    report.eigenvalue_error_bounds = report.residuals;
  }
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_EXACT_HPP
