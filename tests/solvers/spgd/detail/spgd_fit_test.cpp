// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/spgd/detail/spgd_fit.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/core/small_dense.hpp>
#include <mercer/estimators/column_sampling.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/solvers/spgd/spgd.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace spgd_fit_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

/// The iterates that a run shows.
struct Shown {
  std::vector<Index> iterations;
  std::vector<EigenSystem<double>> iterates;

  SpgdCheckpoints after(std::vector<Index> when) {
    return {std::move(when), [this](Index t, const EigenSystem<double>& iterate) {
              iterations.push_back(t);
              iterates.push_back(iterate);
            }};
  }
};

}  // namespace

SCALAR_TEST_CASE("Spgd: checkpoints show the iterates, without lambda added back",
                 "[solvers][spgd]") {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(40, 3, 7);
  const Gaussian kernel{1.5};
  const KernelRequest request{.pairs = {.components = 40}};
  const RandomFourier features{.features = 10};
  constexpr double lambda = 0.5;
  const SpgdParams params{.lambda = lambda, .iterations = 6, .seed = 3};

  Shown shown;
  const auto solution = Spgd(features, params, shown.after({6, 2})).solve(kernel, x, request);
  REQUIRE(shown.iterations == std::vector<Index>{2, 6});
  for (const std::size_t i : {0U, 1U}) {
    const auto& [values, vectors] = shown.iterates[i];
    const auto t = static_cast<std::size_t>(shown.iterations[i]);
    CHECK(values.size() == std::get<SpgdDetails>(solution.report.details).ranks[t - 1]);
    CHECK(vectors.rows() == 40);
    CHECK(vectors.cols() == values.size());
  }
  // Positive semidefinite draws: the components are those of the last iterate. The sum with lambda
  // is rounded once.
  const Vector<double>& last = shown.iterates[1].values;
  const Index k = solution.eigenvalues.size();
  REQUIRE(k >= 2);
  const Vector<double> mu = solution.eigenvalues.template cast<double>();
  const double rounding = std::numeric_limits<S>::epsilon() * mu(0);
  CHECK((last.head(k).array() + lambda - mu.array()).abs().maxCoeff() <= rounding);
  // The iterate after 2 iterations is the last one of a run of 2, to the last bit.
  SpgdParams fewer = params;
  fewer.iterations = 2;
  Shown shorter;
  (void)Spgd(features, fewer, shorter.after({2})).solve(kernel, x, request);
  REQUIRE(shorter.iterations == std::vector<Index>{2});
  CHECK(shorter.iterates[0].values == shown.iterates[0].values);
  CHECK(shorter.iterates[0].vectors == shown.iterates[0].vectors);
}

TEST_CASE("Spgd: checkpoints of draws without symmetry show the symmetric part",
          "[solvers][spgd]") {
  const Matrix<double> x = test::uniform_samples<double>(20, 3, 7);
  const SpgdParams params{.lambda = 0.1, .iterations = 3, .seed = 3};
  Shown shown;
  const auto solution = Spgd(ColumnSampling{.columns = 4}, params, shown.after({3}))
                            .solve(Gaussian{1.5}, x, KernelRequest{.pairs = {.components = 20}});
  REQUIRE(shown.iterates.size() == 1);
  const auto& [values, vectors] = shown.iterates[0];
  const Index k = solution.eigenvalues.size();
  REQUIRE(k >= 1);
  CHECK(values.size() > k);  // those that are negative are shown, too
  CHECK((values.head(k).array() + 0.1 - solution.eigenvalues.array()).abs().maxCoeff() <= 1e-13);
  CHECK((vectors.transpose() * vectors - Matrix<double>::Identity(values.size(), values.size()))
            .norm() <= 1e-12);
}

TEST_CASE("Spgd: checkpoints out of range", "[solvers][spgd]") {
  const SpgdParams params{.iterations = 5};
  Shown shown;
  for (const Index t : {0, 6, -1})
    CHECK_THAT(test::error_of([&] {
                 return Spgd(RandomFourier{}, params, shown.after({3, t}));
               }),
               ContainsSubstring("checkpoints must be iterations from 1 to 5, got"));
  CHECK_THAT(test::error_of([&] {
               return Spgd(RandomFourier{}, params, {{3}, {}});
             }),
             ContainsSubstring("need a function to visit them"));
}

namespace {

struct Errors {
  double expected = 0;  ///< mean of expected_error
  double measured = 0;  ///< mean of |Z - K^|_F^2 / n^2
};

/// Means over so many seeds of fits with paired Fourier draws, not centred.
Errors errors_of_fits(const SpgdParams& params, int seeds) {
  constexpr Index n = 60;
  const Matrix<double> x = 2 * test::uniform_samples<double>(n, 3, 7);
  const Gaussian kernel{1.5};
  const EigenSystem<double> exact = symmetric_eigensystem<double>(gram(kernel, x));
  const Vector<double> shrunk = (exact.values.array() - *params.lambda).max(0);
  const Matrix<double> target = exact.vectors * shrunk.asDiagonal() * exact.vectors.transpose();
  Errors errors;
  for (int seed = 1; seed <= seeds; ++seed) {
    SpgdParams one = params;
    one.seed = static_cast<std::uint64_t>(seed);
    Shown shown;
    const auto solution =
        Spgd(RandomFourier{.features = 4}, one, shown.after({params.iterations}))
            .solve(kernel, x, KernelRequest{.pairs = {.components = n}, .centered = false});
    const auto& [values, vectors] = shown.iterates[0];
    const Matrix<double> z = vectors * values.asDiagonal() * vectors.transpose();
    errors.measured += (z - target).squaredNorm() / static_cast<double>(n * n) / seeds;
    errors.expected += std::get<SpgdDetails>(solution.report.details).expected_error / seeds;
  }
  return errors;
}

}  // namespace

TEST_CASE("Spgd: the expected error remembers the start", "[solvers][spgd][law]") {
  // Means over 40 seeds, fixed. Draws scatter about v, and errors about their mean, by some ten
  // percent each; 30 % is far outside, and the formula without a start is wrong by factors.
  constexpr int seeds = 40;
  constexpr double scatter = 0.3;
  SECTION("from zero with short steps") {
    const Errors errors =
        errors_of_fits({.lambda = 0.0, .iterations = 10, .step_offset = 50}, seeds);
    CHECK(errors.measured == Approx(errors.expected).epsilon(scatter));
  }
  SECTION("from zero with a single step") {
    const Errors errors = errors_of_fits({.lambda = 0.0, .iterations = 1}, seeds);
    CHECK(errors.measured == Approx(errors.expected).epsilon(scatter));
  }
  SECTION("from landmarks with steps that are too short") {
    const Errors errors = errors_of_fits(
        {.lambda = 0.0, .iterations = 20, .landmarks = 6, .step_offset = 400}, seeds);
    CHECK(errors.measured == Approx(errors.expected).epsilon(scatter));
  }
  SECTION("from zero with shrinkage: a bound that is near while the start outweighs the draws") {
    const Errors errors =
        errors_of_fits({.lambda = 3.0, .iterations = 10, .step_offset = 50}, seeds);
    CHECK(errors.measured <= errors.expected * (1 + scatter));
    CHECK(errors.measured >= errors.expected / 2);
  }
}

TEST_CASE("Spgd: the guarantee of a run from zero, and where there is none", "[solvers][spgd]") {
  constexpr Index n = 40;
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 7);
  const auto bound = [&](const auto& estimator, const SpgdParams& params) {
    const auto solution =
        Spgd(estimator, params).solve(Gaussian{1.5}, x, KernelRequest{.pairs = {.components = 3}});
    return std::get<SpgdDetails>(solution.report.details);
  };
  const RandomFourier features{.features = 4};
  const SpgdDetails details = bound(features, {.lambda = 1.0, .iterations = 20});
  const Index rank = *std::max_element(details.ranks.begin(), details.ranks.end());
  REQUIRE(details.error_bound);
  const double expected =
      guaranteed_error({.largest_norm = n, .lambda = 1, .largest_rank = rank}, 20) / (n * n);
  CHECK(*details.error_bound == Approx(expected));
  CHECK(details.expected_error < *details.error_bound);
  CHECK_FALSE(bound(features, {.lambda = 1.0, .iterations = 1}).error_bound);
  CHECK_FALSE(bound(features, {.lambda = 1.0, .iterations = 5, .step_offset = 3}).error_bound);
  CHECK_FALSE(bound(features, {.lambda = 1.0, .iterations = 5, .landmarks = 5}).error_bound);
  CHECK_FALSE(bound(features, {.lambda = 1.0, .iterations = 5, .max_rank = 5}).error_bound);
  const ColumnSampling columns{.columns = 4};
  CHECK_FALSE(bound(columns, {.lambda = 1.0, .iterations = 5}).error_bound);
}

TEST_CASE("Spgd: the elbow keeps what stands before the fall", "[solvers][spgd]") {
  // Three clusters far from each other: three large eigenvalues, not centred.
  Matrix<double> x = 0.2 * test::uniform_samples<double>(60, 2, 7);
  for (Index i = 0; i < 60; ++i) x(i, 0) += static_cast<double>(i % 3) * 10;
  const Gaussian kernel{2.0};
  const Vector<double> mu = symmetric_eigensystem<double>(gram(kernel, x)).values;
  const auto fit = [&](LambdaRule rule) {
    return Spgd(RandomFourier{.features = 10}, {.lambda_rule = rule, .iterations = 60})
        .solve(kernel, x, KernelRequest{.pairs = {.components = 1}, .centered = false});
  };
  const auto elbow = fit(LambdaRule::Elbow), midpoint = fit(LambdaRule::Midpoint);
  const auto lambda = [](const auto& solution) {
    return std::get<SpgdDetails>(solution.report.details).lambda;
  };
  const double rounding = 1e-12 * mu(0);
  CHECK(std::abs(lambda(elbow) - (mu(2) + mu(3)) / 2) <= rounding);
  CHECK(std::abs(lambda(midpoint) - (mu(0) + mu(1)) / 2) <= rounding);
  CHECK(elbow.eigenvalues.size() == 1);  // no more than asked for
}

TEST_CASE("Spgd: samples near the ends of the range", "[solvers][spgd]") {
  const Matrix<double> x = test::uniform_samples<double>(40, 3, 11);
  const auto fit = [&](double scale, const SpgdParams& params = {.iterations = 20}) {
    const Matrix<double> samples = scale * x;
    return Spgd(RandomMaclaurin{.features = 20}, params)
        .solve(Linear{}, samples, {.pairs = {.components = 2}, .centered = true});
  };
  const auto middle = fit(1);
  REQUIRE(middle.eigenvalues.size() == 2);
  for (const int exponent : {-500, 480}) {  // eigenvalues of 2^-1000, 2^960
    const double scale = std::ldexp(1.0, exponent);
    const auto other = fit(scale);
    REQUIRE(other.eigenvalues.size() == 2);
    const double tolerance = 1e-10;  // rounding, of the logarithm of the radius too
    CHECK((other.eigenvalues / (scale * scale)).isApprox(middle.eigenvalues, tolerance));
    CHECK((other.offset / scale).isApprox(middle.offset, tolerance));
    CHECK(other.report.residuals[0] / (scale * scale) ==
          Approx(middle.report.residuals[0]).epsilon(1e-6));
  }
  CHECK(fit(1e-170).eigenvalues.size() == 0);  // the kernel is zero
  CHECK_THROWS_WITH(fit(1e200), ContainsSubstring("has the value inf for sample 0 with itself"));
  CHECK_THROWS_WITH(fit(1e150, {.lambda = 1.0, .landmarks = 10}),
                    ContainsSubstring("the squares of the kernel's values overflow"));
}

}  // namespace spgd_fit_test
