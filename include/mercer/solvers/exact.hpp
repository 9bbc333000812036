// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The exact solver: eigendecomposition of the dense matrix.

#ifndef MERCER_SOLVERS_EXACT_HPP
#define MERCER_SOLVERS_EXACT_HPP

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <mercer/core/types.hpp>
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
  /// The caller should hold the matrix in memory.
  static constexpr bool wants_stored = true;

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
    const int exponent = largest > 0 ? std::ilogb(largest) : 0;
    k *= std::ldexp(S(1), -exponent);
    decompose(k, exponent, request, observer, solution);
    return solution;
  }

 private:
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
    solution.eigenvectors = eigen.leading_vectors(kept);
    solution.eigenvalues = values.head(kept);
    k.diagonal() = diagonal;  // the strictly upper triangle has been left alone
    const Vector<S> scaled = std::ldexp(S(1), -exponent) * solution.eigenvalues;
    Matrix<S> residual = -(solution.eigenvectors * scaled.asDiagonal());
    residual.noalias() += k.template selfadjointView<Eigen::Upper>() * solution.eigenvectors;
    report.kernel_products = kept;
    for (Index i = 0; i < kept; ++i)
      report.residuals.push_back(std::ldexp(static_cast<double>(residual.col(i).norm()), exponent));
  }
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_EXACT_HPP
