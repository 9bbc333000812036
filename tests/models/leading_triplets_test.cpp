// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/detail/leading_triplets.hpp>

#include <cmath>
#include <limits>

#include <Eigen/SVD>

#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>

namespace leading_triplets_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

/// A matrix with these singular values.
template <Real S>
Matrix<S> with_values(Index rows, Index cols, const Vector<S>& values) {
  const Index r = values.size();
  const auto basis = [r](Index size, std::uint64_t seed) -> Matrix<S> {
    return Eigen::HouseholderQR<Matrix<S>>(test::uniform_samples<S>(size, r, seed)).householderQ() *
           Matrix<S>::Identity(size, r);
  };
  return basis(rows, 1) * values.asDiagonal() * basis(cols, 2).transpose();
}

template <Real S>
void check_triplets(const Matrix<S>& t, const Vector<S>& expected, Index k) {
  const SingularSystem<S> found = detail::leading_triplets(t, k);
  REQUIRE(found.values.size() == expected.size());
  // The accuracy that the function states, with some room.
  const S rounding = 1000 * std::numeric_limits<S>::epsilon();
  const S largest = expected.size() > 0 ? expected(0) : S(0);
  CHECK((found.values - expected).cwiseAbs().sum() <= rounding * largest);
  const Index size = expected.size();
  const Matrix<S> one = Matrix<S>::Identity(size, size);
  CHECK((found.left.transpose() * found.left - one).norm() <= rounding);
  CHECK((found.right.transpose() * found.right - one).norm() <= rounding);
  const Matrix<S> unit = t / (largest > 0 ? largest : S(1));  // its squares do not overflow
  const Vector<S> values = found.values / (largest > 0 ? largest : S(1));
  CHECK((unit * found.right - found.left * values.asDiagonal()).norm() <= rounding);
  CHECK((unit.transpose() * found.left - found.right * values.asDiagonal()).norm() <= rounding);
}

}  // namespace

SCALAR_TEST_CASE("leading_triplets: residuals, orthogonality and values", "[models]") {
  using S = TestType;
  Vector<S> even(6), graded(6), multiple(6);
  even << 1, S(.9), S(.8), S(.7), S(.6), S(.5);
  graded << 1, S(1e-1), S(1e-2), S(1e-3), S(2e-4), S(1e-4);
  multiple << 3, 3, 3, 2, 2, S(1e-3);
  for (const Vector<S>& values : {even, graded, multiple})
    for (const Index k : {1, 3, 6}) {
      CAPTURE(values.transpose(), k);
      check_triplets<S>(with_values<S>(30, 12, values), values.head(k), k);
      check_triplets<S>(with_values<S>(12, 30, values), values.head(k), k);
    }
}

TEST_CASE("leading_triplets: values over twelve orders of magnitude", "[models]") {
  Vector<double> values(9);
  for (Index i = 0; i < 9; ++i) values(i) = std::pow(10., -1.5 * double(i));
  const Matrix<double> t = with_values<double>(40, 25, values);
  check_triplets<double>(t, Eigen::JacobiSVD<Matrix<double>>(t).singularValues().head(9), 9);
}

TEST_CASE("leading_triplets: zero, empty, low rank and not finite", "[models]") {
  check_triplets<double>(Matrix<double>::Zero(5, 3), Vector<double>(0), 3);
  check_triplets<double>(Matrix<double>(0, 0), Vector<double>(0), 1);
  check_triplets<double>(Matrix<double>(4, 0), Vector<double>(0), 1);
  Vector<double> two(2);
  two << 2, 1;
  check_triplets<double>(with_values<double>(20, 10, two), two, 7);
  check_triplets<double>(1e300 * with_values<double>(20, 10, two), 1e300 * two, 7);
  check_triplets<double>(1e-290 * with_values<double>(20, 10, two), 1e-290 * two, 7);
  Matrix<double> bad = Matrix<double>::Ones(3, 2);
  bad(1, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(test::error_of([&] { return detail::leading_triplets(bad, 1); }),
             ContainsSubstring("not all finite"));
}

TEST_CASE("leading_triplets: equal values are descending to the last bit", "[models]") {
  const Vector<double> equal = Vector<double>::Ones(20);
  const Matrix<double> t = with_values<double>(50, 20, equal);
  check_triplets<double>(t, equal, 20);
  const Vector<double> values = detail::leading_triplets(t, Index{20}).values;
  for (Index j = 1; j < values.size(); ++j) CHECK(values(j) <= values(j - 1));
}

}  // namespace leading_triplets_test
