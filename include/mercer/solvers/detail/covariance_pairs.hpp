// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The eigenpairs of a covariance matrix of features.

#ifndef MERCER_SOLVERS_DETAIL_COVARIANCE_PAIRS_HPP
#define MERCER_SOLVERS_DETAIL_COVARIANCE_PAIRS_HPP

#include <algorithm>
#include <cstddef>

#include <mercer/core/phases.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/dense/detail/dense_eigen.hpp>
#include <mercer/solvers/detail/leading_pairs.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer::detail {

/// The eigenpairs that a request keeps, in descending order; none if they were not found.
template <Real S>
struct CovariancePairs {
  Vector<S> values;        ///< k
  Matrix<double> vectors;  ///< m x k
  bool found = false;
};

/// Bytes beside the matrix to find k pairs.
[[nodiscard]] inline std::size_t covariance_pairs_bytes(Index m, Index k) {
  return (std::max)(LeadingPairs<double>::pays(m, k) ? LeadingPairs<double>::bytes(m, k) : 0,
                    DenseEigen<double>::bytes(m, k));
}

/// Eigenpairs of a positive semidefinite m x m matrix with both triangles, which is used up, and
/// what the report says of them. A few are found by subspace iteration, many by a dense solver.
/// Cost: about 20 products with the k vectors and some more, or O(m^3).
template <Real S>
[[nodiscard]] CovariancePairs<S> covariance_pairs(Matrix<double>& a, const EigenRequest& request,
                                                  Report& report) {
  const PhaseTimer timer(Phase::Eigenproblems, static_cast<std::size_t>(a.size()) * sizeof(double));
  const Components& wanted = request.components;
  if (!wanted.is_fraction() && LeadingPairs<double>::pays(a.rows(), wanted.count())) {
    const LeadingPairs<double> leading(a, wanted.count(), {}, request.epsilon);
    if (leading.ok()) {
      const Vector<S> values = leading.eigenvalues().template cast<S>();
      const Index k = select_components(values, report.samples, request, report);
      return {values.head(k), leading.vectors().leftCols(k), true};
    }
  }
  CovariancePairs<S> pairs;
  const SingleThread one;
  DenseEigen<double> eigen(a);
  const Vector<S> values = eigen.eigenvalues().reverse().template cast<S>();
  Index k = eigen.ok() ? select_components(values, report.samples, request, report) : 0;
  pairs.vectors = eigen.leading_vectors(k);
  pairs.found = eigen.ok();
  if (!pairs.found) {
    pairs.vectors.resize(a.rows(), 0);
    k = report.components = 0;
  }
  pairs.values = values.head(k);
  return pairs;
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DETAIL_COVARIANCE_PAIRS_HPP
