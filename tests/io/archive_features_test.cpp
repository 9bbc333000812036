// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// By the CMake target mercer::archive.
#if defined(MERCER_HAS_CEREAL)

#include <mercer/io/archive_features.hpp>

#include <string>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/io/archive.hpp>
#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/doubly_stochastic.hpp>
#include <mercer/solvers/feature_pca.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Samples that every kernel takes.
template <Real S>
Matrix<S> samples() {
  return normal_matrix<S>(40, 3, 4, "samples").cwiseAbs();
}

/// Fits, writes, reads, and compares what the two models say.
template <Real S, class K, class F>
void check_round_trip(const K& kernel, const F& map, const std::string& name) {
  const Matrix<S> x = samples<S>();
  const auto model = KernelPca{kernel, FeaturePca{map, {.seed = 7}}, {.components = 2}}.fit(x);
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("a.model");
  io::write_archive(path, model);
  const io::Archive archive(path);
  CAPTURE(name);
  CHECK(archive.header().type == "feature-pca");
  CHECK(archive.header().features == name);
  CHECK(archive.header().scalar == to_string(precision_of<S>));
  const auto again = archive.get<FeaturePcaModel<K, F, S>>();
  CHECK(again.transform(x) == model.transform(x));
  CHECK(again.eigenvalues() == model.eigenvalues());
  CHECK(again.explained_variance_ratio() == model.explained_variance_ratio());
  CHECK(again.report().reason == model.report().reason);
  CHECK(again.centered() == model.centered());
}

}  // namespace

TEMPLATE_TEST_CASE("archive: models over features, once with each map", "[io]", float, double) {
  using S = TestType;
  check_round_trip<S>(
      Gaussian{1.5},
      RandomFourier{.features = 7, .form = FourierForm::Phase, .sampling = Sampling::QuasiRandom},
      "random-fourier");
  if constexpr (sizeof(S) == sizeof(double)) {
    check_round_trip<S>(Gaussian{1.5}, OrthogonalFourier{.features = 7}, "orthogonal-fourier");
    check_round_trip<S>(Gaussian{1.5}, Fastfood{.features = 7}, "fastfood");
    check_round_trip<S>(Polynomial{}, TensorSketch{.features = 9}, "tensor-sketch");
    check_round_trip<S>(ExponentialDot{0.3}, RandomMaclaurin{.features = 9}, "random-maclaurin");
    check_round_trip<S>(ReciprocalSemigroup{1.0}, RandomLaplace{.features = 9}, "random-laplace");
    check_round_trip<S>(ArcCosine{1}, ArcCosineFeatures{.features = 9}, "arc-cosine-features");
    check_round_trip<S>(Intersection{},
                        AdditiveFeatures{.features = 3, .form = AdditiveForm::Threshold},
                        "additive-features");
    check_round_trip<S>(AdditiveChiSquare{}, HomogeneousKernelMap{.orders = 2, .step = 0.4},
                        "homogeneous-kernel-map");
    check_round_trip<S>(ChiSquare{0.5},
                        ChiSquareFeatures{.features = 7, .additive = {.orders = 4, .step = 0.35}},
                        "chi-square-features");
    check_round_trip<S>(Linear{}, ExactFeatures{}, "exact-features");
    check_round_trip<S>(Gaussian{1.5},
                        NystromFeatures{Matrix<double>(samples<double>().topRows(5))},
                        "nystrom-features");
  }
}

TEST_CASE("archive: a fit under way goes on from a file to the same bits", "[io]") {
  const Matrix<float> x = samples<float>();
  const Gaussian kernel(1.5);
  const DoublyStochasticParams params{.blocks = 3, .data_batch = 16, .steps = 20};
  const RandomFourier map{.features = 6};
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("run.state");
  const DoublyStochasticCheckpoints writing{
      .every = 8,
      .visit = [&](const DoublyStochasticCheckpoint& c) { io::write_archive(path, c); },
      .resume = nullptr};
  const auto fit = [&](const DoublyStochasticCheckpoints& checkpoints) {
    return KernelPca{kernel, DoublyStochastic{map, params, checkpoints}, {.components = 2}}.fit(x);
  };
  const auto whole = fit(writing);
  const auto read = io::read_archive<DoublyStochasticCheckpoint>(path);
  CHECK(read.run.steps == 16);
  const auto again = fit({.every = 0,
                          .visit = {},
                          .resume = std::make_shared<const DoublyStochasticCheckpoint>(read)});
  CHECK(again.coefficients() == whole.coefficients());
  CHECK(again.eigenvalues() == whole.eigenvalues());
  CHECK_THROWS_WITH((io::read_archive<FeaturePcaModel<Gaussian, RandomFourier, float>>(path)),
                    ContainsSubstring("doubly-stochastic-checkpoint"));
}

#endif
