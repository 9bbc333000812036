// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors
//
// What is special to PowerIteration; the laws of all solvers are in gram_solver_test.cpp.

#include <mercer/solvers/krylov/power_iteration.hpp>

#include <cmath>
#include <cstdint>
#include <string>

#include <mercer/kernels/radial.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/x4.hpp>

namespace power_iteration_test {

using namespace mercer;

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

TEST_CASE("power_iteration: ends at the first value that is not positive", "[solvers]") {
  Vector<double> spectrum(5);
  spectrum << 4, 2, 1, 0.5, -3;
  const auto s = PowerIteration{}.solve(
      PrecomputedGram<double>(test::with_spectrum<double>(spectrum, 3)), {.components = 4});
  REQUIRE(s.eigenvalues.size() == 1);
  CHECK(s.eigenvalues(0) == Approx(4));
  CHECK(s.report.negative_eigenvalues == 1);
}

TEST_CASE("power_iteration: a negative eigenvalue may hide positive ones", "[solvers]") {
  Vector<double> spectrum(3);
  spectrum << 5, 3, -4;
  const PrecomputedGram<double> op(test::with_spectrum<double>(spectrum, 3));
  const auto s = PowerIteration{}.solve(op, {.components = 2});
  REQUIRE(s.eigenvalues.size() == 1);
  CHECK(s.report.status == Status::NotConverged);
  CHECK(s.report.zero_eigenvalues == 0);
  CHECK(s.report.reason.find("negative") != std::string::npos);
  CHECK(PowerIteration{}.solve(op, {.components = 1}).report.status == Status::Converged);
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

TEST_CASE("power_iteration: in single precision, down to rounding", "[solvers]") {
  const PrecomputedGram<float> op(test::with_spectrum<float>(Vector<float>{{4, 2, 1}}, 3));
  const auto s = PowerIteration{}.solve(op, {.components = 1});
  CHECK(s.report.status == Status::Converged);
  CHECK(s.report.iterations < 100);  // the error halves at each
  CHECK(std::abs(double{s.eigenvalues(0)} - 4) <= 4 * 1e-6);
}

TEST_CASE("power_iteration: converged residuals are within the tolerance", "[solvers][slow]") {
  // Close eigenvalues: Ritz vectors mix what is left outside of all vectors found.
  constexpr double tolerance = 1e-3;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const PrecomputedGram<double> op(
        test::with_spectrum<double>(Vector<double>::LinSpaced(30, 1, 0.97), seed));
    const auto s =
        PowerIteration{{.tolerance = tolerance, .seed = seed}}.solve(op, {.components = 8});
    if (s.report.status != Status::Converged) continue;
    for (const double residual : s.report.residuals)
      CHECK(residual <= tolerance * s.eigenvalues(0));
  }
}

}  // namespace power_iteration_test
