// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The FeatureMap concept: random maps whose inner products are equal to the kernel on average.

#ifndef MERCER_FEATURES_FEATURE_MAP_HPP
#define MERCER_FEATURES_FEATURE_MAP_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

/// What a feature map knows about the samples before it sees them.
struct SampleBounds {
  Index dimension = 0;  ///< d
  double radius = 1;    ///< about max |x|, >= 0; maps of inner-product kernels scale with it
};

/// A feature map for one kernel, dimension and seed.
///
/// Syntax:
/// - (1) member types Scalar (float or double) and Block; a Block is default-constructible and
///   holds the random parameters of one block of features;
/// - (2) `columns()`, the number of columns of a block;
/// - (3) `dimension()`, the dimension of the samples;
/// - (4) `draw(b, block) const` sets the parameters of block b, a std::uint64_t below 2^32; the
///   storage of \p block is used again;
/// - (5) `evaluate(block, x, out) const` writes Z_b(X), x.rows() x columns(), for Points<Scalar> x
///   and, if the map can, for SparsePoints<Scalar>.
///
/// Semantics:
/// - (6) the expectation of Z_b(X) Z_b(Y)^T over b is the kernel's Gram matrix of X and Y, exactly
///   if the map is an UnbiasedFeatureMap, else nearly; blocks are independent;
/// - (7) a block is a function of (parameters, seed, b) alone, and its values do not depend on the
///   number of threads; the first rows of X, evaluated alone, give the same bits as with all rows,
///   and so do other rows, except that those of NystromFeatures may differ in rounding;
/// - (8) const members may run concurrently on different blocks.
///
/// Optional:
/// - `static constexpr bool deterministic = true` says that all blocks are the same, and that their
///   inner products are the kernel, exactly or nearly, without a mean over blocks;
/// - `double largest_square() const` is a bound of |Z_b(x)|^2, the squared length of a row, for all
///   blocks and samples;
/// - `std::size_t bytes() const` of a Block: blocks with this function can be kept in memory by
///   code that needs them again and again.
template <class B>
concept BoundFeatureMap = Real<typename B::Scalar> &&
    std::default_initializable<typename B::Block> &&
    requires(const B& map, typename B::Block& block, std::uint64_t b, Points<typename B::Scalar> x,
             GramOut<typename B::Scalar> out) {
  { map.columns() } -> std::same_as<Index>;
  { map.dimension() } -> std::same_as<Index>;
  { map.draw(b, block) } -> std::same_as<void>;
  { map.evaluate(block, x, out) } -> std::same_as<void>;
};

/// Maps whose blocks are all the same, so that one block is enough.
template <class B>
concept IsDeterministic = requires {
  requires B::deterministic;
};

/// The settings of a random feature map: `RandomFourier{.features = 50}`.
///
/// Syntax:
/// - (1) copyable;
/// - (2) `template <class K> static constexpr bool maps` says whether there are features for a
///   kernel K;
/// - (3) for such kernels, `bind<S>(kernel, bounds, seed) const` with SampleBounds returns a
///   BoundFeatureMap of scalar S, which owns all that it needs of the kernel.
///
/// Semantics:
/// - (4) bind() throws InvalidArgument for settings out of range, for a negative dimension, and for
///   a radius that is negative or not finite.
///
/// Optional:
/// - `static constexpr bool unbiased()` is true if the inner products of the features are the
///   kernel on average, so that more blocks remove any error; see UnbiasedFeatureMap;
/// - `std::string describe() const` returns name and settings; they distinguish the saved state of
///   a fit with this map from that of a fit with another.
template <class F>
concept FeatureMap = std::copy_constructible<F> && requires {
  { F::template maps<Linear> } -> std::convertible_to<bool>;
};

/// Maps whose draws can stand for the kernel, because their mean is the kernel. A map that does not
/// say so counts as biased. unbiased() is a member that is not static where the settings decide;
/// code that relies on it asks for its value at run time too.
template <class F>
concept UnbiasedFeatureMap = FeatureMap<F> && requires(const F& map) {
  { map.unbiased() } -> std::same_as<bool>;
} && !requires {
  requires !F::unbiased();
};

/// A map that has features for the kernel K.
template <class F, class K>
concept FeatureMapFor = FeatureMap<F> && F::template maps<K>;

namespace detail {

/// The largest norm |x| of the rows, computed without overflow.
template <OwnedSamples X>
[[nodiscard]] double largest_norm(const X& x) {
  double unit = 0;
  for (Index outer = 0; outer < x.outerSize(); ++outer)
    for (typename X::InnerIterator entry(x, outer); entry; ++entry)
      unit = (std::max)(unit, std::abs(static_cast<double>(entry.value())));
  if (unit == 0) return 0;
  Vector<double> squares = Vector<double>::Zero(x.rows());
  for (Index outer = 0; outer < x.outerSize(); ++outer)
    for (typename X::InnerIterator entry(x, outer); entry; ++entry) {
      const double value = static_cast<double>(entry.value()) / unit;
      squares(entry.row()) += value * value;
    }
  // The norm itself may exceed the range of a double. Then the largest double will do: no map needs
  // the exact value.
  return (std::min)(unit * std::sqrt(squares.maxCoeff()), (std::numeric_limits<double>::max)());
}

/// Blocks that know the size of their parameters, so that they can be kept within a budget.
template <class Block>
concept HasBytes = requires(const Block& block) {
  { block.bytes() } -> std::same_as<std::size_t>;
};

/// The number of bytes of the values of the given matrices.
template <class... M>
[[nodiscard]] std::size_t bytes_of(const M&... matrices) {
  return (std::size_t{0} + ... +
          (static_cast<std::size_t>(matrices.size()) * sizeof(typename M::Scalar)));
}

/// Throws InvalidArgument unless the dimension is at least 0 and fits an int, and the radius is
///   finite and not negative. Products of two numbers that fit an int, or are a few units larger,
///   do not overflow an Index.
inline void require_bounds(std::string_view who, const SampleBounds& bounds) {
  require_at_least(who, "dimension", bounds.dimension, Index{0});
  if (bounds.dimension > Index{(std::numeric_limits<int>::max)()})
    fail("mercer::", who, ": dimension must fit an int, got ", bounds.dimension);
  require_not_negative(who, "radius", bounds.radius);
}

/// Throws InvalidArgument unless features is at least 1 and fits an int, and unless the bounds are
///   valid.
inline void require_block_size(std::string_view who, Index features, const SampleBounds& bounds) {
  require_at_least(who, "features", features, Index{1});
  if (features > Index{(std::numeric_limits<int>::max)()})
    fail("mercer::", who, ": features must fit an int, got ", features);
  require_bounds(who, bounds);
}

/// The random stream of one feature of one block.
[[nodiscard]] inline RandomStream feature_stream(std::uint64_t seed, std::string_view purpose,
                                                 std::uint64_t block, Index feature) {
  MERCER_ASSERT(block < (std::uint64_t{1} << 32U));
  return {seed, purpose, (block << 32U) | static_cast<std::uint64_t>(feature)};
}

}  // namespace detail

/// The bounds of these samples.
/// Throws InvalidArgument if the samples are not finite.
template <class X>
[[nodiscard]] SampleBounds sample_bounds(const X& x) {
  const OwnedSamplesOf<X>& samples = x;
  detail::require_finite_samples("sample_bounds", samples);
  return {.dimension = samples.cols(), .radius = detail::largest_norm(samples)};
}

/// The features of one block at the samples, x.rows() x columns(). With z = block_features(map, b,
/// x), the product z z^T is an unbiased estimate of the Gram matrix. In a loop, it is faster to
/// draw the block once and evaluate it into storage of your own.
///
/// \code
///   const auto map = RandomFourier{.features = 50}.bind<double>(kernel, sample_bounds(x), seed);
///   const Matrix<double> z = block_features(map, 0, x);
/// \endcode
/// Throws InvalidArgument if the samples are not finite or have another dimension than the map.
template <BoundFeatureMap B, class X>
[[nodiscard]] Matrix<typename B::Scalar> block_features(const B& map, std::uint64_t block,
                                                        const X& x) {
  const OwnedSamplesOf<X>& samples = x;
  if (samples.cols() != map.dimension())
    detail::fail("mercer::block_features: the map is for dimension ", map.dimension(),
                 ", samples have ", samples.cols());
  detail::require_finite_samples("block_features", samples);
  typename B::Block parameters;
  map.draw(block, parameters);
  Matrix<typename B::Scalar> out(samples.rows(), map.columns());
  map.evaluate(parameters, detail::rows_of(samples, {0, samples.rows()}), out);
  return out;
}

}  // namespace mercer

#endif  // MERCER_FEATURES_FEATURE_MAP_HPP
