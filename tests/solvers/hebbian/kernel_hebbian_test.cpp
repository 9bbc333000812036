// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/hebbian/kernel_hebbian.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <mercer/core/threads.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/metrics/principal_angles.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>

namespace kernel_hebbian_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(KernelSolver<KernelHebbian>);

namespace {

/// Two normal clouds of n/2 samples in 4 dimensions, as mix200 of the references has them, from our
/// own random numbers.
Matrix<double> mixture(Index n) {
  Matrix<double> x = normal_matrix<double>(n, 4, 5, "mixture");
  x.bottomRows(n / 2) = (0.7 * x.bottomRows(n / 2)).array() + 1.5;
  return x;
}

KernelRequest ask(Components components, bool centered = true) {
  return {.pairs = {.components = components}, .centered = centered};
}

template <class K, class X>
Matrix<double> dense_gram(const K& kernel, const X& x, bool centered) {
  const Matrix<double> k = gram(kernel, x).template cast<double>();
  if (!centered) return k;
  const Matrix<double> j = test::centering_matrix<double>(x.rows());
  return j * k * j;
}

template <class Solution>
bool all_finite(const Solution& s) {
  const bool unknown = s.report.status == Status::Cancelled && s.report.components == 0;
  bool finite = (unknown || std::isfinite(s.report.trace)) && std::isfinite(s.mean);
  for (const double residual : s.report.residuals) finite = finite && std::isfinite(residual);
  return finite && s.eigenvalues.allFinite() && s.coefficients.allFinite() &&
         s.offset.allFinite() && s.mean_weights.allFinite() && s.training_scores.allFinite();
}

/// All that a solution promises whether it has converged or not.
template <class K, class X>
void check_solution(const K& kernel, const X& x, bool centered, const KernelSolution<X>& s) {
  using S = typename X::Scalar;
  const Index n = x.rows(), k = s.eigenvalues.size();
  REQUIRE(s.coefficients.rows() == n);
  REQUIRE(s.coefficients.cols() == k);
  REQUIRE(s.training_scores.rows() == n);
  REQUIRE(s.report.residuals.size() == static_cast<std::size_t>(k));
  REQUIRE(s.report.eigenvalue_error_bounds.size() == static_cast<std::size_t>(k));
  CHECK(s.report.components == k);
  CHECK(all_finite(s));
  const Matrix<double> dense = dense_gram(kernel, x, centered);
  const Matrix<double> scores = s.training_scores.template cast<double>();
  const Matrix<double> a = s.coefficients.template cast<double>();
  const Vector<double> mu = s.eigenvalues.template cast<double>();
  const double eps = std::numeric_limits<S>::epsilon();
  // Rounding of kernel values and coefficients, of which sums with |a| up to some 1 / mu^(1/2).
  const double rounding = 200 * eps * (1 + a.colwise().squaredNorm().maxCoeff()) * dense.norm();
  CHECK((scores.transpose() * scores - Matrix<double>(mu.asDiagonal())).norm() <=
        200 * eps * mu(0));
  CHECK((a.transpose() * dense * a - Matrix<double>::Identity(k, k)).norm() <= rounding);
  const Matrix<double> values = (gram(kernel, x).template cast<double>() * a).rowwise() -
                                s.offset.template cast<double>().transpose();
  CHECK((values - scores).cwiseAbs().maxCoeff() <= rounding);
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(dense);
  const Vector<double> exact = eigen.eigenvalues().reverse();
  // What a bound may add to a residual: rounding, and no threshold.
  const double diagonal = gram(kernel, x).diagonal().cwiseAbs().template cast<double>().sum();
  const double added =
      1.1 * eps * (8 * diagonal + 2 * std::sqrt(static_cast<double>(n)) * dense.norm());
  CHECK(s.report.trace == Approx(dense.trace()).epsilon(1e3 * eps));
  const Matrix<double> u = scores * mu.cwiseSqrt().cwiseInverse().asDiagonal();
  for (Index i = 0; i < k; ++i) {
    const auto at = static_cast<std::size_t>(i);
    CHECK(std::abs((dense * u.col(i) - mu(i) * u.col(i)).norm() - s.report.residuals[at]) <=
          100 * eps * mu(0));
    CHECK(mu(i) <= exact(i) + 100 * eps * mu(0));
    CHECK((exact.array() - mu(i)).abs().minCoeff() <= s.report.eigenvalue_error_bounds[at]);
    CHECK(s.report.eigenvalue_error_bounds[at] <= s.report.residuals[at] + added);
  }
  if (!centered) {
    CHECK((s.offset.array() == 0).all());
    CHECK((s.mean_weights.array() == 0).all());
    return;
  }
  CHECK(scores.colwise().mean().cwiseAbs().maxCoeff() <= 50 * eps);
  CHECK((s.mean_weights.array() == S(1) / static_cast<S>(n)).all());
  CHECK(static_cast<double>(s.mean) ==
        Approx(gram(kernel, x).template cast<double>().mean()).epsilon(1e3 * eps));
}

}  // namespace

TEST_CASE("KernelHebbian: quality on a mixture after 50 passes", "[solvers]") {
  const Index n = 200, r = 5;
  const Matrix<double> x = mixture(n);
  const Gaussian kernel(percentile_distance(x, 20));
  const auto exact = KernelPca{kernel, Exact{}, {.components = r}}.fit(x);
  struct Case {
    Gain gain;
    double step, bound;  // of the squared sine of the largest angle
  };
  const Case one = GENERATE(Case{Gain::InverseTime, 1, 1e-3}, Case{Gain::EtStar, 0.2, 1e-3},
                            Case{Gain::Constant, 0.05, 1e-2});
  CAPTURE(to_string(one.gain));
  const auto s = KernelHebbian{{.gain = one.gain, .gain_step = one.step, .epochs = 50}}.solve(
      kernel, x, ask(r));
  REQUIRE(s.eigenvalues.size() == r);
  const double sine =
      principal_angles(kernel, x, exact.coefficients(), s.coefficients).sines.maxCoeff();
  CHECK(sine * sine <= one.bound);
  CHECK(sine > 1e-6);  // they are another method's
  CHECK(s.report.iterations == 50 * n);
  CHECK(s.report.kernel_products == r + r + r);
}

TEST_CASE("KernelHebbian: every gain converges with its own step", "[solvers]") {
  const Matrix<double> x = mixture(80);
  const Gain gain = GENERATE(Gain::Constant, Gain::InverseTime, Gain::Et, Gain::EtStar, Gain::Smd);
  CAPTURE(to_string(gain));
  const auto s = KernelHebbian{{.gain = gain, .epochs = 30, .tolerance = 0.05}}.solve(Gaussian(1.5),
                                                                                      x, ask(3));
  CHECK(s.report.status == Status::Converged);
  for (const double residual : s.report.residuals) CHECK(residual <= 0.05 * s.eigenvalues(0));
  check_solution(Gaussian(1.5), x, true, s);
  CHECK(s.report.solver == SolverId::KernelHebbian);
  CHECK_THAT(s.report.solver_form, ContainsSubstring(std::string(to_string(gain))));
}

SCALAR_TEST_CASE("KernelHebbian: components are orthonormal and scores their values",
                 "[solvers][law]") {
  const Matrix<TestType> x = mixture(70).template cast<TestType>();
  const bool centered = GENERATE(false, true);
  for (const Index epochs : {1, 10}) {
    const KernelHebbian solver{{.epochs = epochs}};
    check_solution(Gaussian(2.0), x, centered, solver.solve(Gaussian(2.0), x, ask(4, centered)));
    const Polynomial polynomial{{.gamma = 0.1, .coef0 = 1, .degree = 2}};
    check_solution(polynomial, x, centered, solver.solve(polynomial, x, ask(4, centered)));
  }
  const SparseMatrix<TestType> sparse = x.sparseView();
  check_solution(Gaussian(2.0), sparse, centered,
                 KernelHebbian{{.epochs = 2}}.solve(Gaussian(2.0), sparse, ask(4, centered)));
}

TEST_CASE("KernelHebbian: gains do not depend on the scale of the kernel", "[solvers][law]") {
  const Matrix<double> x = mixture(50);
  const KernelHebbian solver{{.epochs = 5}};
  const auto small = solver.solve(Linear{}, Matrix<double>(x / 1000), ask(2));
  const auto large = solver.solve(Linear{}, Matrix<double>(x * 1000), ask(2));
  CHECK((large.eigenvalues / 1e12 - small.eigenvalues).norm() <= 1e-10 * small.eigenvalues(0));
  CHECK_THAT(large.report.reason, ContainsSubstring("gain step 0.2"));
}

TEST_CASE("KernelHebbian: a stored Gram matrix changes nothing but the time", "[solvers]") {
  const Matrix<double> x = mixture(100);
  KernelRequest request = ask(3);
  const KernelHebbian solver{{.epochs = 5}};
  const auto recomputed = solver.solve(Gaussian(1.5), x, request);
  request.memory_budget =
      recomputed.report.bytes + detail::stored_tile_bytes(100, Precision::Double);
  const auto stored = solver.solve(Gaussian(1.5), x, request);
  CHECK(recomputed.report.storage == "columns recomputed");
  CHECK(stored.report.storage == "stored");
  CHECK(stored.report.bytes == request.memory_budget);
  --request.memory_budget;
  CHECK(solver.solve(Gaussian(1.5), x, request).report.storage == "columns recomputed");
  // Values from tiles of other shapes may differ by rounding.
  CHECK((stored.training_scores - recomputed.training_scores).norm() <= 1e-9);
}

TEST_CASE("KernelHebbian: the number of threads does not matter", "[solvers][law]") {
  const Matrix<double> x = mixture(600);  // three tiles
  const auto fit = [&](int threads) {
    const int before = thread_count();
    set_thread_count(threads);
    const auto s = KernelHebbian{{.epochs = 1}}.solve(Gaussian(2.0), x, ask(2));
    set_thread_count(before);
    return s;
  };
  const auto one = fit(1), three = fit(3);
  CHECK((one.training_scores.array() == three.training_scores.array()).all());
  CHECK((one.coefficients.array() == three.coefficients.array()).all());
  CHECK(one.report.residuals == three.report.residuals);
}

TEST_CASE("KernelHebbian: the seed fixes the result", "[solvers]") {
  const Matrix<double> x = mixture(60);
  const auto scores = [&](std::uint64_t seed) {
    return KernelHebbian{{.epochs = 2, .seed = seed}}
        .solve(Gaussian(1.5), x, ask(3))
        .training_scores;
  };
  CHECK((scores(3).array() == scores(3).array()).all());
  CHECK((scores(3) - scores(4)).norm() > 1e-3);
}

TEST_CASE("KernelHebbian: updates that diverge start anew with half of the step", "[solvers]") {
  const Matrix<double> x = mixture(60);
  const Gain gain = GENERATE(Gain::InverseTime, Gain::EtStar);
  const auto fit = [&](double step) {
    return KernelHebbian{{.gain = gain, .gain_step = step, .epochs = 20, .tolerance = 0.05}}.solve(
        Gaussian(1.5), x, ask(3));
  };
  const auto good = fit(200);
  CAPTURE(to_string(gain), good.report.reason);
  CHECK_THAT(good.report.reason, ContainsSubstring("restarts with half of the step"));
  CHECK(good.report.status == Status::Converged);
  CHECK(good.report.iterations > 20 * 60);  // those in vain are counted
  check_solution(Gaussian(1.5), x, true, good);

  const auto hopeless = fit(1e9);
  CHECK_THAT(hopeless.report.reason,
             ContainsSubstring("10 restarts") && ContainsSubstring("given up"));
  CHECK(hopeless.report.status == Status::NotConverged);
  check_solution(Gaussian(1.5), x, true, hopeless);
}

TEST_CASE("KernelHebbian: residuals above the tolerance are not converged", "[solvers]") {
  const Matrix<double> x = mixture(60);
  const auto s = KernelHebbian{{.epochs = 1, .tolerance = 1e-6}}.solve(Gaussian(1.5), x, ask(3));
  CHECK(s.report.status == Status::NotConverged);
  CHECK(s.eigenvalues.size() == 3);
}

TEST_CASE("KernelHebbian: the observer can cancel in every phase", "[solvers]") {
  const Matrix<double> x = mixture(150);
  const std::string phase =
      GENERATE(as<std::string>{}, "gram matrix", "hebbian updates", "scores", "residuals");
  CAPTURE(phase);
  std::string last;
  const auto s =
      KernelHebbian{{.epochs = 3}}.solve(Gaussian(1.5), x, ask(3), [&](const Progress& p) {
        last = p.phase;
        CHECK(p.step <= p.total);
        return p.phase != phase || (phase == "hebbian updates" && p.step < 2);
      });
  CHECK(last == phase);
  CHECK(s.report.status == Status::Cancelled);
  const Index found = phase == "gram matrix" ? 0 : 3;  // else the components so far
  CHECK(s.eigenvalues.size() == found);
  CHECK(s.report.components == found);
  CHECK(s.training_scores.rows() == 150);
  CHECK(s.training_scores.cols() == found);
  CHECK(s.coefficients.cols() == found);
  CHECK(s.report.residuals.empty());
  CHECK(all_finite(s));
  if (phase == "hebbian updates") {
    CHECK(s.report.iterations == 300);
    // A K was kept up to date: the scores are those of the components.
    const Matrix<double> k = dense_gram(Gaussian(1.5), x, true);
    CHECK((k * s.coefficients - s.training_scores).norm() <= 1e-11 * s.training_scores.norm());
  }
}

TEST_CASE("KernelHebbian: no more components than the data have", "[solvers]") {
  const Gain gain = GENERATE(Gain::Constant, Gain::InverseTime, Gain::Et, Gain::EtStar, Gain::Smd);
  CAPTURE(to_string(gain));
  const KernelHebbian solver{{.gain = gain, .epochs = 10, .tolerance = 0.1}};
  const auto count = [&](const auto& kernel, const auto& x, Index k, bool centered = true) {
    const auto s = solver.solve(kernel, x, ask(k, centered));
    CHECK(all_finite(s));
    CHECK(s.report.components_requested == k);
    CHECK(s.report.zero_eigenvalues == k - s.eigenvalues.size());
    CHECK(s.report.status == Status::Converged);
    CHECK(s.training_scores.cols() == s.eigenvalues.size());
    CHECK_FALSE(s.points);
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

namespace {

/// Samples whose third component has an eigenvalue of about 0.01, where the first one has 200. In
/// single precision, zero begins at 1.3e-3.
Matrix<float> with_small_component() {
  Matrix<double> x = normal_matrix<double>(200, 3, 7, "small component");
  x.col(1) *= 0.1;
  x.col(2) *= 0.007;
  return x.cast<float>();
}

}  // namespace

TEST_CASE("KernelHebbian: a small component above rounding error is found", "[solvers]") {
  // The updates leave a part of A in the null space of K, in which rounding errors are larger than
  // this component.
  const Matrix<float> x = with_small_component();
  const auto exact =
      KernelPca{Linear{}, Exact{}, {.components = 3}}.fit(Matrix<double>(x.cast<double>()));
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    CAPTURE(seed);
    const auto s = KernelHebbian{{.seed = seed}}.solve(Linear{}, x, ask(3));
    REQUIRE(s.eigenvalues.size() == 3);
    CHECK(s.report.status == Status::Converged);
    CHECK(s.report.zero_eigenvalues == 0);
    // Some 10 ulp of the first eigenvalue, 200, are in the last one.
    CHECK(std::abs(static_cast<double>(s.eigenvalues(2)) - exact.eigenvalues()(2)) <= 2.5e-4);
    check_solution(Linear{}, x, true, s);
  }
}

TEST_CASE("KernelHebbian: components that the updates have not found are not zero", "[solvers]") {
  // With these gains, 50 passes do not reach the last component.
  const Matrix<float> x = with_small_component();
  const KernelHebbian solver{{.gain = Gain::InverseTime}};
  const auto s = solver.solve(Linear{}, x, ask(3));
  REQUIRE(s.eigenvalues.size() == 2);
  CHECK(s.report.status == Status::NotConverged);
  CHECK(s.report.zero_eigenvalues == 0);
  CHECK_THAT(s.report.reason,
             ContainsSubstring("the last updates hold only 2 components above rounding error") &&
                 ContainsSubstring("more epochs or double precision"));
  CHECK(s.report.residuals.size() == 2);
  // So for a run that was stopped.
  const auto stopped = solver.solve(Linear{}, x, ask(3), [](const Progress& p) {
    return p.phase != "hebbian updates" || p.step < 49;
  });
  CHECK(stopped.report.status == Status::Cancelled);
  CHECK(stopped.eigenvalues.size() == 2);
  CHECK(stopped.report.zero_eigenvalues == 0);
}

TEST_CASE("KernelHebbian: residuals of samples in single precision are those in double",
          "[solvers][law]") {
  // Entries of K are near 1: their errors in single precision are not small beside small mu.
  const bool centered = GENERATE(false, true);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Matrix<float> x = test::uniform_samples<float>(30, 3, seed);
    const Gaussian kernel(10.0);
    const KernelHebbian solver{{.gain = Gain::EtStar, .epochs = 30}};
    const auto s = solver.solve(kernel, x, ask(2, centered));
    REQUIRE(s.eigenvalues.size() == 2);
    const Matrix<double> k = dense_gram(kernel, Matrix<double>(x.cast<double>()), centered);
    for (Index i = 0; i < 2; ++i) {
      const auto mu = static_cast<double>(s.eigenvalues(i));
      const Vector<double> u = s.training_scores.col(i).cast<double>() / std::sqrt(mu);
      const double residual = (k * u - mu * u).norm();
      // But for the rounding of k u in double, and of norms in single precision.
      CHECK(s.report.residuals[static_cast<std::size_t>(i)] ==
            Approx(residual).epsilon(1e-4).margin(1e-13));
    }
  }
}

TEST_CASE("KernelHebbian: in a KernelPca", "[solvers][models]") {
  const Matrix<double> x = mixture(120);
  const auto model =
      KernelPca{Gaussian{1.5}, KernelHebbian{{.epochs = 30}}, {.components = 3}}.fit(x);
  REQUIRE(model.components() == 3);
  CHECK(describe_solver(model.report()) == "kernel-hebbian (et-star, 30 passes)");
  CHECK(model.report().storage == "stored");
  CHECK(model.report().reason == "solver as asked for; gain step 0.2");
  CHECK((model.transform(x) - model.training_scores()).norm() <=
        1e-10 * model.training_scores().norm());
  const auto exact = KernelPca{Gaussian{1.5}, Exact{}, {.components = 3}}.fit(x);
  CHECK((model.eigenvalues() - exact.eigenvalues()).norm() <= 1e-2 * exact.eigenvalues()(0));
  CHECK(principal_angles(Gaussian{1.5}, x, exact.coefficients(), model.coefficients())
            .sines.maxCoeff() <= 0.1);
  const auto nothing =
      KernelPca{Gaussian{1.5}, KernelHebbian{}, {.components = 3}}.fit(Matrix<double>::Ones(6, 2));
  CHECK(nothing.components() == 0);
  CHECK(nothing.novelty(Matrix<double>::Ones(1, 2)).spe(0) <= 1e-12);
}

TEST_CASE("KernelHebbian: parameters out of range are refused", "[solvers]") {
  const auto message = [](KernelHebbianParams params) {
    return test::error_of([&] { return KernelHebbian{params}; });
  };
  const std::string who = "mercer::KernelHebbian: ";
  CHECK(message({.gain_step = -1}) == who + "gain_step must be finite and not negative, got -1");
  CHECK_THAT(message({.gain_step = std::numeric_limits<double>::quiet_NaN()}),
             ContainsSubstring("gain_step") && ContainsSubstring("nan"));
  CHECK(message({.tau = -2}) == who + "tau must be finite and not negative, got -2");
  CHECK(message({.epochs = 0}) == who + "epochs must be at least 1, got 0");
  CHECK(message({.meta_step = -1}) == who + "meta_step must be finite and not negative, got -1");
  CHECK(message({.meta_decay = 1.5}) == who + "meta_decay must be in [0, 1], got 1.5");
  CHECK(message({.tolerance = 0}) == who + "tolerance must be positive and finite, got 0");
}

TEST_CASE("KernelHebbian: requests that cannot be met are refused", "[solvers]") {
  const Matrix<double> x = mixture(20);
  const auto message = [&](const auto& kernel, const Matrix<double>& samples,
                           Components components) {
    return test::error_of([&] { return KernelHebbian{}.solve(kernel, samples, ask(components)); });
  };
  CHECK(message(Gaussian(1.0), Matrix<double>(0, 3), 1) ==
        "mercer::KernelHebbian: needs at least one row and one column, got 0 x 3");
  CHECK_THAT(message(Gaussian(1.0), x, 21), ContainsSubstring("components must be between"));
  CHECK_THAT(message(Gaussian(1.0), x, 0.9),
             ContainsSubstring("mercer::KernelHebbian: needs components as a number") &&
                 ContainsSubstring("0.9"));
  CHECK_THAT(message(Sigmoid{{.gamma = 1, .coef0 = -20}}, x, 2),
             ContainsSubstring("mercer::KernelHebbian: k(x, x) must be finite and not negative"));
  Matrix<double> bad = x;
  bad(7, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(message(Gaussian(1.0), bad, 2),
             ContainsSubstring("mercer::KernelHebbian: samples must be finite") &&
                 ContainsSubstring("row 7, column 1"));
}

}  // namespace kernel_hebbian_test
