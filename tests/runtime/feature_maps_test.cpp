// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/runtime/feature_maps.hpp>

#include <string>
#include <vector>

#include <mercer/runtime/kernels.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace feature_maps_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr Index d = 4;

Matrix<double> samples() {
  return test::uniform_samples<double>(30, d, 5, 0, 0.4);
}

const FeatureMapTask task{.dimension = d, .landmarks = [](Index count) -> Matrix<double> {
                            return samples().topRows(count);
                          }};

}  // namespace

TEST_CASE("runtime: each map binds to the kernels that it fits, and to no other", "[runtime]") {
  const Matrix<double> x = samples();
  const SampleBounds bounds = sample_bounds(x);
  for (const FeatureMapEntry& entry : feature_map_table()) {
    const auto [map, columns] = make_feature_map(entry.name, {{"features", 20}}, task);
    for (const KernelEntry& other : kernel_table()) {
      CAPTURE(entry.name, other.name);
      const AnyKernel kernel = make_kernel(other.name);
      // Of the additive kernels, only the intersection kernel has thresholds.
      if (entry.name == "additive-threshold" && other.name != "intersection") continue;
      const bool fits = entry.fit(kernel) != FeatureFit::No;
      CHECK(map.fits(kernel) == fits);
      if (!fits) {
        CHECK_THAT(test::error_of([&, &map = map] { return map.bind<double>(kernel, bounds, 3); }),
                   ContainsSubstring("no features of the kernel " + other.name));
      } else if (other.name != "laplacian" && other.name != "cauchy" && other.name != "sigmoid") {
        // Of these three, some maps refuse what only their parameters tell.
        const BoundAnyFeatures<double> bound = map.bind<double>(kernel, bounds, 3);
        CHECK(bound.columns() <= columns);
        kernel.with_kernel([&, &map = map](const auto& held) {
          CHECK(block_features(bound, 1, x) ==
                block_features(map.bind<double>(held, bounds, 3), 1, x));
        });
      }
    }
  }
}

TEST_CASE("runtime: natural maps are the default features", "[runtime]") {
  const auto natural = [](const AnyKernel& kernel) -> std::string {
    const FeatureMapEntry* const entry = natural_feature_map(kernel);
    return entry ? entry->name : "none";
  };
  CHECK(natural(Linear{}) == "exact");
  CHECK(natural(Gaussian{1}) == "random-fourier");
  CHECK(natural(Polynomial{}) == "tensor-sketch");
  CHECK(natural(ExponentialDot{1}) == "random-maclaurin");
  CHECK(natural(Intersection{}) == "additive");
  CHECK(natural(Sigmoid{}) == "none");
  CHECK(feature_maps_of(Sigmoid{}) == std::vector<std::string>{"nystrom"});
  CHECK(feature_maps_of(Precomputed{}).empty());
}

TEST_CASE("runtime: maps that cannot be made say why", "[runtime]") {
  CHECK_THAT(test::error_of([] { return make_feature_map("fourier").columns; }),
             ContainsSubstring("unknown feature map 'fourier'; known: exact, random-fourier"));
  CHECK(test::error_of([] {
          return make_feature_map("fastfood", {{"features", 0}}).columns;
        }) == "fastfood: features must be a whole number from 1 to 2147483647, got 0");
  CHECK_THAT(test::error_of([] { return make_feature_map("nystrom").columns; }),
             ContainsSubstring("needs samples"));
  for (const char* name : {"exact", "additive", "additive-threshold", "homogeneous"}) {
    CAPTURE(name);
    const auto refusal = [&](Index dimension) {
      return test::error_of(
          [&] { return make_feature_map(name, {}, {.dimension = dimension}).columns; });
    };
    CHECK(refusal(0) ==
          std::string(name) + ": needs the dimension of the samples, at least 1, got 0");
    CHECK_THAT(refusal(-3), ContainsSubstring("got -3"));
  }
  CHECK(make_feature_map("random-fourier").columns == 500);
}

}  // namespace feature_maps_test
