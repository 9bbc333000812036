// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/moment_sum.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include <rapidcheck.h>

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

SCALAR_TEST_CASE("moment_sum: parts of one batch each, merged in order, have the bits of one sum",
                 "[core]") {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(150, 140, 3, 5, 9);
  for (const bool centered : {false, true}) {
    CAPTURE(centered);
    const detail::MomentSum<S> whole = sum_of(x, 40, centered);
    detail::MomentSum<S> merged(x.cols(), centered);
    for (Index first = 0; first < x.rows(); first += 40)
      merged.merge(
          sum_of<S>(x.middleRows(first, (std::min)(Index{40}, x.rows() - first)), 40, centered));
    CHECK(merged.count() == whole.count());
    CHECK(merged.mean() == whole.mean());
    CHECK(merged.scatter() == whole.scatter());
    CHECK(merged.squares() == whole.squares());
  }
}

TEST_CASE("moment_sum: merging is associative and without an order, up to rounding",
          "[core][law]") {
  // Sums of at most 120 squares below 100, whose deviations are merged in at most 12 steps.
  constexpr double rounding = 12 * 120 * 100 * std::numeric_limits<double>::epsilon();
  CHECK(rc::check([&] {
    const bool centered = *rc::gen::arbitrary<bool>();
    const auto sizes = *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(1, 12),
                                                             rc::gen::inRange(0, 10));
    std::vector<detail::MomentSum<double>> parts;
    detail::MomentSum<double> all(3, centered), left(3, centered), right(3, centered);
    Matrix<double> rows(0, 3);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const Matrix<double> x = test::uniform_samples<double>(sizes[i], 3, i, 6, 9);
      parts.push_back(sum_of(x, 4, centered));
      all.merge(parts.back());
      Matrix<double> longer(rows.rows() + x.rows(), 3);
      longer << rows, x;
      rows = longer;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) (i % 2 == 0 ? left : right).merge(parts[i]);
    right.merge(left);
    for (const detail::MomentSum<double>& other : {right, sum_of(rows, 7, centered)}) {
      RC_ASSERT(other.count() == all.count());
      RC_ASSERT((other.mean() - all.mean()).norm() <= rounding);
      RC_ASSERT((other.scatter() - all.scatter()).norm() <= rounding);
    }
  }));
}

TEST_CASE("moment_sum: merged with itself, and with nothing", "[core]") {
  const Matrix<double> x{{1, 2}, {3, -4}};  // deviations (-1, 3) and (1, -3)
  detail::MomentSum<double> sum = sum_of(x, 2, true);
  sum.merge(detail::MomentSum<double>(2, true));
  CHECK(sum.count() == 2);
  CHECK(sum.scatter() == Matrix<double>{{2, -6}, {-6, 18}});
  detail::MomentSum<double> none(2, true);
  none.merge(sum);
  CHECK(none.mean() == sum.mean());
  CHECK(none.scatter() == sum.scatter());
  sum.merge(sum);
  CHECK(sum.count() == 4);
  CHECK(sum.mean() == Vector<double>{{2, -1}});
  CHECK(sum.scatter() == Matrix<double>{{4, -12}, {-12, 36}});
}

TEST_CASE("moment_sum: values that are of no sum are refused", "[core][error]") {
  using Sum = detail::MomentSum<double>;
  const Vector<double> mean = Vector<double>::Ones(2);
  const Matrix<double> scatter = Matrix<double>::Identity(2, 2);
  const Sum again(true, 3, mean, scatter);
  CHECK(again.count() == 3);
  CHECK(again.scatter() == scatter);
  CHECK(test::error_of([&] { return Sum(true, -1, mean, scatter).count(); }) ==
        "mercer::MomentSum: count must be at least 0, got -1");
  CHECK(test::error_of([&] { return Sum(true, 3, mean, Matrix<double>(2, 3)).count(); }) ==
        "mercer::MomentSum: the scatter is 2 x 3, but the mean has 2 values");
  CHECK(test::error_of([&] { return Sum(true, 0, mean, scatter).count(); }) ==
        "mercer::MomentSum: sums over no rows must be zero");
}

SCALAR_TEST_CASE("moment_sum: rows with weights are rows that come so often", "[core][law]") {
  using S = TestType;
  const bool centered = GENERATE(true, false);
  Matrix<S> x = test::uniform_samples<S>(90, 140, 8);
  x.col(3).array() += 100;
  Vector<double> weights(90);
  std::vector<Index> copies;
  for (Index i = 0; i < 90; ++i) {
    // A whole batch without weight, and rows in others.
    const Index count = i < 30 ? 0 : (5 * i) % 4;
    weights(i) = static_cast<double>(count);
    copies.insert(copies.end(), static_cast<std::size_t>(count), i);
  }
  detail::MomentSum<S> sum(x.cols(), centered);
  for (Index first = 0; first < 90; first += 30)
    sum.add(x.middleRows(first, 30), weights.segment(first, 30));
  const auto expected = sum_of(test::rows_at(x, copies), 30, centered);
  CHECK(sum.count() == 90);
  CHECK(sum.weight() == expected.weight());
  CHECK(expected.weight() == static_cast<double>(copies.size()));
  const double eps = static_cast<double>(std::numeric_limits<S>::epsilon());
  // Column 3 has values of 100, whose products are 1e4, and there are 100 rows.
  const double tolerance = (centered ? 1e2 : 1e4) * 1e2 * 4 * eps;
  CHECK((sum.mean() - expected.mean()).cwiseAbs().maxCoeff() <= 1e3 * eps);
  CHECK((sum.scatter() - expected.scatter()).cwiseAbs().maxCoeff() <= tolerance);
  CHECK(sum.squares() == Approx(expected.squares()).epsilon(1e3 * eps));
}

TEST_CASE("moment_sum: sums without weight add their rows and nothing else", "[core]") {
  const Matrix<double> x = test::uniform_samples<double>(20, 3, 8);
  detail::MomentSum<double> none(3, true), sum(3, true);
  none.add(x, Vector<double>::Zero(20));
  none.merge(none);
  CHECK(none.count() == 40);
  CHECK(none.weight() == 0);
  CHECK(none.mean().isZero(0));
  sum.add(x);
  const Matrix<double> before = sum.scatter();
  sum.merge(none);
  CHECK(sum.count() == 60);
  CHECK((sum.scatter() == before));
}

}  // namespace moment_sum_test
