// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/nystrom/greedy_cholesky.hpp>

#include <set>

#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace greedy_cholesky_test {

using namespace mercer;

TEST_CASE("GreedyCholesky: takes the largest residual, never a pivot twice", "[solvers][law]") {
  const Index n = 60;
  const Matrix<double> x = test::uniform_samples<double>(n, 2, 9);
  const Gaussian kernel(0.4);
  const Matrix<double> k = gram(kernel, x);
  PartialCholesky<Matrix<double>> factor(kernel, x, n);
  while (factor.residual().sum() > 0) {
    const Vector<double> before = factor.residual();
    const Index size = factor.size();
    GreedyCholesky::extend(factor);
    if (factor.size() > size) CHECK(before(factor.pivots().back()) == before.maxCoeff());
  }
  const std::set<Index> different(factor.pivots().begin(), factor.pivots().end());
  CHECK(different.size() == factor.pivots().size());
  constexpr double tolerance = 1e-10;
  CHECK((k - factor.factor() * factor.factor().transpose()).cwiseAbs().maxCoeff() <= tolerance);
}

TEST_CASE("GreedyCholesky: copies are left out, the tolerance is kept", "[solvers]") {
  Matrix<double> x(30, 2);
  const Matrix<double> different = test::uniform_samples<double>(5, 2, 1);
  for (Index i = 0; i < 30; ++i) x.row(i) = different.row(i % 5);
  const Gaussian kernel(0.5);
  const auto all = GreedyCholesky{}.select<Matrix<double>>(kernel, x, {.count = 20}, {});
  CHECK(all.rows.size() == 5);
  CHECK(all.rows.front() == 0);  // the first among equals
  CHECK(all.method == "greedy cholesky");
  const auto some = GreedyCholesky{}.select<Matrix<double>>(
      kernel, x, {.count = 20, .least = 2, .trace_tolerance = 0.999}, {});
  CHECK(some.rows.size() == 2);
}

}  // namespace greedy_cholesky_test
