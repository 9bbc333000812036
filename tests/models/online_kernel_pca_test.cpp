// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/online_kernel_pca.hpp>

#include <cmath>
#include <limits>

#include <mercer/core/random.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace online_kernel_pca_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

SCALAR_TEST_CASE("OnlineKernelPca: a matrix, its rows and a stream give the same model",
                 "[models][law]") {
  using X = Matrix<TestType>;
  const X x = test::uniform_samples<TestType>(300, 3, 2, -2, 2);
  OnlineKernelPca<Gaussian, X> whole(Gaussian{1.5}, 4), rows = whole, streamed = whole;
  CHECK(whole.add(x));
  for (Index i = 0; i < 300; ++i) rows.add(X(x.row(i)));
  MatrixStream stream(x);
  CHECK(streamed.add(stream));
  const auto model = whole.model();
  REQUIRE(model.components() == 4);
  CHECK(model.report().samples == 300);
  CHECK(model.report().status == Status::Finished);
  CHECK((streamed.model().transform(x).array() == model.transform(x).array()).all());
  // One row at a time, kernel values are summed in another order.
  const double rounding = 1e6 * double{std::numeric_limits<TestType>::epsilon()};
  CHECK((rows.model().transform(x) - model.transform(x)).cwiseAbs().maxCoeff() <= rounding);
  CHECK(model.report().expansion_points == whole.dictionary().rows());
}

TEST_CASE("OnlineKernelPca: one pass over many samples comes near the components", "[models]") {
  const Index n = 6000, k = 3;
  Matrix<double> x = normal_matrix<double>(n, 2, 7, "cloud");
  x.col(0) *= 2;
  const Gaussian kernel{2.0};
  const auto exact = KernelPca{kernel, Exact{}, {.components = k}}.fit(x.topRows(600));
  OnlineKernelPca online(kernel, k, true, {.threshold = 0.01});
  online.add(x);
  const auto model = online.model();
  REQUIRE(model.components() == k);
  // Both are estimates of the same operator, from 600 samples and from one pass of gains that fall
  // like 10 / t: a few percent each.
  for (Index i = 0; i < k; ++i)
    CHECK(model.eigenvalues()(i) / double(n) == Approx(exact.eigenvalues()(i) / 600).epsilon(0.15));
  const Matrix<double> a = exact.transform(x), b = model.transform(x);
  for (Index i = 0; i < k; ++i)
    CHECK(std::abs(a.col(i).dot(b.col(i))) >= 0.98 * a.col(i).norm() * b.col(i).norm());
  CHECK(b.colwise().mean().cwiseAbs().maxCoeff() <= 0.05);
  CHECK_THROWS_WITH(model.training_scores(), ContainsSubstring("scores"));
}

TEST_CASE("OnlineKernelPca: with a constant gain, it follows a drift", "[models]") {
  Matrix<double> first = normal_matrix<double>(2000, 3, 8, "drift"), second = first;
  first.col(0) *= 4;   // the first axis carries the variance at first,
  second.col(2) *= 4;  // the last one later
  OnlineKernelPca online(Linear{}, 1, false, {.gain = Gain::Constant});
  online.add(first);
  const Matrix<double> axes = Matrix<double>::Identity(3, 3);
  CHECK(std::abs(online.model().transform(axes)(0, 0)) >= 0.95);
  online.add(second);
  CHECK(std::abs(online.model().transform(axes)(2, 0)) >= 0.95);
}

TEST_CASE("OnlineKernelPca: constant data, one sample, sparse samples", "[models]") {
  const Matrix<double> one = test::uniform_samples<double>(1, 2, 3);
  OnlineKernelPca constant(Gaussian{1.0}, 2);
  constant.add(Matrix<double>(one.replicate(40, 1)));
  CHECK(constant.dictionary().rows() == 1);
  CHECK(constant.model().components() == 0);
  CHECK(constant.model().report().zero_eigenvalues == 2);
  OnlineKernelPca single(Gaussian{1.0}, 2, false);
  single.add(one);
  CHECK(single.model().components() == 1);
  CHECK(single.model().eigenvalues()(0) == Approx(1));
  const Matrix<double> x = test::sparse_looking_samples<double>(80, 6, 4);
  OnlineKernelPca<Gaussian, SparseMatrix<double>> sparse(Gaussian{1.0}, 3);
  OnlineKernelPca dense(Gaussian{1.0}, 3);
  sparse.add(SparseMatrix<double>(x.sparseView()));
  dense.add(x);
  CHECK((sparse.model().transform(x) - dense.model().transform(x)).norm() <= 1e-9);
}

TEST_CASE("OnlineKernelPca: an observer stops it, and what it refuses", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(400, 2, 3);
  OnlineKernelPca online(Gaussian{1.0}, 2);
  CHECK_THAT(test::error_of([&] { return online.model(); }),
             ContainsSubstring("mercer::OnlineKernelPca::model: there are no samples"));
  CHECK_FALSE(online.add(x, [](const Progress& p) { return p.step < 128; }));
  CHECK(online.samples() == 128);
  CHECK_THAT(test::error_of([&] { online.add(Matrix<double>::Ones(2, 3).eval()); }),
             ContainsSubstring("samples have 3 columns, those before had 2"));
  // Samples of zeros add nothing to the dictionary.
  OnlineKernelPca zeros(Linear{}, 2);
  zeros.add(Matrix<double>(Matrix<double>::Zero(5, 3)));
  CHECK(zeros.model().transform(Matrix<double>(Matrix<double>::Ones(4, 3))).rows() == 4);
  CHECK(zeros.model().components() == 0);
  Matrix<double> hole = x;
  hole(300, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(test::error_of([&] { online.add(hole); }),
             ContainsSubstring("row 44, column 1") && ContainsSubstring("rows from 256 on"));
  CHECK_THAT(test::error_of([] { return OnlineKernelPca(Gaussian{1.0}, 0); }),
             ContainsSubstring("components must be at least 1, got 0"));
}

}  // namespace online_kernel_pca_test
