// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/estimators/column_sampling.hpp>

#include <algorithm>
#include <vector>

#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/estimators/estimator_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace column_sampling_test {

using namespace mercer;

static_assert(Estimator<ColumnSampling> && Estimator<SymmetricColumnSampling>);
static_assert(BoundEstimator<BoundColumnSampling<SparseMatrix<float>>>);
static_assert(BoundEstimator<BoundSymmetricColumnSampling<Matrix<double>>>);

TEST_CASE("ColumnSampling: the mean over the indices of one column is the Gram matrix",
          "[estimators]") {
  const Index n = 7;
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 2);
  const Gaussian kernel(0.8);
  const Matrix<double> k = gram(kernel, x);
  const auto check = [&](const auto& estimator) {
    auto bound = bind_estimator(estimator, kernel, x, 1);
    Matrix<double> mean = Matrix<double>::Zero(n, n);
    std::vector<Matrix<double>> different;
    // 200 draws leave out one of 7 indices with probability 3e-13.
    for (std::uint64_t t = 0; t < 200; ++t) {
      const Matrix<double> draw = test::dense_draw(bound, t);
      if (std::find(different.begin(), different.end(), draw) != different.end()) continue;
      different.push_back(draw);
      mean += draw / static_cast<double>(n);
    }
    CHECK(static_cast<Index>(different.size()) == n);
    CHECK((mean - k).cwiseAbs().maxCoeff() <= 1e-14);
  };
  check(ColumnSampling{.columns = 1});
  check(ColumnSampling{.columns = 1, .replacement = true});
  check(SymmetricColumnSampling{.columns = 1});
}

SCALAR_TEST_CASE("ColumnSampling: all columns are the Gram matrix", "[estimators]") {
  // More than one tile of columns. With all of them n / k = 1.
  const Index n = detail::tile_size + 30;
  const Matrix<TestType> x = test::uniform_samples<TestType>(n, 3, 2);
  const Laplacian kernel(0.8);
  const Matrix<TestType> k = gram(kernel, x);
  auto bound = bind_estimator(ColumnSampling{.columns = n}, kernel, x, 1);
  ProductTerm<TestType> term;
  bound.draw(3, term);
  CHECK((term.right.colwise().sum().array() == 1).all());
  CHECK((term.right.rowwise().sum().array() == 1).all());
  for (Index j = 0; j < n; ++j) {
    Index i = 0;
    term.right.col(j).maxCoeff(&i);
    // Other tiles round the exponential differently.
    REQUIRE((term.left.col(j) - k.col(i)).cwiseAbs().maxCoeff() <=
            4 * Eigen::NumTraits<TestType>::epsilon());
  }
}

TEST_CASE("ColumnSampling: the symmetric form is the symmetric part of the plain one",
          "[estimators]") {
  const Matrix<double> x = test::uniform_samples<double>(12, 3, 2);
  const Gaussian kernel(0.8);
  for (const bool replacement : {false, true}) {
    auto plain =
        bind_estimator(ColumnSampling{.columns = 5, .replacement = replacement}, kernel, x, 1);
    auto symmetric = bind_estimator(
        SymmetricColumnSampling{.columns = 5, .replacement = replacement}, kernel, x, 1);
    const Matrix<double> xi = test::dense_draw(plain, 2);
    CHECK((test::dense_draw(symmetric, 2) - (xi + xi.transpose()) / 2).cwiseAbs().maxCoeff() <=
          1e-14);
  }
}

SCALAR_TEST_CASE("ColumnSampling: means and variances", "[estimators][law]") {
  const Index n = 15, columns = 4;
  const Matrix<TestType> x = test::uniform_samples<TestType>(n, 3, 2);
  // A kernel whose diagonal varies.
  const Polynomial kernel({.gamma = 1, .coef0 = 0.5, .degree = 2});
  const Matrix<double> k = gram(kernel, Matrix<double>(x.template cast<double>()));
  const double square = k.squaredNorm(), diagonal = k.diagonal().squaredNorm();
  const auto size = static_cast<double>(n), drawn = static_cast<double>(columns);
  const double fewer = (size - drawn) / (size - 1);  // what leaving out repetitions gains
  const double plain = (size - 1) / drawn * square;
  const double symmetric = (size / 2 * (square + diagonal) - square) / drawn;
  const auto check = [&](const auto& estimator, double variance) {
    test::check_mean_and_variance(estimator, kernel, x, variance);
  };
  SECTION("with replacement") {
    check(ColumnSampling{.columns = columns, .replacement = true}, plain);
  }
  SECTION("without replacement") {
    check(ColumnSampling{.columns = columns}, plain * fewer);
  }
  SECTION("symmetric, with replacement") {
    check(SymmetricColumnSampling{.columns = columns, .replacement = true}, symmetric);
  }
  SECTION("symmetric, without replacement") {
    check(SymmetricColumnSampling{.columns = columns}, symmetric * fewer);
  }
}

SCALAR_TEST_CASE("ColumnSampling: draws are a function of seed and number", "[estimators][law]") {
  const Matrix<TestType> x = test::sparse_looking_samples<TestType>(detail::tile_size + 9, 5, 6);
  const SparseMatrix<TestType> sparse = x.sparseView();
  test::check_purity(ColumnSampling{.columns = 3}, Laplacian(1), x);
  test::check_purity(ColumnSampling{.columns = 3, .replacement = true}, Gaussian(1), sparse);
  test::check_purity(SymmetricColumnSampling{.columns = 3}, Gaussian(1), x);
  test::check_purity(SymmetricColumnSampling{.columns = 3}, Linear{}, sparse);
}

TEST_CASE("ColumnSampling: settings out of range", "[estimators][error]") {
  const Matrix<double> x = test::uniform_samples<double>(4, 2, 2);
  const Gaussian kernel(1);
  const auto message = [&](const auto& estimator, const Matrix<double>& samples) {
    return test::error_of([&] { return bind_estimator(estimator, kernel, samples, 1); });
  };
  CHECK(message(ColumnSampling{.columns = 0}, x) ==
        "mercer::ColumnSampling: columns must be at least 1, got 0");
  CHECK(message(SymmetricColumnSampling{.columns = 5}, x) ==
        "mercer::SymmetricColumnSampling: cannot draw 5 columns out of 4 without replacement");
  CHECK(message(ColumnSampling{.columns = 5, .replacement = true}, x) == "no error");
  CHECK(message(ColumnSampling{.columns = 1, .replacement = true}, x.topRows(0)) ==
        "mercer::ColumnSampling: needs at least one sample");
}

}  // namespace column_sampling_test
