// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/spgd/detail/spgd_fit.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/estimators/column_sampling.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_maclaurin.hpp>
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

TEMPLATE_TEST_CASE("Spgd: checkpoints show the iterates, without lambda added back",
                   "[solvers][spgd]", float, double) {
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
