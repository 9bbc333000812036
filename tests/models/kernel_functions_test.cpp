// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/kernel_functions.hpp>

#include <cmath>
#include <limits>
#include <memory>

#include <mercer/core/types.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace kernel_functions_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

SCALAR_TEST_CASE("kernel_functions: values are sums over the points, less the offset", "[models]") {
  using S = TestType;
  const auto points = std::make_shared<const Matrix<S>>(test::uniform_samples<S>(7, 2, 1));
  const Matrix<S> a = test::uniform_samples<S>(7, 3, 2), q = test::uniform_samples<S>(11, 2, 3);
  const Vector<S> offset = test::uniform_samples<S>(3, 1, 4).col(0);
  const KernelFunctions functions(Linear{}, points, a, offset);
  CHECK(functions.size() == 3);
  CHECK(functions.dimension() == 2);
  const Matrix<S> expected =
      (q * (points->transpose() * a)).rowwise() - offset.transpose();  // linear in q
  const S rounding = 64 * std::numeric_limits<S>::epsilon();
  const Matrix<S> values = functions.transform(q);
  CHECK((values - expected).cwiseAbs().maxCoeff() <= rounding);
  // Row by row, sparse, and none.
  for (Index i = 0; i < q.rows(); ++i)
    CHECK((functions.transform(q.row(i).eval()) - values.row(i)).cwiseAbs().maxCoeff() <= rounding);
  const SparseMatrix<S> sparse = q.sparseView();
  CHECK((functions.transform(sparse) - expected).cwiseAbs().maxCoeff() <= rounding);
  CHECK(functions.transform(Matrix<S>(0, 2)).rows() == 0);
}

TEST_CASE("kernel_functions: what is refused", "[models]") {
  const auto points =
      std::make_shared<const Matrix<double>>(test::uniform_samples<double>(4, 2, 1));
  const Matrix<double> a = Matrix<double>::Ones(4, 1);
  const Vector<double> offset = Vector<double>::Zero(1);
  const auto error = [&](std::shared_ptr<const Matrix<double>> p, const Matrix<double>& c,
                         const Vector<double>& o) {
    return test::error_of([&] { return KernelFunctions(Gaussian{1.0}, p, c, o).size(); });
  };
  CHECK(error(points, a, offset) == "no error");
  CHECK_THAT(error(nullptr, a, offset), ContainsSubstring("there are no points"));
  CHECK_THAT(error(points, Matrix<double>::Ones(3, 1), offset), ContainsSubstring("coefficients"));
  CHECK_THAT(error(points, Matrix<double>::Ones(4, 2), offset), ContainsSubstring("coefficients"));
  CHECK_THAT(error(points, a, Vector<double>::Constant(1, std::nan(""))),
             ContainsSubstring("offset"));
  CHECK_THAT(error(points, Matrix<double>::Constant(4, 1, std::nan("")), offset),
             ContainsSubstring("coefficients"));

  const KernelFunctions functions(Gaussian{1.0}, points, a, offset);
  CHECK_THAT(test::error_of([&] { return functions.transform(Matrix<double>(3, 5)); }),
             ContainsSubstring("new samples have 5 columns, the training samples 2"));
  Matrix<double> bad = Matrix<double>::Zero(3, 2);
  bad(1, 1) = std::numeric_limits<double>::infinity();
  CHECK_THAT(test::error_of([&] { return functions.transform(bad); }), ContainsSubstring("row 1"));
  const auto positive = std::make_shared<const Matrix<double>>(Matrix<double>::Ones(4, 2));
  const KernelFunctions histograms(ChiSquare{1.0}, positive, a, offset);
  const Matrix<double> negative = Matrix<double>::Constant(1, 2, -1.0);
  CHECK_THAT(test::error_of([&] { return histograms.transform(negative); }),
             ContainsSubstring("-1"));
}

}  // namespace kernel_functions_test
