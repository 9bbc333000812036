// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/eigenpairs.hpp>

#include <limits>

#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/krylov/power_iteration.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace eigenpairs_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(GramSolver<Exact>);
static_assert(GramSolver<PowerIteration>);
static_assert(!GramSolver<int>);

namespace {

struct SolveNotConst {
  template <SymmetricOperator A>
  EigenSolution<typename A::Scalar> solve(const A&, const EigenRequest&, const Observer&);
};
static_assert(!GramSolver<SolveNotConst>);

Vector<double> values(std::initializer_list<double> list) {
  Vector<double> out(static_cast<Index>(list.size()));
  std::copy(list.begin(), list.end(), out.data());
  return out;
}

Report report_with_trace(double trace) {
  Report report;
  report.trace = trace;
  return report;
}

}  // namespace

TEST_CASE("eigenpairs: components as a number or a fraction", "[solvers]") {
  CHECK_FALSE(Components(20).is_fraction());
  CHECK(Components(20).count() == 20);
  CHECK(Components(0.95).is_fraction());
  CHECK(Components(0.95F).fraction() == Approx(0.95));
  CHECK_NOTHROW(Components(10).validate(10));
  CHECK_NOTHROW(Components(1.0).validate(10));
  for (const auto& [components, text] :
       {std::pair{Components(11), "11"},
        {Components(0), "got 0"},
        {Components(-3), "-3"},
        {Components(0.0), "got 0"},
        {Components(1.5), "1.5"},
        {Components(std::numeric_limits<double>::quiet_NaN()), "nan"}})
    CHECK_THAT(test::error_of([&, c = components] {
                 c.validate(10);
                 return 0;
               }),
               ContainsSubstring(text));
}

TEST_CASE("eigenpairs: selection by number", "[solvers]") {
  Report report = report_with_trace(6);
  CHECK(detail::select_components(values({3, 2, 1, 1e-14, -1e-14}), 5, {.components = 2}, report) ==
        2);
  CHECK(report.zero_eigenvalues == 0);
  CHECK(report.components == 2);
  CHECK(report.components_requested == 2);

  report = report_with_trace(6);
  CHECK(detail::select_components(values({3, 2, 1, 1e-14, -1e-14}), 5, {.components = 5}, report) ==
        3);
  CHECK(report.zero_eigenvalues == 2);
  CHECK(report.negative_eigenvalues == 0);
}

TEST_CASE("eigenpairs: selection by fraction of the trace", "[solvers]") {
  for (const auto& [fraction, expected] : {std::pair{0.5, 1}, {0.51, 2}, {5.0 / 6, 2}, {1.0, 3}}) {
    Report report = report_with_trace(6);
    CHECK(detail::select_components(values({3, 2, 1, 0}), 4, {.components = fraction}, report) ==
          expected);
    CHECK_FALSE(report.components_requested);
  }
}

TEST_CASE("eigenpairs: negative eigenvalues are dropped and reported", "[solvers]") {
  Report report = report_with_trace(1);
  CHECK(detail::select_components(values({3, 1, -1, -2}), 4, {.components = 4}, report) == 2);
  CHECK(report.negative_eigenvalues == 2);
  CHECK(report.most_negative_eigenvalue == -2);
}

TEST_CASE("eigenpairs: nothing but rounding errors", "[solvers]") {
  Report report = report_with_trace(0);
  CHECK(detail::select_components(values({0, 0}), 2, {.components = 1}, report) == 0);
  // Constant data with k = 1000: errors of the centring in proportion to the sum of |K_ii|.
  report = report_with_trace(1e-13);
  CHECK(detail::select_components(values({1e-13, 0}), 2, {.components = 1, .noise_scale = 2000},
                                  report) == 0);
  report = report_with_trace(0);
  CHECK(detail::select_components(Vector<double>(0), 0, {.components = 1}, report) == 0);
}

TEST_CASE("eigenpairs: the zero threshold is relative and can be set", "[solvers]") {
  for (const double scale : {1e-200, 1.0, 1e200}) {
    Report report;
    CHECK(detail::select_components<double>(scale * values({1, 1e-10}), 2, {.components = 2},
                                            report) == 2);
    CHECK(detail::select_components<double>(scale * values({1, 1e-10}), 2,
                                            {.components = 2, .zero_threshold = 1e-9},
                                            report) == 1);
  }
}

TEST_CASE("eigenpairs: the sign rule", "[solvers]") {
  Matrix<double> u(3, 3);
  u << 0.1, -0.5, 0.5,  //
      -0.9, 0.5, -0.5,  //
      0.2, 0.1, 0.1;
  detail::fix_signs(u);
  CHECK(u(1, 0) == 0.9);
  // Among entries of the same size the first one is made positive.
  CHECK(u(0, 1) == 0.5);
  CHECK(u(0, 2) == 0.5);
  u.setZero();
  detail::fix_signs(u);
  CHECK(u.isZero());
}

}  // namespace eigenpairs_test
