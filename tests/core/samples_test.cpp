// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/samples.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace samples_test {

using namespace mercer;

SCALAR_TEST_CASE("samples: rows in the order given, dense and sparse", "[core]") {
  using S = TestType;
  const Matrix<S> x = test::sparse_looking_samples<S>(20, 6, 1);
  const SparseMatrix<S> sparse = x.sparseView();
  const std::vector<Index> rows = {19, 0, 2, 2, 7};  // 2 is a row of zeros
  const Matrix<S> expected = test::rows_at(x, rows);
  CHECK((detail::take_rows<S>(x, rows) == expected));
  CHECK((Matrix<S>(detail::take_rows<S>(sparse, rows)) == expected));
  CHECK((detail::take_rows<float>(x, rows) == expected.template cast<float>()));
  CHECK((Matrix<float>(detail::take_rows<float>(sparse, rows)) == expected.template cast<float>()));
  CHECK(detail::take_rows<S>(x, {}).rows() == 0);
  CHECK(detail::take_rows<S>(x, {}).cols() == 6);
  CHECK(detail::take_rows<S>(sparse, {}).rows() == 0);
  CHECK(detail::take_rows<S>(sparse, {}).cols() == 6);
}

TEST_CASE("samples: rows of a sparse matrix that is not compressed", "[core]") {
  SparseMatrix<double> x(3, 4);
  x.reserve(Eigen::VectorXi::Constant(3, 4));
  x.insert(0, 3) = 1;
  x.insert(2, 1) = 2;
  REQUIRE_FALSE(x.isCompressed());
  CHECK(detail::stored_entries(x) == 2);
  CHECK(detail::stored_entries(Matrix<double>(x)) == 12);
  const Matrix<double> taken = detail::take_rows<double>(x, {2, 0});
  CHECK((taken == test::rows_at(Matrix<double>(x), {2, 0})));
}

SCALAR_TEST_CASE("samples: columns, blocks and entries in the order given, and columns put back",
                 "[core]") {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(7, 5, 3);
  const std::vector<Index> columns = {4, 0, 2};
  const Matrix<S> taken = detail::take_columns(x, columns);
  CHECK((taken == test::columns_at(x, columns)));
  CHECK(detail::take_columns(x, {}).rows() == 7);
  CHECK(detail::take_columns(x, {}).cols() == 0);

  CHECK((detail::take_block(x, {6, 6, 1}, columns) == test::block_at(x, {6, 6, 1}, columns)));
  CHECK(detail::take_block(x, {}, columns).rows() == 0);
  CHECK(detail::take_block(x, {}, columns).cols() == 3);

  Matrix<S> put = Matrix<S>::Zero(7, 5);
  detail::put_columns(taken, columns, put);
  CHECK((detail::take_columns(put, columns) == taken));
  CHECK((detail::take_columns(put, {1, 3}).array() == 0).all());

  const Vector<S> values = x.col(1);
  CHECK((detail::take_entries(values, {6, 6, 1}) == test::rows_at(x, {6, 6, 1}).col(1)));
  CHECK(detail::take_entries(values, {}).size() == 0);
}

TEMPLATE_TEST_CASE("samples: their middle takes away an offset", "[core]", float, double) {
  using S = TestType;
  const Matrix<S> near = test::uniform_samples<S>(100, 3, 2);  // between -1 and 1
  for (const S offset : {S(0), S(1e3), S(-1e6)}) {
    const Matrix<S> far = near.array() + offset;
    const detail::Middle<S> middle(far);
    const Matrix<S> moved = far.rowwise() - middle.point.transpose();
    CHECK(moved.cwiseAbs().maxCoeff() <= 2);
    // The subtraction of numbers within a factor of 2 is exact.
    if (offset != 0) CHECK((moved.rowwise() + middle.point.transpose() == far));
    // A third each for uniform numbers from their mean. Of 33 samples in 3 columns the mean square
    // is within 40 % of it, five standard errors.
    CHECK(std::abs(middle.spread - 1) < S(0.4));
  }
}

TEST_CASE("samples: samples far from the others do not move their middle", "[core]") {
  Matrix<double> x = test::uniform_samples<double>(200, 4, 2);
  x.topRows(66).array() += 1e9;
  CHECK(detail::Middle<double>(x).point.cwiseAbs().maxCoeff() <= 1);
}

TEST_CASE("samples: the middle of integers is one, and 0 where most are 0", "[core]") {
  Matrix<double> pixels = test::uniform_samples<double>(200, 3, 3, 0, 256).array().floor();
  pixels.col(1).array() += 1000000;
  pixels.col(2) = (pixels.col(2).array() / 192).floor();  // 0, and 1 for a quarter of them
  const Vector<double> middle = detail::Middle<double>(pixels).point;
  CHECK((middle.array() == middle.array().round()).all());
  CHECK(middle(2) == 0);
}

TEST_CASE("samples: the middle of none, of one, of equal, of huge and tiny samples", "[core]") {
  CHECK(detail::Middle<double>(Matrix<double>(0, 2)).point.isZero(0));
  const Matrix<double> one = test::uniform_samples<double>(1, 2, 4);
  CHECK((detail::Middle<double>(one).point == one.row(0).transpose()));
  CHECK(detail::Middle<double>(one).spread == 0);
  constexpr double huge = std::numeric_limits<double>::max();
  Matrix<double> x(3, 5);
  x << 5, -huge, huge, 1e-310, 0.1,  //
      5, huge, huge, 2e-310, 0.1,    //
      5, 0, huge, 3e-310, 0.1;
  const Vector<double> expected = (Vector<double>(5) << 5, 0, huge, 2e-310, 0.1).finished();
  CHECK((detail::Middle<double>(x).point == expected));
}

TEST_CASE("samples: columns that vary", "[core]") {
  Matrix<double> x(3, 5);
  x << 5, 0, 1e-320, 0.1, -0.0,  //
      5, 0, 1e-320, 0.1, 0.0,    //
      5, 1, 2e-320, 0.1, 0.0;
  CHECK(detail::varying_columns(x) == std::vector<Index>{1, 2});
  CHECK(detail::varying_columns(x.topRows(1)).empty());
  CHECK(detail::varying_columns(Matrix<double>(0, 2)).empty());
}

}  // namespace samples_test
