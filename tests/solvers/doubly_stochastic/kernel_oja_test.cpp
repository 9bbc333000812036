// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/doubly_stochastic/kernel_oja.hpp>

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

namespace kernel_oja_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(KernelSolver<KernelOja>);

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

SCALAR_TEST_CASE("KernelOja: components are orthonormal and scores their values",
                 "[solvers][law]") {
  const Matrix<TestType> x = mixture(70).template cast<TestType>();
  const bool centered = GENERATE(false, true);
  for (const StochasticRule rule : {StochasticRule::Oja, StochasticRule::Gha}) {
    const KernelOja solver{{.rule = rule, .data_batch = 8, .epochs = 2, .start_rows = 20}};
    const auto check = [&](const auto& kernel, const auto& samples) {
      auto solution = solver.solve(kernel, samples, ask(4, centered));
      CHECK(!solution.points);  // the samples themselves
      solution.points = samples;
      solution.report.expansion_points = samples.rows();
      test::check_expansion(kernel, samples, centered, solution);
    };
    check(Gaussian(2.0), x);
    check(Polynomial{{.gamma = 0.1, .coef0 = 1, .degree = 2}}, x);
    check(Gaussian(2.0), SparseMatrix<TestType>(x.sparseView()));
  }
}

TEST_CASE("KernelOja: tends to the components of the samples", "[solvers]") {
  const Matrix<double> x = mixture(400);
  const auto exact = KernelPca{Gaussian(1.5), Exact{}, {.components = 3}}.fit(x);
  for (const StochasticRule rule : {StochasticRule::Oja, StochasticRule::Gha}) {
    CAPTURE(to_string(rule));
    const auto fit = [&](Index epochs) {
      return KernelOja{{.rule = rule,
                        .data_batch = 20,
                        .epochs = epochs,
                        .start_rows = 40,
                        .tolerance = 0.02,
                        .certificate_rows = 400}}
          .solve(Gaussian(1.5), x, ask(3));
    };
    const auto last = fit(40);
    CHECK(last.report.status == Status::Converged);
    CHECK(last.report.iterations == 40 * 20);
    // The noise of the steps, which fall to a seventeenth: an error of 0.0027 mu_1 is measured.
    CHECK((last.eigenvalues - exact.eigenvalues()).norm() <= 5e-3 * exact.eigenvalues()(0));
    const auto first = fit(1);
    CHECK(first.report.status == Status::NotConverged);
    CHECK(first.report.residuals[2] > last.report.residuals[2]);
    CHECK(first.eigenvalues.sum() < last.eigenvalues.sum());
  }
}

TEST_CASE("KernelOja: no more components than the data have", "[solvers]") {
  const KernelOja solver{{.data_batch = 4, .tolerance = 0.5}};
  const auto count = [&](const auto& kernel, const auto& x, Index k, bool centered = true) {
    const auto s = solver.solve(kernel, x, ask(k, centered));
    CHECK(s.report.components_requested == k);
    CHECK(s.report.zero_eigenvalues == k - s.eigenvalues.size());
    CHECK(s.report.components == s.eigenvalues.size());
    CHECK(s.training_scores.rows() == x.rows());
    CHECK(s.training_scores.cols() == s.eigenvalues.size());
    CHECK(s.coefficients.rows() == x.rows());
    CHECK(s.coefficients.cols() == s.eigenvalues.size());
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

TEST_CASE("KernelOja: start samples that miss the others", "[solvers]") {
  Matrix<double> x = Matrix<double>::Ones(500, 2);
  x.topRows(3) = mixture(30).topLeftCorner(3, 2);
  const auto s = KernelOja{{.start_rows = 8, .tolerance = 0.1}}.solve(Gaussian(1.0), x, ask(2));
  REQUIRE(s.eigenvalues.size() == 0);  // of 8 in 500 samples, none differs
  CHECK(s.report.status == Status::NotConverged);
  CHECK(s.report.zero_eigenvalues == 0);
  CHECK_THAT(s.report.reason, ContainsSubstring("take more start_rows"));
}

TEST_CASE("KernelOja: the seed fixes the result, the number of threads does not matter",
          "[solvers]") {
  const Matrix<double> x = mixture(300);
  const auto scores = [&](std::uint64_t seed, int threads) {
    const int before = thread_count();
    set_thread_count(threads);
    const auto s = KernelOja{{.data_batch = 32, .epochs = 1, .start_rows = 50, .seed = seed}}.solve(
        Gaussian(1.5), x, ask(3));
    set_thread_count(before);
    return s.training_scores;
  };
  const Matrix<double> one = scores(3, 1);
  CHECK((one.array() == scores(3, 3).array()).all());
  CHECK((one - scores(4, 1)).norm() > 1e-3);
}

TEST_CASE("KernelOja: the observer can cancel in every phase", "[solvers]") {
  const Matrix<double> x = mixture(150);
  const std::string phase = GENERATE(as<std::string>{}, "kernel oja steps", "scores", "residuals");
  CAPTURE(phase);
  for (const Index steps : {0, 2}) {
    Index left = phase == "kernel oja steps" ? steps : 0;
    const auto s = KernelOja{{.data_batch = 10, .start_rows = 30}}.solve(
        Gaussian(1.5), x, ask(3),
        [&](const Progress& p) { return p.phase != phase || left-- > 0; });
    CHECK(s.report.status == Status::Cancelled);
    CHECK(s.training_scores.rows() == 150);
    CHECK(s.training_scores.allFinite());
    CHECK(s.report.residuals.empty());
    CHECK(s.report.components == s.eigenvalues.size());
    CHECK(s.report.components == (phase == "scores" ? 0 : 3));
    if (phase != "kernel oja steps") break;
    CHECK(s.report.iterations == steps);
  }
}

SCALAR_TEST_CASE("KernelOja: residuals at any scale of the kernel", "[solvers][law]") {
  using S = TestType;
  const Matrix<S> x = mixture(60).template cast<S>();
  // A power of two, whose fourth power is a number and whose sixth is none.
  const int exponent = sizeof(S) == sizeof(float) ? 24 : 200;
  const auto relative = [&](int e) {
    const auto s =
        KernelOja{{.data_batch = 20}}.solve(Linear{}, Matrix<S>(std::ldexp(S(1), e) * x), ask(2));
    REQUIRE(s.eigenvalues.size() == 2);
    return s.report.residuals[1] / static_cast<double>(s.eigenvalues(0));
  };
  const double expected = relative(0);
  // The steps are the same up to rounding.
  const double tolerance = 1000 * double{std::numeric_limits<S>::epsilon()};
  CHECK(relative(exponent) == Approx(expected).epsilon(tolerance));
  CHECK(relative(-exponent) == Approx(expected).epsilon(tolerance));
}

TEST_CASE("KernelOja: in a KernelPca", "[solvers][models]") {
  const Matrix<double> x = mixture(120);
  const auto model =
      KernelPca{Gaussian{1.5}, KernelOja{{.data_batch = 50}}, {.components = 3}}.fit(x);
  REQUIRE(model.components() == 3);
  CHECK(model.report().status == Status::Finished);
  CHECK(describe_solver(model.report()) == "kernel-oja (oja, 2 batches, 5 passes)");
  CHECK_THAT(model.report().reason, ContainsSubstring("steps "));
  CHECK((model.transform(x) - model.training_scores()).norm() <=
        1e-10 * model.training_scores().norm());
  const auto nothing =
      KernelPca{Gaussian{1.5}, KernelOja{}, {.components = 3}}.fit(Matrix<double>::Ones(6, 2));
  CHECK(nothing.components() == 0);
}

TEST_CASE("KernelOja: what it refuses", "[solvers]") {
  const auto message = [](KernelOjaParams params) {
    return test::error_of([&] { return KernelOja{params}; });
  };
  const std::string who = "mercer::KernelOja: ";
  CHECK(message({.data_batch = 1}) == who + "data_batch must be at least 2, got 1");
  CHECK(message({.epochs = 0}) == who + "epochs must be at least 1, got 0");
  CHECK(message({.start_rows = 1}) == who + "start_rows must be at least 2, got 1");
  CHECK(message({.certificate_rows = 1}) == who + "certificate_rows must be at least 2, got 1");
  CHECK_THAT(message({.tolerance = -1}), ContainsSubstring("tolerance must"));
  CHECK_THAT(message({.step = 0}), ContainsSubstring("step must"));
  CHECK_THAT(message({.decay = -1}), ContainsSubstring("decay must"));
  const Matrix<double> x = mixture(20);
  const auto solve = [&](const auto& kernel, const Matrix<double>& samples, Components k) {
    return test::error_of([&] { return KernelOja{}.solve(kernel, samples, ask(k)); });
  };
  CHECK(solve(Gaussian(1.0), Matrix<double>(0, 3), 1) ==
        "mercer::KernelOja: needs at least one row and one column, got 0 x 3");
  CHECK_THAT(solve(Gaussian(1.0), x, 21), ContainsSubstring("components must be between"));
  CHECK_THAT(solve(Gaussian(1.0), x, 0.9), ContainsSubstring("needs components as a number"));
  CHECK_THAT(solve(Sigmoid{{.gamma = 1, .coef0 = -20}}, x, 2),
             ContainsSubstring("mercer::KernelOja: k(x, x) must be finite and not negative"));
}

}  // namespace kernel_oja_test
