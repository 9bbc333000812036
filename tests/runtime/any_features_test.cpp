// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/runtime/any_features.hpp>

#include <concepts>
#include <cstddef>
#include <limits>
#include <string>

#include <mercer/features/detail/feature_blocks.hpp>
#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <tests/features/feature_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace any_features_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(BoundFeatureMap<BoundAnyFeatures<float>>);
static_assert(BoundFeatureMap<BoundAnyFeatures<double>>);
static_assert(FeatureMapFor<AnyFeatures, Gaussian> && FeatureMapFor<AnyFeatures, Sigmoid>);
static_assert(!std::constructible_from<AnyFeatures, Gaussian>);

namespace {

/// Samples that every kernel takes.
template <Real S>
Matrix<S> samples() {
  return test::sparse_looking_samples<S>(300, 5, 3).cwiseAbs();
}

/// The size of a block, or what stands for one that does not know it.
template <class Block>
std::size_t bytes(const Block& block) {
  if constexpr (detail::HasBytes<Block>)
    return block.bytes();
  else
    return (std::numeric_limits<std::size_t>::max)();
}

template <Real S, class F, class K>
void check_same_features(const F& map, const K& kernel) {
  const AnyFeatures any = map;
  CAPTURE(any.describe());
  CHECK(any.describe() == map.describe());
  CHECK(any.fits<K>());
  const Matrix<S> x = samples<S>();
  const SampleBounds bounds = sample_bounds(x);
  const auto concrete = map.template bind<S>(kernel, bounds, 7);
  const BoundAnyFeatures<S> erased = any.bind<S>(kernel, bounds, 7);
  CHECK(erased.columns() == concrete.columns());
  CHECK(erased.dimension() == concrete.dimension());
  CHECK(erased.is_deterministic() ==
        IsDeterministic<decltype(map.template bind<S>(kernel, bounds, 7))>);
  CHECK(block_features(erased, 3, x) == block_features(concrete, 3, x));
  typename BoundAnyFeatures<S>::Block erased_block;
  typename decltype(concrete)::Block block;
  erased.draw(3, erased_block);
  concrete.draw(3, block);
  CHECK(erased_block.bytes() == bytes(block));
}

}  // namespace

SCALAR_TEST_CASE("AnyFeatures: the features of each map, to the last bit", "[features]") {
  using S = TestType;
  check_same_features<S>(RandomFourier{.features = 6, .form = FourierForm::Phase}, Matern{});
  check_same_features<S>(OrthogonalFourier{.features = 6}, Gaussian{1.5});
  check_same_features<S>(Fastfood{.features = 6}, RationalQuadratic{});
  check_same_features<S>(RandomMaclaurin{.features = 6}, ExponentialDot{0.3});
  check_same_features<S>(TensorSketch{.features = 6}, Polynomial{});
  check_same_features<S>(RandomLaplace{.features = 6}, ReciprocalSemigroup{1.0});
  check_same_features<S>(ArcCosineFeatures{.features = 6}, ArcCosine{1});
  check_same_features<S>(AdditiveFeatures{.features = 2, .form = AdditiveForm::Threshold},
                         Intersection{});
  check_same_features<S>(HomogeneousKernelMap{}, AdditiveChiSquare{});
  check_same_features<S>(ChiSquareFeatures{.features = 6}, ChiSquare{0.5});
  check_same_features<S>(ExactFeatures{}, Cosine{});
  check_same_features<S>(NystromFeatures{Matrix<double>(samples<double>().topRows(6))},
                         Sigmoid{{.gamma = 1e-3, .coef0 = 0}});
}

TEST_CASE("AnyFeatures: a block depends on its number and the seed alone", "[features][law]") {
  test::check_purity<double>(AnyFeatures(RandomFourier{.features = 6}), Gaussian{1.5});
}

TEST_CASE("AnyFeatures: a block is drawn anew by another map", "[features]") {
  const Matrix<double> x = samples<double>();
  const SampleBounds bounds = sample_bounds(x);
  const auto fourier =
      AnyFeatures(RandomFourier{.features = 4}).bind<double>(Gaussian{1.5}, bounds, 1);
  const auto fastfood = AnyFeatures(Fastfood{.features = 4}).bind<double>(Gaussian{1.5}, bounds, 1);
  BoundAnyFeatures<double>::Block block;
  fourier.draw(0, block);
  fastfood.draw(0, block);
  Matrix<double> z(x.rows(), fastfood.columns());
  fastfood.evaluate(block, x, z);
  CHECK(z == block_features(fastfood, 0, x));
}

TEST_CASE("AnyFeatures: a kernel that the map does not fit", "[features]") {
  AnyFeatures map = TensorSketch{.features = 8};
  CHECK(map.fits<Polynomial>());
  CHECK_FALSE(map.fits<Gaussian>());
  CHECK_THROWS_WITH(
      map.bind<double>(Gaussian{1.5}, {.dimension = 2}, 1),
      ContainsSubstring("tensor-sketch(features=8)") && ContainsSubstring("gaussian(sigma=1.5)"));
  map = RandomFourier{.features = 0};
  CHECK_THROWS_WITH(map.bind<double>(Gaussian{1.5}, {.dimension = 2}, 1),
                    ContainsSubstring("RandomFourier: features must be at least 1"));
}

SCALAR_TEST_CASE("AnyFeatures: fits have the bits of those with the map itself", "[features]") {
  const Matrix<TestType> x = samples<TestType>();
  const auto same = [&](const auto& one, const auto& other) {
    const auto a = KernelPca{Gaussian{1.5}, one, {.components = 2}}.fit(x);
    const auto b = KernelPca{Gaussian{1.5}, other, {.components = 2}}.fit(x);
    CHECK(a.eigenvalues() == b.eigenvalues());
    CHECK(a.coefficients() == b.coefficients());
    CHECK(a.transform(x) == b.transform(x));
    CHECK(a.report().storage == b.report().storage);
    CHECK(a.report().bytes == b.report().bytes);
  };
  const Fastfood map{.features = 6};
  same(FeaturePca{map}, FeaturePca{AnyFeatures(map)});
  const DoublyStochasticParams params{.blocks = 3, .data_batch = 16, .steps = 20};
  same(DoublyStochastic{map, params}, DoublyStochastic{AnyFeatures(map), params});
}

}  // namespace any_features_test
