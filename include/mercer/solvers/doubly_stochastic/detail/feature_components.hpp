// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Principal components of features from their moments.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_FEATURE_COMPONENTS_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_FEATURE_COMPONENTS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <mercer/core/phases.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/feature_blocks.hpp>
#include <mercer/solvers/detail/covariance_pairs.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/feature_solver.hpp>

namespace mercer::detail {

/// out = [Z_1(x) ... Z_B(x)] for the first blocks of a map.
template <Real S>
void evaluate_blocks(FeatureBlocks<S>& map, Index blocks, const Points<S>& x, GramOut<S> out) {
  const Index columns = map.columns();
  const PhaseTimer timer(Phase::Features, static_cast<std::size_t>(out.size()) * sizeof(S));
  for (Index b = 0; b < blocks; ++b)
    map.evaluate(static_cast<std::uint64_t>(b), 0, x, out.middleCols(b * columns, columns));
}

/// Sums over n rows of the features [Z_1 ... Z_B]. They define the m features B^(-1/2) [Z_1 ...
/// Z_B].
struct FeatureMoments {
  Matrix<double> scatter;  ///< centred, if the request is
  double squares = 0;      ///< the sum of all squares, not centred
  Vector<double> mean;
  Index samples = 0;  ///< n
  Index blocks = 0;   ///< B
};

/// Sets the components of \p solution from these moments, and what its report says of them. Returns
/// their coefficients in double: m x k.
/// Cost: as covariance_pairs.
/// Throws InvalidArgument if the squares of the features overflow.
template <Real S>
Matrix<double> feature_components(const FeatureMoments& moments, const KernelRequest& request,
                                  FeatureSolution<S>& solution) {
  Report& report = solution.report;
  const auto blocks = static_cast<double>(moments.blocks);
  Matrix<double> scatter = moments.scatter / blocks;
  require_finite_squares("FeaturePca", scatter);
  report.trace = scatter.trace();
  report.solver = SolverId::FeaturePca;
  report.precision = precision_of<S>;
  report.samples = moments.samples;
  EigenRequest pairs = request.pairs;
  pairs.noise_scale = (std::max)(pairs.noise_scale, moments.squares / blocks);
  pairs.epsilon = std::numeric_limits<S>::epsilon();
  CovariancePairs<double> found = covariance_pairs<double>(scatter, pairs, report);
  Matrix<double> vectors = found.vectors / std::sqrt(blocks);
  if (!found.found)
    add_reason("the eigenproblem of the covariance was not solved", report);
  else if (report.status != Status::Cancelled)
    report.status = Status::Converged;
  const Index k = found.values.size();
  // In the precision of the features: of coefficients that are equal to its rounding, the first one
  // decides.
  solution.coefficients = vectors.template cast<S>();
  vectors =
      (vectors * fix_signs(solution.coefficients).template cast<double>().asDiagonal()).eval();
  solution.eigenvalues = found.values.template cast<S>();
  require_finite_squares("FeaturePca",
                         Matrix<double>(solution.eigenvalues.template cast<double>()));
  solution.offset = Vector<S>::Zero(k);
  if (request.centered) solution.offset = (vectors.transpose() * moments.mean).template cast<S>();
  solution.blocks = moments.blocks;
  return vectors;
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_FEATURE_COMPONENTS_HPP
