// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Any symmetric operator behind one type, so that a solver is compiled once for all of them.

#ifndef MERCER_OPERATORS_OPERATOR_VIEW_HPP
#define MERCER_OPERATORS_OPERATOR_VIEW_HPP

#include <concepts>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/lifetime.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/symmetric_operator.hpp>

namespace mercer {

/// A symmetric operator behind function pointers. A product with a block takes one indirect call,
/// whose cost is negligible.
/// Lifetime: refers to the operator, which must outlive it.
template <Real S>
class OperatorView {
 public:
  using Scalar = S;

  template <SymmetricOperator A>
  explicit OperatorView(const A& a MERCER_LIFETIMEBOUND)
      : operator_(&a), rows_(row_space_of(a)), apply_(&apply_to<A>) {
    static_assert(std::same_as<typename A::Scalar, S>);
    if constexpr (HasDiagonalEntries<A>) diagonal_ = &diagonal_of<A>;
    if constexpr (HasSamples<A>) {
      sample_block_ = &sample_block_of<A>;
      sample_product_ = &sample_product_of<A>;
    }
  }

  [[nodiscard]] Index rows() const { return rows_.total(); }
  /// The rows of this process: all of them, unless the operator models HasRowSpace.
  [[nodiscard]] const RowSpace& row_space() const { return rows_; }

  /// out = A v.
  void apply(const Points<S>& v, GramOut<S> out) const {
    const PhaseTimer timer(Phase::Products);
    apply_(operator_, v, out);
  }

  /// Whether diagonal() may be called.
  [[nodiscard]] bool has_diagonal() const { return diagonal_ != nullptr; }
  [[nodiscard]] Vector<S> diagonal() const {
    MERCER_ASSERT(has_diagonal());
    return diagonal_(operator_);
  }

  /// Whether the operator models HasSamples.
  [[nodiscard]] bool has_samples() const { return sample_block_ != nullptr; }
  [[nodiscard]] Matrix<S> sample_block(const std::vector<Index>& indices) const {
    MERCER_ASSERT(has_samples());
    return sample_block_(operator_, indices);
  }
  [[nodiscard]] Matrix<S> sample_product(const std::vector<Index>& indices,
                                         const Matrix<S>& weights) const {
    MERCER_ASSERT(has_samples());
    return sample_product_(operator_, indices, weights);
  }

 private:
  template <class A>
  static void apply_to(const void* a, const Points<S>& v, GramOut<S>& out) {
    static_cast<const A*>(a)->apply(v, out);
  }
  template <class A>
  static Vector<S> diagonal_of(const void* a) {
    return static_cast<const A*>(a)->diagonal();
  }
  template <class A>
  static Matrix<S> sample_block_of(const void* a, const std::vector<Index>& indices) {
    return static_cast<const A*>(a)->sample_block(indices);
  }
  template <class A>
  static Matrix<S> sample_product_of(const void* a, const std::vector<Index>& indices,
                                     const Matrix<S>& weights) {
    return static_cast<const A*>(a)->sample_product(indices, weights);
  }

  const void* operator_;
  RowSpace rows_;
  void (*apply_)(const void*, const Points<S>&, GramOut<S>&);
  Vector<S> (*diagonal_)(const void*) = nullptr;
  Matrix<S> (*sample_block_)(const void*, const std::vector<Index>&) = nullptr;
  Matrix<S> (*sample_product_)(const void*, const std::vector<Index>&, const Matrix<S>&) = nullptr;
};

}  // namespace mercer

#endif  // MERCER_OPERATORS_OPERATOR_VIEW_HPP
