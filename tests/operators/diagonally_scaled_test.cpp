// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/operators/diagonally_scaled.hpp>

#include <limits>
#include <vector>

#include <mercer/kernels/radial.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/samples.hpp>

namespace diagonally_scaled_test {

using namespace mercer;

static_assert(HasDiagonalEntries<DiagonallyScaled<PrecomputedGram<double>>>);
static_assert(HasDenseForm<DiagonallyScaled<Gram<Matrix<double>>>>);
static_assert(HasSamples<DiagonallyScaled<Centered<Gram<Matrix<double>>>>>);

SCALAR_TEST_CASE("diagonally scaled: equals S A S", "[operators]") {
  using S = TestType;
  const Index n = GENERATE(1, 2, 300);
  const Matrix<S> half = test::uniform_samples<S>(n, n, 1);
  const Matrix<S> a = half + half.transpose();
  Vector<S> s = test::uniform_samples<S>(n, 1, 2, -1, 3);
  s(n / 2) = 0;
  const Matrix<S> expected = s.asDiagonal() * a * s.asDiagonal();
  const DiagonallyScaled op(PrecomputedGram<S>(a), s);
  // Entries of size 18, sums over n of them.
  test::check_operator(op, expected, 32 * static_cast<S>(n) * std::numeric_limits<S>::epsilon());
  CHECK((op.scale() == s));
}

TEST_CASE("diagonally scaled: samples of columns", "[operators]") {
  const Matrix<double> x = test::uniform_samples<double>(40, 3, 4);
  const Vector<double> s = test::uniform_samples<double>(40, 1, 5, 0, 2);
  const DiagonallyScaled op(Gram(Gaussian(0.5), x), s);
  const Matrix<double> expected = s.asDiagonal() * gram(Gaussian(0.5), x) * s.asDiagonal();
  const std::vector<Index> rows{3, 39, 0};
  CHECK((op.sample_block(rows) - test::block_at(expected, rows, rows)).cwiseAbs().maxCoeff() <=
        1e-14);
  const Matrix<double> w = test::uniform_samples<double>(3, 2, 6);
  CHECK((op.sample_product(rows, w) - test::columns_at(expected, rows) * w).cwiseAbs().maxCoeff() <=
        1e-13);
}

TEST_CASE("diagonally scaled: without a scale it is the operator", "[operators]") {
  const Matrix<double> x = test::uniform_samples<double>(30, 3, 7);
  const Gram base(Gaussian(0.5), x);
  const DiagonallyScaled op(base);
  const Matrix<double> v = test::uniform_samples<double>(30, 2, 8);
  Matrix<double> product(30, 2), expected(30, 2);
  op.apply(v, product);
  op.base().apply(v, expected);
  CHECK((product == expected));
  CHECK((op.dense() == base.dense()));
  CHECK((op.diagonal() == base.diagonal()));
  const std::vector<Index> rows{1, 7};
  CHECK((op.sample_block(rows) == base.sample_block(rows)));
  CHECK((op.sample_product(rows, v.topRows(2)) == base.sample_product(rows, v.topRows(2))));
}

}  // namespace diagonally_scaled_test
