// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors
//
// What is special to Lanczos; the laws of all solvers are in gram_solver_test.cpp.

#include <mercer/solvers/krylov/lanczos.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <tests/solvers/pair_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/samples.hpp>

namespace lanczos_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using test::largest;
using test::operator_with;
using test::spectrum_of;

TEST_CASE("lanczos: tells its tolerance and its memory", "[solvers]") {
  CHECK(Lanczos{}.tolerance() == 1e-6);
  CHECK(Lanczos{{.tolerance = 1e-3}}.tolerance() == 1e-3);
  const auto s = Lanczos{}.solve(operator_with<double>(test::slowly_decaying()), {.components = 5});
  CHECK(s.report.bytes == Lanczos{}.bytes(150, 5));
  CHECK(s.report.iterations == s.report.kernel_products);
}

TEST_CASE("lanczos: BlockKrylov with blocks of one vector", "[solvers]") {
  const auto op = operator_with<double>(test::slowly_decaying());
  const auto one = Lanczos{{.max_iterations = 200}}.solve(op, {.components = 5});
  const auto other = BlockKrylov{{.block = 1}}.solve(op, {.components = 5});
  CHECK(other.report.solver == SolverId::Lanczos);
  CHECK((one.eigenvectors == other.eigenvectors));
}

TEST_CASE("lanczos: no more products than the implicit restarts of Spectra take", "[solvers]") {
  // Spectra 1.0 with the same search for missed pairs: 94 and 285 products. The search begins at
  // random vectors, on which the second number depends by some hundredths.
  constexpr double luck = 1.1;
  const auto slow =
      Lanczos{}.solve(operator_with<double>(test::slowly_decaying(600)), {.components = 20});
  CHECK(slow.report.status == Status::Converged);
  CHECK(slow.report.kernel_products <= 94);
  const auto linear =
      Lanczos{}.solve(operator_with<double>(spectrum_of(600, [](double i) { return 2 - i / 600; })),
                      {.components = 5});
  CHECK(linear.report.status == Status::Converged);
  CHECK(static_cast<double>(linear.report.kernel_products) <= luck * 285);
}

TEST_CASE("lanczos: few eigenvalues whose distances are some tolerances", "[solvers]") {
  // Ritz pairs of some of them are within the tolerance before the others are seen.
  constexpr double tolerance = 3e-7;
  const Vector<double> rest{{1.6e-4, 7.6e-5, 2.3e-5, 2.8e-6, 1.4e-6, 5.5e-7, 2.1e-7, 3.8e-8,
                             -2.2e-8, -1.5e-7, -2.7e-7, -5.5e-7, -2.6e-6, -3.2e-6, -2.3e-5, -7.4e-5,
                             -1.6e-4}};
  const Vector<double> values = rest.array() + 1;
  const auto op = operator_with<double>(values);
  Index missed = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const auto found =
        Lanczos{{.tolerance = tolerance, .seed = seed}}.solve(op, {.components = 12});
    REQUIRE(found.report.status == Status::Converged);
    missed += ((values.head(12) - found.eigenvalues).array() > 2 * tolerance).any() ? 1 : 0;
  }
  CHECK(missed == 0);
}

TEST_CASE("lanczos: points on a circle, whose eigenvalues are double", "[solvers]") {
  Matrix<double> circle(120, 2);
  for (Index i = 0; i < 120; ++i) {
    const double angle = 2 * 3.14159265358979324 * static_cast<double>(i) / 120;
    circle.row(i) << std::cos(angle), std::sin(angle);
  }
  const Centered op{PrecomputedGram<double>(gram(Gaussian(0.3), circle))};
  const auto exact = Exact{}.solve(op, {.components = 11});
  const auto s = Lanczos{}.solve(op, {.components = 11});
  CHECK(s.report.status == Status::Converged);
  REQUIRE(s.eigenvalues.size() == 11);
  CHECK((s.eigenvalues - exact.eigenvalues).cwiseAbs().maxCoeff() <= 1e-6 * exact.eigenvalues(0));
}

TEST_CASE("lanczos: clusters narrower than the tolerance, with a small basis", "[solvers]") {
  // Residuals of pairs from several start vectors add up within a cluster.
  const Vector<double> spectrum =
      spectrum_of(200, [](double i) { return std::pow(0.9, std::floor(i / 8)) * (1 - 1e-7 * i); });
  for (const Index basis : {0, 20, 40}) {
    CAPTURE(basis);
    const auto op = operator_with<double>(spectrum);
    const auto s = Lanczos{{.tolerance = 1e-5, .basis = basis}}.solve(op, {.components = 16});
    CHECK(s.report.status == Status::Converged);
    REQUIRE(s.eigenvalues.size() == 16);
    CHECK((s.eigenvalues - spectrum.head(16)).cwiseAbs().maxCoeff() <= 1e-5);
    CHECK(largest(s.report.residuals) <= 1e-5);
    test::check_pairs(op.dense(), s);
  }
}

TEST_CASE("lanczos: a fraction of the variance with a small basis", "[solvers]") {
  const auto op =
      operator_with<double>(spectrum_of(200, [](double i) { return std::pow(0.95, i); }));
  const auto small = Lanczos{{.basis = 12}}.solve(op, {.components = 0.3});
  const auto free = Lanczos{}.solve(op, {.components = 0.3});
  CHECK(small.eigenvalues.size() == free.eigenvalues.size());
  CHECK_THAT(small.report.reason, ContainsSubstring("basis of 12"));
  CHECK(free.report.reason == "");
  // More equal eigenvalues above zero than are searched for at first.
  Vector<double> equal = Vector<double>::Zero(200);
  equal.head(45).setConstant(2);
  const auto s = Lanczos{}.solve(operator_with<double>(equal), {.components = 1.0});
  CHECK(s.report.status == Status::Converged);
  CHECK(s.eigenvalues.size() == 45);
}

TEST_CASE("lanczos: cancelled after each product, as many pairs as vectors", "[solvers]") {
  const auto op = operator_with<double>(test::slowly_decaying());
  for (Index products = 0; products < 12; ++products) {
    Index calls = 0;
    const auto s = Lanczos{}.solve(op, {.components = 5}, [&](const Progress& progress) {
      CHECK(progress.total == 5);
      return calls++ < products;
    });
    CHECK(s.report.kernel_products == products);
    CHECK(s.eigenvalues.size() == (std::min)(products, Index{5}));
  }
}

TEST_CASE("lanczos: reports what it does not reach", "[solvers]") {
  const auto op = operator_with<double>(Vector<double>::LinSpaced(150, 2, 1));
  const auto s = Lanczos{{.basis = 8, .max_iterations = 20}}.solve(op, {.components = 5});
  CHECK(s.report.status == Status::NotConverged);
  CHECK(s.report.iterations == 20);
  CHECK(s.eigenvalues.size() == 5);
  CHECK(largest(s.report.residuals) > 1e-6 * s.eigenvalues(0));
  // Still the best that the basis has.
  CHECK(s.eigenvalues(0) > 1.9);
  CHECK(Lanczos{}.solve(op, {.components = 5}).report.status == Status::Converged);
}

TEST_CASE("lanczos: sizes of the basis are checked", "[solvers]") {
  CHECK_THAT(test::error_of([] { return Lanczos({.basis = -1}); }),
             ContainsSubstring("basis") && ContainsSubstring("-1"));
  const auto op = operator_with<double>(test::slowly_decaying());
  CHECK(test::error_of([&] { return Lanczos{{.basis = 5}}.solve(op, {.components = 5}); }) ==
        "mercer::Lanczos: basis must have room for the components, 5, and a block: at least 6, got "
        "5");
}

}  // namespace lanczos_test
