// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/nystrom/detail/independent_rows.hpp>

#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>

namespace independent_rows_test {

using namespace mercer;

TEST_CASE("independent rows: pivoted Cholesky of more than one panel", "[solvers]") {
  const Index m = 150;  // panels of 64
  Vector<double> spectrum = Vector<double>::LinSpaced(m, 1, 2);
  spectrum.tail(30).setZero();
  const Matrix<double> a = test::with_spectrum<double>(spectrum, 8);
  const auto kept = detail::independent_rows(a, 1e-12);
  REQUIRE(kept.rows.size() == 120);
  CHECK(std::abs(kept.most_negative_pivot) <= 1e-13);
  constexpr double tolerance = 1e-12;  // rounding with a condition number of some hundreds
  CHECK((kept.lower * kept.lower.transpose() - test::block_at(a, kept.rows, kept.rows))
            .cwiseAbs()
            .maxCoeff() <= tolerance);
  for (Index i = 1; i < 120; ++i) CHECK(kept.lower(i, i) <= kept.lower(i - 1, i - 1) + tolerance);
  CHECK((detail::inverse_transpose(kept.lower).transpose() * kept.lower -
         Matrix<double>::Identity(120, 120))
            .cwiseAbs()
            .maxCoeff() <= 1e-10);
}

}  // namespace independent_rows_test
