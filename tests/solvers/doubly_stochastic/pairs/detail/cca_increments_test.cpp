// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/doubly_stochastic/pairs/detail/cca_increments.hpp>

#include <cmath>
#include <functional>
#include <vector>

#include <mercer/core/random.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace cca_increments_test {

using namespace mercer;
using detail::CcaForm;

namespace {

/// Calls use(rows) for each of the n^count batches of count draws from n rows.
void for_all_batches(Index n, Index count,
                     const std::function<void(const std::vector<Index>&)>& use) {
  std::vector<Index> rows(static_cast<std::size_t>(count), 0);
  for (;;) {
    use(rows);
    std::size_t at = 0;
    while (at < rows.size() && ++rows[at] == n) rows[at++] = 0;
    if (at == rows.size()) return;
  }
}

/// The features of n pairs, and functions of them.
struct Problem {
  explicit Problem(Index n, bool centered)
      : fx(test::uniform_samples<double>(n, 6, 11, -2, 2)),
        fy(test::uniform_samples<double>(n, 6, 12, -2, 2)),
        a(test::uniform_samples<double>(6, 2, 13)),
        b(test::uniform_samples<double>(6, 2, 14)) {
    if (!centered) return;
    fx.rowwise() -= fx.colwise().mean().eval();
    fy.rowwise() -= fy.colwise().mean().eval();
  }

  Matrix<double> fx, fy, a, b;
};

struct Errors {
  double x, y;
};

/// The mean of a step over all batches, against C G - Metric G G^T C G, relative to its second
/// term, for each view.
Errors bias(const Problem& p, Index count, CcaForm form, StochasticRule rule, bool leave_out,
            bool centered, double used) {
  const auto n = static_cast<double>(p.fx.rows());
  const Matrix<double> cxx = p.fx.transpose() * p.fx / n, cyy = p.fy.transpose() * p.fy / n,
                       cxy = p.fx.transpose() * p.fy / n;
  Matrix<double> m = p.a.transpose() * cxy * p.b;
  m += m.transpose().eval();
  Matrix<double> want_x = cxy * p.b, want_y = cxy.transpose() * p.a;
  if (form == CcaForm::Sum) {
    m += p.a.transpose() * cxx * p.a + p.b.transpose() * cyy * p.b;
    want_x += cxx * p.a;
    want_y += cyy * p.b;
  }
  const Matrix<double> d = detail::decay_part(m, rule);
  const Matrix<double> minus_x = cxx * p.a * d, minus_y = cyy * p.b * d;
  Matrix<double> mean_x = Matrix<double>::Zero(6, 2), mean_y = mean_x;
  double batches = 0;
  for_all_batches(p.fx.rows(), count, [&](const std::vector<Index>& rows) {
    Matrix<double> zx = test::rows_at(p.fx, rows), zy = test::rows_at(p.fy, rows);
    if (centered) {
      zx.rowwise() -= zx.colwise().mean().eval();
      zy.rowwise() -= zy.colwise().mean().eval();
    }
    const Matrix<double> u = zx * p.a, v = zy * p.b;
    const auto step = detail::cca_increments<double>(
        {.u = u, .v = v, .used = used, .form = form, .rule = rule, .leave_out = leave_out});
    mean_x += zx.transpose() * step.x / used;
    mean_y += zy.transpose() * step.y / used;
    ++batches;
  });
  return {(mean_x / batches - want_x + minus_x).norm() / minus_x.norm(),
          (mean_y / batches - want_y + minus_y).norm() / minus_y.norm()};
}

}  // namespace

// Acceptance 13 of two views.
TEST_CASE("cca_increments: with each pair left out, the mean of a step is exact", "[solvers]") {
  const auto form = GENERATE(CcaForm::Published, CcaForm::Sum);
  const auto rule = GENERATE(StochasticRule::Oja, StochasticRule::Gha);
  CAPTURE(form == CcaForm::Sum, to_string(rule));
  const Problem p(4, false);
  for (const Index count : {2, 3}) {
    const Errors left_out = bias(p, count, form, rule, true, false, static_cast<double>(count));
    CHECK(left_out.x <= 1e-12);
    CHECK(left_out.y <= 1e-12);
    const Errors published = bias(p, count, form, rule, false, false, static_cast<double>(count));
    CHECK(published.x > .1);
    CHECK(published.y > .1);
  }
}

TEST_CASE("cca_increments: batch means cost little when one less is counted", "[solvers]") {
  const Problem p(3, true);
  const auto of = [&](double used, bool leave_out) {
    return bias(p, 7, CcaForm::Published, StochasticRule::Oja, leave_out, true, used).x;
  };
  CHECK(of(6, true) < .05);
  CHECK(of(7, true) > .15);
  CHECK(of(6, false) > .05);
}

// Linear kernel in one dimension, where the published form settles at B / (2 B + 4).
TEST_CASE("cca_increments: the variance at which steps settle", "[solvers]") {
  // 10000 correlated values around each mean; five draws of the reference stay within .02.
  constexpr double tolerance = .03;
  const auto settled = [](Index rows, bool leave_out) {
    RandomStream draws(8, "pairs");
    double a = .5, b = .5, sum = 0;
    constexpr int steps = 12000, warm = 2000;
    Matrix<double> x(rows, 1), y(rows, 1);
    for (int t = 0; t < steps; ++t) {
      for (Index i = 0; i < rows; ++i) {
        const double z = draws.normal();
        x(i, 0) = .8 * z + .6 * draws.normal();
        y(i, 0) = .8 * z + .6 * draws.normal();
      }
      const Matrix<double> u = x * a, v = y * b;
      const auto step = detail::cca_increments<double>(
          {.u = u, .v = v, .used = static_cast<double>(rows), .leave_out = leave_out});
      a += .01 * x.col(0).dot(step.x.col(0)) / static_cast<double>(rows);
      b += .01 * y.col(0).dot(step.y.col(0)) / static_cast<double>(rows);
      if (t >= warm) sum += (a * a + b * b) / 2;
    }
    return sum / (steps - warm);
  };
  for (const Index rows : {1, 4, 16}) {
    const auto n = static_cast<double>(rows);
    CHECK(std::abs(settled(rows, false) - n / (2 * n + 4)) <= tolerance);
    if (rows > 1) CHECK(std::abs(settled(rows, true) - .5) <= tolerance);
  }
}

}  // namespace cca_increments_test
