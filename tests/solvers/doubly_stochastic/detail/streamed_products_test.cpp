// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/doubly_stochastic/detail/streamed_products.hpp>

#include <mercer/core/random.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace streamed_products_test {

using namespace mercer;

SCALAR_TEST_CASE("streamed_products: rows of a product, batch by batch", "[solvers]") {
  using S = TestType;
  constexpr Index n = 700;
  const Matrix<S> x = test::uniform_samples<S>(n, 3, 1);
  const Matrix<S> values = normal_matrix<S>(n, 2, 1, "values");
  const Matrix<S> rows = x.topRows(20);
  const Gaussian kernel(0.5);
  const auto summed = [&](int threads) {
    const int before = thread_count();
    set_thread_count(threads);
    detail::StreamedProducts<S> products(kernel, rows, 2);
    products.add(x.topRows(600), values.topRows(600));
    products.add(x.bottomRows(100), values.bottomRows(100));
    set_thread_count(before);
    return products.sums(Vector<double>{{0.5, -2.0}});
  };
  const Matrix<double> sums = summed(1);
  const Matrix<double> block = gram(kernel, x.template cast<double>().eval()).topRows(20);
  Matrix<double> expected = values.template cast<double>();
  expected.rowwise() -= Eigen::RowVector2d(0.5, -2.0);
  const double tolerance = sizeof(S) == 4 ? 1e-3 : 1e-11;
  CHECK((sums - block * expected).cwiseAbs().maxCoeff() <= tolerance);
  CHECK(summed(3) == sums);
}

}  // namespace streamed_products_test
