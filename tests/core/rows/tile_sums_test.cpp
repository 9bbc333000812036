// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/rows/tile_sums.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_bytes.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/row_parts.hpp>

namespace tile_sums_test {

using namespace mercer;
using detail::ScaledInteger;
using detail::SpreadVectors;
using detail::TileSums;

constexpr Index rows = 40, cols = 3, tiles = 12;
/// Sums of this many normal values are below 2^bound by far.
constexpr int bound = 10;
const std::vector<ScaledInteger> units(cols, ScaledInteger(bound));

/// Products for all rows, one for each tile.
template <Real T>
std::vector<RowMajorMatrix<T>> products() {
  std::vector<RowMajorMatrix<T>> all;
  for (Index t = 0; t < tiles; ++t)
    all.push_back(normal_matrix<T>(rows, cols, static_cast<std::uint64_t>(t), "products"));
  return all;
}

SCALAR_TEST_CASE("tile sums: in double they are sums, in fixed point to one unit for each term",
                 "[core][rows][law]") {
  using T = TestType;
  Matrix<double> exact = Matrix<double>::Zero(rows, cols);
  TileSums plain(rows, cols, {}), fixed(rows, cols, units);
  for (const RowMajorMatrix<T>& product : products<T>()) {
    exact += product.template cast<double>();
    CHECK(plain.add(0, product, 1));
    CHECK(fixed.add(0, product, 1));
  }
  CHECK(plain.values(cols) == exact);
  // And the rounding of the sum in double.
  CHECK((fixed.values(cols) - exact).cwiseAbs().maxCoeff() <=
        tiles * std::ldexp(1.0, bound - ScaledInteger::bits) + 1e-13);
  CHECK(fixed.values(2) == fixed.values(cols).leftCols(2));
}

TEST_CASE("tile sums: the same bits in any order, in any parts, and sent as bytes",
          "[core][rows][law]") {
  const auto all = products<double>();
  TileSums forwards(rows, cols, units), backwards(rows, cols, units), first(rows, cols, units),
      second(rows, cols, units);
  for (std::size_t t = 0; t < all.size(); ++t) {
    CHECK(forwards.add(0, all[t], 1));
    CHECK(backwards.add(0, all[all.size() - 1 - t], 1));
    // Some rows here, the others there.
    const Index split = static_cast<Index>(3 * t);
    CHECK(first.add(0, RowMajorMatrix<double>(all[t].topRows(split)), 1));
    CHECK(second.add(split, RowMajorMatrix<double>(all[t].bottomRows(rows - split)), 1));
  }
  CHECK(backwards.values(cols) == forwards.values(cols));
  detail::RowWriter out;
  second.write(out);
  const auto bytes = out.take();
  detail::RowReader in(bytes);
  TileSums received(rows, cols, units);
  received.read(in);
  first.add(received);
  CHECK(first.values(cols) == forwards.values(cols));
}

TEST_CASE("tile sums: rows that are divided by powers of two have the bits of others",
          "[core][rows]") {
  const auto all = products<double>();
  const Vector<double> scales =
      Vector<double>::NullaryExpr(rows, [](Index i) { return std::ldexp(1.0, 3 * int(i) - 60); });
  TileSums usual(rows, cols, units), scaled(rows, cols, units, scales);
  for (const RowMajorMatrix<double>& product : all) {
    CHECK(usual.add(0, product, 1));
    CHECK(scaled.add(0, RowMajorMatrix<double>(scales.asDiagonal() * product), 1));
  }
  CHECK(scaled.values(cols) == Matrix<double>(scales.asDiagonal() * usual.values(cols)));
}

TEST_CASE("tile sums: say where a value is beyond its bound, or not finite", "[core][rows]") {
  TileSums sums(1, cols, units), plain(1, cols, {});
  RowMajorMatrix<double> product(1, cols);
  product << 1, std::ldexp(1.0, bound), 2;
  CHECK(sums.add(0, product, 1));
  CHECK_FALSE(sums.add(0, product, 0.5));  // a product may have half of the bound
  product(0, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(sums.add(0, product, 1));
  CHECK(plain.add(0, product, 1));
  // A column whose sums need not be finite.
  TileSums open(1, 1, {ScaledInteger(ScaledInteger::largest + 1)});
  CHECK(open.add(0, RowMajorMatrix<double>(product.rightCols(1)), 1));
  CHECK(std::isnan(open.values(1)(0, 0)));
}

SCALAR_TEST_CASE("tile sums: vectors in the range of tiles, whatever their size", "[core][rows]") {
  using T = TestType;
  Matrix<double> v = normal_matrix<double>(500, 4, 3, "vectors");
  v.col(1) *= 1e100;
  v.col(2) *= 1e-100;
  v.col(3).setZero();
  const auto kind = GENERATE(RowSums::Plain, RowSums::OrderFree);
  for (const bool right : test::on_processes(2, v.rows(), kind, [&](const RowSpace& space) {
         const Matrix<double> mine = test::local_rows(space, v);
         const SpreadVectors<T> narrowed(space, mine, 1, 8);
         if (narrowed.values.cols() != 8 || !narrowed.values.rightCols(4).isZero(0)) return false;
         const Matrix<double> back =
             narrowed.values.leftCols(4).template cast<double>() * narrowed.scales.asDiagonal();
         // Powers of two change no digit; float keeps 24 of them.
         for (Index j = 0; j < 4; ++j)
           if (!((back - mine).col(j).cwiseAbs().maxCoeff() <=
                 double{std::numeric_limits<T>::epsilon()} * mine.col(j).cwiseAbs().maxCoeff()))
             return false;
         // In fixed point, sums of kernel values below 2 times the vectors are within their bounds.
         if (kind == RowSums::Plain) return narrowed.units.empty();
         if (narrowed.units.size() != 8) return false;
         TileSums sums(1, 8, narrowed.units);
         const RowMajorMatrix<double> most =
             2 * narrowed.values.template cast<double>().cwiseAbs().colwise().sum();
         return sums.add(0, most, 1);
       }))
    CHECK(right);
}

}  // namespace tile_sums_test
