// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel matrices, evaluated tile by tile. Only this file evaluates kernels on data.

#ifndef MERCER_KERNELS_EVALUATE_HPP
#define MERCER_KERNELS_EVALUATE_HPP

#include <algorithm>
#include <concepts>
#include <string>
#include <type_traits>

#include <mercer/core/errors.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/symmetric_tiles.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/kernels/precomputed.hpp>

namespace mercer {

/// What KernelPca accepts as a kernel: a kernel, or Precomputed values.
template <class K>
concept KernelOrPrecomputed = Kernel<K> || std::same_as<K, Precomputed>;

/// Whether K has values for samples of the stored form X.
template <class K, class X>
concept evaluates_on = evaluates<K, X> ||(std::same_as<K, Precomputed>&& DenseSamples<X>);

namespace detail {

/// out = k(x_i, y_j) for i in rows, j in cols.
template <Kernel K, OwnedSamples X>
void fill_tile(const K& kernel, const X& x, Range rows, const X& y, Range cols,
               GramOut<typename X::Scalar> out) {
  kernel.gram(rows_of(x, rows), rows_of(y, cols), out);
}

/// Precomputed values: row i of x holds k(x_i, y_j) for every training sample j. They are rounded
/// to the scalar of \p out.
template <Real S, class Out>
void fill_tile(const Precomputed&, const Matrix<S>& x, Range rows, const Matrix<S>&, Range cols,
               Out&& out) {
  out = x.block(rows.begin, cols.begin, rows.size, cols.size)
            .template cast<typename std::remove_cvref_t<Out>::Scalar>();
}

template <class K, class X>
void check_domain(const K& kernel, const X& x) {
  if constexpr (HasDomain<K, X>) kernel.check_domain(x);
}

template <class K>
[[nodiscard]] std::string describe(const K& kernel) {
  if constexpr (HasDescription<K>)
    return kernel.describe();
  else
    return "user kernel";
}

}  // namespace detail

/// Writes the n x n Gram matrix K(i, j) = k(x_i, x_j) into \p out, exactly symmetric. Checks
/// nothing: see gram().
/// Cost: O(n^2 d) time.
/// Memory: a few tiles.
template <Kernel K, OwnedSamples X, Real S = typename X::Scalar>
  requires evaluates<K, X>
void fill_gram(const K& kernel, const X& x, GramOut<typename X::Scalar> out) {
  const Index n = x.rows();
  detail::fill_symmetric<S>(
      n,
      [&](Index i, Index j, GramOut<S> tile) {
        detail::fill_tile(kernel, x, detail::Range::tile(i, n), x, detail::Range::tile(j, n), tile);
      },
      out);
}

/// Precomputed values are their own Gram matrix.
template <Real S>
void fill_gram(const Precomputed&, const Matrix<S>& x, GramOut<std::type_identity_t<S>> out) {
  out = (x + x.transpose()) / S(2);
}

/// The n x n Gram matrix of the samples in the rows of \p x. If K is not a Kernel, or not one for
/// such samples, compilation stops with a sentence that says so.
/// Throws InvalidArgument for samples that are not finite or outside the kernel's domain.
template <class K, class X, Real S = typename X::Scalar>
[[nodiscard]] Matrix<S> gram(const K& kernel, const X& x) {
  detail::require_evaluates<K, OwnedSamplesOf<X>>();
  const OwnedSamplesOf<X>& samples = x;
  detail::require_finite_samples("gram", samples);
  detail::check_domain(kernel, samples);
  Matrix<S> out(samples.rows(), samples.rows());
  fill_gram(kernel, samples, out);
  return out;
}

/// The n x m matrix of k(x_i, y_j).
/// Throws InvalidArgument as above, and if the samples differ in dimension.
template <class K, class X, class Y, Real S = typename X::Scalar>
[[nodiscard]] Matrix<S> gram(const K& kernel, const X& x, const Y& y) {
  static_assert(std::same_as<OwnedSamplesOf<X>, OwnedSamplesOf<Y>>,
                "mercer::gram: x and y must have one scalar and be both dense or both sparse");
  detail::require_evaluates<K, OwnedSamplesOf<X>>();
  const OwnedSamplesOf<X>& left = x;
  const OwnedSamplesOf<X>& right = y;
  if (left.cols() != right.cols())
    detail::fail("mercer::gram: samples have dimensions ", left.cols(), " and ", right.cols());
  for (const auto* samples : {&left, &right}) {
    detail::require_finite_samples("gram", *samples);
    detail::check_domain(kernel, *samples);
  }
  Matrix<S> out(left.rows(), right.rows());
  const Index tile_rows = detail::tile_count(left.rows());
  parallel_for(tile_rows * detail::tile_count(right.rows()), [&](Index task) {
    const auto rows = detail::Range::tile(task % tile_rows, left.rows());
    const auto cols = detail::Range::tile(task / tile_rows, right.rows());
    detail::fill_tile(kernel, left, rows, right, cols,
                      out.block(rows.begin, cols.begin, rows.size, cols.size));
  });
  return out;
}

/// k(x_i, x_i) for every row. Kernels without their own `diagonal` are evaluated sample by sample.
/// Samples that lie in memory as the kernel takes them are not copied.
template <Kernel K, class X, Real S = typename X::Scalar>
  requires DenseSamples<X> || SparseSamples<X>
[[nodiscard]] Vector<S> diagonal(const K& kernel, const X& x) {
  Vector<S> out(x.rows());
  const auto samples = detail::rows_of(x, {0, x.rows()});
  if constexpr (requires { kernel.diagonal(samples, Eigen::Ref<Vector<S>>(out)); }) {
    kernel.diagonal(samples, Eigen::Ref<Vector<S>>(out));
  } else {
    Matrix<S> value(1, 1);
    for (Index i = 0; i < x.rows(); ++i) {
      const auto sample = detail::rows_of(samples, {i, 1});
      kernel.gram(sample, sample, value);
      out(i) = value(0, 0);
    }
  }
  return out;
}

/// About the rounding error of kernel values, in ulp, as far as it follows from that of inner
/// products: 1 for a kernel that does not say more. See HasGrowth.
template <class K, class X>
[[nodiscard]] double growth(const K& kernel, const X& x) {
  if constexpr (HasGrowth<K, X>)
    return x.rows() > 0 ? kernel.growth(detail::rows_of(x, {0, x.rows()})) : 1;
  else
    return 1;
}

/// The diagonal of a precomputed Gram matrix.
template <Real S>
[[nodiscard]] Vector<S> diagonal(const Precomputed&, const Matrix<S>& x) {
  return x.diagonal();
}

}  // namespace mercer

#endif  // MERCER_KERNELS_EVALUATE_HPP
