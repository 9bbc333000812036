// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/kernels/product.hpp>

#include <limits>

#include <mercer/core/threads.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace product_test {

using namespace mercer;

SCALAR_TEST_CASE("product: K(Q, X) V in every form of the samples", "[kernels]") {
  using S = TestType;
  const Index q_rows = GENERATE(1, 257);
  const Index n = GENERATE(3, 511);
  const Matrix<S> q = test::sparse_looking_samples<S>(q_rows, 6, 1);
  const Matrix<S> x = test::sparse_looking_samples<S>(n, 6, 2);
  const Matrix<S> v = test::uniform_samples<S>(n, 4, 3);
  const Gaussian kernel(0.7);
  const Matrix<S> expected = gram(kernel, q, x) * v;
  // n terms of size 1, and the rounding of kernel values on another tiling.
  const S tolerance = 50 * static_cast<S>(n) * std::numeric_limits<S>::epsilon();
  const RowMajorMatrix<S> q_by_rows = q;
  const SparseMatrix<S> q_sparse = q.sparseView(), x_sparse = x.sparseView();

  Matrix<S> out(q_rows, 4);
  const auto error = [&] { return (out - expected).cwiseAbs().maxCoeff(); };
  kernel_product(kernel, q, x, v, out);
  CHECK(error() <= tolerance);
  kernel_product(kernel, q_by_rows, x, v, out);
  CHECK(error() <= tolerance);
  kernel_product(kernel, q_sparse, x, v, out);
  CHECK(error() <= tolerance);
  kernel_product(kernel, q_sparse, x_sparse, v, out);
  CHECK(error() <= tolerance);
  kernel_product(kernel, q, x_sparse, v, out);
  CHECK(error() <= tolerance);
}

TEST_CASE("product: no rows, no columns", "[kernels]") {
  const Matrix<double> x = test::uniform_samples<double>(5, 2, 4);
  Matrix<double> none(0, 3), narrow(600, 0);
  kernel_product(Gaussian(1.0), Matrix<double>(0, 2), x, Matrix<double>::Ones(5, 3), none);
  const Matrix<double> many = test::uniform_samples<double>(600, 2, 7);  // more than one tile
  kernel_product(Gaussian(1.0), many, many, Matrix<double>(600, 0), narrow);
  CHECK(none.rows() == 0);
  CHECK(narrow.cols() == 0);
}

TEST_CASE("product: the same bits on 1 and 2 threads", "[kernels]") {
  const Matrix<double> x = test::uniform_samples<double>(600, 3, 5);
  const Matrix<double> v = test::uniform_samples<double>(600, 2, 6);
  Matrix<double> one(600, 2), two(600, 2);
  const int before = thread_count();
  set_thread_count(1);
  kernel_product(Gaussian(1.0), x, x, v, one);
  set_thread_count(2);
  kernel_product(Gaussian(1.0), x, x, v, two);
  set_thread_count(before);
  CHECK((one == two));
}

}  // namespace product_test
