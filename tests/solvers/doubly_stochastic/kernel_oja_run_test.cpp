// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/doubly_stochastic/kernel_oja_run.hpp>

#include <limits>
#include <utility>

#include <mercer/core/random.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/features/exact_features.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/solvers/hebbian/detail/hebbian_run.hpp>
#include <mercer/testing/hermite_system.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace kernel_oja_run_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

/// eta = 1/2 and 2/5 in the first two steps.
DoublyStochasticSchedule worked_schedule(StochasticRule rule) {
  return {.rule = rule, .blocks = 2, .step = 2.0 / 3, .decay = 1.0 / 3, .centered = false};
}

template <class A, class B>
double distance(const A& a, const B& b) {
  return static_cast<double>((a - b).cwiseAbs().maxCoeff());
}

/// Coefficients of the first samples that are no better than any.
Matrix<double> some_start(Index rows, Index k) {
  return normal_matrix<double>(rows, k, 8, "start") / static_cast<double>(rows);
}

}  // namespace

SCALAR_TEST_CASE("KernelOjaRun: two steps by hand", "[solvers]") {
  using S = TestType;
  // All numbers are fractions whose denominators are 10240 or less.
  const double tolerance = 4 * double{std::numeric_limits<S>::epsilon()};
  SECTION("one function of new samples") {
    // H(1, 0) = 1/2, so M = 1/4 and A_0 = (1 - 1/8) / 2 + 1/4. Then H(1, 1) = 11/16.
    const Matrix<S> x{{1, 0}, {1, 1}};
    KernelOjaRun<Matrix<S>> run(Linear{}, x, worked_schedule(StochasticRule::Oja),
                                Matrix<S>{{S(0.5)}});
    CHECK(run.visited() == 1);
    REQUIRE(run.step());
    CHECK(run.last_step() == Approx(0.5).epsilon(1e-15));
    CHECK(distance(run.coefficients(), Matrix<S>{{S(11) / 16}, {0}}) <= tolerance);
    REQUIRE(run.step());
    CHECK(distance(run.coefficients(), Matrix<S>{{S(5709) / 10240}, {S(11) / 40}}) <= tolerance);
    CHECK(distance(run.evaluate(Matrix<S>{{0, 2}}), Matrix<S>{{S(11) / 20}}) <= tolerance);
    CHECK(run.visited() == 2);
    CHECK(run.steps() == 2);
  }
  SECTION("two functions and both rules") {
    // H(1, 1) = (1, 1/2), and M has the rows (1, 1/2) and (1/2, 1/4).
    const Matrix<S> x{{1, 1}, {0, 1}}, start{{S(0.5), 0}, {0, S(0.5)}};
    KernelOjaRun<Matrix<S>> oja(Linear{}, x, worked_schedule(StochasticRule::Oja), start);
    REQUIRE(oja.step());
    CHECK(distance(oja.coefficients(), Matrix<S>{{S(0.75), S(0.125)}, {S(-0.125), S(0.4375)}}) <=
          tolerance);
    KernelOjaRun<Matrix<S>> gha(Linear{}, x, worked_schedule(StochasticRule::Gha), start);
    REQUIRE(gha.step());
    CHECK(distance(gha.coefficients(), Matrix<S>{{S(0.75), S(0.125)}, {0, S(0.4375)}}) <=
          tolerance);
  }
}

TEST_CASE("KernelOjaRun: the run of DoublyStochastic over features that are exact",
          "[solvers][law]") {
  // The functions of a linear kernel are x . w with w = X^T A.
  constexpr Index n = 103, k = 2, d = 4;  // batches of 25, 26, 26 and 26 samples
  const Matrix<double> x = normal_matrix<double>(n, d, 4, "samples");
  const Matrix<double> start = some_start(30, k);
  for (const bool centered : {false, true})
    for (const StochasticRule rule : {StochasticRule::Oja, StochasticRule::Gha}) {
      CAPTURE(centered, to_string(rule));
      DoublyStochasticSchedule schedule{
          .rule = rule, .blocks = 4, .step = 0.3, .decay = 0.05, .centered = centered};
      KernelOjaRun<Matrix<double>> run(Linear{}, x, schedule, start);
      schedule.blocks = 1;
      const Matrix<double> w = x.topRows(30).transpose() * start;
      DoublyStochasticRun<double> features(BoundExactFeatures<double>(d, false),
                                           {schedule, w, 0, 0});
      for (Index t = 0; t < 12; ++t) {
        const Index b = t % 4, first = b * n / 4, end = (b + 1) * n / 4;
        REQUIRE(run.step());
        REQUIRE(features.partial_fit(x.middleRows(first, end - first)));
        CHECK(run.last_step() == Approx(features.last_step()).epsilon(1e-13));
        CHECK(run.visited() == (t == 0 ? 30 : t < 4 ? end : n));
      }
      // 12 steps of sums over 103 samples, with numbers of order 1.
      CHECK(distance(Matrix<double>(x.transpose() * run.coefficients()),
                     features.state().coefficients) <= 1e-13);
      CHECK(distance(run.evaluate(x), features.evaluate(x)) <= 1e-13);
    }
}

TEST_CASE("KernelOjaRun: the kernel Hebbian algorithm for batches of one sample",
          "[solvers][law]") {
  constexpr Index n = 30, k = 3;
  const Matrix<double> x = normal_matrix<double>(n, 2, 6, "samples");
  const Gaussian kernel(1.0);
  const Matrix<double> gram_matrix = gram(kernel, x), start = some_start(n, k);
  constexpr double step = 0.2, decay = 0.1;
  KernelOjaRun<Matrix<double>> run(
      kernel, x,
      {.rule = StochasticRule::Gha, .blocks = n, .step = step, .decay = decay, .centered = false},
      start);
  // step / (1 + decay (t + 1)) is step / (1 + decay) for t = 0, and half of it for t = time.
  detail::HebbianRun<double> hebbian(
      start, gram_matrix * start,
      {.gain = Gain::InverseTime, .step = step / (1 + decay), .time = (1 + decay) / decay});
  for (Index t = 0; t < 2 * n; ++t) {
    REQUIRE(run.step());
    hebbian.update(t % n, gram_matrix.col(t % n));
    REQUIRE(run.last_step() == Approx(hebbian.gains()(0)).epsilon(1e-13));
  }
  // 60 steps of sums over 30 samples, with numbers of order 1.
  CHECK(distance(run.coefficients(), hebbian.coefficients()) <= 1e-13);
}

TEST_CASE("KernelOjaRun: tends to the exact eigenfunctions", "[solvers]") {
  const testing::HermiteSystem system;
  const testing::Quadrature rule = testing::normal_quadrature(60);
  const Matrix<double> x = normal_matrix<double>(6400, 1, 3, "samples");
  const Gaussian kernel = system.kernel();
  const Matrix<double> truth = system.eigenfunctions(rule.nodes, 2);
  KernelOjaRun<Matrix<double>> run(
      kernel, x,
      {.rule = StochasticRule::Gha, .blocks = 100, .step = 1.2, .decay = 0.05, .centered = false},
      some_start(64, 2));
  const auto potential = [&] {
    return testing::potential(run.evaluate(Matrix<double>(rule.nodes)), truth, rule);
  };
  const double before = potential();
  for (Index t = 0; t < 100; ++t) REQUIRE(run.step());
  // The largest of ten seeds is 0.0007.
  CHECK(before >= 0.02);
  CHECK(potential() <= 0.002);
  const Matrix<double> h = run.evaluate(Matrix<double>(rule.nodes));
  const Vector<double> squares = h.cwiseAbs2().transpose() * rule.weights;
  const Vector<double> products = (h.cwiseProduct(truth)).transpose() * rule.weights;
  for (Index i = 0; i < 2; ++i) {
    // Gha finds each function; in ten seeds the cosine is at least 0.9987. The mean squares of
    // functions of norm 1 are the eigenvalues; they are off by 0.006 at most.
    CHECK(std::abs(products(i)) >= 0.997 * std::sqrt(squares(i)));
    CHECK(squares(i) == Approx(system.eigenvalues(2)(i)).epsilon(0.02));
  }
}

SCALAR_TEST_CASE("KernelOjaRun: the same bits on any number of threads, dense and sparse",
                 "[solvers][law]") {
  using S = TestType;
  const Matrix<S> x = normal_matrix<S>(2600, 3, 9, "samples");
  const auto coefficients = [&](const auto& samples, int threads) {
    using X = std::remove_cvref_t<decltype(samples)>;
    const int before = thread_count();
    set_thread_count(threads);
    const Gaussian kernel(1.0);
    KernelOjaRun<X> run(kernel, samples, {.blocks = 5, .step = 0.5},
                        Matrix<S>(some_start(40, 2).template cast<S>()));
    for (Index t = 0; t < 8; ++t) REQUIRE(run.step());
    set_thread_count(before);
    KernelOjaRun<X> copy = run;
    KernelOjaRun<X> moved = std::move(run);
    REQUIRE(copy.step());
    REQUIRE(moved.step());
    CHECK(copy.coefficients() == moved.coefficients());
    return Matrix<S>(copy.coefficients());
  };
  const Matrix<S> one = coefficients(x, 1);
  CHECK(one == coefficients(x, 3));
  // Inner products of other roundings, in nine steps.
  CHECK(distance(one, coefficients(SparseMatrix<S>(x.sparseView()), 2)) <=
        1000 * double{std::numeric_limits<S>::epsilon()});
}

TEST_CASE("KernelOjaRun: steps that are too long are cut; overflow is seen", "[solvers]") {
  const Matrix<double> x = normal_matrix<double>(64, 2, 3, "samples");
  const Gaussian kernel(1.0);
  KernelOjaRun<Matrix<double>> run(kernel, x,
                                   {.blocks = 4, .step = 1e6, .decay = 0, .centered = false},
                                   Matrix<double>(30 * some_start(20, 2)));
  for (int t = 0; t < 40; ++t) REQUIRE(run.step());
  CHECK(run.last_step() < 1e6);
  CHECK(run.coefficients().allFinite());
  KernelOjaRun<Matrix<double>> huge(kernel, x, {.blocks = 4, .centered = false},
                                    Matrix<double>(1e200 * some_start(20, 2)));
  const Matrix<double> start = huge.coefficients();
  CHECK_FALSE(huge.step());
  CHECK_FALSE(huge.step());
  CHECK(huge.diverged());
  CHECK(huge.steps() == 0);
  CHECK(huge.coefficients() == start);
}

TEST_CASE("KernelOjaRun: what it refuses", "[solvers]") {
  const Matrix<double> x = normal_matrix<double>(7, 2, 3, "samples");
  const auto error = [&](const DoublyStochasticSchedule& schedule, const Matrix<double>& start) {
    const Gaussian kernel(1.0);
    return test::error_of(
        [&] { return KernelOjaRun<Matrix<double>>(kernel, x, schedule, start).steps(); });
  };
  const Matrix<double> ones = Matrix<double>::Ones(3, 1);
  CHECK(error({.blocks = 4}, ones) ==
        "mercer::KernelOjaRun: 7 samples make no 4 batches of 2 or more");
  CHECK_THAT(error({.blocks = 8, .centered = false}, ones), ContainsSubstring("of 1 or more"));
  CHECK_THAT(error({.blocks = 0}, ones), ContainsSubstring("blocks must be at least 1"));
  CHECK(error({.blocks = 1}, Matrix<double>::Ones(8, 2)) ==
        "mercer::KernelOjaRun: 8 x 2 coefficients do not fit 7 samples");
  CHECK_THAT(error({.blocks = 1}, Matrix<double>(3, 0)), ContainsSubstring("3 x 0 coefficients"));
  CHECK_THAT(error({.blocks = 1}, Matrix<double>::Zero(3, 1)),
             ContainsSubstring("all coefficients are zero"));
  CHECK_THAT(error({.blocks = 1}, Matrix<double>(ones * std::numeric_limits<double>::infinity())),
             ContainsSubstring("coefficients must be finite"));
}

}  // namespace kernel_oja_run_test
