// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/spgd/detail/spgd_start.hpp>

#include <cmath>

#include <mercer/core/types.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <tests/support/catch.hpp>

namespace spgd_start_test {

using namespace mercer;
using detail::threshold_between;

namespace {

/// 2^-i for i = 0, 1, ..., with the values from \p fall on divided by 100.
Vector<double> falling(Index count, Index fall) {
  Vector<double> values(count);
  for (Index i = 0; i < count; ++i)
    values(i) = std::ldexp(i < fall ? 1 : 0.01, -static_cast<int>(i));
  return values;
}

}  // namespace

TEST_CASE("threshold_between: half way after the last component", "[solvers]") {
  const Vector<double> values{{8, 6, 2, 1}};
  CHECK(threshold_between(values, 1) == 7);
  CHECK(threshold_between(values, 2) == 4);
  CHECK(threshold_between(values, 4) == 0.5);
  CHECK(threshold_between(values, 0.5) == 4);  // 8 of 17 is too little, 14 is enough
  CHECK(threshold_between(values, Components::all()) == 0.5);
  CHECK(threshold_between(Vector<double>{{0, 0}}, 1) == 0);
  CHECK(threshold_between(Vector<double>{{4, 1e-20}}, 2) == 2);  // the second one is rounding
}

TEST_CASE("threshold_between: the elbow is the largest relative fall", "[solvers]") {
  constexpr auto elbow = LambdaRule::Elbow;
  const Vector<double> values = falling(100, 6);
  const double middle = (values(5) + values(6)) / 2;
  for (const Index k : {1, 4, 6}) CHECK(threshold_between(values, k, elbow) == middle);
  CHECK(threshold_between(values, 0.9, elbow) == middle);
  // Never below the number asked for: all falls after it are equal, and the first one counts.
  CHECK(threshold_between(values, 7, elbow) == (values(6) + values(7)) / 2);
  CHECK(threshold_between(values, 12, elbow) == (values(11) + values(12)) / 2);
  // The rule does not look for eigenvalues that a subsample of this size cannot tell.
  const Vector<double> later = falling(50, 6);
  CHECK(threshold_between(later, 1, elbow) == 0.75);
  // A matrix of low rank: nothing is left after the fall to zero.
  Vector<double> low = Vector<double>::Zero(100);
  low.head(3) << 9, 3, 2;
  CHECK(threshold_between(low, 1, elbow) == 1);
}

}  // namespace spgd_start_test
