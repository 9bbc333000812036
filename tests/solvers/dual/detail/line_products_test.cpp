// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/dual/detail/line_products.hpp>

#include <cmath>
#include <limits>

#include <mercer/core/random.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/samples.hpp>

namespace line_products_test {

using namespace mercer;

namespace {

constexpr Index rows = 40, cols = 3;

template <Real S>
Vector<S> normal_vector(std::uint64_t seed) {
  return normal_matrix<S>(rows * cols, 1, seed, "line").col(0);
}

template <Real S>
double error(const detail::LineProducts<S>& products, const Matrix<S>& a, const Vector<S>& x) {
  const Matrix<double> truth =
      a.template cast<double>() *
      Eigen::Map<const Matrix<S>>(x.data(), rows, cols).template cast<double>();
  return (products.product().template cast<double>() - truth).norm() / truth.norm();
}

}  // namespace

SCALAR_TEST_CASE("line_products: a product for a line, whatever its points", "[solvers]") {
  using S = TestType;
  const Vector<double> spectrum = test::spectrum_of(rows, [](double i) { return 1 / (1 + i); });
  const Matrix<S> a = test::with_spectrum<double>(spectrum, 1).template cast<S>();
  const test::ProductsOnlyIn<S> op{a};
  const OperatorView<S> view(op);
  detail::LineProducts<S> products(view, rows, cols);
  constexpr double eps = std::numeric_limits<S>::epsilon();

  Vector<S> x = normal_vector<S>(0);
  CHECK_FALSE(products.follow(x));
  products.turn(x);
  CHECK(op.columns == cols);
  CHECK(error(products, a, x) <= 10 * eps);
  // The first line begins at zero.
  x *= S(-0.37);
  REQUIRE(products.follow(x));
  CHECK(error(products, a, x) <= 10 * eps);

  // As a run of line searches has it: fewer errors than lines, the largest being those of t = 30.
  double step = 1;
  for (std::uint64_t line = 1; line <= 20; ++line) {
    CAPTURE(line);
    const Vector<S> begin = x, direction = static_cast<S>(step) * normal_vector<S>(line);
    x = begin + direction;
    CHECK_FALSE(products.follow(x));
    products.turn(x);
    for (const double t : {2.0, 30.0, 0.04, 1.0, 0.6}) {
      x = begin + static_cast<S>(t) * direction;
      REQUIRE(products.follow(x));
      CHECK(error(products, a, x) <= 50 * eps);
    }
    CHECK(op.columns == cols * static_cast<Index>(line + 1));
    step *= 0.7;
  }

  // In another unit.
  x *= S(8);
  products.scale(8);
  REQUIRE(products.follow(x));
  CHECK(error(products, a, x) <= 50 * eps);
  products.forget();
  CHECK_FALSE(products.follow(x));
}

SCALAR_TEST_CASE("line_products: short steps off the line are not taken for its points",
                 "[solvers]") {
  using S = TestType;
  const test::ProductsOnlyIn<S> op{Matrix<S>::Identity(rows, rows)};
  const OperatorView<S> view(op);
  detail::LineProducts<S> products(view, rows, cols);
  const Vector<S> x = normal_vector<S>(0);
  products.turn(x);
  constexpr double eps = std::numeric_limits<S>::epsilon();
  // Off by more than rounding, though the line is long.
  CHECK_FALSE(products.follow(x + static_cast<S>(1e3 * eps) * normal_vector<S>(1)));
  // A line as short as that has points within its own length only.
  const Vector<S> near = x + static_cast<S>(1e3 * eps) * normal_vector<S>(2);
  products.turn(near);
  CHECK_FALSE(products.follow(near + static_cast<S>(1e3 * eps) * normal_vector<S>(3)));
  CHECK(products.follow(near));
}

}  // namespace line_products_test
