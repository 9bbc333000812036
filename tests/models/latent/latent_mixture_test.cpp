// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/latent/latent_mixture.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/composite.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>
#include <tests/models/mixture_laws.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace latent_mixture_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using test::Law;

namespace {

// --- Mixtures of laws on three values, where the samples are the whole population

/// A law on 0, 1, 2 in quarters, for each of two components.
using Quarters = std::array<std::array<int, 3>, 2>;

/// All triples of values, each as often as in a population of 256: a mixture with the weights 3/4
/// and 1/4.
std::array<Matrix<double>, 3> population(const std::array<Quarters, 3>& laws) {
  std::array<std::vector<double>, 3> rows;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      for (std::size_t c = 0; c < 3; ++c) {
        const auto times = [&](std::size_t h) {
          return laws[0][h][a] * laws[1][h][b] * laws[2][h][c];
        };
        for (int t = 0; t < 3 * times(0) + times(1); ++t) {
          rows[0].push_back(static_cast<double>(a));
          rows[1].push_back(static_cast<double>(b));
          rows[2].push_back(static_cast<double>(c));
        }
      }
  std::array<Matrix<double>, 3> views;
  for (std::size_t v = 0; v < 3; ++v)
    views[v] = Eigen::Map<Vector<double>>(rows[v].data(), static_cast<Index>(rows[v].size()));
  return views;
}

/// The share of each value in column j of the result: expectations of the indicators of the values.
Matrix<double> indicators(const Matrix<double>& x) {
  Matrix<double> out(x.rows(), 3);
  for (Index j = 0; j < 3; ++j)
    out.col(j) = (x.col(0).array() == static_cast<double>(j)).cast<double>();
  return out;
}

Matrix<double> shares(const Quarters& law) {
  Matrix<double> out(2, 3);
  for (Index h = 0; h < 2; ++h)
    for (Index j = 0; j < 3; ++j)
      out(h, j) = law[static_cast<std::size_t>(h)][static_cast<std::size_t>(j)] / 4.0;
  return out;
}

double distance(const Matrix<double>& a, const Matrix<double>& b) {
  REQUIRE(a.rows() == b.rows());
  REQUIRE(a.cols() == b.cols());
  return (a - b).cwiseAbs().maxCoeff();
}

constexpr Quarters alike{{{2, 1, 1}, {0, 1, 3}}};
const std::array<Quarters, 3> same_laws{alike, alike, alike};
const std::array<Quarters, 3> other_laws{alike, Quarters{{{1, 3, 0}, {1, 1, 2}}},
                                         Quarters{{{0, 2, 2}, {3, 0, 1}}}};

// --- The mixtures of the page, at full size where tests are optimised

#if defined(NDEBUG)
constexpr Index count = 20000;
constexpr double looser = 1;
constexpr Index stochastic_steps = 600;
#else
constexpr Index count = 5000;
constexpr double looser = 2;  // errors go down like the root of the number of samples
constexpr Index stochastic_steps = 300;
#endif
constexpr double sigma = 0.3, step = 0.05;

Vector<double> grid() {
  return Vector<double>::LinSpaced(320, -6, 10 - step);
}

const std::vector<Law> two{Law::normal(-2, 0.6), Law::gamma(1.2, 1)};
const std::vector<Law> three{Law::normal(-2, 0.6), Law::gamma(1.2, 1), Law::normal(5, 0.5)};

const Nystrom<RpCholesky> landmarks{RpCholesky{}, {.landmarks = 100}};

}  // namespace

TEST_CASE("latent_mixture: a whole population gives its components", "[models]") {
  const auto [a, b, c] = population(same_laws);
  REQUIRE(a.rows() == 256);
  const auto model = LatentMixture{Gaussian{0.7}, Exact{}, {.components = 2}}.fit(a, b, c);
  CHECK(model.report().status == Status::Converged);
  CHECK(model.components() == 2);
  CHECK(distance(model.weights(), Vector<double>{{0.75, 0.25}}) <= 1e-10);
  CHECK(model.defect() <= 1e-10);
  const Matrix<double> truth = shares(alike);
  CHECK(distance(model.expectation(0, indicators(a)), truth) <= 1e-10);
  CHECK(distance(model.expectation(1, indicators(b)), truth) <= 1e-10);
  CHECK(distance(model.expectation(2, indicators(c)), truth) <= 1e-10);
  CHECK(distance(model.expectation(indicators(a), indicators(b), indicators(c)), truth) <= 1e-10);
  // Two components: of the three dimensions that three values span, the third has no moment.
  REQUIRE(model.singular_values().size() == 3);
  CHECK(model.singular_values()(2) <= 1e-12);
  CHECK(model.singular_values()(1) >= 0.01);

  // The density is the sum of Gaussians about the values, with the shares as weights.
  const Vector<double> points = Vector<double>::LinSpaced(5, -1, 3);
  Matrix<double> expected = Matrix<double>::Zero(5, 2);
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 3; ++j)
      expected.row(i) +=
          truth.col(j).transpose() * Law::normal(static_cast<double>(j), 0.7).density(points(i));
  CHECK(distance(model.density(points), expected) <= 1e-10);
  for (Index view = 0; view < 3; ++view)
    CHECK(distance(model.density(view, points), expected) <= 1e-10);
}

TEST_CASE("latent_mixture: a population of views that differ", "[models]") {
  const auto views = population(other_laws);
  REQUIRE(views[0].rows() == 256);
  const LatentMixture mixture{
      DifferentViews{Gaussian{0.7}, Linear{}, Gaussian{1.1}}, Exact{}, {.components = 2}};
  // A linear kernel sees one dimension of the second view only, which is one too few.
  CHECK_THAT(test::error_of([&] { return mixture.fit(views[0], views[1], views[2]); }),
             ContainsSubstring("2 components need as many positive eigenvalues of the second "
                               "moment, which has 1 ("));
  const auto model = LatentMixture{
      DifferentViews{Gaussian{0.7}, Gaussian{0.5}, Gaussian{1.1}},
      Exact{},
      {.components = 2}}.fit(views[0], views[1], views[2]);
  CHECK(distance(model.weights(), Vector<double>{{0.75, 0.25}}) <= 1e-10);
  CHECK(model.defect() <= 1e-10);
  for (Index v = 0; v < 3; ++v)
    CHECK(distance(model.expectation(v, indicators(views[static_cast<std::size_t>(v)])),
                   shares(other_laws[static_cast<std::size_t>(v)])) <= 1e-10);
  // Its second view is the one with a kernel of width 1/2.
  const Vector<double> points = Vector<double>::LinSpaced(5, -1, 3);
  CHECK(distance(model.density(1, points), std::get<1>(model.views()).density(points)) == 0);
  CHECK(std::get<1>(model.views()).kernel().sigma() == 0.5);
}

TEST_CASE("latent_mixture: one component is the mean", "[models]") {
  const auto [a, b, c] = population(same_laws);
  const auto model = LatentMixture{Gaussian{0.7}, Exact{}, {.components = 1}}.fit(a, b, c);
  CHECK(model.components() == 1);
  CHECK(model.expectation(0, Matrix<double>::Ones(256, 1))(0, 0) == Approx(1).margin(0.1));
}

TEST_CASE("latent_mixture: a Gaussian and a Gamma component, by landmarks and by features",
          "[models]") {
  const auto check = [](const auto& solver, const std::vector<Law>& laws,
                        const std::vector<double>& weights) {
    const auto [a, b, c] = test::draw_views({laws, laws, laws}, weights, count, 1);
    const auto k = static_cast<Index>(laws.size());
    const auto model = LatentMixture{Gaussian{sigma}, solver, {.components = k}}.fit(a, b, c);
    const auto error = test::compare_mixture(grid(), step, model.density(grid()), sigma,
                                             model.weights(), laws, weights);
    CAPTURE(weights, model.weights().transpose(), model.singular_values().head(k + 1).transpose(),
            model.defect(), error.density, error.weights);
    CHECK(error.weights <= 0.015 * looser);
    CHECK(error.density <= 0.03 * looser);
    CHECK(model.singular_values()(k) <= 0.2 * model.singular_values()(k - 1));
    CHECK(model.report().status == Status::Converged);
    if (k > 2) return;
    const Matrix<double> means = model.expectation(a, b, c);
    CHECK(means(error.order[0], 0) == Approx(-2).margin(0.05 * looser));
    CHECK(means(error.order[1], 0) == Approx(1.2).margin(0.05 * looser));
  };
  const FeaturePca features{RandomFourier{.features = 64}};
  for (const auto& weights : {std::vector{0.5, 0.5}, std::vector{0.3, 0.7}}) {
    check(landmarks, two, weights);
    check(features, two, weights);
  }
  check(landmarks, three, {0.4, 0.35, 0.25});
  check(features, three, {0.4, 0.35, 0.25});
}

// The functions of step 1 by stochastic kernel SVD of pairs of views.
TEST_CASE("latent_mixture: functions by stochastic steps", "[models]") {
  const DoublyStochastic steps{
      RandomFourier{.features = 128, .form = FourierForm::Phase},
      {.blocks = 4, .data_batch = 256, .steps = stochastic_steps, .start_rows = 1024}};
  const std::vector<double> weights{0.3, 0.7};
  const auto views = test::draw_views({two, two, two}, weights, count, 1);
  const Matrix<double>&a = views[0], &b = views[1], &c = views[2];
  const LatentMixture mixture{Gaussian{sigma}, steps, {.components = 2}};
  const auto model = mixture.fit(a, b, c);
  const auto error = test::compare_mixture(grid(), step, model.density(grid()), sigma,
                                           model.weights(), two, weights);
  CAPTURE(model.weights().transpose(), model.singular_values().transpose(), error.density);
  CHECK(error.weights <= 0.02 * looser);
  CHECK(error.density <= 0.03 * looser);
  const PairReport& report = model.report();
  CHECK(report.method == "latent-mixture");
  CHECK(report.status == Status::Finished);
  CHECK(report.samples == count);
  CHECK(report.views.size() == 3);
  REQUIRE(report.stochastic);
  CHECK(report.stochastic->steps == stochastic_steps);
  CHECK(model.singular_values().size() == 2);
  CHECK_THAT(
      test::error_of([&] {
        return LatentMixture{Gaussian{sigma}, steps, {.components = std::nullopt}}.fit(a, b, c);
      }),
      ContainsSubstring("say how many"));
  const auto stopped = mixture.fit(a, b, c, [](const Progress&) { return false; });
  CHECK(stopped.report().status == Status::Cancelled);
  CHECK(stopped.components() == 0);
}

TEST_CASE("latent_mixture: functions of views that differ, by stochastic steps", "[models]") {
  const DoublyStochastic steps{
      RandomFourier{.features = 128, .form = FourierForm::Phase},
      {.blocks = 4, .data_batch = 256, .steps = stochastic_steps, .start_rows = 1024}};
  const test::Laws laws{two,
                        {Law::normal(1, 0.5), Law::normal(-1.5, 0.8)},
                        {Law::gamma(2, 0.7), Law::normal(4, 0.6)}};
  const std::vector<double> weights{0.35, 0.65};
  const auto [a, b, c] = test::draw_views(laws, weights, count, 5);
  const Gaussian kernel{sigma};
  const auto model = LatentMixture{DifferentViews{kernel, kernel, kernel}, steps}.fit(a, b, c);
  CHECK(model.report().views.size() == 3);
  for (Index v = 0; v < 3; ++v) {
    const auto error =
        test::compare_mixture(grid(), step, model.density(v, grid()), sigma, model.weights(),
                              laws[static_cast<std::size_t>(v)], weights);
    CAPTURE(v, model.weights().transpose(), error.density, error.weights);
    CHECK(error.weights <= 0.02 * looser);
    CHECK(error.density <= 0.04 * looser);
  }
}

TEST_CASE("latent_mixture: three views with laws of their own", "[models]") {
  const test::Laws laws{two,
                        {Law::normal(1, 0.5), Law::normal(-1.5, 0.8)},
                        {Law::gamma(2, 0.7), Law::normal(4, 0.6)}};
  const std::vector<double> weights{0.35, 0.65};
  const auto [a, b, c] = test::draw_views(laws, weights, count, 5);
  const Gaussian kernel{sigma};
  const auto model = LatentMixture{DifferentViews{kernel, kernel, kernel}, landmarks}.fit(a, b, c);
  for (Index v = 0; v < 3; ++v) {
    const auto error =
        test::compare_mixture(grid(), step, model.density(v, grid()), sigma, model.weights(),
                              laws[static_cast<std::size_t>(v)], weights);
    CAPTURE(v, model.weights().transpose(), error.density, error.weights);
    CHECK(error.weights <= 0.02 * looser);
    CHECK(error.density <= 0.04 * looser);
  }
}

TEST_CASE("latent_mixture: the number of components before the gap", "[models]") {
  // By hand: the largest ratio, where a value is above the first one over the root of n.
  const auto of = [](const Vector<double>& values, Index n) {
    return components_before_gap(values, n);
  };
  CHECK(of(Vector<double>{{8, 4, .1, .05}}, 10000) == 2);
  CHECK(of(Vector<double>{{8, .1, .08}}, 10000) == 1);
  CHECK(of(Vector<double>{{8, 4, 0}}, 10000) == 2);
  CHECK(of(Vector<double>{{8, 4, 3, 1e-9}}, 4) == 1);  // 4 is not above 8 / 2
  CHECK(of(Vector<double>{{8, 4, 3, 1e-9}}, 100) == 3);
  CHECK(of(Vector<double>{{8}}, 100) == 1);
  CHECK(of(Vector<double>{{0, 0}}, 100) == 1);
  CHECK(of(Vector<double>(), 100) == 1);

  const LatentMixtureParams by_gap{.components = std::nullopt};
  const auto [a, b, c] = population(same_laws);
  const auto model = LatentMixture{Gaussian{0.7}, Exact{}, by_gap}.fit(a, b, c);
  CHECK(model.components() == 2);
  CHECK(model.report().components_requested == 2);
  const std::vector<std::vector<Law>> mixtures{{Law::normal(1, 1)}, two, three};
  for (const std::vector<Law>& laws : mixtures) {
    const std::vector<double> weights(laws.size(), 1 / static_cast<double>(laws.size()));
    const auto [x, y, z] = test::draw_views({laws, laws, laws}, weights, 5000, 4);
    const auto found = LatentMixture{Gaussian{sigma}, landmarks, by_gap}.fit(x, y, z);
    CAPTURE(found.singular_values().head(6).transpose());
    CHECK(found.components() == static_cast<Index>(laws.size()));
    const Gaussian kernel{sigma};
    const DifferentViews kernels{kernel, kernel, kernel};
    CHECK(LatentMixture{kernels, landmarks, by_gap}.fit(x, y, z).components() ==
          static_cast<Index>(laws.size()));
  }
}

TEST_CASE("latent_mixture: laws", "[models]") {
  const Index n = 300;
  const auto [a, b, c] = test::draw_views({two, two, two}, {0.4, 0.6}, n, 3);
  const LatentMixture mixture{Gaussian{0.5}, Exact{}, {.components = 2}};
  const auto model = mixture.fit(a, b, c);
  const Matrix<double> density = model.density(grid());
  CHECK(model.weights()(0) >= model.weights()(1));

  SECTION("neither the order of the samples nor that of the views matters") {
    RandomStream stream(1, "test");
    const std::vector<Index> order = random_permutation(n, stream);
    const auto shuffled = mixture.fit(detail::take_rows(a, order), detail::take_rows(b, order),
                                      detail::take_rows(c, order));
    CHECK(distance(shuffled.weights(), model.weights()) <= 1e-8);
    CHECK(distance(shuffled.density(grid()), density) <= 1e-8);
    const auto turned = mixture.fit(c, a, b);
    CHECK(distance(turned.weights(), model.weights()) <= 1e-8);
    CHECK(distance(turned.density(grid()), density) <= 1e-8);
    CHECK(distance(turned.density(1, grid()), model.density(0, grid())) <= 1e-8);
  }
  SECTION("a kernel times a number gives the same components") {
    const auto scaled =
        LatentMixture{Scaled{7.0, Gaussian{0.5}}, Exact{}, {.components = 2}}.fit(a, b, c);
    CHECK(distance(scaled.weights(), model.weights()) <= 1e-8);
    CHECK(distance(scaled.expectation(0, a), model.expectation(0, a)) <= 1e-8);
  }
  SECTION("float samples") {
    const auto single = mixture.fit(a.cast<float>(), b.cast<float>(), c.cast<float>());
    CHECK(distance(single.weights(), model.weights()) <= 1e-3);
    const Matrix<float> points = grid().cast<float>();
    CHECK(distance(single.density(points).cast<double>(), density) <= 1e-3);
  }
  SECTION("sparse samples") {
    const SparseMatrix<double> x = a.sparseView(), y = b.sparseView(), z = c.sparseView();
    const auto sparse = mixture.fit(x, y, z);
    CHECK(distance(sparse.weights(), model.weights()) <= 1e-8);
    CHECK(distance(sparse.density(grid()), density) <= 1e-8);
  }
  SECTION("equal kernels, but views that may differ") {
    const Gaussian kernel{0.5};
    const auto other = LatentMixture{DifferentViews{kernel, kernel, kernel}}.fit(a, b, c);
    CHECK(distance(other.weights(), model.weights()) <= 0.2);
  }
  SECTION("the same bits for any number of threads") {
    const int before = thread_count();
    set_thread_count(1);
    const auto one = mixture.fit(a, b, c);
    set_thread_count(3);
    const auto several = mixture.fit(a, b, c);
    set_thread_count(before);
    // Rounding errors of LAPACK, which the division by small singular values makes larger.
    CHECK(test::same_bits_but_lapack(one.weights(), several.weights(), 1e-9));
    CHECK(test::same_bits_but_lapack(one.density(grid()), several.density(grid()), 1e-9));
  }
}

TEST_CASE("latent_mixture: report, and a run that is cancelled", "[models]") {
  const auto [a, b, c] = test::draw_views({two, two, two}, {0.4, 0.6}, 100, 3);
  const LatentMixture mixture{Gaussian{0.5}, Exact{}, {.components = 2}};
  const PairReport report = mixture.fit(a, b, c).report();
  CHECK(report.method == "latent-mixture");
  CHECK(report.views.size() == 3);
  CHECK(report.views[0].rank == report.views[2].rank);
  CHECK(report.views[0].basis.samples == 300);
  CHECK(report.samples == 100);
  CHECK(report.components == 2);
  CHECK(report.components_requested == 2);
  CHECK(report.bytes > 0);
  const auto cancelled = mixture.fit(a, b, c, [](const Progress&) { return false; });
  CHECK(cancelled.report().status == Status::Cancelled);
  CHECK(cancelled.components() == 0);
  CHECK(cancelled.density(grid()).cols() == 0);
  const Gaussian kernel{0.5};
  const auto views = LatentMixture{DifferentViews{kernel, kernel, kernel}}.fit(
      a, b, c, [](const Progress&) { return false; });
  CHECK(views.report().status == Status::Cancelled);
  CHECK(views.components() == 0);
}

TEST_CASE("latent_mixture: densities in many dimensions, in single precision", "[models]") {
  // The integral of the kernel, 9e-81, is no number in single precision.
  const auto x = std::make_shared<const Matrix<float>>(Matrix<float>::Zero(2, 50));
  const Matrix<float> weights{{0.5F}, {0.5F}};
  const MixtureView<Gaussian, Matrix<float>> view(Gaussian{0.01}, x, weights);
  const Matrix<float> far = Matrix<float>::Constant(1, 50, 1.0F);
  CHECK(view.density(far)(0, 0) == 0);
  CHECK(view.density(*x)(0, 0) == std::numeric_limits<float>::infinity());
}

TEST_CASE("latent_mixture: bad input", "[models]") {
  const auto fitted = [](const LatentMixtureParams& params, const Matrix<double>& a,
                         const Matrix<double>& b, const Matrix<double>& c) {
    return test::error_of([&] { return LatentMixture{Gaussian{1}, Exact{}, params}.fit(a, b, c); });
  };
  const Matrix<double> x = test::uniform_samples<double>(20, 2, 1);
  const Matrix<double> short_view = x.topRows(19), wide = test::uniform_samples<double>(20, 3, 2);
  CHECK_THAT(fitted({}, x, short_view, x), ContainsSubstring("20, 19 and 20 rows"));
  CHECK_THAT(fitted({}, x, x, short_view), ContainsSubstring("20, 20 and 19 rows"));
  CHECK_THAT(fitted({}, x, wide, x), ContainsSubstring("2, 3 and 2 columns"));
  CHECK_THAT(fitted({.components = 0}, x, x, x), ContainsSubstring("got 0"));
  CHECK_THAT(fitted({.components = 21}, x, x, x), ContainsSubstring("got 21"));
  CHECK_THAT(fitted({.components = 3, .rank = 2}, x, x, x), ContainsSubstring("got 2"));
  CHECK_THAT(fitted({.starts = 0}, x, x, x), ContainsSubstring("starts"));
  CHECK_THAT(fitted({.iterations = 0}, x, x, x), ContainsSubstring("iterations"));
  Matrix<double> broken = x;
  broken(3, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(fitted({}, x, x, broken),
             ContainsSubstring("view 3") && ContainsSubstring("row 3, column 1"));
  // Constant views have one component.
  const Matrix<double> constant = Matrix<double>::Constant(20, 2, 0.5);
  CHECK_THAT(fitted({}, constant, constant, constant), ContainsSubstring("which has 1 ("));

  const auto model = LatentMixture{Gaussian{1}, Exact{}, {.components = 1}}.fit(x, x, x);
  CHECK_THAT(test::error_of([&] { return model.density(3, x); }),
             ContainsSubstring("view must be 0, 1 or 2, got 3"));
  CHECK_THAT(test::error_of([&] { return model.expectation(0, short_view); }),
             ContainsSubstring("must be 20 x 2, got 19 x 2"));
  CHECK_THAT(test::error_of([&] { return model.density(wide); }), ContainsSubstring("columns"));
}

}  // namespace latent_mixture_test
