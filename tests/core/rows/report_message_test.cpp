// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/rows/report_message.hpp>

#include <cstddef>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/testing/thread_processes.hpp>
#include <tests/support/catch.hpp>

namespace report_message_test {

namespace {

using mercer::DcaDetails;
using mercer::Index;
using mercer::NystromDetails;
using mercer::Processes;
using mercer::Report;
using mercer::SolverDetails;
using mercer::SpgdDetails;
using mercer::Status;

/// A report in which every member differs from its default.
Report filled(SolverDetails details) {
  return {.status = Status::Finished,
          .solver = mercer::SolverId::Spgd,
          .solver_form = "form \xc3\xa9",
          .kernel = "gaussian(sigma=1.5)",
          .precision = mercer::Precision::Single,
          .storage = "stored",
          .reason = "asked",
          .samples = 1,
          .dimension = 2,
          .components = 3,
          .components_requested = 4,
          .iterations = 5,
          .kernel_products = 6,
          .residuals = {0.1, 1e-300, 7},
          .residual_rows = 8,
          .eigenvalue_error_bounds = {9, std::numeric_limits<double>::infinity()},
          .trace = 10.1,
          .expansion_points = 11,
          .negative_eigenvalues = 12,
          .most_negative_eigenvalue = -13.3,
          .zero_eigenvalues = 14,
          .fit_seconds = 15.5,
          .bytes = std::size_t{1} << 60U,
          .details = std::move(details),
          .phases = {{.phase = mercer::Phase::Steps, .seconds = 1}}};
}

/// The reports of three processes after agree(), of which the first one had \p report.
std::vector<Report> agreed(const Report& report) {
  std::vector<Report> all(3, filled(NystromDetails{.trace_error = 3}));
  all[0] = report;
  mercer::run_as_processes(3, [&](const Processes& processes) {
    mercer::detail::agree(processes, all[static_cast<std::size_t>(processes.rank())]);
  });
  return all;
}

}  // namespace

TEST_CASE("report message: all members arrive", "[core][rows]") {
  const SpgdDetails spgd{.lambda = 0.5, .ranks = {3, 2, 1}, .expected_error = 2, .error_bound = 4};
  const std::vector<Report> all = agreed(filled(spgd));
  for (const Report& one : all) {
    CHECK(one.status == Status::Finished);
    CHECK(one.solver == mercer::SolverId::Spgd);
    CHECK(one.solver_form == "form \xc3\xa9");
    CHECK(one.kernel == "gaussian(sigma=1.5)");
    CHECK(one.precision == mercer::Precision::Single);
    CHECK(one.storage == "stored");
    CHECK(one.reason == "asked");
    CHECK(one.samples == 1);
    CHECK(one.dimension == 2);
    CHECK(one.components == 3);
    CHECK(one.components_requested == Index{4});
    CHECK(one.iterations == 5);
    CHECK(one.kernel_products == 6);
    CHECK(one.residuals == std::vector<double>{0.1, 1e-300, 7});
    CHECK(one.residual_rows == Index{8});
    CHECK(one.eigenvalue_error_bounds ==
          std::vector<double>{9, std::numeric_limits<double>::infinity()});
    CHECK(one.trace == 10.1);
    CHECK(one.expansion_points == Index{11});
    CHECK(one.negative_eigenvalues == 12);
    CHECK(one.most_negative_eigenvalue == -13.3);
    CHECK(one.zero_eigenvalues == 14);
    CHECK(one.fit_seconds == 15.5);
    CHECK(one.bytes == std::size_t{1} << 60U);
    const auto* const details = std::get_if<SpgdDetails>(&one.details);
    REQUIRE(details != nullptr);
    CHECK(details->lambda == 0.5);
    CHECK(details->ranks == std::vector<Index>{3, 2, 1});
    CHECK(details->expected_error == 2);
    CHECK(details->error_bound == 4.0);
    CHECK(one.phases.size() == 1);
  }
}

TEST_CASE("report message: what is not set stays empty, and details change their kind",
          "[core][rows]") {
  for (const Report& one : agreed(Report{})) {
    CHECK(one.bytes == std::size_t{1} << 60U);  // the most of any process
    CHECK(one.residuals.empty());
    CHECK(one.kernel.empty());
    CHECK_FALSE(one.precision);
    CHECK_FALSE(one.most_negative_eigenvalue);
    CHECK(one.trace != one.trace);
    CHECK(std::holds_alternative<std::monostate>(one.details));
  }
  for (const Report& one : agreed(filled(DcaDetails{.duality_gap = 0.25})))
    CHECK(std::get<DcaDetails>(one.details).duality_gap == 0.25);
}

}  // namespace report_message_test
