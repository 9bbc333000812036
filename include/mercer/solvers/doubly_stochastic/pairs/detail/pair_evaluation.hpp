// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The end of a stochastic fit of pairs: from the functions that the steps have found to
/// components.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_DETAIL_PAIR_EVALUATION_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_DETAIL_PAIR_EVALUATION_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Cholesky>

#include <mercer/core/moment_sum.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/pair_solver.hpp>

namespace mercer::detail {

/// Moments of the functions U and V of two views over the rows of an evaluation.
struct PairMoments {
  Matrix<double> uu, vv, uv;  ///< means of products; centred, if the request is
  Vector<double> mean_u, mean_v;
  double size_u = 0, size_v = 0;  ///< means of |u|^2 and |v|^2, not centred
  Index rows = 0;

  /// \param sum  of the rows [u v], centred
  template <Real S>
  PairMoments(const MomentSum<S>& sum, bool centered) : rows(sum.count()) {
    const Index k = sum.mean().size() / 2;
    mean_u = sum.mean().head(k);
    mean_v = sum.mean().tail(k);
    const Matrix<double> covariance = sum.scatter() / static_cast<double>(rows);
    const Matrix<double> raw = covariance + sum.mean() * sum.mean().transpose();
    const Matrix<double>& used = centered ? covariance : raw;
    uu = used.topLeftCorner(k, k);
    vv = used.bottomRightCorner(k, k);
    uv = used.topRightCorner(k, k);
    size_u = raw.topLeftCorner(k, k).trace();
    size_v = raw.bottomRightCorner(k, k).trace();
  }
};

/// U a and V b, with a number for each pair of functions.
struct PairRotation {
  Matrix<double> a, b;  ///< k x c
  Vector<double> values;
};

/// Kernel SVD: the eigenvectors of W = mean of U^T V + V^T U, times 2^(1/2), because the functions
/// of a view have norm 2^(-1/2). The values are the eigenvalues that are not zero to rounding.
template <Real S>
[[nodiscard]] PairRotation singular_rotation(const PairMoments& moments) {
  const EigenSystem<double> eigen =
      symmetric_eigensystem<double>(Matrix<double>(moments.uv + moments.uv.transpose()));
  const double zero =
      double{rounding_level<S>(moments.rows)} * std::sqrt(moments.size_u * moments.size_v);
  Index kept = eigen.values.size();
  while (kept > 0 && !(eigen.values(kept - 1) > zero)) --kept;
  const Matrix<double> rotation = std::sqrt(2.0) * eigen.vectors.leftCols(kept);
  return {rotation, rotation, eigen.values.head(kept)};
}

/// Kernel CCA: the functions in the spans of U and of V that are correlated most, with variance 1.
/// From the Cholesky factors of the variances, with 1e-8 of the trace on the diagonal.
template <Real S>
[[nodiscard]] PairRotation canonical_rotation(const PairMoments& moments) {
  constexpr double ridge = 1e-8;
  const Index k = moments.uu.rows();
  const auto noise = double{rounding_level<S>(moments.rows)};
  const bool constant = !(moments.uu.trace() > noise * moments.size_u) ||
                        !(moments.vv.trace() > noise * moments.size_v);
  if (constant) return {Matrix<double>(k, 0), Matrix<double>(k, 0), Vector<double>(0)};
  const SingleThread one;
  const auto factor = [k](Matrix<double> a) {
    a.diagonal().array() += ridge * a.trace() / static_cast<double>(k);
    return Eigen::LLT<Matrix<double>>(a);
  };
  const Eigen::LLT<Matrix<double>> u = factor(moments.uu), v = factor(moments.vv);
  MERCER_ASSERT(u.info() == Eigen::Success && v.info() == Eigen::Success);
  Matrix<double> t = u.matrixL().solve(moments.uv);
  t = v.matrixL().solve(t.transpose()).transpose().eval();
  const SingularSystem<double> found = singular_system(t);
  Index kept = k;
  while (kept > 0 && !(found.values(kept - 1) > noise)) --kept;
  return {u.matrixU().solve(found.left.leftCols(kept)),
          v.matrixU().solve(found.right.leftCols(kept)), found.values.head(kept)};
}

/// The Pearson correlations of the columns of U a and V b.
[[nodiscard]] inline std::vector<double> rotated_correlations(const PairMoments& moments,
                                                              const PairRotation& rotation,
                                                              bool centered) {
  Matrix<double> uu = moments.uu, vv = moments.vv, uv = moments.uv;
  if (!centered) {
    uu -= moments.mean_u * moments.mean_u.transpose();
    vv -= moments.mean_v * moments.mean_v.transpose();
    uv -= moments.mean_u * moments.mean_v.transpose();
  }
  std::vector<double> out;
  for (Index j = 0; j < rotation.a.cols(); ++j) {
    const Vector<double> a = rotation.a.col(j), b = rotation.b.col(j);
    const double variance = a.dot(uu * a) * b.dot(vv * b);
    out.push_back(variance > 0 ? a.dot(uv * b) / std::sqrt(variance) : 0);
  }
  return out;
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_DETAIL_PAIR_EVALUATION_HPP
