// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/detail/spectral_density.hpp>

#include <cmath>

#include <mercer/kernels/inner_product.hpp>
#include <tests/support/catch.hpp>

namespace spectral_density_test {

using namespace mercer;

static_assert(HasSpectralDensity<Gaussian> && HasSpectralDensity<RationalQuadratic>);
static_assert(HasSpectralDensity<Matern> && HasSpectralDensity<Laplacian>);
static_assert(HasSpectralDensity<Cauchy> && !HasSpectralDensity<Linear>);

TEST_CASE("spectral_density: quantiles of one coordinate", "[features]") {
  // Nine tenths of the mass lie below these, worked out to 12 digits.
  CHECK(spectral_density(Gaussian(0.5)).scale == 2);
  CHECK(spectral_density(Gaussian(0.5)).isotropic());
  const auto check = [](const SpectralDensity& density, double value) {
    REQUIRE(density.coordinate);
    CHECK_FALSE(density.isotropic());
    CHECK(density.scale * density.coordinate(0.9) == Approx(value).epsilon(1e-12));
    CHECK(density.scale * density.coordinate(0.1) == Approx(-value).epsilon(1e-12));
  };
  check(spectral_density(Laplacian(1)), 3.077683537175);
  check(spectral_density(Laplacian(0.5)), 3.077683537175 / 2);
  check(spectral_density(Cauchy(1)), 1.609437912434);
  check(spectral_density(Cauchy(3)), 3 * 1.609437912434);
}

TEST_CASE("spectral_density: moments of the mixtures", "[features][law]") {
  // The mean of m^2 over the midpoints of 20000 equal parts of (0, 1): for RationalQuadratic m^2 is
  // Gamma(alpha) / alpha, of mean 1; for Matern nu / Gamma(nu), of mean nu / (nu - 1). The ends of
  // the interval, where m^2 of Matern is steep, leave some 1e-5 of it out.
  const auto mean_square = [](const SpectralDensity& density) {
    constexpr int parts = 20000;
    double sum = 0;
    for (int i = 0; i < parts; ++i) sum += std::pow(density.mixture((i + 0.5) / parts), 2);
    return sum / parts;
  };
  CHECK(mean_square(spectral_density(RationalQuadratic({.alpha = 2.5, .length = 2}))) ==
        Approx(1).epsilon(1e-4));
  CHECK(mean_square(spectral_density(Matern({.nu = 10, .length = 2}))) ==
        Approx(10.0 / 9).epsilon(1e-4));
  CHECK(spectral_density(Matern({.nu = 10, .length = 2})).scale == 0.5);
  CHECK(spectral_density(Matern()).isotropic());
}

}  // namespace spectral_density_test
