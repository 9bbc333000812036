// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <limits>
#include <vector>

#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/zip_stream.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_sir.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace kernel_sir_streams_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

#if defined(NDEBUG)
constexpr bool optimised = true;
#else
constexpr bool optimised = false;
#endif

/// y = sin x_1 + x_2^2 / 2 + noise, x standard normal in five dimensions.
struct Regression {
  explicit Regression(Index n) : x(normal_matrix<double>(n, 5, 1, "x")), y(n, 1) {
    y = x.col(0).array().sin() + x.col(1).array().square() / 2 +
        .1 * normal_matrix<double>(n, 1, 1, "noise").array();
  }
  Matrix<double> x, y;
};

RandomFourier map_of(Index features) {
  return {.features = features, .form = FourierForm::Phase};
}

/// The squared sine of the largest angle between the spans of centred columns.
double squared_sine(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> p = a, q = b;
  centre_columns(p);
  centre_columns(q);
  const Matrix<double> u = orthonormalize(p).Q, v = orthonormalize(q).Q;
  return (u - v * (v.transpose() * u)).squaredNorm();
}

}  // namespace

TEST_CASE("kernel_sir: a stream gives the result of the same samples", "[models]") {
  const Regression data(600);
  const auto target = GENERATE(SirTarget::Slices, SirTarget::Classes, SirTarget::Outputs);
  Matrix<double> y = data.y;
  if (target == SirTarget::Classes) y = y.array().floor().max(-1).min(2);
  if (target == SirTarget::Outputs) {
    y.resize(600, 3);
    y << data.y, 100 * data.x.col(2), data.y + data.x.col(2);  // of rank 2
  }
  const KernelSir sir{Gaussian{3.0},
                      FeaturePca{map_of(40), {.batch = 100}},
                      {.components = 2, .regularization = .01, .target = target}};
  const auto model = sir.fit(data.x, y);
  MatrixStream xs(data.x), ys(y);
  ZipStream pairs(xs, ys);
  const auto streamed = sir.fit(pairs);
  REQUIRE(streamed.components() == 2);
  constexpr double rounding = 1e-9;
  CHECK((streamed.eigenvalues() - model.eigenvalues()).cwiseAbs().maxCoeff() <= rounding);
  const Matrix<double> f = model.transform(data.x), g = streamed.transform(data.x);
  for (Index j = 0; j < 2; ++j)
    CHECK((f.col(j) * (f.col(j).dot(g.col(j)) > 0 ? 1 : -1) - g.col(j)).cwiseAbs().maxCoeff() <=
          1e3 * rounding);
  const PairReport& report = streamed.report();
  CHECK(report.method == "kernel-sir");
  CHECK(report.views.size() == 1);
  CHECK(report.samples == 600);
  CHECK(report.views[0].kappa == Approx(*model.report().views[0].kappa).epsilon(rounding));
}

TEST_CASE("kernel_sir: the rank of a basis is that of the samples, not of the slices", "[models]") {
  const Regression data(600);
  MatrixStream xs(data.x);
  MatrixStream ys(data.y);
  ZipStream pairs(xs, ys);
  const Index rank = GENERATE(5, 30);  // fewer and more than the slices
  const KernelSir sir{Gaussian{3.0},
                      FeaturePca{map_of(40)},
                      {.components = 2, .regularization = .01, .rank = rank}};
  CHECK((sir.fit(pairs).eigenvalues() - sir.fit(data.x, data.y).eigenvalues())
            .cwiseAbs()
            .maxCoeff() <= 1e-9);
}

TEST_CASE("kernel_sir: responses in single precision, and more components than slices allow",
          "[models]") {
  const Matrix<float> x = normal_matrix<float>(300, 2, 5, "x");
  std::vector<double> y(300);
  for (Index i = 0; i < 300; ++i) y[static_cast<std::size_t>(i)] = x(i, 0) > 0 ? .2 : .1;
  const auto target = GENERATE(SirTarget::Slices, SirTarget::Classes);
  const KernelSir sir{
      Gaussian{2.0},
      DoublyStochastic{map_of(32),
                       {.blocks = 1, .data_batch = 64, .steps = 100, .start_rows = 256}},
      {.components = 3, .regularization = .01, .target = target}};
  const auto model = sir.fit(x, y);
  REQUIRE(model.components() == 1);
  CHECK(model.report().components_requested == 3);
  CHECK(model.eigenvalues()(0) > .5);  // the slices are the sides of a line
}

// The limit is the solution in the same features, with the same slices.
TEST_CASE("kernel_sir: stochastic steps tend to the result of the same features", "[models]") {
  const Index n = optimised ? 4096 : 1024, steps = optimised ? 4000 : 300;
  const Regression data(n);
  const Gaussian kernel(3.0);
  const KernelSirParams params{.components = 2, .regularization = .01};
  const auto exact =
      KernelSir{kernel, FeaturePca{map_of(64), {.blocks = 4}}, params}.fit(data.x, data.y);
  DoublyStochasticParams run{.blocks = 4, .data_batch = 256, .steps = steps, .start_rows = 1024};
  run.step = 4;
  run.decay = 16.0 / static_cast<double>(steps);
  const auto model =
      KernelSir{kernel, DoublyStochastic{map_of(64), run}, params}.fit(data.x, data.y);
  REQUIRE(model.components() == 2);
  const Matrix<double> f = model.transform(data.x);
  CHECK(squared_sine(f, exact.transform(data.x)) <= (optimised ? 3e-2 : .2));
  // Its eigenvalues are those without the ridge: shares of variance between the slices.
  const Vector<double> y = data.y;
  const Matrix<double> e =
      detail::slice_basis<double>(detail::SliceNumbers::slices(y, 10).numbers(y));
  const Vector<double> centered = f.col(0).array() - f.col(0).mean();
  CHECK(model.eigenvalues()(0) ==
        Approx((e.transpose() * centered).squaredNorm() / centered.squaredNorm()).margin(.01));
  CHECK(model.eigenvalues()(0) >= exact.eigenvalues()(0));
  const PairReport& report = model.report();
  CHECK(report.method == "kernel-sir");
  CHECK(report.views.size() == 1);
  REQUIRE(report.stochastic);
  CHECK(report.stochastic->steps == steps);
  CHECK(report.status == Status::Finished);
}

TEST_CASE("kernel_sir: responses that a stream cannot give are refused", "[models]") {
  Matrix<double> x = normal_matrix<double>(5000, 2, 3, "x"), y(5000, 1);
  for (Index i = 0; i < 5000; ++i) y(i) = static_cast<double>(i % 3);
  const FeaturePca solver{map_of(8)};
  const KernelSir classes{Gaussian{1.0}, solver, {.target = SirTarget::Classes}};
  MatrixStream xs(x), ys(y);
  ZipStream pairs(xs, ys);
  CHECK(classes.fit(pairs).report().samples == 5000);
  y(4500) = 7;
  CHECK_THROWS_WITH(classes.fit(pairs),
                    ContainsSubstring("the response 7 is none of the 3 classes"));
  const Matrix<double> none(0, 2);
  MatrixStream empty(none);
  MatrixStream empty_too(none);
  ZipStream no_pairs(empty, empty_too);
  CHECK_THROWS_WITH(classes.fit(no_pairs), ContainsSubstring("has no pairs"));
  y.setConstant(.1);  // whose mean is rounded
  CHECK_THROWS_WITH(classes.fit(pairs), ContainsSubstring("all equal"));
  const KernelSir outputs{Gaussian{1.0}, solver, {.target = SirTarget::Outputs}};
  CHECK_THROWS_WITH(outputs.fit(pairs), ContainsSubstring("all equal"));
  const KernelSir negative{Gaussian{1.0}, solver, {.regularization = -1.0}};
  CHECK_THROWS_WITH(negative.fit(pairs), ContainsSubstring("regularization"));
}

TEST_CASE("kernel_sir: responses of later rows that are not finite are refused", "[models]") {
  Matrix<double> x = normal_matrix<double>(5000, 2, 3, "x"), y = x.col(0);
  MatrixStream xs(x), ys(y);
  ZipStream pairs(xs, ys);
  const FeaturePca solver{map_of(8)};
  const DoublyStochastic steps{map_of(8), {.blocks = 1, .data_batch = 64, .steps = 100}};
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    y(4500) = bad;
    for (const SirTarget target : {SirTarget::Slices, SirTarget::Outputs}) {
      const KernelSirParams params{.regularization = .01, .target = target};
      CHECK_THROWS_WITH((KernelSir{Gaussian{1.0}, solver, params}.fit(pairs)),
                        ContainsSubstring("view y") && ContainsSubstring("must be finite") &&
                            ContainsSubstring("row 4500"));
    }
    CHECK_THROWS_WITH((KernelSir{Gaussian{1.0}, steps}.fit(pairs)), ContainsSubstring("row 4500"));
  }
  // A stream that claims more rows than there is room for.
  struct Greedy {
    using Scalar = double;
    [[nodiscard]] Index dimension_x() const { return 1; }
    [[nodiscard]] Index dimension_y() const { return 1; }
    [[nodiscard]] Index read(GramOut<double> out_x, GramOut<double> out_y) {
      for (Index i = 0; i < out_x.rows(); ++i) out_x(i, 0) = out_y(i, 0) = double(i % 7);
      return out_x.rows() + (passes > 0 ? 1 : 0);
    }
    [[nodiscard]] bool rewind() { return ++passes < 3; }
    int passes = 0;
  } greedy;
  CHECK_THROWS_WITH((KernelSir{Gaussian{1.0}, solver}.fit(greedy)), ContainsSubstring("rows"));
}

TEST_CASE("kernel_sir: outputs of any scale from a stream", "[models]") {
  const Regression data(300);
  Matrix<double> y(300, 2);
  y << data.y, data.x.col(2);
  const KernelSir sir{
      Gaussian{3.0}, FeaturePca{map_of(40)}, {.regularization = .01, .target = SirTarget::Outputs}};
  const auto fit = [&](const Matrix<double>& outputs) {
    MatrixStream xs(data.x), ys(outputs);
    ZipStream pairs(xs, ys);
    return sir.fit(pairs).eigenvalues();
  };
  const Vector<double> expected = fit(y);
  for (const double scale : {1e-170, 1e160})
    CHECK((fit(scale * y) - expected).cwiseAbs().maxCoeff() <= 1e-9);
}

}  // namespace kernel_sir_streams_test
