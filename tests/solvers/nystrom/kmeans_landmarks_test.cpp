// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/nystrom/kmeans_landmarks.hpp>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <cmath>
#include <limits>

#include <mercer/core/threads.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/glibc_malloc.hpp>
#include <tests/support/samples.hpp>

namespace kmeans_landmarks_test {

using namespace mercer;

namespace {

const Gaussian kernel(1.0);

/// The largest distance of a row of a from the nearest row of b.
double farthest(const Matrix<double>& a, const Matrix<double>& b) {
  double worst = 0;
  for (Index i = 0; i < a.rows(); ++i)
    worst = (std::max)(worst, (b.rowwise() - a.row(i)).rowwise().norm().minCoeff());
  return worst;
}

}  // namespace

TEST_CASE("KMeansLandmarks: finds the centres of separate clusters", "[solvers]") {
  Matrix<double> centers(4, 3);
  centers << 0, 0, 0, 10, 0, 0, 0, 10, 0, 0, 0, 10;
  const double origin = GENERATE(0.0, 1e6);  // far away nothing changes
  Matrix<double> x = test::uniform_samples<double>(400, 3, 1, -0.5, 0.5);
  for (Index i = 0; i < x.rows(); ++i) x.row(i) += centers.row(i % 4);
  x.array() += origin;
  const auto landmarks = KMeansLandmarks{}.select<Matrix<double>>(kernel, x, {.count = 4}, {});
  REQUIRE(landmarks.points.rows() == 4);
  Matrix<double> means = Matrix<double>::Zero(4, 3);
  for (Index i = 0; i < x.rows(); ++i) means.row(i % 4) += x.row(i) / 100;
  CHECK(farthest(means, landmarks.points) <= 1e-15 * (1e3 + 100 * origin));  // rounding of the sums
  CHECK(landmarks.rows.empty());
  CHECK(landmarks.evaluations == 0);
  CHECK(landmarks.method == "k-means");
}

TEST_CASE("KMeansLandmarks: iterations lower the distances to the centres", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(500, 2, 2);
  const auto cost = [&](Index iterations) {
    const auto landmarks = KMeansLandmarks{{.iterations = iterations}}.select<Matrix<double>>(
        kernel, x, {.count = 20}, {});
    double sum = 0;
    for (Index i = 0; i < x.rows(); ++i)
      sum += (landmarks.points.rowwise() - x.row(i)).rowwise().squaredNorm().minCoeff();
    return sum;
  };
  CHECK(cost(1) < cost(0));
  CHECK(cost(5) < cost(1));
}

#if defined(MERCER_TEST_GLIBC_MALLOC)
TEST_CASE("KMeansLandmarks: what memory held before does not matter", "[solvers]") {
  // All bits zero are the clusters that the first iteration finds, as those of an earlier run with
  // the same samples may be. It must not take them for its own and stop.
  const Matrix<double> x = test::uniform_samples<double>(200, 2, 7);
  Index iterations = 0;
  const auto count = [&](const Progress& p) {
    iterations += p.phase == "k-means" ? 1 : 0;
    return true;
  };
  REQUIRE(mallopt(M_PERTURB, 0xff) == 1);  // allocated bytes are filled with the complement
  const auto landmarks = KMeansLandmarks{}.select<Matrix<double>>(kernel, x, {.count = 1}, count);
  REQUIRE(mallopt(M_PERTURB, 0) == 1);
  CHECK(landmarks.points.rows() == 1);
  CHECK(iterations == 2);  // one that places the samples, one that finds them at home
}
#endif

TEST_CASE("KMeansLandmarks: fewer centres than asked for where samples repeat", "[solvers]") {
  const Matrix<double> different = test::uniform_samples<double>(7, 3, 3);
  Matrix<double> x(100, 3);
  for (Index i = 0; i < x.rows(); ++i) x.row(i) = different.row(i % 7);
  const auto landmarks = KMeansLandmarks{}.select<Matrix<double>>(kernel, x, {.count = 20}, {});
  CHECK(landmarks.points.rows() == 7);
  CHECK(farthest(different, landmarks.points) <= 1e-14);
  CHECK(!landmarks.cancelled);
  const Matrix<double> equal = Matrix<double>::Constant(9, 2, 3.5);
  const auto one = KMeansLandmarks{}.select<Matrix<double>>(kernel, equal, {.count = 5}, {});
  REQUIRE(one.points.rows() == 1);
  CHECK((one.points.array() - 3.5).abs().maxCoeff() <= 1e-14);
}

TEST_CASE("KMeansLandmarks: sparse samples give the same centres", "[solvers]") {
  const Matrix<double> x = test::sparse_looking_samples<double>(300, 5, 4);
  const SparseMatrix<double> sparse = x.sparseView();
  const LandmarkRequest request{.count = 12};
  const auto dense_centers = KMeansLandmarks{}.select<Matrix<double>>(kernel, x, request, {});
  const auto sparse_centers =
      KMeansLandmarks{}.select<SparseMatrix<double>>(kernel, sparse, request, {});
  REQUIRE(sparse_centers.points.rows() == dense_centers.points.rows());
  CHECK((Matrix<double>(sparse_centers.points) - dense_centers.points).cwiseAbs().maxCoeff() <=
        1e-13);  // sums in another order
}

SCALAR_TEST_CASE("KMeansLandmarks: the scale of the samples does not matter", "[solvers]") {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(200, 3, 6);
  const auto expected = KMeansLandmarks{}.select<Matrix<S>>(kernel, x, {.count = 9}, {});
  // Powers of two change no bit; squares of such samples underflow or overflow.
  for (const int power : {-(2 * std::numeric_limits<S>::max_exponent) / 3,
                          (2 * std::numeric_limits<S>::max_exponent) / 3}) {
    const S factor = std::ldexp(S(1), power);
    const auto found =
        KMeansLandmarks{}.select<Matrix<S>>(kernel, Matrix<S>(factor * x), {.count = 9}, {});
    REQUIRE(found.points.rows() == 9);
    CHECK((found.points == factor * expected.points));
  }
}

TEST_CASE("KMeansLandmarks: large data is sampled, and threads do not matter", "[solvers]") {
  const Matrix<float> x = test::uniform_samples<float>(3000, 3, 5);
  const LandmarkRequest request{.count = 30};
  const int threads = thread_count();
  set_thread_count(1);
  const auto one = KMeansLandmarks{}.select<Matrix<float>>(kernel, x, request, {});
  set_thread_count(2);
  const auto two = KMeansLandmarks{}.select<Matrix<float>>(kernel, x, request, {});
  set_thread_count(threads);
  CHECK(one.method == "k-means on 2000 of 3000 rows");
  CHECK((one.points == two.points));
}

TEST_CASE("KMeansLandmarks: the observer can cancel in both phases", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(100, 2, 6);
  for (const std::string phase : {"k-means++", "k-means"}) {
    const auto landmarks = KMeansLandmarks{}.select<Matrix<double>>(
        kernel, x, {.count = 10},
        [&](const Progress& p) { return p.phase != phase || p.step < 2; });
    CHECK(landmarks.cancelled);
    CHECK(landmarks.points.rows() == (phase == "k-means" ? 10 : 2));
  }
}

TEST_CASE("KMeansLandmarks: negative iterations are refused", "[solvers]") {
  CHECK(test::error_of([] { return KMeansLandmarks{{.iterations = -1}}; }) ==
        "mercer::KMeansLandmarks: iterations must not be negative, got -1");
}

}  // namespace kmeans_landmarks_test
