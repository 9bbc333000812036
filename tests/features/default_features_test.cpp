// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/default_features.hpp>

#include <concepts>
#include <utility>

#include <mercer/kernels/composite.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace default_features_test {

using namespace mercer;

namespace {

template <class K, class F>
constexpr bool has = std::same_as<decltype(default_features(std::declval<K>())), F>;

}  // namespace

static_assert(has<Gaussian, RandomFourier> && has<Laplacian, RandomFourier>);
static_assert(has<Cauchy, RandomFourier> && has<Matern, RandomFourier>);
static_assert(has<RationalQuadratic, RandomFourier>);
static_assert(has<Linear, ExactFeatures> && has<Cosine, ExactFeatures>);
static_assert(has<Polynomial, TensorSketch>);
static_assert(has<ExponentialDot, RandomMaclaurin> && has<InverseDot, RandomMaclaurin>);
static_assert(has<ExponentialSemigroup, RandomLaplace> && has<ReciprocalSemigroup, RandomLaplace>);
static_assert(has<ArcCosine, ArcCosineFeatures>);
static_assert(has<AdditiveChiSquare, AdditiveFeatures> && has<Intersection, AdditiveFeatures>);
static_assert(has<ChiSquare, ChiSquareFeatures>);
static_assert(has<OnSphere<Gaussian>, ZonalFeatures> && has<OnSphere<Polynomial>, ZonalFeatures>);
static_assert(!HasDefaultFeatures<OnSphere<Laplacian>> && !HasDefaultFeatures<OnSphere<Matern>>);
static_assert(!HasDefaultFeatures<OnSphere<RationalQuadratic>>);
static_assert(!HasDefaultFeatures<Sigmoid> && !HasDefaultFeatures<Sum<Gaussian, Gaussian>>);

TEST_CASE("default_features: settings can be changed", "[features]") {
  const Matrix<double> x = test::uniform_samples<double>(4, 3, 5);
  const Polynomial kernel;
  auto map = default_features(kernel);
  map.features = 32;
  CHECK(block_features(map.bind<double>(kernel, sample_bounds(x), 1), 0, x).cols() == 32);
}

}  // namespace default_features_test
