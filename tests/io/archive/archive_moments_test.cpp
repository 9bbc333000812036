// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// Golden files, see archive_models_test.cpp.

// By the CMake target mercer::archive.
#if defined(MERCER_HAS_CEREAL)

#include <mercer/io/archive/archive_moments.hpp>

#include <bit>
#include <cstdint>
#include <string>

#include <mercer/core/types.hpp>
#include <mercer/features/exact_features.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/io/archive.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/moments/feature_pca_moments.hpp>
#include <mercer/models/moments/nystrom_pca_moments.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <tests/io/archive/archive_bytes.hpp>
#include <tests/io/archive/golden_archives.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace archive_moments_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

void put_sum(test::ArchiveBytes& bytes) {
  bytes.truth(true).integer(3).dense(2, 1, {1.5, -2.});
  bytes.dense(2, 2, {4., 1., 1., 9.});
}

const Vector<double> mean{{1.5, -2}};
const Matrix<double> scatter{{4, 1}, {1, 9}};

}  // namespace

TEST_CASE("archive: golden bytes of moments of features", "[io]") {
  const FeaturePcaMoments<Linear, ExactFeatures, double> moments(
      Linear{}, FeaturePca{ExactFeatures{}, {.blocks = 1, .batch = 7, .seed = 5}},
      {.dimension = 2, .radius = 2.5}, detail::MomentSum<double>(true, 3, mean, scatter));
  test::check_golden(moments, 326 + test::version_size, [](test::ArchiveBytes& bytes) {
    test::put_header(bytes, "feature-pca-moments", "linear", "exact-features", "double");
    bytes.text("feature-pca-moments").text("linear").text("exact-features");
    bytes.integer(1).integer(7).integer(5);  // blocks, batch, seed
    bytes.integer(2).real(2.5);              // the bounds
    put_sum(bytes);
  });
}

TEST_CASE("archive: golden bytes of moments over landmarks", "[io]") {
  const NystromPcaMoments<Linear, Matrix<double>> moments(
      Linear{}, {.points = Matrix<double>{{2, 0}, {1, 3}},
                 .whiten = Matrix<double>{{0.5, -0.25}, {0, 0.75}},
                 .landmarks = 4,
                 .trace = 77,
                 .sums = detail::MomentSum<double>(true, 3, mean, scatter)});
  test::check_golden(moments, 407 + test::version_size, [](test::ArchiveBytes& bytes) {
    test::put_header(bytes, "nystrom-pca-moments", "linear", "", "double", "dense");
    bytes.text("nystrom-pca-moments").text("linear");
    bytes.dense(2, 2, {2., 1., 0., 3.}).dense(2, 2, {0.5, 0., -0.25, 0.75});
    bytes.integer(4).real(77.);
    put_sum(bytes);
  });
}

TEST_CASE("archive: parts from files merge as those in memory", "[io]") {
  const Matrix<float> x = test::uniform_samples<float>(40, 3, 1);
  const FeaturePca solver{RandomFourier{.features = 8}, {.seed = 3}};
  using Moments = FeaturePcaMoments<Gaussian, RandomFourier, float>;
  Moments whole(Gaussian{1.5}, solver, sample_bounds(x)), first = whole, second = whole;
  first.add(x.topRows(13));
  second.add(x.bottomRows(27));
  whole.merge(first);
  whole.merge(second);
  auto read = io::read_archive_bytes<Moments>(io::archive_bytes(first));
  read.merge(io::read_archive_bytes<Moments>(io::archive_bytes(second)));
  CHECK(read.sums().scatter() == whole.sums().scatter());
  CHECK(read.model(2).coefficients() == whole.model(2).coefficients());
  // No rows so far.
  const Moments none = io::read_archive_bytes<Moments>(
      io::archive_bytes(Moments(Gaussian{1.5}, solver, sample_bounds(x))));
  CHECK(none.samples() == 0);

  const SparseMatrix<float> sparse = x.sparseView();
  using Landmarks = NystromPcaMoments<Gaussian, SparseMatrix<float>>;
  Landmarks over(Gaussian{1.5}, sparse.topRows(6));
  over.add(sparse);
  const Landmarks again = io::read_archive_bytes<Landmarks>(io::archive_bytes(over));
  CHECK(again.samples() == 40);
  CHECK(again.model(2).coefficients() == over.model(2).coefficients());
}

TEST_CASE("archive: moments of many coordinates are read without features of them", "[io]") {
  test::ArchiveBytes bytes(std::endian::little);
  test::put_header(bytes, "feature-pca-moments", "gaussian", "random-fourier", "double");
  bytes.text("feature-pca-moments").text("gaussian").real(1.5);
  bytes.text("random-fourier").integer(1).integer(0).integer(0);
  bytes.integer(1).integer(7).integer(5).integer(1 << 30).real(2.5);
  bytes.truth(true).integer(3).dense(2, 1, {1.5, -2.}).dense(2, 2, {4., 1., 1., 9.});
  const auto read =
      io::read_archive_bytes<FeaturePcaMoments<Gaussian, RandomFourier, double>>(bytes.file());
  CHECK(read.bounds().dimension == 1 << 30);
}

TEST_CASE("archive: moments that cannot be are refused", "[io][error]") {
  // What a damaged file may hold, with a checksum that fits.
  const auto refusal = [](std::int64_t blocks, std::int64_t count, std::int64_t dimension = 2) {
    const test::TemporaryDirectory directory;
    test::ArchiveBytes bytes(std::endian::little);
    test::put_header(bytes, "feature-pca-moments", "linear", "exact-features", "double");
    bytes.text("feature-pca-moments").text("linear").text("exact-features");
    bytes.integer(blocks).integer(7).integer(5).integer(dimension).real(2.5);
    bytes.truth(true).integer(count).dense(2, 1, {1.5, -2.}).dense(2, 2, {4., 1., 1., 9.});
    return test::file_error([&] {
      return io::read_archive<FeaturePcaMoments<Linear, ExactFeatures, double>>(
          directory.file("a", bytes.file()));
    });
  };
  CHECK(refusal(1, 3) == "no error");
  CHECK_THAT(refusal(1, -1), ContainsSubstring("count must be at least 0, got -1"));
  CHECK_THAT(refusal(0, 3), ContainsSubstring("blocks must be at least 1, got 0"));
  CHECK_THAT(refusal(2, 3),
             ContainsSubstring("sums over 2 features do not fit 2 blocks of 2 features"));
  // Sums for that many features, and features of one row, would not fit into memory.
  CHECK_THAT(refusal(1, 3, std::int64_t{1} << 30),
             ContainsSubstring("do not fit 1 blocks of 1073741824 features"));
  CHECK_THAT(refusal(2, 3, std::int64_t{1} << 62),
             ContainsSubstring("dimension must fit an int, got 4611686018427387904"));
  CHECK_THAT(refusal(1, 3, 0), ContainsSubstring("dimension 0"));
  CHECK_THAT(refusal(std::int64_t{1} << 60, 3),
             ContainsSubstring("sums over 2 features do not fit 1152921504606846976 blocks"));
}

}  // namespace archive_moments_test

#endif
