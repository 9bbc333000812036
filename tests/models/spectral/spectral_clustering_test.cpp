// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/spectral/spectral_clustering.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace spectral_clustering_test {

using Catch::Matchers::ContainsSubstring;
using mercer::Gaussian;
using mercer::Index;
using mercer::Matrix;
using mercer::Progress;
using mercer::SpectralClustering;
using mercer::Status;
using mercer::test::error_of;
using mercer::test::uniform_samples;

namespace {

/// Samples on circles of radius 1 and 3, in turn.
template <class S>
Matrix<S> two_circles(Index n, std::uint64_t seed) {
  const Matrix<double> angles = uniform_samples<double>(n, 1, seed, 0, 6.28318530717958648);
  const Matrix<double> noise = mercer::normal_matrix<double>(n, 2, seed, "circles");
  Matrix<S> x(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double radius = i % 2 == 0 ? 1 : 3;
    x.row(i) << static_cast<S>(radius * std::cos(angles(i)) + .1 * noise(i, 0)),
        static_cast<S>(radius * std::sin(angles(i)) + .1 * noise(i, 1));
  }
  return x;
}

/// Whether samples are in one cluster if, and only if, their numbers are equal modulo c.
bool in_turn(const std::vector<Index>& labels, std::size_t c) {
  for (std::size_t i = 0; i < labels.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if ((labels[i] == labels[j]) != (i % c == j % c)) return false;
  return true;
}

}  // namespace

SCALAR_TEST_CASE("SpectralClustering: two circles", "[models][spectral]") {
  const Matrix<TestType> x = two_circles<TestType>(300, 51);
  const auto model = SpectralClustering{Gaussian{.3}}.fit(x);
  REQUIRE(model.labels().size() == 300);
  CHECK(in_turn(model.labels(), 2));
  std::vector<Index> all = model.labels();
  const std::vector<Index> fresh = model.predict(two_circles<TestType>(100, 52));
  all.insert(all.end(), fresh.begin(), fresh.end());
  CHECK(in_turn(all, 2));
  CHECK(model.predict(x) == model.labels());
  CHECK(model.predict(Matrix<TestType>::Constant(1, 2, 1000)) == std::vector<Index>{-1});
  CHECK(model.clusters().centres.rows() == 2);
}

TEST_CASE("SpectralClustering: clusters of different sizes and densities", "[models][spectral]") {
  Matrix<double> x = mercer::normal_matrix<double>(200, 2, 53, "clusters");
  for (Index i = 0; i < 200; ++i) {
    x.row(i) *= i % 4 == 0 ? .05 : .3;
    x(i, 0) += static_cast<double>(3 * (i % 4));
  }
  for (const double alpha : {0.0, 1.0})
    CHECK(in_turn(SpectralClustering{Gaussian{.5}, {.clusters = 4, .density_exponent = alpha}}
                      .fit(x)
                      .labels(),
                  4));
}

TEST_CASE("SpectralClustering: the best of several starts counts", "[models][spectral]") {
  const Matrix<double> x = uniform_samples<double>(100, 2, 54);
  const auto inertia = [&](Index starts) {
    return SpectralClustering{Gaussian{.2}, {.clusters = 8, .starts = starts}}
        .fit(x)
        .clusters()
        .inertia;
  };
  CHECK(inertia(10) <= inertia(1));
  const auto model = SpectralClustering{Gaussian{.2}, {.clusters = 8}}.fit(x);
  double sum = 0;
  for (Index i = 0; i < 100; ++i)
    sum += (model.embedding().eigenvectors().row(i) -
            model.clusters().centres.row(model.labels()[static_cast<std::size_t>(i)]))
               .squaredNorm();
  CHECK(model.clusters().inertia == Approx(sum));
  // A fixed point of k-means: each centre is the mean of its samples.
  for (Index c = 0; c < 8; ++c) {
    Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(7);
    double count = 0;
    for (Index i = 0; i < 100; ++i)
      if (model.labels()[static_cast<std::size_t>(i)] == c) {
        mean += model.embedding().eigenvectors().row(i);
        ++count;
      }
    REQUIRE(count > 0);
    CHECK((mean / count - model.clusters().centres.row(c)).norm() <= 1e-10);
  }
}

TEST_CASE("SpectralClustering: a run that is cancelled says so", "[models][spectral]") {
  const Matrix<double> x = uniform_samples<double>(60, 2, 4);
  const SpectralClustering clustering{Gaussian{0.3}, {.clusters = 3}};
  CHECK(clustering.fit(x).status() == Status::Converged);
  const auto cut = clustering.fit(x, [](const Progress& p) { return p.phase != "k-means"; });
  CHECK(cut.status() == Status::Cancelled);
  CHECK(cut.clusters().status == Status::Cancelled);
  CHECK(cut.embedding().report().status == Status::Converged);
  CHECK(cut.labels().size() == 60);  // those of the first start
  CHECK(clustering.fit(x, [](const Progress&) { return false; }).status() == Status::Cancelled);
}

TEST_CASE("SpectralClustering: equal samples are one cluster", "[models][spectral]") {
  for (const Index n : {2, 3, 6, 20, 100, 300}) {
    CAPTURE(n);
    const Matrix<double> x = Matrix<double>::Constant(n, 2, 1.0);
    const auto model = SpectralClustering{Gaussian{1}}.fit(x);
    CHECK(model.labels() == std::vector<Index>(static_cast<std::size_t>(n), 0));
    CHECK(model.clusters().centres.rows() == 1);
    CHECK(model.clusters().inertia == 0);
    CHECK(model.predict(x) == model.labels());
    CHECK(model.embedding().components() == 0);
  }
}

TEST_CASE("SpectralClustering: no more clusters than there are different samples",
          "[models][spectral]") {
  Matrix<double> x(60, 1);
  for (Index i = 0; i < 60; ++i) x(i, 0) = static_cast<double>(i % 3);
  const auto model = SpectralClustering{Gaussian{1}, {.clusters = 5}}.fit(x);
  CHECK(model.embedding().components() == 2);
  CHECK(model.clusters().centres.rows() == 3);
  CHECK(in_turn(model.labels(), 3));
}

TEST_CASE("SpectralClustering: what is refused", "[models][spectral]") {
  const Matrix<double> x = uniform_samples<double>(10, 2, 55);
  const auto message = [&](const mercer::SpectralClusteringParams& params) {
    return error_of([&] { return SpectralClustering{Gaussian{1}, params}.fit(x); });
  };
  CHECK_THAT(message({.clusters = 1}), ContainsSubstring("clusters must be between 2"));
  CHECK_THAT(message({.clusters = 11}), ContainsSubstring("10, got 11"));
  CHECK_THAT(message({.starts = 0}), ContainsSubstring("starts"));
  CHECK_THAT(message({.iterations = 0}), ContainsSubstring("iterations"));
}

}  // namespace spectral_clustering_test
