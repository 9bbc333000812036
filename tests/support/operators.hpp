// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Symmetric operators with known eigenvalues, and one that offers products only.

#ifndef MERCER_TESTS_SUPPORT_OPERATORS_HPP
#define MERCER_TESTS_SUPPORT_OPERATORS_HPP

#include <cstdint>

#include <mercer/core/types.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>

namespace mercer::test {

/// value(0), value(1), ..., value(n - 1).
template <class Value>
[[nodiscard]] Vector<double> spectrum_of(Index n, Value&& value) {
  Vector<double> spectrum(n);
  for (Index i = 0; i < n; ++i) spectrum(i) = value(static_cast<double>(i));
  return spectrum;
}

template <Real S>
[[nodiscard]] PrecomputedGram<S> operator_with(const Vector<double>& spectrum,
                                               std::uint64_t seed = 1) {
  return PrecomputedGram<S>(with_spectrum<double>(spectrum, seed).template cast<S>());
}

/// What the concept asks for and nothing more: no samples, no diagonal. Counts its products.
template <Real S>
struct ProductsOnlyIn {
  using Scalar = S;
  Matrix<S> matrix;
  mutable Index columns = 0;
  [[nodiscard]] Index rows() const { return matrix.rows(); }
  void apply(const Points<S>& v, GramOut<S> out) const {
    columns += v.cols();
    out.noalias() = matrix * v;
  }
};
using ProductsOnly = ProductsOnlyIn<double>;

/// Products, diagonal and dense form of an operator are those of the matrix \p expected, and the
/// dense form is symmetric to the last bit.
template <class A>
void check_operator(const A& op, const Matrix<typename A::Scalar>& expected,
                    typename A::Scalar tolerance) {
  using S = typename A::Scalar;
  const Matrix<S> v = uniform_samples<S>(expected.rows(), 3, 2);
  Matrix<S> product(expected.rows(), 3);
  for (int call = 0; call < 2; ++call) {  // the first one may find what the second one knows
    op.apply(v, product);
    CHECK((product - expected * v).cwiseAbs().maxCoeff() <= tolerance);
  }
  CHECK((op.diagonal() - expected.diagonal()).cwiseAbs().maxCoeff() <= tolerance);
  const Matrix<S> dense = op.dense();
  CHECK((dense - expected).cwiseAbs().maxCoeff() <= tolerance);
  CHECK((dense == dense.transpose()));
  CHECK((A(op).dense() == dense));
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_SUPPORT_OPERATORS_HPP
