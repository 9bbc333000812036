// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/nystrom/detail/independent_rows.hpp>

#include <algorithm>
#include <optional>

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

TEST_CASE("independent rows: pivots from several tiles, on any number of threads", "[solvers]") {
  const Index m = 600;
  for (const bool pivoting : {true, false}) {
    // In the order given, a row that depends on the others is found by its rounding error alone.
    const Index rank = pivoting ? 500 : m;
    Vector<double> spectrum = Vector<double>::LinSpaced(m, 3, 1);
    spectrum.tail(m - rank).setZero();
    const Matrix<double> a = test::with_spectrum<double>(spectrum, 5);
    std::optional<detail::IndependentRows<double>> one;
    for (const int threads : {1, 3}) {
      const int before = thread_count();
      set_thread_count(threads);
      const auto kept = detail::independent_rows(a, 1e-10, pivoting);
      set_thread_count(before);
      REQUIRE(static_cast<Index>(kept.rows.size()) == rank);
      CHECK((kept.lower * kept.lower.transpose() - test::block_at(a, kept.rows, kept.rows))
                .cwiseAbs()
                .maxCoeff() <= 1e-12);
      CHECK(pivoting != std::is_sorted(kept.rows.begin(), kept.rows.end()));
      if (!one) one = kept;
      CHECK(kept.rows == one->rows);
      CHECK(kept.lower == one->lower);
    }
  }
}

TEST_CASE("independent rows: ranks at the edges of a panel", "[solvers]") {
  for (const Index m : {1, 63, 64, 65, 129})
    for (const Index rank : {0, 1, 63, 64, 65, 128}) {
      if (rank > m) continue;
      Vector<double> spectrum = Vector<double>::LinSpaced(m, 2, 1);
      spectrum.tail(m - rank).setZero();
      const Matrix<double> a = test::with_spectrum<double>(spectrum, 3);
      const auto kept = detail::independent_rows(a, 1e-11);
      INFO(m << " rows, rank " << rank);
      REQUIRE(static_cast<Index>(kept.rows.size()) == rank);
      if (rank == 0) continue;
      CHECK((kept.lower * kept.lower.transpose() - test::block_at(a, kept.rows, kept.rows))
                .cwiseAbs()
                .maxCoeff() <= 1e-12);
    }
  const auto none = detail::independent_rows(Matrix<double>(0, 0), 1e-12);
  CHECK(none.rows.empty());
  CHECK(none.lower.size() == 0);
}

}  // namespace independent_rows_test
