// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/nystrom/detail/nystrom_factor.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <Eigen/Eigenvalues>

#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/operators/gram_plan.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/x4.hpp>

namespace nystrom_factor_test {

using namespace mercer;

namespace {

template <OwnedSamples X>
Matrix<typename X::Scalar> dense_factor(const KernelView<X>& kernel, const X& x,
                                        const detail::NystromFactor<X>& factor) {
  using S = typename X::Scalar;
  Matrix<S> f(x.rows(), factor.whiten.cols());
  const PreparedSamples<X> samples = kernel.prepare(x),
                           points = kernel.prepare(factor.points, samples);
  detail::fill_factor<X, X, S>(kernel, samples, {0, x.rows()}, points,
                               factor.whiten.template cast<S>(), Vector<S>::Zero(f.cols()), f);
  return f;
}

}  // namespace

TEST_CASE("Nystroem factor: the worked example X4", "[solvers]") {
  const Matrix<double> x = test::x4();
  const Gaussian kernel(1.0);
  const auto factor = detail::nystrom_factor<Matrix<double>>(kernel, detail::take_rows(x, {0, 3}));
  const Matrix<double> f = dense_factor<Matrix<double>>(kernel, x, factor);
  const Matrix<double> approximation = f * f.transpose();
  Vector<double> diagonal(4);
  diagonal << 1, .547767777257, .048474365026, 1;
  constexpr double printed = 1e-12;  // the example is printed to 12 decimals
  CHECK((approximation.diagonal() - diagonal).cwiseAbs().maxCoeff() <= printed);
  CHECK(std::abs(approximation(1, 2) - .155740976408) <= printed);
}

SCALAR_TEST_CASE("Nystroem factor: K - F F^T is positive semidefinite, and zero at the landmarks",
                 "[solvers][law]") {
  using S = TestType;
  const Index n = 120, m = GENERATE(1, 60, 100);
  const double sigma = GENERATE(0.05, 0.8, 30.0);  // from independent to dependent columns
  const Matrix<S> x = test::uniform_samples<S>(n, 2, 3);
  const Gaussian kernel(sigma);
  const Matrix<double> k = gram(kernel, x).template cast<double>();
  const auto factor = detail::nystrom_factor<Matrix<S>>(kernel, x.topRows(m));
  const Matrix<double> f = dense_factor<Matrix<S>>(kernel, x, factor).template cast<double>();
  const Matrix<double> rest = k - f * f.transpose();
  // Directions that are left out of K(P, P), and rounding: in double the cut of 1e-12, in single
  // precision the errors of kernel values, about 1e-5.
  const double tolerance = (sizeof(S) == 4 ? 2e-4 : 1e-10) * static_cast<double>(n);
  CHECK(Eigen::SelfAdjointEigenSolver<Matrix<double>>(rest).eigenvalues().minCoeff() >= -tolerance);
  CHECK(rest.topRows(m).cwiseAbs().maxCoeff() <= tolerance);
  CHECK(factor.points.rows() == f.cols());
  CHECK(f.cols() <= m);
  if (sigma == 0.05 && m == 1) CHECK(rest.diagonal().tail(100).minCoeff() > 0.5);
}

TEST_CASE("Nystroem factor: landmarks that depend on others are left out", "[solvers]") {
  Matrix<double> x = test::uniform_samples<double>(20, 3, 4);
  x.bottomRows(10) = x.topRows(10);
  const Gaussian kernel(0.5);
  const auto factor = detail::nystrom_factor<Matrix<double>>(kernel, x);
  CHECK(factor.points.rows() == 10);
  CHECK(detail::nystrom_factor<Matrix<double>>(Linear{}, x).points.rows() == 3);
  CHECK(
      detail::nystrom_factor<Matrix<double>>(Linear{}, Matrix<double>::Zero(4, 2)).points.rows() ==
      0);
}

SCALAR_TEST_CASE("Nystroem factor: moments are those of the rows of F", "[solvers]") {
  using S = TestType;
  // Two groups of rows; two panels of columns.
  const auto [n, m] = GENERATE(table<Index, Index>({{4100, 20}, {300, 140}}));
  const bool centered = GENERATE(false, true);
  const Matrix<S> x = test::uniform_samples<S>(n, 3, 5);
  const Gaussian kernel(0.3);
  const auto factor = detail::nystrom_factor<Matrix<S>>(kernel, x.topRows(m));
  const Matrix<S> rows = dense_factor<Matrix<S>>(kernel, x, factor);
  const Matrix<double> f = rows.template cast<double>();
  const auto run = [&](detail::FactorRows<S>& held, bool hold) {
    return detail::nystrom_moments<Matrix<S>, Matrix<S>>(
        kernel, RowSpace::whole(x.rows()), x, factor.points, factor, held, centered, hold, 0, {});
  };
  detail::FactorRows<S> none;
  const auto moments = run(none, false);
  CHECK(none.values.size() == 0);
  // Rounding of up to 1e5 summands of order 1.
  const double tolerance = 300 * std::numeric_limits<S>::epsilon();
  const Vector<double> mean = f.colwise().mean();
  CHECK((moments.mean - mean).cwiseAbs().maxCoeff() <= tolerance);
  CHECK(moments.squared_norm == Approx(f.squaredNorm()).epsilon(tolerance));
  const Matrix<double> about = centered ? Matrix<double>(f.rowwise() - mean.transpose()) : f;
  CHECK((moments.scatter - about.transpose() * about).cwiseAbs().maxCoeff() <=
        tolerance * static_cast<double>(n));

  // The rows are held; then they are there before.
  for (const bool there : {false, true}) {
    detail::FactorRows<S> held;
    if (there) held.values = rows;
    const auto same = run(held, true);
    CHECK((same.mean - moments.mean).cwiseAbs().maxCoeff() <= tolerance);
    CHECK((same.scatter - moments.scatter).cwiseAbs().maxCoeff() <=
          tolerance * static_cast<double>(n));
    const Matrix<S> shifted = rows.rowwise() - same.origin.transpose().template cast<S>();
    CHECK((held.values - shifted).cwiseAbs().maxCoeff() <= tolerance);
    CHECK(same.origin.isZero(0) == !centered);
  }
}

TEST_CASE("Nystroem factor: moments from kernel values that are not whitened", "[solvers][law]") {
  const Index n = 400, m = GENERATE(40, 150);
  const bool centered = GENERATE(false, true);
  const double sigma = GENERATE(0.1, 0.4, 2.0);  // K(P, P) of condition 1e1, 1e8 and 1e12
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 8);
  const Gaussian kernel(sigma);
  const KernelView<Matrix<double>> view(kernel);
  const auto factor = detail::nystrom_factor<Matrix<double>>(kernel, x.topRows(m));
  detail::FactorRows<double> whitened, plain{.values = {}, .whitened = false};
  const auto expected = detail::nystrom_moments<Matrix<double>, Matrix<double>>(
      view, RowSpace::whole(n), x, factor.points, factor, whitened, centered, true, 0, {});
  const auto found = detail::nystrom_moments<Matrix<double>, Matrix<double>>(
      view, RowSpace::whole(n), x, factor.points, factor, plain, centered, true, 0, {});
  const auto trace = static_cast<double>(n);
  const auto probe = detail::probe_factor<Matrix<double>>(view, x, n, factor, centered, trace);
  // All rows are probed, so that the trace error is the exact one.
  CHECK(std::abs(probe.trace_error - (trace - expected.squared_norm)) <= 1e-9 * trace);
  // The error bound that the choice between the two relies on. 64: rounding of products.
  const double bound = 64 * std::numeric_limits<double>::epsilon() * (1 + probe.amplification);
  CHECK((found.scatter - expected.scatter).norm() <= bound * trace);
  CHECK(std::abs(found.squared_norm - expected.squared_norm) <= bound * trace);
  CHECK((found.mean - expected.mean).norm() <= bound * std::sqrt(trace));
  if (sigma == 0.1) CHECK(bound <= 1e-10);  // it is not an empty bound
}

TEST_CASE("Nystroem factor: moments from kernel values in single precision", "[solvers][law]") {
  const Index n = 500, m = 60;
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 9);
  const Gaussian kernel(0.15);
  const KernelView<Matrix<double>> view(kernel);
  const auto factor = detail::nystrom_factor<Matrix<double>>(kernel, x.topRows(m));
  const Matrix<float> rounded = view.to_single(x);
  detail::FactorRows<double> in_double;
  detail::FactorRows<float> in_single{.values = {}, .whitened = false};
  const auto expected = detail::nystrom_moments<Matrix<double>, Matrix<double>>(
      view, RowSpace::whole(n), x, factor.points, factor, in_double, true, true, 0, {});
  const auto found = detail::nystrom_moments<Matrix<double>, Matrix<float>>(
      view, RowSpace::whole(n), rounded, detail::take_rows(rounded, factor.kept), factor, in_single,
      true, true, 0, {});
  const auto trace = static_cast<double>(n);
  const auto probe = detail::probe_factor<Matrix<double>>(view, x, n, factor, true, trace);
  // The errors of both factors of S, once more for their chance.
  const double bound = 4 * detail::single_tile_error(view, x) * (1 + probe.amplification);
  CHECK((found.scatter - expected.scatter).norm() <= bound * trace);
  CHECK((found.scatter - expected.scatter).norm() > 1e-12 * trace);  // single it is
  CHECK(in_single.values.rows() == n);
}

SCALAR_TEST_CASE("Nystroem factor: the factor of a selection is that of its landmarks",
                 "[solvers]") {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(200, 2, 6);
  const Gaussian gaussian(0.5);
  const KernelView<Matrix<S>> kernel(gaussian);
  Landmarks<Matrix<S>> landmarks = RpCholesky{}.select(kernel, x, {.count = 30}, {});
  const std::vector<Index> rows = landmarks.rows;
  REQUIRE(landmarks.factor.has_value());
  const auto found = detail::selected_factor(kernel, RowSpace::whole(200), landmarks);
  const Matrix<S>& found_rows = *landmarks.factor;
  const auto direct = detail::nystrom_factor(kernel, test::rows_at(x, rows));
  // Both factors of K~ have rounding errors of about epsilon |L^-1|.
  const double tolerance = sizeof(S) == 4 ? 2e-3 : 1e-11;
  const Matrix<S> f = dense_factor<Matrix<S>>(kernel, x, direct);
  CHECK((found_rows * found_rows.transpose() - f * f.transpose()).cwiseAbs().maxCoeff() <=
        tolerance);
  CHECK((found_rows - dense_factor<Matrix<S>>(kernel, x, found)).cwiseAbs().maxCoeff() <=
        tolerance);
  CHECK(found.points.rows() == 30);
  const Vector<double> mean =
      test::rows_at(found_rows, rows).template cast<double>().colwise().mean().transpose();
  CHECK((found.shift - mean).cwiseAbs().maxCoeff() <= tolerance);

  SECTION("a factor of dependent landmarks is not taken") {
    Landmarks<Matrix<S>> twice = detail::landmarks_at(x, {0, 1, 1}, "given rows");
    twice.factor = Matrix<S>::Ones(200, 3);
    twice.factor->topRows(2) << 1, 0, 0, .5, 1, 0;
    CHECK(detail::selected_factor(kernel, RowSpace::whole(200), twice).points.rows() == 0);
    twice.factor.reset();
    CHECK(detail::selected_factor(kernel, RowSpace::whole(200), twice).points.rows() == 0);
  }
}

}  // namespace nystrom_factor_test
