// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What the tests of the kernel families share: single values, comparison with formulas in long
/// double, and the laws on 60 samples.

#ifndef MERCER_TESTS_KERNELS_KERNEL_CHECKS_HPP
#define MERCER_TESTS_KERNELS_KERNEL_CHECKS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include <mercer/kernels/evaluate.hpp>
#include <mercer/testing/kernel_laws.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace mercer::test {

using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// Relative accuracy asked of a single value: 1e-12 in double is what the reference values are
/// given to; float allows 2e-5, some 170 eps, for inner products of 33 terms under an exponential
/// or a third power.
template <Real S>
inline constexpr double value_tolerance = sizeof(S) == 4 ? 2e-5 : 1e-12;

template <Real S>
[[nodiscard]] Matrix<S> first_sample() {
  return Matrix<S>{{S(1), S(2), S(0.5)}};
}
template <Real S>
[[nodiscard]] Matrix<S> second_sample() {
  return Matrix<S>{{S(0.5), S(1), S(2)}};
}
/// The data set X4 of the worked examples.
template <Real S>
[[nodiscard]] Matrix<S> four_points() {
  return Matrix<S>{{S(0), S(0)}, {S(1), S(0)}, {S(0), S(2)}, {S(1.5), S(1)}};
}

/// k(x, y) for two samples given as rows.
template <class K, Real S>
[[nodiscard]] double value(const K& kernel, const Matrix<S>& x, const Matrix<S>& y) {
  return static_cast<double>(gram(kernel, x, y)(0, 0));
}

/// k(first_sample, second_sample).
template <Real S, class K>
[[nodiscard]] double reference_value(const K& kernel) {
  return value(kernel, first_sample<S>(), second_sample<S>());
}

[[nodiscard]] inline Approx about(double expected, double tolerance) {
  return Approx(expected).epsilon(tolerance).margin(0);
}

/// The largest relative difference between gram(kernel, x, y) and a formula in long double. Values
/// below 1e-292 (double) or 1e-31 (float), where the scalar is about to lose digits, count as 0.
template <class K, Real S, class Formula>
[[nodiscard]] double error_against(const K& kernel, const Matrix<S>& x, const Matrix<S>& y,
                                   Formula&& formula) {
  const Matrix<S> values = gram(kernel, x, y);
  REQUIRE(values.rows() == x.rows());
  REQUIRE(values.cols() == y.rows());
  const long double vanishing =
      (std::numeric_limits<S>::min)() / static_cast<long double>(std::numeric_limits<S>::epsilon());
  long double worst = 0;
  for (Index j = 0; j < y.rows(); ++j)
    for (Index i = 0; i < x.rows(); ++i) {
      const LongVector u = x.row(i).transpose().template cast<long double>();
      const LongVector v = y.row(j).transpose().template cast<long double>();
      const long double expected = formula(u, v);
      const long double error = std::abs(static_cast<long double>(values(i, j)) - expected);
      if (std::isnan(error)) return std::nan("");
      worst = (std::max)(worst, error / (std::max)(std::abs(expected), vanishing));
    }
  return static_cast<double>(worst);
}

/// Sizes around the edges of tiles (256), vector lanes (16 or 32) and unrolled columns (4).
inline constexpr std::array<std::array<Index, 3>, 6> awkward_sizes{
    {{1, 300, 1}, {300, 3, 2}, {257, 255, 2}, {3, 1, 33}, {255, 5, 33}, {33, 257, 3}}};

/// Compares with the formula for blocks of all awkward sizes, samples uniform in [low, high).
template <Real S, class K, class Formula>
void check_awkward_sizes(const K& kernel, Formula&& formula, double low = -1, double high = 1) {
  for (const auto& [n, m, d] : awkward_sizes) {
    CAPTURE(n, m, d);
    const Matrix<S> x = uniform_samples<S>(n, d, 11, low, high);
    const Matrix<S> y = uniform_samples<S>(m, d, 12, low, high);
    CHECK(error_against(kernel, x, y, formula) <= value_tolerance<S>);
  }
}

/// Samples without coordinates: every value is the one of the empty sum, product or distance.
template <Real S, class K>
void check_no_coordinates(const K& kernel, double expected) {
  const Matrix<S> x(3, 0);
  CHECK(gram(kernel, x).template cast<double>().isApproxToConstant(expected));
  CHECK(mercer::diagonal(kernel, x).template cast<double>().isApproxToConstant(expected));
  CHECK(gram(kernel, Matrix<S>(0, 4)).size() == 0);
  CHECK(gram(kernel, Matrix<S>(0, 4), Matrix<S>::Ones(2, 4)).cols() == 2);
}

/// 60 samples in four dimensions, the last ones equal or nearly equal to the first.
template <Real S>
[[nodiscard]] Matrix<S> samples_for_laws(double low = -1) {
  Matrix<S> x = uniform_samples<S>(60, 4, 7, low, 1);
  x.row(58) = x.row(0);
  x.row(59) = x.row(1) * S(1 + 1e-6);
  return x;
}

template <class K, class X>
void check_laws(const K& kernel, const X& x, bool positive_semidefinite = true) {
  const testing::KernelLaws laws =
      testing::kernel_laws(kernel, x, {.positive_semidefinite = positive_semidefinite});
  for (const std::string& violation : laws.violations) FAIL_CHECK(violation);
  const auto k = gram(kernel, x);
  CHECK(k == k.transpose());
}

/// Sparse samples, some rows without non-zeros, give what the same samples give in dense form.
template <Real S, class K>
void check_sparse(const K& kernel) {
  for (const Index n : {Index{1}, Index{3}, Index{257}}) {
    const Matrix<S> x = sparse_looking_samples<S>(n, 33, 21);
    const Matrix<S> y = sparse_looking_samples<S>(5, 33, 23);
    const SparseMatrix<S> sparse_x = x.sparseView(), sparse_y = y.sparseView();
    const Matrix<S> dense = gram(kernel, x, y);
    const S bound = static_cast<S>(value_tolerance<S>) * dense.cwiseAbs().maxCoeff();
    CHECK((gram(kernel, sparse_x, sparse_y) - dense).cwiseAbs().maxCoeff() <= bound);
    CHECK(
        (mercer::diagonal(kernel, sparse_x) - mercer::diagonal(kernel, x)).cwiseAbs().maxCoeff() <=
        bound + S(value_tolerance<S>) * mercer::diagonal(kernel, x).cwiseAbs().maxCoeff());
    const Matrix<S> square = gram(kernel, sparse_x);
    CHECK((square - gram(kernel, x)).cwiseAbs().maxCoeff() <=
          S(value_tolerance<S>) * square.cwiseAbs().maxCoeff());
  }
}

/// The message for a parameter that must be positive and finite, for each value that is not.
template <class Make>
void check_positive_parameter(const std::string& kernel, const std::string& name, Make&& make) {
  const auto message = [&](const char* got) {
    return "mercer::" + kernel + ": " + name + " must be positive and finite, got " + got;
  };
  CHECK(error_of([&] { return make(-1.0); }) == message("-1"));
  CHECK(error_of([&] { return make(0.0); }) == message("0"));
  CHECK(error_of([&] { return make(HUGE_VAL); }) == message("inf"));
  CHECK(error_of([&] { return make(std::nan("")); }) == message("nan"));
  CHECK(error_of([&] { return make(1e-3); }) == "no error");
}

/// Largest finite scale at which squares neither overflow nor underflow to nothing: 1e150, 1e15.
template <Real S>
inline constexpr double large_scale = sizeof(S) == 4 ? 1e15 : 1e150;

/// Huge and tiny samples, equal and opposite ones and zeros among them, give no NaN.
template <Real S, class K>
void check_extreme_scales(const K& kernel, double low = -1) {
  for (const double scale : {large_scale<S>, 1 / large_scale<S>}) {
    Matrix<S> x = uniform_samples<S>(37, 3, 31, low, 1) * static_cast<S>(scale);
    x.row(1).setZero();
    x.row(2) = x.row(0);
    if (low < 0) x.row(3) = -x.row(0);
    CAPTURE(scale);
    CHECK_FALSE(gram(kernel, x).hasNaN());
    CHECK_FALSE(mercer::diagonal(kernel, x).hasNaN());
  }
}

/// Parameters at both ends of the range of double, beyond that of float, give no NaN.
template <Real S, class Make>
void check_extreme_parameters(Make&& make, double low = -1) {
  Matrix<S> x = uniform_samples<S>(5, 3, 31, low, 1);
  x.row(1).setZero();
  x.row(2) = x.row(0);
  for (const double parameter : {1e-320, 1e-300, 1e-42, 1e42, 1e300}) {
    CAPTURE(parameter);
    CHECK_FALSE(gram(make(parameter), x).hasNaN());
  }
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_KERNELS_KERNEL_CHECKS_HPP
