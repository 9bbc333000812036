// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Uniform random numbers for drawing features: one point of the unit cube for each feature of a
/// block. The points are independent or quasi-random.

#ifndef MERCER_FEATURES_DETAIL_UNIFORM_POINTS_HPP
#define MERCER_FEATURES_DETAIL_UNIFORM_POINTS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>

namespace mercer {

/// How the random points of one block depend on each other. Different blocks are independent.
enum class Sampling {
  Independent,  ///< independent points (Monte Carlo)
  QuasiRandom,  ///< evenly spread (randomised quasi-Monte Carlo), each point uniform
};

[[nodiscard]] constexpr std::string_view to_string(Sampling sampling) {
  return sampling == Sampling::Independent ? "independent" : "quasi-random";
}

namespace detail {

/// The first \p count primes, without those above \p most.
/// Cost: O(m log log m), where m is the smaller of \p most and about the largest of these primes.
[[nodiscard]] inline std::vector<Index> first_primes(
    Index count, Index most = (std::numeric_limits<Index>::max)()) {
  // Rosser, Schoenfeld, Approximate formulas for some functions of prime numbers, 1962, (3.13):
  // prime n is below n (log n + log log n) for n >= 6.
  const auto n = static_cast<double>((std::max)(count, Index{6}));
  const double above = n * (std::log(n) + std::log(std::log(n))) + 1;
  const Index last = above < static_cast<double>(most) ? static_cast<Index>(above) : most;
  std::vector<Index> primes;
  std::vector<bool> composite(static_cast<std::size_t>(last) + 1);
  for (Index p = 2; p <= last && static_cast<Index>(primes.size()) < count; ++p) {
    if (composite[static_cast<std::size_t>(p)]) continue;
    primes.push_back(p);
    if (p > last / p) continue;
    for (Index multiple = p * p; multiple <= last; multiple += p)
      composite[static_cast<std::size_t>(multiple)] = true;
  }
  return primes;
}

/// The base for a coordinate (counted from 0) of a set of \p points points. It is the prime with
/// that number, or the number of points if that is smaller.
[[nodiscard]] inline Index sequence_base(Index coordinate, Index points) {
  // With primes counted from 1, prime n is at least n + 1. So no search is needed here.
  if (coordinate >= points - 1) return points;
  const std::vector<Index> primes = first_primes(coordinate + 1, points);
  return static_cast<Index>(primes.size()) > coordinate ? primes.back() : points;
}

/// Van der Corput's sequence in base b with two changes: the values of each digit are permuted at
/// random, and each number is uniform within its interval. The intervals are [c / b^K, (c + 1) /
/// b^K) with b^K >= the number of points. Each interval gets one number before any gets a second.
/// Cost: K operations for each number, and K random permutations of b values.
inline void scrambled_sequence(Index base, RandomStream& stream, Eigen::Ref<Vector<double>> u) {
  const Index n = u.size();
  std::vector<Index> rest(static_cast<std::size_t>(n));
  for (std::size_t j = 0; j < rest.size(); ++j) rest[j] = static_cast<Index>(j);
  double width = 1;
  u.setZero();
  for (Index places = 1; places < n; places *= base) {
    width /= static_cast<double>(base);
    const std::vector<Index> digits = random_permutation(base, stream);
    for (std::size_t j = 0; j < rest.size(); ++j) {
      const Index digit = digits[static_cast<std::size_t>(rest[j] % base)];
      u(static_cast<Index>(j)) += width * static_cast<double>(digit);
      rest[j] /= base;
    }
  }
  for (double& value : u)
    value = std::clamp(value + width * stream.uniform(), 0x1p-53, 1 - 0x1p-53);
}

}  // namespace detail

/// Points of the open unit cube, one for each feature of a block, computed coordinate by
/// coordinate. Each point is uniformly distributed, so means over features are unbiased in both
/// forms of sampling.
///
/// QuasiRandom is Halton's sequence: coordinate c uses the c-th prime as its base, with random
/// permutations of the digits. Where that prime exceeds the number of points, the coordinate is
/// that of a Latin hypercube: with n points, each of n equal intervals holds one.
/// Accuracy: for smooth functions of a few variables, the standard error of QuasiRandom falls about
///   as 1 / D; that of Independent falls as 1 / D^(1/2). The gain shrinks as more dimensions
///   matter. Beyond a few tens of dimensions it is the gain of the Latin hypercube, which is never
///   much worse than independent points.
/// Source: Owen, A randomized Halton algorithm in R, 2017; McKay, Beckman, Conover, A comparison of
///   three methods for selecting values of input variables, 1979.
class UniformPoints {
 public:
  /// @param purpose      name of the random stream; must be a string literal
  /// @param coordinates  number of coordinates; an unused coordinate costs nothing
  UniformPoints(Sampling sampling, std::uint64_t seed, std::string_view purpose, Index coordinates)
      : sampling_(sampling), seed_(seed), purpose_(purpose), coordinates_(coordinates) {}

  /// u = the given coordinate of the u.size() points of block b.
  /// Cost: O(u.size() log u.size()), whatever the number of coordinates.
  void fill(std::uint64_t b, Index coordinate, Eigen::Ref<Vector<double>> u) const {
    MERCER_ASSERT(coordinate >= 0 && coordinate < coordinates_);
    RandomStream stream = detail::feature_stream(seed_, purpose_, b, coordinate);
    if (sampling_ == Sampling::Independent) {
      for (double& value : u) value = stream.uniform();
    } else {
      const Index points = (std::max)(u.size(), Index{2});
      detail::scrambled_sequence(detail::sequence_base(coordinate, points), stream, u);
    }
  }

 private:
  Sampling sampling_;
  std::uint64_t seed_;
  std::string_view purpose_;
  Index coordinates_;  // no storage per coordinate: a file may claim any number
};

}  // namespace mercer

#endif  // MERCER_FEATURES_DETAIL_UNIFORM_POINTS_HPP
