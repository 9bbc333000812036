// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/operators/gram.hpp>

#include <cmath>
#include <limits>

#include <mercer/core/threads.hpp>
#include <mercer/kernels/callable.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/operators/symmetric_operator.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(HasDiagonalEntries<Gram<Gaussian, Matrix<double>>>);
static_assert(HasDenseForm<Gram<Linear, SparseMatrix<float>>>);

namespace {

/// Both storages against the dense product.
template <class K, class X>
void check_against_dense(const K& kernel, const X& x) {
  using S = typename X::Scalar;
  const Index n = x.rows();
  const Matrix<S> dense = gram(kernel, x);
  const Matrix<S> v = test::uniform_samples<S>(n, 2, 5);
  // n products, each of size at most |K|, and the rounding of kernel values on another tiling.
  const S tolerance =
      50 * static_cast<S>(n) * std::numeric_limits<S>::epsilon() * dense.cwiseAbs().maxCoeff();
  for (const GramStorage storage : {GramStorage::Stored, GramStorage::Recomputed}) {
    const Gram<K, X> op(kernel, x, storage);
    CHECK(op.storage() == storage);
    CHECK(op.rows() == n);
    Matrix<S> product(n, 2);
    op.apply(v, product);
    CHECK((product - dense * v).cwiseAbs().maxCoeff() <= tolerance);
    CHECK((op.diagonal() - dense.diagonal()).cwiseAbs().maxCoeff() <= tolerance);
    CHECK((op.dense() == dense));
    CHECK((Gram<K, X>(op).dense() == dense));
  }
}

}  // namespace

TEMPLATE_TEST_CASE("gram: stored and recomputed agree with the dense matrix", "[operators]", float,
                   double) {
  using S = TestType;
  const Index n = GENERATE(1, 255, 257, 520);
  const Matrix<S> x = test::uniform_samples<S>(n, 4, 6);
  check_against_dense(Gaussian(1.0), x);
  check_against_dense(Laplacian(0.5), x);
  const SparseMatrix<S> sparse = test::sparse_looking_samples<S>(n, 9, 7).sparseView();
  check_against_dense(Gaussian(1.0), sparse);
}

TEST_CASE("gram: precomputed values", "[operators]") {
  const Matrix<double> x = test::uniform_samples<double>(300, 3, 8);
  const Matrix<double> k = gram(Gaussian(1.0), x);
  for (const GramStorage storage : {GramStorage::Stored, GramStorage::Recomputed}) {
    const Gram<Precomputed, Matrix<double>> op(Precomputed{}, k, storage);
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
    Gram(Gaussian(1.0), x, storage).apply(v, one);
    set_thread_count(2);
    Gram(Gaussian(1.0), x, storage).apply(v, two);
    CHECK((one == two));
  }
  set_thread_count(before);
}

TEST_CASE("gram: a kernel value that is not finite is named", "[operators]") {
  Matrix<double> x = test::uniform_samples<double>(300, 2, 12);
  x(299, 0) = 1e200;
  CHECK_THAT(
      test::error_of([&] { return Gram(Polynomial{{.degree = 2}}, x, GramStorage::Stored); }),
      ContainsSubstring("inf") && ContainsSubstring("299") && ContainsSubstring("polynomial"));
  const Callable bad{[](const auto&, const auto&) { return std::nan(""); }};
  CHECK_THAT(test::error_of([&] { return Gram(bad, x, GramStorage::Stored); }),
             ContainsSubstring("nan") && ContainsSubstring("samples 0 and 0"));
}

TEST_CASE("gram: samples are checked", "[operators]") {
  Matrix<double> x = test::uniform_samples<double>(10, 2, 13);
  x(3, 1) = std::numeric_limits<double>::infinity();
  CHECK_THAT(test::error_of([&] { return Gram(Linear{}, x); }),
             ContainsSubstring("row 3, column 1") && ContainsSubstring("inf"));
}
