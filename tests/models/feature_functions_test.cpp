// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/feature_functions.hpp>

#include <atomic>
#include <cstdint>
#include <limits>

#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/nystrom_features.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace feature_functions_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr Index blocks = 3, features = 8, dimension = 2;
const RandomFourier map{.features = features, .form = FourierForm::Phase};

template <Real S>
FeatureExpansion<S> expansion() {
  return {.coefficients = test::uniform_samples<S>(blocks * features, 2, 1),
          .offset = test::uniform_samples<S>(2, 1, 2).col(0),
          .blocks = blocks,
          .bounds = {.dimension = dimension, .radius = 1},
          .seed = 5};
}

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

SCALAR_TEST_CASE("feature_functions: values are sums over blocks, less the offset", "[models]") {
  using S = TestType;
  const FeatureExpansion<S> e = expansion<S>();
  const FeatureFunctions functions(Gaussian{1.5}, map, e);
  CHECK(functions.size() == 2);
  CHECK(functions.dimension() == dimension);
  const Matrix<S> q = test::uniform_samples<S>(50, dimension, 3);
  const auto bound = map.bind<S>(Gaussian{1.5}, e.bounds, e.seed);
  Matrix<S> expected = Matrix<S>::Zero(50, 2);
  for (Index b = 0; b < blocks; ++b)
    expected += block_features(bound, static_cast<std::uint64_t>(b), q) *
                e.coefficients.middleRows(b * features, features);
  expected.rowwise() -= e.offset.transpose();
  const S rounding = 256 * std::numeric_limits<S>::epsilon();
  const Matrix<S> values = functions.transform(q);
  CHECK((values - expected).cwiseAbs().maxCoeff() <= rounding);
  // Rows do not see each other.
  CHECK((functions.transform(q.bottomRows(20).eval()) - values.bottomRows(20))
            .cwiseAbs()
            .maxCoeff() <= rounding);
  const SparseMatrix<S> sparse = q.sparseView();
  CHECK((functions.transform(sparse) - values).cwiseAbs().maxCoeff() <= rounding);
}

TEST_CASE("feature_functions: what is refused", "[models]") {
  const auto error = [&](const FeatureExpansion<double>& e) {
    return test::error_of([&] { return FeatureFunctions(Gaussian{1.0}, map, e).size(); });
  };
  const FeatureExpansion<double> good = expansion<double>();
  CHECK(error(good) == "no error");
  FeatureExpansion<double> bad = good;
  bad.blocks = 0;
  CHECK_THAT(error(bad), ContainsSubstring("do not fit 2 components of 0 blocks"));
  bad.blocks = 2;  // of 12 features each
  CHECK_THAT(error(bad), ContainsSubstring("2 blocks of 8 features"));
  bad = good;
  bad.offset.resize(3);
  CHECK_THAT(error(bad), ContainsSubstring("3 offsets"));
  const FeatureFunctions functions(Gaussian{1.0}, map, good);
  CHECK_THAT(test::error_of([&] { return functions.transform(Matrix<double>::Zero(3, 5).eval()); }),
             ContainsSubstring("new samples have 5 columns, the training samples 2"));
}

TEST_CASE("feature_functions: the map is bound once, and not at every transform", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(40, 2, 1);
  const Gaussian kernel(0.8);
  const NystromFeatures<Matrix<double>> nystrom(x.topRows(6));
  const auto bound = nystrom.bind<double>(kernel, sample_bounds(x), 1);
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
