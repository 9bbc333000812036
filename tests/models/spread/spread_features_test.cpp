// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread/spread_features.hpp>
#include <tests/models/spread/spread_fits.hpp>
#include <tests/support/row_parts.hpp>

namespace spread_features_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::FeaturePca;
using mercer::Gaussian;
using mercer::Index;
using mercer::KernelPca;
using mercer::Matrix;
using mercer::Processes;
using mercer::RandomFourier;
using mercer::RandomMaclaurin;
using mercer::RowSpace;
using mercer::RowSums;
using mercer::SparseMatrix;
using mercer::SpreadRows;
using mercer::Status;
using mercer::Vector;
using mercer::test::fit_features;
using mercer::test::groups;
using mercer::test::process_counts;
using mercer::test::sentence;

constexpr Index n = 1300, k = 4;

// Rounding of sums over 1300 rows, and of components over gaps of about a tenth of the eigenvalues.
constexpr double value_tolerance = 1e-12, score_tolerance = 1e-9;

template <class Pca, class X>
void check_fit(const Pca& pca, const X& x) {
  const auto whole = pca.fit(x);
  const auto one = fit_features(pca, x, 1);
  CHECK(one.report.status == Status::Converged);
  CHECK(one.report.samples == x.rows());
  CHECK(one.values.isApprox(whole.eigenvalues(), value_tolerance));
  CHECK(one.coefficients.isApprox(whole.coefficients(), score_tolerance));
  CHECK(one.report.trace == Approx(whole.report().trace));
  for (const Index count : process_counts) {
    const auto found = fit_features(pca, x, count);
    CHECK(found.values == one.values);
    CHECK(found.coefficients == one.coefficients);
    CHECK(found.scores == one.scores);
  }
  const auto plain = fit_features(pca, x, 3, RowSums::Plain);
  CHECK(plain.values.isApprox(one.values, value_tolerance));
}

}  // namespace

TEST_CASE("spread features: the model of one process, with the same bits for any number",
          "[models][rows]") {
  for (const bool centered : {true, false}) {
    const KernelPca pca(Gaussian(2.0),
                        FeaturePca(RandomFourier{.features = 40}, {.blocks = 2, .batch = 700}),
                        {.components = k, .centered = centered});
    check_fit(pca, groups(n));
    check_fit(pca, SparseMatrix<double>(groups(n).sparseView()));
  }
}

TEST_CASE("spread features: streams that every process has", "[models][rows]") {
  for (const bool centered : {true, false})
    mercer::test::check_streams(KernelPca(Gaussian(2.0),
                                          FeaturePca(RandomFourier{.features = 40}, {.batch = 700}),
                                          {.components = k, .centered = centered}));
  // Rows far above those that bound the sums, which are read again.
  Matrix<double> x = groups(n);
  x.row(7) *= 1e7;
  const KernelPca pca(mercer::Polynomial({.degree = 2}),
                      FeaturePca(RandomMaclaurin{.features = 50}), {.components = 2});
  CHECK(mercer::test::fit_streams(pca, x, 3).coefficients == fit_features(pca, x, 3).coefficients);
}

TEST_CASE("spread features: single precision", "[models][rows]") {
  const Matrix<double> x = groups(700);
  const KernelPca pca(Gaussian(2.0), FeaturePca(RandomFourier{.features = 60}), {.components = k});
  const Matrix<float> rounded = x.cast<float>();
  const auto one = fit_features(pca, rounded, 1), five = fit_features(pca, rounded, 5);
  CHECK(one.coefficients == five.coefficients);
  CHECK(one.values.isApprox(pca.fit(rounded).eigenvalues(), 1e-5F));
}

TEST_CASE("spread features: features far above those that bound the sums", "[models][rows]") {
  // Rows at equal distances are looked at first; row 7 is between two of them.
  Matrix<double> x = groups(n);
  x.row(7) *= 1e7;
  const KernelPca pca(mercer::Polynomial({.degree = 2}),
                      FeaturePca(RandomMaclaurin{.features = 50}), {.components = 2});
  const auto one = fit_features(pca, x, 1), four = fit_features(pca, x, 4);
  CHECK(one.values == four.values);
  CHECK(one.coefficients == four.coefficients);
  CHECK(one.values(0) == Approx(pca.fit(x).eigenvalues()(0)).epsilon(value_tolerance));
}

TEST_CASE("spread features: features whose squares are not finite are refused", "[models][rows]") {
  const KernelPca pca(mercer::Polynomial({.degree = 3}),
                      FeaturePca(RandomMaclaurin{.features = 50}), {.components = 2});
  // Cubes of 1e60, 1e91 and 1e200.
  for (const double scale : {1e60, 1e91, 1e200}) {
    const Matrix<double> x = scale * groups(600);
    CHECK_THROWS_AS(fit_features(pca, x, 1), mercer::InvalidArgument);
    CHECK_THROWS_AS(fit_features(pca, x, 3), mercer::InvalidArgument);
  }
}

TEST_CASE("spread features: an offset far above the spread", "[models][rows]") {
  Matrix<double> x = groups(n);
  x.array() += 1e4;
  const KernelPca pca(mercer::Polynomial({.degree = 1}),
                      FeaturePca(RandomMaclaurin{.features = 50}), {.components = 2});
  // Features of about 1e4 with deviations of about 1: their rounding errors are 1e-12.
  CHECK(fit_features(pca, x, 3).values.isApprox(pca.fit(x).eigenvalues(), 1e-9));
}

TEST_CASE("spread features: equal samples, and one sample", "[models][rows]") {
  const KernelPca pca(Gaussian(1.0), FeaturePca(RandomFourier{.features = 20}), {.components = 1});
  CHECK(fit_features(pca, Matrix<double>(Matrix<double>::Ones(600, 2)), 3).values.size() == 0);
  CHECK(fit_features(pca, Matrix<double>(Matrix<double>::Ones(1, 2)), 3).values.size() == 0);
}

TEST_CASE("spread features: what processes must agree on, and an observer that stops all",
          "[models][rows]") {
  const Matrix<double> x = groups(600);
  CHECK_THAT(sentence([&](const Processes& processes) {
               const KernelPca pca(Gaussian(1.0),
                                   FeaturePca(RandomFourier{}, {.blocks = 1 + processes.rank()}),
                                   {.components = 2});
               const RowSpace rows = RowSpace::spread(x.rows(), processes);
               static_cast<void>(
                   mercer::fit_spread(pca, SpreadRows<Matrix<double>>::from_parts(
                                               processes, mercer::test::local_rows(rows, x))));
             }),
             ContainsSubstring("different settings of FeaturePca"));
  CHECK_THAT(sentence([&](const Processes& processes) {
               const KernelPca pca(Gaussian(1.0),
                                   FeaturePca(RandomFourier{.features = 20 + processes.rank()}),
                                   {.components = 2});
               static_cast<void>(mercer::fit_spread(pca, mercer::test::part(processes, x)));
             }),
             ContainsSubstring("different settings of FeaturePca"));
  const KernelPca pca(Gaussian(1.0), FeaturePca(RandomFourier{.features = 20}), {.components = 2});
  const auto stopped =
      fit_features(pca, x, 3, RowSums::OrderFree, [](const mercer::Progress&) { return false; });
  CHECK(stopped.report.status == Status::Cancelled);
  CHECK(stopped.report.samples == 256);  // those of process 0
}

}  // namespace spread_features_test
