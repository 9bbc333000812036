// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// Golden files, as in archive_models_test.

// By the CMake target mercer::archive.
#if defined(MERCER_HAS_CEREAL)

#include <mercer/io/archive/archive_views.hpp>

#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>

#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/io/archive/archive_bytes.hpp>
#include <tests/io/archive/golden_archives.hpp>
#include <tests/io/archive/pair_report_bytes.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/xy5.hpp>

namespace archive_views_test {

using namespace mercer;
using test::ArchiveBytes;
using test::check_golden;
using test::distinct_pair_report;
using test::header_size;
using test::letters;
using test::pair_report_size;
using test::put_distinct_pair_report;
using test::put_header;

namespace {

using X = KernelFunctions<Gaussian, Matrix<double>>;
using Z = FeatureFunctions<Laplacian, RandomFourier, double>;

X functions_x() {
  return {Gaussian(.5), std::make_shared<const Matrix<double>>(Matrix<double>{{1., 2.}}),
          Matrix<double>{{4.}}, Vector<double>{{.25}}};
}

void put_x(ArchiveBytes& bytes) {
  bytes.text("kernel-functions").text("gaussian").real(.5);
  bytes.dense(1, 2, {1., 2.}).dense(1, 1, {4.}).dense(1, 1, {.25});
}
constexpr std::size_t x_size = 24 + 16 + 8 + (36 + 16) + (36 + 8) + (36 + 8);

Z functions_z() {
  FeatureExpansion<double> expansion{.coefficients = Matrix<double>{{1.}, {2.}},
                                     .offset = Vector<double>{{3.}},
                                     .blocks = 1,
                                     .bounds = {.dimension = 2, .radius = .75},
                                     .seed = 5};
  return {Laplacian(2.0), RandomFourier{.features = 1}, std::move(expansion)};
}

}  // namespace

TEST_CASE("archive: golden bytes of a kernel CCA and a kernel SVD", "[io]") {
  const std::size_t size = letters({"gaussian", "double", "dense"}) + header_size + 2 * x_size +
                           (36 + 8) + pair_report_size;
  const KernelCcaModel cca(functions_x(), functions_x(), Vector<double>{{.5}},
                           distinct_pair_report());
  check_golden(cca, size + 2 * letters({"kernel-cca"}) + 8, [](ArchiveBytes& bytes) {
    put_header(bytes, "kernel-cca", "gaussian", "", "double", "dense");
    bytes.text("kernel-cca");
    put_x(bytes);
    put_x(bytes);
    bytes.dense(1, 1, {.5});
    put_distinct_pair_report(bytes);
  });
  const KernelSvdModel svd(functions_x(), functions_x(), Vector<double>{{.5}}, 9.5,
                           distinct_pair_report());
  check_golden(svd, size + 2 * letters({"kernel-svd"}) + 8 + 8, [](ArchiveBytes& bytes) {
    put_header(bytes, "kernel-svd", "gaussian", "", "double", "dense");
    bytes.text("kernel-svd");
    put_x(bytes);
    put_x(bytes);
    bytes.dense(1, 1, {.5}).real(9.5);
    put_distinct_pair_report(bytes);
  });
}

TEST_CASE("archive: golden bytes of a kernel SIR over features", "[io]") {
  const KernelSirModel sir(functions_z(), Vector<double>{{.5}}, distinct_pair_report());
  const std::size_t names = letters({"kernel-sir", "laplacian", "random-fourier", "double"}) +
                            letters({"kernel-sir", "feature-functions", "laplacian"});
  // The map: its name and three numbers.
  const std::size_t map = 8 + letters({"random-fourier"}) + 3 * 8;
  const std::size_t expansion = (36 + 16) + (36 + 8) + 8 + 16 + 8;
  check_golden(sir, header_size + names + 3 * 8 + 8 + map + expansion + (36 + 8) + pair_report_size,
               [](ArchiveBytes& bytes) {
                 put_header(bytes, "kernel-sir", "laplacian", "random-fourier", "double");
                 bytes.text("kernel-sir").text("feature-functions");
                 bytes.text("laplacian").real(2.);
                 bytes.text("random-fourier").integer(1).integer(0).integer(0);
                 bytes.dense(2, 1, {1., 2.}).dense(1, 1, {3.});
                 bytes.integer(1).integer(2).real(.75).integer(5);
                 bytes.dense(1, 1, {.5});
                 put_distinct_pair_report(bytes);
               });
}

TEST_CASE("archive: models of views come back with the same bits", "[io]") {
  const test::TemporaryDirectory directory;
  const test::TwoViewSamples views_of_both = test::correlated_views(40, 1);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const auto again = [&]<class Model>(const Model& model) {
    io::write_archive(directory.path("model"), model);
    return io::read_archive<Model>(directory.path("model"));
  };
  const auto cca =
      KernelCca{Gaussian(1.0), Linear{}, Exact{}, {.regularization = .1}}.fit(x, Matrix<double>(y));
  CHECK(again(cca).transform_x(x) == cca.transform_x(x));
  CHECK(again(cca).correlations() == cca.correlations());
  CHECK(io::Archive(directory.path("model")).header().kernel == "gaussian, linear");

  const MultiviewCca views{std::tuple{Gaussian(1.0), Linear{}}, Exact{}, {.regularization = .1}};
  const auto joined = views.fit(x, y);
  CHECK(again(joined).transform<1>(y) == joined.transform<1>(y));
  CHECK(again(joined).eigenvalues() == joined.eigenvalues());
  CHECK(again(joined).report().views[1].residuals == joined.report().views[1].residuals);
}

}  // namespace archive_views_test

#endif  // defined(MERCER_HAS_CEREAL)
