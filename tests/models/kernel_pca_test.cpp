// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/kernel_pca.hpp>

#include <limits>
#include <string>

#include <mercer/core/threads.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/krylov/power_iteration.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/x4.hpp>

namespace kernel_pca_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

// Deduction: kernel, solver and parameters; a bare function of two samples.
static_assert(std::same_as<decltype(KernelPca{Linear{}}), KernelPca<Linear, Auto>>);
static_assert(std::same_as<decltype(KernelPca{Linear{}, PowerIteration{}, {.components = 3}}),
                           KernelPca<Linear, PowerIteration>>);
static_assert(std::same_as<decltype(KernelPca{Precomputed{}}), KernelPca<Precomputed, Auto>>);

namespace {

std::string fit_error(const Matrix<double>& x, KernelPcaParams params = {}) {
  return test::error_of([&] { return KernelPca{Gaussian(1.0), Exact{}, params}.fit(x); });
}

/// Eigenvalues, and scores of training and of new samples, up to rounding.
template <class A, class B>
void check_same(const A& a, const B& b, double tolerance) {
  REQUIRE(a.components() == b.components());
  CHECK((a.eigenvalues() - b.eigenvalues()).cwiseAbs().maxCoeff() <= tolerance);
  CHECK((a.training_scores() - b.training_scores()).cwiseAbs().maxCoeff() <= tolerance);
}

}  // namespace

TEST_CASE("kernel_pca: centred, the worked example X4", "[models]") {
  const auto model = KernelPca{Gaussian(1.0), Exact{}, {.components = 3}}.fit(test::x4());
  constexpr double printed = 1e-12;  // the example is printed to 12 decimals
  CHECK((model.eigenvalues() - test::x4_eigenvalues()).cwiseAbs().maxCoeff() <= printed);
  Matrix<double> scores(2, 3);
  scores << -.251556192876, -.128487800121, -.024464619250,  //
      .185175117404, .386677013017, -.344195154142;
  CHECK((model.transform(test::x4_queries()) - scores).cwiseAbs().maxCoeff() <= printed);
}

TEST_CASE("kernel_pca: not centred, the worked example X4", "[models]") {
  const auto model =
      KernelPca{Gaussian(1.0), Exact{}, {.components = 4, .centered = false}}.fit(test::x4());
  Vector<double> mu(4);
  mu << 1.967372617910, .975170973726, .786945172708, .270511235656;
  CHECK((model.eigenvalues() - mu).cwiseAbs().maxCoeff() <= 1e-12);
  Matrix<double> scores(2, 4);
  scores << .890248925618, -.045759955690, -.158226212639, -.050131825131,  //
      .260160456514, .191456242306, .384638632216, -.313366412176;
  CHECK((model.transform(test::x4_queries()) - scores).cwiseAbs().maxCoeff() <= 1e-12);
  CHECK(model.offset().isZero());
  CHECK(model.explained_variance_ratio().sum() == Approx(1).epsilon(1e-14));
}

TEST_CASE("kernel_pca: polynomial kernel, the worked example X4", "[models]") {
  const Polynomial kernel{{.gamma = 1, .coef0 = 1, .degree = 2}};
  const auto model = KernelPca{kernel, Exact{}, {.components = 3}}.fit(test::x4());
  Vector<double> mu(3);
  mu << 16.887591277370, 8.911321895550, .622961827080;
  CHECK((model.eigenvalues() - mu).cwiseAbs().maxCoeff() <= 1e-11);
}

TEST_CASE("kernel_pca: components as a fraction of variance", "[models]") {
  // Ratios .498772725437, .372514890755, .128712383808.
  const auto count = [](double fraction) {
    return KernelPca{Gaussian(1.0), Exact{}, {.components = fraction}}.fit(test::x4()).components();
  };
  CHECK(count(0.4) == 1);
  CHECK(count(0.6) == 2);
  CHECK(count(0.95) == 3);
  CHECK(count(1.0) == 3);
}

TEST_CASE("kernel_pca: every form of the same samples gives the same model", "[models]") {
  const Matrix<double> x = test::sparse_looking_samples<double>(60, 5, 1);
  const KernelPca pca{Gaussian(1.0), Exact{}, {.components = 4}};
  const auto model = pca.fit(x);
  constexpr double rounding = 1e-12;  // entries of size 1, gaps above 1e-2
  const RowMajorMatrix<double> by_rows = x;
  check_same(model, pca.fit(by_rows), 0);
  check_same(model, pca.fit(SparseMatrix<double>(x.sparseView())), rounding);
  check_same(model, pca.fit(Eigen::SparseMatrix<double>(x.sparseView())), rounding);
  check_same(model, pca.fit(2 * x / 2), 0);  // an expression
  check_same(model,
             KernelPca{Precomputed{}, Exact{}, {.components = 4}}.fit(gram(Gaussian(1.0), x)),
             rounding);
  check_same(
      model,
      KernelPca{[](const auto& a, const auto& b) { return std::exp(-(a - b).squaredNorm() / 2); },
                Exact{},
                {.components = 4}}
          .fit(x),
      rounding);
  check_same(
      model,
      KernelPca{Gaussian(1.0), PowerIteration{{.tolerance = 1e-13}}, {.components = 4}}.fit(x),
      1e-9);
}

TEST_CASE("kernel_pca: fit_transform is fit and the training scores", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(50, 3, 2);
  const KernelPca pca{Laplacian(0.5), Exact{}, {.components = 5}};
  CHECK((pca.fit_transform(x) == pca.fit(x).training_scores()));
}

TEST_CASE("kernel_pca: an rvalue gives its memory to the model, an lvalue is copied", "[models]") {
  Matrix<double> x = test::uniform_samples<double>(30, 3, 10);
  const double* const memory = x.data();
  const KernelPca pca{Gaussian(1.0), Exact{}, {.components = 2}};
  CHECK(pca.fit(x).points().data() != memory);
  CHECK(pca.fit(std::move(x)).points().data() == memory);
}

TEST_CASE("kernel_pca: float samples", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(80, 3, 3);
  const KernelPca pca{Gaussian(1.0), Exact{}, {.components = 3}};
  const auto model = pca.fit(x);
  const auto single = pca.fit(Matrix<float>(x.cast<float>()));
  // Rounding of 80 x 80 single-precision entries of size 1; eigenvalues are of size 5 to 30.
  CHECK((single.eigenvalues().cast<double>() - model.eigenvalues()).cwiseAbs().maxCoeff() <= 1e-4);
  CHECK((single.transform(Matrix<float>(x.cast<float>())).cast<double>() - model.transform(x))
            .cwiseAbs()
            .maxCoeff() <= 1e-4);
  CHECK(single.report().precision == Precision::Single);
}

TEST_CASE("kernel_pca: the same bits on 1 and 2 threads", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(600, 3, 4);
  const KernelPca pca{Gaussian(1.0), PowerIteration{{.tolerance = 1e-3}}, {.components = 2}};
  const int before = thread_count();
  set_thread_count(1);
  const auto one = pca.fit(x);
  const Matrix<double> scores_one = one.transform(x);
  set_thread_count(2);
  const auto two = pca.fit(x);
  const Matrix<double> scores_two = two.transform(x);
  set_thread_count(before);
  CHECK((one.eigenvalues() == two.eigenvalues()));
  CHECK((one.coefficients() == two.coefficients()));
  CHECK((scores_one == scores_two));
}

TEST_CASE("kernel_pca: a power iteration that stops too early is reported", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(600, 3, 4);
  for (const Index steps : {1, 2, 5}) {
    const PowerIteration solver{{.tolerance = 1e-3, .max_iterations = steps}};
    CHECK(KernelPca{Gaussian(1.0), solver, {.components = 4}}.fit(x).report().status ==
          Status::NotConverged);
  }
}

TEST_CASE("kernel_pca: bad samples and parameters are refused with their values", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(6, 2, 5);
  CHECK_THAT(fit_error(Matrix<double>(0, 4)), ContainsSubstring("0 x 4"));
  CHECK_THAT(fit_error(Matrix<double>(4, 0)), ContainsSubstring("4 x 0"));
  const KernelPca features{Gaussian(1.0), FeaturePca{RandomFourier{.features = 8}}};
  for (const Index rows : {0, 4}) {
    const Matrix<double> empty(rows, rows == 0 ? 4 : 0);
    CHECK(test::error_of([&] { return features.fit(empty); }) == fit_error(empty));
  }
  CHECK_THAT(fit_error(x, {.components = 7}), ContainsSubstring("7") && ContainsSubstring("6"));
  CHECK_THAT(fit_error(x, {.components = 0}), ContainsSubstring("components"));
  CHECK_THAT(fit_error(x, {.components = 1.01}), ContainsSubstring("1.01"));
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    Matrix<double> y = x;
    y(4, 1) = bad;
    CHECK_THAT(fit_error(y), ContainsSubstring("row 4, column 1"));
  }
  CHECK_THAT(test::error_of([&] { return KernelPca{Intersection{}}.fit(x); }),
             ContainsSubstring("non-negative") && ContainsSubstring("row"));
  CHECK_THAT(test::error_of([&] { return KernelPca{Precomputed{}}.fit(x); }),
             ContainsSubstring("square") && ContainsSubstring("6 x 2"));
}

TEST_CASE("kernel_pca: degenerate data has fewer components, and no NaN", "[models]") {
  const Index n = GENERATE(1, 2, 30);
  const Index asked = (std::min)(n, Index{2});
  for (const double value : {0.0, 0.1, 1e8}) {
    const Matrix<double> x = Matrix<double>::Constant(n, 3, value);
    const auto check = [&](const auto& kernel) {
      const auto model = KernelPca{kernel, Exact{}, {.components = asked}}.fit(x);
      CHECK(model.components() == 0);
      CHECK(model.report().status == Status::Converged);
      CHECK(model.report().zero_eigenvalues == asked);
      const Matrix<double> scores = model.transform(x);
      CHECK(scores.rows() == n);
      CHECK(scores.cols() == 0);
      CHECK(model.novelty(x).spe.allFinite());
    };
    check(Gaussian(1.0));
    check(Linear{});
    check(Polynomial{});
    check(Laplacian(1.0));
  }
}

TEST_CASE("kernel_pca: duplicates and more components than rank", "[models]") {
  Matrix<double> x(40, 2);
  x << test::uniform_samples<double>(10, 2, 6), test::uniform_samples<double>(10, 2, 6),
      test::uniform_samples<double>(10, 2, 6), test::uniform_samples<double>(10, 2, 6);
  const auto model = KernelPca{Gaussian(1.0), Exact{}, {.components = 40}}.fit(x);
  CHECK(model.components() == 9);  // ten distinct samples, less one for the mean
  CHECK(model.report().zero_eigenvalues == 31);
  CHECK(model.transform(x).allFinite());
  CHECK((model.transform(x.topRows(10)) - model.transform(x.bottomRows(10))).isZero(1e-12));
}

TEST_CASE("kernel_pca: scale invariance", "[models][law]") {
  const Matrix<double> x = test::uniform_samples<double>(50, 3, 7);
  const auto base = KernelPca{Gaussian(0.8), Exact{}, {.components = 5}}.fit(x);
  for (const double c : {1e-150, 1e-6, 1e6, 1e150}) {
    const auto scaled = KernelPca{Gaussian(0.8 * c), Exact{}, {.components = 5}}.fit(c * x);
    check_same(base, scaled, 1e-11);  // relative 1e-12 of kernel values, amplified by the gaps
  }
}

TEST_CASE("kernel_pca: an indefinite kernel keeps its positive part", "[models]") {
  Matrix<double> x(2, 1);
  x << 1, 2;
  const Sigmoid kernel{{.gamma = 1, .coef0 = -1}};
  const auto model = KernelPca{kernel, Exact{}, {.components = 2, .centered = false}}.fit(x);
  CHECK(model.components() == 1);
  CHECK(model.report().negative_eigenvalues == 1);
  CHECK(model.report().most_negative_eigenvalue.value() == Approx(-0.412175403791).epsilon(1e-11));
}

TEST_CASE("kernel_pca: the observer sees the phases and can cancel", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(20, 3, 8);
  const KernelPca pca{Gaussian(1.0), Exact{}, {.components = 3}};
  std::vector<std::string> phases;
  (void)pca.fit(x, [&](const Progress& p) {
    phases.emplace_back(p.phase);
    return true;
  });
  CHECK(phases == std::vector<std::string>{"gram matrix", "eigenvalues", "eigenvectors"});
  for (std::size_t last = 0; last < phases.size(); ++last) {
    std::size_t calls = 0;
    const auto model = pca.fit(x, [&](const Progress&) { return calls++ < last; });
    CHECK(model.report().status == Status::Cancelled);
    CHECK(model.components() == 0);
    CHECK(model.transform(x).cols() == 0);
  }
}

TEST_CASE("kernel_pca: the report", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(20, 3, 9);
  const Report report = KernelPca{Gaussian(1.5), Exact{}, {.components = 4}}.fit(x).report();
  CHECK(report.status == Status::Converged);
  CHECK(report.solver == SolverId::Exact);
  CHECK(report.kernel == "gaussian(sigma=1.5)");
  CHECK(report.samples == 20);
  CHECK(report.dimension == 3);
  CHECK(report.components == 4);
  CHECK(report.components_requested == 4);
  CHECK(report.precision == Precision::Double);
  CHECK(report.storage == "stored");
  CHECK_FALSE(report.reason.empty());
  CHECK(report.residuals.size() == 4);
  for (const double r : report.residuals) CHECK(r <= 1e-13);
  CHECK(report.fit_seconds > 0);
  CHECK(report.bytes >= 20 * 20 * sizeof(double));
}

namespace {

/// |K u_i - mu_i u_i| of a model, K centred and evaluated in double.
template <class Model>
Vector<double> measured_residuals(const Model& model, const Matrix<double>& x) {
  Matrix<double> k = gram(model.kernel(), x);
  k.rowwise() -= k.colwise().mean().eval();
  k.colwise() -= k.rowwise().mean().eval();
  const Matrix<double> scores = model.training_scores().template cast<double>();
  const Vector<double> mu = model.eigenvalues().template cast<double>();
  const Matrix<double> u = scores * mu.cwiseSqrt().cwiseInverse().asDiagonal();
  return (k * u - u * mu.asDiagonal()).colwise().norm().transpose();
}

}  // namespace

TEST_CASE("kernel_pca: far samples that single precision does not resolve", "[models]") {
  // Twelve of 1500 samples are near each other and a million away from the others: no even sample
  // of rows shows that float does not tell them apart.
  constexpr Index n = 1500;
  Matrix<double> x = test::uniform_samples<double>(n, 3, 11, -3, 3);
  const Matrix<double> near = test::uniform_samples<double>(12, 3, 12, -.05, .05);
  for (Index i = 0; i < 12; ++i) x.row(17 + 120 * i) = near.row(i).array() + 1e6;
  KernelPcaParams params{.components = 1};
  SECTION("take double precision") {
    const auto model = KernelPca{Gaussian(0.1), BlockKrylov{}, params}.fit(x);
    CHECK(model.report().status == Status::Converged);
    CHECK(measured_residuals(model, x)(0) <= 1e-6 * model.eigenvalues()(0));
  }
  SECTION("are reported where single precision was asked for") {
    params.precision = Precision::Single;
    const auto model = KernelPca{Gaussian(0.1), BlockKrylov{}, params}.fit(x);
    CHECK(model.report().status == Status::NotConverged);
    CHECK(model.report().residuals[0] >= measured_residuals(model, x)(0));
  }
}

TEST_CASE("kernel_pca: what rounding before centring did is in the residuals", "[models]") {
  // Values of 3e12 in single precision, of which centring leaves some tens.
  const Matrix<float> x =
      (test::uniform_samples<double>(200, 3, 13).array() + 1e6).matrix().cast<float>();
  const auto check = [&](const auto& solver) {
    const auto model = KernelPca{Linear{}, solver, {.components = 2}}.fit(x);
    const Vector<double> measured = measured_residuals(model, x.cast<double>());
    for (Index i = 0; i < model.components(); ++i)
      CHECK(model.report().residuals[static_cast<std::size_t>(i)] >= measured(i));
  };
  check(Exact{});
  check(BlockKrylov{});
}

}  // namespace kernel_pca_test
