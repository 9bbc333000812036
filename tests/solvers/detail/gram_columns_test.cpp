// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/detail/gram_columns.hpp>

#include <limits>
#include <vector>

#include <mercer/kernels/radial.hpp>
#include <mercer/operators/operator_view.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace gram_columns_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using detail::GramColumns;

static_assert(HasDiagonalEntries<GramColumns<Matrix<float>>>);
static_assert(HasDiagonalEntries<GramColumns<SparseMatrix<double>>>);

namespace {

template <class X>
void check_columns(const X& x) {
  using S = typename X::Scalar;
  const Index n = x.rows();
  const Gaussian kernel(0.8);
  const Matrix<double> dense = gram(kernel, x).template cast<double>();
  const double tolerance = 50 * double{std::numeric_limits<S>::epsilon()};
  for (const bool stored : {false, true}) {
    GramColumns<X> columns(KernelView<X>(kernel), x, stored);
    REQUIRE(columns.rows() == n);
    CHECK((columns.diagonal() - dense.diagonal()).cwiseAbs().maxCoeff() <= tolerance);
    const std::vector<Index> order{7, 299, 0, 256, 131};
    columns.load(order, 1, 3);
    for (Index at = 0; at < 3; ++at)
      CHECK((columns.column(at).template cast<double>() -
             dense.col(order[static_cast<std::size_t>(at + 1)]))
                .cwiseAbs()
                .maxCoeff() <= tolerance);
    const Matrix<double> v = test::uniform_samples<double>(n, 3, 5);
    Matrix<double> out(n, 3);
    columns.apply(v, out);
    CHECK((out - dense * v).norm() <= tolerance * dense.norm() * v.norm());
  }
}

}  // namespace

TEMPLATE_TEST_CASE("gram_columns: columns and products, stored or not", "[solvers]", float,
                   double) {
  const Matrix<TestType> x = test::sparse_looking_samples<TestType>(300, 3, 1);
  check_columns(x);
  check_columns(SparseMatrix<TestType>(x.sparseView()));
}

TEST_CASE("gram_columns: values that are not finite are named", "[solvers]") {
  // 1 / (x + y), infinite for x = -y.
  struct Broken {
    void gram(Points<double> x, Points<double> y, GramOut<double> out) const {
      for (Index j = 0; j < y.rows(); ++j)
        for (Index i = 0; i < x.rows(); ++i) out(i, j) = 1 / (x(i, 0) + y(j, 0));
    }
  };
  Matrix<double> x = Matrix<double>::Ones(5, 1);
  x(3, 0) = -1;
  const Broken kernel;
  const KernelView<Matrix<double>> view(kernel);
  const auto expected = ContainsSubstring("has the value inf for samples 3 and 0");
  CHECK_THAT(test::error_of([&] { return GramColumns<Matrix<double>>(view, x, true).rows(); }),
             expected);
  const GramColumns<Matrix<double>> columns(view, x, false);
  Matrix<double> out(5, 1);
  CHECK_THAT(test::error_of([&] {
               columns.apply(x, out);
               return 0;
             }),
             expected);
}

}  // namespace gram_columns_test
