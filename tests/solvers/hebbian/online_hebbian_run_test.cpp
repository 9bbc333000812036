// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/hebbian/online_hebbian_run.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/solvers/hebbian/detail/hebbian_run.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace online_hebbian_run_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

/// |phi(x_i) - P phi(x_i)|^2 / k(x_i, x_i) for the span of some points, from dense matrices.
template <class K, class X>
Vector<double> distances(const K& kernel, const X& x, const X& points) {
  const Matrix<double> own = gram(kernel, x).template cast<double>();
  const Matrix<double> cross = gram(kernel, x, points).template cast<double>();
  const Matrix<double> inside = gram(kernel, points).template cast<double>();
  const Matrix<double> weights = inside.ldlt().solve(cross.transpose());
  return (own.diagonal() - cross.cwiseProduct(weights.transpose()).rowwise().sum())
      .cwiseQuotient(own.diagonal());
}

template <class X>
OnlineHebbianRun<X> run_over(const X& x, OnlineHebbianParams params, Index batch = 32,
                             bool centered = false, Index components = 3) {
  OnlineHebbianRun<X> run(components, centered, params);
  for (Index first = 0; first < x.rows(); first += batch)
    run.add(Gaussian{1.0}, X(x.middleRows(first, (std::min)(batch, x.rows() - first))));
  return run;
}

}  // namespace

TEST_CASE("OnlineHebbianRun: three samples by hand", "[solvers]") {
  // In the basis (1, 0), (0, 1): w = (1, 0) after the first sample, as y = 2 and z = y w. The mean
  // squared norms are 4, 8/3 and 10/3, so that the gains are .1 times 3/8 and 3/10.
  Matrix<double> x(3, 2);
  x << 2, 0, 1, 1, 0, 2;
  OnlineHebbianRun<Matrix<double>> run(1, false, {.gain = Gain::Constant, .gain_step = 0.1});
  run.add(Linear{}, x.topRows(2));
  CHECK(run.dictionary().size() == 2);
  CHECK(run.functions()(0, 0) == Approx(1).epsilon(1e-14));
  CHECK(run.functions()(1, 0) == Approx(0.0375).epsilon(1e-14));
  run.add(Linear{}, x.bottomRows(1));
  CHECK(run.dictionary().size() == 2);
  CHECK(run.functions()(0, 0) == Approx(1 - 0.00225 * 0.075).epsilon(1e-14));
  CHECK(run.functions()(1, 0) == Approx(0.0375 + 0.00225 * (2 - 0.075 * 0.0375)).epsilon(1e-14));
  CHECK(run.samples() == 3);
  CHECK(run.trace() == 10);
}

TEST_CASE("OnlineHebbianRun: with all samples in the dictionary, the kernel Hebbian algorithm",
          "[solvers][law]") {
  const Index n = 40, k = 3;
  const double eta = 0.2;
  const Matrix<double> x = test::uniform_samples<double>(n, 5, 1, -2, 2);
  const Gaussian kernel{1.0};
  OnlineHebbianRun<Matrix<double>> run(
      k, false, {.threshold = 1e-9, .max_points = 0, .gain = Gain::Constant, .gain_step = eta});
  run.add(kernel, x);
  REQUIRE(run.dictionary().size() == n);
  // It begins with the first functions of Gram-Schmidt. k(x, x) = 1, so that gains agree.
  const Matrix<double> a =
      run.dictionary().coefficients(Matrix<double>::Identity(n, n).leftCols(k));
  const Matrix<double> dense = gram(kernel, x);
  detail::HebbianRun<double> exact(a, dense * a, {.gain = Gain::Constant, .step = eta});
  for (Index i = 0; i < n; ++i) exact.update(i, dense.col(i));
  const Matrix<double> found = run.dictionary().coefficients(run.functions());
  CHECK((found - a).norm() > 0.1);
  CHECK((found - exact.coefficients()).norm() <= 1e-10 * found.norm());
}

SCALAR_TEST_CASE("OnlineHebbianRun: what the criteria promise of the dictionary",
                 "[solvers][law]") {
  using X = Matrix<TestType>;
  const X x = test::uniform_samples<TestType>(150, 2, 3, -2, 2);
  // Kernel values are rounded to epsilon, and errors in the solution grow with the condition.
  const double rounding = 1e4 * double{std::numeric_limits<TestType>::epsilon()};
  Index before = 151;
  for (const double threshold : {0.02, 0.1, 0.5}) {
    const auto run = run_over(x, {.threshold = threshold});
    const X& points = run.dictionary().points();
    CHECK(points.rows() == run.dictionary().size());
    CHECK(points.rows() < before);
    before = points.rows();
    CHECK(distances(Gaussian{1.0}, x, points).maxCoeff() <= threshold + rounding);
    CHECK(run.functions().rows() == points.rows());
  }
  before = 0;
  for (const double threshold : {0.3, 0.6, 0.9}) {
    const auto run =
        run_over(x, {.criterion = DictionaryCriterion::Coherence, .threshold = threshold});
    const X& points = run.dictionary().points();
    CHECK(points.rows() > before);
    before = points.rows();
    Matrix<double> within = gram(Gaussian{1.0}, points).template cast<double>();
    within.diagonal().setZero();
    CHECK(within.maxCoeff() <= threshold + rounding);
    const Matrix<double> cross = gram(Gaussian{1.0}, x, points).template cast<double>();
    CHECK(cross.rowwise().maxCoeff().minCoeff() > threshold - rounding);
  }
}

SCALAR_TEST_CASE("OnlineHebbianRun: coordinates are those of Gram-Schmidt", "[solvers][law]") {
  const Matrix<TestType> x = test::uniform_samples<TestType>(60, 3, 4);
  const auto run = run_over(x, {.threshold = 0.02});
  const auto& dictionary = run.dictionary();
  const Matrix<TestType>& p = dictionary.points();
  const Matrix<double> inside = gram(Gaussian{1.0}, p).template cast<double>();
  const Matrix<double> a = dictionary.coefficients(Matrix<double>::Identity(p.rows(), p.rows()));
  const double eps = double{std::numeric_limits<TestType>::epsilon()};
  CHECK((a.transpose() * inside * a - Matrix<double>::Identity(p.rows(), p.rows())).norm() <=
        1e3 * eps * a.squaredNorm());
  CHECK((dictionary.coordinates(inside).transpose() * dictionary.coordinates(inside) - inside)
            .norm() <= 100 * eps * inside.norm());
}

SCALAR_TEST_CASE("OnlineHebbianRun: how samples are cut into batches does not matter",
                 "[solvers][law]") {
  const Matrix<TestType> x = test::uniform_samples<TestType>(90, 3, 6);
  const bool centered = GENERATE(false, true);
  const Gain gain = GENERATE(Gain::Constant, Gain::InverseTime, Gain::Et, Gain::EtStar);
  const auto all = run_over(x, {.gain = gain}, 90, centered);
  const auto single = run_over(x, {.gain = gain}, 1, centered);
  const auto some = run_over(SparseMatrix<TestType>(x.sparseView()), {.gain = gain}, 7, centered);
  const double rounding = 1e5 * double{std::numeric_limits<TestType>::epsilon()};
  REQUIRE(all.dictionary().size() == single.dictionary().size());
  REQUIRE(all.dictionary().size() == some.dictionary().size());
  CHECK((all.dictionary().points() - single.dictionary().points()).norm() == 0);
  CHECK((all.dictionary().points() - Matrix<TestType>(some.dictionary().points())).norm() == 0);
  CHECK((all.functions() - single.functions()).norm() <= rounding);
  CHECK((all.functions() - some.functions()).norm() <= rounding);
  CHECK((all.mean() - single.mean()).norm() <= rounding);
  CHECK((all.mean().norm() > 0.1) == centered);
}

TEST_CASE("OnlineHebbianRun: the functions stay near orthonormal, and the gains are stable",
          "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(2000, 2, 8, -2, 2);
  const Gain gain = GENERATE(Gain::Constant, Gain::InverseTime, Gain::Et, Gain::EtStar);
  for (const double step : {0.0, 1e6}) {  // too large a step is cut
    const auto run = run_over(x, {.gain = gain, .gain_step = step}, 100, true);
    CAPTURE(to_string(gain), step);
    REQUIRE(run.functions().allFinite());
    const Matrix<double> products = run.functions().transpose() * run.functions();
    if (step == 0) CHECK((products - Matrix<double>::Identity(3, 3)).norm() <= 0.5);
    const auto solution = run.solution(2000, {.components = Components::all()});
    const Matrix<double> dense = gram(Gaussian{1.0}, *solution.points);
    const Index found = solution.eigenvalues.size();
    CHECK((solution.coefficients.transpose() * dense * solution.coefficients -
           Matrix<double>::Identity(found, found))
              .norm() <= 1e-9);
  }
}

// The squares of eigenvalues of size 1e-170 are too small for double, those of 1e160 too large.
TEST_CASE("OnlineHebbianRun: the unit of the samples does not matter", "[solvers][law]") {
  const Vector<double> scales = (Vector<double>(3) << 0.3, 1, 2).finished();
  const Matrix<double> x = normal_matrix<double>(200, 3, 4, "samples") * scales.asDiagonal();
  const Gain gain = GENERATE(Gain::Constant, Gain::InverseTime, Gain::Et, Gain::EtStar);
  const auto functions = [&](int exponent) {
    OnlineHebbianRun<Matrix<double>> run(2, true, {.gain = gain});
    run.add(Linear{}, Matrix<double>(std::ldexp(1.0, exponent) * x));
    return run.functions();
  };
  const Matrix<double> plain = functions(0);
  CHECK((plain - Matrix<double>::Identity(plain.rows(), 2)).norm() > 0.1);
  for (const int exponent : {-282, 266}) {
    CAPTURE(to_string(gain), exponent);
    const Matrix<double> found = functions(exponent);
    REQUIRE(found.rows() == plain.rows());
    CHECK((found - plain).norm() <= 1e-9);
  }
}

TEST_CASE("OnlineHebbianRun: duplicates, zeros and the limit of points", "[solvers]") {
  const Matrix<double> one = test::uniform_samples<double>(1, 3, 9);
  const auto same = run_over(Matrix<double>(one.replicate(50, 1)), {.threshold = 1e-12});
  CHECK(same.dictionary().size() == 1);
  CHECK(same.solution(50, {.components = Components::all(), .noise_scale = 50}).eigenvalues(0) ==
        Approx(50));
  const auto centered =
      run_over(Matrix<double>(one.replicate(50, 1)), {.threshold = 1e-12}, 8, true);
  CHECK(centered.solution(50, {.components = Components::all(), .noise_scale = 50})
            .eigenvalues.size() == 0);
  const Matrix<double> x = test::uniform_samples<double>(200, 3, 9, -3, 3);
  CHECK(run_over(x, {.threshold = 0.01, .max_points = 7}).dictionary().size() == 7);
  OnlineHebbianRun<Matrix<double>> zeros(2);
  zeros.add(Linear{}, Matrix<double>::Zero(5, 3));
  CHECK(zeros.dictionary().size() == 0);
  CHECK(zeros.solution(5, {}).eigenvalues.size() == 0);
  zeros.add(Linear{}, Matrix<double>(0, 3));
  CHECK(zeros.samples() == 5);
}

TEST_CASE("OnlineHebbianRun: of numbers, eigenvalue and trace are the weighted variance",
          "[solvers][law]") {
  // With one coordinate, the function is that coordinate from the first sample on.
  constexpr double rounding = 1e-9;  // of sums of squares of up to 1e4, for variances of 1
  for (const Index n : {2, 5, 50}) {
    for (const double offset : {0.0, 100.0}) {
      const Matrix<double> x = normal_matrix<double>(n, 1, 3, "numbers").array() + offset;
      OnlineHebbianRun<Matrix<double>> run(1);
      run.add(Linear{}, x);
      const auto t = static_cast<double>(n);
      const Vector<double> weights = Vector<double>::LinSpaced(n, 1, t) * (2 / (t * (t + 1)));
      const double mean = weights.dot(x.col(0));
      const double variance = weights.dot((x.col(0).array() - mean).square().matrix());
      const auto solution = run.solution(n, {.components = 1});
      REQUIRE(solution.eigenvalues.size() == 1);
      CHECK(std::abs(solution.eigenvalues(0) - t * variance) <= rounding * t);
      CHECK(std::abs(solution.report.trace - t * variance) <= rounding * t);
    }
  }
}

TEST_CASE("OnlineHebbianRun: what it refuses", "[solvers]") {
  const auto message = [](OnlineHebbianParams params, Index components = 1) {
    return test::error_of(
        [&] { return OnlineHebbianRun<Matrix<double>>(components, true, params); });
  };
  const std::string who = "mercer::OnlineHebbian: ";
  CHECK(message({.threshold = 1.5}) == who + "threshold must be in [0, 1], got 1.5");
  CHECK(message({.threshold = -0.1}) == who + "threshold must be in [0, 1], got -0.1");
  CHECK(message({.max_points = -1}) == who + "max_points must be at least 0, got -1");
  CHECK(message({.gain = Gain::Smd}) == who + "gain must not be Smd");
  CHECK(message({.gain_step = -1}) == who + "gain_step must be finite and not negative, got -1");
  CHECK_THAT(message({.tau = 0}), ContainsSubstring("tau must be positive"));
  CHECK_THAT(message({}, 0), ContainsSubstring("components must be at least 1, got 0"));
  OnlineHebbianRun<Matrix<double>> run(1);
  run.add(Linear{}, Matrix<double>::Ones(2, 3));
  CHECK(test::error_of([&] { run.add(Linear{}, Matrix<double>::Ones(2, 4)); }) ==
        "mercer::OnlineHebbianRun: samples have 4 columns, those before had 3");
  Matrix<double> bad = Matrix<double>::Ones(2, 3);
  bad(1, 2) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(test::error_of([&] { run.add(Linear{}, bad); }), ContainsSubstring("row 1, column 2"));
  CHECK(run.samples() == 2);
}

}  // namespace online_hebbian_run_test
