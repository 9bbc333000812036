// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The DirectionSolver concept: solvers that find directions in feature space which need not be
/// eigenvectors.

#ifndef MERCER_SOLVERS_DIRECTIONS_HPP
#define MERCER_SOLVERS_DIRECTIONS_HPP

#include <concepts>

#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer {

/// k orthonormal directions in the feature space of a Gram matrix G, w_j = sum_i A_ij phi(x_i) with
/// A^T G A = I, that maximise something else than variance.
template <Real S>
struct DirectionSolution {
  Vector<S> eigenvalues;   ///< squared norms of the columns of the scores, k, descending
  Matrix<S> coefficients;  ///< A, n x k; rows of zeros are samples that take no part
  Matrix<S> scores;        ///< G A, n x k
  Matrix<S> dual;          ///< the dual variable H that they come from, n x s: a start for more
  Report report;
};

/// Finds such directions for any symmetric positive semidefinite operator.
///
/// Syntax: (1) copyable; (2) `solve(operator, request, observer) const` for float and double
/// operators, returning DirectionSolution of that scalar. Semantics: (3) settings only, as for
/// GramSolver; (4) fills the report; a numerical failure is a Status, not an exception.
template <class T>
concept DirectionSolver = std::copy_constructible<T> &&
    requires(const T& solver, const detail::OperatorArchetype<double>& a, EigenRequest request,
             Observer observer) {
  { solver.solve(a, request, observer) } -> std::same_as<DirectionSolution<double>>;
};

/// Solvers that need products of the Gram matrix only.
template <class T>
concept OperatorSolver = GramSolver<T> || DirectionSolver<T>;

}  // namespace mercer

#endif  // MERCER_SOLVERS_DIRECTIONS_HPP
