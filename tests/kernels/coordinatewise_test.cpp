// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>

#include <mercer/kernels/coordinatewise.hpp>
#include <tests/kernels/kernel_checks.hpp>
#include <tests/support/catch.hpp>

namespace coordinatewise_test {

using namespace mercer;
using namespace mercer::test;

SCALAR_TEST_CASE("coordinatewise: reference values", "[kernel]") {
  const double tolerance = value_tolerance<TestType>;
  CHECK(reference_value<TestType>(Laplacian{0.5}) == about(0.22313016014843, tolerance));
  CHECK(reference_value<TestType>(Cauchy{1}) == about(0.123076923076923, tolerance));
  CHECK(reference_value<TestType>(Cauchy{0.5}) == about(0.481882352941176, tolerance));
}

SCALAR_TEST_CASE("coordinatewise: laws on 60 samples, equal samples give exactly 1",
                 "[kernel][law]") {
  const Matrix<TestType> x = samples_for_laws<TestType>();
  const auto check = [&](const auto& kernel) {
    check_laws(kernel, x);
    const Matrix<TestType> k = gram(kernel, x);
    CHECK((k.diagonal().array() == 1).all());
    CHECK(mercer::diagonal(kernel, x) == k.diagonal());
    CHECK(k(58, 0) == 1);
    CHECK(k.maxCoeff() == 1);
  };
  check(Laplacian{0.7});
  check(Cauchy{0.7});
}

SCALAR_TEST_CASE("coordinatewise: blocks of awkward sizes", "[kernel]") {
  check_awkward_sizes<TestType>(Laplacian{0.25}, [](const LongVector& x, const LongVector& y) {
    return std::exp(-0.25L * (x - y).lpNorm<1>());
  });
  check_awkward_sizes<TestType>(Cauchy{0.5}, [](const LongVector& x, const LongVector& y) {
    return 1 / (1 + 0.25L * (x - y).array().square()).prod();
  });
}

SCALAR_TEST_CASE("coordinatewise: without coordinates all samples are equal", "[kernel]") {
  check_no_coordinates<TestType>(Laplacian{1}, 1);
  check_no_coordinates<TestType>(Cauchy{1}, 1);
}

TEST_CASE("coordinatewise: near samples far from the origin keep their digits", "[kernel]") {
  Matrix<double> x = uniform_samples<double>(40, 3, 41, 0, 1e-3);
  x.array() += 1e6;
  CHECK(error_against(Laplacian{1e3}, x, x, [](const LongVector& u, const LongVector& v) {
          return std::exp(-1e3L * (u - v).lpNorm<1>());
        }) <= 1e-12);
}

SCALAR_TEST_CASE("coordinatewise: huge and tiny scales", "[kernel]") {
  check_extreme_scales<TestType>(Laplacian{1});
  check_extreme_scales<TestType>(Cauchy{1});
  check_extreme_parameters<TestType>([](double gamma) { return Laplacian{gamma}; });
  check_extreme_parameters<TestType>([](double gamma) { return Cauchy{gamma}; });
}

TEST_CASE("coordinatewise: parameters and names", "[kernel]") {
  check_positive_parameter("Laplacian", "gamma", [](double p) { return Laplacian{p}; });
  check_positive_parameter("Cauchy", "gamma", [](double p) { return Cauchy{p}; });
  CHECK(Laplacian{0.5}.describe() == "laplacian(gamma=0.5)");
  CHECK(Laplacian{0.5}.gamma() == 0.5);
  CHECK(Cauchy{0.5}.describe() == "cauchy(gamma=0.5)");
  CHECK(Cauchy{0.5}.gamma() == 0.5);
}

}  // namespace coordinatewise_test
