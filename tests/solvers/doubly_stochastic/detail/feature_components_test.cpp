// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/doubly_stochastic/detail/feature_components.hpp>

#include <cmath>
#include <limits>

#include <mercer/core/types.hpp>
#include <tests/support/catch.hpp>

namespace feature_components_test {

using namespace mercer;

SCALAR_TEST_CASE("feature components: rounding of features does not change signs", "[solvers]") {
  using S = TestType;
  // Two coefficients of the same size, but for rounding, and of different signs: as the hashes of a
  // sketch make them.
  const double rounding = 4 * double{std::numeric_limits<S>::epsilon()};
  for (const double more : {-rounding, rounding}) {
    const Vector<double> v = Vector<double>{{-1, 1 + more, 0.5}}.normalized();
    const detail::FeatureMoments moments{.scatter = 10 * v * v.transpose(),
                                         .squares = 12,
                                         .mean = Vector<double>{{1, 2, 3}},
                                         .samples = 10,
                                         .blocks = 1};
    FeatureSolution<S> solution;
    const Matrix<double> found =
        detail::feature_components(moments, {.pairs = {.components = 1}}, solution);
    // The first of the two is positive. Errors are those of the eigensolver, and of one rounding.
    CHECK((found.col(0) + v).norm() <= 1e-14);
    CHECK((solution.coefficients.template cast<double>() - found).norm() <=
          double{std::numeric_limits<S>::epsilon()});
    CHECK(std::abs(double{solution.offset(0)} - found.col(0).dot(moments.mean)) <=
          4 * double{std::numeric_limits<S>::epsilon()});
  }
}

}  // namespace feature_components_test
