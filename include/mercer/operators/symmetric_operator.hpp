// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The SymmetricOperator concept: all that a solver needs to know about a Gram matrix.

#ifndef MERCER_OPERATORS_SYMMETRIC_OPERATOR_HPP
#define MERCER_OPERATORS_SYMMETRIC_OPERATOR_HPP

#include <concepts>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// Part of SymmetricOperator: the type of its numbers.
template <class A>
concept has_scalar = Real<typename A::Scalar>;

/// Part of SymmetricOperator: its size.
template <class A>
concept has_rows = requires(const A& a) {
  { a.rows() } -> std::same_as<Index>;
};

/// Part of SymmetricOperator: products with blocks of vectors.
template <class A>
concept applies_to_blocks = requires(const A& a, Points<typename A::Scalar> v,
                                     GramOut<typename A::Scalar> out) {
  { a.apply(v, out) } -> std::same_as<void>;
};

/// A real symmetric n x n matrix that is given by its products with blocks of vectors.
///
/// \code
/// struct MyOperator {
///   using Scalar = double;
///   mercer::Index rows() const;                                                // n
///   void apply(mercer::Points<double> v, mercer::GramOut<double> out) const;   // out = A v, n x b
/// };
/// \endcode
/// Syntax:
/// - (1) a member type Scalar, float or double;
/// - (2) rows();
/// - (3) apply().
///
/// Semantics:
/// - (4) the operator is symmetric and linear;
/// - (5) apply() is pure and gives the same bits for any number of threads; v and out do not
///   overlap.
///
/// Not required: positive semidefiniteness, access to entries, a diagonal. HasDiagonalEntries,
/// HasSamples and HasDenseForm describe operators that have more. Solvers that need one of them ask
/// for it.
template <class A>
concept SymmetricOperator = has_scalar<A> && has_rows<A> && applies_to_blocks<A>;

/// Operators that know their diagonal.
template <class A>
concept HasDiagonalEntries = SymmetricOperator<A> && requires(const A& a) {
  { a.diagonal() } -> std::same_as<Vector<typename A::Scalar>>;
};

/// Operators that can compute a few of their columns more cheaply than a product. Solvers use them
/// for a first guess of the eigenvectors (Nystroem). `sample_block(indices)` is the m x m principal
/// submatrix. `sample_product(indices, weights)` is the product of the columns with m x b weights.
/// Both may be approximate: they affect only the start of an iteration.
template <class A>
concept HasSamples = SymmetricOperator<A> && requires(const A& a, const std::vector<Index>& indices,
                                                      const Matrix<typename A::Scalar>& weights) {
  { a.sample_block(indices) } -> std::same_as<Matrix<typename A::Scalar>>;
  { a.sample_product(indices, weights) } -> std::same_as<Matrix<typename A::Scalar>>;
};

/// Operators that can return their matrix. `std::move(a).dense()` gives up the operator's storage,
/// if it has any.
template <class A>
concept HasDenseForm = SymmetricOperator<A> && requires(A a) {
  { std::move(a).dense() } -> std::same_as<Matrix<typename A::Scalar>>;
};

/// Operators whose rows are in several processes. rows() is the number of all rows. apply() is
/// collective, and its blocks hold the rows of this process; so does diagonal(), if there is one.
template <class A>
concept HasRowSpace = SymmetricOperator<A> && requires(const A& a) {
  { a.row_space() } -> std::convertible_to<RowSpace>;
};

/// The rows that this process has of an operator.
template <SymmetricOperator A>
[[nodiscard]] RowSpace row_space_of(const A& a) {
  if constexpr (HasRowSpace<A>)
    return a.row_space();
  else
    return RowSpace::whole(a.rows());
}

namespace detail {

/// Throws InvalidArgument for an operator whose rows are in several processes. All of them throw.
template <SymmetricOperator A>
void require_one_process(std::string_view who, const A& a) {
  const RowSpace rows = row_space_of(a);
  if (rows.is_spread() && rows.processes().size() > 1)
    fail("mercer::", who, ": needs all rows of the operator in one process; they are in ",
         rows.processes().size());
}

}  // namespace detail

/// True if A models SymmetricOperator. Otherwise compilation stops with a sentence that says what
/// to add.
template <class A>
consteval bool check_symmetric_operator() {
  static_assert(
      has_scalar<A>,
      "mercer::SymmetricOperator: the operator needs a member type Scalar = float or double");
  static_assert(has_rows<A>, "mercer::SymmetricOperator: the operator needs  Index rows() const");
  if constexpr (has_scalar<A>)
    static_assert(applies_to_blocks<A>,
                  "mercer::SymmetricOperator: the operator needs  void apply(Points<Scalar> v, "
                  "GramOut<Scalar> out) const  with out = A v");
  return SymmetricOperator<A>;
}

/// The matrix of an operator: its dense form if it has one, else its products with the unit
/// vectors.
/// Throws InvalidArgument for an operator whose rows are in several processes.
template <class A>
  requires SymmetricOperator<std::remove_cvref_t<A>>
[[nodiscard]] auto to_dense(A&& a) {
  using Operator = std::remove_cvref_t<A>;
  using S = typename Operator::Scalar;
  detail::require_one_process("to_dense", a);
  if constexpr (HasDenseForm<Operator>) {
    return std::forward<A>(a).dense();
  } else {
    const Matrix<S> identity = Matrix<S>::Identity(a.rows(), a.rows());
    Matrix<S> dense(a.rows(), a.rows());
    a.apply(identity, dense);
    return Matrix<S>((dense + dense.transpose()) / S(2));
  }
}

/// A v for one vector.
template <SymmetricOperator A>
[[nodiscard]] Vector<typename A::Scalar> apply_to_vector(const A& a,
                                                         const Vector<typename A::Scalar>& v) {
  Matrix<typename A::Scalar> product(v.rows(), 1);
  a.apply(v, product);
  return product.col(0);
}

/// The mean of every row, A 1 / n, by one product.
template <SymmetricOperator A>
[[nodiscard]] Vector<typename A::Scalar> row_means(const A& a) {
  using S = typename A::Scalar;
  return apply_to_vector(a, Vector<S>::Ones(row_space_of(a).local())) / static_cast<S>(a.rows());
}

}  // namespace mercer

#endif  // MERCER_OPERATORS_SYMMETRIC_OPERATOR_HPP
