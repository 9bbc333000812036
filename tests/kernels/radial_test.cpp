// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <rapidcheck.h>

#include <mercer/kernels/radial.hpp>
#include <tests/kernels/kernel_checks.hpp>
#include <tests/support/catch.hpp>

namespace radial_test {

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double shortest = 1e-307;  // lengths below are refused

const Matern half{{.nu = 0.5, .length = 1}};
const Matern three_halves{{.nu = 1.5, .length = 1}};
const Matern five_halves{{.nu = 2.5, .length = 1}};
const Matern seven_halves{{.nu = 3.5, .length = 1}};
const Matern nine_halves{{.nu = 4.5, .length = 1}};
const Matern general{{.nu = 0.8, .length = 1}};
const RationalQuadratic quadratic{{.alpha = 2.5, .length = 1.5}};

/// Calls f with one kernel of each form.
template <class F>
void for_each_radial(F&& f) {
  f(Gaussian{0.9});
  f(quadratic);
  for (const Matern& kernel : {half, three_halves, five_halves, seven_halves, nine_halves, general})
    f(kernel);
}

}  // namespace

SCALAR_TEST_CASE("radial: reference values", "[kernel]") {
  const auto agrees = [](const auto& kernel, double expected) {
    CAPTURE(kernel.describe());
    CHECK(reference_value<TestType>(kernel) == about(expected, value_tolerance<TestType>));
  };
  agrees(Gaussian{1}, 0.173773943450445);
  agrees(Gaussian{2}, 0.645648526427892);
  agrees(Gaussian::from_gamma(0.1), 0.704688089718713);
  agrees(RationalQuadratic{{.alpha = 1, .length = 1}}, 0.363636363636364);
  agrees(quadratic, 0.508043916499276);
  agrees(half, 0.153995993462076);
  agrees(three_halves, 0.166007927247268);
  agrees(five_halves, 0.167982769267768);
  agrees(seven_halves, 0.168870981246914);
  agrees(Matern{{.nu = 1.5, .length = 2}}, 0.518435227485983);
  agrees(general, 0.161032009606855);
}

TEST_CASE("radial: Gaussian Gram matrix of four points", "[kernel]") {
  Matrix<double> expected{{1, 0.606530659713, 0.135335283237, 0.196911675204},
                          {0, 1, 0.082084998624, 0.535261428519},
                          {0, 0, 1, 0.196911675204},
                          {0, 0, 0, 1}};
  expected.triangularView<Eigen::StrictlyLower>() = expected.transpose();
  // The values above have 12 decimals.
  CHECK((gram(Gaussian{1}, four_points<double>()) - expected).cwiseAbs().maxCoeff() <= 5e-13);
}

SCALAR_TEST_CASE("radial: laws on 60 samples, equal samples give exactly 1", "[kernel][law]") {
  const Matrix<TestType> x = samples_for_laws<TestType>();
  for_each_radial([&](const auto& kernel) {
    CAPTURE(kernel.describe());
    check_laws(kernel, x);
    const Matrix<TestType> k = gram(kernel, x);
    CHECK((k.diagonal().array() == 1).all());
    CHECK(mercer::diagonal(kernel, x) == k.diagonal());
    CHECK(k(58, 0) == 1);
    CHECK(k.maxCoeff() == 1);
  });
}

SCALAR_TEST_CASE("radial: blocks of awkward sizes", "[kernel]") {
  check_awkward_sizes<TestType>(Gaussian{1.5}, [](const LongVector& x, const LongVector& y) {
    return std::exp(-(x - y).squaredNorm() / (2 * 1.5L * 1.5L));
  });
  check_awkward_sizes<TestType>(quadratic, [](const LongVector& x, const LongVector& y) {
    return std::pow(1 + (x - y).squaredNorm() / (2 * 2.5L * 1.5L * 1.5L), -2.5L);
  });
  check_awkward_sizes<TestType>(three_halves, [](const LongVector& x, const LongVector& y) {
    const long double t = std::sqrt(3.0L) * (x - y).norm();
    return (1 + t) * std::exp(-t);
  });
}

SCALAR_TEST_CASE("radial: without coordinates all samples are equal", "[kernel]") {
  for_each_radial([](const auto& kernel) { check_no_coordinates<TestType>(kernel, 1); });
}

SCALAR_TEST_CASE("radial: sparse samples as dense ones", "[kernel][sparse]") {
  check_sparse<TestType>(Gaussian{2});
  check_sparse<TestType>(quadratic);
  check_sparse<TestType>(five_halves);
}

TEST_CASE("radial: near samples far from the origin keep their digits", "[kernel]") {
  // Distances of 1e-3 between samples at 1e6; the first sample lies near the origin, so that no
  // shift common to all samples makes the others small.
  Matrix<double> x = uniform_samples<double>(40, 3, 41, 0, 1e-3);
  x.array() += 1e6;
  x.row(0) = uniform_samples<double>(1, 3, 42);
  const SparseMatrix<double> sparse = x.sparseView();
  for (const Index first : {0, 1}) {
    const Matrix<double> y = x.bottomRows(40 - first);
    const auto formula = [](const LongVector& u, const LongVector& v) {
      return std::exp(-(u - v).squaredNorm() / (2 * 1e-3L * 1e-3L));
    };
    CHECK(error_against(Gaussian{1e-3}, y, y, formula) <= 1e-12);
    // Rough kernels show the accuracy of the distance itself, also at 1 - 1e-9.
    const auto rough = [](const LongVector& u, const LongVector& v) {
      return std::exp(-(u - v).norm() / 1e-3L);
    };
    CHECK(error_against(Matern{{.nu = 0.5, .length = 1e-3}}, Matrix<double>(y.bottomRows(39)),
                        Matrix<double>(y.bottomRows(39)), rough) <= 1e-12);
  }
  CHECK((gram(Gaussian{1e-3}, sparse) - gram(Gaussian{1e-3}, x)).cwiseAbs().maxCoeff() <= 1e-12);
}

SCALAR_TEST_CASE("radial: huge and tiny scales", "[kernel]") {
  for_each_radial([](const auto& kernel) { check_extreme_scales<TestType>(kernel); });
  check_extreme_parameters<TestType>(
      [](double sigma) { return Gaussian{(std::max)(sigma, shortest)}; });
  check_extreme_parameters<TestType>(
      [](double length) { return Matern{{.nu = 1.5, .length = (std::max)(length, shortest)}}; });
  check_extreme_parameters<TestType>([](double alpha) {
    return RationalQuadratic{{.alpha = (std::max)(alpha, 1e-30), .length = 1}};
  });
  check_extreme_parameters<TestType>([](double length) {
    return RationalQuadratic{{.alpha = 1, .length = (std::max)(length, shortest)}};
  });

  // Samples and bandwidth scaled alike: the values stay.
  const TestType scale = static_cast<TestType>(large_scale<TestType>);
  const Matrix<TestType> x = uniform_samples<TestType>(20, 3, 5);
  const Matrix<TestType> k = gram(Gaussian{1}, x);
  for (const TestType c : {scale, 1 / scale}) {
    const Matrix<TestType> scaled = c * x;
    const Matrix<TestType> same = gram(Gaussian{static_cast<double>(c)}, scaled);
    CHECK((same - k).cwiseAbs().maxCoeff() <= TestType(value_tolerance<TestType>));
  }
}

SCALAR_TEST_CASE("radial: a large alpha is the Gaussian", "[kernel]") {
  const Matrix<TestType> x = uniform_samples<TestType>(20, 3, 5);
  for (const double alpha : {1e17, 1e35, 1e40, 1e308}) {
    CAPTURE(alpha);
    const Matrix<TestType> k = gram(RationalQuadratic{{.alpha = alpha, .length = 0.7}}, x);
    CHECK((k - gram(Gaussian{0.7}, x)).cwiseAbs().maxCoeff() <=
          TestType(value_tolerance<TestType>));
  }
}

SCALAR_TEST_CASE("radial: a small alpha", "[kernel]") {
  using S = TestType;
  // At a distance of 4: 1 / (1 + 8 / alpha)^alpha.
  for (const double alpha : {1e-30, 1e-20, 1e-9, 1e-3}) {
    CAPTURE(alpha);
    const RationalQuadratic kernel{{.alpha = alpha, .length = 1}};
    const Matrix<S> k = gram(kernel, Matrix<S>{{0}}, Matrix<S>{{4}});
    CHECK(k(0, 0) == about(std::exp(-alpha * std::log1p(8 / alpha)), value_tolerance<S>));
  }
  // The quotient is out of range, and the value is not.
  const S far = static_cast<S>(large_scale<S>);
  const Matrix<S> k =
      gram(RationalQuadratic{{.alpha = 1e-30, .length = 1}}, Matrix<S>{{0}}, Matrix<S>{{far}});
  CHECK(k(0, 0) == 1);
}

TEST_CASE("radial: parameters that are refused", "[kernel]") {
  check_positive_parameter("Gaussian", "sigma", [](double p) { return Gaussian{p}; });
  check_positive_parameter("Gaussian", "gamma", [](double p) { return Gaussian::from_gamma(p); });
  check_positive_parameter("RationalQuadratic", "alpha",
                           [](double p) { return RationalQuadratic{{.alpha = p, .length = 1}}; });
  CHECK(error_of([] { return RationalQuadratic{{.alpha = 1e-38, .length = 1}}; }) ==
        "mercer::RationalQuadratic: alpha must be at least 1e-30, got 1e-38");
  check_positive_parameter("RationalQuadratic", "length",
                           [](double p) { return RationalQuadratic{{.alpha = 1, .length = p}}; });
  check_positive_parameter("Matern", "nu", [](double p) { return Matern{{.nu = p, .length = 1}}; });
  check_positive_parameter("Matern", "length",
                           [](double p) { return Matern{{.nu = 1.5, .length = p}}; });
  CHECK(error_of([] { return Matern{{.nu = 50.5, .length = 1}}; }) ==
        "mercer::Matern: nu must be at most 50, got 50.5");
}

TEST_CASE("radial: a length whose inverse is infinite is refused", "[kernel]") {
  // Else the kernel would be that of another length, without a word.
  using Catch::Matchers::ContainsSubstring;
  const double least = 1 / (std::numeric_limits<double>::max)();  // a denormal number
  for (const double length : {5e-324, 1e-310, 0.9 * least}) {
    CHECK_THROWS_WITH(Gaussian(length), ContainsSubstring("mercer::Gaussian: sigma must be at") &&
                                            ContainsSubstring("got "));
    CHECK_THROWS_WITH(RationalQuadratic({.alpha = 1, .length = length}),
                      ContainsSubstring("RationalQuadratic: length must be at"));
    CHECK_THROWS_WITH(Matern({.nu = 0.5, .length = length}),
                      ContainsSubstring("Matern: length must be at"));
  }
  CHECK_NOTHROW(Gaussian(2 * least));
  CHECK_THROWS_AS(Matern({.nu = 50, .length = 2 * least}), InvalidArgument);  // 10 / length
  // Samples of that scale have few digits, but they are exact.
  const double sigma = 0x1p-1022;
  Matrix<double> x(2, 1), k(2, 2);
  x << 0, sigma;
  Gaussian(sigma).gram(x, x, k);
  CHECK(k(0, 1) == Approx(std::exp(-0.5)));
}

TEST_CASE("radial: parameters and names", "[kernel]") {
  CHECK(Gaussian{0.5}.describe() == "gaussian(sigma=0.5)");
  CHECK(Gaussian{0.5}.gamma() == 2);
  CHECK(Gaussian::from_gamma(2).sigma() == 0.5);
  CHECK(quadratic.describe() == "rational-quadratic(alpha=2.5, length=1.5)");
  CHECK(quadratic.params().alpha == 2.5);
  CHECK(general.describe() == "matern(nu=0.8, length=1)");
  CHECK(general.params().nu == 0.8);
  CHECK(RationalQuadratic{}.params().alpha == 1);
  CHECK(Matern{}.params().nu == 1.5);
}

TEST_CASE("radial: gamma at both ends of the range", "[kernel]") {
  // sigma = (2 gamma)^(-1/2) is in range for all of them.
  for (const double gamma : {4.9406564584124654e-324, 1e-310, 1e-300, 0.3, 1e300, 1.7e308}) {
    CAPTURE(gamma);
    const double sigma = Gaussian::from_gamma(gamma).sigma();
    const long double expected = std::sqrt(0.5L / static_cast<long double>(gamma));
    CHECK(sigma == about(static_cast<double>(expected), 1e-15));
  }
  CHECK(Gaussian::from_gamma(0.02).sigma() == 5);
  CHECK(std::isinf(Gaussian{1e-155}.gamma()));
  CHECK(Gaussian{1e155}.gamma() == 0);
}

TEST_CASE("radial: the integral of a Gaussian", "[kernel]") {
  static_assert(HasIntegral<Gaussian>);
  static_assert(!HasIntegral<RationalQuadratic>);  // it has none for small alpha
  const Gaussian kernel{0.9};
  // Sums over an equidistant grid converge faster than any power of the step.
  const Vector<double> line = Vector<double>::LinSpaced(201, -10, 10);
  const Vector<double> origin = Vector<double>::Zero(1);
  const double sum = 0.1 * gram(kernel, line, origin).sum();
  CHECK(kernel.integral(1) == Approx(sum).epsilon(1e-12));
  CHECK(kernel.integral(2) == Approx(sum * sum).epsilon(1e-12));
  CHECK(kernel.integral(0) == 1);
}

TEST_CASE("radial: the squared distance from a value undoes the kernel", "[kernel]") {
  for_each_radial([](const auto& kernel) {
    for (const double r : {1e-3, 0.1, 1.0, 4.0}) {
      CAPTURE(kernel.describe(), r);
      const double expected = std::pow(kernel.inverse_length() * r, 2);
      const double k = value(kernel, Matrix<double>{{0}}, Matrix<double>{{r}});
      // The value 1 - c r^2 determines r^2 to eps / r^2 only.
      CHECK(kernel.squared_distance_from_value(k) == about(expected, 1e-12 + 1e-14 / (r * r)));
    }
    CHECK(kernel.squared_distance_from_value(1) == 0);
  });
}

TEST_CASE("radial: the slope is the derivative in the squared distance", "[kernel]") {
  for_each_radial([](const auto& kernel) {
    CAPTURE(kernel.describe());
    const auto apply = [&](double d, bool slope) {
      Eigen::ArrayXd values = Eigen::ArrayXd::Constant(1, d);
      const detail::Values<double> view(values.data(), 1);
      if (slope)
        kernel.slope_from_squared_distances(view);
      else
        kernel.from_squared_distances(view);
      return values(0);
    };
    const auto difference = [&](double d) {
      const double h = 1e-4 * d;
      return (apply(d - h, false) - apply(d + h, false)) / (2 * h);
    };
    // Ratios, as the slope is given up to a constant; central differences are good to h^2 and
    // eps/h.
    const double constant = apply(1, true) / difference(1);
    for (const double d : {0.2, 0.7, 3.0})
      CHECK(apply(d, true) == about(constant * difference(d), 1e-6));
    CHECK(std::isfinite(apply(0, true)));
  });
}

TEST_CASE("radial: shift and scale of random samples", "[kernel][property]") {
  CHECK(rc::check("a shift by whole numbers changes nothing beyond rounding", [] {
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const Index n = *rc::gen::inRange<Index>(1, 40), d = *rc::gen::inRange<Index>(1, 6);
    const double shift = *rc::gen::inRange(-1000, 1000);
    const Matrix<double> x = uniform_samples<double>(n, d, seed);
    const Matrix<double> moved = x.array() + shift;
    // Coordinates near 1000 are rounded to 1e-13, which moves values by as much.
    for_each_radial([&](const auto& kernel) {
      const double change = (gram(kernel, moved) - gram(kernel, x)).cwiseAbs().maxCoeff();
      RC_ASSERT(change <= (kernel.describe().find("matern(nu=0.") == 0 ? 1e-8 : 1e-11));
    });
  }));
  CHECK(rc::check("Gaussian{c sigma} on c X is Gaussian{sigma} on X", [] {
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const Index n = *rc::gen::inRange<Index>(1, 40), d = *rc::gen::inRange<Index>(1, 6);
    const double c = std::pow(10.0, *rc::gen::inRange(-100, 100));
    const Matrix<double> x = uniform_samples<double>(n, d, seed), scaled = c * x;
    RC_ASSERT((gram(Gaussian{c * 0.7}, scaled) - gram(Gaussian{0.7}, x)).cwiseAbs().maxCoeff() <=
              1e-12);
  }));
}

}  // namespace radial_test
