// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/exact_features.hpp>

#include <limits>

#include <tests/features/feature_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace exact_features_test {

using namespace mercer;

static_assert(FeatureMapFor<ExactFeatures, Linear> && FeatureMapFor<ExactFeatures, Cosine>);
static_assert(!FeatureMapFor<ExactFeatures, Polynomial>);
static_assert(BoundFeatureMap<BoundExactFeatures<float>>);
static_assert(BoundFeatureMap<BoundExactFeatures<double>>);
static_assert(IsDeterministic<BoundExactFeatures<double>>);

SCALAR_TEST_CASE("ExactFeatures: inner products are the kernel", "[features]") {
  Matrix<TestType> x = test::sparse_looking_samples<TestType>(300, 7, 3);
  x.row(5) *= TestType(1e30);  // its square is out of range
  const auto linear = ExactFeatures{}.bind<TestType>(Linear{}, sample_bounds(x), 1);
  CHECK(block_features(linear, 0, x) == x);
  CHECK(block_features(linear, 0, SparseMatrix<TestType>(x.sparseView())) == x);
  const auto cosine = ExactFeatures{}.bind<TestType>(Cosine{}, sample_bounds(x), 1);
  const Matrix<TestType> z = block_features(cosine, 0, x);
  CHECK((z * z.transpose() - gram(Cosine{}, x)).cwiseAbs().maxCoeff() <=
        8 * std::numeric_limits<TestType>::epsilon());
  CHECK(z.row(2).isZero(0));
}

SCALAR_TEST_CASE("ExactFeatures: every block is the same", "[features][law]") {
  test::check_purity<TestType>(ExactFeatures{}, Linear{});
  test::check_purity<TestType>(ExactFeatures{}, Cosine{});
}

TEST_CASE("ExactFeatures: bounds out of range", "[features][error]") {
  CHECK(test::error_of([] {
          return ExactFeatures{}.bind<double>(Linear{}, {.dimension = -3}, 1);
        }) == "mercer::ExactFeatures: dimension must be at least 0, got -3");
  CHECK(test::error_of([] {
          return ExactFeatures{}.bind<double>(Cosine{}, {.dimension = 3, .radius = -1}, 1);
        }) == "mercer::ExactFeatures: radius must be finite and not negative, got -1");
}

TEST_CASE("ExactFeatures: samples without columns", "[features]") {
  const Matrix<double> none(3, 0);
  const auto map = ExactFeatures{}.bind<double>(Cosine{}, sample_bounds(none), 1);
  CHECK(block_features(map, 0, none).cols() == 0);
}

}  // namespace exact_features_test
