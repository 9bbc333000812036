// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The direction of a step of stochastic kernel CCA.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_DETAIL_CCA_INCREMENTS_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_DETAIL_CCA_INCREMENTS_HPP

#include <concepts>

#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic_run.hpp>

namespace mercer::detail {

/// M, or its upper triangle with the diagonal for Gha.
template <std::same_as<double> S>
[[nodiscard]] Matrix<S> decay_part(Matrix<S> moments, StochasticRule rule) {
  if (rule == StochasticRule::Gha)
    moments.template triangularView<Eigen::StrictlyLower>().setZero();
  return moments;
}

/// Whose eigenfunctions the steps of kernel CCA look for; they are the same.
enum class CcaForm {
  Published,  ///< of Cross, with eigenvalues rho and -rho
  Sum,        ///< of Cross + Metric, with eigenvalues 1 + rho and 1 - rho
};

/// The values U and V of the functions of the two views at a batch, centred if the run is.
template <Real S>
struct CcaBatch {
  const Matrix<S>& u;
  const Matrix<S>& v;
  double used;  ///< the number of pairs, less 1 if centred
  CcaForm form = CcaForm::Published;
  StochasticRule rule = StochasticRule::Oja;
  /// Leave the pair of a row out of the moments that multiply it.
  bool leave_out = true;
};

/// The rows that multiply the features, and the matrix M of the decay: with C = Cross (Published)
/// or Cross + Metric (Sum), the features times x and y estimate C G - Metric G G^T C G, and M
/// estimates G^T C G.
template <Real S>
struct CcaIncrements {
  Matrix<S> x, y;
  Matrix<double> moments;
};

/// p_l q_l summed over all l (Oja) or over l <= c (Gha), for each row and column c.
template <Real S>
[[nodiscard]] Matrix<S> row_sums(const Matrix<S>& p, const Matrix<S>& q, StochasticRule rule) {
  Matrix<S> sums = p.cwiseProduct(q);
  if (rule == StochasticRule::Gha) {
    for (Index c = 1; c < sums.cols(); ++c) sums.col(c) += sums.col(c - 1);
  } else {
    const Vector<S> all = sums.rowwise().sum();
    sums.colwise() = all;
  }
  return sums;
}

/// Row i of U M contains what pair i itself has contributed to M. In the mean over batches this is
/// no product of two expectations, and the steps go elsewhere. So it is subtracted:
///   (used U M - own) / (used - 1), own_i = sum_l u_il (what pair i adds to row l of used M).
/// Then the mean over all batches is exactly C G - Metric G G^T C G, for two pairs or more.
/// Cost: O(n k^2) for n pairs.
template <Real S>
[[nodiscard]] CcaIncrements<S> cca_increments(const CcaBatch<S>& batch) {
  const Matrix<S>&u = batch.u, &v = batch.v;
  const bool sum = batch.form == CcaForm::Sum;
  const Matrix<S> h = u + v;
  CcaIncrements<S> out{sum ? h : v, sum ? h : u, {}};
  if (sum) {
    out.moments = inner(h).template cast<double>() / batch.used;
  } else {
    const Matrix<double> cross = inner(u, v).template cast<double>();
    out.moments = (cross + cross.transpose()) / batch.used;
  }
  const Matrix<S> decay = decay_part(out.moments, batch.rule).template cast<S>();
  const auto subtract = [&](const Matrix<S>& own_side, const Matrix<S>& other, Matrix<S>& from) {
    Matrix<S> product = multiply(own_side, decay);
    if (batch.leave_out) {
      const Matrix<S> own =
          sum ? Matrix<S>(row_sums(own_side, h, batch.rule).cwiseProduct(h))
              : Matrix<S>(row_sums(own_side, own_side, batch.rule).cwiseProduct(other) +
                          row_sums(own_side, other, batch.rule).cwiseProduct(own_side));
      product = (static_cast<S>(batch.used) * product - own) / static_cast<S>(batch.used - 1);
    }
    from -= product;
  };
  subtract(u, v, out.x);
  subtract(v, u, out.y);
  return out;
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_DETAIL_CCA_INCREMENTS_HPP
