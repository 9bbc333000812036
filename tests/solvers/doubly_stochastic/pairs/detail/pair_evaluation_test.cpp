// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/doubly_stochastic/pairs/detail/pair_evaluation.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <mercer/core/moment_sum.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <tests/support/catch.hpp>

namespace pair_evaluation_test {

using namespace mercer;

namespace {

constexpr Index blocks = 2, columns = 3, n = 300, k = 2;

/// (C + kappa)^(-1/2) for a symmetric C.
Matrix<double> inverse_root(Matrix<double> c, double kappa) {
  c.diagonal().array() += kappa;
  const EigenSystem<double> eigen = symmetric_eigensystem<double>(c);
  return eigen.vectors * eigen.values.cwiseSqrt().cwiseInverse().asDiagonal() *
         eigen.vectors.transpose();
}

/// Two views with features Z = [Z_1 Z_2], and the dense problem in z = Z / 2^(1/2).
struct Problem {
  Matrix<double> z_x, z_y;
  bool centered;
  Matrix<double> c_xx, c_yy, c_xy;

  explicit Problem(bool centre) : centered(centre) {
    const Matrix<double> common = normal_matrix<double>(n, 3, 1, "common");
    const Matrix<double> mix = normal_matrix<double>(3, 6, 2, "mix");
    z_x = common * mix + .5 * normal_matrix<double>(n, 6, 3, "x");
    z_y = common * mix.rowwise().reverse() + normal_matrix<double>(n, 6, 4, "y");
    z_x.array() += .7;
    z_y.array() -= .4;
    Matrix<double> x = z_x / std::sqrt(2.0), y = z_y / std::sqrt(2.0);
    if (centered) {
      x.rowwise() -= x.colwise().mean().eval();
      y.rowwise() -= y.colwise().mean().eval();
    }
    c_xx = x.transpose() * x / double(n);
    c_yy = y.transpose() * y / double(n);
    c_xy = x.transpose() * y / double(n);
  }
};

struct Evaluated {
  detail::PairRotation components;
  detail::PairResiduals residuals;
  Matrix<double> a, b;  // the functions that the residuals are of, over z
};

/// The end of a fit whose functions are z a and z b, in two panels of two tiles.
Evaluated evaluate(const Problem& p, PairMethod method, const Matrix<double>& a,
                   const Matrix<double>& b, double kappa_x = 0, double kappa_y = 0) {
  const double root = std::sqrt(double(blocks));
  const Matrix<double> c_x = a / root, c_y = b / root;  // the coefficients of a run
  detail::MomentSum<double> sum(2 * k, true);
  detail::FeatureProducts<double> x(blocks, columns, 2 * k), y(blocks, columns, 2 * k);
  for (Index first = 0; first < n; first += n / 2) {
    Matrix<double> values(n / 2, 2 * k);
    values << p.z_x.middleRows(first, n / 2) * c_x, p.z_y.middleRows(first, n / 2) * c_y;
    sum.add(values);
    const auto add_x = x.adding(values), add_y = y.adding(values);
    for (Index block = 0; block < blocks; ++block)
      for (const auto& [begin, size] : {std::pair<Index, Index>{0, 100}, {100, n / 2 - 100}}) {
        add_x(block, begin, p.z_x.block(first + begin, block * columns, size, columns));
        add_y(block, begin, p.z_y.block(first + begin, block * columns, size, columns));
      }
  }
  const detail::PairMoments moments(sum, p.centered);
  Vector<double> means;
  if (p.centered) {
    means.resize(2 * k);
    means << moments.mean_u, moments.mean_v;
  }
  const detail::ViewImages view_x(c_x, blocks, x.means(n, means), true, kappa_x),
      view_y(c_y, blocks, y.means(n, means), false, kappa_y);
  Evaluated out;
  out.components = method == PairMethod::Svd ? detail::singular_rotation<double>(moments)
                                             : detail::canonical_rotation<double>(moments);
  out.residuals = detail::pair_residuals<double>(method, moments, out.components, view_x, view_y);
  const detail::PairRotation used =
      method == PairMethod::Svd ? out.components
                                : detail::canonical_rotation<double>(
                                      moments, detail::ridge_of(view_x.kappa, view_x.functions),
                                      detail::ridge_of(view_y.kappa, view_y.functions));
  out.a = a * used.a;
  out.b = b * used.b;
  return out;
}

/// Some singular value is as near as the bounds say.
void check_bounds(const Evaluated& found, const Vector<double>& truth) {
  REQUIRE(found.residuals.bounds.size() == static_cast<std::size_t>(k));
  for (Index j = 0; j < k; ++j)
    CHECK((truth.array() - found.components.values(j)).abs().minCoeff() <=
          found.residuals.bounds[static_cast<std::size_t>(j)] + 1e-12);
}

constexpr double rounding = 1e-10;

}  // namespace

TEST_CASE("pair_evaluation: residuals of kernel SVD", "[solvers]") {
  const Problem p(GENERATE(true, false));
  const SingularSystem<double> exact = singular_system(p.c_xy);
  // The functions of a run have joint norm 1.
  const Matrix<double> a = exact.left.leftCols(k) / std::sqrt(2.0),
                       b = exact.right.leftCols(k) / std::sqrt(2.0);
  const Evaluated solved = evaluate(p, PairMethod::Svd, a, b);
  CHECK((solved.components.values - exact.values.head(k)).cwiseAbs().maxCoeff() <= rounding);
  CHECK(solved.residuals.worst <= rounding);
  for (const double bound : solved.residuals.bounds) CHECK(bound <= rounding);

  const double error = GENERATE(1e-4, 1e-2, .2);
  const Evaluated near =
      evaluate(p, PairMethod::Svd, a + error * normal_matrix<double>(6, k, 5, "a"),
               b + error * normal_matrix<double>(6, k, 6, "b"));
  const Vector<double>& sigma = near.components.values;
  const Matrix<double> rest_x = p.c_xy * near.b - near.a * sigma.asDiagonal(),
                       rest_y = p.c_xy.transpose() * near.a - near.b * sigma.asDiagonal();
  double worst = 0;
  for (Index j = 0; j < k; ++j) {
    CHECK(near.residuals.x[static_cast<std::size_t>(j)] ==
          Approx(rest_x.col(j).norm()).epsilon(1e-8));
    CHECK(near.residuals.y[static_cast<std::size_t>(j)] ==
          Approx(rest_y.col(j).norm()).epsilon(1e-8));
    worst = (std::max)(
        {worst, rest_x.col(j).norm() / (p.c_xy * near.b).colwise().norm().maxCoeff(),
         rest_y.col(j).norm() / (p.c_xy.transpose() * near.a).colwise().norm().maxCoeff()});
  }
  CHECK(near.residuals.worst == Approx(worst).epsilon(1e-8));
  check_bounds(near, exact.values);
}

TEST_CASE("pair_evaluation: residuals of kernel CCA", "[solvers]") {
  const Problem p(GENERATE(true, false));
  const double kappa_x = .05, kappa_y = .2;
  const Matrix<double> w_x = inverse_root(p.c_xx, kappa_x), w_y = inverse_root(p.c_yy, kappa_y);
  const SingularSystem<double> exact = singular_system<double>(w_x * p.c_xy * w_y);
  const Matrix<double> a = w_x * exact.left.leftCols(k) / std::sqrt(2.0),
                       b = w_y * exact.right.leftCols(k) / std::sqrt(2.0);
  const Evaluated solved = evaluate(p, PairMethod::Cca, a, b, kappa_x, kappa_y);
  // The small ridge of the Cholesky factors is 1e-8 of the variance.
  CHECK(solved.residuals.worst <= 1e-6);
  check_bounds(solved, exact.values);

  const double error = GENERATE(1e-3, .1);
  const Evaluated near =
      evaluate(p, PairMethod::Cca, a + error * normal_matrix<double>(6, k, 5, "a"),
               b + error * normal_matrix<double>(6, k, 6, "b"), kappa_x, kappa_y);
  const Matrix<double> image = p.c_xy * near.b, metric = p.c_xx * near.a + kappa_x * near.a;
  for (Index j = 0; j < k; ++j) {
    const double rho = near.a.col(j).dot(image.col(j));
    CHECK(near.residuals.x[static_cast<std::size_t>(j)] ==
          Approx((image.col(j) - rho * metric.col(j)).norm()).epsilon(1e-4));
  }
  CHECK(near.residuals.worst > 1e-4);
  check_bounds(near, exact.values);

  // Without a ridge there are residuals, and no bounds.
  const Evaluated open = evaluate(p, PairMethod::Cca, a, b, 0, kappa_y);
  CHECK(open.residuals.x.size() == static_cast<std::size_t>(k));
  CHECK(open.residuals.bounds.empty());
}

}  // namespace pair_evaluation_test
