// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// An operator whose rows and columns are scaled, without forming it.

#ifndef MERCER_OPERATORS_DIAGONALLY_SCALED_HPP
#define MERCER_OPERATORS_DIAGONALLY_SCALED_HPP

#include <utility>
#include <vector>

#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/symmetric_operator.hpp>

namespace mercer {

/// S A S with S = diag(s). Its entries are s_i A_ij s_j. Without a scale it is A itself.
/// Cost: apply() costs O(n b) more than that of A.
/// Threads: const members may run concurrently.
/// Rows in several processes: as the operator; the scale is that of the rows of this process.
///   Construction is collective, unless it is a copy.
template <SymmetricOperator A>
class DiagonallyScaled {
 public:
  using Scalar = typename A::Scalar;

  /// \param scale  s; empty, where there are rows: 1 each
  explicit DiagonallyScaled(A base, Vector<Scalar> scale = {})
      : base_(std::move(base)),
        scale_(std::move(scale)),
        scaled_(row_space().any(scale_.size() > 0)) {}

  /// n.
  [[nodiscard]] Index rows() const { return base_.rows(); }
  /// The rows of this process: those of A.
  [[nodiscard]] RowSpace row_space() const { return row_space_of(base_); }

  /// A.
  [[nodiscard]] const A& base() const { return base_; }
  /// s; empty if there is none.
  [[nodiscard]] const Vector<Scalar>& scale() const { return scale_; }

  /// out = S A S v.
  void apply(const Points<Scalar>& v, GramOut<Scalar> out) const {
    if (!scaled_) return base_.apply(v, out);
    base_.apply(scale_.asDiagonal() * v, out);
    out = (scale_.asDiagonal() * out).eval();
  }

  /// s_i^2 A_ii.
  [[nodiscard]] Vector<Scalar> diagonal() const requires HasDiagonalEntries<A> {
    if (!scaled_) return base_.diagonal();
    return base_.diagonal().cwiseProduct(scale_.cwiseAbs2());
  }

  /// The matrix S A S.
  [[nodiscard]] Matrix<Scalar> dense() const& { return scaled(to_dense(base_)); }
  /// The same, which gives up the storage of A.
  [[nodiscard]] Matrix<Scalar> dense() && { return scaled(to_dense(std::move(base_))); }

  /// The principal submatrix of these rows.
  [[nodiscard]] Matrix<Scalar> sample_block(const std::vector<Index>& indices) const requires
      HasSamples<A> {
    if (!scaled_) return base_.sample_block(indices);
    const Vector<Scalar> s = scale_of(indices);
    return s.asDiagonal() * base_.sample_block(indices) * s.asDiagonal();
  }

  /// The product of these columns with m x b weights.
  [[nodiscard]] Matrix<Scalar> sample_product(const std::vector<Index>& indices,
                                              const Matrix<Scalar>& weights) const requires
      HasSamples<A> {
    if (!scaled_) return base_.sample_product(indices, weights);
    const Vector<Scalar> s = scale_of(indices);
    return scale_.asDiagonal() * base_.sample_product(indices, s.asDiagonal() * weights);
  }

 private:
  /// The entries of s at rows of any processes. Collective.
  [[nodiscard]] Vector<Scalar> scale_of(const std::vector<Index>& indices) const {
    return detail::take_rows<Matrix<Scalar>>(row_space(), scale_, indices).col(0);
  }

  [[nodiscard]] Matrix<Scalar> scaled(Matrix<Scalar> dense) const {
    if (!scaled_) return dense;
    parallel_for(detail::tile_count(dense.cols()), [&](Index task) {
      const auto range = detail::Range::tile(task, dense.cols());
      for (Index j = range.begin; j < range.begin + range.size; ++j)
        // s_i s_j first, so that the result is symmetric to the last bit.
        dense.col(j).array() *= scale_.array() * scale_(j);
    });
    return dense;
  }

  A base_;
  Vector<Scalar> scale_;
  bool scaled_;  // on all processes, also on one that has no rows
};

}  // namespace mercer

#endif  // MERCER_OPERATORS_DIAGONALLY_SCALED_HPP
