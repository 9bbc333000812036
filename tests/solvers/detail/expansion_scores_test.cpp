// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/detail/expansion_scores.hpp>

#include <limits>

#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace expansion_scores_test {

using namespace mercer;

namespace {

/// Three components over four points, of which nothing is orthogonal yet.
KernelSolution<Matrix<double>> expansion() {
  KernelSolution<Matrix<double>> s;
  s.points = test::uniform_samples<double>(4, 2, 1);
  s.coefficients = test::uniform_samples<double>(4, 3, 2);
  s.offset = test::uniform_samples<double>(3, 1, 3);
  return s;
}

const Gaussian kernel(1.0);

}  // namespace

TEST_CASE("expansion scores: values less the offset, in tiles and groups of rows", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(9000, 2, 4);  // groups of 8192
  auto s = expansion();
  REQUIRE(detail::fill_scores<Matrix<double>>(kernel, RowSpace::whole(x.rows()), x, {}, s));
  const Matrix<double> expected =
      (gram(kernel, x, *s.points) * s.coefficients).rowwise() - s.offset.transpose();
  CHECK((s.training_scores - expected).cwiseAbs().maxCoeff() <= 1e-14);
  CHECK(!detail::fill_scores<Matrix<double>>(
      kernel, RowSpace::whole(x.rows()), x,
      [](const Progress& p) { return p.phase == "scores" && p.step == 0; }, s));
}

TEST_CASE("expansion scores: diagonalised, and still the values of the components", "[solvers]") {
  const bool centered = GENERATE(false, true);
  const Matrix<double> x = test::uniform_samples<double>(50, 2, 5);
  auto s = expansion();
  REQUIRE(detail::fill_scores<Matrix<double>>(kernel, RowSpace::whole(x.rows()), x, {}, s));
  detail::diagonalize_scores(RowSpace::whole(x.rows()), centered, s);
  constexpr double tolerance = 1e-12;  // rounding, all numbers are of order 1 to 100
  const Matrix<double> inner_products = s.training_scores.transpose() * s.training_scores;
  CHECK((inner_products - Matrix<double>(s.eigenvalues.asDiagonal())).cwiseAbs().maxCoeff() <=
        tolerance);
  CHECK(s.eigenvalues(0) >= s.eigenvalues(1));
  CHECK(s.eigenvalues(1) >= s.eigenvalues(2));
  CHECK(s.eigenvalues(2) > 0);
  if (centered) CHECK(s.training_scores.colwise().sum().cwiseAbs().maxCoeff() <= tolerance);
  const Matrix<double> values =
      (gram(kernel, x, *s.points) * s.coefficients).rowwise() - s.offset.transpose();
  CHECK((values - s.training_scores).cwiseAbs().maxCoeff() <= tolerance);
  for (Index i = 0; i < 3; ++i) {  // the sign rule
    Index row = 0;
    s.training_scores.col(i).cwiseAbs().maxCoeff(&row);
    CHECK(s.training_scores(row, i) > 0);
  }
}

TEST_CASE("expansion scores: diagonalised with weights", "[solvers]") {
  const bool centered = GENERATE(false, true);
  const Matrix<double> x = test::uniform_samples<double>(50, 2, 5);
  Vector<double> weights = test::uniform_samples<double>(50, 1, 6, 0, 2);
  weights(9) = 0;
  weights /= weights.mean();
  auto s = expansion();
  REQUIRE(detail::fill_scores<Matrix<double>>(kernel, RowSpace::whole(x.rows()), x, {}, s));
  detail::diagonalize_scores(RowSpace::whole(x.rows()), centered, s, weights);
  constexpr double tolerance = 1e-12;
  const Matrix<double> weighted = weights.asDiagonal() * s.training_scores;
  CHECK((s.training_scores.transpose() * weighted - Matrix<double>(s.eigenvalues.asDiagonal()))
            .cwiseAbs()
            .maxCoeff() <= tolerance);
  if (centered) CHECK(weighted.colwise().sum().cwiseAbs().maxCoeff() <= tolerance);
  const Matrix<double> values =
      (gram(kernel, x, *s.points) * s.coefficients).rowwise() - s.offset.transpose();
  CHECK((values - s.training_scores).cwiseAbs().maxCoeff() <= tolerance);
}

}  // namespace expansion_scores_test
