// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/sparse/sparse_likelihood.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Cholesky>

#include <mercer/core/random.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/sparse/detail/covariance_weights.hpp>
#include <tests/solvers/expansion_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace sparse_likelihood_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(KernelSolver<SparseLikelihood>);

namespace {

using Dense = Matrix<double>;

/// Two normal clouds of n/2 samples in 4 dimensions.
Dense mixture(Index n) {
  Dense x = normal_matrix<double>(n, 4, 5, "mixture");
  x.bottomRows(n / 2) = (0.7 * x.bottomRows(n / 2)).array() + 1.5;
  return x;
}

KernelRequest ask(Components components, bool centered = true) {
  return {.pairs = {.components = components}, .centered = centered};
}

/// The model in the space of the samples themselves, for the linear kernel.
struct Model {
  Model(const Dense& x, const std::vector<Index>& active, const Vector<double>& weights,
        double noise) {
    const Index n = x.rows(), d = x.cols();
    Dense c = noise * Dense::Identity(d, d);
    for (std::size_t i = 0; i < active.size(); ++i)
      c += weights(static_cast<Index>(i)) * x.row(active[i]).transpose() * x.row(active[i]);
    const Dense inverse = c.inverse(), s = x.transpose() * x / static_cast<double>(n);
    likelihood = -(std::log(c.determinant()) - static_cast<double>(d) * std::log(noise) +
                   (inverse * s).trace()) /
                 2;
    // The derivative of the likelihood by w_i is (fit_i - size_i) / 2.
    size = (x * inverse * x.transpose()).diagonal();
    fit = (x * inverse * s * inverse * x.transpose()).diagonal();
  }
  double likelihood;
  Vector<double> size, fit;
};

}  // namespace

TEST_CASE("CovarianceWeights: steps and likelihood are those of the model in full",
          "[solvers][law]") {
  const Dense x = test::uniform_samples<double>(12, 3, 1, -2, 2);
  const WeightRule rule = GENERATE(WeightRule::FixedPoint, WeightRule::Em);
  detail::CovarianceWeights<double> weights(x * x.transpose(), 0.3, 1e-6);
  for (int t = 0; t < 10; ++t) {
    const std::vector<Index> active = weights.active();
    const Vector<double> before = weights.weights();
    const Model model(x, active, before, 0.3);
    CHECK(weights.log_likelihood() == Approx(model.likelihood).epsilon(1e-11));
    weights.step(rule);
    const std::vector<Index>& left = weights.active();
    for (std::size_t i = 0, at = 0; i < active.size(); ++i) {
      const double w = before(static_cast<Index>(i));
      const double size = model.size(active[i]), fit = model.fit(active[i]);
      const double next = rule == WeightRule::Em ? w + w * w * (fit - size) : w * fit / size;
      if (at < left.size() && left[at] == active[i])
        CHECK(weights.weights()(static_cast<Index>(at++)) == Approx(next).epsilon(1e-9));
      else
        CHECK(next * x.row(active[i]).squaredNorm() <= 1e-5);
    }
  }
}

TEST_CASE("CovarianceWeights: what has converged is a maximum of the likelihood",
          "[solvers][law]") {
  // The third axis has less variance than the noise, so that the fit cannot be perfect.
  const Dense x =
      test::uniform_samples<double>(40, 3, 2, -2, 2) * Eigen::Vector3d(2, 1, 0.3).asDiagonal();
  for (const double noise : {0.3, 1.0}) {
    detail::CovarianceWeights<double> weights(x * x.transpose(), noise, 1e-9);
    double change = 1;
    for (int t = 0; t < 3000 && change > 1e-9; ++t) change = weights.step(WeightRule::FixedPoint);
    CAPTURE(noise, weights.active().size());
    CHECK(change <= 1e-4);  // the last weights to vanish do so slowly
    const Model model(x, weights.active(), weights.weights(), noise);
    const double variance = x.squaredNorm() / 40;
    for (Index i = 0; i < 40; ++i) {
      const auto at = std::lower_bound(weights.active().begin(), weights.active().end(), i) -
                      weights.active().begin();
      const bool active = std::binary_search(weights.active().begin(), weights.active().end(), i);
      const double slope = model.fit(i) / model.size(i) - 1;
      // Weights that still vanish have small negative slopes.
      CHECK(slope <= 1e-2);
      if (active && weights.weights()(at) * x.row(i).squaredNorm() > 1e-2 * variance)
        CHECK(slope >= -1e-2);
    }
    CHECK(weights.active().size() < 40);
  }
}

TEST_CASE("CovarianceWeights: by EM, the likelihood never falls; the fixed point ends higher",
          "[solvers][law]") {
  const Dense x = mixture(60);
  const Dense gram_matrix = gram(Gaussian{1.5}, x);
  detail::CovarianceWeights<double> em(gram_matrix, 0.05, 1e-12), fixed = em;
  double before = em.log_likelihood();
  const double start = before;
  for (int t = 0; t < 50; ++t) {
    em.step(WeightRule::Em);
    fixed.step(WeightRule::FixedPoint);
    const double now = em.log_likelihood();
    CHECK(now >= before - 1e-12 * std::abs(before));
    before = now;
  }
  CHECK(before > start);
  CHECK(fixed.log_likelihood() >= before);
  CHECK(fixed.weights().size() <= em.weights().size());
}

SCALAR_TEST_CASE("SparseLikelihood: components are orthonormal and scores their values",
                 "[solvers][law]") {
  const Matrix<TestType> x = mixture(60).template cast<TestType>();
  const bool centered = GENERATE(false, true);
  const SparseLikelihood solver{{.noise = 0.05}};
  const auto s = solver.solve(Gaussian(2.0), x, ask(3, centered));
  test::check_expansion(Gaussian(2.0), x, centered, s);
  CHECK(s.eigenvalues.size() == 3);
  CHECK(s.report.status == Status::Converged);
  CHECK(s.points->rows() < 60);
  const SparseMatrix<TestType> sparse = x.sparseView();
  test::check_expansion(Gaussian(2.0), sparse, centered,
                        solver.solve(Gaussian(2.0), sparse, ask(3, centered)));
}

TEST_CASE("SparseLikelihood: near kernel PCA with few samples, and fewer with more noise",
          "[solvers]") {
  const Dense x = mixture(80);
  const bool centered = GENERATE(false, true);
  const auto exact =
      KernelPca{Gaussian(3.0), Exact{}, {.components = 2, .centered = centered}}.fit(x);
  Index before = 80;
  double captured = 2;
  for (const double noise : {0.003, 0.03, 0.3}) {
    const auto s = SparseLikelihood{{.noise = noise, .tolerance = 1e-4}}.solve(Gaussian(3.0), x,
                                                                               ask(2, centered));
    CAPTURE(noise, s.report.expansion_points.value(), s.report.reason);
    REQUIRE(s.report.status == Status::Converged);
    CHECK(s.report.expansion_points.value() < before);
    before = s.report.expansion_points.value();
    const double part = s.eigenvalues.sum() / exact.eigenvalues().sum();
    CHECK(part <= captured + 1e-3);  // more noise leaves out more
    captured = part;
    if (noise < 0.01) CHECK(part >= 0.99);
  }
  CHECK(before <= 20);
}

TEST_CASE("SparseLikelihood: without a noise, as many axes as are wanted", "[solvers]") {
  const Dense x = mixture(60);
  for (const Index k : {1, 2, 4}) {
    const auto s = SparseLikelihood{}.solve(Gaussian(2.0), x, ask(k));
    CHECK(s.eigenvalues.size() == k);
    CHECK(s.report.expansion_points.value() >= k);
    CHECK_THAT(s.report.reason, ContainsSubstring("noise variance"));
  }
}

TEST_CASE("SparseLikelihood: components below the noise are not zero", "[solvers]") {
  const auto s = SparseLikelihood{{.noise = 0.2}}.solve(Gaussian(2.0), mixture(60), ask(20));
  REQUIRE(s.eigenvalues.size() > 0);
  REQUIRE(s.eigenvalues.size() < 20);
  CHECK(s.report.components_requested == 20);
  CHECK(s.report.zero_eigenvalues == 0);
  CHECK(s.report.status == Status::NotConverged);
  CHECK_THAT(s.report.reason, ContainsSubstring("components have more variance than the noise"));
}

TEST_CASE("SparseLikelihood: no more components than the data have", "[solvers]") {
  const auto count = [](const auto& kernel, const Dense& x, Index k, bool centered = true) {
    const auto s = SparseLikelihood{}.solve(kernel, x, ask(k, centered));
    CHECK(s.report.components_requested == k);
    CHECK(s.report.zero_eigenvalues == k - s.eigenvalues.size());
    CHECK(s.training_scores.rows() == x.rows());
    CHECK(s.training_scores.cols() == s.eigenvalues.size());
    CHECK(s.coefficients.rows() == (s.points ? s.points->rows() : x.rows()));
    CHECK(s.coefficients.allFinite());
    CHECK(s.report.status == Status::Converged);
    return s.eigenvalues.size();
  };
  const Dense two = mixture(30).leftCols(2);
  CHECK(count(Linear{}, two, 5) == 2);
  Dense doubled(12, 2);  // three different samples
  for (Index i = 0; i < 12; ++i) doubled.row(i) = two.row(i % 3);
  CHECK(count(Gaussian(1.0), doubled, 4) == 2);
  CHECK(count(Gaussian(1.0), doubled, 12, false) == 3);
  const auto distinct = SparseLikelihood{}.solve(Gaussian(1.0), doubled, ask(4));
  CHECK(distinct.points->rows() == 3);
  CHECK(distinct.report.expansion_points.value() == 3);
  CHECK(count(Gaussian(1.0), Dense::Ones(8, 2), 3) == 0);
  CHECK(count(Gaussian(1.0), Dense::Ones(8, 2), 3, false) == 1);
  CHECK(count(Linear{}, Dense::Zero(8, 2), 3, false) == 0);
  CHECK(count(Gaussian(1.0), two.topRows(1), 1) == 0);
  CHECK(count(Gaussian(1.0), two.topRows(1), 1, false) == 1);
  // Distinct samples share the variance, and none has more than the noise.
  const auto drowned = SparseLikelihood{{.noise = 0.9}}.solve(Gaussian(1e-3), two, ask(2, false));
  CHECK(drowned.report.components == 0);
  CHECK(drowned.report.zero_eigenvalues == 0);
  CHECK(drowned.report.status == Status::NotConverged);
  CHECK(drowned.training_scores.rows() == two.rows());
  CHECK_THAT(drowned.report.reason, ContainsSubstring("no component has more variance"));
}

// The squares of kernel values of size 1e156 are too large for double, those of 1e-164 too small.
TEST_CASE("SparseLikelihood: the unit of the samples does not matter", "[solvers][law]") {
  const Dense x = mixture(40);
  for (const double noise : {0.0, 0.1}) {
    const SparseLikelihood solver{{.noise = noise, .tolerance = 1e-4, .max_iterations = 5000}};
    const auto plain = solver.solve(Linear{}, x, ask(2));
    REQUIRE(plain.report.status == Status::Converged);
    REQUIRE(plain.eigenvalues.size() == 2);
    for (const int exponent : {-273, 1, 259}) {
      const double unit = std::ldexp(1.0, exponent);
      const auto s = solver.solve(Linear{}, Dense(unit * x), ask(2));
      CAPTURE(noise, exponent, s.report.reason);
      CHECK(s.report.status == Status::Converged);
      REQUIRE(s.eigenvalues.size() == 2);
      const Vector<double> values = s.eigenvalues / unit / unit;
      // A noise that is chosen has rounding errors, on which the end of vanishing weights depends.
      const double rounding = noise > 0 ? 1e-12 : 1e-4;
      CHECK((values - plain.eigenvalues).norm() <= rounding * plain.eigenvalues.norm());
      if (noise > 0) CHECK(s.report.iterations == plain.report.iterations);
    }
  }
}

TEST_CASE("CovarianceWeights: rounding errors do not make a matrix indefinite", "[solvers]") {
  Matrix<double> gram(2, 2);
  gram << 1, 1 + 1e-15, 1 + 1e-15, 1;  // has the eigenvalue -1e-15
  CHECK(std::isnan(detail::CovarianceWeights<double>(gram, 1e-200, 0).step(WeightRule::Em)));
  CHECK(std::isfinite(detail::CovarianceWeights<double>(gram, 1e-10, 0).step(WeightRule::Em)));
  gram(0, 1) = gram(1, 0) = 2;
  detail::CovarianceWeights<double> indefinite(gram, 1e-10, 0);
  CHECK_THROWS_AS(indefinite.step(WeightRule::Em), InvalidArgument);
}

TEST_CASE("SparseLikelihood: weights that are not finite have not converged", "[solvers]") {
  // The square of this noise is zero.
  const auto s = SparseLikelihood{{.noise = 1e-200}}.solve(Gaussian(1.0), mixture(20), ask(2));
  CHECK(s.report.status == Status::NotConverged);
  CHECK_THAT(s.report.reason, ContainsSubstring("the weights are not finite after 1 step"));
  CHECK(s.coefficients.allFinite());
}

TEST_CASE("SparseLikelihood: the observer can cancel, and steps are limited", "[solvers]") {
  const Dense x = mixture(60);
  for (const char* phase : {"gram matrix", "weights", "components", "scores", "residuals"}) {
    CAPTURE(phase);
    bool seen = false;
    const auto s =
        SparseLikelihood{{.noise = 0.1}}.solve(Gaussian(1.5), x, ask(3), [&](const Progress& p) {
          seen = seen || p.phase == phase;
          return p.phase != phase;
        });
    CHECK(seen);
    CHECK(s.report.status == Status::Cancelled);
    CHECK(s.training_scores.rows() == 60);
    CHECK(s.report.components == s.eigenvalues.size());
    CHECK(s.report.residuals.empty());
  }
  const auto s =
      SparseLikelihood{{.noise = 0.1, .max_iterations = 3}}.solve(Gaussian(1.5), x, ask(3));
  CHECK(s.report.status == Status::NotConverged);
  CHECK(s.report.iterations == 3);
  CHECK(s.eigenvalues.size() == 3);
  CHECK_THAT(s.report.reason, ContainsSubstring("the weights still change after 3 steps"));
}

// A step with many weights takes minutes.
TEST_CASE("SparseLikelihood: the observer can cancel within a step", "[solvers]") {
  const Dense x = mixture(600);  // three tiles
  const auto questions = [&](const std::string& phase, Index step, int allowed) {
    int asked = 0;
    const auto s = SparseLikelihood{{.noise = 0.1, .max_iterations = 1}}.solve(
        Gaussian(1.5), x, ask(3),
        [&](const Progress& p) { return p.phase != phase || p.step != step || asked++ < allowed; });
    CHECK((s.report.status == Status::Cancelled) == (asked > allowed));
    CHECK(s.report.iterations == (asked > allowed ? 0 : 1));
    return asked;
  };
  const int all = questions("weights", 0, 1000);
  CHECK(all >= 8);  // products, the factorisation and the moments
  for (int allowed = 0; allowed < all; ++allowed)
    CHECK(questions("weights", 0, allowed) == allowed + 1);
}

TEST_CASE("SparseLikelihood: the observer can cancel while the noise is chosen", "[solvers]") {
  const Dense x = mixture(60);
  bool seen = false;
  const auto s = SparseLikelihood{}.solve(Gaussian(1.5), x, ask(3), [&](const Progress& p) {
    seen = seen || p.phase == "eigenvalues";
    return p.phase != "eigenvalues";
  });
  CHECK(seen);
  CHECK(s.report.status == Status::Cancelled);
  CHECK(s.training_scores.rows() == 60);
}

TEST_CASE("SparseLikelihood: in a KernelPca, the same on any number of threads",
          "[solvers][models]") {
  const Dense x = mixture(80);
  const auto fit = [&](int threads) {
    const int before = thread_count();
    set_thread_count(threads);
    auto model =
        KernelPca{Gaussian{1.5}, SparseLikelihood{{.noise = 0.1}}, {.components = 3}}.fit(x);
    set_thread_count(before);
    return model;
  };
  const auto model = fit(1);
  CHECK((model.training_scores().array() == fit(3).training_scores().array()).all());
  CHECK((model.transform(x) - model.training_scores()).norm() <=
        1e-9 * model.training_scores().norm());
  CHECK_THAT(describe_solver(model.report()),
             ContainsSubstring("sparse-likelihood (") && ContainsSubstring("with a weight"));
}

TEST_CASE("SparseLikelihood: what it refuses", "[solvers]") {
  // A positive diagonal, but negative eigenvalues.
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    CHECK_THROWS_WITH(
        SparseLikelihood{}.solve(Sigmoid{{.gamma = 1, .coef0 = 0.5}},
                                 normal_matrix<double>(14, 3, seed, "samples"), ask(3)),
        ContainsSubstring("not positive semidefinite"));
  const auto message = [](SparseLikelihoodParams params) {
    return test::error_of([&] { return SparseLikelihood{params}; });
  };
  const std::string who = "mercer::SparseLikelihood: ";
  CHECK(message({.noise = 1}) == who + "noise must be in [0, 1), got 1");
  CHECK_THAT(message({.tolerance = 0}), ContainsSubstring("tolerance must be positive"));
  CHECK(message({.max_iterations = 0}) == who + "max_iterations must be at least 1, got 0");
  CHECK(message({.prune = 0}) == who + "prune must be in (0, 1), got 0");
  CHECK(message({.certificate_rows = 1}) == who + "certificate_rows must be at least 2, got 1");
  const Dense x = mixture(20);
  const auto solve = [&](const auto& kernel, const Dense& samples, Components k) {
    return test::error_of([&] { return SparseLikelihood{}.solve(kernel, samples, ask(k)); });
  };
  CHECK(solve(Gaussian(1.0), Dense(0, 3), 1) ==
        "mercer::SparseLikelihood: needs at least one row and one column, got 0 x 3");
  CHECK_THAT(solve(Gaussian(1.0), x, 21), ContainsSubstring("components must be between"));
  CHECK_THAT(solve(Gaussian(1.0), x, 0.9), ContainsSubstring("needs components as a number"));
  CHECK_THAT(solve(Sigmoid{{.gamma = 1, .coef0 = -20}}, x, 2),
             ContainsSubstring("mercer::SparseLikelihood: k(x, x) must be finite"));
}

}  // namespace sparse_likelihood_test
