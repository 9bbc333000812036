// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// S^(-1/2) of a small positive semidefinite matrix, which may be singular.

#ifndef MERCER_SOLVERS_DUAL_DETAIL_INVERSE_ROOT_HPP
#define MERCER_SOLVERS_DUAL_DETAIL_INVERSE_ROOT_HPP

#include <algorithm>
#include <limits>

#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// S = V diag(e) V^T, and S^(-1/2) on the eigenvectors with e_i > 1e-12 e_1, 0 on the others. In
/// single precision, or for many columns, the limit is the rounding error.
template <Real S>
struct InverseRoot {
  Matrix<S> matrix;            ///< V_r diag(e_r^(-1/2)) V_r^T
  EigenSystem<double> system;  ///< e, descending, and V
  Index rank = 0;              ///< r
  double trace = 0;            ///< sum of e_i^(1/2) for i <= r: the trace of S^(1/2)

  /// V_r, s x r.
  [[nodiscard]] Matrix<S> directions() const {
    return system.vectors.leftCols(rank).template cast<S>();
  }

  /// V_r diag(e_r^(-1/2)), s x r: H times this has orthonormal directions for any rank.
  [[nodiscard]] Matrix<S> factor() const {
    return (system.vectors.leftCols(rank) *
            system.values.head(rank).cwiseSqrt().cwiseInverse().asDiagonal())
        .template cast<S>();
  }
};

/// Computes an InverseRoot.
/// Cost: O(s^3).
/// Throws InvalidArgument if entries are not finite.
/// Source: the factor of the gradient of Tr (H^T G H)^(1/2), which is G H (H^T G H)^(-1/2), in Tonin
///   et al., 2023.
template <Real S>
[[nodiscard]] InverseRoot<S> inverse_root(const Matrix<S>& a) {
  InverseRoot<S> root;
  const Matrix<double> symmetric =
      (a.template cast<double>() + a.transpose().template cast<double>()) / 2;
  root.system = symmetric_eigensystem<double>(symmetric);
  const Vector<double>& e = root.system.values;
  const double relative =
      (std::max)(1e-12, double{std::numeric_limits<S>::epsilon()} * static_cast<double>(a.cols()));
  const double cut = e.size() > 0 ? relative * (std::max)(e(0), 0.0) : 0;
  root.rank = (e.array() > cut).count();
  root.trace = e.head(root.rank).cwiseSqrt().sum();
  root.matrix = small_product<S>(root.factor(), root.directions().transpose());
  return root;
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DUAL_DETAIL_INVERSE_ROOT_HPP
