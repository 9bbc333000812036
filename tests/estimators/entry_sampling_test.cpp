// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/estimators/entry_sampling.hpp>

#include <cmath>
#include <cstdint>

#include <mercer/estimators/estimator.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/estimators/estimator_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace entry_sampling_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(Estimator<EntrySampling>);
static_assert(BoundEstimator<BoundEntrySampling<SparseMatrix<float>>>);

SCALAR_TEST_CASE("EntrySampling: the mean is the Gram matrix, with the variance of the header",
                 "[estimators]") {
  const Matrix<TestType> x = test::uniform_samples<TestType>(8, 3, 81);
  const Gaussian kernel(.8);
  const double square = gram(kernel, Matrix<double>(x.template cast<double>())).squaredNorm();
  for (const double p : {.3, .8})
    test::check_mean_and_variance(EntrySampling{p}, kernel, x, (1 / p - 1) * square);
}

TEST_CASE("EntrySampling: entries are kept or zero, in symmetric pairs", "[estimators]") {
  const Index n = 40;
  const Matrix<double> x = test::uniform_samples<double>(n, 2, 82);
  const Linear kernel;  // values of both signs
  const Matrix<double> k = gram(kernel, x);
  constexpr double p = .1, rounding = 1e-14;
  auto bound = bind_estimator(EntrySampling{p}, kernel, x, 1);
  double kept = 0, diagonal = 0;
  constexpr std::uint64_t draws = 200;
  for (std::uint64_t t = 0; t < draws; ++t) {
    SymmetricTerm<double> term;
    bound.draw(t, term);
    const Matrix<double> xi = test::dense(term);
    REQUIRE(xi == xi.transpose());
    for (Index j = 0; j < n; ++j)
      for (Index i = j; i < n; ++i) {
        if (xi(i, j) == 0) continue;
        REQUIRE(std::abs(p * xi(i, j) - k(i, j)) <= rounding);
        ++kept;
        diagonal += i == j;
      }
    // The rank is the number of rows with an entry.
    CHECK(term.basis.cols() == (xi.array() != 0).rowwise().any().count());
  }
  // Counts of independent draws, within 4.5 standard errors.
  const auto within = [&](double count, double of) {
    CHECK(std::abs(count - p * of) <= 4.5 * std::sqrt(p * (1 - p) * of));
  };
  const double all = static_cast<double>(draws);
  within(kept, all * static_cast<double>(n * (n + 1) / 2));
  within(diagonal, all * static_cast<double>(n));
}

TEST_CASE("EntrySampling: all entries, and none", "[estimators]") {
  const Matrix<double> x = test::uniform_samples<double>(9, 2, 83);
  const Gaussian kernel(.7);
  auto all = bind_estimator(EntrySampling{1}, kernel, x, 1);
  CHECK((test::dense_draw(all, 3) - gram(kernel, x)).cwiseAbs().maxCoeff() <= 1e-14);
  auto none = bind_estimator(EntrySampling{1e-300}, kernel, x, 1);
  SymmetricTerm<double> term;
  none.draw(3, term);
  CHECK(term.basis.cols() == 1);
  CHECK(test::dense(term) == Matrix<double>::Zero(9, 9));
}

SCALAR_TEST_CASE("EntrySampling: draws are pure, for dense and sparse samples", "[estimators]") {
  const auto x = test::sparse_looking_samples<TestType>(30, 4, 84);
  const SparseMatrix<TestType> sparse = x.sparseView();
  const Gaussian kernel(.7);
  test::check_purity(EntrySampling{.2}, kernel, x);
  test::check_purity(EntrySampling{.2}, kernel, sparse);
  auto a = bind_estimator(EntrySampling{.2}, kernel, x, 1);
  auto b = bind_estimator(EntrySampling{.2}, kernel, sparse, 1);
  CHECK((test::dense_draw(a, 2) - test::dense_draw(b, 2)).cwiseAbs().maxCoeff() <= 1e-4);
}

TEST_CASE("EntrySampling: refuses probabilities that are none", "[estimators]") {
  const Matrix<double> x = test::uniform_samples<double>(3, 2, 85);
  for (const double p : {0.0, -1.0, 1.1, std::nan("")})
    CHECK_THAT(test::error_of([&] { return bind_estimator(EntrySampling{p}, Gaussian(1), x, 1); }),
               ContainsSubstring("probability must be in (0, 1]"));
}

}  // namespace entry_sampling_test
