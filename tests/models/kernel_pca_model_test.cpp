// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/kernel_pca_model.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include <Eigen/SVD>

#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/x4.hpp>

namespace kernel_pca_model_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("kernel_pca_model: eigenvalue conventions and explained variance", "[models]") {
  const auto model = KernelPca{Gaussian(1.0), Exact{}, {.components = 3}}.fit(test::x4());
  const Vector<double> mu = model.eigenvalues();
  CHECK(model.eigenvalues(EigenvalueConvention::Gram) == mu);
  CHECK(model.eigenvalues(EigenvalueConvention::Covariance).isApprox(mu / 4));
  CHECK(model.eigenvalues(EigenvalueConvention::SampleVariance).isApprox(mu / 3));
  CHECK(model.explained_variance().isApprox(mu / 3));
  Vector<double> ratio(3);
  ratio << .498772725437, .372514890755, .128712383808;
  CHECK((model.explained_variance_ratio() - ratio).cwiseAbs().maxCoeff() <= 1e-12);
}

TEST_CASE("kernel_pca_model: shares of a trace that no float holds", "[models]") {
  // Two columns that are orthogonal, with eigenvalues of 3e38 and 2.7e38: the largest float
  // is 3.4e38.
  Matrix<float> x(4, 2);
  x << 1, 1, 1, -1, -1, 1, -1, -1;
  x.col(0) *= std::sqrt(3.0e38F / 4);
  x.col(1) *= std::sqrt(2.7e38F / 4);
  const auto model = KernelPca{Linear{}, Exact{}, {.components = 2}}.fit(x);
  REQUIRE(model.components() == 2);
  const Vector<float> shares = model.explained_variance_ratio();
  CHECK(shares(0) == Approx(3.0 / 5.7).epsilon(1e-5));
  CHECK(shares(1) == Approx(2.7 / 5.7).epsilon(1e-5));
  CHECK(std::abs(model.mean_training_error()) <= 1e-5 * 5.7e38 / 4);
}

TEST_CASE("kernel_pca_model: residuals in feature space, the worked example X4", "[models]") {
  const auto model = KernelPca{Gaussian(1.0), Exact{}, {.components = 2}}.fit(test::x4());
  Vector<double> residual(2);
  residual << .199655936348, .899821853927;
  CHECK((model.reconstruction_error(test::x4_queries()) - residual).cwiseAbs().maxCoeff() <= 1e-12);
  CHECK(model.mean_training_error() == Approx(.068329612045).epsilon(1e-10));
  CHECK(model.reconstruction_error(test::x4()).mean() == Approx(.068329612045).epsilon(1e-10));
}

SCALAR_TEST_CASE("kernel_pca_model: laws of scores and coefficients", "[models][law]") {
  using S = TestType;
  const Index n = 90;
  const bool centered = GENERATE(true, false);
  const Matrix<S> x = test::uniform_samples<S>(n, 3, 1);
  const auto model =
      KernelPca{Gaussian(0.7), Exact{}, {.components = 6, .centered = centered}}.fit(x);
  Matrix<S> k = gram(Gaussian(0.7), x);
  if (centered) k = test::centering_matrix<S>(n) * k * test::centering_matrix<S>(n);
  // Rounding of n entries of size 1, divided by mu_6 = 1 at least in alpha^T K alpha.
  const S tolerance = 20 * static_cast<S>(n) * std::numeric_limits<S>::epsilon();

  const Matrix<S>& a = model.coefficients();
  CHECK((a.transpose() * k * a - Matrix<S>::Identity(6, 6)).cwiseAbs().maxCoeff() <= tolerance);
  const Matrix<S> scores = model.training_scores();
  CHECK((scores.transpose() * scores - Matrix<S>(model.eigenvalues().asDiagonal()))
            .cwiseAbs()
            .maxCoeff() <= tolerance * model.eigenvalues()(0));
  if (centered) CHECK(scores.colwise().mean().cwiseAbs().maxCoeff() <= tolerance);
  CHECK((model.transform(x) - scores).cwiseAbs().maxCoeff() <= tolerance);
}

TEST_CASE("kernel_pca_model: the offset equals the full centring of test rows", "[models][law]") {
  const Matrix<double> x = test::uniform_samples<double>(70, 3, 2);
  const Matrix<double> q = test::uniform_samples<double>(20, 3, 3, -2, 2);
  const auto model = KernelPca{Gaussian(0.7), Exact{}, {.components = 5}}.fit(x);
  const Matrix<double> k = gram(Gaussian(0.7), x), kt = gram(Gaussian(0.7), q, x);
  Matrix<double> centered = kt;
  centered.rowwise() -= k.colwise().mean();
  centered.colwise() -= kt.rowwise().mean();
  centered.array() += k.mean();
  CHECK((model.transform(q) - centered * model.coefficients()).cwiseAbs().maxCoeff() <= 1e-12);
}

TEST_CASE("kernel_pca_model: the linear kernel gives PCA", "[models][law]") {
  Matrix<double> x = test::uniform_samples<double>(60, 4, 4);
  x.array().rowwise() *= Eigen::RowVector4d(3, 2, 1, .3).array();
  x.array() += 5;
  const auto model = KernelPca{Linear{}, Exact{}, {.components = 4}}.fit(x);
  const Matrix<double> centered = x.rowwise() - x.colwise().mean();
  const Eigen::JacobiSVD<Matrix<double>> svd(centered, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Vector<double> squares = svd.singularValues().cwiseAbs2();
  // The tolerances are 1e-13 relative to the largest one, scores 1e-11; the offset of 5 costs two
  // digits.
  CHECK((model.eigenvalues() - squares).cwiseAbs().maxCoeff() <= 1e-12 * squares(0));
  const Matrix<double> scores = svd.matrixU() * svd.singularValues().asDiagonal();
  CHECK((model.training_scores().cwiseAbs() - scores.cwiseAbs()).cwiseAbs().maxCoeff() <= 1e-11);
}

TEST_CASE("kernel_pca_model: the homogeneous quadratic kernel gives PCA of the explicit map",
          "[models][law]") {
  const Matrix<double> x = test::x4();
  Matrix<double> map(4, 3);
  map << x.col(0).cwiseAbs2(), std::sqrt(2.0) * x.col(0).cwiseProduct(x.col(1)),
      x.col(1).cwiseAbs2();
  const Matrix<double> centered = map.rowwise() - map.colwise().mean();
  const Vector<double> squares =
      Eigen::JacobiSVD<Matrix<double>>(centered).singularValues().cwiseAbs2();
  const Polynomial kernel{{.gamma = 1, .coef0 = 0, .degree = 2}};
  const auto model = KernelPca{kernel, Exact{}, {.components = 3}}.fit(x);
  CHECK((model.eigenvalues() - squares).cwiseAbs().maxCoeff() <= 1e-12 * squares(0));
}

TEST_CASE("kernel_pca_model: with all components training samples have no residual",
          "[models][law]") {
  const Matrix<double> x = test::uniform_samples<double>(30, 4, 5);
  const auto model = KernelPca{Gaussian(0.5), Exact{}, {.components = 1.0}}.fit(x);
  CHECK(model.reconstruction_error(x).maxCoeff() <= 1e-10);
  CHECK(model.reconstruction_error(x).minCoeff() >= 0);
}

TEST_CASE("kernel_pca_model: novelty scores", "[models]") {
  const Index n = 80, k = 4;
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 6);
  const bool centered = GENERATE(true, false);
  const auto model =
      KernelPca{Gaussian(1.0), Exact{}, {.components = k, .centered = centered}}.fit(x);
  const Novelty<double> novelty = model.novelty(x);
  // By definition the mean of T^2 over the training samples is k (n - 1) / n, or k if not centred.
  const double expected = centered ? static_cast<double>(k * (n - 1)) / n : static_cast<double>(k);
  CHECK(novelty.t_squared.mean() == Approx(expected).epsilon(1e-10));
  CHECK(novelty.spe.mean() == Approx(model.mean_training_error()).epsilon(1e-10));
  // A point far away is out of the components' reach: all of its kernel values are 0.
  const Matrix<double> far = Matrix<double>::Constant(1, 3, 100);
  CHECK(model.novelty(far).spe(0) > novelty.spe.maxCoeff());
}

TEST_CASE("kernel_pca_model: transform does not depend on how rows are grouped", "[models][law]") {
  const Matrix<double> x = test::uniform_samples<double>(300, 3, 7);
  const Matrix<double> q = test::uniform_samples<double>(513, 3, 8);
  const auto model = KernelPca{Gaussian(1.0), Exact{}, {.components = 3}}.fit(x);
  const Matrix<double> all = model.transform(q);
  Matrix<double> parts(513, 3);
  parts << model.transform(q.topRows(100)), model.transform(q.bottomRows(413));
  CHECK((all - parts).cwiseAbs().maxCoeff() <= 1e-12);
  CHECK(model.transform(Matrix<double>(0, 3)).rows() == 0);
}

TEST_CASE("kernel_pca_model: new samples in any form", "[models]") {
  const Matrix<double> x = test::sparse_looking_samples<double>(40, 5, 9);
  const Matrix<double> q = test::sparse_looking_samples<double>(30, 5, 10);
  const KernelPca pca{Polynomial{}, Exact{}, {.components = 3}};
  const auto dense = pca.fit(x);
  const auto sparse = pca.fit(SparseMatrix<double>(x.sparseView()));
  const Matrix<double> expected = dense.transform(q);
  const RowMajorMatrix<double> by_rows = q;
  const SparseMatrix<double> rows = q.sparseView();
  const Eigen::SparseMatrix<double> columns = q.sparseView();
  const double tolerance = 1e-11 * expected.cwiseAbs().maxCoeff();
  CHECK((dense.transform(by_rows) - expected).cwiseAbs().maxCoeff() <= tolerance);
  CHECK((dense.transform(rows) - expected).cwiseAbs().maxCoeff() <= tolerance);
  CHECK((dense.transform(columns) - expected).cwiseAbs().maxCoeff() <= tolerance);
  CHECK((sparse.transform(q) - expected).cwiseAbs().maxCoeff() <= tolerance);
  CHECK((sparse.transform(rows) - expected).cwiseAbs().maxCoeff() <= tolerance);
  CHECK((sparse.novelty(q).spe - dense.novelty(rows).spe).cwiseAbs().maxCoeff() <=
        1e-10 * dense.novelty(q).spe.maxCoeff());
}

TEST_CASE("kernel_pca_model: precomputed values of new samples", "[models]") {
  const auto model =
      KernelPca{Precomputed{}, Exact{}, {.components = 3}}.fit(gram(Gaussian(1.0), test::x4()));
  const Matrix<double> scores =
      model.transform(gram(Gaussian(1.0), test::x4_queries(), test::x4()));
  CHECK(scores(0, 0) == Approx(-.251556192876).epsilon(1e-11));
  CHECK(scores(1, 2) == Approx(-.344195154142).epsilon(1e-11));
}

TEST_CASE("kernel_pca_model: bad new samples", "[models]") {
  const auto model = KernelPca{Intersection{}}.fit(test::uniform_samples<double>(10, 3, 11, 0, 1));
  const auto error = [&](const Matrix<double>& q) {
    return test::error_of([&] { return model.transform(q); });
  };
  CHECK_THAT(error(Matrix<double>::Ones(2, 4)), ContainsSubstring("4") && ContainsSubstring("3"));
  Matrix<double> q = Matrix<double>::Ones(300, 3);
  q(290, 2) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(error(q), ContainsSubstring("row 290, column 2") && ContainsSubstring("nan"));
  q(290, 2) = -1;
  CHECK_THAT(error(q), ContainsSubstring("row 290, column 2") && ContainsSubstring("-1"));
}

TEST_CASE("kernel_pca_model: the leading components are a model", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(30, 3, 8);
  const Matrix<double> fresh = test::uniform_samples<double>(7, 3, 9);
  const auto check = [&](const auto& all) {
    const auto two = all.leading(2);
    CHECK(two.components() == 2);
    CHECK(two.eigenvalues() == all.eigenvalues().head(2));
    CHECK(two.training_scores() == all.training_scores().leftCols(2));
    // Products of other shapes may round in another order.
    CHECK(two.transform(fresh).isApprox(all.transform(fresh).leftCols(2), 1e-13));
    CHECK(two.explained_variance_ratio() == all.explained_variance_ratio().head(2));
    CHECK(two.report().components == 2);
    CHECK(two.report().residuals.size() == 2);
    CHECK(two.report().samples == 30);
    const Vector<double> kept = all.transform(fresh).rightCols(2).rowwise().squaredNorm();
    CHECK((two.reconstruction_error(fresh) - all.reconstruction_error(fresh)).isApprox(kept, 1e-9));
    CHECK(all.leading(4).coefficients() == all.coefficients());
    CHECK_THAT(test::error_of([&] { return all.leading(5); }),
               ContainsSubstring("between 1 and the 4 components of the model, got 5"));
    CHECK_THAT(test::error_of([&] { return all.leading(0); }), ContainsSubstring("got 0"));
  };
  check(KernelPca{Gaussian(0.7), Exact{}, {.components = 4}}.fit(x));
  check(KernelPca{Gaussian(0.7), Nystrom{Uniform{}, {.landmarks = 20}}, {.components = 4}}.fit(x));
}

TEST_CASE("kernel_pca_model: taken apart and put together", "[models]") {
  using Model = KernelPcaModel<Intersection, Matrix<double>>;
  const Matrix<double> x = test::uniform_samples<double>(12, 3, 13, 0, 1);
  const auto model =
      KernelPca{Intersection{}, Nystrom{Uniform{}, {.landmarks = 5}}, {.components = 2}}.fit(x);
  const Model again(model.parts());
  CHECK(again.transform(x) == model.transform(x));
  CHECK(again.training_scores() == model.training_scores());

  const auto error = [&](const auto& spoil) {
    Model::Parts parts = model.parts();
    spoil(parts);
    return test::error_of([&] { return Model(std::move(parts)); });
  };
  using Parts = Model::Parts;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(error([](Parts& p) { p.points.reset(); }), ContainsSubstring("no points"));
  CHECK_THAT(error([](Parts& p) { p.over_landmarks = false; }),
             ContainsSubstring("points must be 12, got 5"));
  CHECK_THAT(error([](Parts& p) { p.report.samples = 0; }), ContainsSubstring("report.samples"));
  CHECK_THAT(error([](Parts& p) { p.report.dimension = 4; }), ContainsSubstring("must be 3"));
  CHECK_THAT(error([](Parts& p) { p.report.components = 3; }), ContainsSubstring("must be 2"));
  CHECK_THAT(error([](Parts& p) { p.eigenvalues.reverseInPlace(); }),
             ContainsSubstring("descending"));
  CHECK_THAT(error([](Parts& p) { p.eigenvalues(1) = 0; }), ContainsSubstring("positive"));
  CHECK_THAT(error([&](Parts& p) { p.eigenvalues(0) = nan; }), ContainsSubstring("eigenvalues"));
  CHECK_THAT(error([](Parts& p) { p.coefficients.conservativeResize(4, 2); }),
             ContainsSubstring("coefficients must be 5 x 2, got 4 x 2"));
  CHECK_THAT(error([](Parts& p) { p.offset.conservativeResize(3); }),
             ContainsSubstring("offset must be 2 x 1"));
  CHECK_THAT(error([](Parts& p) { p.mean_weights.conservativeResize(4); }),
             ContainsSubstring("mean_weights must be 5 x 1"));
  CHECK_THAT(error([&](Parts& p) { p.mean = nan; }), ContainsSubstring("mean must be finite"));
  CHECK_THAT(
      error([](Parts& p) { p.training_scores = std::make_shared<const Matrix<double>>(5, 2); }),
      ContainsSubstring("training_scores must be 12 x 2, got 5 x 2"));
  CHECK_THAT(error([](Parts& p) {
               p.points =
                   std::make_shared<const Matrix<double>>(Matrix<double>::Constant(5, 3, -1));
             }),
             ContainsSubstring("row 0") && ContainsSubstring("-1"));
}

}  // namespace kernel_pca_model_test
