// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/spgd/spgd.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/estimators/column_sampling.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>

namespace spgd_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

SpgdDetails details_of(const Report& report) {
  return std::get<SpgdDetails>(report.details);
}

constexpr Index n = 90;

/// Points around three centres, so that two components stand out.
template <Real S>
Matrix<S> clusters() {
  Matrix<double> x = 0.3 * normal_matrix<double>(n, 2, 5, "points");
  for (Index i = 0; i < n; ++i) x(i, 0) += i % 3 == 0 ? 2.5 : i % 3 == 1 ? -2 : 0;
  return x.template cast<S>();
}

/// Eigenvalues, descending, and eigenvectors of the (centred) Gram matrix.
EigenSystem<double> exact_pairs(const Matrix<double>& k, bool centered) {
  const Matrix<double> j = test::centering_matrix<double>(n);
  return symmetric_eigensystem<double>(centered ? Matrix<double>(j * k * j) : k);
}

double largest_angle(const Matrix<double>& u, const Matrix<double>& v) {
  return test::largest_sine(u, v);
}

Matrix<double> unit_columns(const Matrix<double>& scores) {
  return scores * scores.colwise().norm().cwiseInverse().asDiagonal();
}

template <class Model>
Matrix<double> eigenvectors(const Model& model) {
  return unit_columns(model.training_scores().template cast<double>());
}

}  // namespace

SCALAR_TEST_CASE("Spgd: components of a clustered set", "[solvers]") {
  using S = TestType;
  const bool centered = GENERATE(false, true);
  const Matrix<S> x = clusters<S>();
  const Gaussian kernel(1.0);
  const EigenSystem<double> exact = exact_pairs(gram(kernel, x.template cast<double>()), centered);
  const double lambda = 10;
  const Index k =
      centered ? 2 : 3;  // those of the clusters; the next eigenvalue is a tenth of them
  const KernelPca pca{kernel,
                      Spgd{RandomFourier{.features = 20}, {.lambda = lambda, .iterations = 60}},
                      {.components = k, .centered = centered}};
  const auto model = pca.fit(x);
  const Report& report = model.report();
  REQUIRE(model.components() == k);
  CHECK(report.status == Status::Finished);
  CHECK(report.iterations == 60);
  CHECK(details_of(report).ranks.size() == 60);
  CHECK(details_of(report).lambda == lambda);
  CHECK(report.solver == SolverId::Spgd);
  // |mu - mu'| <= |Z - K^|, which is n times the root of the expected error; a factor for chance.
  const double error = 3 * static_cast<double>(n) * std::sqrt(details_of(report).expected_error);
  CHECK(error < 0.4 * exact.values(1));
  for (Index i = 0; i < k; ++i) {
    CHECK(std::abs(static_cast<double>(model.eigenvalues()(i)) - exact.values(i)) <= error);
    CHECK(report.residuals[static_cast<std::size_t>(i)] <= error);
  }
  CHECK(largest_angle(eigenvectors(model), exact.vectors.leftCols(k)) <= 0.15);

  // Scores have the norms of the eigenvalues, and new samples are mapped as the old ones, up to
  // the residual: K A - offset = scores + (K u - mu u) / mu^(1/2).
  const Matrix<double> scores = model.training_scores().template cast<double>();
  const Matrix<double> mapped = model.transform(x).template cast<double>();
  for (Index i = 0; i < k; ++i) {
    const auto mu = static_cast<double>(model.eigenvalues()(i));
    CHECK(scores.col(i).squaredNorm() == Approx(mu).epsilon(1e-4));
    const double residual = report.residuals[static_cast<std::size_t>(i)];
    CHECK((mapped.col(i) - scores.col(i)).norm() <= 1.01 * residual / std::sqrt(mu) + 1e-4);
    if (centered) CHECK(std::abs(mapped.col(i).mean()) <= 1e-4);
  }
  CHECK_FALSE(report.residual_rows);  // all of them
}

TEST_CASE("Spgd: residuals are measured from all rows, and estimated from some", "[solvers]") {
  const Matrix<double> x = clusters<double>();
  const Gaussian kernel(1.0);
  const bool centered = GENERATE(false, true);
  const Matrix<double> j = test::centering_matrix<double>(n);
  Matrix<double> k = gram(kernel, x);
  if (centered) k = j * k * j;
  const auto fit = [&](Index rows) {
    const Spgd solver{RandomFourier{.features = 5},
                      {.lambda = 5.0, .iterations = 20, .certificate_rows = rows}};
    return KernelPca{kernel, solver, {.components = 2, .centered = centered}}.fit(x);
  };
  const auto model = fit(n), sampled = fit(40);
  CHECK(sampled.report().residual_rows == 40);
  const Matrix<double> u = eigenvectors(model);
  for (Index i = 0; i < 2; ++i) {
    const double residual = (k * u.col(i) - model.eigenvalues()(i) * u.col(i)).norm();
    CHECK(model.report().residuals[static_cast<std::size_t>(i)] == Approx(residual).epsilon(1e-9));
    CHECK(sampled.report().residuals[static_cast<std::size_t>(i)] ==
          Approx(residual).epsilon(0.5));  // from 40 of 90 rows, fixed seed
  }
}

TEST_CASE("Spgd: the status follows from residuals, where a tolerance is asked for", "[solvers]") {
  const Matrix<double> x = clusters<double>();
  const auto report_of = [&](Index iterations, double tolerance) {
    const Spgd solver{RandomFourier{.features = 20},
                      {.lambda = 10.0, .iterations = iterations, .tolerance = tolerance}};
    return KernelPca{Gaussian(1.0), solver, {.components = 2}}.fit(x).report();
  };
  const Report judged = report_of(3, 0.01);  // too few steps for this tolerance
  CHECK(judged.status == Status::NotConverged);
  CHECK(judged.iterations == 3);
  CHECK_THAT(judged.reason, ContainsSubstring("the largest residual is ") &&
                                ContainsSubstring(" mu_1, the tolerance 0.01 mu_1"));
  CHECK(report_of(60, 0.2).status == Status::Converged);
  const Report finished = report_of(3, 0);
  CHECK(finished.status == Status::Finished);
  CHECK(finished.residuals == judged.residuals);
}

TEST_CASE("Spgd: lambda chosen for the components asked for", "[solvers]") {
  const Matrix<double> x = clusters<double>();
  const Gaussian kernel(1.0);
  const EigenSystem<double> exact = exact_pairs(gram(kernel, x), true);
  const KernelPca pca{
      kernel, Spgd{RandomFourier{.features = 10}, {.iterations = 30}}, {.components = 2}};
  const auto model = pca.fit(x);
  // The subsample is the whole set, so lambda is half way between eigenvalues 2 and 3.
  CHECK(details_of(model.report()).lambda ==
        Approx((exact.values(1) + exact.values(2)) / 2).epsilon(1e-9));
  CHECK(model.components() == 2);
}

TEST_CASE("Spgd: no more components than a fraction of the variance asks for", "[solvers]") {
  const Matrix<double> x = clusters<double>();
  const bool centered = GENERATE(false, true);
  const Spgd solver{RandomFourier{.features = 20}, {.lambda = 0.5, .iterations = 40}};
  const auto fit = [&](Components wanted) {
    return KernelPca{Gaussian(1.0), solver, {.components = wanted, .centered = centered}}.fit(x);
  };
  const auto every = fit(Components::all());
  const Vector<double> values = every.eigenvalues();
  const double trace = every.report().trace;
  REQUIRE(values.size() > 4);  // lambda would let through far more than is asked for below
  for (const double fraction : {0.3, 0.6, 0.75}) {
    Index fewest = 1;
    while (values.head(fewest).sum() < fraction * trace) ++fewest;
    CAPTURE(centered, fraction, fewest);
    const auto model = fit(fraction);
    CHECK(model.components() == fewest);
    CHECK(model.report().components == fewest);
    CHECK(model.report().residuals.size() == static_cast<std::size_t>(fewest));
    CHECK(model.eigenvalues() == values.head(fewest));
    CHECK(model.training_scores() == every.training_scores().leftCols(fewest));
    CHECK((model.transform(x) - every.transform(x).leftCols(fewest)).norm() <= 1e-10);
  }
  // What lambda took away is not there, whatever is asked for.
  const Spgd strict{RandomFourier{.features = 20}, {.lambda = 10.0, .iterations = 40}};
  const KernelPca most{Gaussian(1.0), strict, {.components = 1.0, .centered = centered}};
  CHECK(most.fit(x).components() == (centered ? 2 : 3));
}

TEST_CASE("Spgd: a start from landmarks is near at once", "[solvers]") {
  const Matrix<double> x = clusters<double>();
  const Gaussian kernel(1.0);
  const EigenSystem<double> exact = exact_pairs(gram(kernel, x), true);
  const auto angle = [&](Index landmarks) {
    const Spgd solver{RandomFourier{.features = 2},
                      {.lambda = 10.0, .iterations = 5, .landmarks = landmarks}};
    return largest_angle(eigenvectors(KernelPca{kernel, solver, {.components = 2}}.fit(x)),
                         exact.vectors.leftCols(2));
  };
  CHECK(angle(40) <= 0.02);
  CHECK(angle(0) > 0.1);
}

TEST_CASE("Spgd: every kind of draw, and sparse samples", "[solvers]") {
  const Matrix<double> x = clusters<double>();
  const auto close = [&](const auto& kernel, const auto& samples, const auto& estimator,
                         double bound) {
    const EigenSystem<double> exact = exact_pairs(gram(kernel, x), true);
    const Spgd solver{estimator, {.lambda = exact.values(2), .iterations = 40}};
    const auto solution = solver.solve(kernel, samples, {.pairs = {.components = 2}});
    REQUIRE(solution.eigenvalues.size() == 2);
    CHECK(largest_angle(unit_columns(solution.training_scores), exact.vectors.leftCols(2)) <=
          bound);
  };
  close(Gaussian(1.0), x, ColumnSampling{.columns = 15}, 0.5);
  close(Gaussian(1.0), x, SymmetricColumnSampling{.columns = 15}, 0.5);
  close(Gaussian(1.0), SparseMatrix<double>(x.sparseView()), RandomFourier{.features = 10}, 0.2);
  close(Polynomial{{.gamma = 0.5, .coef0 = 1, .degree = 2}}, x, RandomMaclaurin{.features = 30},
        0.4);
}

TEST_CASE("Spgd: outcomes that are no success say why", "[solvers]") {
  const Matrix<double> x = clusters<double>();
  const Gaussian kernel(1.0);
  const RandomFourier features{.features = 10};
  SECTION("nothing exceeds lambda") {
    const auto model =
        KernelPca{kernel, Spgd{features, {.lambda = 1e3, .iterations = 10}}, {.components = 2}}.fit(
            x);
    CHECK(model.components() == 0);
    CHECK(model.report().status == Status::NotConverged);
    CHECK_THAT(model.report().reason, ContainsSubstring("no eigenvalue exceeds lambda = 1000"));
    CHECK(model.transform(x).cols() == 0);
  }
  SECTION("no shrinkage") {
    const auto model =
        KernelPca{kernel, Spgd{features, {.lambda = 0.0, .iterations = 4}}, {.components = 2}}.fit(
            x);
    CHECK(model.components() == 2);
    CHECK_THAT(model.report().reason, ContainsSubstring("lambda is 0"));
  }
  SECTION("the rank outgrows the memory") {
    const std::size_t limit = n * (8 + 2 * 20) * sizeof(double);
    const auto model = KernelPca{kernel,
                                 Spgd{features, {.lambda = 0.1, .iterations = 10}},
                                 {.components = 2, .memory_budget = limit}}
                           .fit(x);
    CHECK(model.report().status == Status::NotConverged);
    CHECK(model.report().iterations < 10);
    CHECK(model.components() == 2);
    CHECK_THAT(model.report().reason, ContainsSubstring("max_rank of 8 would fit"));
    CHECK_THAT(model.report().reason, ContainsSubstring("lambda = "));
  }
  SECTION("cancelled") {
    const auto stop = [](const Progress& p) { return p.step < 3; };
    const auto model =
        KernelPca{kernel, Spgd{features, {.lambda = 5.0, .iterations = 10}}, {.components = 2}}.fit(
            x, stop);
    CHECK(model.report().status == Status::Cancelled);
    CHECK(model.report().iterations == 3);
    CHECK(model.components() == 2);
  }
  SECTION("cancelled, and the observer never says yes again") {
    bool stopped = false;
    const auto stop = [&](const Progress& p) { return !(stopped = stopped || p.step >= 3); };
    const auto model =
        KernelPca{kernel, Spgd{features, {.lambda = 5.0, .iterations = 10}}, {.components = 2}}.fit(
            x, stop);
    CHECK(model.report().status == Status::Cancelled);
    REQUIRE(model.components() == 2);
    // Scores of new samples are centred as those of the training samples are. The iterate is no
    // eigenvector, but their means agree.
    const Vector<double> scale = model.training_scores().cwiseAbs().colwise().maxCoeff();
    CHECK((model.transform(x).colwise().mean().transpose().array().abs() <= 1e-9 * scale.array())
              .all());
  }
}

TEST_CASE("Spgd: at the memory limit, advice for iterates with negative eigenvalues", "[solvers]") {
  const Matrix<double> x = clusters<double>();
  const std::size_t limit = n * (8 + 2 * 30) * sizeof(double);
  const Spgd solver{SymmetricColumnSampling{.columns = 15},
                    {.lambda = 0.1, .iterations = 10, .positive_only = false}};
  const Report report =
      KernelPca{Gaussian(1.0), solver, {.components = 2, .memory_budget = limit}}.fit(x).report();
  CHECK(report.status == Status::NotConverged);
  // 90 rows of 68 values, rounded down.
  CHECK_THAT(report.reason, ContainsSubstring(" KiB and the limit is 47 KiB; lambda = ") &&
                                ContainsSubstring("max_rank of 8 would fit"));
  // An eigenvalue of size s goes with lambda >= s, whatever its sign.
  CHECK_THAT(report.reason, !ContainsSubstring("lambda = -"));
}

TEST_CASE("Spgd: stopped in the residuals, it keeps the components", "[solvers]") {
  const Matrix<double> x = clusters<double>();
  const bool centered = GENERATE(false, true);
  const Spgd solver{RandomFourier{.features = 20}, {.lambda = 10.0, .iterations = 60}};
  const KernelPca pca{Gaussian(1.0), solver, {.components = 2, .centered = centered}};
  const auto whole = pca.fit(x);
  const auto stopped = pca.fit(x, [](const Progress& p) { return p.phase != "residuals"; });
  CHECK(stopped.report().status == Status::Cancelled);
  CHECK(stopped.report().iterations == 60);
  CHECK(stopped.report().components == 2);
  CHECK(stopped.report().residuals.empty());
  CHECK(stopped.report().eigenvalue_error_bounds.empty());
  CHECK_FALSE(stopped.report().residual_rows);
  REQUIRE(stopped.components() == 2);
  CHECK(stopped.eigenvalues() == whole.eigenvalues());
  CHECK(stopped.training_scores() == whole.training_scores());
  // Offsets and mean come from 64 of the 90 rows.
  CHECK(stopped.report().trace == Approx(whole.report().trace).epsilon(0.02));
  const double scale = whole.training_scores().cwiseAbs().maxCoeff();
  CHECK((stopped.transform(x) - whole.transform(x)).cwiseAbs().maxCoeff() <= 0.02 * scale);
}

TEST_CASE("Spgd: fewer components than asked for are not passed over", "[solvers]") {
  const Matrix<double> x = clusters<double>();
  const auto fit = [&](SpgdParams params, Components components) {
    params.iterations = 60;
    return KernelPca{
        Gaussian(1.0), Spgd{RandomFourier{.features = 20}, params}, {.components = components}}
        .fit(x)
        .report();
  };
  const std::string sentence =
      "the iterate has only 2 eigenvalues above lambda = 10, and the samples have more components";
  for (const Components wanted : {Components(4), Components(0.99)}) {
    const Report given = fit({.lambda = 10.0}, wanted);
    CHECK(given.components == 2);
    CHECK(given.status == Status::Finished);  // all that this lambda lets through
    CHECK_THAT(given.reason, ContainsSubstring(sentence));
  }
  const Report enough = fit({.lambda = 10.0}, 2);
  CHECK_THAT(enough.reason, !ContainsSubstring("only"));
  const Report chosen = fit({.max_rank = 2}, 4);
  CHECK(chosen.components == 2);
  CHECK(chosen.status == Status::NotConverged);
  CHECK_THAT(chosen.reason,
             ContainsSubstring("only 2 eigenvalues above lambda = ") &&
                 ContainsSubstring(" with max_rank = 2, and the samples have more components"));
  // Samples that have no more.
  const Report all =
      KernelPca{
          Linear{}, Spgd{ColumnSampling{.columns = 15}, {.iterations = 60}}, {.components = 4}}
          .fit(x)
          .report();
  CHECK(all.components == 2);
  CHECK(all.status == Status::Finished);
  CHECK_THAT(all.reason, !ContainsSubstring("only"));
}

TEST_CASE("Spgd: the trace of samples far from the origin, from few rows", "[solvers]") {
  // Values near 2000 with deviation 10: the rows of the Gram matrix have means that vary more than
  // the variance itself. The part of them that follows the diagonal is known at all rows.
  const Matrix<double> x = (10 * normal_matrix<double>(3000, 1, 5, "years")).array().round() + 2000;
  const Spgd solver{ColumnSampling{.columns = 20}, {.iterations = 20, .certificate_rows = 100}};
  const auto model = KernelPca{Linear{}, solver, {.components = 1}}.fit(x);
  const double variance = (x.array() - x.mean()).square().sum();
  // The remaining error is that of the mean of d^2 over 100 rows: a share of (2/100)^(1/2) / 2.
  CHECK(std::abs(model.report().trace / variance - 1) <= 0.3);
}

TEST_CASE("Spgd: few and equal samples", "[solvers]") {
  const Spgd solver{RandomFourier{.features = 4}, {.iterations = 5}};
  const Gaussian kernel(1.0);
  const KernelPca pca{kernel, solver, {.components = 1}};
  CHECK(pca.fit(Matrix<double>(Matrix<double>::Ones(1, 3))).components() == 0);
  CHECK(pca.fit(Matrix<double>(Matrix<double>::Ones(7, 3))).components() == 0);
  const Matrix<double> two = Matrix<double>{{0.0, 0.0}, {3.0, 0.0}};
  CHECK(pca.fit(two).components() == 1);
}

TEST_CASE("Spgd: what is refused", "[solvers][error]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto message = [](SpgdParams params) {
    return test::error_of([&] { return Spgd{RandomFourier{.features = 2}, params}.params(); });
  };
  CHECK_THAT(message({.lambda = -1.0}),
             ContainsSubstring("lambda must be finite and not negative"));
  CHECK_THAT(message({.lambda = nan}), ContainsSubstring("lambda"));
  CHECK_THAT(message({.iterations = 0}), ContainsSubstring("iterations must be at least 1, got 0"));
  CHECK_THAT(message({.lambda_samples = -1}), ContainsSubstring("lambda_samples"));
  CHECK_THAT(message({.landmarks = -1}), ContainsSubstring("landmarks"));
  CHECK_THAT(message({.landmarks = 5, .step_offset = 0.5}), ContainsSubstring("step_offset"));
  CHECK_THAT(message({.step_offset = nan}), ContainsSubstring("step_offset"));
  CHECK_THAT(message({.max_rank = -1}), ContainsSubstring("max_rank"));
  CHECK_THAT(message({.certificate_rows = 1}), ContainsSubstring("certificate_rows"));

  const Matrix<double> x = clusters<double>();
  const auto fit = [&](const auto& estimator, SpgdParams params, Index components) {
    return test::error_of([&] {
      return KernelPca{Gaussian(1.0), Spgd{estimator, params}, {.components = components}}
          .fit(x)
          .components();
    });
  };
  CHECK_THAT(fit(RandomFourier{.features = 2}, {.landmarks = n + 1}, 2),
             ContainsSubstring("landmarks must not exceed the number of samples, 90, got 91"));
  CHECK_THAT(fit(RandomFourier{.features = 0}, {}, 2), ContainsSubstring("features"));
  CHECK_THAT(fit(ColumnSampling{.columns = n + 1}, {}, 2), ContainsSubstring("columns"));
  CHECK_THAT(fit(RandomFourier{.features = 2}, {}, n + 1), ContainsSubstring("components"));
}

TEST_CASE("Spgd: the scores of a centred fit have mean 0 to rounding", "[solvers]") {
  // K is nearly constant: what the scores keep of the constant is multiplied by its row means.
  const Matrix<double> x = 55 + 0.02 * test::uniform_samples<double>(31, 12, 8).array();
  const KernelPca pca{Sigmoid{{.gamma = 2.8e-6, .coef0 = 0.144}},
                      Spgd{ColumnSampling{.columns = 8}, {.lambda = 0, .iterations = 200}},
                      {.components = 4}};
  const auto model = pca.fit(x);
  REQUIRE(model.components() > 0);
  const Vector<double> norms = model.training_scores().colwise().norm();
  const Vector<double> sums = model.training_scores().colwise().sum();
  CHECK((sums.cwiseAbs().array() <= 1e-14 * norms.array()).all());
}

TEST_CASE("Spgd: rounding errors of an indefinite kernel are no components", "[solvers][spgd]") {
  // Centred, these values near -0.52 are their own rounding errors; and so is their diagonal.
  const Matrix<float> x = test::uniform_samples<float>(38, 3, 9);
  const Sigmoid kernel({.gamma = 1e-9, .coef0 = -0.58});
  const Spgd solver{ColumnSampling{.columns = 10}, {.lambda = 1e-7, .iterations = 5}};
  const auto s = solver.solve(kernel, x, {.pairs = {.components = 2}, .centered = true});
  CHECK(s.eigenvalues.size() == 0);
}

TEST_CASE("Spgd: samples that coincide have no components", "[solvers][spgd]") {
  const Matrix<double> x = Matrix<double>::Constant(10, 2, 1.5);
  const KernelRequest request{.pairs = {.components = 3}};
  // Centring leaves rounding errors of the draws only, which a lambda of 0 does not shrink.
  const auto none = Spgd(RandomFourier{.features = 5}).solve(Gaussian{1}, x, request);
  CHECK(details_of(none.report).lambda == 0);
  CHECK(none.report.status == Status::Finished);
  CHECK(none.eigenvalues.size() == 0);
  CHECK(none.training_scores.cols() == 0);
  const auto shrunk =
      Spgd(RandomFourier{.features = 5}, {.lambda = 1.0}).solve(Gaussian{1}, x, request);
  CHECK(shrunk.report.status == Status::NotConverged);
  CHECK_THAT(shrunk.report.reason, ContainsSubstring("no eigenvalue exceeds lambda = 1"));
}

}  // namespace spgd_test
