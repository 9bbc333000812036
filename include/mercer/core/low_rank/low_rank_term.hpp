// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Low-rank matrices as plain products of factors: the terms that can be added to a LowRank.

#ifndef MERCER_CORE_LOW_RANK_LOW_RANK_TERM_HPP
#define MERCER_CORE_LOW_RANK_LOW_RANK_TERM_HPP

#include <mercer/core/types.hpp>

namespace mercer {

/// left right^T.
template <Real S>
struct ProductTerm {
  using Scalar = S;
  Matrix<S> left;   ///< m x k
  Matrix<S> right;  ///< n x k

  [[nodiscard]] Index rows() const { return left.rows(); }         ///< the rows of the term
  [[nodiscard]] Index factor_cols() const { return left.cols(); }  ///< k
};

/// basis middle basis^T.
template <Real S>
struct SymmetricTerm {
  using Scalar = S;
  Matrix<S> basis;   ///< n x k, any rank
  Matrix<S> middle;  ///< k x k symmetric; only its symmetric part counts

  [[nodiscard]] Index rows() const { return basis.rows(); }         ///< the rows of the term
  [[nodiscard]] Index factor_cols() const { return basis.cols(); }  ///< k
};

/// factor factor^T.
template <Real S>
struct PsdTerm {
  using Scalar = S;
  Matrix<S> factor;  ///< n x k, any rank

  [[nodiscard]] Index rows() const { return factor.rows(); }         ///< the rows of the term
  [[nodiscard]] Index factor_cols() const { return factor.cols(); }  ///< k
};

}  // namespace mercer

#endif  // MERCER_CORE_LOW_RANK_LOW_RANK_TERM_HPP
