// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// Golden files, as in archive_models_test.

// By the CMake target mercer::archive.
#if defined(MERCER_HAS_CEREAL)

#include <mercer/io/archive/archive_latent.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_ica.hpp>
#include <mercer/models/latent/latent_mixture.hpp>
#include <tests/io/archive/archive_bytes.hpp>
#include <tests/io/archive/golden_archives.hpp>
#include <tests/io/archive/pair_report_bytes.hpp>
#include <tests/models/mixture_laws.hpp>
#include <tests/support/catch.hpp>

namespace archive_latent_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using test::ArchiveBytes;
using test::check_golden;
using test::distinct_pair_report;
using test::header_size;
using test::letters;
using test::pair_report_size;
using test::put_distinct_pair_report;
using test::put_header;

namespace {

using Dense = Matrix<double>;
template <class K, class S = double>
using View = MixtureView<K, Matrix<S>>;

/// Two samples in the plane.
template <class K>
View<K> view_of(const K& kernel) {
  return {kernel, std::make_shared<const Dense>(Dense{{1., 2.}, {3., 4.}}), Dense{{.5}, {.25}}};
}

void put_view(ArchiveBytes& bytes, const std::function<void(ArchiveBytes&)>& put_kernel) {
  bytes.text("mixture-view");
  put_kernel(bytes);
  bytes.dense(2, 2, {1., 3., 2., 4.}).dense(2, 1, {.5, .25});
}
void put_gaussian(ArchiveBytes& bytes) {
  bytes.text("gaussian").real(.5);
}

/// A view without its kernel, then weights, two singular values, and the defect.
constexpr std::size_t view_size = 8 + 12 + (36 + 32) + (36 + 16);
constexpr std::size_t rest_size = (36 + 8) + (36 + 16) + 8 + pair_report_size;

void put_rest(ArchiveBytes& bytes) {
  bytes.dense(1, 1, {.75}).dense(2, 1, {4., 2.}).real(.125);
  put_distinct_pair_report(bytes);
}

template <class Model>
Model again(const Model& model) {
  const test::TemporaryDirectory directory;
  io::write_archive(directory.path("model"), model);
  return io::read_archive<Model>(directory.path("model"));
}

}  // namespace

TEST_CASE("archive: golden bytes of a mixture of exchangeable views", "[io]") {
  using Model = ExchangeableMixtureModel<View<Gaussian>>;
  const View<Gaussian> view = view_of(Gaussian(.5));
  const Model model({view, view, view}, Vector<double>{{.75}}, Vector<double>{{4., 2.}}, .125,
                    distinct_pair_report());
  const std::size_t names = 2 * letters({"exchangeable-mixture"}) +
                            letters({"gaussian", "double", "dense"}) + 3 * letters({"gaussian"});
  check_golden(model, header_size + 8 + names + 3 * (view_size + 16) + rest_size,
               [](ArchiveBytes& bytes) {
                 put_header(bytes, "exchangeable-mixture", "gaussian", "", "double", "dense");
                 bytes.text("exchangeable-mixture");
                 for (int v = 0; v < 3; ++v) put_view(bytes, put_gaussian);
                 put_rest(bytes);
               });
}

TEST_CASE("archive: golden bytes of a mixture of different views", "[io]") {
  const LatentMixtureModel<View<Gaussian>, View<Linear>, View<Laplacian>> model(
      {view_of(Gaussian(.5)), view_of(Linear{}), view_of(Laplacian(2))}, Vector<double>{{.75}},
      Vector<double>{{4., 2.}}, .125, distinct_pair_report());
  const std::size_t names = 2 * letters({"latent-mixture"}) +
                            letters({"gaussian, linear, laplacian", "double", "dense"}) +
                            letters({"gaussian", "linear", "laplacian"});
  const std::size_t kernels = 3 * 8 + 2 * 8;
  check_golden(model, header_size + 8 + names + kernels + 3 * view_size + rest_size,
               [](ArchiveBytes& bytes) {
                 put_header(bytes, "latent-mixture", "gaussian, linear, laplacian", "", "double",
                            "dense");
                 bytes.text("latent-mixture");
                 put_view(bytes, put_gaussian);
                 put_view(bytes, [](ArchiveBytes& b) { b.text("linear"); });
                 put_view(bytes, [](ArchiveBytes& b) { b.text("laplacian").real(2.); });
                 put_rest(bytes);
               });
}

TEST_CASE("archive: golden bytes of a kernel ICA", "[io]") {
  const IcaReport report{.status = Status::Finished,
                         .contrast = IcaContrast::Kcca,
                         .samples = 2,
                         .dimension = 3,
                         .sigma = 1.5,
                         .regularization = 2.5,
                         .tolerance = 3.5,
                         .sweeps = 4,
                         .evaluations = 5,
                         .last_angle = 6.5,
                         .fit_seconds = 7.5};
  const KernelIcaModel<float> model(Vector<float>{{1.F, 2.F}},
                                    Matrix<float>{{3.F, 4.F}, {5.F, 6.F}},
                                    Matrix<float>{{7.F, 8.F}, {9.F, 10.F}}, .25, report);
  const std::size_t matrices = (36 + 8) + 2 * (36 + 16);
  check_golden(
      model,
      header_size + 2 * letters({"kernel-ica"}) + letters({"single"}) + 8 + matrices + 8 + 11 * 8,
      [](ArchiveBytes& bytes) {
        put_header(bytes, "kernel-ica", "", "", "single");
        bytes.text("kernel-ica");
        bytes.dense(2, 1, {1.F, 2.F});
        bytes.dense(2, 2, {3.F, 5.F, 4.F, 6.F}).dense(2, 2, {7.F, 9.F, 8.F, 10.F}).real(.25);
        bytes.integer(3).integer(1).integer(2).integer(3).reals({1.5, 2.5, 3.5});
        bytes.integer(4).integer(5).reals({6.5, 7.5});
      });
}

SCALAR_TEST_CASE("archive: mixtures come back with the same bits", "[io]") {
  using S = TestType;
  using test::Law;
  const std::vector<Law> laws{Law::normal(-2, .6), Law::normal(2, 1)};
  const auto views = test::draw_views({laws, laws, laws}, {.4, .6}, 200, 1);
  const Matrix<S> x1 = views[0].cast<S>(), x2 = views[1].cast<S>(), x3 = views[2].cast<S>();
  const Matrix<S> grid = Vector<S>::LinSpaced(9, -4, 4);

  const auto mixture = LatentMixture{Gaussian(.5), Exact{}, {.components = 2}}.fit(x1, x2, x3);
  const auto exchangeable = again(mixture);
  CHECK(exchangeable.density(grid) == mixture.density(grid));
  CHECK(exchangeable.expectation(x1, x2, x3) == mixture.expectation(x1, x2, x3));
  CHECK(exchangeable.weights() == mixture.weights());
  CHECK(exchangeable.singular_values() == mixture.singular_values());
  CHECK(exchangeable.defect() == mixture.defect());
  CHECK(exchangeable.report().fit_seconds == mixture.report().fit_seconds);

  const DifferentViews kernels{Gaussian(.5), Gaussian(.7), Gaussian(.9)};
  const auto found = LatentMixture{kernels, Exact{}, {.components = 2}}.fit(x1, x2, x3);
  const auto different = again(found);
  for (Index view = 0; view < 3; ++view)
    CHECK(different.density(view, grid) == found.density(view, grid));
  CHECK(different.expectation(2, x3) == found.expectation(2, x3));
  CHECK(different.report().views[2].rank == found.report().views[2].rank);
}

SCALAR_TEST_CASE("archive: a kernel ICA comes back with the same bits", "[io]") {
  const Matrix<TestType> x = normal_matrix<TestType>(60, 2, 1, "x").array().cube();
  const auto model = KernelIca{{.contrast = IcaContrast::Kcca}}.fit(x);
  const auto back = again(model);
  CHECK(back.transform(x) == model.transform(x));
  CHECK(back.inverse_transform(x) == model.inverse_transform(x));
  CHECK(back.contrast() == model.contrast());
  CHECK(back.report().evaluations == model.report().evaluations);
  CHECK(back.report().contrast == IcaContrast::Kcca);
}

TEST_CASE("archive: models of latent variables of another kind, or that cannot be", "[io]") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("model");
  const auto error = [&]<class T>(std::type_identity<T>) {
    return test::file_error([&] { return io::read_archive<T>(path); });
  };
  const View<Gaussian> view = view_of(Gaussian(.5));
  using Exchangeable = ExchangeableMixtureModel<View<Gaussian>>;
  using Different = LatentMixtureModel<View<Gaussian>, View<Gaussian>, View<Gaussian>>;
  const Vector<double> one{{.75}};
  io::write_archive(path, Exchangeable({view, view, view}, one, one, 0, {}));
  CHECK(error(std::type_identity<Exchangeable>()) == "no error");
  CHECK_THAT(error(std::type_identity<Different>()),
             ContainsSubstring("exchangeable-mixture") && ContainsSubstring("latent-mixture"));
  CHECK_THAT(error(std::type_identity<KernelIcaModel<double>>()),
             ContainsSubstring("exchangeable-mixture") && ContainsSubstring("kernel-ica"));
  CHECK_THAT(error(std::type_identity<ExchangeableMixtureModel<View<Laplacian>>>()),
             ContainsSubstring("gaussian") && ContainsSubstring("laplacian"));
  CHECK_THAT(error(std::type_identity<ExchangeableMixtureModel<View<Gaussian, float>>>()),
             ContainsSubstring("dense double") && ContainsSubstring("dense single"));

  io::write_archive(path, KernelIcaModel<double>(one, Dense{{1.}}, Dense{{1.}}, 0, {}));
  CHECK(error(std::type_identity<KernelIcaModel<double>>()) == "no error");
  CHECK_THAT(error(std::type_identity<KernelIcaModel<float>>()),
             ContainsSubstring("dense double") && ContainsSubstring("dense single"));
  CHECK_THAT(error(std::type_identity<Exchangeable>()), ContainsSubstring("kernel-ica"));

  // Views that do not fit together.
  const View<Gaussian> two(Gaussian(.5), std::make_shared<const Dense>(Dense{{1.}, {2.}}),
                           Dense{{1., 2.}, {3., 4.}});
  const View<Gaussian> shorter(Gaussian(.5), std::make_shared<const Dense>(Dense{{1., 2.}}),
                               Dense{{1.}});
  CHECK_THROWS_WITH(Different({view, two, view}, one, one, 0, {}),
                    ContainsSubstring("weights of view 1 must be 2 x 1, got 2 x 2"));
  CHECK_THROWS_WITH(Different({view, view, shorter}, one, one, 0, {}),
                    ContainsSubstring("weights of view 2 must be 2 x 1, got 1 x 1"));
  io::write_archive(path, View<Gaussian>(Gaussian(.5), std::make_shared<const Dense>(0, 1), {}));
  CHECK_THAT(
      error(std::type_identity<View<Gaussian>>()),
      ContainsSubstring("the archive is damaged: mercer::MixtureView: there are no samples"));
}

}  // namespace archive_latent_test

#endif  // defined(MERCER_HAS_CEREAL)
