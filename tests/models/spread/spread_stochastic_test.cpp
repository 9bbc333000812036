// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/spread/spread_stochastic.hpp>

#include <cstddef>
#include <memory>
#include <vector>

#include <mercer/core/observer.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <tests/models/spread/spread_fits.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/row_parts.hpp>

namespace spread_stochastic_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::DoublyStochastic;
using mercer::DoublyStochasticCheckpoint;
using mercer::DoublyStochasticCheckpoints;
using mercer::DoublyStochasticParams;
using mercer::Gaussian;
using mercer::Index;
using mercer::KernelPca;
using mercer::Matrix;
using mercer::Processes;
using mercer::RandomFourier;
using mercer::RowSpace;
using mercer::RowSums;
using mercer::SparseMatrix;
using mercer::SpreadRows;
using mercer::Status;
using mercer::StochasticRule;
using mercer::test::fit_features;
using mercer::test::groups;
using mercer::test::process_counts;
using mercer::test::sentence;

constexpr Index n = 1300, k = 3;

// Rounding in some tens of steps, each of which sums over some hundred rows; components have gaps
// of about a tenth of the eigenvalues.
constexpr double value_tolerance = 1e-11, score_tolerance = 1e-9;

template <class Pca, class X>
void check_fit(const Pca& pca, const X& x) {
  const auto whole = pca.fit(x);
  const auto one = fit_features(pca, x, 1);
  CHECK(one.report.samples == x.rows());
  CHECK(one.report.iterations == whole.report().iterations);
  CHECK(one.values.isApprox(whole.eigenvalues(), value_tolerance));
  CHECK(one.coefficients.isApprox(whole.coefficients(), score_tolerance));
  CHECK(one.report.trace == Approx(whole.report().trace));
  CHECK(one.report.residuals.size() == whole.report().residuals.size());
  for (const Index count : process_counts) {
    const auto found = fit_features(pca, x, count);
    CHECK(found.values == one.values);
    CHECK(found.coefficients == one.coefficients);
    CHECK(found.scores == one.scores);
    CHECK(found.report.residuals == one.report.residuals);
    CHECK(found.report.trace == one.report.trace);
  }
  const auto plain = fit_features(pca, x, 3, RowSums::Plain);
  CHECK(plain.values.isApprox(one.values, value_tolerance));
}

}  // namespace

TEST_CASE("spread stochastic: the model of one process, with the same bits for any number",
          "[models][rows]") {
  for (const bool centered : {true, false}) {
    // Tiles of 256, 256 and 88 rows; steps return to all blocks.
    const DoublyStochastic solver(RandomFourier{.features = 20},
                                  {.blocks = 3, .data_batch = 600, .steps = 20});
    check_fit(KernelPca(Gaussian(2.0), solver, {.components = k, .centered = centered}), groups(n));
  }
}

TEST_CASE("spread stochastic: a last tile of few rows, rows as they come, sparse rows, Gha",
          "[models][rows]") {
  const DoublyStochasticParams params{.rule = StochasticRule::Gha,
                                      .blocks = 2,
                                      .data_batch = 259,
                                      .steps = 12,
                                      .evaluation_rows = 700,
                                      .shuffle = false};
  const KernelPca pca(Gaussian(2.0), DoublyStochastic(RandomFourier{.features = 6}, params),
                      {.components = 2});
  check_fit(pca, SparseMatrix<double>(groups(n).sparseView()));
}

TEST_CASE("spread stochastic: single precision", "[models][rows]") {
  const DoublyStochastic solver(RandomFourier{.features = 20},
                                {.blocks = 2, .data_batch = 300, .steps = 10});
  const KernelPca pca(Gaussian(2.0), solver, {.components = 2});
  const Matrix<float> x = groups(700).cast<float>();
  const auto one = fit_features(pca, x, 1), five = fit_features(pca, x, 5);
  CHECK(one.coefficients == five.coefficients);
  CHECK(one.values.isApprox(pca.fit(x).eigenvalues(), 1e-4F));
}

TEST_CASE("spread stochastic: features kept or evaluated anew, the same bits", "[models][rows]") {
  const Matrix<double> x = groups(700);
  // A process of three evaluates a third of 24 x 300 rows: more than twice each row of the 700.
  const DoublyStochastic solver(RandomFourier{.features = 10},
                                {.blocks = 3, .data_batch = 300, .steps = 24});
  constexpr const char* storage = "features of all samples kept";
  const auto fit_within = [&](std::size_t budget, Index count) {
    const KernelPca pca(Gaussian(2.0), solver, {.components = k, .memory_budget = budget});
    return fit_features(pca, x, count);
  };
  const auto anew = fit_within(1, 3);
  CHECK(anew.report.storage != storage);
  for (const Index count : {1, 3}) {
    const auto kept = fit_within(std::size_t{1} << 26U, count);
    CHECK(kept.report.storage == storage);
    CHECK(kept.values == anew.values);
    CHECK(kept.coefficients == anew.coefficients);
    CHECK(kept.scores == anew.scores);
    CHECK(kept.report.residuals == anew.report.residuals);
  }
}

TEST_CASE("spread stochastic: fewer rows than a batch, equal samples", "[models][rows]") {
  const DoublyStochastic solver(RandomFourier{.features = 20}, {.blocks = 2, .steps = 4});
  const KernelPca pca(Gaussian(1.0), solver, {.components = 2});
  const Matrix<double> few = groups(40);
  const auto found = fit_features(pca, few, 3);
  CHECK(found.values.isApprox(pca.fit(few).eigenvalues(), value_tolerance));
  CHECK_THAT(found.report.reason, ContainsSubstring("a batch keeps 1 of 3 processes busy"));
  CHECK(fit_features(pca, Matrix<double>(Matrix<double>::Ones(600, 2)), 3).values.size() == 0);
}

TEST_CASE("spread stochastic: a fit goes on from a checkpoint on other processes",
          "[models][rows]") {
  const Matrix<double> x = groups(n);
  const DoublyStochasticParams params{.blocks = 2, .data_batch = 600, .steps = 9};
  const RandomFourier map{.features = 20};
  std::vector<DoublyStochasticCheckpoint> kept;
  const DoublyStochasticCheckpoints keep{
      .every = 4, .visit = [&](const DoublyStochasticCheckpoint& c) { kept.push_back(c); }};
  const auto through = fit_features(
      KernelPca(Gaussian(2.0), DoublyStochastic(map, params, keep), {.components = k}), x, 3);
  REQUIRE(kept.size() == 2);  // by process 0 alone
  CHECK(kept[1].run.steps == 8);
  const DoublyStochasticCheckpoints resume{
      .resume = std::make_shared<const DoublyStochasticCheckpoint>(kept[0])};
  for (const Index count : {1, 5}) {
    const auto resumed = fit_features(
        KernelPca(Gaussian(2.0), DoublyStochastic(map, params, resume), {.components = k}), x,
        count);
    CHECK(resumed.coefficients == through.coefficients);
    CHECK(resumed.values == through.values);
  }
  const DoublyStochasticCheckpoints fails{
      .every = 4, .visit = [](const DoublyStochasticCheckpoint&) { mercer::detail::fail("full"); }};
  CHECK(
      sentence([&](const Processes& processes) {
        const RowSpace rows = RowSpace::spread(x.rows(), processes);
        static_cast<void>(mercer::fit_spread(
            KernelPca(Gaussian(2.0), DoublyStochastic(map, params, fails), {.components = k}),
            SpreadRows<Matrix<double>>::from_parts(processes, mercer::test::local_rows(rows, x))));
      }) == "full");
}

TEST_CASE("spread stochastic: what processes must agree on, and an observer that stops all",
          "[models][rows]") {
  const Matrix<double> x = groups(600);
  const auto different = [&](const auto& solver_of) {
    return sentence([&](const Processes& processes) {
      const RowSpace rows = RowSpace::spread(x.rows(), processes);
      static_cast<void>(mercer::fit_spread(
          KernelPca(Gaussian(1.0), solver_of(processes.rank()), {.components = 2}),
          SpreadRows<Matrix<double>>::from_parts(processes, mercer::test::local_rows(rows, x))));
    });
  };
  CHECK_THAT(different([](Index rank) {
               return DoublyStochastic(RandomFourier{}, {.data_batch = 300 + rank});
             }),
             ContainsSubstring("different settings of DoublyStochastic"));
  CHECK_THAT(
      different([](Index rank) { return DoublyStochastic(RandomFourier{.features = 20 + rank}); }),
      ContainsSubstring("different settings of DoublyStochastic"));
  CHECK_THAT(
      sentence([&](const Processes& processes) {
        const RowSpace rows = RowSpace::spread(x.rows(), processes);
        static_cast<void>(mercer::fit_spread(
            KernelPca(Gaussian(1.0), DoublyStochastic(RandomFourier{}), {.components = 0.9}),
            SpreadRows<Matrix<double>>::from_parts(processes, mercer::test::local_rows(rows, x))));
      }),
      ContainsSubstring("needs components as a number"));
  const DoublyStochastic solver(RandomFourier{.features = 20}, {.blocks = 2, .steps = 9});
  Index asked = 0;
  const auto stopped =
      fit_features(KernelPca(Gaussian(1.0), solver, {.components = 2}), x, 2, RowSums::OrderFree,
                   [&](const mercer::Progress&) { return ++asked < 4; });
  CHECK(stopped.report.status == Status::Cancelled);
  CHECK(stopped.report.iterations == 3);
}

TEST_CASE("spread stochastic: streams that every process has", "[models][rows]") {
  mercer::test::check_streams(KernelPca(
      Gaussian(2.0),
      DoublyStochastic(RandomFourier{.features = 40}, {.blocks = 2, .data_batch = 600, .steps = 9}),
      {.components = k}));
}

TEST_CASE("spread stochastic: what an observer throws on one process, all throw",
          "[models][rows]") {
  mercer::test::check_throwing_observer(
      KernelPca(Gaussian(1.0), DoublyStochastic(RandomFourier{.features = 20}), {.components = 2}),
      groups(600));
}

}  // namespace spread_stochastic_test
