// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/report.hpp>

#include <cmath>
#include <set>
#include <string_view>
#include <variant>

#include <tests/support/catch.hpp>

namespace report_test {

using namespace mercer;

TEST_CASE("report: before there is evidence, nothing is claimed", "[core]") {
  const Report report;
  CHECK(report.status == Status::NotConverged);
  CHECK(report.solver == SolverId::Other);
  CHECK(std::isnan(report.trace));
  CHECK_FALSE(report.precision);
  CHECK_FALSE(report.components_requested);
  CHECK_FALSE(report.residual_rows);
  CHECK_FALSE(report.expansion_points);
  CHECK_FALSE(report.most_negative_eigenvalue);
  CHECK(std::holds_alternative<std::monostate>(report.details));
}

TEST_CASE("report: the names of outcomes", "[core]") {
  CHECK(to_string(Status::Converged) == "converged");
  CHECK(to_string(Status::NotConverged) == "not converged");
  CHECK(to_string(Status::Cancelled) == "cancelled");
  CHECK(to_string(Status::Finished) == "finished");
}

TEST_CASE("report: the names of solvers", "[core]") {
  CHECK(to_string(SolverId::Other) == "other");
  CHECK(to_string(SolverId::Exact) == "exact");
  CHECK(to_string(SolverId::Lanczos) == "lanczos");
  CHECK(to_string(SolverId::BlockKrylov) == "block-krylov");
  CHECK(to_string(SolverId::PowerIteration) == "power-iteration");
  CHECK(to_string(SolverId::Nystrom) == "nystrom");
  CHECK(to_string(SolverId::Spgd) == "spgd");
  CHECK(to_string(SolverId::KernelHebbian) == "kernel-hebbian");
  CHECK(to_string(SolverId::FeaturePca) == "feature-pca");
  CHECK(to_string(SolverId::DoublyStochastic) == "doubly-stochastic");
  CHECK(to_string(SolverId::Dual) == "dual");
  CHECK(to_string(SolverId::Dca) == "dca");
  CHECK(to_string(SolverId::CrossIteration) == "cross-iteration");
  CHECK(to_string(SolverId::RidgeCholesky) == "ridge-cholesky");
  CHECK(to_string(SolverId::OnlineHebbian) == "online-hebbian");
  CHECK(to_string(SolverId::SparseLikelihood) == "sparse-likelihood");
  CHECK(to_string(SolverId::KernelOja) == "kernel-oja");
  std::set<std::string_view> names;
  for (int id = 0; id <= static_cast<int>(SolverId::KernelOja); ++id)
    names.insert(to_string(static_cast<SolverId>(id)));
  CHECK(names.size() == 17);
}

TEST_CASE("report: the solver in words", "[core]") {
  Report report;
  report.solver = SolverId::BlockKrylov;
  CHECK(describe_solver(report) == "block-krylov");
  report.solver = SolverId::Lanczos;
  report.solver_form = "dense";
  CHECK(describe_solver(report) == "lanczos (dense)");
  report.solver = SolverId::Other;
  report.solver_form = "subspace iteration";
  CHECK(describe_solver(report) == "other (subspace iteration)");
}

}  // namespace report_test
