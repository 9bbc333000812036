// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Functions on the input space, expanded over blocks of random features.

#ifndef MERCER_MODELS_FEATURE_FUNCTIONS_HPP
#define MERCER_MODELS_FEATURE_FUNCTIONS_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/feature_blocks.hpp>
#include <mercer/features/detail/feature_sum.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/solvers/feature_solver.hpp>

namespace mercer {

namespace detail {

/// Throws InvalidArgument unless this can be an expansion of k functions over some feature map.
template <Real S>
void require_expansion(std::string_view who, const FeatureExpansion<S>& expansion, Index k) {
  const Index blocks = expansion.blocks, rows = expansion.coefficients.rows();
  if (blocks < 1 || rows % blocks != 0 || expansion.coefficients.cols() != k ||
      expansion.offset.size() != k)
    fail("mercer::", who, ": ", rows, " x ", expansion.coefficients.cols(), " coefficients and ",
         expansion.offset.size(), " offsets do not fit ", k, " components of ", blocks,
         " blocks of features");
}

/// A feature map that is bound to a kernel, as an expansion over it has to be.
template <Kernel K, FeatureMap F, Real S>
using BoundMap = std::remove_cvref_t<decltype(std::declval<const F&>().template bind<S>(
    std::declval<const K&>(), std::declval<const SampleBounds&>(), std::uint64_t{}))>;

/// The map, bound for this expansion of k functions. To be kept: some maps take O(m^3) operations
/// to bind.
/// Throws InvalidArgument unless it can be an expansion of k functions over this map.
template <Real S, Kernel K, FeatureMap F>
[[nodiscard]] std::shared_ptr<const BoundMap<K, F, S>> bind_expansion(
    std::string_view who, const K& kernel, const F& map, const FeatureExpansion<S>& expansion,
    Index k) {
  require_expansion(who, expansion, k);
  auto bound = std::make_shared<const BoundMap<K, F, S>>(
      map.template bind<S>(kernel, expansion.bounds, expansion.seed));
  const Index columns = bound->columns(), rows = expansion.coefficients.rows();
  // Compare by division: in a damaged file, the product of the sizes may overflow.
  if (columns == 0 ? rows != 0 : rows % columns != 0 || rows / columns != expansion.blocks)
    fail("mercer::", who, ": ", rows, " coefficients do not fit ", expansion.blocks, " blocks of ",
         columns, " features");
  return bound;
}

/// The functions at the remaining rows of a stream, passed to \p take in order, up to 4096 rows at
/// a time.
/// Throws InvalidArgument for another dimension and for samples outside the kernel's domain.
template <Kernel K, BoundFeatureMap B, Real S>
void expand_features(std::string_view who, const K& kernel, const std::shared_ptr<const B>& map,
                     const FeatureExpansion<S>& expansion, SampleStreamView<S> stream,
                     const std::function<void(const Matrix<S>&)>& take) {
  constexpr Index panel_rows = 4096;
  constexpr std::size_t kept_bytes = std::size_t{1} << 24U;  // for kept feature parameters
  if (stream.dimension() != expansion.bounds.dimension)
    fail("mercer::", who, "::transform: new samples have ", stream.dimension(),
         " columns, the training samples ", expansion.bounds.dimension);
  FeatureBlocksOf<B> blocks(map, kept_bytes);
  FeatureSum<S> sum(blocks);
  Matrix<S> panel(panel_rows, stream.dimension()), values;
  Index first = stream.position().row;
  for (Index count = stream.read(panel); count > 0; count = stream.read(panel)) {
    if (count < panel.rows()) panel.conservativeResize(count, Eigen::NoChange);
    counting_from(first, [&] { check_domain(kernel, panel); });
    first += count;
    values.resize(count, expansion.offset.size());
    sum.evaluate(Points<S>(panel), expansion.blocks, expansion.coefficients, values);
    values.rowwise() -= expansion.offset.transpose();
    take(values);
  }
}

/// The functions at samples in memory, dense or sparse, q x k.
template <Real S, Kernel K, BoundFeatureMap B, class Q>
[[nodiscard]] Matrix<S> expand_features(std::string_view who, const K& kernel,
                                        const std::shared_ptr<const B>& map,
                                        const FeatureExpansion<S>& expansion, const Q& q) {
  static_assert(std::same_as<typename Q::Scalar, S>,
                "mercer: new samples must have the scalar of the training samples");
  const OwnedSamplesOf<Q>& samples = q;
  MatrixStream stream(samples);
  Matrix<S> values(samples.rows(), expansion.offset.size());
  Index done = 0;
  const std::function<void(const Matrix<S>&)> take = [&](const Matrix<S>& part) {
    values.middleRows(done, part.rows()) = part;
    done += part.rows();
  };
  expand_features(who, kernel, map, expansion, SampleStreamView<S>(stream), take);
  return values;
}

}  // namespace detail

/// k functions of a sample: f_i(x) = sum_b Z_b(x) C_b,i - offset_i over blocks of random features.
/// Holds the coefficients, and the map bound to the kernel, from which features are drawn again; no
/// samples and no features. Immutable.
/// Threads: const members may run concurrently.
template <Kernel K, FeatureMap F, Real S>
class FeatureFunctions {
 public:
  using Scalar = S;

  /// Throws InvalidArgument if the parts of the expansion do not fit together.
  FeatureFunctions(K kernel, F map, FeatureExpansion<S> expansion)
      : kernel_(std::move(kernel)),
        map_(std::move(map)),
        expansion_(std::move(expansion)),
        bound_(detail::bind_expansion("FeatureFunctions", kernel_, map_, expansion_, size())) {}

  /// The number of functions, k.
  [[nodiscard]] Index size() const { return expansion_.offset.size(); }
  /// The dimension d of the samples.
  [[nodiscard]] Index dimension() const { return expansion_.bounds.dimension; }

  [[nodiscard]] const K& kernel() const { return kernel_; }
  [[nodiscard]] const F& map() const { return map_; }
  /// The coefficients, and what the features are drawn from.
  [[nodiscard]] const FeatureExpansion<S>& expansion() const { return expansion_; }

  /// The functions at the rows of \p q, dense or sparse: q x k values.
  /// Cost: O(q N (d + k)) for N features.
  /// Throws InvalidArgument for another dimension, for non-finite samples, and for samples outside
  ///   the kernel's domain.
  /// Threads: the bits do not depend on their number.
  template <class Q>
  [[nodiscard]] Matrix<S> transform(const Q& q) const {
    return detail::expand_features<S>("FeatureFunctions", kernel_, bound_, expansion_, q);
  }

 private:
  K kernel_;
  F map_;
  FeatureExpansion<S> expansion_;
  std::shared_ptr<const detail::BoundMap<K, F, S>> bound_;
};

}  // namespace mercer

#endif  // MERCER_MODELS_FEATURE_FUNCTIONS_HPP
