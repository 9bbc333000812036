// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/feature_pca_model.hpp>

#include <limits>
#include <vector>

#include <mercer/core/threads.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_laplace.hpp>
#include <mercer/io/npy/npy_stream.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/principal_angles.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace feature_pca_model_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(
    std::same_as<decltype(KernelPca{Gaussian(1.0), FeaturePca{RandomFourier{}}, {.components = 3}}
                              .fit(Matrix<float>())),
                 FeaturePcaModel<Gaussian, RandomFourier, float>>);

SCALAR_TEST_CASE("feature_pca_model: scores, eigenvalues and variance belong together",
                 "[models]") {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(120, 3, 1, -2, 2);
  for (const bool centered : {true, false}) {
    CAPTURE(centered);
    const KernelPca pca{Gaussian(1.0),
                        FeaturePca{RandomFourier{.features = 30}, {.blocks = 3}},
                        {.components = 4, .centered = centered}};
    const auto model = pca.fit(x);
    REQUIRE(model.components() == 4);
    CHECK(model.centered() == centered);
    const Matrix<S> scores = model.transform(x);
    // Sums of 120 squares below 1.
    const S rounding = 1000 * std::numeric_limits<S>::epsilon();
    for (Index i = 0; i < 4; ++i) {
      const S mu = model.eigenvalues()(i);
      CHECK(std::abs(scores.col(i).squaredNorm() - mu) <= rounding * model.eigenvalues()(0));
      CHECK(model.explained_variance()(i) == mu / static_cast<S>(centered ? 119 : 120));
      if (centered) CHECK(std::abs(scores.col(i).mean()) <= rounding);
    }
    CHECK(model.eigenvalues(EigenvalueConvention::Covariance) == model.eigenvalues() / S(120));
    CHECK(model.explained_variance_ratio().sum() <= 1);
    CHECK(model.report().kernel == Gaussian(1.0).describe());
    CHECK(model.report().samples == 120);
    CHECK_THAT(model.report().reason, ContainsSubstring("solver as asked for"));
    CHECK(pca.fit_transform(x) == scores);
    CHECK(model.transform(SparseMatrix<S>(x.sparseView())) == scores);
  }
}

TEST_CASE("feature_pca_model: many features come near the exact components", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(150, 2, 1, -2, 2);
  const auto exact = KernelPca{Gaussian(1.0), Exact{}, {.components = 2}}.fit(x);
  // On a square, mu_1 = mu_2, well apart from mu_3. 200 frequencies: entries of the Gram matrix are
  // off by 0.05, components by a few times that.
  const auto features = KernelPca{
      Gaussian(1.0),
      FeaturePca{RandomFourier{.features = 200}, {.blocks = 1}},
      {.components = 2}}.fit(x);
  const auto stochastic = KernelPca{
      Gaussian(1.0),
      DoublyStochastic{RandomFourier{.features = 32}, {.blocks = 16, .data_batch = 64}},
      {.components = 2}}.fit(x);
  const auto check_near = [&](const auto& model, double relative) {
    REQUIRE(model.components() == 2);
    CHECK((model.eigenvalues() - exact.eigenvalues())
              .cwiseQuotient(exact.eigenvalues())
              .cwiseAbs()
              .maxCoeff() <= relative);
    CHECK(principal_angles(model.transform(x), exact.training_scores()).largest_squared_sine() <=
          relative);
    CHECK(model.explained_variance_ratio()(0) ==
          Approx(exact.explained_variance_ratio()(0)).epsilon(relative));
  };
  check_near(features, 0.1);
  check_near(stochastic, 0.15);
  CHECK_THAT(describe_solver(stochastic.report()),
             ContainsSubstring("doubly-stochastic (oja, 16 blocks of 64"));
}

TEST_CASE("feature_pca_model: a file as a stream gives the model of the matrix", "[models]") {
  const test::TemporaryDirectory directory;
  const Matrix<double> x = test::uniform_samples<double>(5000, 2, 4);
  io::write_npy(directory.path("x.npy"), x);
  io::NpyStream<double> stream(directory.path("x.npy"));
  const KernelPca pca{Gaussian(1.0),
                      DoublyStochastic{RandomFourier{.features = 4}, {.blocks = 3}},
                      {.components = 2}};
  const auto model = pca.fit(x), streamed = pca.fit(stream);
  CHECK(streamed.coefficients() == model.coefficients());
  CHECK(streamed.eigenvalues() == model.eigenvalues());
  CHECK(streamed.report().samples == 5000);

  // Scores in parts, on any number of threads.
  stream.seek({});
  Matrix<double> scores(0, 2);
  Index parts = 0;
  model.transform(stream, [&](const Matrix<double>& part) {
    scores.conservativeResize(scores.rows() + part.rows(), 2);
    scores.bottomRows(part.rows()) = part;
    ++parts;
  });
  CHECK(parts == 2);
  CHECK(scores == model.transform(x));
  const int threads = thread_count();
  set_thread_count(1);
  CHECK(scores == model.transform(x));
  set_thread_count(threads);
}

TEST_CASE("feature_pca_model: made anew from its parts", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(90, 2, 4);
  const auto model =
      KernelPca{Gaussian(0.7), FeaturePca{RandomFourier{.features = 9}}, {.components = 2}}.fit(x);
  const FeaturePcaModel again(model.kernel(), model.map(), model.solution(), model.centered());
  CHECK(again.transform(x) == model.transform(x));
  FeatureSolution<double> broken = model.solution();
  broken.blocks = 2;
  CHECK_THAT(
      test::error_of([&] { return FeaturePcaModel(model.kernel(), model.map(), broken, true); }),
      ContainsSubstring("18 coefficients do not fit 2 blocks of 18 features"));
}

TEST_CASE("feature_pca_model: what is refused", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(20, 2, 4);
  const KernelPca pca{Gaussian(0.7), FeaturePca{RandomFourier{.features = 30}}, {.components = 21}};
  CHECK_THAT(test::error_of([&] { return pca.fit(x); }),
             ContainsSubstring("components must be between 1 and the number of samples, 20"));
  const auto model =
      KernelPca{Gaussian(0.7), FeaturePca{RandomFourier{.features = 9}}, {.components = 2}}.fit(x);
  CHECK_THAT(test::error_of([&] { return model.transform(Matrix<double>::Ones(3, 3)); }),
             ContainsSubstring("new samples have 3 columns, the training samples 2"));
  Matrix<double> bad = x;
  bad(7, 1) = std::numeric_limits<double>::infinity();
  CHECK_THAT(test::error_of([&] { return model.transform(bad); }),
             ContainsSubstring("got inf at row 7, column 1"));
  CHECK(model.transform(Matrix<double>(0, 2)).rows() == 0);
}

TEST_CASE("feature_pca_model: a row outside of the domain has its number, not that in a batch",
          "[models][error]") {
  const ExponentialSemigroup kernel(1.0);
  const RandomLaplace map{.features = 4};
  const Matrix<double> good = test::uniform_samples<double>(5001, 1, 4, 0, 1);
  Matrix<double> bad = good;
  bad(4999, 0) = -1;
  const KernelPca batches{kernel, FeaturePca{map}, {.components = 1}};
  CHECK_THAT(test::error_of([&] { return batches.fit(bad); }),
             ContainsSubstring("which is row 4999 of the samples"));
  const KernelPca shuffled{
      kernel, DoublyStochastic{map, {.blocks = 2, .data_batch = 64}}, {.components = 1}};
  CHECK_THAT(test::error_of([&] { return shuffled.fit(bad); }),
             ContainsSubstring("which is row 4999 of the samples"));
  CHECK_THAT(test::error_of([&] { return batches.fit(good).transform(bad); }),
             ContainsSubstring("at row 903") && ContainsSubstring("in the rows from 4096 on"));
}

}  // namespace feature_pca_model_test
