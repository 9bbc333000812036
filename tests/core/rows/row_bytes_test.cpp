// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_bytes.hpp>

namespace row_bytes_test {

using mercer::Matrix;
using mercer::SparseMatrix;
using mercer::detail::RowReader;
using mercer::detail::RowWriter;

SCALAR_TEST_CASE("row bytes: blocks come back as they were sent, one after the other",
                 "[core][rows]") {
  using S = TestType;
  const Matrix<S> dense = mercer::normal_matrix<S>(7, 3, 1, "dense"), empty(0, 3);
  SparseMatrix<S> sparse = dense.sparseView(), loose = sparse;
  loose.uncompress();
  RowWriter out;
  out.add(dense);
  out.add(empty);
  out.add(sparse);
  out.add(loose);
  const auto bytes = out.take();
  RowReader in(bytes);
  Matrix<S> first, second;
  SparseMatrix<S> third, fourth;
  in.read(first);
  in.read(second);
  in.read(third);
  CHECK(!in.at_end());
  in.read(fourth);
  CHECK(in.at_end());
  CHECK(first == dense);
  CHECK(second.rows() == 0);
  CHECK(second.cols() == 3);
  CHECK(third.toDense() == dense);
  CHECK(fourth.toDense() == dense);
}

TEST_CASE("row bytes: a message that is too short is an error", "[core][rows]") {
  RowWriter out;
  out.add(Matrix<double>(Matrix<double>::Ones(4, 4)));
  auto bytes = out.take();
  bytes.pop_back();
  Matrix<double> found;
  CHECK_THROWS_AS(RowReader(bytes).read(found), mercer::ProcessError);
}

}  // namespace row_bytes_test
