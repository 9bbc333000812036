// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/feature_functions.hpp>

#include <atomic>
#include <cstdint>

#include <mercer/core/random.hpp>
#include <mercer/features/nystrom_features.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace feature_functions_test {

using namespace mercer;

namespace {

/// Nystroem features that count how often they are bound, which takes O(m^3) operations.
struct Counting {
  template <class K>
  static constexpr bool maps = Kernel<K>;
  static inline std::atomic<int> bound = 0;

  template <Real S, class K>
  [[nodiscard]] auto bind(const K& kernel, const SampleBounds& bounds, std::uint64_t seed) const {
    ++bound;
    return NystromFeatures<Matrix<double>>(landmarks).bind<S>(kernel, bounds, seed);
  }

  Matrix<double> landmarks;
};

}  // namespace

TEST_CASE("feature_functions: the map is bound once, and not at every transform", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(40, 2, 1);
  const Gaussian kernel(0.8);
  const NystromFeatures<Matrix<double>> map(x.topRows(6));
  const auto bound = map.bind<double>(kernel, sample_bounds(x), 1);
  FeatureSolution<double> solution;
  solution.coefficients = normal_matrix<double>(bound.columns(), 2, 1, "coefficients");
  solution.offset = Vector<double>::Constant(2, 0.25);
  solution.eigenvalues = Vector<double>::Ones(2);
  solution.blocks = 1;
  solution.bounds = sample_bounds(x);
  solution.seed = 1;
  const Matrix<double> expected =
      (block_features(bound, 0, x) * solution.coefficients).array() - 0.25;
  constexpr double rounding = 1e-13;  // sums of six products of order 1
  const auto check = [&](const auto& functions) {
    const int before = Counting::bound;
    for (int i = 0; i < 3; ++i)
      CHECK((functions.transform(x) - expected).cwiseAbs().maxCoeff() <= rounding);
    const auto copy = functions;
    CHECK(copy.transform(x) == functions.transform(x));
    CHECK(Counting::bound == before);
  };
  Counting::bound = 0;
  check(FeatureFunctions<Gaussian, Counting, double>(kernel, {x.topRows(6)}, solution));
  CHECK(Counting::bound == 1);
  check(FeaturePcaModel<Gaussian, Counting, double>(kernel, {x.topRows(6)}, solution, true));
  CHECK(Counting::bound == 2);
}

}  // namespace feature_functions_test
