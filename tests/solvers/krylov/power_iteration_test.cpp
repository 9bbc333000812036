// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/krylov/power_iteration.hpp>

#include <limits>

#include <mercer/kernels/radial.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/x4.hpp>

namespace power_iteration_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("power_iteration: the worked example X4", "[solvers]") {
  const Centered op{Gram(Gaussian(1.0), test::x4())};
  const auto s = PowerIteration{}.solve(op, {.components = 3});
  REQUIRE(s.eigenvalues.size() == 3);
  // The eigenvalue error is the square of the residual, 1e-10 relative.
  CHECK((s.eigenvalues - test::x4_eigenvalues()).cwiseAbs().maxCoeff() <= 1e-12);
  CHECK(s.report.status == Status::Converged);
  CHECK(s.report.iterations == s.report.kernel_products);
  CHECK(s.report.iterations > 0);
}

TEMPLATE_TEST_CASE("power_iteration: agrees with Exact on a decaying spectrum", "[solvers]", float,
                   double) {
  using S = TestType;
  Vector<S> spectrum(60);
  for (Index i = 0; i < 60; ++i) spectrum(i) = std::pow(S(0.5), static_cast<S>(i));
  const PrecomputedGram<S> op(test::with_spectrum<S>(spectrum, 1));
  const double tolerance = sizeof(S) == 4 ? 1e-5 : 1e-10;
  const PowerIteration solver{{.tolerance = tolerance}};
  const auto s = solver.solve(op, {.components = 5});
  const auto exact = Exact{}.solve(op, {.components = 5});
  REQUIRE(s.eigenvalues.size() == 5);
  CHECK(s.report.status == Status::Converged);
  const auto error =
      ((s.eigenvalues - exact.eigenvalues).array() / exact.eigenvalues.array()).abs();
  CHECK(static_cast<double>(error.maxCoeff()) <= 10 * tolerance);
  // Gaps are half of each eigenvalue; errors of earlier pairs add up over five of them.
  CHECK(test::largest_sine<S>(exact.eigenvectors, s.eigenvectors) <= 200 * tolerance);
  for (const double r : s.report.residuals) CHECK(r <= 20 * tolerance);
}

TEST_CASE("power_iteration: a fraction of the variance", "[solvers]") {
  Vector<double> spectrum(4);
  spectrum << 4, 2, 1, 1;
  const PrecomputedGram<double> op(test::with_spectrum<double>(spectrum, 2));
  CHECK(PowerIteration{}.solve(op, {.components = 0.5}).eigenvalues.size() == 1);
  CHECK(PowerIteration{}.solve(op, {.components = 0.7}).eigenvalues.size() == 2);
}

TEST_CASE("power_iteration: stops where the spectrum ends", "[solvers]") {
  Vector<double> spectrum = Vector<double>::Zero(20);
  spectrum.head(2) << 2, 1;
  const auto s = PowerIteration{}.solve(
      PrecomputedGram<double>(test::with_spectrum<double>(spectrum, 3)), {.components = 10});
  CHECK(s.eigenvalues.size() == 2);
  CHECK(s.report.zero_eigenvalues == 8);
  const auto zero = PowerIteration{}.solve(PrecomputedGram<double>(Matrix<double>::Zero(5, 5)),
                                           {.components = 2});
  CHECK(zero.eigenvalues.size() == 0);
  CHECK(zero.report.status == Status::Converged);
}

TEST_CASE("power_iteration: reports what it does not reach", "[solvers]") {
  const PrecomputedGram<double> op(
      test::with_spectrum<double>(Vector<double>::LinSpaced(50, 1, 2), 4));
  const auto s = PowerIteration{{.max_iterations = 5}}.solve(op, {.components = 2});
  CHECK(s.report.status == Status::NotConverged);
  CHECK(s.eigenvalues.size() == 2);
  CHECK(s.report.residuals.front() > 1e-10);
}

TEST_CASE("power_iteration: cancel returns what there is", "[solvers]") {
  const PrecomputedGram<double> op(
      test::with_spectrum<double>(Vector<double>::LinSpaced(50, 1, 2), 5));
  int calls = 0;
  const auto s =
      PowerIteration{}.solve(op, {.components = 2}, [&](const Progress&) { return ++calls < 3; });
  CHECK(s.report.status == Status::Cancelled);
  CHECK(s.eigenvalues.size() == 1);
  CHECK(calls == 3);
}

TEST_CASE("power_iteration: parameters are checked", "[solvers]") {
  CHECK_THAT(test::error_of([] { return PowerIteration({.tolerance = -1}); }),
             ContainsSubstring("tolerance") && ContainsSubstring("-1"));
  CHECK_THAT(test::error_of([] { return PowerIteration({.max_iterations = 0}); }),
             ContainsSubstring("max_iterations") && ContainsSubstring("0"));
}

}  // namespace power_iteration_test
