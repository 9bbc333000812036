// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/moment_sum.hpp>

#include <limits>

#include <mercer/core/threads.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace moment_sum_test {

using namespace mercer;

namespace {

template <Real S>
detail::MomentSum<S> sum_of(const Matrix<S>& x, Index batch, bool centered) {
  detail::MomentSum<S> sum(x.cols(), centered);
  for (Index first = 0; first < x.rows(); first += batch)
    sum.add(x.middleRows(first, (std::min)(batch, x.rows() - first)));
  return sum;
}

}  // namespace

SCALAR_TEST_CASE("moment_sum: mean and scatter, whatever the batches", "[core]") {
  using S = TestType;
  // Two column tiles; columns that drift, and one with an offset of 1000 times its spread, which
  // costs three digits of the entries themselves.
  Matrix<S> x = test::uniform_samples<S>(200, 130, 3);
  x.col(0) += Vector<S>::LinSpaced(200, 0, 50);
  x.col(1).array() += 1000;
  const Matrix<double> exact = x.template cast<double>();
  const Matrix<double> deviations = exact.rowwise() - exact.colwise().mean();
  const Matrix<double> scatter = deviations.transpose() * deviations;
  const double eps = static_cast<double>(std::numeric_limits<S>::epsilon());
  for (const Index batch : {1, 7, 64, 200}) {
    CAPTURE(batch);
    const detail::MomentSum<S> sum = sum_of(x, batch, true);
    CHECK(sum.count() == 200);
    CHECK((sum.mean() - exact.colwise().mean().transpose()).cwiseAbs().maxCoeff() <= 1e4 * eps);
    // 200 products of deviations up to 1 (30 in column 0) with errors of 1000 eps each.
    CHECK((sum.scatter() - scatter).cwiseAbs().maxCoeff() <= 200 * 30 * 1e3 * eps);
    CHECK(sum.squares() == Approx(exact.squaredNorm()).epsilon(1e3 * eps));
    const detail::MomentSum<S> plain = sum_of(x, batch, false);
    CHECK((plain.scatter() - exact.transpose() * exact).norm() <= 1e2 * eps * exact.squaredNorm());
  }
}

TEST_CASE("moment_sum: the same bits on any number of threads; nothing added", "[core]") {
  const Matrix<double> x = test::uniform_samples<double>(300, 140, 3);
  const int threads = thread_count();
  set_thread_count(1);
  const Matrix<double> expected = sum_of(x, 128, true).scatter();
  set_thread_count(3);
  CHECK(sum_of(x, 128, true).scatter() == expected);
  set_thread_count(threads);
  detail::MomentSum<double> none(3, true);
  none.add(Matrix<double>(0, 3));
  CHECK(none.count() == 0);
  CHECK(none.scatter().isZero(0));
}

}  // namespace moment_sum_test
