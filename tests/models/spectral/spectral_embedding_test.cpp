// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/spectral/spectral_embedding.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace spectral_embedding_test {

using Catch::Matchers::ContainsSubstring;
using mercer::Gaussian;
using mercer::Index;
using mercer::Matrix;
using mercer::SpectralEmbedding;
using mercer::SpectralEmbeddingParams;
using mercer::Vector;
using mercer::test::error_of;
using mercer::test::uniform_samples;

namespace {

/// The random walk P of the samples by its definition, its stationary distribution, and its right
/// eigenvectors without the trivial one.
struct Walk {
  Matrix<double> transitions, psi;
  Vector<double> stationary, eigenvalues;

  Walk(Matrix<double> k, double alpha) {
    const Vector<double> q = k.rowwise().sum().array().pow(-alpha);
    k = (q.asDiagonal() * k * q.asDiagonal()).eval();
    const Vector<double> d = k.rowwise().sum();
    transitions = d.cwiseInverse().asDiagonal() * k;
    stationary = d / d.sum();
    const Vector<double> root = stationary.cwiseSqrt();
    const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(root.asDiagonal() * transitions *
                                                              root.cwiseInverse().asDiagonal());
    const Index n = k.rows();
    eigenvalues = eigen.eigenvalues().head(n - 1).reverse();
    psi =
        root.cwiseInverse().asDiagonal() * eigen.eigenvectors().leftCols(n - 1).rowwise().reverse();
  }
};

/// Columns up to their signs.
double difference_up_to_signs(const Matrix<double>& a, const Matrix<double>& b) {
  double worst = 0;
  for (Index j = 0; j < a.cols(); ++j)
    worst =
        (std::max)(worst, (std::min)((a.col(j) - b.col(j)).norm(), (a.col(j) + b.col(j)).norm()));
  return worst;
}

/// A curve with samples at different distances, so that eigenvalues are well apart.
template <class S = double>
Matrix<S> curve(Index n) {
  const Matrix<double> t = uniform_samples<double>(n, 1, 41, 0, 2);
  Matrix<S> x(n, 2);
  x << t.template cast<S>(), t.array().square().matrix().template cast<S>();
  return x;
}

}  // namespace

SCALAR_TEST_CASE("SpectralEmbedding: eigenvectors of the random walk", "[models][spectral]") {
  using S = TestType;
  const Index n = 60;
  const Matrix<S> x = curve<S>(n);
  const Matrix<double> k = mercer::gram(Gaussian{.5}, x.template cast<double>().eval(),
                                        x.template cast<double>().eval());
  // Residuals of 1e-6, divided by gaps of a hundredth and more; in float, kernel values have errors
  // of 1e-7, and so have residuals.
  const double tolerance = 1e-3;
  for (const double alpha : {0.0, 1.0}) {
    CAPTURE(alpha);
    const Walk walk(k, alpha);
    const auto model =
        SpectralEmbedding{Gaussian{.5}, {.components = 3, .density_exponent = alpha}}.fit(x);
    REQUIRE(model.components() == 3);
    CHECK((model.eigenvalues() - walk.eigenvalues.head(3)).norm() <= 1e-5);
    CHECK(difference_up_to_signs(model.eigenvectors(), walk.psi.leftCols(3)) <= tolerance);
    CHECK((model.embedding().template cast<double>() - model.eigenvectors()).norm() <= 1e-5);
    // Orthonormal under the stationary distribution, and orthogonal to constants.
    const Matrix<double> moments =
        model.eigenvectors().transpose() * walk.stationary.asDiagonal() * model.eigenvectors();
    CHECK((moments - Matrix<double>::Identity(3, 3)).norm() <= 1e-5);
    CHECK((walk.stationary.transpose() * model.eigenvectors()).norm() <= 1e-5);
    CHECK(model.report().status == mercer::Status::Converged);
  }
}

SCALAR_TEST_CASE("SpectralEmbedding: new samples", "[models][spectral]") {
  using S = TestType;
  const Matrix<S> x = curve<S>(50);
  const SpectralEmbedding maps{
      Gaussian{.5}, {.components = 2, .density_exponent = 1, .time = 2}, mercer::Exact{}};
  const auto model = maps.fit(x);
  // At the training samples, the extension is the eigenvector equation. Kernel values in float are
  // known to 1e-7, and the eigenvalues are above 0.5.
  const double tolerance = std::is_same_v<S, float> ? 1e-4 : 1e-10;
  CHECK((model.transform(x) - model.embedding()).template cast<double>().norm() <= tolerance);
  CHECK((model.embedding().template cast<double>() -
         model.eigenvectors() * model.eigenvalues().array().square().matrix().asDiagonal())
            .norm() <= tolerance);
  // Between two neighbours, coordinates are between.
  const Matrix<S> between = (x.row(0) + x.row(1)) / 2;
  const mercer::SparseMatrix<S> sparse = between.sparseView();
  CHECK((model.transform(between) - model.transform(sparse)).norm() <= static_cast<S>(tolerance));
  // A sample far from all others has no transitions.
  CHECK(std::isnan(model.transform(Matrix<S>::Constant(1, 2, 1000))(0, 0)));
}

TEST_CASE("SpectralEmbedding: distances of diffusion maps are those of walks",
          "[models][spectral]") {
  // |Psi_t(x) - Psi_t(y)|^2 = sum_z (p_t(x, z) - p_t(y, z))^2 / pi(z), with all components.
  const Index n = 12;
  const Matrix<double> x = curve(n);
  const Walk walk(mercer::gram(Gaussian{.3}, x, x), 0);
  const auto model =
      SpectralEmbedding{Gaussian{.3}, {.components = n - 1, .time = 2}, mercer::Exact{}}.fit(x);
  const Matrix<double> steps = walk.transitions * walk.transitions, y = model.embedding();
  for (Index i = 1; i < n; ++i) {
    const double expected =
        (steps.row(i) - steps.row(0))
            .cwiseProduct(walk.stationary.cwiseSqrt().cwiseInverse().transpose())
            .squaredNorm();
    // Components whose eigenvalues count as zero, at most 1e-12 each, are left out.
    CHECK((y.row(i) - y.row(0)).squaredNorm() == Approx(expected).margin(1e-10));
  }
}

TEST_CASE("SpectralEmbedding: groups without similarities", "[models][spectral]") {
  Matrix<double> x = uniform_samples<double>(30, 2, 42);
  x.bottomRows(10).array() += 1000;
  const auto model = SpectralEmbedding{Gaussian{.7}, {.components = 1}}.fit(x);
  CHECK(model.eigenvalues()(0) == Approx(1));
  const Vector<double> psi = model.eigenvectors().col(0);
  CHECK((psi.head(20).array() - psi(0)).matrix().norm() <= 1e-6);
  CHECK((psi.tail(10).array() - psi(20)).matrix().norm() <= 1e-6);
  CHECK(psi(0) * psi(20) < 0);
}

SCALAR_TEST_CASE("SpectralEmbedding: equal samples have no coordinates", "[models][spectral]") {
  using S = TestType;
  for (const Index n : {3, 20, 300}) {
    CAPTURE(n);
    const Matrix<S> x = Matrix<S>::Constant(n, 2, S(1));
    for (const auto precision : {mercer::Precision::Single, mercer::Precision::Double}) {
      const auto model = SpectralEmbedding{Gaussian{1}, {.precision = precision}}.fit(x);
      CHECK(model.components() == 0);
      CHECK(model.embedding().rows() == n);
      CHECK(model.transform(x).cols() == 0);
    }
  }
  // Three different samples have two.
  Matrix<S> x(60, 1);
  for (Index i = 0; i < 60; ++i) x(i, 0) = static_cast<S>(i % 3);
  CHECK(SpectralEmbedding{Gaussian{1}, {.components = 5}}.fit(x).components() == 2);
}

TEST_CASE("SpectralEmbedding: forms of samples, storage and kernels", "[models][spectral]") {
  const Matrix<double> x = curve(300);  // more than one tile
  const auto of = [](const auto& kernel, const auto& samples, SpectralEmbeddingParams params) {
    params.components = 2;
    return SpectralEmbedding{kernel, params}.fit(samples);
  };
  const Matrix<double> expected = of(Gaussian{.5}, x, {}).embedding();
  constexpr double tolerance = 1e-3;  // residuals of 1e-6 over the gaps
  const mercer::SparseMatrix<double> sparse = x.sparseView();
  CHECK(difference_up_to_signs(of(Gaussian{.5}, sparse, {}).embedding(), expected) <= tolerance);
  const Matrix<double> gram = mercer::gram(Gaussian{.5}, x, x);
  const Matrix<double> symmetric = (gram + gram.transpose()) / 2;
  const auto given = of(mercer::Precomputed{}, symmetric, {});
  CHECK(difference_up_to_signs(given.embedding(), expected) <= tolerance);
  CHECK(difference_up_to_signs(given.transform(gram), expected) <= tolerance);
  for (const auto storage : {mercer::GramStorage::Stored, mercer::GramStorage::Recomputed})
    for (const auto precision : {mercer::Precision::Single, mercer::Precision::Double})
      CHECK(difference_up_to_signs(
                of(Gaussian{.5}, x, {.storage = storage, .precision = precision}).embedding(),
                expected) <= tolerance);
}

TEST_CASE("SpectralEmbedding: what is refused", "[models][spectral]") {
  const Matrix<double> x = curve(10);
  const auto message = [&](const SpectralEmbeddingParams& params) {
    return error_of([&] { return SpectralEmbedding{Gaussian{1}, params}.fit(x); });
  };
  CHECK_THAT(message({.components = 0}),
             ContainsSubstring("between 1 and 9 for 10 samples, got 0"));
  CHECK_THAT(message({.components = 10}), ContainsSubstring("got 10"));
  CHECK_THAT(message({.time = -1}), ContainsSubstring("time"));
  CHECK_THAT(message({.density_exponent = std::numeric_limits<double>::infinity()}),
             ContainsSubstring("density_exponent"));
  CHECK_THAT(error_of([] { return SpectralEmbedding{Gaussian{1}}.fit(Matrix<double>(1, 2)); }),
             ContainsSubstring("at least two rows"));
  const Matrix<double> opposite{{1.}, {-1.}, {-1.}};
  CHECK_THAT(error_of([&] {
               return SpectralEmbedding{mercer::Linear{}, {.components = 1}}.fit(opposite);
             }),
             ContainsSubstring("row sums of the similarities must be positive, got -1 at row 0"));
  Matrix<double> broken = x;
  broken(2, 0) = std::nan("");
  CHECK_THAT(error_of([&] { return SpectralEmbedding{Gaussian{1}}.fit(broken); }),
             ContainsSubstring("row 2"));
}

}  // namespace spectral_embedding_test
