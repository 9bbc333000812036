// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/math/normal_quantile.hpp>

#include <cmath>
#include <map>

#include <tests/support/catch.hpp>

namespace normal_quantile_test {

using mercer::normal_quantile;

TEST_CASE("normal quantile: agrees with tables and with the distribution function", "[core]") {
  // Tolerance: the algorithm claims 1e-16; a few roundings of the polynomials are added.
  constexpr double tolerance = 4e-15;
  const std::map<double, double> table{
      {0.025, -1.9599639845400542355}, {0.25, -0.67448975019608174320},
      {0.75, 0.67448975019608174320},  {0.9, 1.2815515655446004},
      {1e-5, -4.2648907939228246},     {1e-20, -9.262340089798408},
      {0x1p-53, -8.20953615160139}};
  for (const auto& [p, z] : table)
    CHECK(std::abs(normal_quantile(p) - z) <= tolerance * std::abs(z));
  CHECK(normal_quantile(0.5) == 0);
  for (const double p : {0.5 - 0.425, 0.5 + 0.425, 0.2, 1e-8, 1e-12, 1.4e-11}) {
    const double back = std::erfc(-normal_quantile(p) / std::sqrt(2.0)) / 2;
    // The relative error of p is about z^2 times that of z.
    CHECK(std::abs(back - p) <= 60 * tolerance * p);
  }
}

TEST_CASE("normal quantile: odd about one half, and ascending", "[core]") {
  CHECK(normal_quantile(0.5) == 0);
  for (const double p : {0x1p-2, 0x1p-4, 0x1p-5, 0x1p-20, 0x1p-50})
    CHECK(normal_quantile(1 - p) == -normal_quantile(p));
  double last = normal_quantile(1e-4);
  for (int i = 2; i < 10000; ++i) {
    const double next = normal_quantile(i * 1e-4);
    CHECK(next > last);
    last = next;
  }
}

}  // namespace normal_quantile_test
