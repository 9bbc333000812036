// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The settings of a fit by doubly stochastic gradients, and what it starts from.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_DOUBLY_STOCHASTIC_START_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_DOUBLY_STOCHASTIC_START_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic_run.hpp>
#include <mercer/solvers/feature_solver.hpp>

namespace mercer {

struct DoublyStochasticParams {
  StochasticRule rule = StochasticRule::Oja;  ///< how components are kept apart
  Index blocks = 64;                          ///< number of blocks of features
  Index data_batch = 512;                     ///< samples of a step
  Index epochs = 1;  ///< passes over the samples; few samples need more, see steps
  /// 0: as many steps as the epochs take, but at least 16 for each block, in more passes if need
  /// be.
  Index steps = 0;
  /// eta_t = step / (1 + decay t). The defaults use the eigenvalues ell of the start:
  /// step = 1 / ell_1, and decay = step gap / 2 but at least 16 / steps. Here gap is the smallest
  /// gap between eigenvalues that the rule must separate.
  std::optional<double> step = {};
  /// See step.
  std::optional<double> decay = {};
  Index start_rows = 512;  ///< samples used for the start, default step and residuals; for pairs,
                           ///< 1024 or more are better
  Index evaluation_rows = 32768;  ///< samples used for eigenvalues, means and residuals
  bool shuffle = true;            ///< a new order in each pass, if the stream can seek
  /// Converged if |K u - mu u| <= tolerance mu_1 for each component, as estimated; for pairs, see
  /// DoublyStochastic::solve_pairs(). 0: the residuals are not judged. It does not end the steps.
  double tolerance = 0;
  std::uint64_t seed = 1;

  [[nodiscard]] bool operator==(const DoublyStochasticParams&) const = default;

  /// Throws InvalidArgument for values out of range.
  void validate() const {
    constexpr const char* who = "DoublyStochastic";
    detail::require_at_least(who, "blocks", blocks, Index{1});
    detail::require_at_least(who, "data_batch", data_batch, Index{2});
    detail::require_at_least(who, "epochs", epochs, Index{1});
    detail::require_at_least(who, "steps", steps, Index{0});
    detail::require_at_least(who, "start_rows", start_rows, Index{2});
    detail::require_at_least(who, "evaluation_rows", evaluation_rows, Index{2});
    detail::require_not_negative(who, "tolerance", tolerance);
    if (step) detail::require_positive(who, "step", *step);
    if (decay) detail::require_not_negative(who, "decay", *decay);
  }
};

/// The start of a run.
template <Real S>
struct DoublyStochasticStart {
  Matrix<S> coefficients;      ///< of block 0: k orthonormal functions of its features
  Vector<double> eigenvalues;  ///< ell: of the covariance of block 0's features, descending
  double diagonal = 0;         ///< mean of k(x, x)
  std::size_t bytes = 0;       ///< peak memory of finding it, with the features
};

namespace detail {

/// The start, from Z = Z_0(X); see doubly_stochastic_start.
template <Real S>
[[nodiscard]] DoublyStochasticStart<S> start_from_features(Matrix<S> z, Index k, bool centered,
                                                           std::uint64_t seed) {
  DoublyStochasticStart<S> start;
  const auto n = static_cast<double>(z.rows());
  start.diagonal = static_cast<double>(column_products(z, z).sum()) / n;
  if (centered) centre_columns(z);
  const Matrix<double> features = z.template cast<double>();
  // Both products have the same nonzero eigenvalues; take the smaller matrix.
  const bool tall = features.rows() >= features.cols();
  const Matrix<double> wide = tall ? Matrix<double>(features.transpose()) : features;
  const Matrix<double> squares = inner(wide.transpose(), wide.transpose()) / n;
  require_finite_squares("DoublyStochastic", squares);
  const EigenSystem<double> eigen = symmetric_eigensystem<double>(squares);
  require_finite_squares("DoublyStochastic", eigen.values);
  start.eigenvalues = eigen.values.cwiseMax(0.0);
  const double noise = double{rounding_level<S>(z.cols())} * start.diagonal;
  const Index rank = (std::min)(k, Index{(start.eigenvalues.array() > noise).count()});
  Matrix<double> basis = eigen.vectors.leftCols(rank);
  if (!tall) basis = orthonormalize(multiply(features.transpose(), basis)).Q;
  const Matrix<double> rest =
      normal_matrix<double>(z.cols(), k - rank, seed, "doubly stochastic start");
  start.coefficients.resize(z.cols(), k);
  start.coefficients.leftCols(rank) = basis.template cast<S>();
  start.coefficients.rightCols(k - rank) = orthogonalize_against(basis, rest).Q.template cast<S>();
  // The features, in double, and turned; their squares, eigenvectors and a copy; the basis and the
  // result.
  start.bytes = static_cast<std::size_t>(z.size() + start.coefficients.size()) * sizeof(S) +
                static_cast<std::size_t>(features.size() + wide.size() + 3 * squares.size() +
                                         start.coefficients.size()) *
                    sizeof(double);
  return start;
}

}  // namespace detail

/// The k leading principal components of the features of block 0 at some samples. If these samples
/// vary in fewer than k directions, random directions fill up the rest, because other samples may
/// vary in them.
/// Cost: O(m^2 (n + m)) for m = min(n, columns).
/// Random: seed, purpose "doubly stochastic start".
/// Throws InvalidArgument for fewer features than components.
template <BoundFeatureMap B>
[[nodiscard]] DoublyStochasticStart<typename B::Scalar> doubly_stochastic_start(
    const B& map, const Matrix<typename B::Scalar>& samples, Index k, bool centered,
    std::uint64_t seed) {
  using S = typename B::Scalar;
  detail::require_enough_features("DoublyStochastic, in a block", k, map.columns());
  return detail::start_from_features<S>(block_features(map, 0, samples), k, centered, seed);
}

namespace detail {

/// The schedule, with defaults from the eigenvalues of the start. The step is at most 1 / ell_1.
/// The rate 1/t asks for step / decay = 1 / gap. The default is twice that, because the gap is
/// known from few samples only. If the number of steps is known, the last ones must be much shorter
/// than the first. Otherwise the functions would depend on the last few blocks only.
template <Real S>
[[nodiscard]] DoublyStochasticSchedule schedule_for(const DoublyStochasticParams& params,
                                                    bool centered, Index k, Index steps,
                                                    const DoublyStochasticStart<S>& start) {
  constexpr double shortening = 16;
  const Vector<double>& ell = start.eigenvalues;
  const auto value = [&](Index i) { return i < ell.size() ? ell(i) : 0.0; };
  double largest = value(0);
  if (largest <= 1e-6 * start.diagonal) largest = start.diagonal;  // only rounding errors so far
  // For very small samples the inverse overflows.
  constexpr double most{(std::numeric_limits<S>::max)()};
  const double step = params.step.value_or(largest > 0 ? (std::min)(1 / largest, most) : 1.0);
  double gap = value(k - 1) - value(k);
  if (params.rule == StochasticRule::Gha)
    for (Index i = 0; i + 1 < k; ++i) gap = (std::min)(gap, value(i) - value(i + 1));
  // Components with nearly equal eigenvalues cannot be separated, and need not be.
  gap = (std::max)({gap, value(k - 1) / 10, largest / 100});
  const double least = steps > 0 ? shortening / static_cast<double>(steps) : 0.0;
  return {.rule = params.rule,
          .blocks = params.blocks,
          .step = step,
          .decay = params.decay.value_or((std::max)(step * gap / 2, least)),
          .centered = centered};
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_DOUBLY_STOCHASTIC_START_HPP
