// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/runtime/response_solvers.hpp>

#include <string>

#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_sir.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace response_solvers_test {

using namespace mercer;

TEST_CASE("runtime: each solver for a response finds what it finds by type", "[runtime]") {
  const Matrix<double> x = test::uniform_samples<double>(60, 3, 5);
  const Vector<double> y = x.col(0).array().sin() + x.col(1).array();
  const KernelSirParams params{.components = 2, .regularization = 0.01};
  const auto expected = KernelSir{Gaussian{1}, RidgeCholesky{}, params}.fit(x, y);
  for (const ResponseSolverEntry& entry : response_solver_table()) {
    CAPTURE(entry.name);
    const auto solver = make_response_solver(entry.name);
    const auto model = KernelSir{Gaussian{1}, solver, params}.fit(x, y);
    CHECK(model.eigenvalues() == expected.eigenvalues());
    CHECK(model.transform(x) == expected.transform(x));
    CHECK(entry.name == to_string(model.report().views[0].basis.solver));
    for (const std::string& alias : entry.aliases)
      CHECK(find_entry(response_solver_table(), alias) == &entry);
  }
}

TEST_CASE("runtime: a solver for a response that is not known is refused", "[runtime]") {
  CHECK(test::error_of([] { return make_response_solver("exact"); }) ==
        "mercer: unknown solver for a response 'exact'; known: ridge-cholesky");
  CHECK(test::error_of([] {
          return make_response_solver("ridge-cholesky", {{"tolerance", 1}});
        }) == "ridge-cholesky: tolerance is not known; there are no parameters");
}

}  // namespace response_solvers_test
