// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/operators/tile_product.hpp>

#include <limits>

#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace tile_product_test {

using namespace mercer;

SCALAR_TEST_CASE("tile_product: equals the dense product, and the transposed one", "[operators]") {
  using S = TestType;
  const Index rows = GENERATE(1, 7, 8, 19, 256), cols = GENERATE(1, 5, 64);
  // Two lines, one, half of one, and what comes after two.
  const Index w = GENERATE(1, 2, 3, 4, 7) * detail::padded_to<S>;
  // The tile is part of a larger matrix, so its columns are not contiguous.
  const Matrix<S> whole = test::uniform_samples<S>(rows + 3, cols, 1);
  const detail::StridedTile<S> tile{whole.data() + 2, rows, cols, 1, whole.outerStride()};
  const Matrix<S> dense = whole.middleRows(2, rows);
  // Sums of up to 256 products of size 1.
  const S tolerance = 256 * std::numeric_limits<S>::epsilon();

  const RowMajorMatrix<S> v = test::uniform_samples<S>(cols, w, 2);
  RowMajorMatrix<S> out = RowMajorMatrix<S>::Constant(rows, w, S(0.5));
  detail::add_tile_product(tile, v.data(), w, out.data());
  CHECK(((out.array() - S(0.5)).matrix() - dense * v).cwiseAbs().maxCoeff() <= tolerance);

  const RowMajorMatrix<S> u = test::uniform_samples<S>(rows, w, 3);
  RowMajorMatrix<S> back = RowMajorMatrix<S>::Zero(cols, w);
  detail::add_tile_product(tile.transposed(), u.data(), w, back.data());
  CHECK((back - dense.transpose() * u).cwiseAbs().maxCoeff() <= tolerance);
}

}  // namespace tile_product_test
