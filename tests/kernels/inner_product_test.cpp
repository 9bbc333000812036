// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>

#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/kernels/kernel_checks.hpp>
#include <tests/support/catch.hpp>

namespace inner_product_test {

using namespace mercer;
using namespace mercer::test;

namespace {

const Polynomial cubic{{.gamma = 0.5, .coef0 = 1, .degree = 3}};
const Sigmoid sigmoid{{.gamma = 0.1, .coef0 = -0.2}};

}  // namespace

SCALAR_TEST_CASE("inner product: reference values", "[kernel]") {
  const auto agrees = [](const auto& kernel, double expected) {
    CAPTURE(kernel.describe());
    CHECK(reference_value<TestType>(kernel) == about(expected, value_tolerance<TestType>));
  };
  agrees(Linear{}, 3.5);
  agrees(cubic, 20.796875);
  agrees(sigmoid, 0.148885033623318);
  agrees(ExponentialDot{0.25}, 2.3988752939671);
  agrees(InverseDot{0.125}, 1 / (1 - 0.125 * 3.5));

  const Matrix<TestType> x = first_sample<TestType>();
  const auto on_itself = [&](const auto& kernel, double expected) {
    CHECK(value(kernel, x, x) == about(expected, value_tolerance<TestType>));
    CHECK(mercer::diagonal(kernel, x)(0) == about(expected, value_tolerance<TestType>));
  };
  on_itself(Linear{}, 5.25);
  on_itself(cubic, 3.625 * 3.625 * 3.625);
  on_itself(sigmoid, std::tanh(0.325));
  on_itself(ExponentialDot{0.25}, std::exp(1.3125));
  on_itself(InverseDot{0.125}, 1 / 0.34375);
}

TEST_CASE("inner product: polynomial Gram matrix of four points", "[kernel]") {
  const Matrix<double> k =
      gram(Polynomial{{.gamma = 1, .coef0 = 1, .degree = 2}}, four_points<double>());
  CHECK(k.row(1) == Eigen::RowVector4d(1, 4, 1, 6.25));
  CHECK(k(3, 3) == 18.0625);
}

TEST_CASE("inner product: every degree up to 10", "[kernel]") {
  const Matrix<double> x{{1.5}}, y{{0.75}};
  for (int degree = 1; degree <= 10; ++degree)
    CHECK(value(Polynomial{{.gamma = 2, .coef0 = 0.25, .degree = degree}}, x, y) ==
          about(std::pow(2.5, degree), 1e-15));
}

TEST_CASE("inner product: the sigmoid kernel is indefinite", "[kernel]") {
  const auto laws = [](double coef0, const Matrix<double>& x) {
    return testing::kernel_laws(Sigmoid{{.gamma = 1, .coef0 = coef0}}, x,
                                {.positive_semidefinite = false});
  };
  const auto two = laws(-1, Matrix<double>{{1}, {2}});
  CHECK(two.smallest_eigenvalue == Approx(-0.412175403791).margin(1e-10));
  CHECK(two.largest_eigenvalue == Approx(1.407230157478).margin(1e-10));
  CHECK(two.hold());
  const auto three = laws(1, Matrix<double>{{0.1}, {1}, {2}});
  CHECK(three.smallest_eigenvalue == Approx(-0.014790232214).margin(1e-10));
}

SCALAR_TEST_CASE("inner product: laws on 60 samples", "[kernel][law]") {
  const Matrix<TestType> x = samples_for_laws<TestType>();
  check_laws(Linear{}, x);
  check_laws(cubic, x);
  check_laws(ExponentialDot{0.8}, x);
  check_laws(InverseDot{0.24}, x);
  check_laws(sigmoid, x, false);
}

SCALAR_TEST_CASE("inner product: blocks of awkward sizes", "[kernel]") {
  check_awkward_sizes<TestType>(
      cubic,
      [](const LongVector& x, const LongVector& y) { return std::pow(0.5L * x.dot(y) + 1, 3.0L); },
      0);
  check_awkward_sizes<TestType>(
      ExponentialDot{0.25},
      [](const LongVector& x, const LongVector& y) { return std::exp(0.25L * x.dot(y)); }, 0);
}

SCALAR_TEST_CASE("inner product: without coordinates", "[kernel]") {
  check_no_coordinates<TestType>(Linear{}, 0);
  check_no_coordinates<TestType>(Polynomial{{.gamma = 1, .coef0 = 2, .degree = 3}}, 8);
  check_no_coordinates<TestType>(ExponentialDot{1}, 1);
}

SCALAR_TEST_CASE("inner product: sparse samples as dense ones", "[kernel][sparse]") {
  check_sparse<TestType>(Linear{});
  check_sparse<TestType>(cubic);
  check_sparse<TestType>(sigmoid);
  check_sparse<TestType>(ExponentialDot{0.5});
  check_sparse<TestType>(InverseDot{0.03});
}

SCALAR_TEST_CASE("inner product: huge and tiny scales", "[kernel]") {
  check_extreme_scales<TestType>(Linear{});
  check_extreme_scales<TestType>(cubic);
  check_extreme_scales<TestType>(sigmoid);
  check_extreme_scales<TestType>(ExponentialDot{1});
  check_extreme_parameters<TestType>([](double gamma) { return ExponentialDot{gamma}; });
  check_extreme_parameters<TestType>(
      [](double gamma) { return Polynomial{{.gamma = gamma, .coef0 = 1, .degree = 3}}; });
}

SCALAR_TEST_CASE("inner product: an exponential too large for the scalar is infinite", "[kernel]") {
  // On whole vectors as on single values: a finite number there would be taken for a value.
  const Matrix<TestType> x = Matrix<TestType>::Constant(19, 1, TestType(30));
  CHECK((gram(ExponentialDot{1}, x).array() == TestType(HUGE_VAL)).all());
}

TEST_CASE("inner product: growth is the condition of the values", "[kernel]") {
  const Matrix<double> x{{3, 1}, {0, 2}, {0.5, 0}};  // the largest x . x is 10
  // |t f'(t) / f(t)| by a small relative change of t.
  const auto condition = [&](const auto& kernel) {
    const double small = 1e-6;
    const Matrix<double> wider = x * std::sqrt(1 + small);
    return (diagonal(kernel, wider).cwiseQuotient(diagonal(kernel, x)).array() - 1).maxCoeff() /
           small;
  };
  const double close = 1e-4;  // of a difference quotient
  CHECK(growth(ExponentialDot{0.7}, x) == Approx(7).epsilon(1e-14));
  CHECK(growth(ExponentialDot{0.7}, x) == Approx(condition(ExponentialDot{0.7})).epsilon(close));
  CHECK(growth(InverseDot{0.09}, x) == Approx(9).epsilon(1e-14));
  CHECK(growth(InverseDot{0.09}, x) == Approx(condition(InverseDot{0.09})).epsilon(close));
  CHECK(growth(cubic, x) == 3);
  CHECK(growth(cubic, x) >= condition(cubic));
  CHECK(growth(Sigmoid{{.gamma = 2, .coef0 = 1}}, x) == Approx(std::sqrt(20)).epsilon(1e-12));
  CHECK(growth(Sigmoid{{.gamma = 2}}, Matrix<double>(x * 1e170)) == 1);  // not known
  CHECK(growth(Linear{}, x) == 1);
  CHECK(growth(Gaussian{1}, x) == 1);
  CHECK(growth(ExponentialDot{1}, Matrix<double>(0, 2)) == 1);
  // Sums of 16 products have errors of two ulp.
  Matrix<double> wide = Matrix<double>::Zero(3, 16);
  wide.leftCols(2) = x;
  CHECK(growth(ExponentialDot{0.7}, wide) == Approx(14).epsilon(1e-14));
  CHECK(growth(ExponentialDot{0.7}, SparseMatrix<double>(x.sparseView())) ==
        growth(ExponentialDot{0.7}, x));
}

TEST_CASE("inner product: the domain of InverseDot", "[kernel]") {
  Matrix<double> x{{0.5, 0}, {0, 1.5}, {2, 0}};
  const std::string message =
      "mercer::InverseDot: needs |x|^2 < 1 / gamma = 4, got |x|^2 = 4 at row 2 (counted from 0)";
  CHECK(error_of([&] { return gram(InverseDot{0.25}, x); }) == message);
  const SparseMatrix<double> sparse = x.sparseView();
  CHECK(error_of([&] { return gram(InverseDot{0.25}, sparse); }) == message);
  CHECK(error_of([&] { return gram(InverseDot{0.24}, x); }) == "no error");
}

TEST_CASE("inner product: the domain of InverseDot in the scalar of the samples", "[kernel]") {
  // In single precision this gamma is 1, and 1 / (1 - 1) no value.
  const InverseDot kernel{0.99999999};
  CHECK(value(kernel, Matrix<double>{{1}}, Matrix<double>{{1}}) == about(1e8, 1e-7));
  CHECK(error_of([&] { return gram(kernel, Matrix<float>{{1}}); }) ==
        "mercer::InverseDot: needs |x|^2 < 1 / gamma = 1, got |x|^2 = 1 at row 0 (counted from 0)");
}

TEST_CASE("inner product: parameters that are refused", "[kernel]") {
  check_positive_parameter("ExponentialDot", "gamma", [](double p) { return ExponentialDot{p}; });
  check_positive_parameter("InverseDot", "gamma", [](double p) { return InverseDot{p}; });
  check_positive_parameter("Polynomial", "gamma", [](double p) {
    return Polynomial{{.gamma = p, .coef0 = 1, .degree = 2}};
  });
  const auto coef0 = [](double p) { return Polynomial{{.gamma = 1, .coef0 = p, .degree = 2}}; };
  CHECK(error_of([&] { return coef0(-1); }) ==
        "mercer::Polynomial: coef0 must be finite and not negative, got -1");
  CHECK(error_of([&] { return coef0(std::nan("")); }) ==
        "mercer::Polynomial: coef0 must be finite and not negative, got nan");
  CHECK(error_of([&] { return coef0(HUGE_VAL); }) ==
        "mercer::Polynomial: coef0 must be finite and not negative, got inf");
  CHECK(error_of([] { return Polynomial{{.gamma = 1, .coef0 = 0, .degree = 0}}; }) ==
        "mercer::Polynomial: degree must be at least 1, got 0");
  CHECK(error_of([] { return Sigmoid{{.gamma = std::nan(""), .coef0 = 0}}; }) ==
        "mercer::Sigmoid: gamma must be finite, got nan");
  CHECK(error_of([] { return Sigmoid{{.gamma = -1, .coef0 = -HUGE_VAL}}; }) ==
        "mercer::Sigmoid: coef0 must be finite, got -inf");
}

TEST_CASE("inner product: parameters and names", "[kernel]") {
  CHECK(Linear{}.describe() == "linear");
  CHECK(cubic.describe() == "polynomial(gamma=0.5, coef0=1, degree=3)");
  CHECK(Polynomial{}.params().degree == 3);
  CHECK(sigmoid.describe() == "sigmoid(gamma=0.1, coef0=-0.2)");
  CHECK(Sigmoid{}.params().coef0 == 0);
  CHECK(ExponentialDot{0.5}.describe() == "exponential-dot(gamma=0.5)");
  CHECK(ExponentialDot{0.5}.gamma() == 0.5);
  CHECK(InverseDot{0.5}.describe() == "inverse-dot(gamma=0.5)");
  CHECK(InverseDot{0.5}.gamma() == 0.5);
}

}  // namespace inner_product_test
