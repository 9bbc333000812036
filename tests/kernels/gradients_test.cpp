// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/kernels/gradients.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <mercer/core/threads.hpp>
#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/composite.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/on_sphere.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace gradients_test {

using namespace mercer;

namespace {

/// The gradients at x, in a sum with weights that differ.
template <class K, class S>
Matrix<S> weighted_gradients(const K& kernel, const Matrix<S>& x, const Matrix<S>& points) {
  const Matrix<S> weights = test::uniform_samples<S>(x.rows(), points.rows(), 5);
  return detail::Gradients<K, S>(kernel, x, points).sum(weights);
}

}  // namespace

SCALAR_TEST_CASE("gradients: kernels of the distance, far from the origin", "[kernels]") {
  using S = TestType;
  // Samples of few digits, so that the shift rounds nothing: the differences of samples are the
  // same, and the gradients are, too. A float keeps 24 binary digits, a double 53.
  constexpr bool is_float = sizeof(S) == 4;
  const S fine = is_float ? S(0x1p7) : S(0x1p20), million = is_float ? S(0x1p16) : S(0x1p20);
  const auto samples = [fine](Index n, Index d, std::uint64_t seed) -> Matrix<S> {
    return (fine * test::uniform_samples<S>(n, d, seed)).array().round() / fine;
  };
  for (const Index d : {3, 30}) {  // distances by differences, and by inner products
    CAPTURE(d);
    const Matrix<S> x = samples(5, d, 1), points = samples(60, d, 2);
    const auto check = [&](const auto& kernel) {
      CAPTURE(kernel.describe());
      const Matrix<S> near = weighted_gradients(kernel, x, points);
      // Sums over 60 points, of differences of up to 2 and slopes of some units.
      const S rounding = 60 * 4 * std::numeric_limits<S>::epsilon();
      for (const S shift : {million, -million}) {
        CAPTURE(shift);
        const Matrix<S> far_x = x.array() + shift, far_points = points.array() + shift;
        const Matrix<S> far = weighted_gradients(kernel, far_x, far_points);
        CHECK((far - near).cwiseAbs().maxCoeff() <= rounding);
      }
      // One column far away is enough.
      Matrix<S> far_x = x, far_points = points;
      far_x.col(1).array() += million;
      far_points.col(1).array() += million;
      const Matrix<S> far = weighted_gradients(kernel, far_x, far_points);
      CHECK((far - near).cwiseAbs().maxCoeff() <= rounding);
    };
    check(Gaussian(2.0));
    check(RationalQuadratic{{.alpha = 1.5, .length = 2}});
    check(Matern{{.nu = 2.5, .length = 2}});
    check(0.5 * (Gaussian(3.0) + Gaussian(2.0) * Cauchy(0.5)));
  }
}

namespace {

/// Rows of the gradients of a Gaussian, in double, by differences: their largest relative error.
template <class S>
double largest_error(double sigma, const Matrix<S>& x, const Matrix<S>& points) {
  const Matrix<double> weights =
      test::uniform_samples<S>(x.rows(), points.rows(), 5).template cast<double>();
  const Matrix<double> found =
      weighted_gradients(Gaussian(sigma), x, points).template cast<double>();
  double largest = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(x.cols());
    for (Index j = 0; j < points.rows(); ++j) {
      const Eigen::RowVectorXd u =
          (x.row(i).template cast<double>() - points.row(j).template cast<double>()) / sigma;
      sum -= weights(i, j) / sigma * std::exp(-u.squaredNorm() / 2) * u;
    }
    largest = (std::max)(largest, (found.row(i) - sum).norm() / sum.norm());
  }
  return largest;
}

}  // namespace

SCALAR_TEST_CASE("gradients: clusters far from each other", "[kernels]") {
  using S = TestType;
  constexpr S eps = std::numeric_limits<S>::epsilon();
  for (const Index d : {3, 30}) {  // distances by differences, and by inner products
    const Matrix<S> x = test::uniform_samples<S>(20, d, 1);
    const Matrix<S> points = test::uniform_samples<S>(60, d, 2);
    // Exponents of up to about 20, with the relative errors of the squared distances.
    const double tolerance = 20 * (d == 3 ? 8.0 : 128 * std::sqrt(30.0)) * double{eps};
    for (const S offset : {S(1e2), S(1e4), S(1e6)}) {
      CAPTURE(d, offset);
      Matrix<S> two_x = x, two_points = points;
      two_x.bottomRows(10).array() += offset;
      two_points.bottomRows(30).array() += offset;
      CHECK(largest_error<S>(1, two_x, two_points) <= tolerance);
    }
  }
}

SCALAR_TEST_CASE("gradients: a narrow kernel at its own points", "[kernels]") {
  using S = TestType;
  const double eps = double{std::numeric_limits<S>::epsilon()};
  // Points that the kernel hardly connects: what is left of the gradients is far smaller than the
  // slope at the point itself. Exponents of up to 50, with the errors of squared distances.
  const Matrix<S> few = test::uniform_samples<S>(200, 3, 6);
  CHECK(largest_error<S>(0.06, few, few) <= 50 * 8 * eps);
  const Matrix<S> many = test::uniform_samples<S>(200, 20, 6, -2, 2);
  CHECK(largest_error<S>(0.8, many, many) <= 50 * 128 * std::sqrt(20.0) * eps);
  // At the only point that is near.
  Matrix<S> two = test::uniform_samples<S>(2, 4, 7);
  two.row(1).array() += S(1e6);
  CHECK((weighted_gradients(Gaussian(0.1), two, two).array() == 0).all());
  const Matrix<S> one = two.bottomRows(1);
  CHECK((weighted_gradients(Matern{{.nu = 2.5, .length = 0.1}}, one, one).array() == 0).all());
}

TEST_CASE("gradients: samples at an infinite distance", "[kernels]") {
  const Matrix<double> x{{1e308, 0}}, points{{-1e308, 0}};
  CHECK((weighted_gradients(Cauchy(2.0), x, points).array() == 0).all());
}

TEST_CASE("gradients: a point a million away from the origin", "[kernels]") {
  // At x = p + (1/4, 0): -(x - p) exp(-1/32).
  const Matrix<double> p{{1e6, -1e6}}, x{{1e6 + 0.25, -1e6}};
  const Matrix<double> found =
      weighted_gradients(Gaussian(1.0), x, p) / test::uniform_samples<double>(1, 1, 5)(0, 0);
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  CHECK(found(0, 0) == Approx(-0.25 * std::exp(-0.03125)).epsilon(rounding));
  CHECK(found(0, 1) == 0);
}

SCALAR_TEST_CASE("gradients: lengths whose squares are out of range", "[kernels]") {
  using S = TestType;
  // Samples of few digits, and multiples of them by powers of two, which round nothing: so
  // gradients have the same digits. The squares of all but the first are out of the range of float
  // or double.
  constexpr bool is_float = sizeof(S) == 4;
  const auto samples = [](Index n, Index d, std::uint64_t seed) -> Matrix<S> {
    return (S(0x1p7) * test::uniform_samples<S>(n, d, seed)).array().round() / S(0x1p7);
  };
  for (const Index d : {3, 30}) {  // distances by differences, and by inner products
    const Matrix<S> x = samples(5, d, 1), points = samples(60, d, 2);
    const auto check = [&](const auto& kernel_of_length) {
      const Matrix<S> plain = weighted_gradients(kernel_of_length(1.0), x, points);
      REQUIRE(plain.cwiseAbs().minCoeff() > 0);
      for (const int power : {30, 67, 90, 110})
        for (const int sign : {1, -1}) {
          const int exponent = (is_float ? 1 : 8) * sign * power;
          const S unit = std::ldexp(S(1), exponent);
          CAPTURE(d, exponent);
          const Matrix<S> some = unit * x, others = unit * points;
          const auto kernel = kernel_of_length(double{unit});
          CHECK(Matrix<S>(unit * weighted_gradients(kernel, some, others)) == plain);
        }
    };
    check([](double length) { return Gaussian(3 * length); });
    check([](double length) { return RationalQuadratic{{.alpha = 1.5, .length = 3 * length}}; });
    check([](double length) { return Matern{{.nu = 2.5, .length = 3 * length}}; });
    check([](double length) { return 0.5 * (Gaussian(3 * length) * Gaussian(2 * length)); });
  }
}

TEST_CASE("gradients: a float at a distance of 1e-20 and 1e20", "[kernels]") {
  // At x = p + u for a length of u: -exp(-1/2) / u.
  for (const double u : {1e-20, 1e20}) {
    CAPTURE(u);
    const Matrix<float> p{{0}}, x{{static_cast<float>(u)}};
    const Matrix<float> found =
        weighted_gradients(Gaussian(u), x, p) / test::uniform_samples<float>(1, 1, 5)(0, 0);
    CHECK(double{found(0, 0)} * u == Approx(-std::exp(-0.5)).epsilon(1e-6));
  }
}

TEST_CASE("gradients: a slope in range, with a square of the length that is not", "[kernels]") {
  // -exp(-r^2 / 2) / (2 sigma^2) at a distance of r sigma. With sigma = 1e-20, the constant alone
  // is 5e39.
  Matrix<float> out(1, 1);
  const Matrix<float> x{{4e-20F}}, p{{0}};
  slope<Gaussian, float>(Gaussian(1e-20), x, p, out);
  CHECK(double{out(0, 0)} * 1e-40 == Approx(-0.5 * std::exp(-8.0)).epsilon(1e-5));
}

TEST_CASE("gradients: no points and no columns", "[kernels]") {
  const auto check = [](const auto& kernel) {
    const Matrix<double> x = Matrix<double>::Ones(3, 2), none(0, 2), flat(3, 0);
    CHECK(weighted_gradients(kernel, x, none) == Matrix<double>(Matrix<double>::Zero(3, 2)));
    CHECK(weighted_gradients(kernel, none, x).rows() == 0);
    CHECK(weighted_gradients(kernel, flat, flat).size() == 0);
  };
  check(Gaussian(1.0));
  check(Polynomial{});
  check(Cosine{});
}

TEST_CASE("gradients: the same bits on any number of threads", "[kernels][threads][slow]") {
  // So large that Eigen splits the products of all threads.
  const Matrix<double> x = test::uniform_samples<double>(1100, 40, 3);
  const Matrix<double> points = test::uniform_samples<double>(1500, 40, 4);
  const int before = thread_count();
  const auto check = [&](const auto& kernel) {
    CAPTURE(kernel.describe());
    set_thread_count(1);
    const Matrix<double> one = weighted_gradients(kernel, x, points);
    for (const int threads : {2, 3}) {
      CAPTURE(threads);
      set_thread_count(threads);
      CHECK((weighted_gradients(kernel, x, points) == one));
    }
    set_thread_count(before);
  };
  check(Gaussian(2.0));
  check(Polynomial{{.gamma = 0.1, .coef0 = 1, .degree = 3}});
  check(Cosine{});
  check(ArcCosine(1));
  check(OnSphere{Gaussian(0.7)} * Linear{});
}

}  // namespace gradients_test
