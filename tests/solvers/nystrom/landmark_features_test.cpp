// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/nystrom/landmark_features.hpp>

#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace landmark_features_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("landmark_features: samples chosen by a selector", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(40, 2, 3);
  const Gaussian kernel(2);
  const auto chosen = landmark_features(RpCholesky{}, kernel, x, 15, 7);
  for (const auto& landmark : chosen.landmarks().rowwise())
    CHECK((x.rowwise() - landmark).rowwise().norm().minCoeff() == 0);
  const auto map = chosen.bind<double>(kernel, sample_bounds(x), 1);
  const Matrix<double> z = block_features(map, 0, x);
  // The spectrum of so wide a kernel on the plane has decayed by the sixteenth eigenvalue.
  CHECK((z * z.transpose() - gram(kernel, x)).cwiseAbs().maxCoeff() <= 1e-3);

  int calls = 0;
  const auto stopped = landmark_features(RpCholesky{}, kernel, x, 15, 7, [&](const Progress&) {
    ++calls;
    return false;
  });
  CHECK(calls > 0);
  CHECK(stopped.landmarks().rows() >= 1);
  CHECK(stopped.landmarks().rows() < 15);

  const SparseMatrix<double> sparse = x.sparseView();
  CHECK(landmark_features(Uniform{}, kernel, sparse, 4).landmarks().rows() == 4);
}

TEST_CASE("landmark_features: counts and samples that are refused", "[solvers][error]") {
  const Matrix<double> x = test::uniform_samples<double>(6, 2, 3);
  for (const Index count : {0, 7})
    CHECK_THAT(test::error_of([&] { return landmark_features(Uniform{}, Gaussian(1), x, count); }),
               ContainsSubstring("count must be from 1 to the number of samples, 6, got"));
  CHECK_THAT(test::error_of([&] { return landmark_features(Uniform{}, Intersection{}, x, 3); }),
             ContainsSubstring("non-negative"));
}

}  // namespace landmark_features_test
