// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>
#include <limits>
#include <numbers>

#include <mercer/kernels/angular.hpp>
#include <tests/kernels/kernel_checks.hpp>
#include <tests/support/catch.hpp>

namespace angular_test {

using namespace mercer;
using namespace mercer::test;

namespace {

/// The arc-cosine kernel in long double, by the angle between the two half-way vectors.
long double arc_cosine(const LongVector& x, const LongVector& y, int order) {
  constexpr long double pi = std::numbers::pi_v<long double>;
  const LongVector u = x.normalized(), v = y.normalized();
  const long double theta = 2 * std::atan2((u - v).norm(), (u + v).norm());
  const long double s = std::sin(theta), c = std::cos(theta);
  const long double j = order == 0   ? pi - theta
                        : order == 1 ? s + (pi - theta) * c
                                     : 3 * s * c + (pi - theta) * (1 + 2 * c * c);
  return j / pi * std::pow(x.norm() * y.norm(), static_cast<long double>(order));
}

}  // namespace

SCALAR_TEST_CASE("angular: reference values", "[kernel]") {
  const double tolerance = value_tolerance<TestType>;
  CHECK(reference_value<TestType>(ArcCosine{0}) == about(0.73227952719877, tolerance));
  CHECK(reference_value<TestType>(ArcCosine{1}) == about(3.80856279617575, tolerance));
  CHECK(reference_value<TestType>(ArcCosine{2}) == about(51.2029396200766, tolerance));
  CHECK(reference_value<TestType>(Cosine{}) == about(0.666666666666667, tolerance));

  const Matrix<TestType> x = first_sample<TestType>();
  const double on_itself[] = {1, 5.25, 82.6875};
  for (const int order : {0, 1, 2}) {
    CHECK(value(ArcCosine{order}, x, x) == about(on_itself[order], tolerance));
    CHECK(mercer::diagonal(ArcCosine{order}, x)(0) == about(on_itself[order], tolerance));
  }
  CHECK(value(Cosine{}, x, x) == about(1, tolerance));
}

SCALAR_TEST_CASE("angular: laws on 60 samples", "[kernel][law]") {
  const Matrix<TestType> x = samples_for_laws<TestType>();
  check_laws(Cosine{}, x);
  for (const int order : {0, 1, 2}) check_laws(ArcCosine{order}, x);
}

SCALAR_TEST_CASE("angular: zero vectors", "[kernel]") {
  Matrix<TestType> x = uniform_samples<TestType>(3, 2, 1);
  x.row(1).setZero();
  const SparseMatrix<TestType> sparse = x.sparseView();
  const auto row_of_zero = [&](const auto& kernel) {
    CHECK(gram(kernel, sparse).row(1) == gram(kernel, x).row(1));
    CHECK(mercer::diagonal(kernel, x)(1) == gram(kernel, x)(1, 1));
    CHECK(mercer::diagonal(kernel, sparse)(1) == gram(kernel, x)(1, 1));
    return Eigen::Vector3d(gram(kernel, x).row(1).transpose().template cast<double>());
  };
  CHECK(row_of_zero(Cosine{}) == Eigen::Vector3d::Zero());
  CHECK(row_of_zero(ArcCosine{0}).isApproxToConstant(0.5, value_tolerance<TestType>));
  CHECK(row_of_zero(ArcCosine{1}) == Eigen::Vector3d::Zero());
  CHECK(row_of_zero(ArcCosine{2}) == Eigen::Vector3d::Zero());
}

SCALAR_TEST_CASE("angular: equal, opposite and nearly parallel samples", "[kernel]") {
  const Matrix<TestType> x = first_sample<TestType>();
  CHECK(value(ArcCosine{0}, x, x) == 1);
  for (const int order : {0, 1, 2}) {
    const double scale = std::pow(5.25, order);
    const double opposite = value(ArcCosine{order}, x, Matrix<TestType>(-x));
    CHECK(opposite >= 0);
    CHECK(opposite <= value_tolerance<TestType> * scale);
  }
  CHECK(value(Cosine{}, x, Matrix<TestType>(-x)) == about(-1, value_tolerance<TestType>));
  CHECK(value(Cosine{}, x, Matrix<TestType>(-x)) >= -1);

  // Angles of 1e-4 ... 1e-1, on both sides of the change of formula.
  for (const double angle : {1e-4, 1e-3, 2e-3, 1e-2, 0.04, 0.05, 0.1}) {
    CAPTURE(angle);
    const Matrix<TestType> u{{TestType(2), TestType(0)}};
    const Matrix<TestType> v{{TestType(3 * std::cos(angle)), TestType(3 * std::sin(angle))}};
    for (const int order : {0, 1, 2})
      CHECK(error_against(ArcCosine{order}, u, v, [&](const LongVector& a, const LongVector& b) {
              return arc_cosine(a, b, order);
            }) <= value_tolerance<TestType>);
  }
}

SCALAR_TEST_CASE("angular: blocks of awkward sizes", "[kernel]") {
  for (const int order : {0, 1, 2})
    check_awkward_sizes<TestType>(
        ArcCosine{order},
        [&](const LongVector& x, const LongVector& y) { return arc_cosine(x, y, order); }, 0);
  check_awkward_sizes<TestType>(
      Cosine{},
      [](const LongVector& x, const LongVector& y) { return x.dot(y) / x.norm() / y.norm(); }, 0);
}

SCALAR_TEST_CASE("angular: without coordinates all samples are zero", "[kernel]") {
  check_no_coordinates<TestType>(Cosine{}, 0);
  check_no_coordinates<TestType>(ArcCosine{0}, 0.5);
  check_no_coordinates<TestType>(ArcCosine{1}, 0);
}

SCALAR_TEST_CASE("angular: sparse samples as dense ones", "[kernel][sparse]") {
  check_sparse<TestType>(Cosine{});
  for (const int order : {0, 1, 2}) check_sparse<TestType>(ArcCosine{order});
}

SCALAR_TEST_CASE("angular: norms of sparse rows, also empty ones, take no dense row",
                 "[kernel][sparse]") {
  using S = TestType;
  // A dense row of so many columns would have some gigabytes.
  constexpr int columns = 2147483647;
  SparseMatrix<S> x(5, columns);
  x.reserve(Eigen::VectorXi::Constant(5, 2));
  const S range = sizeof(S) == 4 ? S(1e30f) : static_cast<S>(1e300);
  x.insert(1, 7) = 3 * range;
  x.insert(1, columns - 1) = -4 * range;
  x.insert(2, 0) = 3 / range;
  x.insert(2, 5) = 4 / range;
  x.insert(3, 2) = 0;  // stored
  x.insert(4, 9) = -2;
  const Vector<S> norms = detail::row_norms(x);
  const auto rounding = 4 * static_cast<double>(std::numeric_limits<S>::epsilon());
  CHECK(norms(0) == 0);
  CHECK(static_cast<double>(norms(1) / range) == Approx(5).epsilon(rounding));
  CHECK(static_cast<double>(norms(2) * range) == Approx(5).epsilon(rounding));
  CHECK(norms(3) == 0);
  CHECK(norms(4) == 2);
  // As a kernel sees them, and rows that are not compressed.
  CHECK(detail::row_norms(detail::rows_of(x, {1, 4})) == norms.tail(4));
  x.makeCompressed();
  CHECK(detail::row_norms(detail::rows_of(x, {1, 4})) == norms.tail(4));
  CHECK(diagonal(Cosine{}, x) == Vector<S>{{S(0), S(1), S(1), S(0), S(1)}});
  CHECK(diagonal(ArcCosine{0}, x) == Vector<S>{{S(0.5), S(1), S(1), S(0.5), S(1)}});
}

SCALAR_TEST_CASE("angular: huge and tiny scales", "[kernel]") {
  check_extreme_scales<TestType>(Cosine{});
  for (const int order : {0, 1, 2}) check_extreme_scales<TestType>(ArcCosine{order});
  // The angle does not know the scale, not even where squares leave the range of the scalar.
  const Matrix<TestType> x = uniform_samples<TestType>(20, 3, 5);
  const double range = sizeof(TestType) == 4 ? 1e30 : 1e300;
  for (const double scale : {range, 1 / range}) {
    const Matrix<TestType> scaled = static_cast<TestType>(scale) * x;
    const auto change = [&](const auto& kernel) {
      return (gram(kernel, scaled) - gram(kernel, x)).cwiseAbs().maxCoeff();
    };
    CHECK(change(Cosine{}) <= TestType(value_tolerance<TestType>));
    CHECK(change(ArcCosine{0}) <= TestType(value_tolerance<TestType>));
  }
}

SCALAR_TEST_CASE("angular: norms beyond the range of the scalar", "[kernel]") {
  using S = TestType;
  // The norms of these rows overflow, or are a few units of the least number.
  const S most = (std::numeric_limits<S>::max)() / 5, least = std::numeric_limits<S>::denorm_min();
  const Matrix<S> plain{{3, 4}, {4, 3}, {-3, 4}, {5, 5}, {0, 5}};
  const Matrix<S> k = gram(Cosine{}, plain), order_0 = gram(ArcCosine{0}, plain);
  for (const S unit : {most, least}) {
    CAPTURE(unit);
    const Matrix<S> x = unit * plain;
    REQUIRE(x.allFinite());
    const SparseMatrix<S> sparse = x.sparseView(S(0), S(0));
    const auto change = [](const Matrix<S>& a, const Matrix<S>& b) {
      return (a - b).cwiseAbs().maxCoeff();
    };
    constexpr S rounding = 8 * std::numeric_limits<S>::epsilon();  // of some products and roots
    CHECK(change(gram(Cosine{}, x), k) <= rounding);
    CHECK(change(gram(Cosine{}, sparse), k) <= rounding);
    CHECK(change(gram(Cosine{}, x, plain), k) <= rounding);
    CHECK(change(gram(ArcCosine{0}, x), order_0) <= S(value_tolerance<S>));
    CHECK((mercer::diagonal(Cosine{}, x).array() == 1).all());
    CHECK((mercer::diagonal(Cosine{}, sparse).array() == 1).all());
  }
}

TEST_CASE("angular: parameters and names", "[kernel]") {
  for (const int order : {-1, 3})
    CHECK(error_of([&] { return ArcCosine{order}; }) ==
          "mercer::ArcCosine: order must be 0, 1 or 2, got " + std::to_string(order));
  CHECK(ArcCosine{2}.describe() == "arc-cosine(order=2)");
  CHECK(ArcCosine{2}.order() == 2);
  CHECK(Cosine{}.describe() == "cosine");
}

}  // namespace angular_test
