// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/operators/gram.hpp>

#include <cmath>
#include <concepts>
#include <limits>
#include <vector>

#include <mercer/core/threads.hpp>
#include <mercer/kernels/callable.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/operators/symmetric_operator.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/kernel_archetypes.hpp>
#include <tests/support/samples.hpp>

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(HasDiagonalEntries<Gram<Gaussian, Matrix<double>>>);
static_assert(HasDenseForm<Gram<Linear, SparseMatrix<float>>>);

namespace {

/// Forms of the operator: both storages, in each precision that there is.
template <class K, class X>
std::vector<GramForm> forms() {
  std::vector<GramForm> all;
  for (const GramStorage storage : {GramStorage::Stored, GramStorage::Recomputed}) {
    if constexpr (std::same_as<typename X::Scalar, double>)
      all.push_back({storage, Precision::Double});
    if constexpr (std::same_as<typename X::Scalar, float> || detail::has_single_tiles<K, X>)
      all.push_back({storage, Precision::Single});
  }
  return all;
}

/// Every form against the dense product in double precision.
template <class K, class X>
void check_against_dense(const K& kernel, const X& x) {
  const Index n = x.rows();
  const SamplesIn<double, X> in_double = x.template cast<double>();
  const Matrix<double> dense = gram(kernel, in_double);
  const Matrix<double> v = test::uniform_samples<double>(n, 2, 5);
  for (const GramForm form : forms<K, X>()) {
    // n products of size at most |K|, with the error of a kernel value: some units in the last
    // place for each of the few coordinates.
    const double eps = form.precision == Precision::Single
                           ? double{std::numeric_limits<float>::epsilon()}
                           : std::numeric_limits<double>::epsilon();
    const double tolerance = 20 * static_cast<double>(n) * eps * dense.cwiseAbs().maxCoeff();
    const Gram<K, X> op(kernel, x, form);
    CHECK(op.form().storage == form.storage);
    CHECK(op.form().precision == form.precision);
    CHECK(op.rows() == n);
    Matrix<double> product(n, 2);
    op.apply(v, product);
    CHECK((product - dense * v).cwiseAbs().maxCoeff() <= tolerance);
    CHECK((op.diagonal() - dense.diagonal()).cwiseAbs().maxCoeff() <= tolerance);
    CHECK((op.dense() - dense).cwiseAbs().maxCoeff() <= tolerance);
    const std::vector<Index> some = {n - 1, 0, n / 2};
    const Matrix<double> weights = test::uniform_samples<double>(3, 2, 6);
    CHECK((op.sample_block(some) - dense(some, some)).cwiseAbs().maxCoeff() <= tolerance);
    CHECK((op.sample_product(some, weights) - dense(Eigen::all, some) * weights)
              .cwiseAbs()
              .maxCoeff() <= tolerance);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("gram: every form agrees with the dense matrix", "[operators]", float, double) {
  using S = TestType;
  const Index n = GENERATE(1, 255, 257, 520);
  const Matrix<S> x = test::uniform_samples<S>(n, 4, 6);
  check_against_dense(Gaussian(1.0), x);
  check_against_dense(Laplacian(0.5), x);
  const SparseMatrix<S> sparse = test::sparse_looking_samples<S>(n, 9, 7).sparseView();
  check_against_dense(Gaussian(1.0), sparse);
}

TEST_CASE("gram: the operator is symmetric to the last bit in every form", "[operators][law]") {
  const Matrix<double> x = test::uniform_samples<double>(300, 4, 14);
  const Matrix<double> identity = Matrix<double>::Identity(300, 300);
  for (const GramForm form : forms<Gaussian, Matrix<double>>()) {
    Matrix<double> k(300, 300);
    Gram(Gaussian(0.7), x, form).apply(identity, k);
    CHECK((k == k.transpose()));
  }
}

TEST_CASE("gram: single tiles of samples far from the origin", "[operators]") {
  // In single precision the offset alone would cost the samples all but 3 of their bits.
  const Matrix<double> near = test::uniform_samples<double>(300, 20, 15);
  const Matrix<double> far = near.array() + 1048576.0 * 2;
  const Matrix<double> v = test::uniform_samples<double>(300, 1, 16);
  const Gaussian kernel(2.0);
  Matrix<double> single(300, 1), exact(300, 1);
  Gram(kernel, far, {.precision = Precision::Single}).apply(v, single);
  exact = gram(kernel, far) * v;
  // Entries good to about 1e-6, of 300 products.
  CHECK((single - exact).cwiseAbs().maxCoeff() <= 300 * 1e-6);
}

TEST_CASE("gram: single tiles of samples with constant coordinates", "[operators]") {
  Matrix<double> x = test::uniform_samples<double>(40, 3, 21);
  x.col(1).setConstant(0.3);
  for (const Matrix<double>& samples : {x, Matrix<double>(Matrix<double>::Constant(40, 3, 0.1))}) {
    const Gram op(Gaussian(1.0), samples, {.precision = Precision::Single});
    Matrix<double> product(40, 1);
    op.apply(Matrix<double>::Ones(40, 1), product);
    // 40 values of up to 1, good to some units in the last place of float.
    CHECK((product - gram(Gaussian(1.0), samples).rowwise().sum()).cwiseAbs().maxCoeff() <=
          40 * 1e-6);
  }
}

TEST_CASE("gram: a vector of any scale in single tiles", "[operators]") {
  const Matrix<double> x = test::uniform_samples<double>(40, 3, 17);
  const Gram op(Gaussian(1.0), x, {.precision = Precision::Single});
  const Matrix<double> v = test::uniform_samples<double>(40, 1, 18);
  Matrix<double> plain(40, 1), scaled(40, 1);
  op.apply(v, plain);
  for (const double scale : {0x1p-900, 0x1p900}) {
    op.apply(scale * v, scaled);
    CHECK((scaled == scale * plain));
  }
}

TEST_CASE("gram: a kernel in double only has no single tiles", "[operators]") {
  const Matrix<double> x = test::uniform_samples<double>(10, 2, 19);
  CHECK_THAT(test::error_of(
                 [&] { return Gram(test::MinimalKernel(1), x, {.precision = Precision::Single}); }),
             ContainsSubstring("double precision only"));
}

TEST_CASE("gram: precomputed values", "[operators]") {
  const Matrix<double> x = test::uniform_samples<double>(300, 3, 8);
  const Matrix<double> k = gram(Gaussian(1.0), x);
  for (const GramStorage storage : {GramStorage::Stored, GramStorage::Recomputed}) {
    const Gram<Precomputed, Matrix<double>> op(Precomputed{}, k, {.storage = storage});
    const Matrix<double> v = test::uniform_samples<double>(300, 2, 9);
    Matrix<double> product(300, 2);
    op.apply(v, product);
    CHECK((product - k * v).cwiseAbs().maxCoeff() <= 1e-12);  // 300 products of size 1
    CHECK((op.dense() == k));
    CHECK((op.diagonal() == k.diagonal()));
  }
}

TEST_CASE("gram: the same bits on 1 and 2 threads", "[operators]") {
  const Matrix<double> x = test::uniform_samples<double>(700, 5, 10);
  const Matrix<double> v = test::uniform_samples<double>(700, 3, 11);
  const int before = thread_count();
  for (const GramStorage storage : {GramStorage::Stored, GramStorage::Recomputed}) {
    Matrix<double> one(700, 3), two(700, 3);
    set_thread_count(1);
    Gram(Gaussian(1.0), x, {.storage = storage}).apply(v, one);
    set_thread_count(2);
    Gram(Gaussian(1.0), x, {.storage = storage}).apply(v, two);
    CHECK((one == two));
  }
  set_thread_count(before);
}

TEST_CASE("gram: a kernel value that is not finite is named", "[operators]") {
  Matrix<double> x = test::uniform_samples<double>(300, 2, 12);
  x(299, 0) = 1e200;
  CHECK_THAT(
      test::error_of(
          [&] { return Gram(Polynomial{{.degree = 2}}, x, {.storage = GramStorage::Stored}); }),
      ContainsSubstring("inf") && ContainsSubstring("299") && ContainsSubstring("polynomial"));
  const Callable bad{[](const auto&, const auto&) { return std::nan(""); }};
  CHECK_THAT(test::error_of([&] { return Gram(bad, x, {.storage = GramStorage::Stored}); }),
             ContainsSubstring("nan for samples "));
}

TEST_CASE("gram: samples are checked", "[operators]") {
  Matrix<double> x = test::uniform_samples<double>(10, 2, 13);
  x(3, 1) = std::numeric_limits<double>::infinity();
  CHECK_THAT(test::error_of([&] { return Gram(Linear{}, x); }),
             ContainsSubstring("row 3, column 1") && ContainsSubstring("inf"));
  // Finite, but the sum is not.
  CHECK_NOTHROW(Gram(Linear{}, Matrix<double>(Matrix<double>::Constant(3, 1, 1e308))));
}
