// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/operators/diagonally_scaled.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/operators/spread_gram.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/row_parts.hpp>
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

TEST_CASE("diagonally scaled: rows in several processes, also without rows", "[operators][rows]") {
  const Index n = 600;  // three tiles, of which one of four processes has none
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 4);
  Vector<double> s = test::uniform_samples<double>(n, 1, 5, 0, 2);
  Vector<double> p = s.cwiseAbs2();
  p /= p.sum();
  const Matrix<double> v = test::uniform_samples<double>(n, 3, 6);
  const std::vector<Index> rows{3, 599, 0, 300};
  const Matrix<double> w = test::uniform_samples<double>(4, 2, 7);
  const DiagonallyScaled whole(Centered(Gram(Gaussian(0.5), x), p), s);
  Matrix<double> expected(n, 3);
  whole.apply(v, expected);
  const Gaussian gaussian(0.5);
  const KernelView<Matrix<double>> kernel(gaussian);
  const auto distance = [](const Matrix<double>& a, const Matrix<double>& b) {
    return (a - b).norm() / b.norm();
  };
  for (const Index count : {1, 4}) {
    const auto found = test::on_processes(count, n, RowSums::OrderFree, [&](const RowSpace& space) {
      const auto mine = [&](const auto& all) { return test::local_rows(space, all); };
      const auto samples = SpreadRows<Matrix<double>>::from_parts(space.processes(), mine(x));
      const DiagonallyScaled op(Centered(SpreadGram<Matrix<double>>(kernel, samples), mine(p)),
                                mine(s));
      Matrix<double> product(space.local(), 3);
      op.apply(mine(v), product);
      return std::vector<double>{
          distance(space.everywhere(product), expected),
          distance(space.everywhere(op.diagonal()), whole.diagonal()),
          distance(op.sample_block(rows), whole.sample_block(rows)),
          distance(space.everywhere(op.sample_product(rows, w)), whole.sample_product(rows, w)),
          distance(space.everywhere(op.base().row_means()), whole.base().row_means()),
          std::abs(op.base().mean() - whole.base().mean())};
    });
    for (const std::vector<double>& distances : found)
      for (const double one : distances) CHECK(one <= 1e-12);
  }
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
