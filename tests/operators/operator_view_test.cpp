// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/operators/operator_view.hpp>

#include <vector>

#include <mercer/operators/centered.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace operator_view_test {

using namespace mercer;

namespace {

/// What the concept asks for and nothing more; neither copyable nor movable.
template <Real S>
struct Minimal {
  using Scalar = S;
  Minimal() = default;
  Minimal(const Minimal&) = delete;
  Minimal& operator=(const Minimal&) = delete;
  [[nodiscard]] Index rows() const { return 7; }
  void apply(const Points<S>& v, GramOut<S> out) const { out = S(3) * v; }
};

/// A diagonal and no samples.
struct WithDiagonal : Minimal<double> {
  [[nodiscard]] Vector<double> diagonal() const { return Vector<double>::Constant(7, 3); }
};

}  // namespace

static_assert(SymmetricOperator<OperatorView<float>>);

SCALAR_TEST_CASE("operator_view: products of an operator with nothing more", "[operators]") {
  using S = TestType;
  const Minimal<S> a;
  const OperatorView<S> view(a);
  CHECK(view.rows() == 7);
  CHECK_FALSE(view.has_diagonal());
  CHECK_FALSE(view.has_samples());
  const Matrix<S> v = test::uniform_samples<S>(7, 2, 1);
  Matrix<S> wide(7, 4);
  wide.setZero();
  view.apply(v, wide.middleCols(1, 2));  // into a part of a matrix
  CHECK((wide.middleCols(1, 2) == S(3) * v));
  CHECK((wide.col(0).isZero(0) && wide.col(3).isZero(0)));
}

TEST_CASE("operator_view: a diagonal without samples", "[operators]") {
  const WithDiagonal a;
  const OperatorView<double> view(a);
  REQUIRE(view.has_diagonal());
  CHECK((view.diagonal() == Vector<double>::Constant(7, 3)));
  CHECK_FALSE(view.has_samples());
}

SCALAR_TEST_CASE("operator_view: all that the operator has, to the last bit", "[operators]") {
  using S = TestType;
  const Matrix<S> half = test::uniform_samples<S>(40, 40, 2);
  const Centered a{PrecomputedGram<S>(half + half.transpose())};
  const OperatorView<S> view(a);
  const OperatorView<S> copy = view;
  REQUIRE(copy.has_diagonal());
  REQUIRE(copy.has_samples());
  CHECK((copy.diagonal() == a.diagonal()));
  const std::vector<Index> some = {5, 0, 39};
  const Matrix<S> weights = test::uniform_samples<S>(3, 2, 3);
  CHECK((copy.sample_block(some) == a.sample_block(some)));
  CHECK((copy.sample_product(some, weights) == a.sample_product(some, weights)));
  const Matrix<S> v = test::uniform_samples<S>(40, 3, 4);
  Matrix<S> one(40, 3), other(40, 3);
  a.apply(v, one);
  copy.apply(v, other);
  CHECK((one == other));
}

}  // namespace operator_view_test
