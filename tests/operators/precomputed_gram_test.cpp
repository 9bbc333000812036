// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/operators/precomputed_gram.hpp>

#include <limits>

#include <mercer/operators/symmetric_operator.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace precomputed_gram_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(HasDiagonalEntries<PrecomputedGram<double>>);
static_assert(HasDenseForm<PrecomputedGram<float>>);

SCALAR_TEST_CASE("precomputed_gram: products, diagonal and dense form", "[operators]") {
  using S = TestType;
  const Index n = GENERATE(1, 5, 256, 300);
  const Matrix<S> half = test::uniform_samples<S>(n, n, 3);
  const Matrix<S> a = half + half.transpose();
  const Matrix<S> v = test::uniform_samples<S>(n, 3, 4);
  const PrecomputedGram<S> gram(a);
  Matrix<S> product(n, 3);
  gram.apply(v, product);
  // Sums of n products of size 2.
  const S tolerance = 4 * static_cast<S>(n) * std::numeric_limits<S>::epsilon();
  CHECK((product - a * v).cwiseAbs().maxCoeff() <= tolerance);
  CHECK((gram.diagonal() == a.diagonal()));
  CHECK((gram.dense() == a));
  CHECK((PrecomputedGram<S>(a).dense() == a));
}

TEST_CASE("precomputed_gram: refuses what is not a symmetric finite matrix", "[operators]") {
  Matrix<double> a = Matrix<double>::Identity(100, 100);
  CHECK_THAT(test::error_of([&] { return PrecomputedGram<double>(a.leftCols(3)); }),
             ContainsSubstring("square") && ContainsSubstring("100 x 3"));
  a(90, 7) = 1e-3;
  CHECK_THAT(
      test::error_of([&] { return PrecomputedGram<double>(a); }),
      ContainsSubstring("symmetric") && ContainsSubstring("(90, 7)") && ContainsSubstring("0.001"));
  a(90, 7) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(test::error_of([&] { return PrecomputedGram<double>(a); }),
             ContainsSubstring("nan") && ContainsSubstring("row 90, column 7"));
}

}  // namespace precomputed_gram_test
