// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/kernels/kernel_view.hpp>

#include <type_traits>

#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/kernel_archetypes.hpp>
#include <tests/support/samples.hpp>

namespace kernel_view_test {

using namespace mercer;

using DenseView = KernelView<Matrix<double>>;
using SparseView = KernelView<SparseMatrix<double>>;

// What the kernel cannot evaluate, its view cannot either.
static_assert(std::is_convertible_v<Gaussian, DenseView>);
static_assert(std::is_convertible_v<Gaussian, SparseView>);
static_assert(std::is_convertible_v<test::MinimalKernel, DenseView>);
static_assert(!std::is_convertible_v<test::MinimalKernel, SparseView>);
static_assert(!std::is_convertible_v<double, DenseView>);

SCALAR_TEST_CASE("kernel view: values are the kernel's", "[kernels]") {
  using S = TestType;
  const Matrix<S> x = test::sparse_looking_samples<S>(300, 4, 1);
  const Matrix<S> y = test::sparse_looking_samples<S>(290, 4, 2);
  const Polynomial kernel{{.gamma = .5, .coef0 = 1, .degree = 2}};
  const Matrix<S> expected = gram(kernel, x, y);
  constexpr S tolerance = 20 * std::numeric_limits<S>::epsilon();  // sums in another order
  const KernelView<Matrix<S>> view(kernel);
  CHECK((detail::kernel_rows(view, x, {10, 280}, y) - expected.middleRows(10, 280))
            .cwiseAbs()
            .maxCoeff() <= tolerance);
  CHECK((view.diagonal(x) == diagonal(kernel, x)));
  CHECK(view.describe() == kernel.describe());

  const SparseMatrix<S> sx = x.sparseView(), sy = y.sparseView();
  const KernelView<SparseMatrix<S>> sparse(kernel);
  CHECK((detail::kernel_rows(sparse, sx, {10, 280}, sy) - expected.middleRows(10, 280))
            .cwiseAbs()
            .maxCoeff() <= tolerance);
}

TEST_CASE("kernel view: the kernel's domain is checked", "[kernels]") {
  Matrix<double> x = Matrix<double>::Ones(3, 2);
  const Intersection kernel;
  const DenseView view(kernel);
  CHECK_NOTHROW(view.check_domain(x));
  x(1, 1) = -1;
  CHECK_THROWS_AS(view.check_domain(x), InvalidArgument);
}

}  // namespace kernel_view_test
