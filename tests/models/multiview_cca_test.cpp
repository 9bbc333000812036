// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/multiview_cca.hpp>

#include <cmath>
#include <tuple>

#include <Eigen/Eigenvalues>

#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/xy5.hpp>

namespace multiview_cca_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr double rounding = 1e-10;  // as the numbers of the specification are printed

const Gaussian unit(1.0);

/// View q of samples of one angle: (cos qa, sin qa) with noise.
Matrix<double> angle_view(Index n, int q) {
  RandomStream angles(3, "angles");
  Matrix<double> x = .2 * normal_matrix<double>(n, 2, static_cast<std::uint64_t>(q), "noise");
  for (Index i = 0; i < n; ++i) {
    const double angle = q * 2 * 3.14159265358979323846 * angles.uniform();
    x(i, 0) += std::cos(angle);
    x(i, 1) += std::sin(angle);
  }
  return x;
}

}  // namespace

TEST_CASE("multiview_cca: the worked samples with a third view", "[models]") {
  const MultiviewCca cca{
      std::tuple{unit, unit, unit}, Exact{}, {.components = 3, .regularization = .1}};
  const auto model = cca.fit(test::x5(), test::y5(), test::z5());
  REQUIRE(model.components() == 3);
  CHECK(std::abs(model.eigenvalues()(0) - 2.373935357662) <= rounding);
  CHECK(std::abs(model.eigenvalues()(1) - 2.026013962424) <= rounding);
  CHECK(std::abs(model.eigenvalues()(2) - 1.814279285308) <= rounding);
  CHECK(model.report().status == Status::Converged);
  CHECK(model.report().views.size() == 3);
}

TEST_CASE("multiview_cca: two views are kernel CCA", "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(100, 1);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const auto joined =
      MultiviewCca{std::tuple{unit, unit}, Exact{}, {.components = 3, .regularization = .01}}.fit(
          x, y);
  const auto pair =
      KernelCca{unit, unit, Exact{}, {.components = 3, .regularization = .01}}.fit(x, y);
  CHECK((joined.eigenvalues().array() - 1 - pair.correlations().array()).matrix().norm() <= 1e-12);
  CHECK((joined.transform<0>(x) - pair.transform_x(x)).norm() <= 1e-8);
  CHECK((joined.transform<1>(y) - pair.transform_y(y)).norm() <= 1e-8);
  CHECK((joined.common_scores(x, y) - joined.transform<0>(x) - joined.transform<1>(y)).norm() <=
        rounding);
  const std::vector<double> found = joined.correlations(x, y), expected = pair.correlations(x, y);
  for (std::size_t j = 0; j < 3; ++j) CHECK(std::abs(found[j] - expected[j]) <= 1e-8);
}

TEST_CASE("multiview_cca: three views of one angle", "[models]") {
  constexpr Index n = 200;
  const Matrix<double> views[] = {angle_view(n, 1), angle_view(n, 2), angle_view(n, 3)};
  const MultiviewCca cca{
      std::tuple{unit, unit, unit}, Exact{}, {.components = 2, .regularization = .01}};
  const auto model = cca.fit(views[0], views[1], views[2]);
  const Matrix<double> f[] = {model.transform<0>(views[0]), model.transform<1>(views[1]),
                              model.transform<2>(views[2])};
  Matrix<double> pairs = Matrix<double>::Zero(3, 3);
  double mean = 0, norm = 0;
  for (int v = 0; v < 3; ++v) {
    for (int w = v + 1; w < 3; ++w) {
      mean += f[v].col(0).dot(f[w].col(0)) / double(n) / 3;
      const KernelCca two{unit, unit, Exact{}, {.regularization = .01}};
      pairs(v, w) = pairs(w, v) = two.fit(views[v], views[w]).correlations()(0);
    }
    norm += f[v].col(0).squaredNorm() / double(n) / 3;
  }
  const double lambda = model.eigenvalues()(0);
  CHECK(std::abs((lambda - 1) / 2 - mean) <= rounding);
  CHECK(norm < 1);
  CHECK(lambda > 1.5);
  CHECK(lambda - 1 <=
        Eigen::SelfAdjointEigenSolver<Matrix<double>>(pairs).eigenvalues()(2) + 1e-12);
  REQUIRE(model.report().error_bounds.size() == 2);
  for (const double bound : model.report().error_bounds) CHECK(bound <= 1e-12);
  for (const ViewReport& view : model.report().views)
    for (const double residual : view.residuals) CHECK(residual <= rounding);

  // Views of other kinds side by side.
  const Views mixed{Exact{}, Nystrom{Uniform{}, {.landmarks = 60}}, Exact{}};
  const MultiviewCca other{
      std::tuple{unit, unit, Linear{}}, mixed, {.components = 1, .regularization = .01}};
  const auto reduced = other.fit(views[0], views[1], Matrix<float>(views[2].cast<float>()));
  CHECK(reduced.eigenvalues()(0) <= lambda + 1e-6);
  CHECK(reduced.report().views[1].rank <= 60);
}

TEST_CASE("multiview_cca: bad input is named", "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(20, 8);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const MultiviewCca cca{std::tuple{unit, unit, unit}};
  CHECK_THAT(test::error_of([&] { return cca.fit(x, y, Matrix<double>(y.topRows(19))); }),
             ContainsSubstring("the same number of rows"));
  Matrix<double> bad = y;
  bad(3, 1) = std::numeric_limits<double>::infinity();
  CHECK_THAT(test::error_of([&] { return cca.fit(x, y, bad); }),
             ContainsSubstring("view 2") && ContainsSubstring("row 3, column 1"));
  const Matrix<double> other = Matrix<double>::Zero(3, y.cols() + 1);
  const Views solvers{Exact{}, Nystrom{Given{other}}};
  const MultiviewCca reduced{std::tuple{unit, unit}, solvers};
  CHECK_THAT(test::error_of([&] { return reduced.fit(x, y); }),
             ContainsSubstring("view 1") && ContainsSubstring("landmarks"));
  const MultiviewCca free{std::tuple{unit, unit}, Exact{}, {.regularization = 0.0}};
  CHECK_THAT(test::error_of([&] { return free.fit(x, y); }),
             ContainsSubstring("correlations would be 1"));
}

TEST_CASE("multiview_cca: constant views, and a fit that is cancelled at once", "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(30, 8);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const Matrix<double> constant = Matrix<double>::Ones(30, 2);
  const MultiviewCca three{std::tuple{unit, unit, unit}, Exact{}, {.regularization = .1}};
  const MultiviewCca two{std::tuple{unit, unit}, Exact{}, {.regularization = .1}};
  const auto model = three.fit(x, constant, y);
  CHECK((model.eigenvalues() - two.fit(x, y).eigenvalues()).cwiseAbs().maxCoeff() <= 1e-12);
  CHECK(model.report().views[1].rank == 0);
  CHECK((model.transform<1>(constant).array() == 0).all());
  const MultiviewCca free{std::tuple{unit, unit, unit}, Exact{}, {.regularization = 0.0}};
  CHECK_THAT(test::error_of([&] { return free.fit(x, constant, y); }),
             ContainsSubstring("correlations would be 1"));

  const auto none = three.fit(constant, constant, constant);
  CHECK(none.components() == 0);
  CHECK(none.transform<2>(constant).cols() == 0);
  CHECK(none.report().status == Status::Converged);
  CHECK(none.report().training_correlations.empty());
  const auto cancelled = three.fit_observed([](const Progress&) { return false; }, x, y, y);
  CHECK(cancelled.components() == 0);
  CHECK(cancelled.report().status == Status::Cancelled);
}

TEST_CASE("multiview_cca: the ridge of an indefinite kernel is that of its positive part",
          "[models]") {
  Matrix<double> gram(2, 2);
  gram << 1, 0, 0, -2;
  const MultiviewCca cca{std::tuple{Precomputed{}, Precomputed{}},
                         Exact{},
                         {.components = 1, .regularization = .5, .centered = false}};
  const auto model = cca.fit(gram, Matrix<double>::Identity(2, 2).eval());
  CHECK(*model.report().views[0].kappa == Approx(.25));
  CHECK(model.eigenvalues()(0) == Approx(1 + std::sqrt(1.0 / 3)));  // as KernelCca
}

TEST_CASE("multiview_cca: components without correlation are none", "[models]") {
  const Matrix<double> x = normal_matrix<double>(50, 2, 1, "x");
  const Matrix<double> y = x.col(0) + normal_matrix<double>(50, 1, 1, "y");
  const MultiviewCca cca{std::tuple{Linear{}, Linear{}}, Exact{}, {.components = 4}};
  const auto model = cca.fit(x, y);
  REQUIRE(model.components() == 1);  // as KernelCca: no more than the smaller rank
  CHECK(model.eigenvalues()(0) > 1.5);
  CHECK(model.transform<0>(x).cols() == 1);
  CHECK(model.report().components == 1);
  CHECK(model.report().error_bounds.size() == 1);
  const test::TwoViewSamples design = test::factorial_design();
  CHECK(cca.fit(design.x, design.y).components() == 0);
}

TEST_CASE("multiview_cca: what smaller bases cost has no bound", "[models]") {
  // A weak column that the other views share: of little variance, but of a large eigenvalue.
  const Matrix<double> s = normal_matrix<double>(200, 1, 1, "shared");
  Matrix<double> x(200, 2);
  x << normal_matrix<double>(200, 1, 1, "own"), std::sqrt(1e-3) * s;
  const auto fit = [&](Components rank) {
    return MultiviewCca{std::tuple{Linear{}, Linear{}, Linear{}},
                        Exact{},
                        {.components = 1, .regularization = .01, .rank = rank}}
        .fit(x, s, s);
  };
  const auto all = fit(Components::all()), one = fit(Index{1});
  CHECK(all.eigenvalues()(0) > one.eigenvalues()(0) + .1);
  CHECK_FALSE(all.report().truncation_bound);
  CHECK_FALSE(one.report().truncation_bound);
}

}  // namespace multiview_cca_test
