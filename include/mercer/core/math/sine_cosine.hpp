// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Sines and cosines of many angles at a time.

#ifndef MERCER_CORE_MATH_SINE_COSINE_HPP
#define MERCER_CORE_MATH_SINE_COSINE_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <mercer/core/compiled.hpp>
#include <mercer/core/machine/instruction_sets.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// The number of angles that are processed together. It is fixed, so that the compiler can use
/// whole vector registers, and so that a result does not depend on the position of its angle.
inline constexpr std::size_t angle_chunk = 32;

template <Real S>
using AngleChunk = std::array<S, angle_chunk>;

/// Above this size the argument reduction loses digits, so the standard library is used instead.
template <Real S>
inline constexpr S largest_fast_angle = S(1e5);

inline constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
/// Adding this constant rounds a number to an integer, and puts that integer into the lowest bits.
template <Real S>
inline constexpr S to_integer = std::same_as<S, float> ? S(0x1.8p23) : S(0x1.8p52);

/// Subtracts a multiple of pi/2, which is split into three parts. The first two parts have 33 bits,
/// so their products are exact. Then sums the Taylor series on [-pi/4, pi/4], with remainders below
/// 1e-18.
inline void fast_sine_cosine(const AngleChunk<double>& angles, AngleChunk<double>& sines,
                             AngleChunk<double>& cosines) {
  constexpr double high = 0x1.921fb544p0, middle = 0x1.0b4611a6p-34, low = 0x1.3198a2e037073p-69;
  for (std::size_t i = 0; i < angle_chunk; ++i) {
    const double shifted = angles[i] * two_over_pi + to_integer<double>;
    const double turns = shifted - to_integer<double>;
    const double first = angles[i] - turns * high;
    const double second = turns * middle;
    const double r = first - second;
    const double rest = ((first - r) - second) - turns * low;  // the rounding error of r
    const double z = r * r;
    double odd = 1 / 355687428096000.0;
    odd = odd * z - 1 / 1307674368000.0;
    odd = odd * z + 1 / 6227020800.0;
    odd = odd * z - 1 / 39916800.0;
    odd = odd * z + 1 / 362880.0;
    odd = odd * z - 1 / 5040.0;
    odd = odd * z + 1 / 120.0;
    odd = odd * z - 1 / 6.0;
    double even = 1 / 20922789888000.0;
    even = even * z - 1 / 87178291200.0;
    even = even * z + 1 / 479001600.0;
    even = even * z - 1 / 3628800.0;
    even = even * z + 1 / 40320.0;
    even = even * z - 1 / 720.0;
    even = even * z + 1 / 24.0;
    const auto sine = std::bit_cast<std::uint64_t>(r + (r * z * odd + rest));
    const auto cosine = std::bit_cast<std::uint64_t>(1 - (0.5 * z - (z * z * even - r * rest)));
    // After an odd multiple of pi/2, sine and cosine change places. The signs follow from the two
    // lowest bits.
    const auto quadrant = std::bit_cast<std::uint64_t>(shifted);
    const std::uint64_t exchange = (sine ^ cosine) & (0 - (quadrant & 1U));
    sines[i] = std::bit_cast<double>((sine ^ exchange) ^ ((quadrant & 2U) << 62U));
    cosines[i] = std::bit_cast<double>((cosine ^ exchange) ^ (((quadrant + 1) & 2U) << 62U));
  }
}

/// Reduces the angle in double precision, then sums the series as above in single precision, with
/// remainders below 4e-9. The number of quarter turns is found in single precision, which takes
/// half as many instructions. It may be rounded the wrong way within 0.005 of a tie; the series are
/// still accurate there.
inline void fast_sine_cosine(const AngleChunk<float>& angles, AngleChunk<float>& sines,
                             AngleChunk<float>& cosines) {
  for (std::size_t i = 0; i < angle_chunk; ++i) {
    const float shifted = angles[i] * static_cast<float>(two_over_pi) + to_integer<float>;
    const double turns = static_cast<double>(shifted - to_integer<float>);
    // The first product is exact, so no digits are lost near multiples of pi/2.
    const auto r = static_cast<float>((static_cast<double>(angles[i]) - turns * 0x1.921fb544p0) -
                                      turns * 0x1.0b4611a626331p-34);
    const float z = r * r;
    float odd = 1 / 362880.0F;
    odd = odd * z - 1 / 5040.0F;
    odd = odd * z + 1 / 120.0F;
    odd = odd * z - 1 / 6.0F;
    float even = -1 / 3628800.0F;
    even = even * z + 1 / 40320.0F;
    even = even * z - 1 / 720.0F;
    even = even * z + 1 / 24.0F;
    const auto sine = std::bit_cast<std::uint32_t>(r + r * z * odd);
    const auto cosine = std::bit_cast<std::uint32_t>(1 - (0.5F * z - z * z * even));
    const auto quadrant = std::bit_cast<std::uint32_t>(shifted);
    const std::uint32_t exchange = (sine ^ cosine) & (0 - (quadrant & 1U));
    sines[i] = std::bit_cast<float>((sine ^ exchange) ^ ((quadrant & 2U) << 30U));
    cosines[i] = std::bit_cast<float>((cosine ^ exchange) ^ (((quadrant + 1) & 2U) << 30U));
  }
}

/// Copies \p count values, at most one chunk. The size of a whole chunk is known to the compiler,
/// so copying it needs no function call.
template <Real S>
void copy_angles(const S* from, Index count, S* to) {
  if (count == static_cast<Index>(angle_chunk))
    std::copy_n(from, angle_chunk, to);
  else
    std::copy_n(from, count, to);
}

/// sine_cosine() for \p count angles.
template <Real S>
void sines_and_cosines(const S* angles, S* sines, S* cosines, Index count) {
  if (const auto* loops = inner_loops<S>())
    return loops->sines_and_cosines(angles, sines, cosines, count);
  AngleChunk<S> x{}, s, c;
  constexpr auto chunk = static_cast<Index>(angle_chunk);
  for (Index first = 0; first < count; first += chunk) {
    const Index size = (std::min)(chunk, count - first);
    copy_angles(angles + first, size, x.data());
    fast_sine_cosine(x, s, c);
    // Integers as wide as the angles: compilers vectorise this loop, but not a loop over bools.
    std::conditional_t<sizeof(S) == 4, std::uint32_t, std::uint64_t> slow = 0;
    for (const S angle : x) slow |= std::abs(angle) <= largest_fast_angle<S> ? 0U : 1U;
    if (slow != 0)
      for (std::size_t i = 0; i < angle_chunk; ++i)
        if (!(std::abs(x[i]) <= largest_fast_angle<S>)) {
          s[i] = std::sin(x[i]);
          c[i] = std::cos(x[i]);
        }
    copy_angles(s.data(), size, sines + first);
    copy_angles(c.data(), size, cosines + first);
  }
}

/// sines = sin(angles), cosines = cos(angles). Either output may be the storage of the angles.
/// Angles above 1e5 take the slow path of the standard library. Angles that are not finite give
/// NaN.
/// Accuracy: two units in the last place of the value.
template <Real S>
void sine_cosine(Eigen::Ref<const Vector<S>> angles, Eigen::Ref<Vector<S>> sines,
                 Eigen::Ref<Vector<S>> cosines) {
  sines_and_cosines(angles.data(), sines.data(), cosines.data(), angles.size());
}

#define MERCER_SINE_COSINE(S) \
  MERCER_INSTANTIATE_CORE(void sines_and_cosines<S>(const S*, S*, S*, Index))
MERCER_FOR_TILE_SCALARS(MERCER_SINE_COSINE)
#undef MERCER_SINE_COSINE

}  // namespace mercer::detail

#endif  // MERCER_CORE_MATH_SINE_COSINE_HPP
