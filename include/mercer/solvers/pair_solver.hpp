// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What solvers find of streams of pairs, and the concepts of such solvers.

#ifndef MERCER_SOLVERS_PAIR_SOLVER_HPP
#define MERCER_SOLVERS_PAIR_SOLVER_HPP

#include <concepts>

#include <mercer/core/observer.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/solvers/feature_solver.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

/// The kernel PCA of two views, and how their components vary together. F and G are the scores of n
/// pairs, n x r and n x s; they themselves are not needed.
template <Real S>
struct FeatureBases {
  FeatureSolution<S> x, y;
  Matrix<double> cross;           ///< F^T G, r x s
  Vector<double> mean_x, mean_y;  ///< means of the scores; zero if they are centred
};

/// Finds bases of two views in one pass over their pairs.
///
/// Syntax:
/// - models FeatureSolver;
/// - `bases(kernel_x, other, kernel_y, stream, columns_x, request, observer) const`, where this
///   solver and kernel_x are those of view x, and the stream has the rows [x_i y_i] with columns_x
///   columns of x. Returns FeatureBases of the stream's scalar.
///
/// Semantics: as FeatureSolver, for each view.
template <class T>
concept PairBasisSolver = FeatureSolver<T> &&
    requires(const T& solver, const Linear& kernel, SampleStreamView<double> stream, Index columns,
             const KernelRequest& request, const Observer& observer) {
  {
    solver.bases(kernel, solver, kernel, stream, columns, request, observer)
    } -> std::same_as<FeatureBases<double>>;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_PAIR_SOLVER_HPP
