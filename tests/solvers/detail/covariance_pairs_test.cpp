// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/detail/covariance_pairs.hpp>

#include <tests/support/catch.hpp>
#include <tests/support/operators.hpp>

namespace covariance_pairs_test {

using namespace mercer;

TEST_CASE("covariance_pairs: few pairs, many, and a fraction agree with a dense solver",
          "[solvers][law]") {
  const Index m = 240;
  const Vector<double> values =
      test::spectrum_of(m, [](double i) { return 3 / ((1 + i) * (1 + i)); });
  const Matrix<double> a = test::with_spectrum<double>(values, 1);
  // Subspace iteration, which stops at 16 rounding levels, and the dense solver.
  const Components wanted = GENERATE(Components(5), Components(100), Components(.9));
  const double tolerance = 20 * detail::rounding_level<double>(m) * values(0);
  Report report;
  report.samples = 1000;
  report.trace = values.sum();
  Matrix<double> used = a;
  const auto found = detail::covariance_pairs<double>(used, {.components = wanted}, report);
  REQUIRE(found.found);
  const Index k = found.values.size();
  // Six of the values are 90 % of their sum.
  REQUIRE(k == (wanted.is_fraction() ? 6 : wanted.count()));
  CHECK(report.components == k);
  CHECK((found.values - values.head(k)).cwiseAbs().maxCoeff() <= tolerance);
  const Matrix<double>& u = found.vectors;
  CHECK((a * u - u * found.values.asDiagonal()).colwise().norm().maxCoeff() <= tolerance);
  // Some rounding levels: a hundred vectors of a dense solver.
  CHECK((u.transpose() * u - Matrix<double>::Identity(k, k)).cwiseAbs().maxCoeff() <=
        4 * detail::rounding_level<double>(m));
}

TEST_CASE("covariance_pairs: the rank is smaller than what is asked for", "[solvers]") {
  const Index m = 220, rank = 3;
  Vector<double> values = Vector<double>::Zero(m);
  values.head(rank) << 4, 2, 1;
  Matrix<double> a = test::with_spectrum<double>(values, 2);
  Report report;
  report.samples = 1000;
  const auto found = detail::covariance_pairs<double>(a, {.components = 10}, report);
  CHECK(found.found);
  CHECK(found.values.size() == rank);
  CHECK(report.components == rank);
  CHECK((found.values - values.head(rank)).cwiseAbs().maxCoeff() <=
        detail::rounding_level<double>(m) * values(0));
}

}  // namespace covariance_pairs_test
