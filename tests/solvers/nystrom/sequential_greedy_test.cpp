// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/nystrom/sequential_greedy.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <variant>
#include <vector>

#include <Eigen/Cholesky>

#include <mercer/core/random.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/nystrom/greedy_cholesky.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <mercer/solvers/nystrom/weighted_landmarks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace sequential_greedy_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(LandmarkSelector<SequentialGreedy>);

namespace {

// Squared distances of at most 1 by linear systems whose condition is at most 1 / tolerance = 100.
constexpr double rounding = 1e-10;

/// k(x, x) - k(x, L) K(L, L)^-1 k(L, x): the squared distance to the span of the landmarks.
Vector<double> distances(const Matrix<double>& gram, const std::vector<Index>& landmarks) {
  Vector<double> out = gram.diagonal();
  if (landmarks.empty()) return out;
  const Matrix<double> inner = test::block_at(gram, landmarks, landmarks),
                       cross = test::rows_at(gram, landmarks);
  const Matrix<double> solved = inner.llt().solve(cross);
  return out - cross.cwiseProduct(solved).colwise().sum().transpose();
}

}  // namespace

TEST_CASE("SequentialGreedy: is the algorithm of the paper, sample by sample", "[solvers]") {
  const Index n = 80;
  const Matrix<double> x = test::uniform_samples<double>(n, 2, 71);
  const Gaussian kernel{.6};
  const Matrix<double> gram = mercer::gram(kernel, x);
  for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{5}}) {
    RandomStream stream(seed, "visited landmarks");
    std::vector<Index> expected;
    for (const Index row : random_permutation(n, stream))
      if (distances(gram, expected)(row) > .01) expected.push_back(row);
    const auto found =
        SequentialGreedy{}.select<Matrix<double>>(kernel, x, {.count = n, .seed = seed}, {});
    CHECK(found.rows == expected);
    CHECK(found.method == "sequential greedy");
    // At the end, no sample is farther than the tolerance.
    CHECK(distances(gram, found.rows).maxCoeff() <= .01 + rounding);
    REQUIRE(found.factor);
    CHECK((gram - *found.factor * found.factor->transpose()).diagonal().maxCoeff() <=
          .01 + rounding);
  }
}

TEST_CASE("SequentialGreedy: is not GreedyCholesky", "[solvers]") {
  // Until all samples are within the tolerance, the largest distance falls fastest by taking the
  // farthest sample. The first that is far enough needs more landmarks.
  const Matrix<double> x = test::uniform_samples<double>(200, 2, 72);
  const Gaussian kernel{.6};
  const Matrix<double> gram = mercer::gram(kernel, x);
  const auto sequential =
      SequentialGreedy{}.select<Matrix<double>>(kernel, x, {.count = 200}, {}).rows;
  auto farthest = GreedyCholesky{}.select<Matrix<double>>(kernel, x, {.count = 200}, {}).rows;
  std::size_t enough = 1;
  while (distances(gram, {farthest.begin(), farthest.begin() + static_cast<std::ptrdiff_t>(enough)})
             .maxCoeff() > .01)
    ++enough;
  CHECK(enough < sequential.size());
}

TEST_CASE("SequentialGreedy: copies, counts and tolerances", "[solvers]") {
  Matrix<double> x(30, 2);
  const Matrix<double> different = test::uniform_samples<double>(5, 2, 1);
  for (Index i = 0; i < 30; ++i) x.row(i) = different.row(i % 5);
  const Gaussian kernel{.1};
  const auto rows = [&](double tolerance, const LandmarkRequest& request) {
    return SequentialGreedy{{.tolerance = tolerance}}
        .select<Matrix<double>>(kernel, x, request, {})
        .rows;
  };
  std::set<Index> places;
  for (const Index row : rows(1e-6, {.count = 20})) places.insert(row % 5);
  CHECK(places.size() == 5);
  CHECK(rows(1e-6, {.count = 20}).size() == 5);
  CHECK(rows(1e-6, {.count = 3}).size() == 3);
  CHECK(rows(1e-6, {.count = 20, .least = 2, .trace_tolerance = .999}).size() == 2);
  CHECK(rows(.999, {.count = 20}).size() >= 1);
  // As many as are needed, though they are near.
  const Matrix<double> near = test::uniform_samples<double>(20, 2, 3, 0, .1);
  const auto some = SequentialGreedy{{.tolerance = .5}}.select<Matrix<double>>(
      Gaussian{.5}, near, {.count = 10, .least = 4}, {});
  CHECK(std::set<Index>(some.rows.begin(), some.rows.end()).size() == 4);
  // Those that it does not want are no reason to leave single precision.
  const auto single = SequentialGreedy{{.tolerance = .5}}.select<Matrix<double>>(
      Gaussian{.2}, test::uniform_samples<double>(300, 2, 4), {.count = 200, .single = true}, {});
  CHECK(single.rows.size() < 200);
  CHECK(single.single_factor);
  CHECK_FALSE(single.factor);
  for (const double tolerance : {0.0, 1.0, std::nan("")})
    CHECK_THAT(test::error_of([&] { return SequentialGreedy{{.tolerance = tolerance}}; }),
               ContainsSubstring("tolerance must be in (0, 1)"));
}

SCALAR_TEST_CASE("SequentialGreedy: landmarks of a fit", "[solvers]") {
  const auto x = test::uniform_samples<TestType>(60, 2, 73);
  const Gaussian kernel{.8};
  const auto landmarks = [&](const auto& selector) {
    return KernelPca{kernel, Nystrom{selector, {.landmarks = 60}}, {.components = 3}}.fit(x);
  };
  const auto exact = KernelPca{kernel, Exact{}, {.components = 3}}.fit(x);
  const auto sequential = landmarks(SequentialGreedy{{.tolerance = 1e-4}});
  const auto& details = std::get<NystromDetails>(sequential.report().details);
  // The trace of what is left is at most n times the tolerance, and bounds each eigenvalue's error.
  CHECK(details.trace_error <= 60 * 1e-4);
  for (Index i = 0; i < 3; ++i) {
    constexpr double rounded = 1e-3;  // in float
    CHECK(double{sequential.eigenvalues()(i)} <= double{exact.eigenvalues()(i)} + rounded);
    CHECK(double{sequential.eigenvalues()(i)} >=
          double{exact.eigenvalues()(i)} - details.trace_error - rounded);
  }
  // With all samples as landmarks, nothing is left.
  CHECK((landmarks(ColumnNormSampling{}).eigenvalues() - exact.eigenvalues()).norm() <=
        TestType(1e-3));
}

}  // namespace sequential_greedy_test
