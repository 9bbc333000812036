// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What solvers find of streams of pairs, and the concepts of such solvers.

#ifndef MERCER_SOLVERS_PAIR_SOLVER_HPP
#define MERCER_SOLVERS_PAIR_SOLVER_HPP

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
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
  FeatureSolution<S> x;   ///< components of view x
  FeatureSolution<S> y;   ///< components of view y
  Matrix<double> cross;   ///< F^T G, r x s
  Vector<double> mean_x;  ///< mean of the scores of view x; zero if they are centred
  Vector<double> mean_y;  ///< the same of view y
};

/// Finds bases of two views in one pass over their pairs.
///
/// Syntax:
/// - models FeatureSolver;
/// - `bases(kernel_x, other, kernel_y, stream, columns_x, request, rank_y, observer) const`, where
///   this solver and kernel_x are those of view x, and the stream has the rows [x_i y_i] with
///   columns_x columns of x. The components of the request are those of x, rank_y those of y.
///   Returns FeatureBases of the stream's scalar.
///
/// Semantics: as FeatureSolver, for each view.
template <class T>
concept PairBasisSolver = FeatureSolver<T> &&
    requires(const T& solver, const Linear& kernel, SampleStreamView<double> stream, Index columns,
             const KernelRequest& request, const Components& rank, const Observer& observer) {
  {
    solver.bases(kernel, solver, kernel, stream, columns, request, rank, observer)
    } -> std::same_as<FeatureBases<double>>;
};

/// Components of two views of the same samples.
template <OwnedSamples X, OwnedSamples Y>
struct JointBases {
  KernelSolution<X> x;  ///< components of view x
  KernelSolution<Y> y;  ///< components of view y
};

/// Finds bases of two views together, from their kernels and samples.
///
/// Syntax:
/// - copyable;
/// - `solve_jointly(kernel_x, x, kernel_y, y, request, components, observer) const`, where the
///   request asks for the rank of the bases, and components is the number of pairs of functions
///   that they are for. Returns JointBases.
///
/// Semantics: as KernelSolver, for each view.
template <class T>
concept JointBasisSolver = std::copy_constructible<T> &&
    requires(const T& solver, const Linear& kernel, const Matrix<double>& samples,
             const KernelRequest& request, const Observer& observer) {
  {
    solver.solve_jointly(kernel, samples, kernel, samples, request, Index{1}, observer)
    } -> std::same_as<JointBases<Matrix<double>, Matrix<double>>>;
};

/// Finds a basis of samples that holds the functions of kernel SIR for a response.
///
/// Syntax:
/// - copyable;
/// - `solve_response(kernel, samples, response, ridge, request, observer) const`, where the columns
///   of the n x c response are those of KernelSir, and the ridge kappa is given as kappa n / tr K.
///   The request is centred, and asks for the rank of the basis. Returns a KernelSolution.
///
/// Semantics: as KernelSolver. The problem in the basis has the same solutions as that of all
/// samples.
template <class T>
concept ResponseBasisSolver = std::copy_constructible<T> &&
    requires(const T& solver, const Linear& kernel, const Matrix<double>& samples,
             const KernelRequest& request, const Observer& observer) {
  {
    solver.solve_response(kernel, samples, samples, 1.0, request, observer)
    } -> std::same_as<KernelSolution<Matrix<double>>>;
};

/// What the functions of two views are to be.
enum class PairMethod {
  Svd,  ///< singular functions of the cross-covariance operator
  Cca,  ///< canonical functions
};

[[nodiscard]] constexpr std::string_view to_string(PairMethod method) {
  return method == PairMethod::Svd ? "kernel-svd" : "kernel-cca";
}

/// What a caller wants of a solver of pairs.
struct PairRequest {
  PairMethod method = PairMethod::Svd;  ///< what is maximised
  Index components = 2;
  bool centered = true;  ///< subtract the means of both views
  /// Ridge of kernel CCA, relative to the variance of view x; see KernelCcaParams.
  std::optional<double> regularization_x = {};
  std::optional<double> regularization_y = {};  ///< the same of view y
  std::size_t memory_budget = 0;                ///< bytes that the run may plan to hold
  std::string choice = {};                      ///< why this solver was chosen
};

/// k functions of each of two views.
template <Real S>
struct PairSolution {
  FeatureExpansion<S> x;                      ///< of view x
  FeatureExpansion<S> y;                      ///< of view y
  Vector<double> values;                      ///< singular values or correlations, k, descending
  std::vector<double> training_correlations;  ///< of the functions, on the samples
  std::vector<double> residuals_x;            ///< as in ViewReport
  std::vector<double> residuals_y;            ///< as in ViewReport
  std::vector<double> error_bounds;           ///< as in PairReport; empty if they are not known
  std::optional<double> kappa_x;              ///< the ridge of view x, of kernel CCA
  std::optional<double> kappa_y;              ///< the ridge of view y
  StochasticPairDetails details;              ///< of the steps
  Report report_x;                            ///< of the functions of view x
  Report report_y;                            ///< of the functions of view y; of the same status
};

/// Finds functions of two views from a stream of their pairs.
///
/// Syntax:
/// - models FeatureSolver;
/// - `solve_pairs(kernel_x, other, kernel_y, stream, columns_x, request, checkpoints, observer)
///   const`, as for PairBasisSolver, with a PairRequest and the solver's PairCheckpoints. Returns a
///   PairSolution of the stream's scalar.
///
/// Semantics: as FeatureSolver.
template <class T>
concept PairSolver = FeatureSolver<T> &&
    requires(const T& solver, const Linear& kernel, SampleStreamView<double> stream, Index columns,
             const PairRequest& request, const typename T::PairCheckpoints& checkpoints,
             const Observer& observer) {
  {
    solver.solve_pairs(kernel, solver, kernel, stream, columns, request, checkpoints, observer)
    } -> std::same_as<PairSolution<double>>;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_PAIR_SOLVER_HPP
