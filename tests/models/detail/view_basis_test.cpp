// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/detail/view_basis.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/detail/basis_scores.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/models/kernel_sir.hpp>
#include <mercer/models/latent/latent_mixture.hpp>
#include <mercer/models/multiview_cca.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <mercer/solvers/on_gram.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace view_basis_test {

using namespace mercer;

namespace {

/// Exact, which notes the memory budget of each request.
struct Noting {
  std::shared_ptr<std::vector<std::size_t>> budgets;

  template <OwnedSamples X>
  [[nodiscard]] KernelSolution<X> solve(const std::type_identity_t<KernelView<X>>& kernel,
                                        const X& samples, const KernelRequest& request,
                                        const Observer& observer = {}) const {
    budgets->push_back(request.memory_budget);
    return OnGram(Exact{}).solve(kernel, samples, request, observer);
  }
};
static_assert(KernelSolver<Noting>);

}  // namespace

TEST_CASE("view_basis: views share one memory budget", "[models]") {
  constexpr Index n = 50;
  constexpr std::size_t budget = 100000;
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 1),
                       y = test::uniform_samples<double>(n, 2, 2),
                       z = test::uniform_samples<double>(n, 2, 3);
  const Noting noting{std::make_shared<std::vector<std::size_t>>()};
  // Linear kernels: bases of rank 3 and 2, of which scores and coefficients are kept.
  const std::size_t of_x = std::size_t{2} * n * 3 * sizeof(double),
                    of_y = std::size_t{2} * n * 2 * sizeof(double);
  const KernelCca cca{Linear{}, Linear{}, noting, {.components = 1, .memory_budget = budget}};
  CHECK(cca.fit(x, y).components() == 1);
  CHECK(*noting.budgets == std::vector<std::size_t>{budget, budget - of_x});

  noting.budgets->clear();
  const MultiviewCca views{
      std::tuple{Linear{}, Linear{}, Linear{}}, noting, {.components = 1, .memory_budget = budget}};
  CHECK(views.fit(x, y, z).components() == 1);
  CHECK(*noting.budgets == std::vector<std::size_t>{budget, budget - of_x, budget - of_x - of_y});

  // A budget that the first view takes up is not the default one, which 0 would mean.
  noting.budgets->clear();
  const KernelCca small{Linear{}, Linear{}, noting, {.components = 1, .memory_budget = of_x}};
  static_cast<void>(small.fit(x, y));
  CHECK(*noting.budgets == std::vector<std::size_t>{of_x, 1});
}

// Rows in more than one group of those that are evaluated at one time.
TEST_CASE("view_basis: scores beyond the budget are evaluated anew", "[models][law]") {
  using S = double;
  constexpr Index n = detail::score_group + 300, m = 20, k = 3;
  const Matrix<S> x = test::uniform_samples<S>(n, 3, 4), noise = test::uniform_samples<S>(n, 3, 5);
  const Matrix<S> y = x + S(.3) * noise, z = x - S(.3) * noise;
  const bool centered = GENERATE(true, false);
  const auto distance = [](const auto& a, const auto& b) {
    return static_cast<double>((a - b).cwiseAbs().maxCoeff());
  };
  // Rounding of functions of order 1, whose kernel values have weights of up to 1e3.
  const double tolerance = 1e5 * std::numeric_limits<S>::epsilon();
  // The first budget holds the scores of both views, the second one of neither.
  const auto check = [&](const auto& solver) {
    const auto fit = [&](std::size_t budget) {
      return KernelCca{
          Gaussian{.5},
          Gaussian{.7},
          solver,
          {.components = k, .regularization = 1e-3, .centered = centered, .memory_budget = budget}}
          .fit(x, y);
    };
    const auto held = fit(std::size_t{1} << 30U), anew = fit(n * (m - 1) * sizeof(S));
    REQUIRE(held.components() == k);
    REQUIRE(anew.components() == k);
    CHECK(anew.report().bytes < held.report().bytes);
    CHECK(distance(held.correlations(), anew.correlations()) <= tolerance);
    CHECK(distance(held.transform_x(x), anew.transform_x(x)) <= tolerance);
    CHECK(distance(held.transform_y(y), anew.transform_y(y)) <= tolerance);
    for (std::size_t i = 0; i < k; ++i)
      CHECK(std::abs(held.report().training_correlations[i] -
                     anew.report().training_correlations[i]) <= tolerance);
  };
  const Nystrom nystrom{Uniform{}, {.landmarks = m}};
  check(nystrom);
  check(FeaturePca{RandomFourier{.features = m / 2}});

  const auto regress = [&](std::size_t budget) {
    return KernelSir{
        Gaussian{.5}, nystrom, {.components = 2, .regularization = 1e-3, .memory_budget = budget}}
        .fit(x, y.col(0).eval());
  };
  CHECK(distance(regress(std::size_t{1} << 30U).transform(x), regress(1).transform(x)) <=
        tolerance);

  const auto mix = [&](std::size_t budget) {
    return LatentMixture{Gaussian{.3}, nystrom, {.components = 2, .memory_budget = budget}}.fit(
        x, y, z);
  };
  const auto held = mix(std::size_t{1} << 30U), anew = mix(1);
  CHECK(distance(held.singular_values(), anew.singular_values()) <= tolerance);
  CHECK(anew.report().bytes < held.report().bytes);
}

}  // namespace view_basis_test
