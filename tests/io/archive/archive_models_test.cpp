// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// Golden files. Files outlive programs: if one of these tests fails, the format has changed, and
// the types concerned need another name, or archive_version another number.

// By the CMake target mercer::archive.
#if defined(MERCER_HAS_CEREAL)

#include <mercer/io/archive/archive_models.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/archive.hpp>
#include <mercer/runtime/any_features.hpp>
#include <mercer/version.hpp>
#include <tests/io/archive/archive_bytes.hpp>
#include <tests/io/archive/checkpoint_bytes.hpp>
#include <tests/io/archive/golden_archives.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace archive_models_test {

using namespace mercer;
using test::ArchiveBytes;
using test::check_golden;
using test::Put;
using test::put_header;
using test::version_size;

namespace {

/// A model of one component over a block of features: its bytes are those of the kernel and of the
/// map, between others that do not depend on them. Coefficients are 1, 2, 3, ...
template <class K, class F>
void check_map(const K& kernel, std::string_view kernel_name, const Put& put_kernel, const F& map,
               std::string_view map_name, const Put& put_map, Index columns) {
  CAPTURE(map_name);
  FeatureSolution<double> solution;
  solution.eigenvalues = Vector<double>::Constant(1, 8);
  solution.coefficients = Vector<double>::LinSpaced(columns, 1, static_cast<double>(columns));
  solution.offset = Vector<double>::Constant(1, -0.5);
  solution.blocks = 1;
  solution.bounds = {.dimension = 2, .radius = 0.75};
  solution.seed = ~std::uint64_t{0};
  solution.report = test::distinct_report(9, 2, 1);
  ArchiveBytes parts(std::endian::little);
  put_kernel(parts);
  put_map(parts);
  const std::size_t names = kernel_name.size() + map_name.size();
  check_golden(FeaturePcaModel(kernel, map, solution, true),
               537 + version_size + names + parts.content().size() - 1 +
                   8 * static_cast<std::size_t>(columns),
               [&](ArchiveBytes& bytes) {
                 put_header(bytes, "feature-pca", kernel_name, map_name, "double");
                 bytes.text("feature-pca");
                 put_kernel(bytes);
                 put_map(bytes);
                 bytes.dense(1, 1, {8.0});
                 bytes.text("dense double").integer(columns).integer(1);
                 for (Index i = 1; i <= columns; ++i) bytes.real(static_cast<double>(i));
                 bytes.dense(1, 1, {-0.5});
                 bytes.integer(1);             // block
                 bytes.integer(2).real(0.75);  // dimension and radius
                 bytes.integer(-1);            // the seed: all bits set
                 test::add_distinct_report(bytes, 9, 2, 1);
                 bytes.truth(true);
               });
}

}  // namespace

TEST_CASE("archive: golden bytes of a model over landmarks, dense double", "[io]") {
  using Model = KernelPcaModel<Scaled<Sum<Gaussian, Polynomial>>, Matrix<double>>;
  Matrix<double> points(3, 2), coefficients(3, 2), scores(4, 2);
  points << 1, 4, 2, 5, 3, 6;
  coefficients << 0.5, 2, -1, 4, 1.5, 8;
  scores << 1, -1, 2, -2, 3, -3, 4, -4;
  const Model model(
      {.kernel = 0.25 * (Gaussian(.5) + Polynomial({.gamma = 2, .coef0 = 1, .degree = 3})),
       .points = std::make_shared<const Matrix<double>>(points),
       .centered = true,
       .eigenvalues = Vector<double>{{16.0, 8.0}},
       .coefficients = coefficients,
       .offset = Vector<double>{{0.125, -0.25}},
       .mean_weights = Vector<double>{{7.0, 11.0, 13.0}},
       .mean = 0.375,
       .training_scores = std::make_shared<const Matrix<double>>(scores),
       .over_landmarks = true,
       .report = test::distinct_report(4, 2, 2)});
  check_golden(model, 959 + version_size, [](ArchiveBytes& bytes) {
    put_header(bytes, "kernel-pca", "scaled(sum(gaussian, polynomial))", "", "double", "dense");
    bytes.text("kernel-pca");
    bytes.text("scaled").real(0.25).text("sum");
    bytes.text("gaussian").real(0.5).text("polynomial").real(2.0).real(1.0).integer(3);
    bytes.truth(true).dense(3, 2, {1., 2., 3., 4., 5., 6.});  // there are points
    bytes.truth(true);                                        // centred
    bytes.dense(2, 1, {16., 8.});
    bytes.dense(3, 2, {0.5, -1., 1.5, 2., 4., 8.});
    bytes.dense(2, 1, {0.125, -0.25});
    bytes.dense(3, 1, {7., 11., 13.});
    bytes.real(0.375);
    bytes.truth(true).dense(4, 2, {1., 2., 3., 4., -1., -2., -3., -4.});  // there are scores
    bytes.truth(true);                                                    // over landmarks
    test::add_distinct_report(bytes, 4, 2, 2);
  });
}

TEST_CASE("archive: golden bytes of a model over samples, dense single", "[io]") {
  using Model = KernelPcaModel<Matern, Matrix<float>>;
  const Model model(
      {.kernel = Matern({.nu = 1.5, .length = 4}),
       .points = std::make_shared<const Matrix<float>>(Matrix<float>{{1.F, 2.F, 3.F}}),
       .centered = false,
       .eigenvalues = Vector<float>{{2.F}},
       .coefficients = Matrix<float>{{0.5F}},
       .offset = Vector<float>{{0.F}},
       .mean_weights = Vector<float>{{0.25F}},
       .mean = 0.375F,
       .training_scores = nullptr,
       .over_landmarks = false,
       .report = test::distinct_report(1, 3, 1)});
  check_golden(model, 635 + version_size, [](ArchiveBytes& bytes) {
    put_header(bytes, "kernel-pca", "matern", "", "single", "dense");
    bytes.text("kernel-pca").text("matern").real(1.5).real(4.0);
    bytes.truth(true).dense(1, 3, {1.F, 2.F, 3.F});
    bytes.truth(false).dense(1, 1, {2.F}).dense(1, 1, {0.5F}).dense(1, 1, {0.F});
    bytes.dense(1, 1, {0.25F}).real(0.375F);
    bytes.truth(false);  // no scores
    bytes.truth(false);
    test::add_distinct_report(bytes, 1, 3, 1);
  });
}

SCALAR_TEST_CASE("archive: golden bytes of a model over sparse samples", "[io]") {
  using S = TestType;
  using Model = KernelPcaModel<Linear, SparseMatrix<S>>;
  SparseMatrix<S> points(2, 300);
  points.insert(0, 7) = S(1.5);
  points.insert(1, 2) = S(-2);
  points.insert(1, 299) = S(3);
  points.makeCompressed();
  const Model model({.kernel = Linear{},
                     .points = std::make_shared<const SparseMatrix<S>>(points),
                     .centered = false,
                     .eigenvalues = Vector<S>(0),
                     .coefficients = Matrix<S>(2, 0),
                     .offset = Vector<S>(0),
                     .mean_weights = Vector<S>::Zero(2),
                     .report = test::distinct_report(2, 300, 0)});
  constexpr bool single = sizeof(S) == 4;
  check_golden(model, (single ? 645 : 669) + version_size, [&](ArchiveBytes& bytes) {
    put_header(bytes, "kernel-pca", "linear", "", single ? "single" : "double", "sparse");
    bytes.text("kernel-pca").text("linear");
    bytes.truth(true).text(single ? "sparse single" : "sparse double");
    bytes.integer(2).integer(300).integer(3);
    bytes.indices({0, 1, 3}).indices({7, 2, 299}).reals({S(1.5), S(-2), S(3)});
    bytes.truth(false);
    bytes.dense(0, 1, std::initializer_list<S>{}).dense(2, 0, std::initializer_list<S>{});
    bytes.dense(0, 1, std::initializer_list<S>{}).dense(2, 1, {S(0), S(0)}).real(S(0));
    bytes.truth(false).truth(false);
    test::add_distinct_report(bytes, 2, 300, 0);
  });
}

TEST_CASE("archive: golden bytes of models over features, once with each map", "[io]") {
  const Put gaussian = [](ArchiveBytes& b) { b.text("gaussian").real(2.0); };
  // The last number is that of the columns of a block.
  check_map(
      Gaussian(2), "gaussian", gaussian,
      RandomFourier{.features = 3, .form = FourierForm::Phase, .sampling = Sampling::QuasiRandom},
      "random-fourier",
      [](ArchiveBytes& b) { b.text("random-fourier").integer(3).integer(1).integer(1); }, 3);
  check_map(
      Gaussian(2), "gaussian", gaussian,
      OrthogonalFourier{.features = 3, .form = FourierForm::Paired}, "orthogonal-fourier",
      [](ArchiveBytes& b) { b.text("orthogonal-fourier").integer(3).integer(0); }, 6);
  check_map(
      Gaussian(2), "gaussian", gaussian, Fastfood{.features = 3, .form = FourierForm::Phase},
      "fastfood", [](ArchiveBytes& b) { b.text("fastfood").integer(3).integer(1); }, 3);
  check_map(
      Polynomial({.gamma = 2, .coef0 = 1, .degree = 3}), "polynomial",
      [](ArchiveBytes& b) { b.text("polynomial").real(2.0).real(1.0).integer(3); },
      TensorSketch{.features = 4}, "tensor-sketch",
      [](ArchiveBytes& b) { b.text("tensor-sketch").integer(4); }, 4);
  check_map(
      ExponentialDot(0.25), "exponential-dot",
      [](ArchiveBytes& b) { b.text("exponential-dot").real(0.25); },
      RandomMaclaurin{.features = 5, .law = DegreeLaw::Geometric}, "random-maclaurin",
      [](ArchiveBytes& b) { b.text("random-maclaurin").integer(5).integer(1); }, 5);
  check_map(
      ReciprocalSemigroup(0.5), "reciprocal-semigroup",
      [](ArchiveBytes& b) { b.text("reciprocal-semigroup").real(0.5); },
      RandomLaplace{.features = 2, .sampling = Sampling::QuasiRandom}, "random-laplace",
      [](ArchiveBytes& b) { b.text("random-laplace").integer(2).integer(1); }, 2);
  check_map(
      ArcCosine(2), "arc-cosine", [](ArchiveBytes& b) { b.text("arc-cosine").integer(2); },
      ArcCosineFeatures{.features = 7}, "arc-cosine-features",
      [](ArchiveBytes& b) { b.text("arc-cosine-features").integer(7); }, 7);
  check_map(
      Intersection{}, "intersection", [](ArchiveBytes& b) { b.text("intersection"); },
      AdditiveFeatures{.features = 3, .form = AdditiveForm::Threshold}, "additive-features",
      [](ArchiveBytes& b) { b.text("additive-features").integer(3).integer(1); }, 6);
  check_map(
      AdditiveChiSquare{}, "additive-chi-square",
      [](ArchiveBytes& b) { b.text("additive-chi-square"); },
      HomogeneousKernelMap{.orders = 2, .step = 0.5}, "homogeneous-kernel-map",
      [](ArchiveBytes& b) { b.text("homogeneous-kernel-map").integer(2).real(0.5); }, 10);
  check_map(
      ChiSquare(0.5), "chi-square", [](ArchiveBytes& b) { b.text("chi-square").real(0.5); },
      ChiSquareFeatures{
          .features = 3, .form = FourierForm::Phase, .additive = {.orders = 4, .step = 0.25}},
      "chi-square-features",
      [](ArchiveBytes& b) {
        b.text("chi-square-features").integer(3).integer(1).integer(4).real(0.25);
      },
      3);
  check_map(
      Cosine{}, "cosine", [](ArchiveBytes& b) { b.text("cosine"); }, ExactFeatures{},
      "exact-features", [](ArchiveBytes& b) { b.text("exact-features"); }, 2);
  Matrix<double> landmarks(2, 2);
  landmarks << 0, 4, 8, 16;
  check_map(
      Gaussian(2), "gaussian", gaussian, NystromFeatures(landmarks), "nystrom-features",
      [](ArchiveBytes& b) {
        b.text("nystrom-features").dense(2, 2, {0., 8., 4., 16.});
      },
      2);
  // Chosen at run time, a map has the bytes that it has by itself.
  check_map(
      Gaussian(2), "gaussian", gaussian,
      AnyFeatures(RandomFourier{.features = 3, .form = FourierForm::Phase}), "random-fourier",
      [](ArchiveBytes& b) { b.text("random-fourier").integer(3).integer(1).integer(0); }, 3);
}

TEST_CASE("archive: golden bytes of a model over features in single precision", "[io]") {
  FeatureSolution<float> solution;
  solution.eigenvalues = Vector<float>{{4.F, 2.F}};
  solution.coefficients = Matrix<float>{{1.F, 5.F}, {2.F, 6.F}, {3.F, 7.F}, {4.F, 8.F}};
  solution.offset = Vector<float>{{0.5F, 0.25F}};
  solution.blocks = 2;
  solution.bounds = {.dimension = 3, .radius = 0.75};
  solution.seed = 12;
  solution.report = test::distinct_report(9, 3, 2);
  check_golden(FeaturePcaModel(Laplacian(0.5), RandomFourier{.features = 1}, solution, false),
               663 + version_size, [](ArchiveBytes& bytes) {
                 put_header(bytes, "feature-pca", "laplacian", "random-fourier", "single");
                 bytes.text("feature-pca").text("laplacian").real(0.5);
                 bytes.text("random-fourier").integer(1).integer(0).integer(0);
                 bytes.dense(2, 1, {4.F, 2.F});
                 bytes.dense(4, 2, {1.F, 2.F, 3.F, 4.F, 5.F, 6.F, 7.F, 8.F});
                 bytes.dense(2, 1, {0.5F, 0.25F});
                 bytes.integer(2).integer(3).real(0.75).integer(12);
                 test::add_distinct_report(bytes, 9, 3, 2);
                 bytes.truth(false);
               });
}

TEST_CASE("archive: golden bytes of what a family of solvers adds to a report", "[io]") {
  // A named value has its header, and its name again before its parts.
  const auto check = [](const auto& details, std::string_view name, std::size_t size,
                        const Put& put) {
    CAPTURE(name);
    const auto put_all = [&](ArchiveBytes& bytes) {
      put_header(bytes, name);
      bytes.text(name);
      put(bytes);
    };
    check_golden(details, 57 + 2 * name.size() + version_size + size, put_all);
    check_golden(SolverDetails(details), 57 + 2 * name.size() + version_size + size, put_all);
  };
  check(std::monostate(), "no-details", 0, [](ArchiveBytes&) {});
  check(NystromDetails{.trace_error = 0.5, .sampling_evaluations = 3}, "nystrom-details", 16,
        [](ArchiveBytes& b) { b.real(0.5).integer(3); });
  check(SpgdDetails{.lambda = 0.5, .ranks = {3, -2}, .expected_error = 0.25, .error_bound = {}},
        "spgd-details", 41, [](ArchiveBytes& b) {
          b.real(0.5).integer(2).integer(3).integer(-2).real(0.25).truth(false);
        });
  check(SpgdDetails{.lambda = 0.5, .ranks = {}, .expected_error = 0.25, .error_bound = 2.0},
        "spgd-details", 33,
        [](ArchiveBytes& b) { b.real(0.5).integer(0).real(0.25).truth(true).real(2.0); });
  check(DualDetails{.dual_objective = -4, .duality_gap = 0.5, .objective_error = 0.25},
        "dual-details", 24, [](ArchiveBytes& b) {
          b.reals({-4.0, 0.5, 0.25});
        });
  check(
      DcaDetails{
          .dual_objective = -4, .duality_gap = 0.5, .zero_rows = 0.25, .zero_entries = 0.125},
      "dca-details", 32, [](ArchiveBytes& b) {
        b.reals({-4.0, 0.5, 0.25, 0.125});
      });
}

TEST_CASE("archive: entries of a report that are not set come back so", "[io]") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("report");
  Report report;
  report.solver_form = "a solver of the user's";
  io::write_archive(path, report);
  const auto again = io::read_archive<Report>(path);
  CHECK(again.status == Status::NotConverged);
  CHECK(again.solver == SolverId::Other);
  CHECK(again.solver_form == report.solver_form);
  CHECK_FALSE(again.precision);
  CHECK_FALSE(again.components_requested);
  CHECK_FALSE(again.residual_rows);
  CHECK(std::isnan(again.trace));
  CHECK_FALSE(again.expansion_points);
  CHECK_FALSE(again.most_negative_eigenvalue);
  CHECK(std::holds_alternative<std::monostate>(again.details));
}

TEST_CASE("archive: golden bytes of a checkpoint", "[io]") {
  const DoublyStochasticCheckpoint checkpoint =
      test::checkpoint_of({{"seed", "1"}, {"step", "0.5"}},
                          DoublyStochasticState<double>{.schedule = {.rule = StochasticRule::Gha,
                                                                     .blocks = 5,
                                                                     .step = 0.5,
                                                                     .decay = 0.25,
                                                                     .centered = false},
                                                        .coefficients = Matrix<double>{{1.0, 2.0}},
                                                        .next_block = 1,
                                                        .steps = 3});
  // Two settings have 8 + 4 + 8 + 1 and 8 + 4 + 8 + 3 bytes, and 8 are their number.
  check_golden(checkpoint, 294 + 2 + 2 + 8 + 21 + 23 + 32 + version_size, [](ArchiveBytes& bytes) {
    put_header(bytes, "doubly-stochastic-checkpoint-2(doubly-stochastic-state)");
    bytes.text("doubly-stochastic-checkpoint-2");
    bytes.integer(2).text("seed").text("1").text("step").text("0.5");
    bytes.text("doubly-stochastic-state");
    bytes.integer(1).integer(5).real(0.5).real(0.25).truth(false);
    bytes.dense(1, 2, {1., 2.}).integer(1).integer(3);
    test::put_place(bytes);
  });
}

TEST_CASE("archive: golden bytes of the state of a run in single precision", "[io]") {
  const DoublyStochasticState<float> state{.schedule = {.rule = StochasticRule::Oja,
                                                        .blocks = 2,
                                                        .step = 1,
                                                        .decay = 0,
                                                        .centered = true},
                                           .coefficients = Matrix<float>{{1.F}, {2.F}, {3.F}},
                                           .next_block = 0,
                                           .steps = 9};
  check_golden(state, 200 + version_size, [](ArchiveBytes& bytes) {
    put_header(bytes, "doubly-stochastic-state");
    bytes.text("doubly-stochastic-state");
    bytes.integer(0).integer(2).real(1.0).real(0.0).truth(true);
    bytes.dense(3, 1, {1.F, 2.F, 3.F}).integer(0).integer(9);
  });
}

}  // namespace archive_models_test

#endif  // defined(MERCER_HAS_CEREAL)
