// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/moments/feature_pca_moments.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/features/exact_features.hpp>
#include <mercer/features/nystrom_features.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace feature_pca_moments_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

const RandomFourier fourier{.features = 20};
const FeaturePcaParams settings{.blocks = 2, .batch = 16, .seed = 5};

template <Real S>
using Moments = FeaturePcaMoments<Gaussian, RandomFourier, S>;

template <Real S>
Moments<S> moments_of(const Matrix<S>& part, const SampleBounds& bounds, bool centered = true) {
  Moments<S> moments(Gaussian(1.0), FeaturePca{fourier, settings}, bounds, centered);
  moments.add(part);
  return moments;
}

/// The errors of sums of 100 products of features in S, each at most 1, and of eigenvectors whose
/// gaps are more than a hundredth of the largest eigenvalue.
template <Real S>
constexpr S rounding = S(1e4) * std::numeric_limits<S>::epsilon();

template <class Found, class Expected>
void check_same_model(const Found& found, const Expected& expected) {
  using S = typename Found::Scalar;
  REQUIRE(found.components() == expected.components());
  const S scale = expected.eigenvalues()(0);
  CHECK((found.eigenvalues() - expected.eigenvalues()).cwiseAbs().maxCoeff() <=
        rounding<S> * scale);
  CHECK((found.coefficients() - expected.coefficients()).cwiseAbs().maxCoeff() <= rounding<S>);
  CHECK((found.offset() - expected.offset()).cwiseAbs().maxCoeff() <= rounding<S>);
  CHECK(found.report().samples == expected.report().samples);
  CHECK(found.report().trace == Approx(expected.report().trace).epsilon(rounding<S>));
  CHECK(found.centered() == expected.centered());
}

}  // namespace

SCALAR_TEST_CASE("feature_pca_moments: merged parts give the model of one fit", "[models]") {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(100, 3, 1);
  const SampleBounds bounds = sample_bounds(x.topRows(16));  // of the first batch of the fit
  for (const bool centered : {false, true}) {
    CAPTURE(centered);
    const KernelPca pca{
        Gaussian(1.0), FeaturePca{fourier, settings}, {.components = 3, .centered = centered}};
    const auto whole = pca.fit(x);
    Moments<S> merged = moments_of<S>(Matrix<S>(0, 3), bounds, centered);
    CHECK(merged.samples() == 0);
    for (const auto& [first, count] : {std::pair<Index, Index>{41, 59}, {0, 1}, {1, 40}})
      merged.merge(moments_of<S>(x.middleRows(first, count), bounds, centered));
    CHECK(merged.samples() == 100);
    const auto model = merged.model(3);
    check_same_model(model, whole);
    CHECK(model.report().status == Status::Converged);
    CHECK(model.report().solver == SolverId::FeaturePca);
    CHECK(model.report().kernel == whole.report().kernel);
    CHECK(model.report().dimension == 3);
    CHECK((model.transform(x) - whole.transform(x)).cwiseAbs().maxCoeff() <=
          rounding<S> * std::sqrt(S(100)));
  }
}

SCALAR_TEST_CASE(
    "feature_pca_moments: parts of one batch, merged in order, have the bits of one fit",
    "[models]") {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(70, 3, 1);
  const SampleBounds bounds = sample_bounds(x.topRows(16));
  const auto whole =
      KernelPca{Gaussian(1.0), FeaturePca{fourier, settings}, {.components = 3}}.fit(x);
  Moments<S> merged = moments_of<S>(Matrix<S>(0, 3), bounds);
  for (Index first = 0; first < 70; first += 16)
    merged.merge(moments_of<S>(x.middleRows(first, (std::min)(Index{16}, 70 - first)), bounds));
  for (const auto& model : {merged.model(3), moments_of<S>(x, bounds).model(3)}) {
    CHECK(model.eigenvalues() == whole.eigenvalues());
    CHECK(model.coefficients() == whole.coefficients());
    CHECK(model.offset() == whole.offset());
  }
}

TEST_CASE("feature_pca_moments: any split in any order", "[models][law]") {
  const Matrix<double> x = test::uniform_samples<double>(60, 2, 3);
  const SampleBounds bounds = sample_bounds(x);
  const auto expected = moments_of<double>(x, bounds).model(2);
  CHECK(rc::check([&] {
    auto cuts = *rc::gen::container<std::vector<Index>>(4, rc::gen::inRange<Index>(0, 61));
    cuts.insert(cuts.end(), {0, 60});
    std::sort(cuts.begin(), cuts.end());
    std::vector<Moments<double>> parts;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
      parts.push_back(moments_of<double>(x.middleRows(cuts[i], cuts[i + 1] - cuts[i]), bounds));
    while (parts.size() > 1) {  // any tree of merges
      const auto into = *rc::gen::inRange<std::size_t>(0, parts.size() - 1);
      parts[into].merge(parts.back());
      parts.pop_back();
    }
    const auto model = parts[0].model(2);
    RC_ASSERT(model.report().samples == 60);
    RC_ASSERT((model.eigenvalues() - expected.eigenvalues()).norm() <=
              rounding<double> * expected.eigenvalues()(0));
    RC_ASSERT((model.coefficients() - expected.coefficients()).norm() <= rounding<double>);
  }));
}

TEST_CASE("feature_pca_moments: streams, sparse rows and an observer", "[models]") {
  const Matrix<double> x = test::sparse_looking_samples<double>(50, 3, 2);
  const SampleBounds bounds = sample_bounds(x);
  const Moments<double> expected = moments_of<double>(x, bounds);
  const SparseMatrix<double> sparse = x.sparseView();
  MatrixStream stream(x);
  Moments<double> from_sparse = moments_of<double>(Matrix<double>(0, 3), bounds),
                  from_stream = from_sparse, stopped = from_sparse;
  CHECK(from_sparse.add(sparse));
  CHECK(from_stream.add(stream));
  CHECK(from_sparse.sums().scatter() == expected.sums().scatter());
  CHECK(from_stream.sums().scatter() == expected.sums().scatter());
  CHECK_FALSE(stopped.add(x, [](const Progress& progress) {
    CHECK(progress.total == 50);
    return progress.step < 32;
  }));
  CHECK(stopped.samples() == 32);
  // Two calls are two parts.
  CHECK(stopped.add(Matrix<double>(x.bottomRows(18))));
  CHECK(stopped.sums().scatter() == expected.sums().scatter());
}

TEST_CASE("feature_pca_moments: wrong partners are refused and change nothing", "[models][error]") {
  const Matrix<double> x = test::uniform_samples<double>(20, 3, 1);
  const SampleBounds bounds = sample_bounds(x);
  Moments<double> here = moments_of<double>(x, bounds);
  const Matrix<double> before = here.sums().scatter();
  const auto refusal = [&](const Gaussian& kernel, const RandomFourier& map,
                           const FeaturePcaParams& params, const SampleBounds& other_bounds,
                           bool centered) {
    Moments<double> other(kernel, FeaturePca{map, params}, other_bounds, centered);
    return test::error_of([&] {
      here.merge(other);
      return 0;
    });
  };
  const Gaussian kernel(1.0);
  CHECK(refusal(kernel, fourier, settings, bounds, true) == "no error");
  CHECK(refusal(Gaussian(1.25), fourier, settings, bounds, true) ==
        "mercer::FeaturePcaMoments::merge: the parts are of different fits: kernel: "
        "gaussian(sigma=1.25) there, gaussian(sigma=1) here");
  CHECK_THAT(refusal(kernel, {.features = 21}, settings, bounds, true),
             ContainsSubstring("map: random-fourier(features=21"));
  CHECK_THAT(refusal(kernel, fourier, {.blocks = 1, .seed = 5}, bounds, true),
             ContainsSubstring("blocks: 1 there, 2 here"));
  CHECK_THAT(refusal(kernel, fourier, {.blocks = 2, .seed = 6}, bounds, true),
             ContainsSubstring("seed: 6 there, 5 here"));
  CHECK_THAT(refusal(kernel, fourier, settings, {.dimension = 2, .radius = 1}, true),
             ContainsSubstring("columns: 2 there, 3 here"));
  CHECK_THAT(refusal(kernel, fourier, settings, bounds, false),
             ContainsSubstring("centering: none there, by means here"));
  // The batch changes rounding only, and these features do not depend on the radius.
  CHECK(refusal(kernel, fourier, {.blocks = 2, .batch = 7, .seed = 5},
                {.dimension = 3, .radius = 9}, true) == "no error");
  CHECK(here.sums().scatter() == before);
}

TEST_CASE("feature_pca_moments: a seed counts only where features are drawn", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(20, 3, 1);
  const auto merged = [&](const auto& kernel, const auto& map) {
    FeaturePcaMoments a(kernel, FeaturePca{map, {.seed = 3}}, sample_bounds(x));
    FeaturePcaMoments b(kernel, FeaturePca{map, {.seed = 4}}, sample_bounds(x));
    static_cast<void>(a.add(Matrix<double>(x.topRows(7))));
    static_cast<void>(b.add(Matrix<double>(x.bottomRows(13))));
    return test::error_of([&] {
      a.merge(b);
      return 0;
    });
  };
  CHECK(merged(Linear{}, ExactFeatures{}) == "no error");
  CHECK_THAT(merged(Gaussian(1.0), fourier), ContainsSubstring("seed: 4 there, 3 here"));
}

TEST_CASE("feature_pca_moments: what has no words is told apart by its features",
          "[models][error]") {
  const auto refusal = [](auto a, const auto& b) {
    return test::error_of([&] {
      a.merge(b);
      return 0;
    });
  };
  // Maclaurin features scale with the radius.
  const FeaturePca maclaurin{RandomMaclaurin{.features = 30}};
  const Polynomial cubic{{.degree = 3}};
  const FeaturePcaMoments narrow(cubic, maclaurin, {.dimension = 3, .radius = 1}),
      wide(cubic, maclaurin, {.dimension = 3, .radius = 4});
  CHECK(refusal(narrow, narrow) == "no error");
  CHECK_THAT(refusal(narrow, wide), ContainsSubstring("another radius in the bounds"));
  // Landmarks of the same number.
  const Matrix<double> x = test::uniform_samples<double>(8, 2, 1);
  const SampleBounds bounds = sample_bounds(x);
  const Intersection kernel;
  const FeaturePcaMoments first(kernel, FeaturePca{NystromFeatures{x.topRows(4).cwiseAbs()}},
                                bounds),
      second(kernel, FeaturePca{NystromFeatures{x.bottomRows(4).cwiseAbs()}}, bounds);
  CHECK(refusal(first, first) == "no error");
  CHECK_THAT(refusal(first, second), ContainsSubstring("nystrom-features(landmarks=4, checksum="));
}

TEST_CASE("feature_pca_moments: rows and requests that cannot be", "[models][error]") {
  const SampleBounds bounds{.dimension = 3, .radius = 1};
  Moments<double> moments = moments_of<double>(Matrix<double>(0, 3), bounds);
  const auto error = [&](const auto& action) {
    return test::error_of([&] {
      action();
      return 0;
    });
  };
  CHECK(error([&] { (void)moments.model(2); }) ==
        "mercer::FeaturePcaMoments::model: there are no rows");
  CHECK(error([&] { moments.add(Matrix<double>(Matrix<double>::Zero(4, 2))); }) ==
        "mercer::FeaturePcaMoments: the matrix has 2 columns, the moments are for 3");
  Matrix<double> hole = Matrix<double>::Zero(4, 3);
  hole(2, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(error([&] { moments.add(hole); }), ContainsSubstring("at row 2, column 1"));
  GeneratedStream<double> endless_rows(3, endless,
                                       [](Index, GramOut<double> out) { out.setZero(); });
  CHECK_THAT(error([&] { moments.add(endless_rows); }), ContainsSubstring("does not end"));
  // One row has no variance about its mean.
  moments.add(Matrix<double>(Matrix<double>::Ones(1, 3)));
  CHECK(moments.model(1).components() == 0);
  moments.add(test::uniform_samples<double>(99, 3, 1));
  CHECK_THAT(error([&] { (void)moments.model(81); }),
             ContainsSubstring("81 components need as many features, but there are 80"));
  CHECK_THAT(error([&] { (void)moments.model(101); }), ContainsSubstring("between 1"));
}

}  // namespace feature_pca_moments_test
