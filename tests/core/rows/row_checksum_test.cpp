// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_checksum.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/types.hpp>
#include <mercer/testing/thread_processes.hpp>
#include <tests/support/row_parts.hpp>

namespace row_checksum_test {

namespace {

using mercer::Index;
using mercer::Matrix;
using mercer::RowSpace;
using mercer::SparseMatrix;
using mercer::detail::checksum_of_rows;

template <class X>
std::uint64_t whole(const X& x) {
  return checksum_of_rows(RowSpace::whole(x.rows()), x);
}

}  // namespace

TEST_CASE("checksum of rows: the same on any number of processes", "[core][rows]") {
  const Matrix<double> x = mercer::normal_matrix<double>(1100, 3, 1, "x");
  for (const Index count : {1, 2, 5, 7}) {
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(count));
    mercer::run_as_processes(count, [&](const mercer::Processes& processes) {
      const RowSpace rows = RowSpace::spread(x.rows(), processes);
      sums[static_cast<std::size_t>(processes.rank())] =
          checksum_of_rows(rows, mercer::test::local_rows(rows, x));
    });
    for (const std::uint64_t sum : sums) CHECK(sum == whole(x));
  }
}

TEST_CASE("checksum of rows: any value, and the order of rows, changes it", "[core][rows]") {
  const Matrix<double> x = mercer::normal_matrix<double>(7, 3, 1, "x");
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j) {
      Matrix<double> y = x;
      y(i, j) = -y(i, j);
      CHECK(whole(y) != whole(x));
    }
  Matrix<double> swapped = x;
  swapped.row(1).swap(swapped.row(4));
  CHECK(whole(swapped) != whole(x));
  CHECK(whole(Matrix<double>(x.topRows(6))) != whole(x));
  // Changes of the highest bit of two rows do not cancel.
  for (Index i = 1; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j) {
      Matrix<double> y = x;
      y(0, j) = -y(0, j);
      y(i, j) = -y(i, j);
      CHECK(whole(y) != whole(x));
    }
  // Equal rows do not cancel.
  CHECK(whole(Matrix<double>(Matrix<double>::Ones(2, 3))) !=
        whole(Matrix<double>(Matrix<double>::Constant(2, 3, 2))));
}

TEST_CASE("checksum of rows: of sparse rows, values and where they are", "[core][rows]") {
  Matrix<double> dense = Matrix<double>::Zero(4, 5);
  dense(1, 2) = 3;
  dense(3, 0) = -1;
  Matrix<double> moved = dense;
  moved.col(2).swap(moved.col(3));
  const SparseMatrix<double> x = dense.sparseView(), y = moved.sparseView();
  CHECK(whole(x) == whole(SparseMatrix<double>(dense.sparseView())));
  CHECK(whole(x) != whole(y));
}

TEST_CASE("checksum of each row: equal rows have equal ones, and no others", "[core][rows]") {
  Matrix<double> x = mercer::normal_matrix<double>(600, 3, 1, "x");
  x.row(500) = x.row(3);
  x.row(400) = x.row(4);
  x(400, 1) = -x(400, 1);
  x.row(2) << 0, 1, 0;
  x.row(300) << 0, 1, -0.0;
  const std::vector<std::uint64_t> dense = mercer::detail::checksum_of_each_row(x);
  const std::vector<std::uint64_t> sparse =
      mercer::detail::checksum_of_each_row(SparseMatrix<double>(x.sparseView()));
  for (const std::vector<std::uint64_t>& sums : {dense, sparse}) {
    REQUIRE(sums.size() == 600);
    CHECK(sums[500] == sums[3]);
    CHECK(sums[300] == sums[2]);
    CHECK(std::set<std::uint64_t>(sums.begin(), sums.end()).size() == 598);
  }
}

TEST_CASE("row checksums: processes agree on the one of the first, with all of its bits",
          "[core][rows]") {
  for (const auto checksum :
       {std::uint64_t{0x0123456789abcdefU}, ~std::uint64_t{0}, std::uint64_t{1}}) {
    CHECK(mercer::detail::whole_of(mercer::detail::halves_of(checksum)) == checksum);
    std::vector<std::uint64_t> found(3);
    mercer::run_as_processes(3, [&](const mercer::Processes& processes) {
      const RowSpace rows = RowSpace::spread(700, processes);
      const auto rank = static_cast<std::size_t>(processes.rank());
      found[rank] = mercer::detail::agreed_checksum(rows, checksum + rank);
    });
    CHECK(found == std::vector<std::uint64_t>(3, checksum));
    CHECK(mercer::detail::agreed_checksum(RowSpace::whole(3), checksum) == checksum);
  }
}

}  // namespace row_checksum_test
