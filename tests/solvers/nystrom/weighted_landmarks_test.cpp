// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/nystrom/weighted_landmarks.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include <mercer/kernels/callable.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace weighted_landmarks_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(LandmarkSelector<DiagonalSampling>);
static_assert(LandmarkSelector<ColumnNormSampling>);

TEST_CASE("DiagonalSampling: draws by the squared diagonal, without copies", "[solvers]") {
  // The linear kernel: k(x, x)^2 = x^4, here 1, 2, 3, 4 and 0.
  Matrix<double> x(5, 1);
  for (Index i = 0; i < 4; ++i) x(i, 0) = std::pow(static_cast<double>(i + 1), .25);
  x(4, 0) = 0;
  constexpr Index runs = 20000;
  Matrix<double> pairs = Matrix<double>::Zero(5, 5);
  for (Index run = 0; run < runs; ++run) {
    const auto found = DiagonalSampling{}.select<Matrix<double>>(
        Linear{}, x, {.count = 2, .seed = static_cast<std::uint64_t>(run)}, {});
    REQUIRE(found.rows.size() == 2);
    ++pairs(found.rows[0], found.rows[1]);
  }
  CHECK(pairs.row(4).sum() == 0);
  CHECK(pairs.col(4).sum() == 0);
  // The first by its share, the second by its share of the others. 4.5 standard errors for each of
  // twelve pairs: fails by chance with less than 1e-4, and the seeds are fixed.
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j) {
      const double first = static_cast<double>(i + 1) / 10;
      const double p = i == j ? 0 : first * static_cast<double>(j + 1) / 10 / (1 - first);
      CHECK(std::abs(pairs(i, j) / runs - p) <= 4.5 * std::sqrt(p * (1 - p) / runs));
    }
}

TEST_CASE("DiagonalSampling: no more landmarks than samples with weight", "[solvers]") {
  const Matrix<double> x{{0.}, {2.}, {0.}, {1.}};
  const auto found = DiagonalSampling{}.select<Matrix<double>>(Linear{}, x, {.count = 4}, {});
  CHECK(std::set<Index>(found.rows.begin(), found.rows.end()) == std::set<Index>{1, 3});
  CHECK(found.points.rows() == 2);
  CHECK(found.method == "squared diagonal");
  CHECK(found.evaluations == 4);
  // Of any size: weights whose squares would overflow or vanish.
  const Matrix<double> huge = 1e100 * x, tiny = 1e-100 * x;
  for (const Matrix<double>& scaled : {huge, tiny})
    CHECK(DiagonalSampling{}.select<Matrix<double>>(Linear{}, scaled, {.count = 4}, {}).rows ==
          found.rows);
}

SCALAR_TEST_CASE("ColumnNormSampling: norms of the columns", "[solvers]") {
  using X = Matrix<TestType>;
  const X x = test::sparse_looking_samples<TestType>(300, 3, 61);  // more than one tile
  const Gaussian kernel{.5};
  const Matrix<double> gram = mercer::gram(kernel, x, x).template cast<double>();
  // Sums of 300 squares below 1, whose values have a few roundings each.
  const double tolerance = 300 * double{std::numeric_limits<TestType>::epsilon()};
  const Vector<double> expected = gram.colwise().norm().transpose();
  CHECK((detail::column_norms<X>(kernel, x) - expected).cwiseAbs().maxCoeff() <= tolerance);
  const SparseMatrix<TestType> sparse = x.sparseView();
  CHECK((detail::column_norms<SparseMatrix<TestType>>(kernel, sparse) - expected)
            .cwiseAbs()
            .maxCoeff() <= tolerance);
  const auto found = ColumnNormSampling{}.template select<X>(kernel, x, {.count = 20}, {});
  CHECK(std::set<Index>(found.rows.begin(), found.rows.end()).size() == 20);
  CHECK(found.rows ==
        detail::weighted_rows("test", detail::squared_shares(detail::column_norms<X>(kernel, x)),
                              20, 1));
  CHECK(found.evaluations == 300 * 300);
}

TEST_CASE("ColumnNormSampling: the scale of the kernel does not matter", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(50, 3, 62);
  const Linear kernel;
  const Vector<double> expected = detail::column_norms<Matrix<double>>(kernel, x);
  for (const int power : {-300, 260}) {  // squares of kernel values have four times the exponent
    const Matrix<double> scaled = std::ldexp(1.0, power) * x;
    CHECK((detail::column_norms<Matrix<double>>(kernel, scaled) ==
           std::ldexp(1.0, 2 * power) * expected));
  }
}

TEST_CASE("ColumnNormSampling: prefers samples with many neighbours", "[solvers]") {
  // 90 copies of one place, whose columns have 90 ones, and 10 samples by themselves: squared norms
  // of 90 and of 1. So nearly all draws are of the place.
  Matrix<double> x = Matrix<double>::Zero(100, 1);
  for (Index i = 90; i < 100; ++i) x(i, 0) = static_cast<double>(100 * i);
  Index copies = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    copies += ColumnNormSampling{}
                  .select<Matrix<double>>(Gaussian{1}, x, {.count = 1, .seed = seed}, {})
                  .rows[0] < 90;
  CHECK(copies >= 198);  // on average 200 * 8100 / 8110 = 199.75
}

TEST_CASE("Weighted landmarks: what is refused", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(5, 1, 62);
  const Callable negative{[](const auto&, const auto&) { return -1.0; }};
  CHECK_THAT(test::error_of([&] {
               return DiagonalSampling{}.select<Matrix<double>>(negative, x, {.count = 2}, {});
             }),
             ContainsSubstring("has the value -1 for sample 0"));
  const Callable infinite{
      [](const auto&, const auto&) { return std::numeric_limits<double>::infinity(); }};
  CHECK_THAT(test::error_of([&] {
               return ColumnNormSampling{}.select<Matrix<double>>(infinite, x, {.count = 2}, {});
             }),
             ContainsSubstring("ColumnNormSampling: weights must not be negative"));
}

}  // namespace weighted_landmarks_test
