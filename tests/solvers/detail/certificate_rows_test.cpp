// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/detail/certificate_rows.hpp>

#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace certificate_rows_test {

using namespace mercer;

TEMPLATE_TEST_CASE("certificate rows: samples that are points", "[solvers]", float, double) {
  using S = TestType;
  Matrix<S> x = test::sparse_looking_samples<S>(600, 5, 1);  // some rows are zero
  x.row(400) = x.row(7);
  Matrix<S> points = detail::take_rows(x, {590, 7, 16, 3, 7});
  points.row(3)(1) += S(0.5);  // a point that is no sample
  std::vector<Index> expected;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index p = 0; p < points.rows(); ++p)
      if (x.row(i) == points.row(p)) {
        expected.push_back(i);
        break;
      }
  CHECK(expected.size() > 4);  // the zeros, too
  CHECK(detail::rows_among(x, points) == expected);
  CHECK(detail::rows_among<SparseMatrix<S>>(x.sparseView(), points.sparseView()) == expected);
  CHECK(detail::rows_among<Matrix<S>>(x, points.topRows(0)).empty());
}

TEST_CASE("certificate rows: bounds of what points leave of the diagonal", "[solvers][law]") {
  const Matrix<double> x = test::uniform_samples<double>(700, 3, 2);
  const Matrix<double> points = x.middleRows(100, 30);
  const Gaussian kernel(0.4);
  const KernelView<Matrix<double>> view(kernel);
  const Vector<double> bounds = detail::left_out_bounds<Matrix<double>>(view, x, points);
  const Matrix<double> cross = gram(kernel, x, points);
  const Matrix<double> inner = gram(kernel, points);
  const Vector<double> left_out =
      Vector<double>::Ones(700) - (cross * inner.ldlt().solve(cross.transpose())).diagonal();
  // Rounding of the solution, whose matrix has a condition of about 1e5.
  CHECK((left_out - bounds).maxCoeff() <= 1e-10);
  CHECK(bounds.segment(100, 30).isZero(0));
  CHECK(bounds.minCoeff() >= 0);
  CHECK(bounds.mean() <= 0.9);  // they are no trivial ones
}

}  // namespace certificate_rows_test
