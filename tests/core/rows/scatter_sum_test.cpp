// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/scatter_sum.hpp>
#include <tests/support/row_parts.hpp>
#include <tests/support/samples.hpp>

namespace scatter_sum_test {

namespace {

using mercer::Index;
using mercer::Matrix;
using mercer::Real;
using mercer::RowSpace;
using mercer::RowSums;
using mercer::Vector;
using mercer::detail::ScatterSum;
using mercer::test::local_rows;
using mercer::test::on_processes;
using mercer::test::process_counts;

constexpr Index n = 1100, m = 150;  // two panels of columns, five tiles of rows

struct Sums {
  Matrix<double> scatter;  ///< both triangles
  Vector<double> sum;
  bool complete = false;  ///< all rows are counted, and keep to the bound
  bool operator==(const Sums& other) const { return scatter == other.scatter && sum == other.sum; }
};

/// The sums over processes, of groups of two tiles.
template <Real S>
std::vector<Sums> sums_of(const Matrix<S>& f, Index count, RowSums kind, int largest,
                          const Vector<S>& weights = {}) {
  auto found = on_processes(count, f.rows(), kind, [&](const RowSpace& rows) {
    const Matrix<S> mine = local_rows(rows, f);
    ScatterSum<S> sums(rows, f.cols(), largest);
    for (Index first = 0; first < mine.rows(); first += 512) {
      const Index size = std::min<Index>(512, mine.rows() - first);
      sums.add(mine.middleRows(first, size),
               weights.size() > 0 ? Vector<S>(weights.segment(rows.first() + first, size))
                                  : Vector<S>());
    }
    const bool right = sums.count() == mine.rows() && sums.within();
    sums.reduce();
    return Sums{sums.scatter().template selfadjointView<Eigen::Lower>(), sums.sum(), right};
  });
  for (const Sums& sums : found) CHECK(sums.complete);
  return found;
}

}  // namespace

SCALAR_TEST_CASE("scatter sums: sums that were kept go on, on another number of processes",
                 "[core][rows]") {
  using S = TestType;
  const Matrix<S> f = mercer::normal_matrix<S>(n, m, 1, "f");
  const int largest = 3;
  constexpr Index before = 512;  // rows that are summed when the sums are kept
  struct Kept {
    Matrix<double> state;
    Sums sums;
  };
  // The sums of some rows on so many processes, which begin with those of a state.
  const auto add = [&](Index count, RowSums kind, Index begin, Index end,
                       const Matrix<double>& state) {
    return on_processes(count, n, kind, [&](const RowSpace& rows) {
      ScatterSum<S> sums(rows, m, largest);
      if (state.size() > 0 && rows.processes().rank() == 0) sums.add_state(state);
      const Index from = std::max(begin, rows.first()),
                  to = std::min(end, rows.first() + rows.local());
      if (from < to) sums.add(f.middleRows(from, to - from));
      Kept kept{sums.state(), {}};
      sums.reduce();
      kept.sums = {sums.scatter().template selfadjointView<Eigen::Lower>(), sums.sum(), true};
      return kept;
    });
  };
  for (const Index first : {1, 3})
    for (const Index second : {1, 4}) {
      const auto whole = add(1, RowSums::OrderFree, 0, n, {}).front();
      const auto state = add(first, RowSums::OrderFree, 0, before, {}).front().state;
      CHECK(state.cols() == 3 * (m + 1));
      for (const Kept& all : add(second, RowSums::OrderFree, before, n, state)) {
        CHECK(all.sums == whole.sums);
        CHECK(all.state == whole.state);
      }
      const auto plain = add(first, RowSums::Plain, 0, before, {}).front().state;
      CHECK(plain.cols() == m + 1);
      const Sums all = add(second, RowSums::Plain, before, n, plain).front().sums;
      // Rounding of sums over 1100 rows with values of order 1.
      CHECK((all.scatter - whole.sums.scatter).cwiseAbs().maxCoeff() <=
            100 * n * double{std::numeric_limits<S>::epsilon()});
    }
}

SCALAR_TEST_CASE("scatter sums: the sums, with the same bits for any number of processes",
                 "[core][rows]") {
  using S = TestType;
  const Matrix<S> f = mercer::normal_matrix<S>(n, m, 1, "f");
  const int largest = 3;  // normal values are below 8
  const Matrix<double> wide = f.template cast<double>();
  const Matrix<double> exact = wide.transpose() * wide;
  // Rounding of products of a group, with values of order 1.
  const double tolerance = 100 * double{std::numeric_limits<S>::epsilon()};
  const Sums one = sums_of(f, 1, RowSums::OrderFree, largest).front();
  CHECK((one.scatter - exact).cwiseAbs().maxCoeff() <= tolerance * n);
  CHECK((one.sum - wide.colwise().sum().transpose()).cwiseAbs().maxCoeff() <= tolerance * n);
  for (const Index count : process_counts) {
    for (const Sums& found : sums_of(f, count, RowSums::OrderFree, largest)) CHECK(found == one);
    const Sums plain = sums_of(f, count, RowSums::Plain, largest).front();
    CHECK((plain.scatter - exact).cwiseAbs().maxCoeff() <= tolerance * n);
  }
}

TEST_CASE("scatter sums: a bound far above the values costs no digits", "[core][rows]") {
  const Matrix<double> f = mercer::normal_matrix<double>(n, 20, 1, "f");
  const Sums tight = sums_of(f, 2, RowSums::OrderFree, 3).front();
  // Products are bounded by 2^40: sums of about 1000 keep all 53 binary digits of 101.
  const Sums wide = sums_of(f, 2, RowSums::OrderFree, 20).front();
  CHECK((tight.scatter - wide.scatter).cwiseAbs().maxCoeff() <=
        4 * std::numeric_limits<double>::epsilon() * n);
}

TEST_CASE("scatter sums: values beyond the bound are noticed", "[core][rows]") {
  Matrix<double> f = mercer::normal_matrix<double>(n, 20, 1, "f");
  f(n - 1, 7) = -100;
  for (const double last : {-100.0, std::numeric_limits<double>::quiet_NaN()}) {
    f(n - 1, 7) = last;
    const auto found = on_processes(3, n, RowSums::OrderFree, [&](const RowSpace& rows) {
      ScatterSum<double> sums(rows, f.cols(), 3);
      sums.add(local_rows(rows, f));
      const bool noticed = sums.within() == (rows.first() + rows.local() < n);
      return noticed ? sums.least_bound() : -1;
    });
    const int bound = std::isnan(last) ? mercer::detail::Exponent::infinite : 7;
    for (const int exponent : found) CHECK(exponent == bound);
  }
}

TEST_CASE("scatter sums: zeros, no columns, and tiny and huge values", "[core][rows]") {
  CHECK(sums_of(Matrix<double>(Matrix<double>::Zero(300, 3)), 2, RowSums::OrderFree,
                mercer::detail::Exponent::zero)
            .front()
            .scatter.isZero(0));
  CHECK(sums_of(Matrix<double>(300, 0), 2, RowSums::OrderFree, 0).front().sum.size() == 0);
  for (const int exponent : {-505, -400, 400, 500}) {
    const double scale = std::ldexp(1.0, exponent);
    const Matrix<double> f = scale * mercer::normal_matrix<double>(300, 3, 1, "f");
    const Matrix<double> found = sums_of(f, 2, RowSums::OrderFree, exponent + 3).front().scatter;
    CHECK((found / scale / scale).isApprox((f / scale).transpose() * (f / scale), 1e-14));
  }
}

SCALAR_TEST_CASE("scatter sums: rows with weights", "[core][rows]") {
  using S = TestType;
  const Matrix<S> f = mercer::test::uniform_samples<S>(700, m, 9);
  const Vector<S> w = mercer::test::uniform_samples<S>(700, 1, 10, 0, 2);
  ScatterSum<S> sums(RowSpace::whole(700), m, 0);
  for (Index first = 0; first < 700; first += 300) {
    const Index size = std::min<Index>(300, 700 - first);
    sums.add(f.middleRows(first, size), w.segment(first, size));
  }
  sums.reduce();
  CHECK(sums.count() == 700);
  const Matrix<double> exact = f.template cast<double>();
  const Matrix<double> weighted = w.template cast<double>().asDiagonal() * exact;
  const Matrix<double> found = sums.scatter().template selfadjointView<Eigen::Lower>();
  // Sums of 300 products up to 2 in S, 700 in all.
  const double tolerance = 700 * 4 * static_cast<double>(std::numeric_limits<S>::epsilon());
  CHECK((found - exact.transpose() * weighted).cwiseAbs().maxCoeff() <= tolerance);
  CHECK((sums.sum() - weighted.colwise().sum().transpose()).cwiseAbs().maxCoeff() <= tolerance);
  // Order-free, over processes.
  const Sums one = sums_of(f, 1, RowSums::OrderFree, 0, w).front();
  CHECK((one.scatter - exact.transpose() * weighted).cwiseAbs().maxCoeff() <= tolerance);
  CHECK((one.sum - weighted.colwise().sum().transpose()).cwiseAbs().maxCoeff() <= tolerance);
  for (const Index count : process_counts)
    for (const Sums& found_there : sums_of(f, count, RowSums::OrderFree, 0, w))
      CHECK(found_there == one);
}

TEST_CASE("scatter sums: weights of mean 1 that are large", "[core][rows]") {
  // All of the weight is on one row, whose values are near their bound.
  Vector<double> w = Vector<double>::Zero(n);
  w(700) = static_cast<double>(n);
  const Matrix<double> f = Matrix<double>::Constant(n, 2, -0.999);
  const Sums found = sums_of(f, 3, RowSums::OrderFree, 0, w).front();
  CHECK(found.scatter.isApproxToConstant(0.999 * 0.999 * static_cast<double>(n), 1e-14));
  CHECK(found.sum.isApproxToConstant(-0.999 * static_cast<double>(n), 1e-14));
}

}  // namespace scatter_sum_test
