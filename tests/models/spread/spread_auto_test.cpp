// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/spread/spread_auto.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/auto.hpp>
#include <tests/models/spread/spread_fits.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/row_parts.hpp>

namespace spread_auto_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::Auto;
using mercer::BlockKrylov;
using mercer::Gaussian;
using mercer::Index;
using mercer::KernelPca;
using mercer::Matrix;
using mercer::Processes;
using mercer::SolverId;
using mercer::Status;
using mercer::test::fit;
using mercer::test::Found;
using mercer::test::groups;
using mercer::test::part;
using mercer::test::sentence;
using mercer::test::some_process_counts;

}  // namespace

TEST_CASE("spread Auto: the solver of the rule, with the same bits for any processes",
          "[models][rows]") {
  const Auto rule({.tolerance = 1e-4, .seed = 3});
  for (const Index n : {400, 900}) {
    const Matrix<double> x = groups(n), q = x.topRows(10);
    const KernelPca pca(Gaussian(2.0), rule, {.components = 4});
    const bool exact = n <= 500;
    const Found named =
        exact ? fit(KernelPca(Gaussian(2.0), mercer::Exact{}, {.components = 4}), x, q, 1)
              : fit(KernelPca(Gaussian(2.0), BlockKrylov({.tolerance = 1e-4, .seed = 3}),
                              {.components = 4}),
                    x, q, 1);
    for (const Index count : some_process_counts) {
      const Found found = fit(pca, x, q, count);
      CHECK(found.report.solver == (exact ? SolverId::Exact : SolverId::BlockKrylov));
      CHECK(found.values == named.values);
      CHECK(found.scores == named.scores);
      CHECK(found.new_scores == named.new_scores);
      CHECK_THAT(found.report.reason,
                 ContainsSubstring(exact ? "n = 400 is small; rows over"
                                         : "n = 900 is too large for all eigenvalues; rows over"));
    }
  }
}

TEST_CASE("spread Auto: Exact only if all samples and the matrix fit", "[models][rows]") {
  const Matrix<double> x = groups(400);
  const auto solver = [&](std::size_t budget) {
    std::vector<SolverId> solvers(3);
    mercer::run_as_processes(3, [&](const Processes& processes) {
      // The least budget counts.
      const std::size_t own = processes.rank() == 2 ? budget : std::size_t{1} << 30U;
      const KernelPca pca(Gaussian(1.0), Auto{}, {.memory_budget = own});
      solvers[static_cast<std::size_t>(processes.rank())] =
          mercer::fit_spread(pca, part(processes, x)).report().solver;
    });
    CHECK(solvers[1] == solvers[0]);
    CHECK(solvers[2] == solvers[0]);
    return solvers[0];
  };
  std::size_t needed = 0;
  mercer::run_as_processes(1, [&](const Processes& processes) {
    // For Exact on one process, Auto wants room for two matrices.
    needed = (std::max)(mercer::detail::gathered_bytes(part(processes, x), 2),
                        std::size_t{2 * 400 * 400} * sizeof(double));
  });
  CHECK(solver(needed) == SolverId::Exact);
  CHECK(solver(needed - 1) == SolverId::BlockKrylov);
}

TEST_CASE("spread Auto: landmarks for many samples", "[models][rows][slow]") {
  // Five different samples need five landmarks, so that this takes seconds.
  const Index n = 250001;
  Matrix<double> x(n, 1);
  for (Index i = 0; i < n; ++i) x(i, 0) = static_cast<double>(i % 5 * (i % 5));
  const KernelPca pca(Gaussian(3.0), Auto{}, {.components = 3});
  const Found one = fit(pca, x, Matrix<double>(x.topRows(5)), 1);
  CHECK(one.report.solver == SolverId::Nystrom);
  CHECK(one.report.expansion_points == Index{5});
  CHECK(one.report.status == Status::Converged);
  CHECK_THAT(one.report.reason, ContainsSubstring("would take minutes; rows over"));
  const Found three = fit(pca, x, Matrix<double>(x.topRows(5)), 3);
  CHECK(three.values == one.values);
  CHECK(three.scores == one.scores);
}

TEST_CASE("spread Auto: processes must have the same settings", "[models][rows]") {
  const Matrix<double> x = groups(600);
  CHECK_THAT(
      sentence([&](const Processes& processes) {
        const Auto rule({.tolerance = processes.rank() == 1 ? 1e-3 : 1e-6});
        static_cast<void>(mercer::fit_spread(KernelPca(Gaussian(1.0), rule), part(processes, x)));
      }),
      ContainsSubstring("different settings of Auto"));
}

}  // namespace spread_auto_test
