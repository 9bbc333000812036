// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/hebbian/online_hebbian.hpp>

#include <cmath>
#include <limits>
#include <string>

#include <mercer/core/random.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <tests/solvers/expansion_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace online_hebbian_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(KernelSolver<OnlineHebbian>);

namespace {

/// Two normal clouds of n/2 samples in 4 dimensions.
Matrix<double> mixture(Index n) {
  Matrix<double> x = normal_matrix<double>(n, 4, 5, "mixture");
  x.bottomRows(n / 2) = (0.7 * x.bottomRows(n / 2)).array() + 1.5;
  return x;
}

KernelRequest ask(Components components, bool centered = true) {
  return {.pairs = {.components = components}, .centered = centered};
}

}  // namespace

SCALAR_TEST_CASE("OnlineHebbian: components are orthonormal and scores their values",
                 "[solvers][law]") {
  const Matrix<TestType> x = mixture(70).template cast<TestType>();
  const bool centered = GENERATE(false, true);
  for (const DictionaryCriterion criterion :
       {DictionaryCriterion::Projection, DictionaryCriterion::Coherence}) {
    const OnlineHebbian solver{{.updates = {.criterion = criterion}, .epochs = 2}};
    test::check_expansion(Gaussian(2.0), x, centered,
                          solver.solve(Gaussian(2.0), x, ask(4, centered)));
    const Polynomial polynomial{{.gamma = 0.1, .coef0 = 1, .degree = 2}};
    test::check_expansion(polynomial, x, centered, solver.solve(polynomial, x, ask(4, centered)));
    const SparseMatrix<TestType> sparse = x.sparseView();
    test::check_expansion(Gaussian(2.0), sparse, centered,
                          solver.solve(Gaussian(2.0), sparse, ask(4, centered)));
  }
}

TEST_CASE("OnlineHebbian: tends to the components of the samples", "[solvers]") {
  const Matrix<double> x = mixture(200);
  const auto exact = KernelPca{Gaussian(1.5), Exact{}, {.components = 3}}.fit(x);
  struct Case {
    Gain gain;
    double bound;  // relative to the first eigenvalue; noise of a constant gain, or too short a run
  };
  const auto [gain, bound] = GENERATE(Case{Gain::Constant, 0.06}, Case{Gain::InverseTime, 0.01},
                                      Case{Gain::Et, 0.01}, Case{Gain::EtStar, 0.04});
  CAPTURE(to_string(gain));
  const auto fit = [&, g = gain, b = bound](Index epochs, double threshold) {
    return OnlineHebbian{{.updates = {.threshold = threshold, .gain = g},
                          .epochs = epochs,
                          .tolerance = 2 * b,
                          .certificate_rows = 200}}
        .solve(Gaussian(1.5), x, ask(3));
  };
  const auto last = fit(20, 0.001);
  CHECK(last.report.status == Status::Converged);
  CHECK((last.eigenvalues - exact.eigenvalues()).norm() <= bound * exact.eigenvalues()(0));
  CHECK(last.report.iterations == 20 * 200);
  CHECK(fit(1, 0.001).report.residuals[2] > last.report.residuals[2]);
  // A coarse dictionary limits what is reached; then it does not call itself converged.
  const auto coarse = fit(20, 0.9);
  CHECK(coarse.report.expansion_points.value() < last.report.expansion_points.value());
  CHECK(coarse.report.status == Status::NotConverged);
  CHECK(coarse.eigenvalues.sum() < last.eigenvalues.sum());
}

TEST_CASE("OnlineHebbian: components that its dictionary cannot hold are not zero", "[solvers]") {
  const double tolerance = GENERATE(0.0, 0.9);
  const OnlineHebbian solver{{.updates = {.max_points = 2}, .tolerance = tolerance}};
  const auto s = solver.solve(Gaussian(2.0), mixture(60), ask(5));
  CHECK(s.eigenvalues.size() <= 2);
  CHECK(s.report.components_requested == 5);
  CHECK(s.report.zero_eigenvalues == 0);
  CHECK(s.report.status == Status::NotConverged);
  CHECK_THAT(s.report.reason, ContainsSubstring("the dictionary holds only 2 components"));
}

TEST_CASE("OnlineHebbian: no more components than the data have", "[solvers]") {
  const OnlineHebbian solver{{.epochs = 3, .tolerance = 0.5}};
  const auto count = [&](const auto& kernel, const auto& x, Index k, bool centered = true) {
    const auto s = solver.solve(kernel, x, ask(k, centered));
    CHECK(s.report.components_requested == k);
    CHECK(s.report.zero_eigenvalues == k - s.eigenvalues.size());
    CHECK(s.report.components == s.eigenvalues.size());
    CHECK(s.training_scores.rows() == x.rows());
    CHECK(s.training_scores.cols() == s.eigenvalues.size());
    CHECK(s.coefficients.rows() == (s.points ? s.points->rows() : x.rows()));
    CHECK(s.offset.size() == s.eigenvalues.size());
    CHECK(s.report.status == Status::Converged);
    return s.eigenvalues.size();
  };
  const Matrix<double> two = mixture(30).leftCols(2);
  CHECK(count(Linear{}, two, 5) == 2);
  CHECK(count(Linear{}, Matrix<float>(two.cast<float>()), 5) == 2);
  Matrix<double> doubled(12, 2);  // three different samples
  for (Index i = 0; i < 12; ++i) doubled.row(i) = two.row(i % 3);
  CHECK(count(Gaussian(1.0), doubled, 4) == 2);
  CHECK(count(Gaussian(1.0), doubled, 12, false) == 3);
  CHECK(count(Gaussian(1.0), Matrix<double>::Ones(8, 2).eval(), 3) == 0);
  CHECK(count(Gaussian(1.0), Matrix<double>::Ones(8, 2).eval(), 3, false) == 1);
  CHECK(count(Linear{}, Matrix<double>::Zero(8, 2).eval(), 3, false) == 0);
  CHECK(count(Gaussian(1.0), two.topRows(1).eval(), 1) == 0);
  CHECK(count(Gaussian(1.0), two.topRows(1).eval(), 1, false) == 1);
}

TEST_CASE("OnlineHebbian: the seed fixes the result, the number of threads does not matter",
          "[solvers]") {
  const Matrix<double> x = mixture(300);
  const auto scores = [&](std::uint64_t seed, int threads) {
    const int before = thread_count();
    set_thread_count(threads);
    const auto s = OnlineHebbian{{.epochs = 1, .seed = seed}}.solve(Gaussian(1.5), x, ask(3));
    set_thread_count(before);
    return s.training_scores;
  };
  const Matrix<double> one = scores(3, 1);
  CHECK((one.array() == scores(3, 3).array()).all());
  CHECK((one - scores(4, 1)).norm() > 1e-3);
}

TEST_CASE("OnlineHebbian: the observer can cancel in every phase", "[solvers]") {
  const Matrix<double> x = mixture(150);
  const std::string phase = GENERATE(as<std::string>{}, "hebbian updates", "scores", "residuals");
  CAPTURE(phase);
  for (const Index steps : {0, 2}) {
    Index left = phase == "hebbian updates" ? steps : 0;
    const auto s = OnlineHebbian{{.epochs = 3}}.solve(
        Gaussian(1.5), x, ask(3),
        [&](const Progress& p) { return p.phase != phase || left-- > 0; });
    CHECK(s.report.status == Status::Cancelled);
    CHECK(s.training_scores.rows() == 150);
    CHECK(s.training_scores.allFinite());
    CHECK(s.report.residuals.empty());
    CHECK(s.report.components == s.eigenvalues.size());
    if (phase == "scores") CHECK(s.report.components == 0);
    if (phase == "residuals") CHECK(s.report.components == 3);
    if (phase != "hebbian updates") break;
    CHECK(s.report.iterations == (steps == 0 ? 0 : 150));
    CHECK(s.eigenvalues.size() == (steps == 0 ? 0 : 3));
  }
}

TEST_CASE("OnlineHebbian: in a KernelPca", "[solvers][models]") {
  const Matrix<double> x = mixture(120);
  const auto model = KernelPca{Gaussian{1.5}, OnlineHebbian{}, {.components = 3}}.fit(x);
  REQUIRE(model.components() == 3);
  CHECK(model.report().status == Status::Finished);
  CHECK_THAT(describe_solver(model.report()), ContainsSubstring("online-hebbian (et, 5 passes, "));
  CHECK((model.transform(x) - model.training_scores()).norm() <=
        1e-10 * model.training_scores().norm());
  const auto nothing =
      KernelPca{Gaussian{1.5}, OnlineHebbian{}, {.components = 3}}.fit(Matrix<double>::Ones(6, 2));
  CHECK(nothing.components() == 0);
}

TEST_CASE("OnlineHebbian: what it refuses", "[solvers]") {
  const auto message = [](OnlineHebbianFitParams params) {
    return test::error_of([&] { return OnlineHebbian{params}; });
  };
  const std::string who = "mercer::OnlineHebbian: ";
  CHECK(message({.epochs = 0}) == who + "epochs must be at least 1, got 0");
  CHECK(message({.tolerance = -1}) == who + "tolerance must be finite and not negative, got -1");
  CHECK(message({.certificate_rows = 1}) == who + "certificate_rows must be at least 2, got 1");
  CHECK_THAT(message({.updates = {.threshold = 2}}), ContainsSubstring("threshold"));
  const Matrix<double> x = mixture(20);
  const auto solve = [&](const auto& kernel, const Matrix<double>& samples, Components k) {
    return test::error_of([&] { return OnlineHebbian{}.solve(kernel, samples, ask(k)); });
  };
  CHECK(solve(Gaussian(1.0), Matrix<double>(0, 3), 1) ==
        "mercer::OnlineHebbian: needs at least one row and one column, got 0 x 3");
  CHECK_THAT(solve(Gaussian(1.0), x, 21), ContainsSubstring("components must be between"));
  CHECK_THAT(solve(Gaussian(1.0), x, 0.9), ContainsSubstring("needs components as a number"));
  CHECK_THAT(solve(Sigmoid{{.gamma = 1, .coef0 = -20}}, x, 2),
             ContainsSubstring("mercer::OnlineHebbian: k(x, x) must be finite and not negative"));
}

}  // namespace online_hebbian_test
