// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The FeatureMap concept: random maps whose inner products are a kernel on average.

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

/// What a feature map is told of the samples before it sees any.
struct SampleBounds {
  Index dimension = 0;  ///< d
  double radius = 1;    ///< about max |x|: the scale that maps of inner products work at
};

/// A feature map for one kernel, dimension and seed.
///
/// Syntax: (1) member types Scalar (float or double) and Block, default-constructible: the random
/// parameters of one block of features; (2) `columns()`, the number of columns of a block;
/// (3) `dimension()`, that of the samples; (4) `draw(b, block) const` sets the parameters of block
/// b, a std::uint64_t below 2^32, into storage that is reused; (5) `evaluate(block, x, out) const`
/// writes Z_b(X), x.rows() x columns(), for Points<Scalar> x and, if it can, SparsePoints<Scalar>.
/// Semantics: (6) the expectation of Z_b(X) Z_b(Y)^T over b is the kernel's Gram matrix of X and Y,
/// and blocks are independent; (7) pure: a block is a function of (parameters, seed, b) alone, and
/// its values do not depend on the number of threads; the first rows of X evaluated alone give the
/// same bits as among the others; (8) const members may run concurrently on different blocks.
/// Optional: `static constexpr bool deterministic = true` says that all blocks are the same, and
/// their inner products the kernel, or near it, without a mean. `std::size_t bytes() const` of a
/// Block; blocks that have it can be kept in memory by those who need them again and again.
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

/// Maps of which one block is all there is.
template <class B>
concept IsDeterministic = requires {
  requires B::deterministic;
};

/// A random feature map, as settings: `RandomFourier{.features = 50}`.
///
/// Syntax: (1) copyable; (2) `template <class K> static constexpr bool maps` says whether it has
/// features for a kernel K; (3) `bind<S>(kernel, bounds, seed) const` for such kernels and
/// SampleBounds returns a BoundFeatureMap of scalar S, which owns what it needs of the kernel.
/// Semantics: (4) throws InvalidArgument for settings out of range, when bound. Optional:
/// `std::string describe() const`, name and settings, which tell the state of a fit with this map
/// from those with others.
template <class F>
concept FeatureMap = std::copy_constructible<F> && requires {
  { F::template maps<Linear> } -> std::convertible_to<bool>;
};

/// A map that has features for the kernel K.
template <class F, class K>
concept FeatureMapFor = FeatureMap<F> && F::template maps<K>;

namespace detail {

/// The largest |x| of the rows, without overflow.
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
  return unit * std::sqrt(squares.maxCoeff());
}

/// Blocks whose parameters know their size, and so may be kept within a budget.
template <class Block>
concept HasBytes = requires(const Block& block) {
  { block.bytes() } -> std::same_as<std::size_t>;
};

/// The bytes of the values of some matrices.
template <class... M>
[[nodiscard]] std::size_t bytes_of(const M&... matrices) {
  return (std::size_t{0} + ... +
          (static_cast<std::size_t>(matrices.size()) * sizeof(typename M::Scalar)));
}

/// Throws unless the samples can have so many columns. Products of numbers that fit an int, and of
/// a few units more, do not overflow an Index.
inline void require_dimension(std::string_view who, const SampleBounds& bounds) {
  require_at_least(who, "dimension", bounds.dimension, Index{0});
  if (bounds.dimension > Index{(std::numeric_limits<int>::max)()})
    fail("mercer::", who, ": dimension must fit an int, got ", bounds.dimension);
}

/// Throws unless a block can have so many features, for such samples.
inline void require_block_size(std::string_view who, Index features, const SampleBounds& bounds) {
  require_at_least(who, "features", features, Index{1});
  if (features > Index{(std::numeric_limits<int>::max)()})
    fail("mercer::", who, ": features must fit an int, got ", features);
  require_dimension(who, bounds);
}

/// The random numbers of one feature of one block.
[[nodiscard]] inline RandomStream feature_stream(std::uint64_t seed, std::string_view purpose,
                                                 std::uint64_t block, Index feature) {
  MERCER_ASSERT(block < (std::uint64_t{1} << 32U));
  return {seed, purpose, (block << 32U) | static_cast<std::uint64_t>(feature)};
}

}  // namespace detail

/// The bounds of these samples. Throws InvalidArgument for samples that are not finite.
template <class X>
[[nodiscard]] SampleBounds sample_bounds(const X& x) {
  const OwnedSamplesOf<X>& samples = x;
  detail::require_finite_samples("sample_bounds", samples);
  return {.dimension = samples.cols(), .radius = detail::largest_norm(samples)};
}

/// The features of a block at samples, x.rows() x columns(): block_features(map, b, x) times its
/// transpose is an unbiased estimate of the Gram matrix.
///
/// \code
///   const auto map = RandomFourier{.features = 50}.bind<double>(kernel, sample_bounds(x), seed);
///   const Matrix<double> z = block_features(map, 0, x);
/// \endcode
/// Throws InvalidArgument for samples that are not finite or of another dimension. Loops draw the
/// block once and evaluate it into storage of their own.
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
