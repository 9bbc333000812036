// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/fastfood.hpp>

#include <bit>
#include <cmath>
#include <cstdint>

#include <mercer/features/random_fourier.hpp>
#include <tests/features/feature_checks.hpp>
#include <tests/features/isotropic_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

using namespace mercer;

static_assert(FeatureMapFor<Fastfood, Gaussian> && FeatureMapFor<Fastfood, Matern>);
static_assert(FeatureMapFor<Fastfood, RationalQuadratic>);
static_assert(!FeatureMapFor<Fastfood, Laplacian> && !FeatureMapFor<Fastfood, Cauchy>);
static_assert(BoundFeatureMap<BoundFastfood<float>> && BoundFeatureMap<BoundFastfood<double>>);

namespace {

/// The frequencies of a block as rows, from products of matrices.
Matrix<double> frequencies_of(const FastfoodBlock<double>& block, Index d) {
  const Index p = block.signs.rows(), features = block.lengths.size();
  Matrix<double> hadamard = Matrix<double>::Identity(p, p);
  for (Index i = 0; i < p; ++i)
    for (Index j = 0; j < p; ++j)
      hadamard(i, j) = std::popcount(static_cast<std::uint64_t>(i & j)) % 2 == 0 ? 1 : -1;
  Matrix<double> w(p * block.signs.cols(), d);
  for (Index group = 0; group < block.signs.cols(); ++group) {
    Matrix<double> permute = Matrix<double>::Zero(p, p);
    for (Index i = 0; i < p; ++i)
      permute(i, block.permutation[static_cast<std::size_t>(group * p + i)]) = 1;
    w.middleRows(group * p, p) = (hadamard * block.normals.col(group).asDiagonal() * permute *
                                  hadamard * block.signs.col(group).asDiagonal())
                                     .leftCols(d);
  }
  return block.lengths.asDiagonal() * w.topRows(features);
}

}  // namespace

TEMPLATE_TEST_CASE("Fastfood: the Hadamard transform", "[features]", float, double) {
  Matrix<TestType> a(2, 4);
  a << 1, 2, 3, 4, 1, 0, 0, 0;
  detail::hadamard_transform(a);
  Matrix<TestType> expected(2, 4);
  expected << 10, -2, -4, 0, 1, 1, 1, 1;
  CHECK(a == expected);
  Matrix<TestType> one(3, 1);
  one << 1, 2, 3;
  const Matrix<TestType> before = one;
  detail::hadamard_transform(one);
  CHECK(one == before);
}

TEST_CASE("Fastfood: the fast product is that with the frequencies", "[features]") {
  for (const Index d : {1, 3, 4, 37}) {
    CAPTURE(d);
    const Matrix<double> x = test::uniform_samples<double>(70, d, 5);
    for (const FourierForm form : {FourierForm::Paired, FourierForm::Phase}) {
      const Fastfood settings{.features = 11, .form = form};
      const auto map = settings.bind<double>(Gaussian(1), sample_bounds(x), 3);
      FastfoodBlock<double> block;
      map.draw(2, block);
      const FourierBlock<double> same{frequencies_of(block, d), block.phases};
      const auto reference = RandomFourier{.features = 11, .form = form}.bind<double>(
          Gaussian(1), sample_bounds(x), 3);
      Matrix<double> expected(70, map.columns());
      reference.evaluate(same, x, expected);
      CHECK((block_features(map, 2, x) - expected).cwiseAbs().maxCoeff() <= 1e-13);
    }
  }
}

TEST_CASE("Fastfood: means are the kernel", "[features][law]") {
  // Three dimensions make groups of four frequencies.
  test::check_isotropic_means<Fastfood>(4);
}

TEST_CASE("Fastfood: the variance is less than three times that of independent frequencies",
          "[features][law]") {
  CHECK(test::variance_ratio<Fastfood>(16, 1) < 3);
}

TEMPLATE_TEST_CASE("Fastfood: a block depends on its number and the seed alone", "[features][law]",
                   float, double) {
  SECTION("paired, in part of a group") {
    test::check_purity<TestType>(Fastfood{.features = 7}, Gaussian(0.7));
  }
  SECTION("phase, more than a group") {
    test::check_purity<TestType>(Fastfood{.features = 70, .form = FourierForm::Phase}, Matern());
  }
}

TEST_CASE("Fastfood: samples without columns, and scales of any size", "[features]") {
  test::check_extremes<Fastfood>();
}

TEST_CASE("Fastfood: settings out of range", "[features][error]") {
  CHECK(test::error_of([&] {
          return Fastfood{.features = 0}.bind<double>(Gaussian(1), {.dimension = 2}, 1);
        }) == "mercer::Fastfood: features must be at least 1, got 0");
}
