// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/pair_model.hpp>

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/models/kernel_functions.hpp>
#include <mercer/models/pair_report.hpp>
#include <tests/support/catch.hpp>

namespace pair_model_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

/// x -> x W - offset, as an expansion over the unit vectors.
auto linear(const Matrix<double>& w, const Vector<double>& offset) {
  const auto unit =
      std::make_shared<const Matrix<double>>(Matrix<double>::Identity(w.rows(), w.rows()));
  return KernelFunctions(Linear{}, unit, w, offset);
}

}  // namespace

TEST_CASE("pair_model: correlations of pairs, by hand", "[models]") {
  Matrix<double> w(2, 3);
  w << 1, 0, 0,  //
      0, 1, 0;
  const Vector<double> zero = Vector<double>::Zero(3);
  PairReport report;
  report.method = "by hand";
  const PairModel model(linear(w, zero), linear(Matrix<double>::Identity(3, 3), zero),
                        Vector<double>{{3, 2, 1}}, report);
  CHECK(model.components() == 3);
  CHECK(model.report().method == "by hand");
  Matrix<double> x(4, 2), y(4, 3);
  x << 1, 1, 2, 1, 3, 2, 4, 2;
  y << 2, 4, 5, 4, 3, 6, 6, 2, 7, 8, 1, 8;
  const std::vector<double> rho = model.correlations(x, y);
  REQUIRE(rho.size() == 3);
  CHECK(rho[0] == Approx(1).epsilon(1e-14));     // y = 2 x
  CHECK(rho[1] == Approx(-2 / std::sqrt(5.0)));  // with its sign
  CHECK(rho[2] == 0);                            // one of them is constant
  CHECK(model.transform_x(x).leftCols(2) == x);
  CHECK(model.transform_y(y) == y);
  // An offset or a positive factor changes nothing.
  const PairModel moved(linear(7 * w, Vector<double>{{1, 2, 3}}),
                        linear(Matrix<double>::Identity(3, 3), zero), Vector<double>{{3, 2, 1}},
                        report);
  const std::vector<double> again = moved.correlations(x, y);
  for (std::size_t j = 0; j < 3; ++j) CHECK(again[j] == Approx(rho[j]).margin(1e-14));
}

TEST_CASE("pair_model: what does not fit is refused", "[models]") {
  const auto two = [] { return linear(Matrix<double>::Identity(2, 2), Vector<double>::Zero(2)); };
  const auto error = [&](const Vector<double>& values) {
    return test::error_of(
        [&] { return PairModel(two(), two(), values, PairReport{}).components(); });
  };
  CHECK(error(Vector<double>{{2, 1}}) == "no error");
  CHECK_THAT(error(Vector<double>{{1}}), ContainsSubstring("1 values do not fit 2 functions"));
  const PairModel model(two(), two(), Vector<double>{{2, 1}}, PairReport{});
  CHECK_THAT(test::error_of(
                 [&] { return model.correlations(Matrix<double>(3, 2), Matrix<double>(4, 2)); }),
             ContainsSubstring("the first view has 3 rows and the second 4"));
}

TEST_CASE("pair_report: what a fit has not said yet", "[models]") {
  const PairReport report;
  CHECK(report.status == Status::NotConverged);  // a fit must earn a better one
  CHECK(report.views.empty());
  CHECK_FALSE(report.truncation_bound);
  CHECK_FALSE(report.stochastic);
  const ViewReport view;
  CHECK_FALSE(view.kappa);
  CHECK_FALSE(view.trace_error);
}

}  // namespace pair_model_test
