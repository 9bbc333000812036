// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/spectral_density.hpp>

#include <cmath>

#include <mercer/kernels/inner_product.hpp>
#include <tests/support/catch.hpp>

using namespace mercer;

static_assert(HasSpectralDensity<Gaussian> && HasSpectralDensity<RationalQuadratic>);
static_assert(HasSpectralDensity<Matern> && HasSpectralDensity<Laplacian>);
static_assert(HasSpectralDensity<Cauchy> && !HasSpectralDensity<Linear>);

namespace {

/// The share of draws of one coordinate below \p value.
double share_below(const SpectralDensity& density, double value, int draws) {
  Vector<double> w(1);
  int below = 0;
  for (int i = 0; i < draws; ++i) {
    RandomStream stream(5, "test frequencies", static_cast<std::uint64_t>(i));
    density(stream, w);
    below += w(0) <= value ? 1 : 0;
  }
  return static_cast<double>(below) / draws;
}

}  // namespace

TEST_CASE("spectral_density: quantiles of one coordinate", "[features][law]") {
  // Nine tenths of the mass lie below these. A share of 20000 draws is off by five standard errors
  // of 0.0021 with probability 6e-7.
  constexpr int draws = 20000;
  const double error = 5 * std::sqrt(0.9 * 0.1 / draws);
  const auto check = [&](const SpectralDensity& density, double value) {
    CHECK(std::abs(share_below(density, value, draws) - 0.9) <= error);
    CHECK(std::abs(share_below(density, -value, draws) - 0.1) <= error);
  };
  check(spectral_density(Gaussian(0.5)), 2 * 1.281551565545);
  check(spectral_density(Laplacian(1)), 3.077683537175);
  check(spectral_density(Cauchy(1)), 1.609437912434);
  // Student's t with 3 degrees of freedom, table value.
  check(spectral_density(Matern({.nu = 1.5, .length = 2})), 1.637744354 / 2);
  // The mixture of a Gamma of shape 1: a Laplace coordinate of scale 1 / 2^(1/2).
  check(spectral_density(RationalQuadratic({.alpha = 1, .length = 2})),
        std::log(5) / std::sqrt(2.0) / 2);
}

TEST_CASE("spectral_density: Gamma draws have the mean and the variance of their shape",
          "[features][law]") {
  constexpr int draws = 20000;
  for (const double shape : {0.05, 0.4, 1.0, 2.5, 40.0, 1e20}) {
    CAPTURE(shape);
    RandomStream stream(3, "test gamma");
    Vector<double> values(draws);
    for (double& value : values) value = detail::gamma_draw(shape, stream);
    CHECK(values.minCoeff() > 0);
    // Variance of the mean: shape / draws; of the variance: (6 shape + 2 shape^2) / draws.
    CHECK(std::abs(values.mean() - shape) <= 5 * std::sqrt(shape / draws));
    const double variance = (values.array() - shape).square().mean();
    CHECK(std::abs(variance - shape) <= 5 * std::sqrt((6 * shape + 2 * shape * shape) / draws));
  }
  RandomStream stream(3, "test gamma");
  for (int i = 0; i < 100; ++i) CHECK(detail::gamma_draw(1e-6, stream) > 0);
}
