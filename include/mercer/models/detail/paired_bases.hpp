// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The small dense problem of two views in their bases. Kernel SVD, kernel CCA and kernel SIR are
/// this problem with different weights.

#ifndef MERCER_MODELS_DETAIL_PAIRED_BASES_HPP
#define MERCER_MODELS_DETAIL_PAIRED_BASES_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/models/detail/basis_scores.hpp>
#include <mercer/models/detail/leading_triplets.hpp>
#include <mercer/models/pair_report.hpp>
#include <mercer/solvers/dense/detail/dense_eigen.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer::detail {

/// What the small problem needs to know of the basis of a view.
template <Real S>
struct WeightedView {
  Vector<S> eigenvalues;  ///< mu, those of the basis: the squared norms of its scores
  Vector<S> weights;      ///< w, one for each function

  /// The largest norm of weighted scores, w mu^(1/2). With a ridge, it is below 1.
  [[nodiscard]] S size() const {
    return weights.size() > 0 ? (eigenvalues.cwiseSqrt().cwiseProduct(weights)).maxCoeff() : S(0);
  }
};

/// Orthonormal columns in place of a view.
template <Real S>
[[nodiscard]] WeightedView<S> orthonormal_view(Index columns) {
  return {Vector<S>::Ones(columns), Vector<S>::Ones(columns)};
}

/// At most k leading singular triplets of T = diag(w_x) G diag(w_y), where G = F_x^T F_y are inner
/// products of scores. Component j of a view is the function n^(1/2) sum_a w_a P_aj v_a of its
/// basis. The weights make the method:
/// - kernel SVD: w = n^(-1/2);
/// - a ridge kappa: w = (mu + n kappa)^(-1/2); kernel CCA has one for each view;
/// - an orthonormal basis of columns in place of a view, mu = 1: w = 1.
/// Singular values that are zero to rounding are left out: those of views without a common function
/// have the size of rounding errors of w_x mu_x^(1/2) w_y mu_y^(1/2), which bounds T.
template <Real S>
struct PairedBases {
  Vector<S> values;  ///< singular values, k, descending
  Matrix<S> x, y;    ///< coefficients of the functions over the bases, r_x x k and r_y x k
  Vector<S> residual_x, residual_y;  ///< norms in feature space, as in ViewReport
  Vector<S> error_bounds;            ///< T has a singular value as near as this to each value

  static PairedBases solve(const Matrix<S>& cross, const WeightedView<S>& view_x,
                           const WeightedView<S>& view_y, Index samples, Index components);

  /// Multiplies the functions by these signs.
  void turn(const Vector<double>& signs);

  /// Adds the number of components, residuals and bounds to a report. One view is enough, where the
  /// other is no view.
  void describe(PairReport& report) const;
};

/// At most k leading eigenpairs of the matrix R of V views: identities on its diagonal, and the
/// blocks T_vw = diag(w_v) F_v^T F_w diag(w_w) beside it. Component j of view v is the function
/// (V n)^(1/2) sum_a w_a q_aj v_a, for the rows q of the eigenvectors that belong to v. For two
/// views, the eigenvalues are 1 + rho, and the functions are those of PairedBases.
/// Eigenvalues up to 1, to rounding, are left out: their functions are not correlated, or
/// negatively.
/// Source: Kettenring, Canonical analysis of several sets of variables, 1971.
template <Real S>
struct JoinedBases {
  Vector<S> values;                  ///< eigenvalues of R, k, descending, in (1, V]
  std::vector<Matrix<S>> views;      ///< coefficients of the functions over the bases, r_v x k
  std::vector<Vector<S>> residuals;  ///< norms in feature space, as in ViewReport
  Vector<S> error_bounds;            ///< R has an eigenvalue as near as this to each value

  /// \param cross    F_v^T F_w at [v][w], for v < w; other entries are not read
  /// \param weights  w_v, one for each view
  static JoinedBases solve(const std::vector<std::vector<Matrix<S>>>& cross,
                           const std::vector<Vector<S>>& weights, Index samples, Index components);
};

[[nodiscard]] inline std::vector<double> to_std(const Vector<double>& values) {
  return {values.data(), values.data() + values.size()};
}

/// |diag(1/w) rest| / scale, column by column.
template <Real S>
[[nodiscard]] Vector<S> weighted_norms(const Matrix<S>& rest, const Vector<S>& weights, S scale) {
  return column_norms<S>(Matrix<S>(weights.cwiseInverse().asDiagonal() * rest)) / scale;
}

template <Real S>
PairedBases<S> PairedBases<S>::solve(const Matrix<S>& cross, const WeightedView<S>& view_x,
                                     const WeightedView<S>& view_y, Index samples,
                                     Index components) {
  const SingleThread one;
  const Vector<S>&weights_x = view_x.weights, &weights_y = view_y.weights;
  const Matrix<S> t = weights_x.asDiagonal() * cross * weights_y.asDiagonal();
  const SingularSystem<S> system = leading_triplets(t, components);
  const S zero = rounding_level<S>((std::max)(t.rows(), t.cols())) * view_x.size() * view_y.size();
  const Index kept = (system.values.array() > zero).count();
  const Matrix<S> left = system.left.leftCols(kept), right = system.right.leftCols(kept);
  const S root = std::sqrt(static_cast<S>(samples));
  PairedBases out;
  out.values = system.values.head(kept);
  const Matrix<S> rest_x = small_product(t, right) - left * out.values.asDiagonal();
  const Matrix<S> rest_y = small_product<S>(t.transpose(), left) - right * out.values.asDiagonal();
  out.residual_x = weighted_norms(rest_x, weights_x, root);
  out.residual_y = weighted_norms(rest_y, weights_y, root);
  // Singular values have any size, and so have these.
  Matrix<S> rest(rest_x.rows() + rest_y.rows(), kept);
  rest << rest_x, rest_y;
  out.error_bounds = column_norms<S>(rest) / std::sqrt(S(2));
  out.x = root * (weights_x.asDiagonal() * left);
  out.y = root * (weights_y.asDiagonal() * right);
  return out;
}

template <Real S>
void PairedBases<S>::turn(const Vector<double>& signs) {
  x *= signs.asDiagonal();
  y *= signs.asDiagonal();
}

template <Real S>
void PairedBases<S>::describe(PairReport& report) const {
  report.components = values.size();
  report.error_bounds = to_std(error_bounds);
  report.views[0].residuals = to_std(residual_x);
  if (report.views.size() > 1) report.views[1].residuals = to_std(residual_y);
}

template <Real S>
JoinedBases<S> JoinedBases<S>::solve(const std::vector<std::vector<Matrix<S>>>& cross,
                                     const std::vector<Vector<S>>& weights, Index samples,
                                     Index components) {
  const SingleThread one;
  std::vector<Index> begin{0};
  for (const Vector<S>& w : weights) begin.push_back(begin.back() + w.size());
  const Index size = begin.back();
  Matrix<S> r = Matrix<S>::Identity(size, size);
  for (std::size_t v = 0; v < weights.size(); ++v)
    for (std::size_t w = v + 1; w < weights.size(); ++w) {
      const Matrix<S> t = weights[v].asDiagonal() * cross[v][w] * weights[w].asDiagonal();
      r.block(begin[v], begin[w], t.rows(), t.cols()) = t;
      r.block(begin[w], begin[v], t.cols(), t.rows()) = t.transpose();
    }
  // A cancelled fit, and one of constant views, has no functions at all.
  if (size == 0)
    return {Vector<S>(0), std::vector<Matrix<S>>(weights.size(), Matrix<S>(0, 0)),
            std::vector<Vector<S>>(weights.size(), Vector<S>(0)), Vector<S>(0)};
  Matrix<S> work = r;
  DenseEigen<S> eigen(work);
  const S least = 1 + rounding_level<S>(size) * static_cast<S>(weights.size());
  const Index kept = (std::min)(components, (eigen.eigenvalues().array() > least).count());
  const Matrix<S> q = eigen.leading_vectors(kept);
  MERCER_ASSERT(eigen.ok());
  JoinedBases out;
  out.values = eigen.eigenvalues().reverse().head(kept);
  const Matrix<S> rest = small_product(r, q) - q * out.values.asDiagonal();
  out.error_bounds = column_norms<S>(rest);
  const S root = std::sqrt(static_cast<S>(samples));
  const S scale = std::sqrt(static_cast<S>(weights.size())) * root;
  for (std::size_t v = 0; v < weights.size(); ++v) {
    const Index rows = weights[v].size();
    out.views.push_back(scale * (weights[v].asDiagonal() * q.middleRows(begin[v], rows)));
    out.residuals.push_back(
        weighted_norms<S>(rest.middleRows(begin[v], rows), weights[v], root / scale * root));
  }
  return out;
}

MERCER_INSTANTIATE_VIEWS(struct PairedBases<double>)
MERCER_INSTANTIATE_VIEWS(struct JoinedBases<double>)

}  // namespace mercer::detail

#endif  // MERCER_MODELS_DETAIL_PAIRED_BASES_HPP
