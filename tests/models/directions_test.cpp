// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors
//
// Models of kernel PCA from the dual: by L-BFGS, and by DCA with losses other than the square.

#include <mercer/models/kernel_pca.hpp>

#include <cmath>
#include <variant>

#include <mercer/core/tall_skinny.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/losses/epsilon_insensitive.hpp>
#include <mercer/losses/huber.hpp>
#include <mercer/losses/square.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/dual/dca.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>

#if defined(MERCER_HAS_LBFGSPP)
#include <mercer/solvers/dual/dual.hpp>
#endif

namespace directions_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr Index n = 80, k = 3;
const Gaussian kernel(1.0);

Matrix<double> samples() {
  Matrix<double> x = test::uniform_samples<double>(n, 3, 1);
  for (Index i = 0; i < n; ++i) x(i, i % 3) += 1.5;
  return x;
}

double distance(const Matrix<double>& a, const Matrix<double>& b) {
  REQUIRE(a.rows() == b.rows());
  REQUIRE(a.cols() == b.cols());
  return (a - b).cwiseAbs().maxCoeff();
}

}  // namespace

#if defined(MERCER_HAS_LBFGSPP)

SCALAR_TEST_CASE("kernel_pca: by the dual, the same model as by Exact", "[models]") {
  using S = TestType;
  const Matrix<S> x = samples().cast<S>();
  const Matrix<S> q = test::uniform_samples<S>(5, 3, 2);
  for (const bool centered : {true, false}) {
    const KernelPcaParams params{.components = k, .centered = centered};
    const auto exact = KernelPca{kernel, Exact{}, params}.fit(x);
    const auto model = KernelPca{kernel, Dual{{.tolerance = 1e-9}}, params}.fit(x);
    CHECK(model.report().status == Status::Converged);
    CHECK(model.report().solver == SolverId::Dual);
    // An eigenvector's error is its residual over the gap, some 0.1 mu_1 here. In float, both
    // eigenvalues have rounding errors of n eps = 1e-5 of their size, which is 10.
    const double bound = sizeof(S) == 4 ? 1e-4 : 1e-7;
    CHECK((model.eigenvalues() - exact.eigenvalues()).norm() <= bound);
    CHECK((model.training_scores() - exact.training_scores()).cwiseAbs().maxCoeff() <= bound);
    CHECK((model.transform(q) - exact.transform(q)).cwiseAbs().maxCoeff() <= bound);
  }
}

TEST_CASE("kernel_pca: by the dual, of a given Gram matrix and of an indefinite one", "[models]") {
  const Matrix<double> gram_matrix = gram(kernel, samples());
  const KernelPcaParams params{.components = k};
  const auto exact = KernelPca{Precomputed{}, Exact{}, params}.fit(gram_matrix);
  const auto model = KernelPca{Precomputed{}, Dual{}, params}.fit(gram_matrix);
  CHECK((model.eigenvalues() - exact.eigenvalues()).norm() <= 1e-6);
  CHECK_THAT(test::error_of([&] {
               return KernelPca{Precomputed{}, Dual{}, params}.fit(-gram_matrix);
             }),
             ContainsSubstring("positive semidefinite"));
}

#endif

TEST_CASE("kernel_pca: DCA with the square loss is kernel PCA", "[models]") {
  const Matrix<double> x = samples();
  for (const bool centered : {true, false}) {
    const KernelPcaParams params{.components = k, .centered = centered};
    const auto exact = KernelPca{kernel, Exact{}, params}.fit(x);
    const auto model = KernelPca{kernel, Dca{SquareLoss{}, {.tolerance = 1e-10}}, params}.fit(x);
    CHECK(model.report().status == Status::Converged);
    CHECK((model.eigenvalues() - exact.eigenvalues()).norm() <= 1e-9);
    CHECK(distance(model.training_scores(), exact.training_scores()) <= 1e-7);
    CHECK(distance(model.transform(x), exact.training_scores()) <= 1e-7);
  }
}

TEST_CASE("kernel_pca: a sparse model keeps its support, and scores are those of all samples",
          "[models]") {
  const Matrix<double> x = samples();
  const Matrix<double> q = test::uniform_samples<double>(7, 3, 2);
  const KernelPca pca{
      kernel, Dca{EpsilonInsensitive<L2>{0.5}}, {.components = k, .centered = false}};
  const auto model = pca.fit(x);
  const Report& report = model.report();
  CHECK(report.status == Status::Converged);
  CHECK(describe_solver(report) == "dca (eps-l2(epsilon=0.5))");
  REQUIRE(model.components() == k);
  const Index support = model.points().rows();
  CHECK(support < n);
  CHECK(support > k);
  CHECK(model.coefficients().rows() == support);
  CHECK(report.expansion_points == support);
  CHECK(std::get<DcaDetails>(report.details).zero_rows ==
        Approx(1 - static_cast<double>(support) / n));
  CHECK(report.samples == n);

  CHECK(model.training_scores().rows() == n);
  CHECK(distance(model.transform(x), model.training_scores()) <= 1e-12);
  const Matrix<double> expected = gram(kernel, q, model.points()) * model.coefficients();
  CHECK(distance(model.transform(q), expected) <= 1e-13);
  // Orthonormal directions, and what they leave of a sample.
  const Matrix<double> norms =
      model.coefficients().transpose() * gram(kernel, model.points()) * model.coefficients();
  CHECK(distance(norms, Matrix<double>::Identity(k, k)) <= 1e-12);
  const Vector<double> rest = 1 - expected.rowwise().squaredNorm().array();
  CHECK((model.reconstruction_error(q) - rest).cwiseAbs().maxCoeff() <= 1e-12);
  CHECK(model.inverse_transform(model.transform(q)).rows() == 7);

  // Sparse samples likewise.
  const SparseMatrix<double> rows = x.sparseView();
  CHECK(distance(pca.fit(rows).transform(q), expected) <= 1e-9);
}

TEST_CASE("kernel_pca: a centred model of another loss keeps all samples", "[models]") {
  const Matrix<double> x = samples();
  const Matrix<double> q = test::uniform_samples<double>(7, 3, 2);
  const Matrix<double> j = test::centering_matrix<double>(n);
  const auto model = KernelPca{kernel, Dca{EpsilonInsensitive<L2>{0.3}}, {.components = k}}.fit(x);
  CHECK(model.report().status == Status::Converged);
  CHECK(std::get<DcaDetails>(model.report().details).zero_rows > 0);
  CHECK(model.points().rows() == n);
  CHECK(distance(model.transform(x), model.training_scores()) <= 1e-12);
  const Matrix<double> g = gram(kernel, x);
  // Unit directions in the centred space, whose coefficients sum to zero.
  const Matrix<double>& a = model.coefficients();
  CHECK(distance(a.transpose() * g * a, Matrix<double>::Identity(k, k)) <= 1e-12);
  CHECK(a.colwise().sum().cwiseAbs().maxCoeff() <= 1e-12);
  // The centred test kernel, formed: (k(q, x_j) - mean_i k(x_i, x_j)) J A.
  const Matrix<double> centered = (gram(kernel, q, x).rowwise() - g.colwise().mean()) * j * a;
  CHECK(distance(model.transform(q), centered) <= 1e-12);
}

TEST_CASE("kernel_pca: other losses on a given Gram matrix, and on samples in float", "[models]") {
  const Matrix<double> x = samples();
  const KernelPcaParams params{.components = k, .centered = false};
  const Dca solver{Huber<L2>{0.4}};
  const auto model = KernelPca{kernel, solver, params}.fit(x);
  const auto given = KernelPca{Precomputed{}, solver, params}.fit(gram(kernel, x));
  CHECK(distance(model.training_scores(), given.training_scores()) <= 1e-9);
  const auto single = KernelPca{kernel, solver, params}.fit(x.cast<float>());
  // Kernel values in float, and a problem whose solution moves with them.
  CHECK(distance(model.training_scores(), single.training_scores().cast<double>()) <= 1e-3);
}

TEST_CASE("kernel_pca: where all rows vanish the model has no component, and says why",
          "[models]") {
  const Matrix<double> x = samples();
  for (const bool centered : {true, false}) {
    const KernelPca pca{
        kernel, Dca{EpsilonInsensitive<L2>{1.0}}, {.components = k, .centered = centered}};
    const auto model = pca.fit(x);
    CHECK(model.components() == 0);
    CHECK(model.report().status == Status::NotConverged);
    CHECK_THAT(model.report().reason, ContainsSubstring("all rows of the dual variable are zero"));
    CHECK(model.transform(x).cols() == 0);
  }
}

}  // namespace directions_test
