// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/doubly_stochastic/detail/streamed_products.hpp>

#include <limits>

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
  // Kernel values and sums are in double for float, too; values less their mean are rounded.
  const double tolerance = sizeof(S) == 4 ? 2e-5 : 1e-11;
  CHECK((sums - block * expected).cwiseAbs().maxCoeff() <= tolerance);
  CHECK(summed(3) == sums);
}

SCALAR_TEST_CASE("streamed_products: the mean of all values, as a sum in double", "[solvers]") {
  using S = TestType;
  constexpr Index n = 700;
  const Matrix<S> x = test::uniform_samples<S>(n, 3, 1);
  const Matrix<S> values = test::uniform_samples<S>(n, 2, 4, S(1), S(1.001));
  const Gaussian kernel(0.5);
  detail::StreamedProducts<S> products(kernel, x, 2);
  CHECK(products.mean() == Vector<double>::Zero(2));
  products.add(x.topRows(600), values.topRows(600));
  products.add(x.bottomRows(100), values.bottomRows(100));
  const Vector<double> mean = values.template cast<double>().colwise().mean();
  // Differences to the first mean, of up to 1e-3, are rounded, and so is the mean beside it.
  CHECK((products.mean() - mean).norm() <=
        1e-3 * double{std::numeric_limits<S>::epsilon()} + 1e-14);
}

SCALAR_TEST_CASE("streamed_products: functions that hardly differ from a constant", "[solvers]") {
  using S = TestType;
  constexpr Index n = 700;
  const S epsilon = std::numeric_limits<S>::epsilon();
  const Matrix<S> x = test::uniform_samples<S>(n, 3, 2);
  // Values near 1, exact multiples of epsilon, so that the differences are known exactly.
  Matrix<S> values = test::uniform_samples<S>(n, 1, 3, S(0), S(1000));
  values = values.array().round() * epsilon + S(1);
  const Gaussian kernel(0.5);
  detail::StreamedProducts<S> products(kernel, x, 1);
  products.add(x.topRows(600), values.topRows(600));
  products.add(x.bottomRows(100), values.bottomRows(100));
  const Matrix<double> h = (values.array() - S(1)).template cast<double>();
  const Matrix<double> expected = gram(kernel, x.template cast<double>().eval()) * h;
  // The differences are 500 epsilon on average; n values lose a part of the last of three digits.
  CHECK((products.sums(Vector<double>{{1.0}}) - expected).norm() <= 2e-3 * expected.norm());
}

}  // namespace streamed_products_test
