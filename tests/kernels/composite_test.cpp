// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <limits>

#include <mercer/kernels/composite.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/on_sphere.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/kernels/kernel_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/kernel_archetypes.hpp>

namespace composite_test {

using namespace mercer;
using namespace mercer::test;

// A composite takes what all of its parts take.
using SparseSum = Sum<Gaussian, Linear>;
using DenseSum = Sum<Gaussian, Laplacian>;
static_assert(evaluates<SparseSum, SparseMatrix<double>>);
static_assert(evaluates<DenseSum, Matrix<float>> && !evaluates<DenseSum, SparseMatrix<float>>);
static_assert(evaluates<Scaled<MinimalKernel>, Matrix<double>>);
static_assert(!evaluates<Product<Linear, MinimalKernel>, Matrix<float>>);
static_assert(!Kernel<Sum<MinimalKernel, SinglePrecisionKernel>>);

namespace {

/// x . y, for samples that lie in the memory of a matrix; where they do not, it is 0.
struct OnlyFromThere {
  const double* first;

  void gram(Points<double> x, Points<double> y, GramOut<double> out) const {
    out = x * y.transpose();
    if (x.data() < first || x.data() > first + 8) out.setZero();
  }
};

/// The same, with a diagonal of its own.
struct DiagonalFromThere : OnlyFromThere {
  void diagonal(Points<double> x, Eigen::Ref<Vector<double>> out) const {
    out = x.rowwise().squaredNorm();
    if (x.data() != first) out.setZero();
  }
};

}  // namespace

SCALAR_TEST_CASE("composite: entry by entry what the parts give", "[kernel]") {
  using S = TestType;
  const Matrix<S> x = uniform_samples<S>(20, 3, 1), y = uniform_samples<S>(7, 3, 2);
  const Gaussian a{0.8};
  const Laplacian b{0.5};
  const Matrix<S> ka = gram(a, x, y), kb = gram(b, x, y);
  CHECK(gram(a + b, x, y) == ka + kb);
  CHECK(gram(a * b, x, y) == ka.cwiseProduct(kb));
  CHECK(gram(0.25 * a, x, y) == S(0.25) * ka);
  // Deeper ones may be rounded in another order.
  const Matrix<S> expected = S(2) * ka.cwiseProduct(ka + S(0.5) * kb);
  CHECK((gram(2.0 * (a * (a + 0.5 * b)), x, y) - expected).cwiseAbs().maxCoeff() <=
        4 * std::numeric_limits<S>::epsilon() * expected.maxCoeff());
}

SCALAR_TEST_CASE("composite: laws on 60 samples, dense and sparse", "[kernel][law]") {
  const Matrix<TestType> x = samples_for_laws<TestType>();
  check_laws(Gaussian{0.8} + 2.0 * Laplacian{0.5}, x);
  check_laws(Gaussian{0.8} * Linear{} + 0.5 * Linear{}, x);
  check_sparse<TestType>(Gaussian{2} * Linear{} + 0.5 * Linear{});
}

TEST_CASE("composite: with a kernel that offers the minimum", "[kernel]") {
  const Matrix<double> x = uniform_samples<double>(9, 3, 1);
  const auto sum = MinimalKernel{0} + 3.0 * Linear{};
  check_laws(sum, x);
  CHECK(mercer::diagonal(sum, x).isApprox((1 + 3 * x.rowwise().squaredNorm().array()).matrix(),
                                          1e-14));
  CHECK(detail::describe(sum) == "(user kernel + 3 * linear)");
}

TEST_CASE("composite: growth of expressions", "[kernel]") {
  const Matrix<double> x{{3, 1}, {0, 2}};
  const ExponentialDot fast{0.7};  // exponents up to 7
  CHECK(growth(2.0 * fast, x) == growth(fast, x));
  CHECK(growth(fast * fast, x) == 2 * growth(fast, x));
  CHECK(growth(fast + Gaussian{1}, x) == growth(fast, x));
  CHECK(growth(OnSphere{fast}, x) == Approx(1));
  CHECK(growth(OnSphere{ExponentialDot{30}}, x) == Approx(30));
  // Views of kernels say the same.
  CHECK(KernelView<Matrix<double>>(fast).growth(x) == growth(fast, x));
  CHECK(KernelView<Matrix<double>>(Gaussian{1}).growth(x) == 1);
}

TEST_CASE("composite: parts see the samples themselves, not a copy", "[kernel]") {
  const Matrix<double> x = uniform_samples<double>(9, 3, 1);
  const Vector<double> squares = x.rowwise().squaredNorm();
  const auto check = [&](const auto& part) {
    const auto error = [&](const auto& kernel, const Vector<double>& expected) {
      return (mercer::diagonal(kernel, x) - expected).cwiseAbs().maxCoeff();
    };
    constexpr double rounding = 1e-14;  // of numbers up to 18
    CHECK(error(part, squares) <= rounding);
    CHECK(error(part + part, 2 * squares) <= rounding);
    CHECK(error(part * part, squares.cwiseAbs2()) <= rounding);
    CHECK(error(3 * part, 3 * squares) <= rounding);
    CHECK(error(2 * (part + part * part), 2 * (squares + squares.cwiseAbs2())) <= rounding);
  };
  check(OnlyFromThere{x.data()});
  check(DiagonalFromThere{{x.data()}});
}

SCALAR_TEST_CASE("composite: the diagonal of sparse samples and of expressions", "[kernel]") {
  using S = TestType;
  const Matrix<S> x = sparse_looking_samples<S>(9, 4, 1);
  const auto kernel = Linear{} * Linear{} + S(2) * Linear{};
  const Vector<S> squares = x.rowwise().squaredNorm();
  const Vector<S> expected = squares.cwiseAbs2() + S(2) * squares;
  const S rounding = 40 * std::numeric_limits<S>::epsilon() * expected.maxCoeff();
  const auto error = [&](const auto& samples, Index rows) {
    return (mercer::diagonal(kernel, samples) - expected.head(rows)).cwiseAbs().maxCoeff();
  };
  const SparseMatrix<S> sparse = x.sparseView();
  const RowMajorMatrix<S> by_rows = x;
  CHECK(error(x, 9) <= rounding);
  CHECK(error(x.topRows(4), 4) <= rounding);
  CHECK(error(S(0.5) * x + S(0.5) * x, 9) <= rounding);
  CHECK(error(by_rows, 9) <= rounding);
  CHECK(error(sparse, 9) <= rounding);
  CHECK(error(SparsePoints<S>(sparse), 9) <= rounding);
  CHECK(error(detail::rows_of(SparsePoints<S>(sparse), {0, 5}), 5) <= rounding);
  // Not compressed, and with room between the rows.
  SparseMatrix<S> loose = sparse;
  loose.reserve(Eigen::VectorXi::Constant(9, 3));
  REQUIRE(!loose.isCompressed());
  const SparsePoints<S> rows = detail::rows_of(loose, {1, 8});
  CHECK(Matrix<S>(detail::rows_of(rows, {2, 3})) == Matrix<S>(x.middleRows(3, 3)));
  CHECK(error(loose, 9) <= rounding);
}

TEST_CASE("composite: the domain is that of all parts", "[kernel]") {
  const Matrix<double> negative{{1, 1}, {1, -1}}, outside{{3, 0}, {0, 0}};
  const auto kernel = 2.0 * (Linear{} + Intersection{} * InverseDot{0.25});
  CHECK_THAT(error_of([&] { return gram(kernel, negative); }),
             Catch::Matchers::ContainsSubstring("mercer::Intersection: samples must be"));
  CHECK_THAT(error_of([&] { return gram(kernel, outside); }),
             Catch::Matchers::ContainsSubstring("mercer::InverseDot: needs"));
  CHECK(gram(kernel, Matrix<double>{{1, 1}})(0, 0) == 12);
}

TEST_CASE("composite: parameters and names", "[kernel]") {
  check_positive_parameter("Scaled", "scale", [](double p) { return p * Linear{}; });
  CHECK((2 * Linear{}).describe() == "2 * linear");
  CHECK((Linear{} * Gaussian{1} + Linear{}).describe() ==
        "((linear * gaussian(sigma=1)) + linear)");
}

}  // namespace composite_test
