// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>

#include <limits>

#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/principal_angles.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>

namespace feature_pca_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(FeatureSolver<FeaturePca<RandomFourier>>);
static_assert(!GramSolver<FeaturePca<RandomFourier>> && !KernelSolver<FeaturePca<RandomFourier>>);

namespace {

constexpr Index blocks = 2;

template <Real S, class F, class K>
FeatureSolution<S> solve(const F& map, const K& kernel, const Matrix<S>& x,
                         const KernelRequest& request, Index batch = 2048) {
  MatrixStream stream(x);
  return FeaturePca{map, {.blocks = blocks, .batch = batch}}.solve(
      kernel, SampleStreamView<S>(stream), request);
}

KernelRequest request_for(Components k, bool centered) {
  return {.pairs = {.components = k}, .centered = centered, .memory_budget = std::size_t{1} << 20};
}

/// Against the dense eigenproblem of Z Z^T, centred or not.
template <Real S, class F, class K>
void check_against_dense(const F& map, const K& kernel) {
  const Matrix<S> x = test::uniform_samples<S>(60, 3, 1);
  const auto bound = map.template bind<S>(kernel, sample_bounds(x), 1);
  Matrix<double> z(60, blocks * bound.columns());
  for (Index b = 0; b < blocks; ++b)
    z.middleCols(b * bound.columns(), bound.columns()) =
        block_features(bound, static_cast<std::uint64_t>(b), x).template cast<double>() /
        std::sqrt(double{blocks});
  for (const bool centered : {false, true}) {
    CAPTURE(centered);
    Matrix<double> features = z;
    if (centered) features = test::centering_matrix<double>(60) * z;
    const Eigen::SelfAdjointEigenSolver<Matrix<double>> exact(features * features.transpose());
    const FeatureSolution<S> found = solve(map, kernel, x, request_for(4, centered));
    REQUIRE(found.eigenvalues.size() == 4);
    const Vector<double> mu = exact.eigenvalues().tail(4).reverse();
    // Sums of 60 products in S, and gaps of a few percent of the trace.
    const double rounding =
        1e3 * static_cast<double>(std::numeric_limits<S>::epsilon()) * exact.eigenvalues().sum();
    CHECK((found.eigenvalues.template cast<double>() - mu).cwiseAbs().maxCoeff() <= rounding);
    CHECK(found.report.trace == Approx(exact.eigenvalues().sum()).epsilon(1e-5));
    // Scores are features times coefficients; squared norms are the eigenvalues.
    const Matrix<double> scores =
        (std::sqrt(double{blocks}) * z * found.coefficients.template cast<double>()).rowwise() -
        found.offset.template cast<double>().transpose();
    CHECK((scores.colwise().squaredNorm().transpose() - mu).cwiseAbs().maxCoeff() <= rounding);
    CHECK(principal_angles(scores, exact.eigenvectors().rightCols(4)).largest_squared_sine() <=
          1e-6);
    CHECK(found.report.samples == 60);
    CHECK(found.report.dimension == 3);
  }
}

}  // namespace

SCALAR_TEST_CASE("feature_pca: the components of the features", "[solvers]") {
  check_against_dense<TestType>(RandomFourier{.features = 20}, Gaussian(1.0));
  check_against_dense<TestType>(RandomMaclaurin{.features = 25}, Polynomial{{.degree = 3}});
}

TEST_CASE("feature_pca: the same bits however the stream is made, and on any number of threads",
          "[solvers]") {
  const Matrix<double> x = test::sparse_looking_samples<double>(200, 4, 2);
  const RandomFourier map{.features = 70};  // two column tiles
  const Gaussian kernel(1.5);
  const KernelRequest request = request_for(3, true);
  const FeatureSolution<double> expected = solve(map, kernel, x, request, 64);
  const auto check_same = [&](const FeatureSolution<double>& found) {
    CHECK(found.eigenvalues == expected.eigenvalues);
    CHECK(found.coefficients == expected.coefficients);
    CHECK(found.offset == expected.offset);
    CHECK(found.report.samples == 200);
  };
  const SparseMatrix<double> sparse = x.sparseView();
  MatrixStream rows(sparse);
  const FeaturePca solver{map, {.blocks = blocks, .batch = 64}};
  check_same(solver.solve(kernel, SampleStreamView<double>(rows), request));
  CallbackStream<double> chunks(4, [&, at = Index{0}](Index) mutable {
    const Index first = at;
    at = (std::min)(Index{200}, at + 13);
    return Matrix<double>(x.middleRows(first, at - first));
  });
  check_same(solver.solve(kernel, SampleStreamView<double>(chunks), request));
  KernelRequest redrawn = request;
  redrawn.memory_budget = 0;
  check_same(solve(map, kernel, x, redrawn, 64));
  const int threads = thread_count();
  for (const int count : {1, 3}) {
    set_thread_count(count);
    check_same(solve(map, kernel, x, request, 64));
  }
  set_thread_count(threads);
}

TEST_CASE("feature_pca: few samples, and samples that coincide", "[solvers]") {
  const RandomFourier map{.features = 10};
  const Gaussian kernel(1.0);
  const Matrix<double> one = Matrix<double>::Ones(1, 2), same = Matrix<double>::Ones(9, 2);
  CHECK(solve(map, kernel, one, request_for(1, true)).eigenvalues.size() == 0);
  const FeatureSolution<double> single = solve(map, kernel, one, request_for(1, false));
  REQUIRE(single.eigenvalues.size() == 1);
  CHECK(single.eigenvalues(0) == Approx(1).epsilon(1e-12));  // k(x, x)
  CHECK(solve(map, kernel, same, request_for(3, true)).eigenvalues.size() == 0);
  const FeatureSolution<double> rank_one = solve(map, kernel, same, request_for(3, false));
  REQUIRE(rank_one.eigenvalues.size() == 1);
  CHECK(rank_one.report.zero_eigenvalues == 2);
  // A fraction of variance.
  const Matrix<double> x = test::uniform_samples<double>(50, 2, 3, -2, 2);
  const FeatureSolution<double> part = solve(map, kernel, x, request_for(0.9, true));
  CHECK(part.eigenvalues.sum() >= 0.9 * part.report.trace);
  CHECK(part.eigenvalues.head(part.eigenvalues.size() - 1).sum() < 0.9 * part.report.trace);
}

TEST_CASE("feature_pca: what is refused", "[solvers]") {
  const RandomFourier map{.features = 5};
  const Gaussian kernel(1.0);
  const Matrix<double> x = test::uniform_samples<double>(50, 2, 3);
  const auto error = [&](const Matrix<double>& samples, Components k) {
    return test::error_of([&] { return solve(map, kernel, samples, request_for(k, true)); });
  };
  CHECK_THAT(error(x, 21), ContainsSubstring("21 components need as many features, but there are "
                                             "20"));
  CHECK_THAT(error(x, 0), ContainsSubstring("must be between 1"));
  CHECK_THAT(error(Matrix<double>(0, 2), 2), ContainsSubstring("has no rows"));
  CHECK_THAT(error(Matrix<double>(3, 0), 2), ContainsSubstring("without columns"));
  CHECK(test::error_of([&] {
          return FeaturePca{map, {.blocks = 0}};
        }) == "mercer::FeaturePca: blocks must be at least 1, got 0");
}

TEST_CASE("feature_pca: cancelled, it has the components of the rows so far", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(60, 2, 3);
  MatrixStream stream(x);
  const FeaturePca solver{RandomFourier{.features = 5}, {.batch = 20}};
  const FeatureSolution<double> found =
      solver.solve(Gaussian(1.0), SampleStreamView<double>(stream), request_for(2, true),
                   [](const Progress& progress) { return progress.step < 40; });
  CHECK(found.report.status == Status::Cancelled);
  CHECK(found.report.samples == 40);  // the sums are of these
  const Matrix<double> head = x.topRows(40);
  MatrixStream part(head);
  CHECK(solver.solve(Gaussian(1.0), SampleStreamView<double>(part), request_for(2, true))
            .eigenvalues == found.eigenvalues);
}

TEST_CASE("FeaturePca: squares that overflow are refused", "[solvers]") {
  const Matrix<double> x = 1e200 * test::uniform_samples<double>(30, 3, 9);
  CHECK_THROWS_WITH(solve(RandomMaclaurin{.features = 10}, Linear{}, x, request_for(2, true)),
                    ContainsSubstring("the squares of the features overflow"));
}

}  // namespace feature_pca_test
