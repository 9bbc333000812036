// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/hebbian/kernel_hebbian.hpp>
#include <mercer/solvers/krylov/lanczos.hpp>
#include <mercer/solvers/krylov/power_iteration.hpp>
#include <mercer/solvers/nystrom/greedy_cholesky.hpp>
#include <mercer/solvers/nystrom/kmeans_landmarks.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/sequential_greedy.hpp>
#include <mercer/solvers/nystrom/weighted_landmarks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>

namespace sample_weights_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Weights of 0 to 3, as numbers of copies.
std::vector<Index> copies_of(Index n) {
  RandomStream stream(7, "copies");
  std::vector<Index> copies;
  for (Index i = 0; i < n; ++i) copies.push_back(static_cast<Index>(stream.uniform() * 4));
  return copies;
}

Vector<double> weights_of(const std::vector<Index>& copies) {
  Vector<double> weights(static_cast<Index>(copies.size()));
  for (Index i = 0; i < weights.size(); ++i)
    weights(i) = static_cast<double>(copies[static_cast<std::size_t>(i)]);
  return weights;
}

template <Real S>
Matrix<S> repeated(const Matrix<S>& x, const std::vector<Index>& copies) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < copies.size(); ++i)
    rows.insert(rows.end(), static_cast<std::size_t>(copies[i]), static_cast<Index>(i));
  return test::rows_at(x, rows);
}

/// Weights of very different sizes, some of them 0.
Vector<double> uneven_weights(Index n) {
  Vector<double> weights = test::uniform_samples<double>(n, 1, 11, -6, 0);
  for (Index i = 0; i < n; ++i) weights(i) = i % 7 == 3 ? 0 : std::pow(10, weights(i));
  return weights;
}

/// diag(n p)^(1/2) (I - 1 p^T) K (I - p 1^T) diag(n p)^(1/2), or without the centring.
Matrix<double> weighted_matrix(const Matrix<double>& k, const Vector<double>& weights,
                               bool centered) {
  const Vector<double> p = weights / weights.sum(), means = k * p;
  Matrix<double> a = k;
  if (centered) {
    a.colwise() -= means;
    a.rowwise() -= means.transpose();
    a.array() += p.dot(means);
  }
  const Vector<double> s = (static_cast<double>(k.rows()) * p).cwiseSqrt();
  return s.asDiagonal() * a * s.asDiagonal();
}

/// A fit with numbers of copies as weights is the fit of that many copies.
template <class S, class T>
void check_copies(const T& solver, bool centered, double tolerance, Index k = 3) {
  const Index n = 90;
  const Matrix<S> x = test::uniform_samples<S>(n, 3, 1), q = test::uniform_samples<S>(20, 3, 2);
  const std::vector<Index> copies = copies_of(n);
  const Matrix<S> all = repeated(x, copies);
  const KernelPca pca{Gaussian(1.0), solver, {.components = k, .centered = centered}};
  const auto expected = pca.fit(all);
  const auto found = pca.fit(x, weights_of(copies));
  REQUIRE(found.components() == k);
  REQUIRE(expected.components() == k);
  CHECK(found.report().status == expected.report().status);
  const auto scale = static_cast<double>(all.rows()) / static_cast<double>(n);
  const Vector<double> mu = expected.eigenvalues().template cast<double>();
  CHECK((scale * found.eigenvalues().template cast<double>() - mu).cwiseAbs().maxCoeff() <=
        tolerance * mu(0));
  CHECK(scale * found.report().trace == Approx(expected.report().trace).epsilon(tolerance));
  CHECK((found.transform(q) - expected.transform(q)).cwiseAbs().maxCoeff() <= tolerance);
  CHECK((found.explained_variance_ratio() - expected.explained_variance_ratio())
            .cwiseAbs()
            .maxCoeff() <= tolerance);
}

}  // namespace

SCALAR_TEST_CASE("sample weights: copies of samples, solvers of eigenpairs", "[models][law]") {
  using S = TestType;
  const bool centered = GENERATE(true, false);
  // Functions have the errors of eigenvectors: rounding over the gaps, which are 0.05 mu_1 and
  // more.
  const double rounding = 1e4 * static_cast<double>(std::numeric_limits<S>::epsilon());
  check_copies<S>(Exact{}, centered, rounding);
  check_copies<S>(Auto{}, centered, rounding);
  const double iterated = (std::max)(rounding, 1e-6);
  check_copies<S>(BlockKrylov{{.tolerance = 1e-9}}, centered, iterated);
  check_copies<S>(Lanczos{{.tolerance = 1e-9}}, centered, iterated);
}

SCALAR_TEST_CASE("sample weights: copies of samples, landmarks and features", "[models][law]") {
  using S = TestType;
  const bool centered = GENERATE(true, false);
  const double rounding = 1e4 * static_cast<double>(std::numeric_limits<S>::epsilon());
  const Matrix<S> points = test::uniform_samples<S>(25, 3, 5);
  check_copies<S>(Nystrom{Given<Matrix<S>>(points), {.certificate_rows = 1000}}, centered,
                  rounding);
  // Both fits learn the same bounds of the samples from their first batch: that of a radius.
  check_copies<S>(FeaturePca{RandomFourier{.features = 64}, {.batch = 32}}, centered, rounding);
}

TEST_CASE("sample weights: the weighted eigenproblem and its scores", "[models]") {
  const Index n = 120, k = 4;
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 3);
  const Vector<double> weights = uneven_weights(n), p = weights / weights.sum();
  const bool centered = GENERATE(true, false);
  const Matrix<double> a = weighted_matrix(gram(Gaussian(1.0), x), weights, centered);
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(a);
  const auto check = [&](const auto& model, double tolerance) {
    REQUIRE(model.components() == k);
    CHECK(model.report().trace == Approx(a.trace()).epsilon(1e-12));
    CHECK((model.eigenvalues() - eigen.eigenvalues().tail(k).reverse()).cwiseAbs().maxCoeff() <=
          tolerance);
    const Matrix<double> scores = model.training_scores();
    REQUIRE(scores.rows() == n);
    const Matrix<double> weighted = static_cast<double>(n) * p.asDiagonal() * scores;
    CHECK((scores.transpose() * weighted - Matrix<double>(model.eigenvalues().asDiagonal()))
              .cwiseAbs()
              .maxCoeff() <= tolerance);
    if (centered) CHECK(weighted.colwise().sum().cwiseAbs().maxCoeff() <= tolerance);
    // Samples without weight have scores too, and are not in the model.
    CHECK((scores - model.transform(x)).cwiseAbs().maxCoeff() <= 1e-12);
    CHECK(model.mean_training_error() ==
          Approx(p.dot(model.reconstruction_error(x))).epsilon(1e-9));
    for (Index i = 0; i < k; ++i) {
      const Vector<double> u =
          (static_cast<double>(n) * p).cwiseSqrt().cwiseProduct(scores.col(i)) /
          std::sqrt(model.eigenvalues()(i));
      const double residual = (a * u - model.eigenvalues()(i) * u).norm();
      CHECK(residual <= 1.01 * model.report().residuals[static_cast<std::size_t>(i)] + 1e-12 * n);
    }
  };
  const KernelPcaParams params{.components = k, .centered = centered};
  const auto exact = KernelPca{Gaussian(1.0), Exact{}, params}.fit(x, weights);
  check(exact, 1e-12 * n);
  CHECK(exact.points().rows() == (weights.array() > 0).count());
  check(KernelPca{Gaussian(1.0), BlockKrylov{{.tolerance = 1e-8}}, params}.fit(x, weights),
        1e-6 * n);
  check(KernelPca{Gaussian(1.0), PowerIteration{{.tolerance = 1e-8}}, params}.fit(x, weights),
        1e-6 * n);
  // The samples with weight as landmarks: nothing is approximated.
  const auto nystrom =
      KernelPca{Gaussian(1.0),
                Nystrom{Given<Matrix<double>>(exact.points()), {.certificate_rows = n}}, params}
          .fit(x, weights);
  check(nystrom, 1e-9 * n);
}

TEST_CASE("sample weights: Nystroem's bounds are those of the weighted problem", "[models]") {
  const Index n = 300, k = 3;
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 4);
  const Vector<double> weights = uneven_weights(n);
  const bool centered = GENERATE(true, false), held = GENERATE(true, false);
  const Matrix<double> points = x.topRows(30);
  const Matrix<double> gram_xx = gram(Gaussian(0.7), x), gram_xp = gram(Gaussian(0.7), x, points);
  const Matrix<double> approximated =
      gram_xp * gram(Gaussian(0.7), points).ldlt().solve(gram_xp.transpose());
  // Too little memory for the rows: scores come from kernel values once more.
  const std::size_t budget = held ? 0 : 1000;
  const auto model = KernelPca{Gaussian(0.7),
                               Nystrom{Given<Matrix<double>>(points), {.certificate_rows = n}},
                               {.components = k, .centered = centered, .memory_budget = budget}}
                         .fit(x, weights);
  const Matrix<double> near = weighted_matrix(approximated, weights, centered);
  const Matrix<double> exact = weighted_matrix(gram_xx, weights, centered);
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(near), whole(exact);
  constexpr double rounding = 1e-9;
  CHECK((model.eigenvalues() - eigen.eigenvalues().tail(k).reverse()).cwiseAbs().maxCoeff() <=
        rounding * n);
  const Vector<double> p = weights / weights.sum();
  const auto& details = std::get<NystromDetails>(model.report().details);
  const double left_out = n * p.dot((gram_xx - approximated).diagonal());
  CHECK(details.trace_error == Approx(left_out).epsilon(1e-6));
  for (Index i = 0; i < k; ++i) {
    const auto at = static_cast<std::size_t>(i);
    CHECK(std::abs(model.eigenvalues()(i) - whole.eigenvalues()(n - 1 - i)) <=
          model.report().eigenvalue_error_bounds[at]);
    const Vector<double> u =
        (static_cast<double>(n) * p).cwiseSqrt().cwiseProduct(model.training_scores().col(i)) /
        std::sqrt(model.eigenvalues()(i));
    CHECK(model.report().residuals[at] ==
          Approx((exact * u - model.eigenvalues()(i) * u).norm()).epsilon(1e-6));
  }
}

TEST_CASE("sample weights: only their ratios matter, and equal ones are none", "[models][law]") {
  const Matrix<double> x = test::uniform_samples<double>(60, 2, 6);
  const KernelPca pca{Gaussian(1.0), Exact{}, {.components = 3}};
  const Vector<double> weights = uneven_weights(60);
  const auto model = pca.fit(x, weights);
  for (const double factor : {1e-300, 3.7, 1e300}) {
    const auto scaled = pca.fit(x, factor * weights);
    CHECK((scaled.eigenvalues() - model.eigenvalues()).cwiseAbs().maxCoeff() <= 1e-12 * 60);
    CHECK((scaled.transform(x) - model.transform(x)).cwiseAbs().maxCoeff() <= 1e-12);
  }
  const auto plain = pca.fit(x), equal = pca.fit(x, Vector<double>::Constant(60, 0.3));
  CHECK((plain.eigenvalues() == equal.eigenvalues()));
  CHECK((plain.coefficients() == equal.coefficients()));
  // Weights that are nearly equal go the other way, to nearly the same result.
  Vector<double> nearly = Vector<double>::Ones(60);
  nearly(5) += 1e-14;
  const auto near = pca.fit(x, nearly);
  CHECK((plain.eigenvalues() - near.eigenvalues()).cwiseAbs().maxCoeff() <= 1e-12 * 60);
  CHECK((plain.training_scores() - near.training_scores()).cwiseAbs().maxCoeff() <= 1e-11);
  CHECK((plain.offset() - near.offset()).cwiseAbs().maxCoeff() <= 1e-11);
}

TEST_CASE("sample weights: a matrix of kernel values, sparse samples, pre-images", "[models]") {
  const Matrix<double> x = test::sparse_looking_samples<double>(80, 4, 8);
  const Vector<double> weights = uneven_weights(80);
  const KernelPcaParams params{.components = 3};
  const auto dense = KernelPca{Gaussian(1.0), Exact{}, params}.fit(x, weights);
  const auto given = KernelPca{Precomputed{}, Exact{}, params}.fit(gram(Gaussian(1.0), x), weights);
  CHECK((dense.training_scores() - given.training_scores()).cwiseAbs().maxCoeff() <= 1e-11);
  CHECK(given.points().rows() == 80);  // new rows hold kernel values with all samples
  const SparseMatrix<double> sparse = x.sparseView();
  const auto rows =
      KernelPca{Gaussian(1.0), BlockKrylov{{.tolerance = 1e-10}}, params}.fit(sparse, weights);
  CHECK((dense.training_scores() - rows.training_scores()).cwiseAbs().maxCoeff() <= 1e-7);
  // The projection of a sample on all components is the sample, if it has weight.
  const auto all = KernelPca{Linear{}, Exact{}, {.components = 4}}.fit(x, weights);
  const auto back = all.preimages(all.training_scores(), KernelRidge<>{}).points;
  const Matrix<double> expansion = all.expansion(all.training_scores()) * all.points();
  CHECK((expansion - x).cwiseAbs().maxCoeff() <= 1e-9);
  CHECK(back.allFinite());
}

TEST_CASE("sample weights: tiles in single precision are certified", "[models]") {
  const Index n = 1100, k = 3;  // of more than 1024 rows, some are drawn
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 9);
  const Vector<double> weights = uneven_weights(n), p = weights / weights.sum();
  const bool centered = GENERATE(true, false);
  const auto model =
      KernelPca{
          Gaussian(1.0), BlockKrylov{{.tolerance = 1e-4}}, {.components = k, .centered = centered}}
          .fit(x, weights);
  CHECK(model.report().precision == Precision::Single);
  CHECK(model.report().status == Status::Converged);
  CHECK(model.report().residual_rows > 0);
  const Matrix<double> a = weighted_matrix(gram(Gaussian(1.0), x), weights, centered);
  for (Index i = 0; i < k; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Vector<double> u =
        (static_cast<double>(n) * p).cwiseSqrt().cwiseProduct(model.training_scores().col(i)) /
        std::sqrt(model.eigenvalues()(i));
    const double residual = (a * u - model.eigenvalues()(i) * u).norm();
    // Scores are one product more accurate than the vectors that are certified.
    CHECK(residual <= 1.05 * model.report().residuals[at] + 1e-6 * model.eigenvalues()(0));
    CHECK(model.report().residuals[at] <= 1e-4 * model.eigenvalues()(0));
  }
}

TEST_CASE("sample weights: landmarks are chosen by weight", "[models]") {
  // Ten samples without weight are far from all others, and would be the first landmarks.
  const Index n = 600;
  Matrix<double> x = test::uniform_samples<double>(n, 5, 14);
  x.topRows(10) *= 1e5;
  Vector<double> weights = Vector<double>::Ones(n);
  weights.head(10).setZero();
  weights.tail(100).setConstant(3);
  const auto check = [&](const auto& selector, NystromParams params) {
    const auto model =
        KernelPca{Linear{}, Nystrom{selector, params}, {.components = 2}}.fit(x, weights);
    CAPTURE(describe_solver(model.report()));
    CHECK(model.report().status == Status::Converged);
    CHECK(model.points().cwiseAbs().maxCoeff() <= 1);
    if (params.trace_tolerance > 0)
      CHECK(std::get<NystromDetails>(model.report().details).trace_error <=
            params.trace_tolerance * weights.sum() * 5);
  };
  check(RpCholesky{}, {.landmarks = 4, .trace_tolerance = 0.01});
  check(GreedyCholesky{}, {.landmarks = 4, .trace_tolerance = 0.01});
  // A budget for the factor of some of the rows: a pool of them.
  for (const std::size_t budget : {std::size_t{30000}, std::size_t{4000}}) {
    const auto model = KernelPca{Linear{},
                                 Nystrom{RpCholesky{}, {.landmarks = 5}},
                                 {.components = 2, .memory_budget = budget}}
                           .fit(x, weights);
    CHECK_THAT(model.report().solver_form, ContainsSubstring("of 600 rows"));
    CHECK(model.components() == 2);
    CHECK(model.points().cwiseAbs().maxCoeff() <= 1);
  }
  Vector<double> few = Vector<double>::Zero(n);
  few.segment(300, 10).setLinSpaced(1, 2);
  CHECK(KernelPca{Linear{},
                  Nystrom{RpCholesky{}, {.landmarks = 5}},
                  {.components = 2, .memory_budget = 4000}}
            .fit(x, few)
            .components() == 2);
  check(SequentialGreedy{}, {.landmarks = 5});
  check(Uniform{}, {.landmarks = 4, .trace_tolerance = 0.01});
  check(KMeansLandmarks{}, {.landmarks = 20});
  check(DiagonalSampling{}, {.landmarks = 20});
  check(ColumnNormSampling{}, {.landmarks = 20});
}

TEST_CASE("sample weights: residuals of few heavy samples are found in drawn rows", "[models]") {
  const Index n = 1500, k = 3;
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 15);
  Vector<double> weights = Vector<double>::Ones(n);
  weights.head(10).setConstant(1e4);
  const auto residuals = [&](Index rows, std::uint64_t seed) {
    return KernelPca{
        Gaussian(0.7),
        Nystrom{Given<Matrix<double>>(x.bottomRows(60)), {.certificate_rows = rows, .seed = seed}},
        {.components = k}}
        .fit(x, weights)
        .report()
        .residuals;
  };
  const std::vector<double> exact = residuals(n, 1);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<double> found = residuals(256, seed);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      // Half of the 256 rows are the ten: a standard error of a tenth or so.
      CHECK(found[i] >= 0.6 * exact[i]);
      CHECK(found[i] <= 1.6 * exact[i]);
    }
  }
}

TEST_CASE("sample weights: runs that are stopped", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(800, 3, 16);
  const Vector<double> weights = Vector<double>::LinSpaced(800, 0, 3);
  const auto stop_at = [](Index calls) {
    return [calls, seen = Index{0}](const Progress&) mutable { return ++seen < calls; };
  };
  const KernelPca features{
      Gaussian(1.0), FeaturePca{RandomFourier{.features = 40}, {.batch = 100}}, {.components = 3}};
  const auto part = features.fit(x, weights, stop_at(5));
  CHECK(part.report().status == Status::Cancelled);
  const Index summed = 400;  // four batches
  const auto whole = features.fit(Matrix<double>(x.topRows(summed)), weights.head(summed));
  CHECK((part.transform(x) - whole.transform(x)).cwiseAbs().maxCoeff() <= 1e-9);
  CHECK((part.eigenvalues() / static_cast<double>(summed) -
         whole.eigenvalues() / static_cast<double>(summed))
            .cwiseAbs()
            .maxCoeff() <= 1e-12);
  for (Index calls = 1; calls <= 4; ++calls) {
    const auto model =
        KernelPca{Gaussian(1.0), BlockKrylov{{.tolerance = 1e-12}}, {.components = 3}}.fit(
            x, weights, stop_at(calls));
    CHECK(model.report().status == Status::Cancelled);
    CHECK(model.training_scores().rows() == 800);
    CHECK(model.training_scores().cols() == model.components());
  }
}

TEST_CASE("sample weights: the bounds of features are those of samples with weight", "[models]") {
  const Matrix<double> x = normal_matrix<double>(50, 2, 5, "x");
  Matrix<double> more(51, 2);
  more << x, 1e6, 1e6;
  Vector<double> weights = Vector<double>::Ones(51);
  weights(50) = 0;
  const KernelPca pca{
      ExponentialDot(1.0), FeaturePca{RandomMaclaurin{.features = 60}}, {.components = 2}};
  const auto expected = pca.fit(x), found = pca.fit(more, weights);
  CHECK((found.explained_variance_ratio() - expected.explained_variance_ratio()).norm() <= 1e-12);
}

TEST_CASE("sample weights: extreme ones", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(30, 2, 10);
  const KernelPca pca{Gaussian(1.0), Exact{}, {.components = 2}};
  Vector<double> weights = Vector<double>::Zero(30);
  weights(4) = 2;  // a single sample has no variance
  CHECK(pca.fit(x, weights).components() == 0);
  CHECK(KernelPca{Gaussian(1.0), Nystrom{}, {.components = 2}}.fit(x, weights).components() == 0);
  weights(9) = 1;  // two have one component
  const auto two = pca.fit(x, weights);
  REQUIRE(two.components() == 1);
  CHECK(two.points().rows() == 2);
  const double distance = 2 - 2 * std::exp(-(x.row(4) - x.row(9)).squaredNorm() / 2);
  CHECK(two.eigenvalues()(0) == Approx(30 * distance * 2 / 9).epsilon(1e-12));
  weights.setConstant(1e-300);
  weights(4) = weights(9) = 1;
  const auto far = pca.fit(x, weights);
  REQUIRE(far.components() == 1);
  CHECK(far.training_scores().allFinite());
  CHECK(KernelPca{Gaussian(1.0), Exact{}, {.components = 1}}
            .fit(x.topRows(1), Vector<double>::Ones(1))
            .components() == 0);
}

TEST_CASE("sample weights: refused", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(10, 2, 12);
  const auto message = [&](const auto& pca, const Vector<double>& weights) {
    return test::error_of([&] { static_cast<void>(pca.fit(x, weights)); });
  };
  const KernelPca pca{Gaussian(1.0), Exact{}};
  CHECK_THAT(message(pca, Vector<double>::Ones(9)),
             ContainsSubstring("10 samples need as many weights, got 9"));
  Vector<double> weights = Vector<double>::LinSpaced(10, 1, 2);
  weights(3) = -1;
  CHECK_THAT(message(pca, weights), ContainsSubstring("got -1 at sample 3"));
  weights(3) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(message(pca, weights), ContainsSubstring("at sample 3"));
  CHECK_THAT(message(pca, Vector<double>::Zero(10)),
             ContainsSubstring("at least one weight must be positive"));
  weights(3) = 1;
  CHECK_THAT(message(KernelPca{Gaussian(1.0), KernelHebbian{}}, weights),
             ContainsSubstring("this solver takes no weights"));
  const Matrix<double> more = test::uniform_samples<double>(11, 2, 12);
  MatrixStream<Matrix<double>> stream(more);
  CHECK_THAT(test::error_of([&] {
               static_cast<void>(
                   KernelPca{Gaussian(1.0), FeaturePca{RandomFourier{}}}.fit(stream, weights));
             }),
             ContainsSubstring("10 weights"));
}

}  // namespace sample_weights_test
