// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/auto.hpp>

#include <limits>
#include <string>
#include <variant>

#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace auto_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::size_t gibibyte = std::size_t{1} << 30U;

/// A choice taken apart.
struct Picked {
  std::string solver;
  std::string reason;
  double tolerance = 0;
  Index landmarks = 0;
  std::uint64_t seed = 0;
};

Picked choose(const Problem& problem, const Auto& rule = {}) {
  const Choice choice = rule.choose(problem);
  Picked picked{.solver = "exact", .reason = choice.reason};
  if (const auto* krylov = std::get_if<BlockKrylov>(&choice.solver)) {
    picked.solver = "block krylov";
    picked.tolerance = krylov->tolerance();
    picked.seed = krylov->params().seed;
  } else if (const auto* nystrom = std::get_if<Nystrom<>>(&choice.solver)) {
    picked.solver = "nystrom";
    picked.landmarks = nystrom->params().landmarks;
    picked.seed = nystrom->params().seed;
  }
  return picked;
}

}  // namespace

TEST_CASE("auto: exact where all eigenvalues are cheap", "[solvers]") {
  const Problem small{.samples = 500, .components = 2, .memory_budget = gibibyte};
  CHECK(choose(small).solver == "exact");
  CHECK_THAT(choose(small).reason, ContainsSubstring("n = 500 is small"));
  CHECK(choose({.samples = 501, .components = 2, .memory_budget = gibibyte}).solver ==
        "block krylov");
  const Problem many{.samples = 2000, .components = 201, .memory_budget = gibibyte};
  CHECK(choose(many).solver == "exact");
  CHECK_THAT(choose(many).reason, ContainsSubstring("k is a large part"));
  CHECK(choose({.samples = 2000, .components = 200, .memory_budget = gibibyte}).solver ==
        "block krylov");
}

TEST_CASE("auto: a fraction of variance", "[solvers]") {
  const Problem some{.samples = 3000, .components = 0.9, .memory_budget = gibibyte};
  CHECK(choose(some).solver == "exact");
  CHECK_THAT(choose(some).reason, ContainsSubstring("allows all eigenvalues"));
  CHECK(choose({.samples = 3001, .components = 0.9, .memory_budget = gibibyte}).solver ==
        "block krylov");
  CHECK(choose({.samples = 300000, .components = 0.9, .memory_budget = gibibyte}).landmarks ==
        1000);
}

TEST_CASE("auto: exact only within the memory budget", "[solvers]") {
  Problem problem{.samples = 400, .components = 2, .memory_budget = 2 * 400 * 400 * 8};
  CHECK(choose(problem).solver == "exact");
  --problem.memory_budget;
  CHECK(choose(problem).solver == "block krylov");
  CHECK_THAT(choose(problem).reason, ContainsSubstring("n = 400"));
  problem.value_bytes = 4;
  CHECK(choose(problem).solver == "exact");
}

TEST_CASE("auto: landmarks where a pass over the Gram matrix takes minutes", "[solvers]") {
  Problem problem{.samples = 250000, .components = 20, .memory_budget = 100 * gibibyte};
  CHECK(choose(problem).solver == "block krylov");
  problem.samples = 250001;
  CHECK(choose(problem).solver == "nystrom");
  CHECK(choose(problem).landmarks == 1000);
  CHECK_THAT(choose(problem).reason, ContainsSubstring("n = 250001"));
  problem.components = 100;
  CHECK(choose(problem).landmarks == 2000);
  problem.precomputed = true;
  CHECK(choose(problem).solver == "block krylov");
}

TEST_CASE("auto: tolerance and seed are passed on", "[solvers]") {
  const Auto rule{{.tolerance = 1e-3, .seed = 7}};
  const Picked krylov = choose({.samples = 5000, .components = 2, .memory_budget = gibibyte}, rule);
  CHECK(krylov.tolerance == 1e-3);
  CHECK(krylov.seed == 7);
  CHECK(choose({.samples = 500000, .components = 2, .memory_budget = gibibyte}, rule).seed == 7);
  CHECK(Auto{}.tolerance() == 1e-6);
}

TEST_CASE("auto: landmarks whose residuals exceed the tolerance have not converged", "[solvers]") {
  const Auto rule{{.tolerance = 0.5}};
  const Vector<double> values = Vector<double>::Constant(1, 4);
  const auto judged = [&](SolverId solver, Status before, double residual) {
    Report report;
    report.status = before;
    report.solver = solver;
    report.residuals = {residual};
    rule.judge(values, report);
    return report.status;
  };
  CHECK(judged(SolverId::Nystrom, Status::Converged, 2) == Status::Converged);
  CHECK(judged(SolverId::Nystrom, Status::Converged, 2.1) == Status::NotConverged);
  CHECK(judged(SolverId::Nystrom, Status::Cancelled, 2.1) == Status::Cancelled);
  CHECK(judged(SolverId::BlockKrylov, Status::Converged, 2.1) == Status::Converged);
}

TEST_CASE("auto: models KernelSolver; the tolerance is checked", "[solvers]") {
  STATIC_REQUIRE(KernelSolver<Auto>);
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()})
    CHECK_THAT(test::error_of([&] { return Auto({.tolerance = bad}); }),
               ContainsSubstring("Auto: tolerance"));
}

}  // namespace auto_test
