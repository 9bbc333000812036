// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The centred form J A J of an operator, J = I - 1 1^T / n, without forming J.

#ifndef MERCER_OPERATORS_CENTERED_HPP
#define MERCER_OPERATORS_CENTERED_HPP

#include <utility>

#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/operators/symmetric_operator.hpp>

namespace mercer {

/// J A J, the Gram matrix of samples whose feature vectors have their mean subtracted:
/// entries A_ij - m_i - m_j + mm with m the row means and mm their mean (spec 5.1).
/// Cost: the row means take one product with A on construction; apply costs O(n b) more than A's.
template <SymmetricOperator A>
class Centered {
 public:
  using Scalar = typename A::Scalar;

  explicit Centered(A base)
      : base_(std::move(base)), row_means_(mercer::row_means(base_)), mean_(row_means_.mean()) {}

  [[nodiscard]] Index rows() const { return base_.rows(); }

  /// out = J A J v.
  void apply(const Points<Scalar>& v, GramOut<Scalar> out) const {
    const Matrix<Scalar> centered = v.rowwise() - v.colwise().mean();
    base_.apply(centered, out);
    out.rowwise() -= out.colwise().mean().eval();
  }

  [[nodiscard]] Vector<Scalar> diagonal() const requires HasDiagonalEntries<A> {
    return (base_.diagonal() - Scalar(2) * row_means_).array() + mean_;
  }

  [[nodiscard]] Matrix<Scalar> dense() const& { return centered(to_dense(base_)); }
  [[nodiscard]] Matrix<Scalar> dense() && { return centered(to_dense(std::move(base_))); }

  /// The row means m of A.
  [[nodiscard]] const Vector<Scalar>& row_means() const { return row_means_; }
  /// Their mean mm.
  [[nodiscard]] Scalar mean() const { return mean_; }

 private:
  [[nodiscard]] Matrix<Scalar> centered(Matrix<Scalar> dense) const {
    parallel_for(detail::tile_count(dense.rows()), [&](Index task) {
      const auto range = detail::Range::tile(task, dense.cols());
      for (Index j = range.begin; j < range.begin + range.size; ++j)
        // m_i + m_j first: then the result is symmetric to the last bit.
        dense.col(j).array() -= (row_means_.array() + row_means_(j)) - mean_;
    });
    return dense;
  }

  A base_;
  Vector<Scalar> row_means_;
  Scalar mean_;
};

}  // namespace mercer

#endif  // MERCER_OPERATORS_CENTERED_HPP
