// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/detail/drawn_rows.hpp>

#include <cmath>
#include <cstdint>

#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace drawn_rows_test {

using namespace mercer;

namespace {

/// The estimate of the sum of these terms.
double weighted_sum(const detail::DrawnRows& drawn, const Vector<double>& terms) {
  double sum = 0;
  for (Index i = 0; i < drawn.count(); ++i)
    sum += drawn.weights(i) * terms(drawn.rows[static_cast<std::size_t>(i)]);
  return sum;
}

}  // namespace

TEST_CASE("drawn rows: all rows give the sum itself", "[solvers]") {
  const Vector<double> terms = test::uniform_samples<double>(20, 1, 1);
  const detail::DrawnRows all = detail::all_rows(20);
  CHECK(all.draws() == 0);
  CHECK(weighted_sum(all, terms) == Approx(terms.sum()).epsilon(1e-14));
  CHECK(all.standard_error(terms) == 0);
  CHECK(detail::uniform_rows(all.rows, 20).draws() == 0);
}

TEST_CASE("drawn rows: sums without bias, and their standard errors", "[solvers][law]") {
  const Index n = 300, count = 20;
  const Vector<double> terms = test::uniform_samples<double>(n, 1, 2);
  const Vector<double> shares = test::uniform_samples<double>(n, 1, 3, 0.1, 1.1);
  const bool uniform = GENERATE(true, false);
  constexpr int runs = 4000;
  double mean = 0, squares = 0, errors = 0;
  RandomStream stream(4, "test");
  for (int run = 0; run < runs; ++run) {
    const detail::DrawnRows drawn =
        uniform ? detail::uniform_rows(sample_without_replacement(n, count, stream), n)
                : detail::rows_by_shares(shares, count, stream);
    CHECK(drawn.draws() == count);
    const double sum = weighted_sum(drawn, terms);
    mean += sum / runs;
    squares += sum * sum / runs;
    Vector<double> weighted(count);
    for (Index i = 0; i < count; ++i)
      weighted(i) = drawn.weights(i) * terms(drawn.rows[static_cast<std::size_t>(i)]);
    errors += std::pow(drawn.standard_error(weighted), 2) / runs;
  }
  const double variance = squares - mean * mean;
  CHECK(std::abs(mean - terms.sum()) <= 4 * std::sqrt(variance / runs));  // one seed in 15000
  // The squared standard error is the variance, 7 % too large for 20 of 300 rows without
  // replacement; 4000 runs know both to some percent.
  CHECK(errors == Approx(variance).epsilon(0.15));
}

TEST_CASE("drawn rows: rows of large entries are certain, and drawn in no other way", "[solvers]") {
  const Index n = 1000, count = 50;
  Matrix<double> vectors = test::uniform_samples<double>(n, 2, 5, -1.0, 2.0);
  vectors.col(0).setConstant(1e-6);
  vectors(7, 0) = vectors(500, 0) = std::sqrt(0.5);
  vectors.colwise().normalize();
  const Vector<double> none;
  const detail::DrawnRows drawn = detail::draw_rows(vectors, count, {none});
  REQUIRE(drawn.certain == 2);
  CHECK(drawn.draws() == count);
  CHECK(drawn.rows[0] == 7);
  CHECK(drawn.rows[1] == 500);
  CHECK(drawn.weights.head(2) == Vector<double>::Ones(2));
  for (Index i = 2; i < drawn.count(); ++i) {
    const Index row = drawn.rows[static_cast<std::size_t>(i)];
    CHECK((row != 7 && row != 500));
    CHECK(drawn.weights(i) > 0);
  }
  // The vectors are the seed.
  CHECK(detail::draw_rows(vectors, count, {none}).rows == drawn.rows);
  vectors(3, 1) = -vectors(3, 1);
  CHECK(detail::draw_rows(vectors, count, {none}).rows != drawn.rows);
  const Vector<double> same = Vector<double>::Ones(n);  // says nothing
  CHECK(detail::draw_rows(vectors, count, {same}).rows ==
        detail::draw_rows(vectors, count, {none}).rows);
  // Twice as many draws as rows that are not certain are all rows.
  CHECK(detail::draw_rows(vectors, (n - 2) / 2, {none}).draws() == 0);
}

TEST_CASE("drawn rows: rows of large shares are found", "[solvers]") {
  const Index n = 2000;
  const Matrix<double> vectors =
      Matrix<double>::Constant(n, 1, 1 / std::sqrt(static_cast<double>(n)));
  Vector<double> sizes = Vector<double>::Zero(n);
  sizes(11) = 1e200;
  const detail::DrawnRows drawn = detail::draw_rows(vectors, 60, {sizes});
  Index found = 0;
  for (const Index row : drawn.rows) found += row == 11 ? 1 : 0;
  // A third of 60 draws, standard deviation 3.7.
  CHECK(found >= 6);
  CHECK(found <= 36);
}

TEST_CASE("drawn rows: what certain rows leave of a vector has the same share", "[solvers]") {
  // All but a millionth of the first vector is in two rows; the rest is in ten rows of 4000.
  const Index n = 4000, count = 120;
  Matrix<double> vectors = Matrix<double>::Zero(n, 2);
  vectors(7, 0) = vectors(500, 0) = std::sqrt(0.5);
  vectors.col(0).segment(1000, 10).setConstant(3e-4);
  vectors.col(1).setConstant(1);
  vectors.colwise().normalize();
  const Vector<double> none;
  const detail::DrawnRows drawn = detail::draw_rows(vectors, count, {none});
  Index found = 0;
  for (Index i = drawn.certain; i < drawn.count(); ++i) {
    const Index row = drawn.rows[static_cast<std::size_t>(i)];
    found += row >= 1000 && row < 1010 ? 1 : 0;
  }
  // A quarter of 120 draws, standard deviation 4.7.
  CHECK(found >= 10);
  CHECK(found <= 54);
}

}  // namespace drawn_rows_test
