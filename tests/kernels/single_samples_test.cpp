// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/kernels/single_samples.hpp>

#include <cmath>

#include <mercer/kernels/composite.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace single_samples_test {

using namespace mercer;

namespace {

/// A user's kernel with a weight for each column: exp(-sum_j w_j (x_j - y_j)^2), w_j = 1 + j.
struct WeightedColumns {
  static constexpr bool translation_invariant = true;

  template <DenseSamples X, Real S = typename X::Scalar>
  void gram(const X& x, const X& y, GramOut<typename X::Scalar> out) const {
    for (Index j = 0; j < out.cols(); ++j)
      for (Index i = 0; i < out.rows(); ++i) {
        S sum = 0;
        for (Index c = 0; c < x.cols(); ++c) {
          const S difference = x(i, c) - y(j, c);
          sum += static_cast<S>(1 + c) * difference * difference;
        }
        out(i, j) = std::exp(-sum);
      }
  }
};

/// Samples far from the origin; column 1 is the same for all.
Matrix<double> with_constant_column() {
  Matrix<double> x = test::uniform_samples<double>(40, 4, 3).array() + 1e6;
  x.col(1).setConstant(0.3);
  return x;
}

}  // namespace

TEST_CASE("single samples: without their offset, and without columns that are equal if wanted",
          "[kernels]") {
  const Matrix<double> x = with_constant_column();
  const Matrix<float> single = detail::to_single(x, true, false);
  REQUIRE(single.cols() == 4);
  CHECK(single.col(1).isZero(0));
  // What is left of column 0 is a number between -4 and 4, rounded to float.
  constexpr double rounding = 4 * 0x1p-24;
  const Matrix<double> rounded = single.cast<double>();
  for (const Index j : {0, 2, 3})
    CHECK(((rounded.col(j).array() - rounded(0, j)) - (x.col(j).array() - x(0, j)))
              .abs()
              .maxCoeff() <= 2 * rounding);
  CHECK(detail::to_single(x, false, false) == x.cast<float>());
  Matrix<float> varying(40, 3);
  varying << single.col(0), single.col(2), single.col(3);
  CHECK(detail::to_single(x, true, true) == varying);
  // Without a column that varies, too.
  const Matrix<double> same = Matrix<double>::Constant(3, 2, 7);
  CHECK(detail::to_single(same, true, false) == Matrix<float>(Matrix<float>::Zero(3, 2)));
  CHECK(detail::to_single(same, true, true) == Matrix<float>(3, 0));
}

TEST_CASE("single samples: a user's kernel with a weight for each column", "[kernels]") {
  const Matrix<double> x = with_constant_column();
  const auto check = [&](const auto& kernel, Index columns) {
    const KernelView<Matrix<double>> view(kernel);
    REQUIRE(view.has_single());
    const Matrix<float> single = view.to_single(x);
    CHECK(single.cols() == columns);
    Matrix<float> values(40, 40);
    view.fill_single(single, {0, 40}, single, {0, 40}, values);
    // Exponents of up to 40, whose terms are rounded to float some times.
    constexpr double tolerance = 1e-5;
    CHECK((values.cast<double>() - gram(kernel, x)).cwiseAbs().maxCoeff() <= tolerance);
  };
  check(WeightedColumns{}, 4);
  check(WeightedColumns{} * Gaussian(2.0), 4);
  check(0.5 * WeightedColumns{}, 4);
  // Kernels of distances do not see column 1.
  check(Gaussian(2.0), 3);
  check(0.5 * (Gaussian(2.0) + Laplacian(1.0)), 3);
}

}  // namespace single_samples_test
