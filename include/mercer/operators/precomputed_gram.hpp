// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A symmetric matrix in memory as an operator.

#ifndef MERCER_OPERATORS_PRECOMPUTED_GRAM_HPP
#define MERCER_OPERATORS_PRECOMPUTED_GRAM_HPP

#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/product.hpp>

namespace mercer {

namespace detail {

/// out = K v for a symmetric matrix in memory. Threads: over blocks of rows; bit-identical for any
/// number of threads.
template <Real S>
void symmetric_product(const Matrix<S>& gram, const Points<S>& v, GramOut<S> out) {
  if (v.cols() == 0) return;
  parallel_for(tile_count(gram.rows()), [&](Index task) {
    const auto range = Range::tile(task, gram.rows());
    auto rows = out.middleRows(range.begin, range.size);
    rows.setZero();
    multiply_add<S>(gram.middleRows(range.begin, range.size), v, rows);
  });
}

}  // namespace detail

/// A symmetric n x n matrix held in memory. Owns its matrix (pass an rvalue to avoid the copy).
template <Real S>
class PrecomputedGram {
 public:
  using Scalar = S;

  /// Throws InvalidArgument unless \p gram is square, symmetric (see Precomputed::check_gram) and
  /// finite.
  explicit PrecomputedGram(Matrix<S> gram) : gram_(std::move(gram)) {
    detail::require_finite_samples("PrecomputedGram", gram_);
    Precomputed::check_gram(gram_);
  }

  [[nodiscard]] Index rows() const { return gram_.rows(); }

  /// out = K v.
  void apply(const Points<S>& v, GramOut<S> out) const {
    detail::symmetric_product<S>(gram_, v, out);
  }

  [[nodiscard]] Vector<S> diagonal() const { return gram_.diagonal(); }
  [[nodiscard]] Matrix<S> dense() const& { return gram_; }
  [[nodiscard]] Matrix<S> dense() && { return std::move(gram_); }

 private:
  Matrix<S> gram_;
};

}  // namespace mercer

#endif  // MERCER_OPERATORS_PRECOMPUTED_GRAM_HPP
