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

TEST_CASE("samples: coarse means take away a large offset", "[core]") {
  const Matrix<double> near = test::uniform_samples<double>(100, 3, 2);
  for (const double offset : {1e3, -1e6, 1e12}) {
    const Matrix<double> far = near.array() + offset;
    const Vector<double> means = detail::coarse_means(detail::column_ranges(far));
    const Matrix<double> moved = far.rowwise() - means.transpose();
    CHECK(moved.cwiseAbs().maxCoeff() <= 3);  // half of a spread of 2, and half a unit of at most 2
    // Nothing is lost in the subtraction.
    CHECK((moved.rowwise() + means.transpose() == far));
  }
  CHECK(detail::coarse_means(detail::column_ranges(near)).cwiseAbs().maxCoeff() <= 1);
}

TEST_CASE("samples: coarse means are 0 where there is no offset", "[core]") {
  Matrix<double> x(4, 2);
  x << -1, 0, 1, 1, -0.5, 0.25, 0.75, 0.5;
  CHECK(detail::coarse_means(detail::column_ranges(x))(0) == 0);
  CHECK(std::abs(detail::coarse_means(detail::column_ranges(x))(1)) <= 1);
}

TEST_CASE("samples: coarse means leave integers integers", "[core]") {
  Matrix<double> pixels = test::uniform_samples<double>(200, 4, 3, 0, 256).array().floor();
  pixels.col(1).array() += 1000000;
  pixels.col(2) = (pixels.col(2).array() / 128).floor();  // 0 and 1
  const Vector<double> means = detail::coarse_means(detail::column_ranges(pixels));
  CHECK((means.array() == means.array().round()).all());
}

TEST_CASE("samples: coarse means of columns without spread, huge and tiny", "[core]") {
  constexpr double huge = std::numeric_limits<double>::max();
  Matrix<double> x(3, 7);
  x << 5, 0, -huge, huge, 1e-310, 1e-320, 0.1,  //
      5, 0, huge, huge, 2e-310, 1e-320, 0.1,    //
      5, 0, 0, huge, 3e-310, 2e-320, 0.1;
  const Vector<double> means = detail::coarse_means(detail::column_ranges(x));
  CHECK(means.allFinite());
  CHECK(means(0) == 5);
  CHECK(means(1) == 0);
  CHECK(means(3) == huge);
  CHECK(means(6) == 0.1);
  const Matrix<double> moved = x.rowwise() - means.transpose();
  CHECK(moved.allFinite());
  CHECK(moved.col(3).isZero(0));
  for (Index j = 0; j < 7; ++j)
    CHECK(moved.col(j).maxCoeff() / 2 - moved.col(j).minCoeff() / 2 ==
          x.col(j).maxCoeff() / 2 - x.col(j).minCoeff() / 2);
}

}  // namespace samples_test
