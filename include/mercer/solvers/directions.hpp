// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The DirectionSolver concept: solvers that find directions in feature space, which need not be
/// eigenvectors.

#ifndef MERCER_SOLVERS_DIRECTIONS_HPP
#define MERCER_SOLVERS_DIRECTIONS_HPP

#include <concepts>

#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer {

/// k orthonormal directions w_j = sum_i A_ij phi(x_i) in the feature space of a Gram matrix G, with
/// A^T G A = I. They maximise an objective other than the variance.
template <Real S>
struct DirectionSolution {
  Vector<S> eigenvalues;   ///< squared norms of the columns of the scores, k, descending
  Matrix<S> coefficients;  ///< A, n x k; a row of zeros: this sample is not used
  Matrix<S> scores;        ///< G A, n x k
  Matrix<S> dual;          ///< the dual variable H, n x s, also a starting point for another run
  Report report;
};

/// Finds directions for any symmetric positive semidefinite operator.
///
/// Syntax:
/// - copyable;
/// - `solve(operator, request, observer) const` for float and double operators, which returns a
///   DirectionSolution of the same scalar;
/// - TellsItsNeeds.
///
/// Semantics:
/// - Settings only, as for GramSolver.
/// - Fills the report, and sets its status, as GramSolver. A numerical failure is a Status, not an
///   exception.
template <class T>
concept DirectionSolver = std::copy_constructible<T> && TellsItsNeeds<T> &&
    requires(const T& solver, const detail::OperatorArchetype<double>& a, EigenRequest request,
             Observer observer) {
  { solver.solve(a, request, observer) } -> std::same_as<DirectionSolution<double>>;
};

/// Solvers that need only the Gram matrix.
template <class T>
concept OperatorSolver = GramSolver<T> || DirectionSolver<T>;

}  // namespace mercer

#endif  // MERCER_SOLVERS_DIRECTIONS_HPP
