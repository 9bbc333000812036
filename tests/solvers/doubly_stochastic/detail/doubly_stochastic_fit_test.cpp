// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/doubly_stochastic/detail/doubly_stochastic_fit.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/exact_features.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>

namespace doubly_stochastic_fit_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("doubly_stochastic: residuals, and the status that follows from them", "[solvers]") {
  const bool centered = GENERATE(false, true);
  CAPTURE(centered);
  constexpr Index n = 200;
  const Matrix<double> x = test::uniform_samples<double>(n, 2, 3);
  const Gaussian kernel(0.5);
  const auto fit = [&](Index rows, double tolerance) {
    const DoublyStochastic solver{
        RandomFourier{.features = 16},
        {.blocks = 4, .data_batch = 64, .start_rows = rows, .tolerance = tolerance}};
    return KernelPca{kernel, solver, {.components = 3, .centered = centered}}.fit(x);
  };
  const auto model = fit(n, 0);
  const Report& report = model.report();
  CHECK(report.status == Status::Finished);
  CHECK_FALSE(report.residual_rows);  // all of them
  REQUIRE(report.residuals.size() == 3);
  Matrix<double> k = gram(kernel, x);
  if (centered) {
    const Matrix<double> j = test::centering_matrix<double>(n);
    k = j * k * j;
  }
  const Vector<double>& mu = model.eigenvalues();
  const Matrix<double> u = model.transform(x) * mu.cwiseSqrt().cwiseInverse().asDiagonal();
  double worst = 0;
  for (Index i = 0; i < 3; ++i) {
    const double residual = (k * u.col(i) - mu(i) * u.col(i)).norm();
    CHECK(report.residuals[static_cast<std::size_t>(i)] == Approx(residual).epsilon(1e-9));
    worst = (std::max)(worst, residual / mu(0));
  }
  CHECK(fit(n, 1.01 * worst).report().status == Status::Converged);
  const Report missed = fit(n, 0.99 * worst).report();
  CHECK(missed.status == Status::NotConverged);
  CHECK_THAT(missed.reason, ContainsSubstring("the largest residual is "));

  const auto sampled = fit(80, 0);  // another start, and so other components
  CHECK(sampled.report().residual_rows == 80);
  const Matrix<double> v =
      sampled.transform(x) * sampled.eigenvalues().cwiseSqrt().cwiseInverse().asDiagonal();
  for (Index i = 0; i < 3; ++i) {
    const double residual = (k * v.col(i) - sampled.eigenvalues()(i) * v.col(i)).norm();
    CHECK(sampled.report().residuals[static_cast<std::size_t>(i)] ==
          Approx(residual).epsilon(0.3));  // from 80 of 200 rows, fixed seed
  }
}

TEST_CASE("doubly_stochastic: residuals do not depend on the units of the kernel", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(60, 3, 3);
  const auto residuals = [&](double scale) {
    const DoublyStochastic solver{ExactFeatures{},
                                  {.blocks = 1, .data_batch = 16, .steps = 2, .start_rows = 20}};
    const Matrix<double> scaled = std::sqrt(scale) * x;
    return KernelPca{Linear{}, solver, {.components = 2}}.fit(scaled).report().residuals;
  };
  const std::vector<double> middle = residuals(1);
  REQUIRE(middle.size() == 2);
  CHECK(middle[0] > 1e-6);  // two steps leave more than rounding errors
  for (const double scale : {std::ldexp(1.0, -600), std::ldexp(1.0, 600)})
    CHECK(residuals(scale)[0] / scale == Approx(middle[0]).epsilon(1e-9));
}

TEST_CASE("doubly_stochastic: residuals of samples far from the origin", "[solvers]") {
  // In single precision, phases of features near 1e5 are known to two digits.
  const Index n = 60;
  const Matrix<float> x = 3e4F + 0.01F * normal_matrix<float>(n, 18, 7, "far").array();
  const Gaussian kernel(0.8);
  const DoublyStochastic solver{RandomFourier{.features = 64},
                                {.blocks = 4, .data_batch = 60, .epochs = 20, .tolerance = 1e-3}};
  const auto model = KernelPca{kernel, solver, {.components = 3, .centered = false}}.fit(x);
  const Report& report = model.report();
  const Matrix<double> k = gram(kernel, Matrix<double>(x.cast<double>()));
  REQUIRE(report.residuals.size() == static_cast<std::size_t>(model.components()));
  REQUIRE(model.components() >= 2);
  for (Index i = 0; i < model.components(); ++i) {
    const auto mu = static_cast<double>(model.eigenvalues()(i));
    const Vector<double> u = model.transform(x).col(i).cast<double>() / std::sqrt(mu);
    const double residual = (k * u - mu * u).norm();
    CHECK(report.residuals[static_cast<std::size_t>(i)] >= residual / 2);
  }
  CHECK(report.status == Status::NotConverged);
}

}  // namespace doubly_stochastic_fit_test
