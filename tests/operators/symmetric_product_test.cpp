// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/operators/symmetric_product.hpp>

#include <cmath>
#include <limits>

#include <mercer/core/threads.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace symmetric_product_test {

using namespace mercer;

TEST_CASE("symmetric_product: the product with a matrix of any number of tiles", "[operators]") {
  for (const Index n : {1, 255, 256, 257, 600}) {
    const Matrix<double> half = test::uniform_samples<double>(n, n, 1);
    const Matrix<double> a = half + half.transpose();
    const Matrix<double> v = test::uniform_samples<double>(n, 3, 2);
    const auto tile = [&](Index i, Index j) -> Matrix<double> {
      const auto rows = detail::Range::tile(i, n), cols = detail::Range::tile(j, n);
      return a.block(rows.begin, cols.begin, rows.size, cols.size);
    };
    Matrix<double> out(n, 3);
    detail::symmetric_tile_product<double, double>(n, tile, v, out);
    // n products of size 2 and their sum.
    const double tolerance = 4 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
    CHECK((out - a * v).cwiseAbs().maxCoeff() <= tolerance);
    detail::symmetric_tile_product<double, double>(n, tile, Matrix<double>(n, 0), out.leftCols(0));
  }
}

TEST_CASE("symmetric_product: columns in single precision keep their directions", "[operators]") {
  Matrix<double> v = test::uniform_samples<double>(50, 7, 3);
  const std::vector<double> sizes = {1, 0x1p-1000, 0x1p1000, 0, 1e-300, 1e300, 5e-324};
  for (Index j = 0; j < 7; ++j) v.col(j) *= sizes[static_cast<std::size_t>(j)];
  const detail::NarrowBlock<float, double> narrow(v);
  REQUIRE(narrow.scales.size() == 7);
  REQUIRE(narrow.values.rows() == 50);
  REQUIRE(narrow.values.cols() >= 7);
  CHECK(narrow.values.allFinite());
  CHECK(narrow.values.rightCols(narrow.values.cols() - 7).isZero(0));
  for (Index j = 0; j < 7; ++j) {
    const double scale = narrow.scales(j);
    CHECK(std::ldexp(1.0, std::ilogb(scale)) == scale);  // a power of two
    CHECK(narrow.values.col(j).cwiseAbs().maxCoeff() <= 2);
    const Vector<double> back = scale * narrow.values.col(j).cast<double>();
    CHECK((back - v.col(j)).cwiseAbs().maxCoeff() <=
          std::numeric_limits<float>::epsilon() * v.col(j).cwiseAbs().maxCoeff());
  }
}

TEST_CASE("symmetric_product: values that are not finite stay so", "[operators]") {
  Matrix<double> v = Matrix<double>::Ones(3, 2);
  v(1, 0) = std::numeric_limits<double>::infinity();
  v(2, 1) = std::numeric_limits<double>::quiet_NaN();
  const detail::NarrowBlock<float, double> narrow(v);
  CHECK_FALSE(narrow.values.col(0).allFinite());
  CHECK_FALSE(narrow.values.col(1).allFinite());
}

TEST_CASE("symmetric_product: a block in its own precision is taken as it is", "[operators]") {
  const Matrix<double> v = 1e200 * test::uniform_samples<double>(1100, 3, 4);
  const detail::NarrowBlock<double, double> same(v);
  CHECK((same.values.leftCols(3) == v));
  CHECK((same.scales.array() == 1).all());
}

}  // namespace symmetric_product_test
