// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors
//
// Where the time of a fit goes, for each solver.

#include <mercer/models/kernel_pca.hpp>

#include <algorithm>
#include <set>
#include <vector>

#include <mercer/core/phases.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/losses/huber.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/dual/dca.hpp>
#include <mercer/solvers/hebbian/kernel_hebbian.hpp>
#include <mercer/solvers/krylov/lanczos.hpp>
#include <mercer/solvers/krylov/power_iteration.hpp>
#include <mercer/solvers/spgd/spgd.hpp>
#if defined(MERCER_HAS_LBFGSPP)
#include <mercer/solvers/dual/dual.hpp>
#endif
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace solver_phases_test {

using namespace mercer;

namespace {

constexpr Index n = 900, d = 5, k = 4;
const Gaussian kernel{2.0};

using Phases = std::set<Phase>;

/// Checks the phases of a fit, and returns which there are. What share of the time they take is not
/// checked: where other programs are busy, a short fit can wait at any place.
Phases checked(const std::vector<PhaseCost>& phases, double total) {
  constexpr double rounding = 1e-9;  // sums of the same times in another order
  Phases kinds;
  double sum = 0;
  for (const PhaseCost& cost : phases) {
    CAPTURE(to_string(cost.phase), cost.seconds, total);
    CHECK(kinds.insert(cost.phase).second);
    CHECK(cost.serial_seconds >= 0);
    CHECK(cost.serial_seconds <= cost.seconds);
    sum += cost.seconds;
  }
  CHECK(sum <= total + rounding);
  CHECK(sum > 0);
  return kinds;
}

std::size_t bytes_of(const Report& report, Phase phase) {
  const auto found = std::find_if(report.phases.begin(), report.phases.end(),
                                  [&](const PhaseCost& cost) { return cost.phase == phase; });
  return found == report.phases.end() ? 0 : found->bytes;
}

template <class S>
Report fit(S solver, KernelPcaParams params = {.components = k}) {
  const auto model =
      KernelPca{kernel, std::move(solver), params}.fit(test::uniform_samples<double>(n, d, 1));
  return model.report();
}

/// The phases that each fit to samples in memory has, and those given; no others.
template <class S>
void check_fit(S solver, Phases expected, KernelPcaParams params = {.components = k}) {
  const Report report = fit(std::move(solver), params);
  CAPTURE(describe_solver(report));
  expected.insert({Phase::SamplesPrepared, Phase::Tiles, Phase::Eigenproblems, Phase::Scores});
  const Phases found = checked(report.phases, report.fit_seconds);
  for (const Phase phase : expected) {
    CAPTURE(to_string(phase));
    CHECK(found.count(phase) == 1);
  }
  for (const Phase phase : found) {
    CAPTURE(to_string(phase));
    CHECK(expected.count(phase) == 1);
  }
}

}  // namespace

TEST_CASE("solver phases: a solver has those of its work", "[models][solvers][phases]") {
  constexpr auto products = Phase::Products, steps = Phase::Steps, landmarks = Phase::Landmarks,
                 bases = Phase::Orthogonalisation, residuals = Phase::Certificate;
  SECTION("exact") {
    check_fit(Exact{}, {residuals}, {.components = k, .centered = false});
    check_fit(Exact{}, {products, residuals});  // the row means
  }
  SECTION("block Krylov") {
    check_fit(BlockKrylov{}, {landmarks, products, bases, residuals});
  }
  SECTION("Lanczos") {
    check_fit(Lanczos{}, {products, bases, residuals});
  }
  SECTION("power iteration") {
    check_fit(PowerIteration{{.tolerance = 1e-3}}, {products, bases, steps, residuals});
  }
  SECTION("Nystrom") {
    check_fit(Nystrom{RpCholesky{}, {.landmarks = 100}}, {landmarks, products, residuals});
  }
  SECTION("SPGD") {
    check_fit(Spgd{RandomFourier{.features = 20}, {.iterations = 10}}, {bases, steps, residuals});
  }
  SECTION("kernel Hebbian") {
    check_fit(KernelHebbian{{.epochs = 2}}, {products, steps, residuals});
  }
  SECTION("DCA") {
    check_fit(Dca{Huber<L2>{0.5}, {.tolerance = 1e-3}}, {products, steps});
  }
#if defined(MERCER_HAS_LBFGSPP)
  SECTION("dual") {
    check_fit(Dual{}, {products, bases, steps, residuals});
  }
#endif
}

TEST_CASE("solver phases: of streams", "[models][solvers][phases]") {
  const auto phases_of = [](auto solver) {
    const Report report = fit(std::move(solver));
    CHECK(bytes_of(report, Phase::SamplesRead) >= std::size_t{n * d} * sizeof(double));
    return checked(report.phases, report.fit_seconds);
  };
  CHECK(phases_of(FeaturePca{RandomFourier{.features = 100}}) ==
        Phases{Phase::SamplesRead, Phase::Features, Phase::Products, Phase::Eigenproblems});
  const Phases found =
      phases_of(DoublyStochastic{RandomFourier{.features = 40}, {.blocks = 4, .data_batch = 100}});
  for (const Phase phase : {Phase::SamplesRead, Phase::Features, Phase::Products, Phase::Steps,
                            Phase::Scores, Phase::Certificate})
    CHECK(found.count(phase) == 1);
}

TEST_CASE("solver phases: bytes are those of kernel values", "[models][solvers][phases]") {
  const auto in_double = [](GramStorage storage) {
    return fit(Lanczos{}, {.components = k, .storage = storage, .precision = Precision::Double});
  };
  const std::size_t once = detail::stored_tile_bytes(n, Precision::Double);
  const Report stored = in_double(GramStorage::Stored);
  CHECK(bytes_of(stored, Phase::Tiles) == once);
  // The row means come with the first product, so iterations are all the products there are.
  CHECK(bytes_of(stored, Phase::Products) == static_cast<std::size_t>(stored.iterations) * once);
  const Report recomputed = in_double(GramStorage::Recomputed);
  CHECK(bytes_of(recomputed, Phase::Tiles) == 0);
  CHECK(bytes_of(recomputed, Phase::Products) == bytes_of(stored, Phase::Products));
}

TEST_CASE("solver phases: a clock changes no result", "[models][solvers][phases]") {
  const Matrix<double> x = test::uniform_samples<double>(n, d, 1);
  const KernelRequest request{.pairs = {.components = k},
                              .memory_budget = std::size_t{1} << 30U,
                              .storage = GramStorage::Stored,
                              .precision = Precision::Double};
  const auto solve = [&] {
    return as_kernel_solver(BlockKrylov{}).solve(KernelView<Matrix<double>>(kernel), x, request);
  };
  const auto without = solve();
  CHECK(without.report.phases.empty());
  const detail::FitClock clock;
  const auto with = solve();
  CHECK_FALSE(clock.phases().empty());
  CHECK(with.eigenvalues == without.eigenvalues);
  CHECK(with.coefficients == without.coefficients);
}

TEST_CASE("solver phases: a fit that was stopped has those so far", "[models][solvers][phases]") {
  const auto stop = [](const Progress&) { return false; };
  const auto model = KernelPca{kernel, BlockKrylov{}, {.components = k}}.fit(
      test::uniform_samples<double>(n, d, 1), stop);
  REQUIRE(model.report().status == Status::Cancelled);
  REQUIRE(model.report().phases.size() == 1);
  CHECK(model.report().phases.front().phase == Phase::SamplesPrepared);
}

}  // namespace solver_phases_test
