// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/monomial_features.hpp>

#include <cmath>
#include <limits>

#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <tests/features/feature_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace monomial_features_test {

using namespace mercer;

static_assert(FeatureMapFor<MonomialFeatures, Polynomial>);
static_assert(!FeatureMapFor<MonomialFeatures, Linear>);
static_assert(UnbiasedFeatureMap<MonomialFeatures>);
static_assert(BoundFeatureMap<BoundMonomialFeatures<float>>);
static_assert(BoundFeatureMap<BoundMonomialFeatures<double>>);
static_assert(IsDeterministic<BoundMonomialFeatures<double>>);

[[nodiscard]] Polynomial polynomial(double gamma, double coef0, int degree) {
  return Polynomial{{.gamma = gamma, .coef0 = coef0, .degree = degree}};
}

template <Real S>
[[nodiscard]] Matrix<S> features(const Polynomial& kernel, const Matrix<S>& x) {
  return block_features(MonomialFeatures{}.bind<S>(kernel, sample_bounds(x), 1), 0, x);
}

SCALAR_TEST_CASE("MonomialFeatures: the columns by hand", "[features]") {
  using S = TestType;
  constexpr S root2 = S(1.4142135623730951);
  constexpr S rounding = 8 * std::numeric_limits<S>::epsilon();  // of numbers up to 6
  Matrix<S> x(1, 2), squares(1, 3), with_constant(1, 6);
  x << 2, -3;
  squares << 4, -6 * root2, 9;
  CHECK((features(polynomial(1, 0, 2), x) - squares).cwiseAbs().maxCoeff() <= 10 * rounding);
  with_constant << 1, 2 * root2, -3 * root2, 4, -6 * root2, 9;
  CHECK((features(polynomial(1, 1, 2), x) - with_constant).cwiseAbs().maxCoeff() <= 10 * rounding);
  CHECK(features(polynomial(1, 0, 1), x) == x);
}

SCALAR_TEST_CASE("MonomialFeatures: inner products are the kernel", "[features][law]") {
  using S = TestType;
  const Matrix<S> all = test::sparse_looking_samples<S>(70, 4, 3);
  for (const int degree : {1, 2, 3, 5})
    for (const Index d : {1, 2, 4})
      for (const double coef0 : {0.0, 0.7}) {
        CAPTURE(degree, d, coef0);
        const Matrix<S> x = all.leftCols(d);
        const Polynomial kernel = polynomial(0.4, coef0, degree);
        const Matrix<S> z = features(kernel, x), k = gram(kernel, x);
        // A term of the sum is rounded some 3 p times, and is at most as large as with |x|.
        const Matrix<S> size = features(kernel, Matrix<S>(x.cwiseAbs()));
        const S largest = (size * size.transpose()).maxCoeff();
        CHECK((z * z.transpose() - k).cwiseAbs().maxCoeff() <=
              S(6 * degree + 10) * std::numeric_limits<S>::epsilon() * largest);
        const auto map = MonomialFeatures{}.bind<S>(kernel, sample_bounds(x), 1);
        CHECK(block_features(map, 0, SparseMatrix<S>(x.sparseView())) == z);
      }
  test::check_purity<S>(MonomialFeatures{}, polynomial(0.4, 1, 3));
}

TEST_CASE("MonomialFeatures: PCA of the columns is kernel PCA", "[features][models]") {
  const Matrix<double> x = test::sparse_looking_samples<double>(60, 3, 4);
  const Polynomial kernel = polynomial(1, 0, 2);
  const auto explicitly = KernelPca{Linear{}, Exact{}, {.components = 6}}.fit(features(kernel, x));
  const auto implicitly = KernelPca{kernel, Exact{}, {.components = 6}}.fit(x);
  constexpr double rounding = 1e-12;  // of two decompositions of one matrix, relative
  REQUIRE(explicitly.components() == implicitly.components());
  const Vector<double> difference = explicitly.eigenvalues() - implicitly.eigenvalues();
  CHECK(difference.cwiseAbs().maxCoeff() <= rounding * implicitly.eigenvalues()(0));
}

TEST_CASE("MonomialFeatures: the number of columns", "[features][slow]") {
  const auto columns = [](Index d, double coef0, int degree) {
    return MonomialFeatures{}
        .bind<double>(polynomial(1, coef0, degree), {.dimension = d}, 1)
        .columns();
  };
  CHECK(columns(16, 0, 2) == 136);
  CHECK(columns(16, 1, 2) == 153);
  CHECK(columns(1, 0, 1000) == 1);
  CHECK(columns(1, 1, 1000) == 1001);
  CHECK(columns(0, 0, 3) == 0);
  CHECK(columns(0, 1, 3) == 1);
  CHECK(columns(270, 0, 3) == 3317040);  // just within
  CHECK_THROWS_AS(columns(272, 0, 3), InvalidArgument);
  CHECK_THROWS_AS(columns(256, 0, 5), InvalidArgument);
  CHECK_THROWS_AS(columns(1, 1, 10000), InvalidArgument);
  CHECK_THROWS_AS(columns(2147483647, 1, 2147483647), InvalidArgument);
  CHECK_THROWS_AS(columns(0, 1, 2147483647), InvalidArgument);
}

TEST_CASE("MonomialFeatures: samples without columns", "[features]") {
  const Matrix<double> none(3, 0);
  CHECK(features(polynomial(1, 0, 2), none).cols() == 0);
  CHECK(features(polynomial(1, 4, 2), none) == Matrix<double>::Constant(3, 1, 4));
}

}  // namespace monomial_features_test
