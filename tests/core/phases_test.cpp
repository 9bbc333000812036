// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/phases.hpp>

#include <chrono>
#include <set>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include <mercer/core/threads.hpp>
#include <tests/support/catch.hpp>

namespace phases_test {

using namespace mercer;
using detail::FitClock;

namespace {

constexpr double spell = 0.002;

/// Works for at least one spell, by the clock.
void work() {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(spell));
  while (Clock::now() < until) {
  }
}

double seconds_of(const std::vector<PhaseCost>& phases) {
  double sum = 0;
  for (const PhaseCost& cost : phases) sum += cost.seconds;
  return sum;
}

/// Sums of the same times in another order.
constexpr double rounding = 1e-9;

}  // namespace

TEST_CASE("phases: names are unique", "[core][phases]") {
  std::set<std::string_view> names;
  const int count = static_cast<int>(Phase::Certificate) + 1;
  for (int i = 0; i < count; ++i) names.insert(to_string(static_cast<Phase>(i)));
  CHECK(names.size() == static_cast<std::size_t>(count));
  CHECK(names.count("unknown") == 0);
}

TEST_CASE("phases: only those that ran, in order, with their bytes", "[core][phases]") {
  const FitClock clock;
  CHECK(clock.phases().empty());
  { const PhaseTimer timer(Phase::Certificate); }
  for (int i = 0; i < 3; ++i) {
    PhaseTimer timer(Phase::Tiles, 100);
    timer.count(20);
    work();
  }
  const std::vector<PhaseCost> phases = clock.phases();
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].phase == Phase::Tiles);
  CHECK(phases[0].bytes == 360);
  CHECK(phases[0].seconds >= 3 * spell - rounding);
  CHECK(phases[0].serial_seconds == phases[0].seconds);
  CHECK(phases[1].phase == Phase::Certificate);
  CHECK(phases[1].bytes == 0);
  CHECK(phases[1].seconds >= 0);
}

TEST_CASE("phases: a phase within another is not counted twice", "[core][phases]") {
  const FitClock clock;
  {
    const PhaseTimer outer(Phase::Steps);
    work();
    for (const Phase phase : {Phase::Products, Phase::Steps}) {
      const PhaseTimer inner(phase);
      work();
    }
    work();
  }
  const std::vector<PhaseCost> phases = clock.phases();
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].seconds >= spell - rounding);
  CHECK(phases[1].seconds >= 3 * spell - rounding);
  CHECK(seconds_of(phases) <= clock.seconds() + rounding);
}

TEST_CASE("phases: time between phases belongs to none", "[core][phases]") {
  const FitClock clock;
  work();
  { const PhaseTimer timer(Phase::Scores); }
  work();
  CHECK(seconds_of(clock.phases()) <= clock.seconds() - 2 * spell + rounding);
}

TEST_CASE("phases: a fit within a fit counts for both", "[core][phases]") {
  const FitClock outer;
  std::vector<PhaseCost> within;
  {
    const PhaseTimer timer(Phase::Landmarks);
    work();
    const FitClock inner;
    {
      const PhaseTimer products(Phase::Products, 7);
      work();
    }
    work();  // in no phase of the inner fit, so in the one of the outer
    within = inner.phases();
  }
  REQUIRE(within.size() == 1);
  CHECK(within[0].phase == Phase::Products);
  const std::vector<PhaseCost> phases = outer.phases();
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].seconds >= 2 * spell - rounding);
  CHECK(phases[1].seconds == within[0].seconds);
  CHECK(phases[1].bytes == 7);
  CHECK(seconds_of(phases) <= outer.seconds() + rounding);
}

TEST_CASE("phases: an exception ends its phases", "[core][phases]") {
  const FitClock clock;
  const auto fail = [] {
    const FitClock inner;
    const PhaseTimer timer(Phase::Tiles);
    throw std::runtime_error("no");
  };
  CHECK_THROWS(fail());
  CHECK_THROWS(parallel_for(4, [](Index) { throw std::runtime_error("no"); }));
  {
    const PhaseTimer timer(Phase::Products);
    work();
  }
  const std::vector<PhaseCost> phases = clock.phases();
  REQUIRE(phases.size() == 2);
  CHECK(phases[1].phase == Phase::Products);
  CHECK(phases[1].seconds >= spell - rounding);
}

TEST_CASE("phases: only of the thread that made the clock", "[core][phases]") {
  const FitClock clock;
  std::thread other([] { const PhaseTimer timer(Phase::Tiles); });
  other.join();
  CHECK(clock.phases().empty());
}

TEST_CASE("phases: tasks of a parallel loop have none", "[core][phases]") {
  const FitClock clock;
  {
    const PhaseTimer timer(Phase::Products);
    parallel_for(8, [](Index) { const PhaseTimer task(Phase::Tiles, 1); });
  }
  const std::vector<PhaseCost> phases = clock.phases();
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].phase == Phase::Products);
}

TEST_CASE("phases: what more cores do not shorten", "[core][phases][threads]") {
  const int before = thread_count();
  set_thread_count(2);
  const bool parallel = thread_count() == 2;  // with OpenMP
  const FitClock clock;
  const auto measure = [&](Phase phase, Index tasks) {
    const PhaseTimer timer(phase);
    work();
    parallel_for(tasks, [](Index) { work(); });
  };
  measure(Phase::Products, 4);
  measure(Phase::Tiles, 1);  // one task runs on one thread
  set_thread_count(1);
  measure(Phase::Scores, 4);
  set_thread_count(before);
  const std::vector<PhaseCost> phases = clock.phases();
  REQUIRE(phases.size() == 3);
  CHECK(phases[0].serial_seconds == phases[0].seconds);
  CHECK(phases[1].serial_seconds >= spell - rounding);
  if (parallel) CHECK(phases[1].serial_seconds <= phases[1].seconds - 2 * spell + rounding);
  CHECK(phases[2].serial_seconds == phases[2].seconds);
}

}  // namespace phases_test
