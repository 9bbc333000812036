// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/detail/uniform_points.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include <tests/support/catch.hpp>

namespace uniform_points_test {

using namespace mercer;

namespace {

Vector<double> points(Sampling sampling, std::uint64_t b, Index coordinate, Index count) {
  static const UniformPoints independent(Sampling::Independent, 3, "test points", 500);
  static const UniformPoints even(Sampling::QuasiRandom, 3, "test points", 500);
  Vector<double> u(count);
  (sampling == Sampling::Independent ? independent : even).fill(b, coordinate, u);
  return u;
}

/// How many of the intervals of length 1 / parts hold a number.
Index intervals_hit(const Vector<double>& u, Index parts) {
  std::set<Index> hit;
  for (const double value : u) hit.insert(static_cast<Index>(value * static_cast<double>(parts)));
  return static_cast<Index>(hit.size());
}

}  // namespace

TEST_CASE("UniformPoints: primes", "[features]") {
  CHECK(detail::first_primes(10) == std::vector<Index>{2, 3, 5, 7, 11, 13, 17, 19, 23, 29});
  CHECK(detail::first_primes(1000).back() == 7919);
  CHECK(detail::first_primes(0).empty());
}

TEST_CASE("UniformPoints: quasi-random numbers fall one into each interval", "[features][law]") {
  // 64 = 2^6, 81 = 3^4 and 125 = 5^3 numbers of the first coordinates; every run of b^k of them,
  // from a multiple of b^k on, is spread over the intervals of length b^-k.
  const Index counts[] = {64, 81, 125}, bases[] = {2, 3, 5};
  for (Index c = 0; c < 3; ++c) {
    const Vector<double> u = points(Sampling::QuasiRandom, 0, c, counts[c]);
    for (Index part = bases[c]; part <= counts[c]; part *= bases[c])
      for (Index first = 0; first < counts[c]; first += part)
        CHECK(intervals_hit(u.segment(first, part), part) == part);
  }
  // A base above the number of points: one point in each of as many intervals.
  for (const Index coordinate : {20, 499})
    CHECK(intervals_hit(points(Sampling::QuasiRandom, 0, coordinate, 50), 50) == 50);
  CHECK(intervals_hit(points(Sampling::Independent, 0, 499, 50), 50) < 50);
}

TEST_CASE("UniformPoints: each number is uniform, pairs of coordinates are independent",
          "[features][law]") {
  // Over many blocks; a mean of 4000 numbers of variance 1/12 and 1/144.
  constexpr int blocks = 4000;
  for (const Sampling sampling : {Sampling::Independent, Sampling::QuasiRandom})
    for (const Index j : {0, 5}) {
      double mean = 0, square = 0, product = 0;
      for (int b = 0; b < blocks; ++b) {
        const auto block = static_cast<std::uint64_t>(b);
        const double u = points(sampling, block, 1, 7)(j) - 0.5;
        mean += u / blocks;
        square += u * u / blocks;
        product += u * (points(sampling, block, 2, 7)(j) - 0.5) / blocks;
      }
      CHECK(std::abs(mean) <= 5 * std::sqrt(1 / 12.0 / blocks));
      CHECK(std::abs(square - 1 / 12.0) <= 5 * std::sqrt(1 / 180.0 / blocks));
      CHECK(std::abs(product) <= 5 * std::sqrt(1 / 144.0 / blocks));
    }
}

TEST_CASE("UniformPoints: within (0, 1), and a function of block and coordinate",
          "[features][law]") {
  for (const Sampling sampling : {Sampling::Independent, Sampling::QuasiRandom}) {
    for (const Index count : {0, 1, 2, 300}) {
      const Vector<double> u = points(sampling, 4, 1, count);
      CHECK(u == points(sampling, 4, 1, count));
      CHECK((u.array() > 0 && u.array() < 1).all());
    }
    CHECK(points(sampling, 4, 1, 9) != points(sampling, 5, 1, 9));
    CHECK(points(sampling, 4, 1, 9) != points(sampling, 4, 2, 9));
  }
}

}  // namespace uniform_points_test
