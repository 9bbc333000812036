// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// A golden file, see archive_models_test.cpp.

// By the CMake target mercer::archive.
#if defined(MERCER_HAS_CEREAL)

#include <mercer/io/archive/archive_standardized.hpp>

#include <bit>
#include <memory>

#include <mercer/core/standardize.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/archive.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/models/kernel_pca_model.hpp>
#include <mercer/models/standardized_model.hpp>
#include <mercer/version.hpp>
#include <tests/io/archive/archive_bytes.hpp>
#include <tests/io/archive/golden_archives.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace archive_standardized_test {

using namespace mercer;

TEST_CASE("archive: golden bytes of a model of standardised samples", "[io]") {
  using Model = KernelPcaModel<Linear, Matrix<double>>;
  const StandardizedModel model(
      Standardize(Vector<double>{{3, -1}}, Vector<double>{{2, .5}}, true),
      Model({.kernel = Linear{},
             .points = std::make_shared<const Matrix<double>>(Matrix<double>{{5, 6}}),
             .centered = false,
             .eigenvalues = Vector<double>::Constant(1, 16),
             .coefficients = Matrix<double>::Constant(1, 1, .25),
             .offset = Vector<double>::Constant(1, 7),
             .mean_weights = Vector<double>::Constant(1, 8),
             .mean = 9,
             .report = test::distinct_report(1, 2, 1)}));
  test::check_golden(model, 800 + test::version_size, [](test::ArchiveBytes& bytes) {
    test::put_header(bytes, "standardized-kernel-pca", "linear", "", "double", "dense");
    bytes.text("standardized").text("standardize");
    bytes.dense(2, 1, {3., -1.}).dense(2, 1, {2., .5}).truth(true);
    bytes.text("kernel-pca").text("linear");
    bytes.truth(true).dense(1, 2, {5., 6.});  // there are points
    bytes.truth(false);                       // not centred
    bytes.dense(1, 1, {16.}).dense(1, 1, {.25}).dense(1, 1, {7.}).dense(1, 1, {8.}).real(9.);
    bytes.truth(false);  // no training scores
    bytes.truth(false);  // not over landmarks
    test::add_distinct_report(bytes, 1, 2, 1);
  });
}

TEST_CASE("archive: a standardisation that cannot be is refused", "[io]") {
  // What a damaged file may hold, with a checksum that fits.
  const test::TemporaryDirectory directory;
  test::ArchiveBytes bytes(std::endian::little);
  test::put_header(bytes, "standardize", "", "", "", "");
  bytes.text("standardize").dense(1, 1, {3.}).dense(1, 1, {0.}).truth(true);
  io::write_file(directory.path("a"), bytes.file());
  CHECK_THROWS_WITH(io::read_archive<Standardize>(directory.path("a")),
                    Catch::Matchers::ContainsSubstring("deviation must be positive, got 0"));
}

}  // namespace archive_standardized_test

#endif
