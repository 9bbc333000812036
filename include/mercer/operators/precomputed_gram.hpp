// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A symmetric matrix in memory as an operator.

#ifndef MERCER_OPERATORS_PRECOMPUTED_GRAM_HPP
#define MERCER_OPERATORS_PRECOMPUTED_GRAM_HPP

#include <utility>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/operators/gram_form.hpp>
#include <mercer/operators/symmetric_product.hpp>

namespace mercer {

namespace detail {

/// out = K v for a symmetric matrix in memory. Only the tiles of the lower triangle are read.
template <Real S>
void symmetric_product(const Matrix<S>& gram, const Points<S>& v, GramOut<S> out) {
  const Index n = gram.rows();
  symmetric_tile_product<S, S>(
      n,
      [&](Index i, Index j) -> Points<S> {
        const Range rows = Range::tile(i, n), cols = Range::tile(j, n);
        return gram.block(rows.begin, cols.begin, rows.size, cols.size);
      },
      v, out);
}

}  // namespace detail

/// A symmetric n x n matrix held in memory.
/// Lifetime: owns its matrix; pass an rvalue to avoid the copy.
template <Real S>
class PrecomputedGram {
 public:
  using Scalar = S;

  /// Throws InvalidArgument unless \p gram is finite, square and symmetric (see
  ///   Precomputed::check_gram).
  explicit PrecomputedGram(Matrix<S> gram) : gram_(std::move(gram)) {
    Precomputed::check_gram(gram_, "PrecomputedGram");
  }

  /// Makes the operator without checks. The matrix must be symmetric and finite.
  [[nodiscard]] static PrecomputedGram unchecked(Matrix<S> gram) {
    PrecomputedGram out;
    out.gram_ = std::move(gram);
    return out;
  }

  [[nodiscard]] Index rows() const { return gram_.rows(); }

  /// out = K v.
  void apply(const Points<S>& v, GramOut<S> out) const {
    const auto values = detail::stored_tile_values(rows());
    const PhaseTimer timer(Phase::Products, values * sizeof(S));
    detail::symmetric_product<S>(gram_, v, out);
  }

  [[nodiscard]] Vector<S> diagonal() const { return gram_.diagonal(); }
  [[nodiscard]] Matrix<S> sample_block(const std::vector<Index>& indices) const {
    return detail::take_block(gram_, indices, indices);
  }
  [[nodiscard]] Matrix<S> sample_product(const std::vector<Index>& indices,
                                         const Matrix<S>& weights) const {
    const detail::SingleThread one;
    return detail::take_columns(gram_, indices) * weights;
  }
  [[nodiscard]] Matrix<S> dense() const& { return gram_; }
  [[nodiscard]] Matrix<S> dense() && { return std::move(gram_); }

 private:
  PrecomputedGram() = default;

  Matrix<S> gram_;
};

#define MERCER_PRECOMPUTED_GRAM(S) \
  MERCER_INSTANTIATE_OPERATORS(    \
      void detail::symmetric_product<S>(const Matrix<S>&, const Points<S>&, GramOut<S>))
MERCER_FOR_SCALARS(MERCER_PRECOMPUTED_GRAM)
#undef MERCER_PRECOMPUTED_GRAM

}  // namespace mercer

#endif  // MERCER_OPERATORS_PRECOMPUTED_GRAM_HPP
