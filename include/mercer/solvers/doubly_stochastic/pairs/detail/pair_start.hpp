// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What a stochastic fit of pairs starts from: the method itself on the first block of features.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_DETAIL_PAIR_START_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_DETAIL_PAIR_START_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/doubly_stochastic/detail/doubly_stochastic_start.hpp>
#include <mercer/solvers/doubly_stochastic/pairs/pair_run.hpp>
#include <mercer/solvers/pair_solver.hpp>

namespace mercer::detail {

/// The start of a run.
template <Real S>
struct PairStart {
  Matrix<S> x, y;                   ///< coefficients of block 0
  Vector<double> values;            ///< singular values or correlations of its features, descending
  double trace_x = 0, trace_y = 0;  ///< variances of the features
  double largest = 0;  ///< the largest eigenvalue of the covariances of the features of both views
  std::size_t bytes = 0;  ///< peak memory of finding it, with the features
};

/// The features of block 0 in coordinates in which they vary.
template <Real S>
struct StartView {
  Matrix<double> basis;   // m x r, orthonormal
  Matrix<double> scores;  // n x r
  Vector<double> eigenvalues;
  double noise = 0;      // a trace up to this is nothing but rounding errors
  std::size_t peak = 0;  // bytes while this was found

  /// \param k  at least as many coordinates, if there are as many features
  StartView(Matrix<S> z, Index k, bool centered, std::uint64_t seed) {
    const Index r = (std::min)(z.cols(), (std::max)(k, z.rows()));
    DoublyStochasticStart<S> start = start_from_features<S>(z, r, centered, seed);
    basis = start.coefficients.template cast<double>();
    eigenvalues = std::move(start.eigenvalues);
    noise = double{rounding_level<S>(z.cols())} * start.diagonal;
    peak = start.bytes + static_cast<std::size_t>(z.size()) * sizeof(S) + bytes();
    if (centered) centre_columns(z);
    scores = multiply(z.template cast<double>().eval(), basis);
  }

  /// Bytes of the basis and the scores, which have one row for each feature and each sample.
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(basis.size() + scores.size()) * sizeof(double);
  }

  /// Linear combinations of the coordinates with <f, (C + kappa) f> = 1, kappa = ridge tr(C).
  [[nodiscard]] Matrix<double> whitened(const char* view, double ridge) const {
    const double kappa = ridge * eigenvalues.sum();
    if (!(eigenvalues.sum() > noise))
      fail("mercer::DoublyStochastic: view ", view,
           " does not vary in the first rows, so that kernel CCA has no start");
    const Matrix<double> covariance = inner(scores) / static_cast<double>(scores.rows());
    const EigenSystem<double> eigen = symmetric_eigensystem<double>(covariance);
    return eigen.vectors *
           (eigen.values.cwiseMax(0.0).array() + kappa).rsqrt().matrix().asDiagonal();
  }
};

/// The k leading functions of the method on features z_x and z_y of some pairs, with joint norm 1.
/// Kernel CCA has a ridge of a hundredth of the variance.
/// Cost: O(m^2 (n + m)) for m = min(n, columns).
/// Random: seed, purpose "doubly stochastic start".
/// Throws InvalidArgument for fewer features than components, and for kernel CCA if a view does not
///   vary.
template <Real S>
[[nodiscard]] PairStart<S> pair_start(PairMethod method, Matrix<S> z_x, Matrix<S> z_y, Index k,
                                      bool centered, std::uint64_t seed) {
  constexpr double ridge = .01;
  require_enough_features("DoublyStochastic, in a block of view x", k, z_x.cols());
  require_enough_features("DoublyStochastic, in a block of view y", k, z_y.cols());
  const std::size_t waiting = static_cast<std::size_t>(z_y.size()) * sizeof(S);
  const StartView<S> x(std::move(z_x), k, centered, seed), y(std::move(z_y), k, centered, seed);
  Matrix<double> cross = inner(x.scores, y.scores) / static_cast<double>(x.scores.rows());
  Matrix<double> basis_x = x.basis, basis_y = y.basis;
  if (method == PairMethod::Cca) {
    const Matrix<double> white_x = x.whitened("x", ridge), white_y = y.whitened("y", ridge);
    cross = small_product<double>(small_product<double>(white_x.transpose(), cross), white_y);
    basis_x = multiply(basis_x, white_x);
    basis_y = multiply(basis_y, white_y);
  }
  const SingularSystem<double> found = singular_system(cross);
  const auto functions = [k](const Matrix<double>& basis, const Matrix<double>& vectors) {
    return Matrix<S>(
        (multiply(basis, Matrix<double>(vectors.leftCols(k))) / std::sqrt(2.0)).template cast<S>());
  };
  // The SVD has its matrix, its factors, and nine more matrices to work with.
  const std::size_t solving =
      x.bytes() + y.bytes() +
      static_cast<std::size_t>(basis_x.size() + basis_y.size() + 12 * cross.size()) *
          sizeof(double);
  return {functions(basis_x, found.left),
          functions(basis_y, found.right),
          found.values,
          x.eigenvalues.sum(),
          y.eigenvalues.sum(),
          (std::max)(x.eigenvalues(0), y.eigenvalues(0)),
          (std::max)({x.peak + waiting, x.bytes() + y.peak, solving})};
}

/// The schedule, with defaults from the start. Kernel SVD as for one view, with the singular values
/// in place of eigenvalues. Kernel CCA: the first step is the inverse of the largest eigenvalue of
/// the covariance operators, and the last ones are 16 times shorter, or 3 times without a ridge,
/// where the sum of the steps is what decides.
/// Throws InvalidArgument for kernel CCA if neither the number of steps nor the decay is known.
template <Real S>
[[nodiscard]] PairSchedule pair_schedule(const DoublyStochasticParams& params,
                                         const PairRequest& request, Index steps,
                                         const PairStart<S>& start, double kappa_x,
                                         double kappa_y) {
  PairSchedule schedule{.method = request.method,
                        .rule = params.rule,
                        .blocks = params.blocks,
                        .centered = request.centered};
  if (request.method == PairMethod::Svd) {
    const DoublyStochasticStart<S> values{.coefficients = {},
                                          .eigenvalues = start.values,
                                          .diagonal = std::sqrt(start.trace_x * start.trace_y)};
    const DoublyStochasticSchedule found =
        schedule_for(params, request.centered, request.components, steps, values);
    schedule.step = found.step;
    schedule.decay = found.decay;
    return schedule;
  }
  schedule.ridge_x = kappa_x;
  schedule.ridge_y = kappa_y;
  schedule.bound = start.largest + (std::max)(kappa_x, kappa_y);
  schedule.step = params.step.value_or(1 / schedule.bound);
  const double shortening = (std::max)(kappa_x, kappa_y) > 0 ? 16 : 3;
  if (!params.decay && steps == 0)
    fail(
        "mercer::DoublyStochastic: the stream does not say how many rows it has; say how many "
        "steps, or the decay of their lengths");
  schedule.decay = params.decay ? *params.decay : shortening / static_cast<double>(steps);
  return schedule;
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_DETAIL_PAIR_START_HPP
