// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/feature_map.hpp>

#include <cmath>
#include <limits>
#include <string>

#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace feature_map_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

/// The samples themselves: what the concepts ask for and nothing more.
struct BoundIdentity {
  using Scalar = double;
  struct Block {};
  Index d;
  [[nodiscard]] Index columns() const { return d; }
  [[nodiscard]] Index dimension() const { return d; }
  void draw(std::uint64_t, Block&) const {}
  void evaluate(const Block&, const Points<double>& x, GramOut<double> out) const { out = x; }
};

struct Identity {
  template <class K>
  static constexpr bool maps = std::same_as<K, Linear>;
  template <Real S, class K>
  [[nodiscard]] BoundIdentity bind(const K&, const SampleBounds& bounds, std::uint64_t) const {
    return {bounds.dimension};
  }
};

struct WithoutBlock : BoundIdentity {
 private:
  using Block = int;
};

struct EvaluatesNothing {
  using Scalar = double;
  struct Block {};
  [[nodiscard]] Index columns() const;
  [[nodiscard]] Index dimension() const;
  void draw(std::uint64_t, Block&) const;
};

}  // namespace

static_assert(BoundFeatureMap<BoundIdentity> && !BoundFeatureMap<WithoutBlock>);
static_assert(!BoundFeatureMap<EvaluatesNothing> && !BoundFeatureMap<Gaussian>);
static_assert(FeatureMap<Identity> && !FeatureMap<Gaussian> && !FeatureMap<BoundIdentity>);
static_assert(FeatureMapFor<Identity, Linear> && !FeatureMapFor<Identity, Gaussian>);
static_assert(FeatureMap<RandomFourier> && FeatureMap<RandomMaclaurin>);

SCALAR_TEST_CASE("feature_map: bounds of samples", "[features]") {
  Matrix<TestType> x(3, 2);
  x << 3, -4, 0, 4.5, 1, 1;
  CHECK(sample_bounds(x).dimension == 2);
  CHECK(sample_bounds(x).radius == Approx(5).epsilon(1e-15));
  CHECK(sample_bounds(SparseMatrix<TestType>(x.sparseView())).radius == Approx(5).epsilon(1e-15));
  // The squares of these overflow.
  const TestType huge = std::numeric_limits<TestType>::max() / 8;
  CHECK(sample_bounds(Matrix<TestType>(huge * x)).radius ==
        Approx(5 * static_cast<double>(huge)).epsilon(1e-6));
  CHECK(sample_bounds(Matrix<TestType>(0, 4)).radius == 0);
  CHECK(sample_bounds(Matrix<TestType>(4, 0)).radius == 0);
  CHECK(sample_bounds(Matrix<TestType>::Zero(2, 3)).radius == 0);
}

TEST_CASE("feature_map: a map of one's own", "[features]") {
  const Matrix<double> x = test::uniform_samples<double>(9, 4, 3);
  const BoundIdentity map = Identity{}.bind<double>(Linear{}, sample_bounds(x), 1);
  CHECK(block_features(map, 0, x) == x);
}

TEST_CASE("feature_map: samples that are not finite or of another dimension", "[features][error]") {
  Matrix<double> x = test::uniform_samples<double>(5, 3, 3);
  const auto map = RandomFourier{.features = 2}.bind<double>(Gaussian{1}, sample_bounds(x), 1);
  CHECK_THAT(test::error_of([&] { return block_features(map, 0, x.leftCols(2)); }),
             ContainsSubstring("the map is for dimension 3, samples have 2"));
  x(4, 1) = std::nan("");
  const std::string message = "samples must be finite, got nan at row 4, column 1";
  CHECK_THAT(test::error_of([&] { return block_features(map, 0, x); }), ContainsSubstring(message));
  CHECK_THAT(test::error_of([&] { return sample_bounds(x); }), ContainsSubstring(message));
}

}  // namespace feature_map_test
