// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The uniform random numbers that features are made of, one point for each feature of a block:
/// independent, or spread evenly over the cube.

#ifndef MERCER_FEATURES_UNIFORM_POINTS_HPP
#define MERCER_FEATURES_UNIFORM_POINTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>

namespace mercer {

/// How the random numbers of the features of one block go together. Blocks are independent.
enum class Sampling {
  Independent,  ///< every feature by itself (Monte Carlo)
  QuasiRandom,  ///< evenly spread (randomised quasi-Monte Carlo); every feature has the same law
};

[[nodiscard]] constexpr std::string_view to_string(Sampling sampling) {
  return sampling == Sampling::Independent ? "independent" : "quasi-random";
}

namespace detail {

/// The first \p count primes.
[[nodiscard]] inline std::vector<Index> first_primes(Index count) {
  std::vector<Index> primes;
  for (Index n = 2; static_cast<Index>(primes.size()) < count; ++n) {
    const bool prime =
        std::all_of(primes.begin(), primes.end(), [n](Index p) { return p * p > n || n % p != 0; });
    if (prime) primes.push_back(n);
  }
  return primes;
}

/// Numbers that fall one into each of the intervals [c / b^K, (c + 1) / b^K) before any gets a
/// second, b^K >= their number: van der Corput's sequence in base b, with the values of each digit
/// permuted at random, and a uniform place within the interval.
/// Cost: K of them for each number, and K permutations of b.
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

/// Points of the open unit cube, one for each feature of a block, coordinate by coordinate. Each
/// point is uniformly distributed, so that means over features are unbiased either way.
///
/// QuasiRandom is Halton's sequence, coordinate c in the c-th prime base, with random permutations
/// of the digits. Coordinates whose base would exceed the number of points are a Latin hypercube:
/// each of as many intervals holds one point.
/// Accuracy of QuasiRandom: the standard error falls as 1 / D or so in a few dimensions and for
/// smooth functions, in place of 1 / D^(1/2). The gain fades with the number of dimensions that
/// matter; beyond a few tens it is that of the Latin hypercube, never much worse than independent
/// points.
/// Source: Owen, A randomized Halton algorithm in R, 2017; McKay, Beckman, Conover, A comparison of
/// three methods for selecting values of input variables, 1979.
class UniformPoints {
 public:
  /// @param purpose      names the random stream; a string literal
  /// @param coordinates  how many there are
  UniformPoints(Sampling sampling, std::uint64_t seed, std::string_view purpose, Index coordinates)
      : seed_(seed), purpose_(purpose) {
    if (sampling == Sampling::QuasiRandom) bases_ = detail::first_primes(coordinates);
  }

  /// u = this coordinate of all points of block b, of which there are u.size().
  void fill(std::uint64_t b, Index coordinate, Eigen::Ref<Vector<double>> u) const {
    RandomStream stream = detail::feature_stream(seed_, purpose_, b, coordinate);
    if (bases_.empty()) {
      for (double& value : u) value = stream.uniform();
    } else {
      const Index base = bases_[static_cast<std::size_t>(coordinate)];
      detail::scrambled_sequence((std::min)(base, (std::max)(u.size(), Index{2})), stream, u);
    }
  }

 private:
  std::uint64_t seed_;
  std::string_view purpose_;
  std::vector<Index> bases_;  // empty: independent
};

}  // namespace mercer

#endif  // MERCER_FEATURES_UNIFORM_POINTS_HPP
