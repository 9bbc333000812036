// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/operators/symmetric_operator.hpp>

#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace symmetric_operator_test {

using namespace mercer;

namespace {

/// What the concept asks, and nothing more.
class MinimalOperator {
 public:
  using Scalar = double;
  explicit MinimalOperator(Matrix<double> a) : a_(std::move(a)) {}
  MinimalOperator& operator=(const MinimalOperator&) = delete;
  MinimalOperator(const MinimalOperator&) = default;
  [[nodiscard]] Index rows() const { return a_.rows(); }
  void apply(Points<double> v, GramOut<double> out) const { out.noalias() = a_ * v; }

 private:
  Matrix<double> a_;
};

struct WithoutScalar {
  [[nodiscard]] Index rows() const;
  void apply(Points<double> v, GramOut<double> out) const;
};
struct WithoutRows {
  using Scalar = double;
  void apply(Points<double> v, GramOut<double> out) const;
};
struct ApplyNotConst {
  using Scalar = double;
  [[nodiscard]] Index rows() const;
  void apply(Points<double> v, GramOut<double> out);
};
struct ScalarIsInt {
  using Scalar = int;
  [[nodiscard]] Index rows() const;
};

static_assert(SymmetricOperator<MinimalOperator>);
static_assert(check_symmetric_operator<MinimalOperator>());
static_assert(!HasDiagonalEntries<MinimalOperator>);
static_assert(!HasDenseForm<MinimalOperator>);
static_assert(!SymmetricOperator<WithoutScalar>);
static_assert(!SymmetricOperator<WithoutRows>);
static_assert(!SymmetricOperator<ApplyNotConst>);
static_assert(!SymmetricOperator<ScalarIsInt>);

}  // namespace

TEST_CASE("symmetric_operator: the dense form of an operator that has only products",
          "[operators]") {
  const Matrix<double> half = test::uniform_samples<double>(7, 7, 1);
  const Matrix<double> a = half + half.transpose();
  CHECK((to_dense(MinimalOperator(a)) - a).cwiseAbs().maxCoeff() == 0);
}

TEST_CASE("symmetric_operator: row means", "[operators]") {
  const Matrix<double> half = test::uniform_samples<double>(7, 7, 2);
  const Matrix<double> a = half + half.transpose();
  // Seven terms of size 2 at most, each rounded once.
  CHECK((row_means(MinimalOperator(a)) - a.rowwise().mean()).cwiseAbs().maxCoeff() <= 1e-15);
}

}  // namespace symmetric_operator_test
