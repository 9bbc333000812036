// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/kernel_cca.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include <mercer/kernels/composite.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/xy5.hpp>

namespace kernel_cca_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using test::check_vector;

namespace {

constexpr Index n = 120;

Matrix<double> as_column(const std::vector<double>& values) {
  return Eigen::Map<const Vector<double>>(values.data(), static_cast<Index>(values.size()));
}

/// An angle a: x = (cos a, sin a), y = sin 2a, each with noise and a column of noise.
test::TwoViewSamples ring_pair(Index size, std::uint64_t seed) {
  test::TwoViewSamples out{normal_matrix<double>(size, 3, seed, "ring x"),
                           normal_matrix<double>(size, 2, seed, "ring y")};
  out.x.leftCols(2) *= .2;
  out.y.col(0) *= .2;
  RandomStream angles(seed, "angles");
  for (Index i = 0; i < size; ++i) {
    const double angle = 2 * 3.14159265358979323846 * angles.uniform();
    out.x(i, 0) += std::cos(angle);
    out.x(i, 1) += std::sin(angle);
    out.y(i, 0) += std::sin(2 * angle);
  }
  return out;
}

}  // namespace

// The canonical correlations of the population, from the Hermite functions of the Gaussian kernel.
TEST_CASE("kernel_cca: a sample of a normal pair has about the values of the population",
          "[models]") {
  constexpr double r = .64;
  const auto [size, eps, pairs] = GENERATE(table<Index, double, Index>(
      {{1500, .1, 3}, {1500, .01, 1}, {40'000, .1, 3}, {40'000, .01, 2}}));
  // A correlation of n pairs has a standard error of at most n^(-1/2).
  const double bound = 4 / std::sqrt(static_cast<double>(size));
  const Matrix<double> x = normal_matrix<double>(size, 1, 1, "population x"),
                       noise = normal_matrix<double>(size, 1, 1, "population y");
  const Matrix<double> y = r * x + std::sqrt(1 - r * r) * noise;
  // In one dimension, 50 landmarks hold the kernel to rounding.
  const KernelCca cca{Gaussian(1.0),
                      Gaussian(1.0),
                      Nystrom{RpCholesky{}, {.landmarks = 50}},
                      {.components = pairs, .regularization = eps}};
  const auto model = cca.fit(x, y);
  Vector<double> rho(3);
  if (eps == .1)
    rho << .496558515248, .265776327113, .085709732343;
  else
    rho << .609767715360, .370720679669, .183838723665;
  CHECK((model.correlations() - rho.head(pairs)).cwiseAbs().maxCoeff() <= bound);
  // tr C_xx of the population is .422649730810.
  CHECK(*model.report().views[0].kappa ==
        Approx(eps * .422649730810).epsilon(3 / std::sqrt(double(size))));
}

TEST_CASE("kernel_cca: a view without variance, by landmarks", "[models]") {
  const auto views = test::correlated_views(60, 4);
  const Matrix<double> constant = Matrix<double>::Constant(60, 2, .7);
  const KernelCca cca{Gaussian(1.0), Gaussian(1.0), Nystrom<>{}, {.regularization = .1}};
  CHECK(cca.fit(constant, views.y).components() == 0);
  CHECK(cca.fit(views.x, constant).components() == 0);
}

TEST_CASE("kernel_cca: the worked pairs", "[models]") {
  const KernelCca cca{
      Gaussian(1.0), Gaussian(1.0), Exact{}, {.components = 4, .regularization = .1}};
  const auto model = cca.fit(test::x5(), test::y5());
  check_vector(model.correlations(), {.819491008252, .614026801532, .400535359042, .028653201035});
  const PairReport& report = model.report();
  CHECK(report.status == Status::Converged);
  CHECK(report.method == "kernel-cca");
  CHECK(std::abs(*report.views[0].kappa - .059807735442) <= 1e-12);
  CHECK(std::abs(*report.views[1].kappa - .036912837279) <= 1e-12);
  check_vector(as_column(report.training_correlations).topRows(2), {.996787744761, .958547530481});
  check_vector(model.functions_x().coefficients().col(0),
               {-.100210367905, -1.178431487702, .604631233899, -.656524642059, 1.330535263768});
  check_vector(model.functions_y().coefficients().col(0),
               {-1.149046824541, -1.006692480592, .918625902744, .376259818636, .860853583755});
  check_vector(model.transform_x(test::x5_query()).leftCols(2), {-.786134114851, -.384016463102});
  check_vector(model.transform_y(test::y5_query()).leftCols(2), {-.179962644634, -.851393548113});
  CHECK(model.transform_x(test::x5()).col(0).squaredNorm() / 5 == Approx(.779089247361));
  CHECK(model.transform_y(test::y5()).col(0).squaredNorm() / 5 == Approx(.867552559327));

  // By landmarks, with the same ridges in absolute terms.
  const Nystrom landmarks{Given{std::vector<Index>{0, 3}}};
  const auto traces =
      KernelCca{Gaussian(1.0), Gaussian(1.0), landmarks}.fit(test::x5(), test::y5()).report();
  const auto relative = [&](std::size_t view) {
    return 5 * *report.views[view].kappa / traces.views[view].basis.trace;
  };
  const KernelCca reduced{Gaussian(1.0),
                          Gaussian(1.0),
                          landmarks,
                          {.regularization = relative(0), .regularization_y = relative(1)}};
  check_vector(reduced.fit(test::x5(), test::y5()).correlations(), {.604932867319, .052990101443});
}

TEST_CASE("kernel_cca: identities of the exact form", "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(n, 3);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const Gaussian kernel_x(1.0), kernel_y(1.5);
  const Matrix<double> k = test::centered_gram(kernel_x, x), l = test::centered_gram(kernel_y, y);
  const auto size = static_cast<double>(n);
  const double kappa_x = .01 * k.trace() / size, kappa_y = .01 * l.trace() / size;
  const auto model =
      KernelCca{kernel_x, kernel_y, Exact{}, {.components = 4, .regularization = .01}}.fit(x, y);
  const Vector<double> rho = model.correlations();
  const Matrix<double> alpha = model.functions_x().coefficients(), f = model.transform_x(x),
                       g = model.transform_y(y), one = Matrix<double>::Identity(n, n);
  constexpr double rounding = 1e-10;
  CHECK(
      (alpha.transpose() * (k * f / size + kappa_x * f) - Matrix<double>::Identity(4, 4)).norm() <=
      rounding);
  const Matrix<double> smoother_x = k * (k + size * kappa_x * one).inverse(),
                       smoother_y = l * (l + size * kappa_y * one).inverse();
  Vector<double> squares =
      Eigen::EigenSolver<Matrix<double>>(smoother_x * smoother_y, false).eigenvalues().real();
  std::sort(squares.begin(), squares.end(), std::greater<>());
  for (Index j = 0; j < 4; ++j) {
    CHECK(std::abs(f.col(j).dot(g.col(j)) / size - rho(j)) <= rounding);
    CHECK(std::abs(f.col(j).squaredNorm() / size - 1 + kappa_x * alpha.col(j).dot(f.col(j))) <=
          rounding);
    CHECK(std::abs(std::sqrt(squares(j)) - rho(j)) <= rounding);
  }
  for (const ViewReport& view : model.report().views) {
    CHECK(view.effective_dimension > 1);
    CHECK(view.effective_dimension < double(view.rank));
    for (const double residual : view.residuals) CHECK(residual <= rounding);
  }
  for (const double bound : model.report().error_bounds) CHECK(bound <= rounding);

  // The problem of size 2 n, which others solve with jitter.
  Matrix<double> left = Matrix<double>::Zero(2 * n, 2 * n),
                 right = 1e-9 * Matrix<double>::Identity(2 * n, 2 * n);
  left.topRightCorner(n, n) = k * l;
  left.bottomLeftCorner(n, n) = l * k;
  right.topLeftCorner(n, n) += k * k + size * kappa_x * k;
  right.bottomRightCorner(n, n) += l * l + size * kappa_y * l;
  const Vector<double> jittered =
      Eigen::GeneralizedSelfAdjointEigenSolver<Matrix<double>>(left, right, Eigen::EigenvaluesOnly)
          .eigenvalues()
          .reverse()
          .head(4);
  CHECK((jittered - rho).cwiseAbs().maxCoeff() <= 1e-6);

  // Invariances: the views exchanged, the pairs in another order, a kernel times a constant.
  const KernelCca exchanged{kernel_y, kernel_x, Exact{}, {.components = 4, .regularization = .01}};
  CHECK((exchanged.fit(y, x).correlations() - rho).norm() <= rounding);
  const Matrix<double> x_back = x.colwise().reverse(), y_back = y.colwise().reverse();
  const KernelCca scaled{
      7.0 * kernel_x, kernel_y, Exact{}, {.components = 4, .regularization = .01}};
  CHECK((scaled.fit(x_back, y_back).correlations() - rho).norm() <= rounding);
}

TEST_CASE("kernel_cca: linear kernels and a tiny ridge are linear CCA", "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(n, 4);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const Matrix<double> a = x.rowwise() - x.colwise().mean(), b = y.rowwise() - y.colwise().mean();
  const Eigen::LLT<Matrix<double>> left(a.transpose() * a), right(b.transpose() * b);
  Matrix<double> t = left.matrixL().solve(a.transpose() * b);
  t = right.matrixL().solve(t.transpose()).eval();
  const Vector<double> expected = Eigen::JacobiSVD<Matrix<double>>(t).singularValues();
  for (const double eps : {1e-13, 0.0}) {
    const KernelCca cca{Linear{}, Linear{}, Exact{}, {.regularization = eps}};
    CHECK((cca.fit(x, y).correlations() - expected).norm() <= 1e-9);
  }
}

TEST_CASE("kernel_cca: smaller bases can only lower the correlations, within the bound",
          "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(n, 5);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const Gaussian kernel_x(1.0), kernel_y(1.5);
  const KernelCcaParams params{.components = 8, .regularization = .01};
  const auto exact = KernelCca{kernel_x, kernel_y, Exact{}, params}.fit(x, y);
  const Vector<double> squares = exact.correlations().cwiseAbs2();
  const auto traces = exact.report().views;
  const auto check = [&](const auto& solver, Components rank) {
    // The bound holds for the same ridges in absolute terms.
    KernelCcaParams same = params;
    same.rank = rank;
    const PairReport first = KernelCca{kernel_x, kernel_y, solver, same}.fit(x, y).report();
    same.regularization = .01 * traces[0].basis.trace / first.views[0].basis.trace;
    same.regularization_y = .01 * traces[1].basis.trace / first.views[1].basis.trace;
    const auto model = KernelCca{kernel_x, kernel_y, solver, same}.fit(x, y);
    CHECK(*model.report().views[0].kappa == Approx(*traces[0].kappa).epsilon(1e-9));
    const Vector<double> reduced = model.correlations().cwiseAbs2();
    REQUIRE(model.report().truncation_bound);
    for (Index j = 0; j < reduced.size(); ++j) {
      CHECK(reduced(j) <= squares(j) + 1e-9);
      CHECK(squares(j) - reduced(j) <= *model.report().truncation_bound + 1e-9);
    }
    return (squares.head(reduced.size()) - reduced).cwiseAbs().maxCoeff();
  };
  for (const Index landmarks : {30, 90, 120}) {
    CAPTURE(landmarks);
    const double error = check(Nystrom{Uniform{}, {.landmarks = landmarks}}, Components::all());
    if (landmarks == n) CHECK(error <= 1e-8);
  }
  for (const Index rank : {10, 50}) check(BlockKrylov{}, rank);
}

TEST_CASE("kernel_cca: without a ridge every correlation is 1, so it is refused", "[models]") {
  const Matrix<double> x = normal_matrix<double>(n, 2, 1, "x"),
                       y = normal_matrix<double>(n, 2, 1, "y"),
                       new_x = normal_matrix<double>(n, 2, 2, "x"),
                       new_y = normal_matrix<double>(n, 2, 2, "y");
  const Gaussian kernel(.5);
  const auto fit = [&](KernelCcaParams params) {
    return KernelCca{kernel, kernel, Exact{}, params}.fit(x, y);
  };
  const auto tiny = fit({.regularization = 1e-12});
  CHECK(tiny.correlations()(0) > 1 - 1e-6);
  CHECK(std::abs(tiny.correlations(new_x, new_y)[0]) < .35);
  CHECK(fit({.regularization = .1}).correlations()(0) < .5);
  CHECK_THAT(test::error_of([&] { return fit({.regularization = 0.0}); }),
             ContainsSubstring("correlations would be 1"));
  CHECK_THAT(test::error_of([&] { return fit({.regularization = .1, .regularization_y = 0.0}); }),
             ContainsSubstring("ranks 119 and 119"));
  // A ridge that is zero in floating point.
  const KernelCca vanishing{1e-20 * kernel, 1e-20 * kernel, Exact{}, {.regularization = 1e-310}};
  CHECK_THAT(test::error_of([&] { return vanishing.fit(x, y); }),
             ContainsSubstring("correlations would be 1"));
}

TEST_CASE("kernel_cca: a ridge chosen by cross-validation, and the permutation null", "[models]") {
  // The ring pair of the specification: one true component, which linear CCA cannot see.
  const test::TwoViewSamples views_of_both = ring_pair(300, 1);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const test::TwoViewSamples new_views = ring_pair(2000, 2);
  const Matrix<double>&new_x = new_views.x, &new_y = new_views.y;
  const Gaussian kernel_x(median_distance(x)), kernel_y(median_distance(y));
  const auto fit = [&](double eps) {
    return KernelCca{kernel_x, kernel_y, Exact{}, {.regularization = eps}}.fit(x, y);
  };
  double before = 1, best = 0;
  for (const double eps : {1e-8, 1e-6, 1e-4, 1e-2}) {
    const auto model = fit(eps);
    CHECK(model.correlations()(0) < before);
    before = model.correlations()(0);
    best = (std::max)(best, model.correlations(new_x, new_y)[0]);
    if (eps == 1e-8) {
      CHECK(model.report().training_correlations[0] > .93);
      CHECK(model.correlations(new_x, new_y)[0] < .8);
    }
  }
  const KernelCca cca{kernel_x, kernel_y, Exact{}, {.components = 1, .regularization = 1e-3}};
  const RegularizationChoice choice = cca.choose_regularization(x, y, {1e-8, 1e-6, 1e-4, 1e-2, 1});
  REQUIRE(choice.scores.size() == 5);
  CHECK(fit(choice.best).correlations(new_x, new_y)[0] > best - .02);
  CHECK(choice.scores[0] < choice.scores[2]);

  const std::vector<double> null = cca.permutation_null(x, y, 5);
  REQUIRE(null.size() == 5);
  const double largest = *std::max_element(null.begin(), null.end());
  const Vector<double> rho = fit(1e-3).correlations();
  CHECK(rho(0) > largest + .2);
  CHECK(rho(1) < largest + .05);
  CHECK(KernelCca{Linear{}, Linear{}, Exact{}, {.regularization = 0.0}}.fit(x, y).correlations()(
            0) < .3);
  CHECK(cca.permutation_null(x, y, 5) == null);
}

TEST_CASE("kernel_cca: single precision, hold-out and bad input", "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(n, 6);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const Gaussian kernel(1.5);
  const KernelCca cca{
      kernel, kernel, Exact{}, {.components = 3, .regularization = 1e-3, .holdout = .25}};
  const auto model = cca.fit(x, y);
  const auto single = cca.fit(Matrix<float>(x.cast<float>()), Matrix<float>(y.cast<float>()));
  CHECK((single.correlations() - model.correlations()).norm() <= 1e-4);
  CHECK(model.report().samples == 90);
  REQUIRE(model.report().holdout_correlations.size() == 3);
  const std::vector<Index> held = detail::split_rows("test", n, .25, 1).holdout;
  CHECK(model.correlations(detail::take_rows(x, held), detail::take_rows(y, held)) ==
        model.report().holdout_correlations);
  CHECK(model.report().holdout_correlations[0] < model.report().training_correlations[0]);

  const auto error = [&](KernelCcaParams params) {
    return test::error_of([&] { return KernelCca{kernel, kernel, Exact{}, params}.fit(x, y); });
  };
  CHECK_THAT(error({.regularization = -1.0}), ContainsSubstring("regularization must be finite"));
  CHECK_THAT(error({.regularization_y = std::numeric_limits<double>::infinity()}),
             ContainsSubstring("regularization_y") && ContainsSubstring("got inf"));
  CHECK_THAT(test::error_of([&] { return cca.choose_regularization(x, y, {}); }),
             ContainsSubstring("the grid is empty"));
  CHECK_THAT(test::error_of([&] { return cca.choose_regularization(x, y, {0.0}); }),
             ContainsSubstring("must be positive"));
  CHECK_THAT(test::error_of([&] { return cca.choose_regularization(x, y, {.1}, 61); }),
             ContainsSubstring("61 folds of 120"));
  CHECK_THAT(test::error_of([&] { return cca.permutation_null(x, y, 0); }),
             ContainsSubstring("count must be at least 1"));
  CHECK_THAT(test::error_of([&] { return model.correlations(x, y.topRows(5)); }),
             ContainsSubstring("120 rows and the second 5"));
  CHECK(model.correlations(x.topRows(0), y.topRows(0)) == std::vector<double>(3, 0.0));
}

TEST_CASE("kernel_cca: phases of the views' fits count for the pair", "[models][phases]") {
  const test::TwoViewSamples pairs = ring_pair(n, 3);
  const KernelCca cca{Gaussian(1.0),
                      Gaussian(1.0),
                      Nystrom{RpCholesky{}, {.landmarks = 50}},
                      {.components = 2, .regularization = .1}};
  const auto model = cca.fit(pairs.x, pairs.y);
  const PairReport& report = model.report();
  const auto seconds_of = [](const std::vector<PhaseCost>& phases, Phase phase) {
    double seconds = 0;
    for (const PhaseCost& cost : phases)
      if (cost.phase == phase) seconds += cost.seconds;
    return seconds;
  };
  constexpr double rounding = 1e-9;  // sums of the same times in another order
  double sum = 0;
  for (const PhaseCost& cost : report.phases) sum += cost.seconds;
  CHECK(sum <= report.fit_seconds + rounding);
  REQUIRE(report.views.size() == 2);
  for (const Phase phase : {Phase::Landmarks, Phase::Products, Phase::Eigenproblems}) {
    double of_views = 0;
    for (const ViewReport& view : report.views) {
      CHECK(seconds_of(view.basis.phases, phase) > 0);
      of_views += seconds_of(view.basis.phases, phase);
    }
    CHECK(seconds_of(report.phases, phase) >= of_views - rounding);
  }
}

TEST_CASE("kernel_cca: the ridge of an indefinite kernel is that of its positive part",
          "[models]") {
  Matrix<double> gram_x(2, 2);
  gram_x << 1, 0, 0, -2;
  const KernelCca cca{Precomputed{},
                      Precomputed{},
                      Exact{},
                      {.components = 1, .regularization = .5, .centered = false}};
  // D^2 is 1 / (1 + 2 kappa): 2/3 for x with kappa .5 / 2, and 1/2 for y with kappa .5.
  const auto model = cca.fit(gram_x, Matrix<double>::Identity(2, 2).eval());
  REQUIRE(model.components() == 1);
  CHECK(*model.report().views[0].kappa == Approx(.25));
  CHECK(*model.report().views[1].kappa == Approx(.5));
  CHECK(model.correlations()(0) == Approx(std::sqrt(1.0 / 3)));
  // What the basis of x leaves out is no matrix without negative eigenvalues.
  CHECK_FALSE(model.report().views[0].trace_error);
  CHECK(model.report().views[1].trace_error);
  CHECK_FALSE(model.report().truncation_bound);

  const Matrix<double> x{{.1}, {.2}};
  const KernelCca sigmoid{Sigmoid{{.gamma = 1, .coef0 = -1}},
                          Gaussian(1.0),
                          Exact{},
                          {.components = 1, .centered = false}};
  const auto small = sigmoid.fit(x, x);
  CHECK(small.correlations().allFinite());
  CHECK((small.correlations().array() <= 1).all());
  CHECK(small.transform_x(x).allFinite());
  const RegularizationChoice choice =
      KernelCca{Sigmoid{{.gamma = 1, .coef0 = -1}}, Gaussian(1.0)}.choose_regularization(
          normal_matrix<double>(40, 2, 1, "x"), normal_matrix<double>(40, 2, 1, "y"));
  CHECK(std::isfinite(choice.best));
}

TEST_CASE("kernel_cca: a choice of the ridge that is cancelled is none", "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(40, 6);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const KernelCca cca{Gaussian(1.5), Gaussian(1.5)};
  int calls = 0;
  const RegularizationChoice whole = cca.choose_regularization(
      x, y, {1e-3, 1e-1}, 3, [&](const Progress&) { return ++calls > 0; });
  CHECK(whole.status == Status::Converged);
  CHECK(whole.scores.size() == 2);
  REQUIRE(calls > 1);
  for (const int most : {0, calls - 1}) {
    int done = 0;
    const RegularizationChoice choice = cca.choose_regularization(
        x, y, {1e-3, 1e-1}, 3, [&](const Progress&) { return ++done <= most; });
    CHECK(choice.status == Status::Cancelled);
    CHECK(std::isnan(choice.best));
    CHECK(choice.grid == whole.grid);
    REQUIRE(choice.scores.size() == 2);
    CHECK(std::isnan(choice.scores[0]));
    CHECK(std::isnan(choice.scores[1]));
  }
}

TEST_CASE("kernel_cca: bases of a rank above the number of pairs have all that there is",
          "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(40, 6);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const Gaussian kernel(1.5);
  const KernelCca all{kernel, kernel, Exact{}, {.regularization = .01}};
  const KernelCca many{kernel, kernel, Exact{}, {.regularization = .01, .rank = 500}};
  CHECK((many.fit(x, y).correlations() - all.fit(x, y).correlations()).norm() <= 1e-12);
  // A fold has fewer pairs than all folds together.
  const KernelCca whole{kernel, kernel, Exact{}, {.regularization = .01, .rank = 40}};
  CHECK(whole.choose_regularization(x, y).best == all.choose_regularization(x, y).best);
}

TEST_CASE("kernel_cca: views that are not correlated at all have no component", "[models]") {
  const test::TwoViewSamples design = test::factorial_design();
  CHECK(KernelCca{Linear{}, Linear{}}.fit(design.x, design.y).components() == 0);
  const KernelCca without{Linear{}, Linear{}, Exact{}, {.regularization = 0.0}};
  CHECK(without.fit(design.x, design.y).components() == 0);
}

TEST_CASE("kernel_cca: a permutation null that is cancelled is none", "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(40, 6);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const KernelCca cca{Gaussian(1.5), Gaussian(1.5)};
  int calls = 0;
  const std::vector<double> whole =
      cca.permutation_null(x, y, 3, [&](const Progress&) { return ++calls > 0; });
  CHECK(whole.size() == 3);
  REQUIRE(calls > 3);
  for (int most = 0; most < calls; ++most) {
    CAPTURE(most);
    int done = 0;
    CHECK(cca.permutation_null(x, y, 3, [&](const Progress&) { return ++done <= most; }).empty());
  }
}

TEST_CASE("kernel_cca: no choice of the ridge without a component, and one at the edge",
          "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(60, 6);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const KernelCca cca{Gaussian(1.5), Gaussian(1.5), Exact{}, {.components = 1}};
  const RegularizationChoice none =
      cca.choose_regularization(Matrix<double>::Ones(60, 2), y, {1e-3, 1e-1});
  CHECK(std::isnan(none.best));
  CHECK_FALSE(none.at_edge);
  CHECK(none.status == Status::Converged);
  CHECK(none.scores == std::vector<double>{0, 0});
  CHECK(std::isfinite(cca.choose_regularization(x, y, {1e-1}).best));
  CHECK_FALSE(cca.choose_regularization(x, y, {1e-1}).at_edge);
  CHECK(cca.choose_regularization(x, y, {1e-12, 1e-13}).at_edge);
  // The best of these grids, and the same with one worse on each side, in any order.
  const RegularizationChoice wide = cca.choose_regularization(x, y);
  CHECK(wide.at_edge == (wide.best == 1e-8 || wide.best == 1));
  CHECK_FALSE(cca.choose_regularization(x, y, {wide.best, 1e6, 1e-14}).at_edge);
}

}  // namespace kernel_cca_test
