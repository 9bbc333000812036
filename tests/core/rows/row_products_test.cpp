// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <tests/support/row_parts.hpp>

namespace row_products_test {

namespace {

using mercer::Index;
using mercer::Matrix;
using mercer::RowSpace;
using mercer::RowSums;
using mercer::Vector;
using mercer::test::local_rows;
using mercer::test::on_processes;
using mercer::test::process_counts;
using mercer::test::stacked;

constexpr std::uint64_t seed = 3;

// Errors of a few roundings in sums over up to two thousand rows.
template <class S>
constexpr S tolerance = 200 * std::numeric_limits<S>::epsilon();

template <class S>
Matrix<S> normal(Index rows, Index cols, std::string_view purpose = "block") {
  return mercer::normal_matrix<S>(rows, cols, seed, purpose);
}

template <class S>
S largest(const Matrix<S>& a) {
  return a.size() == 0 ? S(0) : a.cwiseAbs().maxCoeff();
}

}  // namespace

SCALAR_TEST_CASE("row products: a block with itself", "[core][rows]") {
  using S = TestType;
  for (const Index n : {1, 1100}) {
    for (const Index cols : {0, 1, 63, 129, 200}) {
      const Matrix<S> a = normal<S>(n, cols), products = mercer::inner(a);
      CHECK(products == Matrix<S>(products.transpose()));
      CHECK(largest<S>(products - mercer::inner(a, a)) <= tolerance<S> * S(n));
      const auto all = [&](const RowSpace& rows) {
        return mercer::inner(rows, local_rows(rows, a));
      };
      const Matrix<S> one = on_processes(1, n, RowSums::OrderFree, all).front();
      CHECK(largest<S>(products - one) <= tolerance<S> * S(n));
      for (const Matrix<S>& found : on_processes(3, n, RowSums::OrderFree, all))
        CHECK(found == one);
    }
  }
}

SCALAR_TEST_CASE("row products: the same bits on any number of processes", "[core][rows]") {
  using S = TestType;
  for (const Index n : {1, 255, 256, 1100, 2049}) {
    // Columns of very different sizes, and one of zeros.
    Matrix<S> a = normal<S>(n, 5, "a"), b = normal<S>(n, 3, "b");
    a.col(1) *= S(1e-12);
    a.col(2) *= S(1e12);
    a.col(3).setZero();
    const auto all = [&](const RowSpace& rows) {
      const Matrix<S> mine = local_rows(rows, a), other = local_rows(rows, b);
      Matrix<S> found(5, 6);
      found.leftCols(3) = mercer::inner(rows, mine, other);
      found.col(3) = mercer::column_means(rows, mine);
      found.col(4) = mercer::detail::column_norms<S>(rows, mine);
      found.col(5) = mercer::detail::block_column_products<S>(rows, mine, mine);
      return found;
    };
    const Matrix<S> one = on_processes(1, n, RowSums::OrderFree, all).front();
    const Matrix<S> whole = all(RowSpace::whole(n));
    for (const Index count : process_counts) {
      for (const Matrix<S>& found : on_processes(count, n, RowSums::OrderFree, all))
        CHECK(found == one);
      for (const Matrix<S>& found : on_processes(count, n, RowSums::Plain, all))
        for (Index i = 0; i < 5; ++i)
          CHECK((found.row(i) - whole.row(i)).norm() <=
                tolerance<S> * whole.row(i).norm() +
                    tolerance<S> * std::sqrt(S(n)) * a.col(i).cwiseAbs().maxCoeff());
    }
    for (Index i = 0; i < 5; ++i)
      CHECK((one.row(i) - whole.row(i)).norm() <=
            tolerance<S> * whole.row(i).norm() +
                tolerance<S> * std::sqrt(S(n)) * a.col(i).cwiseAbs().maxCoeff());
  }
}

TEST_CASE("row products: fixed-point sums keep the digits of sums far below their bound",
          "[core][rows]") {
  // One large entry sets the bound of the column; the inner product is of size 1e-9 of it.
  constexpr Index n = 3000;
  Matrix<double> a = normal<double>(n, 1), b = normal<double>(n, 1, "b");
  a(7) = 1e9;
  b(7) = 0;
  const auto product = [&](const RowSpace& rows) {
    return mercer::inner(rows, local_rows(rows, a), local_rows(rows, b));
  };
  const double exact = product(RowSpace::whole(n))(0);
  const double found = on_processes(3, n, RowSums::OrderFree, product).front()(0);
  CHECK(std::abs(found - exact) <= tolerance<double> * std::sqrt(double(n)));
}

TEST_CASE("row products: values that are not finite show in every process", "[core][rows]") {
  Matrix<double> a = normal<double>(600, 2);
  a(599, 1) = std::numeric_limits<double>::quiet_NaN();
  for (const Matrix<double>& found :
       on_processes(3, 600, RowSums::OrderFree, [&](const RowSpace& rows) {
         const Matrix<double> mine = local_rows(rows, a);
         return mercer::inner(rows, mine, mine);
       })) {
    CHECK(std::isfinite(found(0, 0)));
    CHECK(std::isnan(found(1, 1)));
    CHECK(std::isnan(found(0, 1)));
  }
}

SCALAR_TEST_CASE("row products: orthonormal bases over processes, of any rank", "[core][rows]") {
  using S = TestType;
  constexpr Index n = 1100, cols = 8;
  const Matrix<S> basis = mercer::orthonormalize(normal<S>(n, 3, "basis")).Q;
  Matrix<S> full = normal<S>(n, cols);
  Matrix<S> repeated = full;
  repeated.rightCols(4) = repeated.leftCols(4);
  Matrix<S> graded = full;
  for (Index j = 0; j < cols; ++j)
    graded.col(j) = full.col(0) + full.col(j) * S(std::pow(0.1, double(j)));
  Matrix<S> zeros = full;
  zeros.middleCols(2, 2).setZero();
  Matrix<S> inside = full;
  inside.leftCols(2) = basis.leftCols(2);
  for (const Matrix<S>& block : {full, repeated, graded, zeros, inside}) {
    const auto extend = [&](const RowSpace& rows) {
      return mercer::orthogonalize_against(rows, local_rows(rows, basis), local_rows(rows, block));
    };
    const mercer::Extension<S> whole = extend(RowSpace::whole(n));
    std::vector<Matrix<S>> bases;
    for (const Index count : process_counts) {
      std::vector<Matrix<S>> parts;
      for (const mercer::Extension<S>& part : on_processes(count, n, RowSums::OrderFree, extend)) {
        parts.push_back(part.Q);
        CHECK(part.Q.cols() == whole.Q.cols());
        CHECK(largest<S>(basis * part.G) > 0);
      }
      bases.push_back(stacked(parts));
    }
    const Matrix<S>& q = bases.front();
    for (const Matrix<S>& other : bases) CHECK(other == q);
    CHECK(mercer::orthogonality_error(q) <= tolerance<S>);
    CHECK(largest<S>(basis.transpose() * q) <= tolerance<S>);
    const mercer::Extension<S> one = on_processes(1, n, RowSums::OrderFree, extend).front();
    for (Index j = 0; j < cols; ++j)
      CHECK((basis * one.G.col(j) + one.Q * one.R.col(j) - block.col(j)).norm() <=
            tolerance<S> * block.norm());
  }
}

TEST_CASE("row products: random rows are those of the whole matrix", "[core][rows]") {
  const Matrix<double> whole = normal<double>(3000, 2);
  for (const mercer::detail::Range rows :
       {mercer::detail::Range{0, 3000}, mercer::detail::Range{256, 1000},
        mercer::detail::Range{2304, 696}, mercer::detail::Range{512, 0}})
    CHECK(mercer::normal_block<double>(rows, {0, 2}, seed, "block") ==
          whole.middleRows(rows.begin, rows.size));
}

}  // namespace row_products_test
