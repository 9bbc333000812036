// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>
#include <limits>
#include <vector>

#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/split_stream.hpp>
#include <mercer/core/streams/zip_stream.hpp>
#include <mercer/features/exact_features.hpp>
#include <mercer/features/homogeneous_kernel_map.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/models/kernel_svd.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace pair_streams_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

/// 120 pairs with a common cause.
template <Real S>
struct Toy {
  Matrix<S> x = test::uniform_samples<S>(120, 2, 1);
  Matrix<S> y = test::uniform_samples<S>(120, 3, 2);
  Toy() { y.col(0) = (x.col(0).array() * S(2)).sin().matrix() + S(.3) * y.col(1); }
};

/// |cos| of the angle between columns is 1, and their lengths agree; up to signs.
template <class A, class B>
double distance_up_to_signs(const A& a, const B& b) {
  double worst = 0;
  for (Index j = 0; j < a.cols(); ++j)
    worst = (std::max)(worst, (std::min)(static_cast<double>((a.col(j) - b.col(j)).norm()),
                                         static_cast<double>((a.col(j) + b.col(j)).norm())));
  return worst / std::sqrt(static_cast<double>(a.rows()));
}

template <class Model>
void check_same(const Model& a, const Model& b, const Vector<double>& values_a,
                const Vector<double>& values_b, const auto& toy, double tolerance) {
  REQUIRE(values_a.size() == 3);
  REQUIRE(values_b.size() == 3);
  CHECK((values_a - values_b).cwiseAbs().maxCoeff() <= tolerance);
  CHECK(distance_up_to_signs(a.transform_x(toy.x), b.transform_x(toy.x)) <= tolerance);
  CHECK(distance_up_to_signs(a.transform_y(toy.y), b.transform_y(toy.y)) <= tolerance);
  const PairReport &p = a.report(), &q = b.report();
  CHECK(p.samples == q.samples);
  CHECK(p.components == q.components);
  CHECK(p.status == q.status);
  for (std::size_t j = 0; j < 3; ++j)
    CHECK(std::abs(p.training_correlations[j] - q.training_correlations[j]) <= tolerance);
  for (std::size_t v = 0; v < 2; ++v) {
    CHECK(p.views[v].rank == q.views[v].rank);
    CHECK(p.views[v].basis.trace == Approx(q.views[v].basis.trace).epsilon(tolerance));
    CHECK(p.views[v].basis.dimension == q.views[v].basis.dimension);
    CHECK(p.views[v].basis.kernel == q.views[v].basis.kernel);
    CHECK(p.views[v].effective_dimension ==
          Approx(q.views[v].effective_dimension).epsilon(tolerance));
    CHECK(p.views[v].kappa.has_value() == q.views[v].kappa.has_value());
    CHECK(p.error_bounds.size() == q.error_bounds.size());
  }
}

auto solvers(Index batch) {
  return Views{FeaturePca{RandomFourier{.features = 24}, {.blocks = 2, .batch = batch, .seed = 5}},
               FeaturePca{RandomFourier{.features = 30, .form = FourierForm::Phase},
                          {.blocks = 1, .batch = batch, .seed = 6}}};
}

}  // namespace

// Both routes take the eigenvectors of the same moments. Coordinates in bases down to 1e-6 of the
// largest eigenvalue have errors of 1e-16/1e-6; functions divide by roots of eigenvalues.
SCALAR_TEST_CASE("pair_streams: one pass has the result of samples in memory", "[models]") {
  using S = TestType;
  const Toy<S> toy;
  const bool centered = GENERATE(true, false);
  CAPTURE(centered);
  constexpr double tolerance = sizeof(S) == 4 ? 2e-3 : 1e-9;
  const KernelSvd svd{Gaussian{1.0}, Gaussian{1.5}, solvers(2048),
                      KernelSvdParams{.components = 3, .rank = 12, .centered = centered}};
  const KernelCca cca{Gaussian{1.0}, Gaussian{1.5}, solvers(2048),
                      KernelCcaParams{.components = 3,
                                      .regularization = 1e-2,
                                      .regularization_y = 2e-2,
                                      .rank = 12,
                                      .centered = centered}};
  const auto svd_in_memory = svd.fit(toy.x, toy.y);
  const auto cca_in_memory = cca.fit(toy.x, toy.y);
  MatrixStream xs(toy.x);
  MatrixStream ys(toy.y);
  ZipStream pairs(xs, ys);
  const auto svd_streamed = svd.fit(pairs);
  check_same(svd_in_memory, svd_streamed, svd_in_memory.singular_values(),
             svd_streamed.singular_values(), toy, tolerance);
  CHECK(svd_streamed.dependence() == Approx(svd_in_memory.dependence()).epsilon(tolerance));
  const auto cca_streamed = cca.fit(ZipStream(xs, ys));  // a temporary will do
  check_same(cca_in_memory, cca_streamed, cca_in_memory.correlations(), cca_streamed.correlations(),
             toy, tolerance);

  // The rule of signs of streams: the largest coefficient of view x.
  const Matrix<S>& c = cca_streamed.functions_x().expansion().coefficients;
  for (Index j = 0; j < 3; ++j) CHECK(c.col(j).maxCoeff() == c.col(j).cwiseAbs().maxCoeff());
}

TEST_CASE("pair_streams: the batches of the pass do not matter", "[models]") {
  const Toy<double> toy;
  Matrix<double> both(120, 5);
  both << toy.x, toy.y;
  const KernelCcaParams params{.components = 3, .regularization = 1e-2};
  const auto fit = [&](Index batch) {
    MatrixStream rows(both);
    SplitStream pairs(rows, 2);
    return KernelCca{Gaussian{1.0}, Gaussian{1.5}, solvers(batch), params}.fit(pairs);
  };
  const auto whole = fit(2048);
  for (const Index batch : {1, 7, 60, 119}) {
    const auto other = fit(batch);
    check_same(whole, other, whole.correlations(), other.correlations(), toy, 1e-9);
  }
  // A stream that cannot seek, read once.
  Index at = 0;
  CallbackStream<double> calls(5, [&](Index most) {
    const Index first = std::exchange(at, (std::min)(Index{120}, at + most));
    return Matrix<double>(both.middleRows(first, at - first));
  });
  SplitStream once(calls, 2);
  const auto other = KernelCca{Gaussian{1.0}, Gaussian{1.5}, solvers(50), params}.fit(once);
  check_same(whole, other, whole.correlations(), other.correlations(), toy, 1e-9);
}

// Acceptance 3 of two views: linear kernels, whose features are the samples.
TEST_CASE("pair_streams: linear kernel SVD is that of the cross-covariance", "[models]") {
  const Toy<double> toy;
  MatrixStream xs(toy.x);
  MatrixStream ys(toy.y);
  const auto model = KernelSvd{Linear{}, Linear{}, FeaturePca{ExactFeatures{}, {.batch = 50}},
                               KernelSvdParams{.components = 2}}
                         .fit(ZipStream(xs, ys));
  const Matrix<double> c = (toy.x.rowwise() - toy.x.colwise().mean()).transpose() *
                           (toy.y.rowwise() - toy.y.colwise().mean()) / 120;
  const Vector<double> sigma = singular_system(c).values;
  CHECK((model.singular_values() - sigma).cwiseAbs().maxCoeff() <= 1e-12);
  CHECK(model.dependence() == Approx(c.squaredNorm()).epsilon(1e-12));
}

TEST_CASE("pair_streams: constant views have no components", "[models]") {
  Toy<double> toy;
  toy.x.setConstant(.5);
  MatrixStream xs(toy.x);
  MatrixStream ys(toy.y);
  const auto model = KernelCca{Gaussian{1.0}, Gaussian{1.5}, solvers(50), KernelCcaParams{}}.fit(
      ZipStream(xs, ys));
  CHECK(model.components() == 0);
  CHECK(model.report().views[0].rank == 0);
  CHECK(model.transform_y(toy.y).cols() == 0);
}

TEST_CASE("pair_streams: what is refused", "[models]") {
  const Toy<double> toy;
  MatrixStream xs(toy.x);
  MatrixStream ys(toy.y);
  const auto error = [&](const KernelCcaParams& params) {
    return test::error_of([&] {
      return KernelCca{Gaussian{1.0}, Gaussian{1.5}, solvers(50), params}.fit(ZipStream(xs, ys));
    });
  };
  CHECK_THAT(error({.holdout = .2}), ContainsSubstring("the pairs of a stream cannot be held out"));
  CHECK_THAT(error({.components = 0}), ContainsSubstring("components must be between 1"));
  CHECK_THAT(
      error({.components = 121}),
      ContainsSubstring("components must be between 1 and the number of pairs, 120, got 121"));
  CHECK_THAT(error({.regularization = -1}), ContainsSubstring("regularization"));
  CHECK_THAT(error({.rank = 31}), ContainsSubstring("FeaturePca, view y: 31 components"));
  CHECK_THAT(error({.rank = 1}),
             ContainsSubstring("2 components need bases of at least that rank"));

  const KernelSvd svd{Gaussian{1.0}, Gaussian{1.5}, solvers(50), KernelSvdParams{}};
  CHECK_THAT(test::error_of([&] {
               const KernelSvd held{Gaussian{1.0}, Gaussian{1.5}, solvers(50),
                                    KernelSvdParams{.holdout = .5}};
               return held.fit(ZipStream(xs, ys));
             }),
             ContainsSubstring("cannot be held out"));
  GeneratedStream<double> forever(5, endless, [](Index, GramOut<double> out) { out.setZero(); });
  CHECK_THAT(test::error_of([&] { return svd.fit(SplitStream(forever, 2)); }),
             ContainsSubstring("does not end"));
  const Matrix<double> one = Matrix<double>::Ones(1, 2), none(0, 2);
  MatrixStream single(one), empty(none);
  CHECK_THAT(test::error_of([&] { return svd.fit(SplitStream(single, 1)); }),
             ContainsSubstring("needs at least 2 pairs, got 1"));
  CHECK_THAT(test::error_of([&] { return svd.fit(SplitStream(empty, 1)); }),
             ContainsSubstring("has no rows"));

  Matrix<double> bad = toy.y;
  bad(71, 2) = std::numeric_limits<double>::infinity();
  MatrixStream infinite(bad);
  CHECK_THAT(test::error_of([&] { return svd.fit(ZipStream(xs, infinite)); }),
             ContainsSubstring("view y: samples must be finite, got inf at row 71, column 2"));
  const KernelSvd histograms{Intersection{}, Intersection{}, FeaturePca{HomogeneousKernelMap{}},
                             KernelSvdParams{}};
  const Matrix<double> positive = toy.x.cwiseAbs();
  MatrixStream inside(positive);
  CHECK_THAT(test::error_of([&] { return histograms.fit(ZipStream(inside, ys)); }),
             ContainsSubstring("view y: mercer::Intersection"));
}

TEST_CASE("pair_streams: cancelled, it has the components of the pairs so far", "[models]") {
  const Toy<double> toy;
  MatrixStream xs(toy.x);
  MatrixStream ys(toy.y);
  const KernelSvd svd{Gaussian{1.0}, Gaussian{1.5}, solvers(50), KernelSvdParams{}};
  const auto model =
      svd.fit(ZipStream(xs, ys), [](const Progress& progress) { return progress.step < 100; });
  CHECK(model.report().status == Status::Cancelled);
  CHECK(model.report().samples == 100);
}

}  // namespace pair_streams_test
