// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/tiles.hpp>

#include <mercer/core/types.hpp>
#include <tests/support/catch.hpp>

namespace tiles_test {

using namespace mercer;

TEST_CASE("tiles: columns become rows, and rows columns", "[core]") {
  for (const Index n : {1, 7, 8, 9, 20})
    for (const Index d : {0, 1, 5}) {  // without coordinates there may be no memory either
      CAPTURE(n, d);
      Matrix<double> columns(d, n);
      for (Index i = 0; i < columns.size(); ++i) columns.data()[i] = static_cast<double>(i);
      const auto reversed = [n](Index i) { return n - 1 - i; };
      Matrix<double> rows(n, d), again(d, n);
      detail::columns_to_rows<double>(columns, reversed, rows);
      CHECK(rows == columns.rowwise().reverse().transpose());
      detail::rows_to_columns<double>(rows, reversed, again);
      CHECK(again == columns);
    }
}

}  // namespace tiles_test
