// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/detail/gram_problem.hpp>

#include <cmath>

#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace gram_problem_test {

using namespace mercer;

namespace {

constexpr Index n = 40;

KernelRequest request_with(bool weighted) {
  KernelRequest request{.pairs = {.components = 2}};
  if (!weighted) return request;
  request.weights = test::uniform_samples<double>(n, 1, 3, 0, 1);
  request.weights(4) = 0;
  request.weights /= request.weights.mean();
  return request;
}

}  // namespace

TEST_CASE("gram problem: noise and scale are those of the weighted matrix", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(n, 2, 1);
  const bool weighted = GENERATE(false, true);
  const KernelRequest request = request_with(weighted);
  const Gaussian kernel(1.0);
  detail::GramProblem<Matrix<double>> problem(kernel, x, request);
  const Matrix<double> k = problem.matrix().dense();
  CHECK((k - gram(kernel, x)).cwiseAbs().maxCoeff() <= 1e-15);
  CHECK(problem.weighted() == weighted);
  CHECK(problem.pairs().noise_scale == Approx(n).epsilon(1e-12));  // k(x, x) = 1, mean weight 1
  if (weighted) {
    CHECK(problem.mean_weights<double>().sum() == Approx(1).epsilon(1e-12));
    CHECK((problem.scale<double>().cwiseAbs2() - request.weights).cwiseAbs().maxCoeff() <= 1e-15);
  } else {
    CHECK(problem.mean_weights<double>().size() == 0);
    CHECK(problem.scale<double>().size() == 0);
  }
}

TEST_CASE("gram problem: finished vectors are orthogonal to that of the mean, with norm 1",
          "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(n, 2, 1);
  const bool weighted = GENERATE(false, true);
  const KernelRequest request = request_with(weighted);
  const Gaussian kernel(1.0);
  const detail::GramProblem<Matrix<double>> problem(kernel, x, request);
  EigenSolution<double> solution;
  solution.eigenvalues = Vector<double>::LinSpaced(2, 2, 1);
  solution.eigenvectors = test::uniform_samples<double>(n, 2, 2);
  const auto found = problem.finished(std::move(solution));
  const Vector<double> mean =
      weighted ? problem.scale<double>() : Vector<double>(Vector<double>::Ones(n));
  CHECK((mean.transpose() * found.eigenvectors).cwiseAbs().maxCoeff() <= 1e-13);
  for (Index i = 0; i < 2; ++i) CHECK(found.eigenvectors.col(i).norm() == Approx(1).epsilon(1e-14));
}

TEST_CASE("gram problem: values that grow fast have more rounding errors", "[solvers]") {
  Matrix<double> x = test::uniform_samples<double>(n, 6, 4);
  x.topRows(3) *= 4;
  const ExponentialDot kernel(60 / x.rowwise().squaredNorm().maxCoeff());  // exponents up to 60
  const KernelRequest request{.pairs = {.components = 3}, .centered = false};
  detail::GramProblem<Matrix<double>> problem(kernel, x, request);
  static_cast<void>(problem.matrix());
  // 8 ulp cover exponents up to 8; inner products of 6 terms have errors of 6^(1/2) / 2 ulp.
  CHECK(problem.pairs().noise_scale ==
        Approx(60.0 / 8 * std::sqrt(6.0) / 2 * diagonal(kernel, x).sum()).epsilon(1e-12));
}

}  // namespace gram_problem_test
