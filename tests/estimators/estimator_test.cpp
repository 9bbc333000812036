// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/estimators/estimator.hpp>

#include <cmath>
#include <vector>

#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/random.hpp>
#include <mercer/estimators/column_sampling.hpp>
#include <mercer/features/additive_features.hpp>
#include <mercer/features/chi_square_features.hpp>
#include <mercer/features/exact_features.hpp>
#include <mercer/features/homogeneous_kernel_map.hpp>
#include <mercer/features/nystrom_features.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/runtime/any_features.hpp>
#include <mercer/solvers/spgd/spgd.hpp>
#include <tests/estimators/estimator_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/x4.hpp>

namespace estimator_test {

using namespace mercer;

namespace {

struct DrawsNothing {
  using Term = PsdTerm<double>;
};

struct DrawsAMatrix {
  using Term = Matrix<double>;
  void draw(std::uint64_t, Term&) const;
};

/// A map that does not say whether it is unbiased.
struct SaysNothing {
  template <class K>
  static constexpr bool maps = true;
};

}  // namespace

static_assert(!BoundEstimator<DrawsNothing> && !BoundEstimator<DrawsAMatrix>);
static_assert(Estimator<RandomFourier> && Estimator<RandomMaclaurin>);
static_assert(!Estimator<Gaussian>);

// Feature maps are estimators if their mean is the kernel.
static_assert(Estimator<ExactFeatures> && Estimator<AdditiveFeatures> && Estimator<AnyFeatures>);
static_assert(!Estimator<HomogeneousKernelMap> && !Estimator<ChiSquareFeatures>);
static_assert(!Estimator<NystromFeatures<Matrix<double>>>);
static_assert(FeatureMap<SaysNothing> && !Estimator<SaysNothing>);

SCALAR_TEST_CASE("estimator: a feature map is an estimator", "[estimators][law]") {
  const Matrix<TestType> x = test::uniform_samples<TestType>(12, 3, 2);
  const Matrix<double> wide = x.template cast<double>();
  const Index features = 6;
  SECTION("RandomFourier") {
    const Gaussian kernel(0.7);
    // Sum of V / D, V = (1 - k^2)^2 / 2.
    const double variance = (1 - gram(kernel, wide).array().square()).square().sum() / 2 /
                            static_cast<double>(features);
    test::check_mean_and_variance(RandomFourier{.features = features}, kernel, x, variance);
  }
  SECTION("RandomMaclaurin") {
    // One degree: V = c - (x . y)^2.
    const Matrix<double> k = gram(Linear{}, wide);
    const Vector<double> squares = wide.rowwise().squaredNorm();
    const Matrix<double> products = wide.cwiseAbs2() * wide.cwiseAbs2().transpose();
    const double variance =
        ((squares * squares.transpose()).sum() + k.squaredNorm() - 2 * products.sum()) /
        static_cast<double>(features);
    test::check_mean_and_variance(RandomMaclaurin{.features = features}, Linear{}, x, variance);
  }
  SECTION("draws are a function of seed and number") {
    const Matrix<TestType> many = test::uniform_samples<TestType>(300, 3, 2);
    test::check_purity(RandomFourier{.features = 3}, Laplacian(1), many);
    test::check_purity(RandomMaclaurin{.features = 3}, Polynomial(),
                       SparseMatrix<TestType>(many.sparseView()));
  }
}

SCALAR_TEST_CASE("estimator: centred draws and their variance", "[estimators][law]") {
  const Index n = 20;
  const Matrix<TestType> x = test::uniform_samples<TestType>(n, 3, 2);
  const Matrix<double> j = test::centering_matrix<double>(n);
  // Of sums of n products; K and its draws have entries of up to n.
  const double tolerance = 100 * static_cast<double>(Eigen::NumTraits<TestType>::epsilon());
  const auto check = [&](const auto& estimator, const auto& kernel) {
    auto bound = bind_estimator(estimator, kernel, x, 3);
    typename decltype(bound)::Term term;
    bound.draw(1, term);
    const Matrix<double> xi = test::dense(term);
    centre_term(term);
    // theta of the paper: xi + theta = J xi J.
    const double size = xi.cwiseAbs().maxCoeff();
    CHECK((test::dense(term) - j * xi * j).cwiseAbs().maxCoeff() <= tolerance * size);
    CHECK(test::dense(term).rowwise().sum().cwiseAbs().maxCoeff() <= tolerance * size);

    const Matrix<double> first = xi - test::dense_draw(bound, 2);
    const Matrix<double> second = test::dense_draw(bound, 3) - test::dense_draw(bound, 4);
    const auto pairs = static_cast<double>(n * n);
    const double squares = first.squaredNorm() + second.squaredNorm();
    CHECK(estimated_variance(bound, {.first = 1, .pairs = 2}) ==
          Approx(squares / 4 / pairs).epsilon(tolerance));
    const double centered = (j * first * j).squaredNorm() + (j * second * j).squaredNorm();
    CHECK(estimated_variance(bound, {.first = 1, .pairs = 2, .centered = true}) ==
          Approx(centered / 4 / pairs).epsilon(tolerance));
  };
  check(RandomFourier{.features = 5}, Gaussian(0.5));
  check(ColumnSampling{.columns = 5}, Gaussian(0.5));
  check(SymmetricColumnSampling{.columns = 5}, Gaussian(0.5));
}

TEST_CASE("estimator: the estimate of the variance is unbiased", "[estimators][law]") {
  const Index n = 15, columns = 3;
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 2);
  const Gaussian kernel(0.6);
  const double v = static_cast<double>(n - columns) / static_cast<double>(columns) *
                   gram(kernel, x).squaredNorm() / static_cast<double>(n * n);
  auto bound = bind_estimator(ColumnSampling{.columns = columns}, kernel, x, 3);
  // One pair is off by 20 % or so, 1000 by 0.6 %: five of these.
  CHECK(estimated_variance(bound, {.pairs = 1000}) == Approx(v).epsilon(0.03));
}

TEST_CASE("estimator: features chosen at run time must be unbiased", "[estimators][error]") {
  const Matrix<double> x = test::uniform_samples<double>(5, 3, 3).cwiseAbs();
  const auto bind = [&](const AnyFeatures& map) {
    return test::error_of([&] { return bind_estimator(map, Intersection{}, x, 1); });
  };
  CHECK(bind(AdditiveFeatures{.features = 2}) == "no error");
  CHECK_THAT(bind(HomogeneousKernelMap{}),
             Catch::Matchers::ContainsSubstring("mercer::bind_estimator: the inner products of "
                                                "homogeneous-kernel-map(orders=3, step=0.5) are "
                                                "not the kernel on average"));
  CHECK_THAT(bind(NystromFeatures{x}),
             Catch::Matchers::ContainsSubstring(NystromFeatures{x}.describe() + " are not"));
  CHECK_THAT(test::error_of([&] { return Spgd{AnyFeatures(NystromFeatures{x})}.params(); }),
             Catch::Matchers::ContainsSubstring("mercer::Spgd: the inner products of nystrom-"));
}

TEST_CASE("estimator: samples that are refused", "[estimators][error]") {
  Matrix<double> x = test::uniform_samples<double>(5, 3, 3);
  auto bound = bind_estimator(ColumnSampling{.columns = 1}, Gaussian(1), x, 1);
  CHECK(test::error_of([&] { return estimated_variance(bound, {.pairs = 0}); }) ==
        "mercer::estimated_variance: pairs must be at least 1, got 0");
  const Matrix<double> large = 10 * x;
  CHECK_THAT(test::error_of([&] {
               return bind_estimator(ColumnSampling{.columns = 1}, InverseDot(1), large, 1);
             }),
             Catch::Matchers::ContainsSubstring("mercer::InverseDot: needs |x|^2 < 1"));
  x(2, 1) = std::nan("");
  const std::string message = "samples must be finite, got nan at row 2, column 1";
  CHECK_THAT(test::error_of([&] { return bind_estimator(RandomFourier{}, Gaussian(1), x, 1); }),
             Catch::Matchers::ContainsSubstring(message));
  CHECK_THAT(test::error_of(
                 [&] { return bind_estimator(ColumnSampling{.columns = 1}, Gaussian(1), x, 1); }),
             Catch::Matchers::ContainsSubstring(message));

  // Features of no samples are none.
  const Matrix<double> none(0, 3);
  auto empty = bind_estimator(RandomFourier{.features = 2}, Gaussian(1), none, 1);
  PsdTerm<double> term;
  empty.draw(1, term);
  CHECK((term.factor.rows() == 0 && term.factor.cols() == 4));
  CHECK(estimated_variance(empty) == 0);
}

TEST_CASE("centre_term: a product that is not square", "[estimators]") {
  ProductTerm<double> term{normal_matrix<double>(7, 2, 1, "left"),
                           normal_matrix<double>(5, 2, 1, "right")};
  term.right.array() += 3;
  centre_term(term);
  // Rounding of sums of at most seven numbers up to 6.
  CHECK(term.left.colwise().mean().norm() <= 1e-14);
  CHECK(term.right.colwise().mean().norm() <= 1e-14);
}

}  // namespace estimator_test
