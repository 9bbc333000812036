// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/tensor_sketch.hpp>

#include <cmath>
#include <limits>

#include <mercer/kernels/radial.hpp>
#include <tests/features/feature_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace tensor_sketch_test {

using namespace mercer;

static_assert(FeatureMapFor<TensorSketch, Polynomial> && !FeatureMapFor<TensorSketch, Gaussian>);
static_assert(BoundFeatureMap<BoundTensorSketch<float>>);
static_assert(BoundFeatureMap<BoundTensorSketch<double>>);

namespace {

/// The circular convolution of the count sketches, by its definition.
Matrix<double> convolved(const BoundTensorSketch<double>::Block& block, const Polynomial& kernel,
                         const Matrix<double>& x, Index length) {
  Matrix<double> lifted(x.rows(), x.cols() + 1);
  lifted << std::sqrt(kernel.params().gamma) * x,
      Vector<double>::Constant(x.rows(), std::sqrt(kernel.params().coef0));
  Matrix<double> out;
  for (Index q = 0; q < kernel.params().degree; ++q) {
    Matrix<double> sketch = Matrix<double>::Zero(x.rows(), length);
    for (Index c = 0; c < lifted.cols(); ++c)
      sketch.col(block.places(c, q)) += block.signs(c, q) * lifted.col(c);
    if (q == 0) {
      out = sketch;
      continue;
    }
    Matrix<double> next = Matrix<double>::Zero(x.rows(), length);
    for (Index a = 0; a < length; ++a)
      for (Index b = 0; b < length; ++b)
        next.col((a + b) % length) += out.col(a).cwiseProduct(sketch.col(b));
    out = next;
  }
  return out;
}

}  // namespace

SCALAR_TEST_CASE("TensorSketch: given places and signs", "[features]") {
  // The worked example of the specification.
  Matrix<TestType> x(2, 3);
  x << 1, 2, TestType(0.5), TestType(0.5), 1, 2;
  const Polynomial kernel({.gamma = 1, .coef0 = 1, .degree = 2});
  const auto map = TensorSketch{.features = 4}.bind<TestType>(kernel, sample_bounds(x), 1);
  typename BoundTensorSketch<TestType>::Block block;
  block.places.resize(4, 2);
  block.places << 0, 1, 1, 3, 2, 3, 3, 0;
  block.signs.resize(4, 2);
  block.signs << 1, -1, -1, 1, 1, 1, 1, -1;
  Matrix<TestType> expected(2, 4);
  expected << -7, TestType(2.25), 4, 1, -4, TestType(6.75), TestType(1.5), TestType(-0.5);
  const double tolerance = sizeof(TestType) == 4 ? 1e-6 : 1e-12;
  Matrix<TestType> z(2, 4);
  map.evaluate(block, x, z);
  CHECK((z - expected).template cast<double>().cwiseAbs().maxCoeff() <= tolerance);
  CHECK(z.row(0).dot(z.row(1)) == Approx(48.6875).epsilon(tolerance));
  map.evaluate(block, SparseMatrix<TestType>(x.sparseView()), z);
  CHECK((z - expected).template cast<double>().cwiseAbs().maxCoeff() <= tolerance);
}

TEST_CASE("TensorSketch: convolutions of every length", "[features]") {
  const Matrix<double> x = test::uniform_samples<double>(40, 5, 3);
  for (const int degree : {1, 2, 3})
    for (const Index length : {1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 17, 30, 64, 97}) {
      CAPTURE(degree, length);
      const Polynomial kernel({.gamma = 0.5, .coef0 = 2, .degree = degree});
      const auto map = TensorSketch{.features = length}.bind<double>(kernel, sample_bounds(x), 7);
      BoundTensorSketch<double>::Block block;
      map.draw(1, block);
      Matrix<double> z(40, length);
      map.evaluate(block, x, z);
      const Matrix<double> expected = convolved(block, kernel, x, length);
      CHECK((z - expected).cwiseAbs().maxCoeff() <= 1e-14 * (1 + expected.cwiseAbs().maxCoeff()));
    }
}

TEST_CASE("TensorSketch: means are the kernel, variances within the bound",
          "[features][law][slow]") {
  const Matrix<double> x = test::five_points<double>();
  const auto check = [&](const Polynomial& kernel, Index length) {
    CAPTURE(length);
    constexpr auto blocks = static_cast<int>(test::moment_draws);
    const Polynomial::Params p = kernel.params();
    const Matrix<double> k = gram(kernel, x);
    const auto map =
        TensorSketch{.features = length}.bind<double>(kernel, sample_bounds(x), test::feature_seed);
    Matrix<double> mean = Matrix<double>::Zero(5, 5), square = mean;
    for (std::uint64_t b = 0; b < blocks; ++b) {
      const Matrix<double> z = block_features(map, b, x), error = z * z.transpose() - k;
      mean += error / blocks;
      square += error.cwiseAbs2() / blocks;
    }
    // Two points whose norms are those of the lifted samples to the power p.
    const Vector<double> sizes = k.diagonal();
    const Matrix<double> bound =
        (2 + std::pow(3, p.degree)) / static_cast<double>(length) * sizes * sizes.transpose();
    CHECK((mean.cwiseAbs() - test::five_sigma * (square / blocks).cwiseSqrt()).maxCoeff() <= 0);
    CHECK((square - bound).maxCoeff() <= 0);
    // The bound is not far off either: a scale of the features that is wrong would show.
    CHECK(square.cwiseQuotient(bound).maxCoeff() >= 0.1);
  };
  check(Polynomial({.gamma = 0.5, .coef0 = 1, .degree = 2}), 16);
  check(Polynomial({.gamma = 0.5, .coef0 = 1, .degree = 3}), 15);
  check(Polynomial({.gamma = 2, .coef0 = 0, .degree = 2}), 17);
}

SCALAR_TEST_CASE("TensorSketch: a block depends on its number and the seed alone",
                 "[features][law]") {
  SECTION("a power of two") {
    test::check_purity<TestType>(TensorSketch{.features = 16}, Polynomial());
  }
  SECTION("odd, without a constant") {
    test::check_purity<TestType>(TensorSketch{.features = 21},
                                 Polynomial({.gamma = 0.1, .coef0 = 0, .degree = 2}));
  }
}

TEST_CASE("TensorSketch: one place, and samples without columns", "[features]") {
  // One place adds up all coordinates with signs; without columns the constant is all there is.
  const Matrix<double> none(3, 0);
  const Polynomial kernel({.gamma = 1, .coef0 = 2, .degree = 2});
  for (const Index length : {1, 8}) {
    const auto map = TensorSketch{.features = length}.bind<double>(kernel, sample_bounds(none), 1);
    const Matrix<double> z = block_features(map, 0, none);
    CHECK(((z * z.transpose()).array() - 4).abs().maxCoeff() <= 1e-14);
  }
  const Matrix<double> nothing(0, 3);
  const auto map = TensorSketch{.features = 4}.bind<double>(kernel, sample_bounds(nothing), 1);
  CHECK(block_features(map, 0, nothing).rows() == 0);
}

TEST_CASE("TensorSketch: settings out of range", "[features][error]") {
  const auto bound_with = [](Index features) {
    return test::error_of([&] {
      return TensorSketch{.features = features}.bind<double>(Polynomial(), {.dimension = 2}, 1);
    });
  };
  CHECK(bound_with(0) == "mercer::TensorSketch: features must be at least 1, got 0");
  CHECK(bound_with(Index{1} << 31) ==
        "mercer::TensorSketch: features must fit an int, got 2147483648");
}

}  // namespace tensor_sketch_test
