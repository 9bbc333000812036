// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/detail/judge_rounding.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <mercer/core/rows/row_space.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/row_parts.hpp>

namespace judge_rounding_test {

using namespace mercer;

namespace {

const RowSpace three = RowSpace::whole(3);

}  // namespace

TEST_CASE("judge rounding: samples that are all the same", "[solvers]") {
  Matrix<double> x = Matrix<double>::Constant(3, 2, 0.1);
  CHECK(detail::all_same(three, x, {}));
  CHECK(detail::all_same(three, SparseMatrix<double>(x.sparseView()), {}));
  x(1, 1) = std::nextafter(0.1, 1.0);
  CHECK_FALSE(detail::all_same(three, x, {}));
  CHECK_FALSE(detail::all_same(three, SparseMatrix<double>(x.sparseView()), {}));
  // Rows without weight do not count, the first one neither.
  CHECK(detail::all_same(three, x, Vector<double>{{1.5, 0, 1.5}}));
  CHECK_FALSE(detail::all_same(three, x, Vector<double>{{0, 1.5, 1.5}}));
  CHECK(detail::all_same(three, x, Vector<double>{{0, 3, 0}}));
  CHECK(detail::all_same(RowSpace::whole(0), Matrix<double>(0, 2), {}));
}

TEST_CASE("judge rounding: samples of several processes, with weights of all", "[solvers][rows]") {
  Matrix<double> x = Matrix<double>::Constant(700, 2, 0.1);
  x.topRows(300).col(0) = Vector<double>::LinSpaced(300, 1, 2);
  const auto same = [&](const Vector<double>& weights) {
    return test::on_processes(3, 700, RowSums::OrderFree, [&](const RowSpace& rows) {
      return detail::all_same(rows, test::local_rows(rows, x), weights) ? 1 : 0;
    });
  };
  Vector<double> weights = Vector<double>::Ones(700);
  CHECK(same({}) == std::vector<int>{0, 0, 0});
  CHECK(same(weights) == std::vector<int>{0, 0, 0});
  weights.head(300).setZero();
  CHECK(same(weights) == std::vector<int>{1, 1, 1});
  weights(299) = 1;
  CHECK(same(weights) == std::vector<int>{0, 0, 0});
}

TEST_CASE("judge rounding: sparse rows with zeros in other places", "[solvers]") {
  Matrix<double> x = Matrix<double>::Zero(2, 3);
  x(0, 0) = x(1, 2) = 1;
  const SparseMatrix<double> sparse = x.sparseView();
  CHECK_FALSE(detail::equal_rows(sparse, 0, sparse, 1));
  CHECK(detail::equal_rows(sparse, 1, sparse, 1));
  SparseMatrix<double> stored = sparse;
  stored.coeffRef(0, 1) = 0;  // an entry that is there, and zero
  CHECK(detail::equal_rows(stored, 0, sparse, 0));
}

TEMPLATE_TEST_CASE("judge rounding: what may be hidden depends on kernel values and mu_1",
                   "[solvers]", MERCER_TEST_SCALARS) {
  using S = TestType;
  const Matrix<S> x = Matrix<S>::Identity(3, 3);
  const double epsilon = double{std::numeric_limits<S>::epsilon()};
  const double largest = 2;
  const auto hides = [&](double noise_scale, double tolerance) {
    const EigenRequest pairs{.components = 3, .noise_scale = noise_scale};
    return detail::may_hide_components(pairs, tolerance, largest, three, x, {});
  };
  // 1024 epsilon, or the tolerance if that is larger.
  for (const double tolerance : {1e-3, 1e-2}) {
    const double limit = tolerance * largest / (detail::noise_ulps * epsilon);
    CHECK(hides(1.01 * limit, tolerance));
    CHECK_FALSE(hides(0.99 * limit, tolerance));
  }
  const double limit = 1024 * largest / detail::noise_ulps;
  CHECK(hides(1.01 * limit, epsilon));
  CHECK_FALSE(hides(0.99 * limit, epsilon));
  // Exact has no tolerance, and takes that of others.
  CHECK(detail::accepted_rounding<double>({}, 0, largest) == 1e-6 * largest);
}

}  // namespace judge_rounding_test
