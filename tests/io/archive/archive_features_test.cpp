// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// By the CMake target mercer::archive.
#if defined(MERCER_HAS_CEREAL)

#include <mercer/io/archive/archive_features.hpp>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/io/archive.hpp>
#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/runtime/any_features.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace archive_features_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

/// What a model is made of, unchecked: an archive of it is one of a model that nobody fitted.
template <class K, class F>
struct Forged {
  K kernel;
  F map;
  FeatureSolution<double> solution;
};

}  // namespace

}  // namespace archive_features_test

template <class K, class F>
struct mercer::io::ArchiveTraits<archive_features_test::Forged<K, F>> {
  static constexpr std::string_view name = "feature-pca";
  static auto parts(const archive_features_test::Forged<K, F>& forged) {
    return std::tuple<const K&, const F&, const FeatureSolution<double>&, bool>(
        forged.kernel, forged.map, forged.solution, true);
  }
};

namespace archive_features_test {

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

  // The file says nothing of how the map was chosen.
  const auto any = archive.get<FeaturePcaModel<K, AnyFeatures, S>>();
  CHECK(any.transform(x) == model.transform(x));
  const std::string same = directory.path("b.model");
  io::write_archive(same, any);
  CHECK(io::read_file(same) == io::read_file(path));
}

}  // namespace

SCALAR_TEST_CASE("archive: models over features, once with each map", "[io]") {
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
    check_round_trip<S>(OnSphere{Gaussian{0.5}},
                        ZonalFeatures{.features = 9, .sampling = Sampling::QuasiRandom},
                        "zonal-features");
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

TEST_CASE("archive: numbers of features, blocks and columns that would overflow are refused",
          "[io]") {
  const test::TemporaryDirectory directory;
  // No coefficients: what a product of sizes is when it wraps round to zero.
  const auto error = [&]<class K, class F>(const K& kernel, const F& map, Index blocks = 2,
                                           Index dimension = 3) {
    FeatureSolution<double> solution;
    solution.blocks = blocks;
    solution.bounds.dimension = dimension;
    const std::string path = directory.path("forged.model");
    io::write_archive(path, Forged<K, F>{kernel, map, solution});
    return test::file_error([&] { return io::read_archive<FeaturePcaModel<K, F, double>>(path); });
  };
  const Gaussian gaussian(1);
  const auto fits_int = ContainsSubstring("must fit an int");
  constexpr Index huge = Index{1} << 62, large = Index{1} << 31;
  for (const Index features : {huge, large}) {
    CHECK_THAT(error(gaussian, RandomFourier{.features = features}), fits_int);
    CHECK_THAT(error(gaussian, OrthogonalFourier{.features = features}), fits_int);
    CHECK_THAT(error(gaussian, Fastfood{.features = features}), fits_int);
    CHECK_THAT(error(Polynomial{}, TensorSketch{.features = features}), fits_int);
    CHECK_THAT(error(Linear{}, RandomMaclaurin{.features = features}), fits_int);
    CHECK_THAT(error(ReciprocalSemigroup{1.0}, RandomLaplace{.features = features}), fits_int);
    CHECK_THAT(error(ArcCosine{1}, ArcCosineFeatures{.features = features}), fits_int);
    CHECK_THAT(error(OnSphere{gaussian}, ZonalFeatures{.features = features}), fits_int);
    CHECK_THAT(error(Intersection{}, AdditiveFeatures{.features = features}), fits_int);
    CHECK_THAT(error(ChiSquare{0.5}, ChiSquareFeatures{.features = features}), fits_int);
    CHECK_THAT(error(gaussian, RandomFourier{}, 2, features), fits_int);
    CHECK_THAT(error(gaussian, Fastfood{}, 2, features), fits_int);
    CHECK_THAT(error(Intersection{}, AdditiveFeatures{}, 2, features), fits_int);
    CHECK_THAT(error(AdditiveChiSquare{}, HomogeneousKernelMap{}, 2, features), fits_int);
    CHECK_THAT(error(Linear{}, ExactFeatures{}, 2, features), fits_int);
    CHECK_THAT(error(AdditiveChiSquare{}, HomogeneousKernelMap{.orders = features}),
               ContainsSubstring("orders must be at most"));
  }
  CHECK_THAT(error(gaussian, RandomFourier{.features = huge}),
             ContainsSubstring("forged.model: the archive is damaged: mercer::RandomFourier"));
  CHECK_THAT(error(gaussian, RandomFourier{}, 2, -1), ContainsSubstring("dimension must be"));
  // 256 columns in each block: 2^64 in all.
  CHECK_THAT(error(gaussian, RandomFourier{.features = 128}, Index{1} << 56),
             ContainsSubstring("do not fit"));
  CHECK_THAT(error(gaussian, RandomFourier{}, 0), ContainsSubstring("do not fit"));
  CHECK_THAT(error(Linear{}, ExactFeatures{}, -1, 0), ContainsSubstring("do not fit"));
}

TEST_CASE("archive: no work for dimensions that a file only claims", "[io]") {
  const test::TemporaryDirectory directory;
  constexpr Index claimed = 50'000'000;
  FeatureSolution<double> solution;
  solution.eigenvalues = Vector<double>::Ones(1);
  solution.offset = Vector<double>::Zero(1);
  solution.blocks = 1;
  solution.bounds.dimension = claimed;
  const auto read = [&]<class K, class F>(const K& kernel, const F& map, Index columns) {
    solution.coefficients = Matrix<double>::Ones(columns, 1);
    const std::string path = directory.path("wide.model");
    io::write_archive(path, Forged<K, F>{kernel, map, solution});
    REQUIRE(std::filesystem::file_size(path) < 1000);
    const auto model = io::read_archive<FeaturePcaModel<K, F, double>>(path);
    CHECK(model.solution().bounds.dimension == claimed);
    CHECK_THROWS_WITH(model.transform(Matrix<double>(Matrix<double>::Zero(1, 3))),
                      ContainsSubstring("have 3 columns, the training samples 50000000"));
  };
  // A table of the primes of all coordinates would take minutes.
  const auto begin = std::chrono::steady_clock::now();
  read(Gaussian(1), RandomFourier{.features = 1, .sampling = Sampling::QuasiRandom}, 2);
  read(ReciprocalSemigroup(1), RandomLaplace{.features = 1, .sampling = Sampling::QuasiRandom}, 1);
  read(Gaussian(1), AnyFeatures(RandomFourier{.features = 1, .sampling = Sampling::QuasiRandom}),
       2);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

TEST_CASE("archive: shapes are checked before landmarks are worked with", "[io]") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("forged.model");
  using Map = NystromFeatures<Matrix<double>>;
  const auto error = [&](const Matrix<double>& landmarks, const FeatureSolution<double>& solution) {
    io::write_archive(path, Forged<Gaussian, Map>{Gaussian(1), Map(landmarks), solution});
    return test::file_error(
        [&] { return io::read_archive<FeaturePcaModel<Gaussian, Map, double>>(path); });
  };
  FeatureSolution<double> solution;
  solution.eigenvalues = Vector<double>::Ones(1);
  solution.coefficients = Matrix<double>::Ones(4, 1);
  solution.offset = Vector<double>::Zero(1);
  solution.blocks = 1;
  // Landmarks that binding would complain about.
  const Matrix<double> infinite = Matrix<double>::Constant(4, 1, HUGE_VAL);
  solution.bounds.dimension = 1;
  REQUIRE_THAT(error(infinite, solution), ContainsSubstring("must be finite"));
  const auto no_fit = ContainsSubstring("do not fit");
  auto wrong = solution;
  wrong.offset = Vector<double>::Zero(2);
  CHECK_THAT(error(infinite, wrong), no_fit);
  wrong = solution;
  wrong.coefficients = Matrix<double>::Ones(4, 2);
  CHECK_THAT(error(infinite, wrong), no_fit);
  wrong = solution;
  wrong.blocks = 3;
  CHECK_THAT(error(infinite, wrong), no_fit);
  wrong.blocks = 0;
  CHECK_THAT(error(infinite, wrong), no_fit);

  // Any number of landmarks without columns takes no bytes, but a matrix of their kernel values.
  solution.bounds.dimension = 0;
  CHECK_THAT(error(Matrix<double>(Index{1} << 40, 0), solution),
             ContainsSubstring("forged.model: the archive is damaged: mercer::NystromFeatures: "
                               "1099511627776 landmarks have no columns"));
}

TEST_CASE("archive: states of runs that cannot be are refused", "[io]") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("forged.state");
  const DoublyStochasticCheckpoint good{
      .fit = {{"seed", "1"}},
      .run = {.schedule = {}, .coefficients = Matrix<double>::Ones(2, 1), .next_block = 1},
      .position = {.epoch = 1, .row = 2},
      .passes = 1,
      .start = {},
      .read = {}};
  const auto error = [&](const auto& change) {
    DoublyStochasticCheckpoint checkpoint = good;
    change(checkpoint);
    io::write_archive(path, checkpoint);
    return test::file_error([&] { return io::read_archive<DoublyStochasticCheckpoint>(path); });
  };
  using Checkpoint = DoublyStochasticCheckpoint;
  CHECK(error([](Checkpoint&) {}) == "no error");
  CHECK_THAT(error([](Checkpoint& c) { c.run.schedule.blocks = 0; }),
             ContainsSubstring("forged.state: the archive is damaged: ") &&
                 ContainsSubstring("blocks must be at least 1"));
  CHECK_THAT(error([](Checkpoint& c) { c.run.schedule.blocks = (Index{1} << 32) + 1; }),
             ContainsSubstring("blocks must be at most 4294967296"));
  CHECK_THAT(error([](Checkpoint& c) { c.run.schedule.step = -1; }),
             ContainsSubstring("step must be positive"));
  CHECK_THAT(error([](Checkpoint& c) { c.run.next_block = -1; }),
             ContainsSubstring("next_block must be at least 0"));
  CHECK_THAT(error([](Checkpoint& c) { c.run.next_block = 65; }),
             ContainsSubstring("block 65 of 64"));
  CHECK_THAT(error([](Checkpoint& c) { c.run.steps = -1; }),
             ContainsSubstring("steps must be at least 0"));
  CHECK_THAT(error([](Checkpoint& c) { c.position.epoch = -1; }),
             ContainsSubstring("epoch must be at least 0"));
  CHECK_THAT(error([](Checkpoint& c) { c.position.row = -1; }),
             ContainsSubstring("row must be at least 0"));
  CHECK_THAT(error([](Checkpoint& c) { c.read.rows = -1; }),
             ContainsSubstring("SampleDigest: rows"));
  CHECK_THAT(error([](Checkpoint& c) { c.passes = -1; }),
             ContainsSubstring("passes must be at least 0"));
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

}  // namespace archive_features_test
