// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/nystrom_features.hpp>

#include <cmath>
#include <limits>
#include <memory>

#include <Eigen/Eigenvalues>

#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/features/feature_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/x4.hpp>

namespace nystrom_features_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(FeatureMapFor<NystromFeatures<Matrix<double>>, Gaussian>);
static_assert(FeatureMapFor<NystromFeatures<SparseMatrix<float>>, Linear>);
static_assert(BoundFeatureMap<BoundNystromFeatures<Matrix<float>>>);
static_assert(BoundFeatureMap<BoundNystromFeatures<Matrix<double>>>);

namespace {

Matrix<double> estimate(const Kernel auto& kernel, const Matrix<double>& landmarks,
                        const Matrix<double>& x) {
  const NystromFeatures<Matrix<double>> features(landmarks);
  const auto map = features.bind<double>(kernel, sample_bounds(x), 1);
  const Matrix<double> z = block_features(map, 0, x);
  return z * z.transpose();
}

}  // namespace

TEST_CASE("NystromFeatures: the worked example", "[features]") {
  const Matrix<double> x = test::x4();
  Matrix<double> landmarks(2, 2);
  landmarks << x.row(0), x.row(3);
  const Matrix<double> k = estimate(Gaussian(1), landmarks, x);
  Vector<double> diagonal(4);
  diagonal << 1, 0.547767777257, 0.048474365026, 1;
  CHECK((k.diagonal() - diagonal).cwiseAbs().maxCoeff() <= 1e-12);
  CHECK(k(1, 2) == Approx(0.155740976408).epsilon(1e-11));
}

TEST_CASE("NystromFeatures: exact at landmarks, and below the Gram matrix", "[features][law]") {
  const Matrix<double> x = test::uniform_samples<double>(30, 3, 4, 0, 1);
  const auto check = [&](const auto& kernel) {
    const Matrix<double> k = gram(kernel, x), near = estimate(kernel, x.topRows(8), x);
    const double largest = k.cwiseAbs().maxCoeff();
    // Of the kernel matrix of the landmarks, all eigenvalues are kept.
    CHECK((near.topRows(8) - k.topRows(8)).cwiseAbs().maxCoeff() <= 1e-11 * largest);
    const Eigen::SelfAdjointEigenSolver<Matrix<double>> rest(k - near);
    CHECK(rest.eigenvalues()(0) >= -1e-10 * largest);
  };
  check(Gaussian(0.3));
  check(Laplacian(1));
  check(Intersection{});
}

TEST_CASE("NystromFeatures: landmarks that depend on each other", "[features]") {
  // Three dimensions and eight landmarks; the same landmark twice.
  const Matrix<double> x = test::uniform_samples<double>(30, 3, 4);
  const auto linear = NystromFeatures(x.topRows(8)).bind<double>(Linear{}, sample_bounds(x), 1);
  CHECK(linear.columns() == 3);
  const Matrix<double> z = block_features(linear, 0, x);
  CHECK((z * z.transpose() - x * x.transpose()).cwiseAbs().maxCoeff() <= 1e-13);
  Matrix<double> twice(2, 3);
  twice << x.row(0), x.row(0);
  CHECK(NystromFeatures(twice).bind<double>(Gaussian(1), sample_bounds(x), 1).columns() == 1);
  CHECK(NystromFeatures(Matrix<double>(Matrix<double>::Zero(2, 3)))
            .bind<double>(Linear{}, sample_bounds(x), 1)
            .columns() == 0);
}

SCALAR_TEST_CASE("NystromFeatures: every block is the same", "[features][law]") {
  const Matrix<TestType> x = test::samples_for_purity<TestType>();
  test::check_purity<TestType>(NystromFeatures(x.topRows(9)), Gaussian(3), x, false);
  // Sparse landmarks, sparse samples.
  const SparseMatrix<TestType> sparse = x.sparseView();
  const auto dense_map =
      NystromFeatures(x.topRows(9)).template bind<TestType>(Gaussian(3), sample_bounds(x), 1);
  const auto sparse_map =
      NystromFeatures(sparse.topRows(9)).template bind<TestType>(Gaussian(3), sample_bounds(x), 1);
  const Matrix<TestType> z = block_features(dense_map, 0, x),
                         y = block_features(sparse_map, 0, sparse);
  CHECK((z * z.transpose() - y * y.transpose()).cwiseAbs().maxCoeff() <=
        1000 * std::numeric_limits<TestType>::epsilon());
  CHECK(block_features(sparse_map, 0, SparseMatrix<TestType>(sparse.topRows(19))) == y.topRows(19));
}

TEST_CASE("NystromFeatures: the bound map owns its kernel", "[features]") {
  const Matrix<double> x = test::uniform_samples<double>(6, 2, 4);
  auto kernel = std::make_unique<Gaussian>(0.7);
  const auto map = NystromFeatures(x).bind<double>(*kernel, sample_bounds(x), 1);
  const auto copy = map;
  kernel.reset();
  const Matrix<double> z = block_features(copy, 0, x);
  CHECK((z * z.transpose() - gram(Gaussian(0.7), x)).cwiseAbs().maxCoeff() <= 1e-10);
}

TEST_CASE("NystromFeatures: what is refused", "[features][error]") {
  const Matrix<double> x = test::uniform_samples<double>(6, 2, 4);
  const auto error = [&](const Matrix<double>& landmarks, const auto& kernel) {
    return test::error_of([&] {
      const NystromFeatures<Matrix<double>> features(landmarks);
      return features.bind<double>(kernel, sample_bounds(x), 1);
    });
  };
  CHECK_THAT(error(Matrix<double>(0, 2), Gaussian(1)), ContainsSubstring("at least one landmark"));
  CHECK_THAT(error(Matrix<double>(1, 3), Gaussian(1)),
             ContainsSubstring("landmarks have dimension 3, samples have 2"));
  CHECK_THAT(error(x, Intersection{}), ContainsSubstring("non-negative"));
  Matrix<double> broken = x;
  broken(1, 1) = std::nan("");
  CHECK_THAT(error(broken, Gaussian(1)), ContainsSubstring("must be finite"));
  Matrix<double> line(2, 2);
  line << 1, 0, 2, 0;
  CHECK_THAT(error(line, Sigmoid({.gamma = 1, .coef0 = -1})),
             ContainsSubstring("not positive semidefinite on the landmarks"));
}

}  // namespace nystrom_features_test
