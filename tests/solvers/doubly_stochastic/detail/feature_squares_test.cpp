// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/doubly_stochastic/detail/feature_squares.hpp>

#include <initializer_list>
#include <limits>

#include <mercer/core/random.hpp>
#include <tests/support/catch.hpp>

namespace feature_squares_test {

using namespace mercer;

SCALAR_TEST_CASE("feature squares: any cut into rows gives the sums of all", "[solvers][law]") {
  using S = TestType;
  // Features near 1 that vary by 1e-3, so that a difference of sums of squares loses six digits.
  const Matrix<S> z =
      (1e-3 * normal_matrix<double>(50, 3, 1, "z")).array().template cast<S>() + S(1);
  const Matrix<double> exact = z.template cast<double>();
  const double about_means = (exact.rowwise() - exact.colwise().mean()).squaredNorm();
  // Sums of 150 squares in double.
  constexpr double tolerance = 1000 * std::numeric_limits<double>::epsilon();
  const auto check = [&](std::initializer_list<Index> sizes) {
    detail::FeatureSquares squares(3);
    Index first = 0;
    for (const Index size : sizes) {
      Vector<double> sums(3);
      const Matrix<S> part = z.middleRows(first, size);
      const double about = detail::FeatureSquares::of_rows<S>(part, sums);
      squares.add(size, sums, about);
      first += size;
    }
    REQUIRE(first == 50);
    // Means near 1 are rounded by 1e-16 of it, their squares by as much of 1e-3.
    CHECK(squares.about_means() == Approx(about_means).epsilon(1e3 * tolerance));
    CHECK(squares.about_zero() == Approx(exact.squaredNorm()).epsilon(tolerance));
  };
  check({50});
  check({1, 49});
  check({20, 1, 29});
  const detail::FeatureSquares none(3);
  CHECK(none.about_means() == 0);
  CHECK(none.about_zero() == 0);
}

}  // namespace feature_squares_test
