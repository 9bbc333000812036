// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>
#include <limits>
#include <string>

#include <mercer/kernels/histogram.hpp>
#include <tests/kernels/kernel_checks.hpp>
#include <tests/support/catch.hpp>

namespace histogram_test {

using namespace mercer;
using namespace mercer::test;

namespace {

template <class F>
void for_each_histogram_kernel(F&& f) {
  f(ExponentialSemigroup{1}, "ExponentialSemigroup");
  f(ReciprocalSemigroup{1}, "ReciprocalSemigroup");
  f(AdditiveChiSquare{}, "AdditiveChiSquare");
  f(ChiSquare{1}, "ChiSquare");
  f(Intersection{}, "Intersection");
}

}  // namespace

SCALAR_TEST_CASE("histogram: reference values", "[kernel]") {
  using S = TestType;
  const double tolerance = value_tolerance<S>;
  CHECK(reference_value<S>(ExponentialSemigroup{1}) == about(0.0106954751616313, tolerance));
  CHECK(reference_value<S>(ExponentialSemigroup{0.5}) == about(0.103418930383326, tolerance));
  CHECK(reference_value<S>(ReciprocalSemigroup{1}) == about(0.0285714285714286, tolerance));
  CHECK(reference_value<S>(ReciprocalSemigroup{2}) == about(0.101587301587302, tolerance));
  CHECK(reference_value<S>(AdditiveChiSquare{}) == about(2.8, tolerance));
  CHECK(reference_value<S>(ChiSquare{0.5}) == about(0.49658530379141, tolerance));
  CHECK(reference_value<S>(Intersection{}) == about(2, tolerance));

  const Matrix<S> x = first_sample<S>();
  const auto on_itself = [&](const auto& kernel, double expected) {
    CHECK(value(kernel, x, x) == about(expected, tolerance));
    CHECK(mercer::diagonal(kernel, x)(0) == about(expected, tolerance));
  };
  on_itself(ExponentialSemigroup{1}, 0.012104069478648);
  on_itself(ReciprocalSemigroup{1}, 1.0 / 30);
  on_itself(AdditiveChiSquare{}, 3.5);
  on_itself(ChiSquare{1}, 1);
  on_itself(Intersection{}, 3.5);

  const Matrix<S> p{{S(0.2), S(0.3), S(0.5)}}, q{{S(0.1), S(0.6), S(0.3)}};
  CHECK(value(AdditiveChiSquare{}, p, q) == about(0.908333333333333, tolerance));
  CHECK(value(ChiSquare{1}, p, q) == about(0.832490612611603, tolerance));
  CHECK(value(Intersection{}, p, q) == about(0.7, tolerance));
  CHECK(value(ExponentialSemigroup{1}, p, q) == about(0.091553383870102, tolerance));
  CHECK(value(ReciprocalSemigroup{1}, p, q) == about(0.224921277552856, tolerance));
}

SCALAR_TEST_CASE("histogram: laws on 60 samples", "[kernel][law]") {
  Matrix<TestType> x = samples_for_laws<TestType>(0);
  x.row(5).setZero();
  x.col(2).head(10).setZero();
  for_each_histogram_kernel([&](const auto& kernel, const std::string&) { check_laws(kernel, x); });
  CHECK((gram(ChiSquare{1}, x).diagonal().array() == 1).all());
}

SCALAR_TEST_CASE("histogram: coordinates that are 0 in both samples", "[kernel]") {
  const Matrix<TestType> zero = Matrix<TestType>::Zero(1, 3);
  const Matrix<TestType> x = first_sample<TestType>();
  CHECK(value(AdditiveChiSquare{}, zero, zero) == 0);
  CHECK(value(AdditiveChiSquare{}, zero, x) == 0);
  CHECK(value(ChiSquare{1}, zero, zero) == 1);
  CHECK(value(ChiSquare{1}, zero, x) == about(std::exp(-3.5), value_tolerance<TestType>));
  CHECK(value(Intersection{}, zero, x) == 0);
  CHECK(value(ExponentialSemigroup{1}, zero, zero) == 1);
  CHECK(value(ReciprocalSemigroup{1}, zero, zero) == 1);
}

SCALAR_TEST_CASE("histogram: blocks of awkward sizes", "[kernel]") {
  check_awkward_sizes<TestType>(
      ExponentialSemigroup{0.1},
      [](const LongVector& x, const LongVector& y) {
        return std::exp(-0.1L * (x + y).array().sqrt().sum());
      },
      0);
  check_awkward_sizes<TestType>(
      AdditiveChiSquare{},
      [](const LongVector& x, const LongVector& y) {
        return (2 * x.array() * y.array() / (x + y).array()).sum();
      },
      0);
}

SCALAR_TEST_CASE("histogram: without coordinates", "[kernel]") {
  check_no_coordinates<TestType>(ReciprocalSemigroup{1}, 1);
  check_no_coordinates<TestType>(ChiSquare{1}, 1);
  check_no_coordinates<TestType>(Intersection{}, 0);
}

SCALAR_TEST_CASE("histogram: huge and tiny scales", "[kernel]") {
  for_each_histogram_kernel(
      [](const auto& kernel, const std::string&) { check_extreme_scales<TestType>(kernel, 0); });
  check_extreme_parameters<TestType>([](double p) { return ReciprocalSemigroup{p}; }, 0);
  check_extreme_parameters<TestType>([](double p) { return ExponentialSemigroup{p}; }, 0);
  check_extreme_parameters<TestType>([](double p) { return ChiSquare{p}; }, 0);
}

SCALAR_TEST_CASE("histogram: sums beyond the range of the scalar", "[kernel]") {
  using S = TestType;
  constexpr double tolerance = value_tolerance<S>;
  constexpr S most = std::numeric_limits<S>::max(), large = most / 2;
  // So many samples that some take the vectorised loops.
  const Matrix<S> x = Matrix<S>::Constant(40, 1, most), y = Matrix<S>::Constant(3, 1, large);
  const auto all = [](const auto& kernel, const Matrix<S>& a, const Matrix<S>& b) {
    const Matrix<S> k = gram(kernel, a, b);
    CHECK((k.array() == k(0, 0)).all());
    return static_cast<double>(k(0, 0));
  };
  CHECK(all(AdditiveChiSquare{}, x, x) == about(double{most}, tolerance));
  CHECK(all(AdditiveChiSquare{}, x, y) == about(double{most} / 1.5, tolerance));
  CHECK(static_cast<double>(diagonal(AdditiveChiSquare{}, x)(0)) == about(double{most}, tolerance));
  CHECK(all(ChiSquare{1}, x, x) == 1);
  CHECK(all(ChiSquare{1}, x, y) == 0);
  // (x - y)^2 / (x + y) is x / 6.
  CHECK(all(ChiSquare{6 / double{most}}, x, y) == about(std::exp(-1), tolerance));
  CHECK(all(ExponentialSemigroup{1}, x, x) == 0);
  CHECK(all(ExponentialSemigroup{1 / std::sqrt(double{most})}, x, x) ==
        about(std::exp(-std::sqrt(2)), tolerance));
  CHECK(all(ReciprocalSemigroup{1}, x, x) == 0);
  CHECK(all(ReciprocalSemigroup{double{large} / 4}, x, y) == about(1.0 / 13, tolerance));
}

TEST_CASE("histogram: negative entries are refused with row and column", "[kernel]") {
  Matrix<double> x = uniform_samples<double>(4, 3, 1, 0);
  const Matrix<double> good = x;
  x(2, 1) = -0.25;
  for_each_histogram_kernel([&](const auto& kernel, const std::string& name) {
    const std::string message = "mercer::" + name +
                                ": samples must be non-negative, got -0.25 at row 2, column 1 "
                                "(counted from 0)";
    CHECK(error_of([&] { return gram(kernel, x); }) == message);
    CHECK(error_of([&] { return gram(kernel, good, x); }) == message);
    CHECK(error_of([&] { return gram(kernel, x, good); }) == message);
    CHECK(error_of([&] { return gram(kernel, good); }) == "no error");
  });
}

TEST_CASE("histogram: parameters and names", "[kernel]") {
  check_positive_parameter("ExponentialSemigroup", "beta",
                           [](double p) { return ExponentialSemigroup{p}; });
  check_positive_parameter("ReciprocalSemigroup", "lambda",
                           [](double p) { return ReciprocalSemigroup{p}; });
  check_positive_parameter("ChiSquare", "gamma", [](double p) { return ChiSquare{p}; });
  CHECK(ExponentialSemigroup{0.5}.describe() == "exponential-semigroup(beta=0.5)");
  CHECK(ExponentialSemigroup{0.5}.beta() == 0.5);
  CHECK(ReciprocalSemigroup{2}.describe() == "reciprocal-semigroup(lambda=2)");
  CHECK(ReciprocalSemigroup{2}.lambda() == 2);
  CHECK(ChiSquare{1}.describe() == "chi-square(gamma=1)");
  CHECK(ChiSquare{1}.gamma() == 1);
  CHECK(AdditiveChiSquare{}.describe() == "additive-chi-square");
  CHECK(Intersection{}.describe() == "intersection");
}

}  // namespace histogram_test
