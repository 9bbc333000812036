// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// KernelView: any kernel behind one type, so that code is compiled once for all kernels.

#ifndef MERCER_KERNELS_KERNEL_VIEW_HPP
#define MERCER_KERNELS_KERNEL_VIEW_HPP

#include <concepts>
#include <string>
#include <type_traits>

#include <mercer/core/errors.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/kernels/single_samples.hpp>

namespace mercer {

template <OwnedSamples X>
class KernelView;

namespace detail {

/// out = k(x_i, y_j) for samples in this form.
template <OwnedSamples X>
using FillTile = void (*)(const void* kernel, const X& x, Range rows, const X& y, Range cols,
                          GramOut<typename X::Scalar>& out);

/// The functions and properties of a kernel on samples of the form X.
template <OwnedSamples X>
struct KernelTable {
  FillTile<X> fill;
  FillTile<SamplesIn<float, X>> fill_single;   ///< null if the kernel has no such values
  FillTile<SamplesIn<double, X>> fill_double;  ///< the same
  Vector<typename X::Scalar> (*diagonal)(const void* kernel, const X& x);
  void (*check_domain)(const void* kernel, const X& x);
  std::string (*describe)(const void* kernel);
  bool loses_offset;
  bool precomputed;
};

template <class K, OwnedSamples X>
void fill_tile_of(const void* kernel, const X& x, Range rows, const X& y, Range cols,
                  GramOut<typename X::Scalar>& out) {
  fill_tile(*static_cast<const K*>(kernel), x, rows, y, cols, out);
}

template <class K, OwnedSamples X>
[[nodiscard]] constexpr FillTile<X> fill_tile_or_null() {
  if constexpr (evaluates_on<K, X>)
    return &fill_tile_of<K, X>;
  else
    return nullptr;
}

template <class K, OwnedSamples X>
inline constexpr KernelTable<X> kernel_table{
    .fill = &fill_tile_of<K, X>,
    .fill_single = fill_tile_or_null<K, SamplesIn<float, X>>(),
    .fill_double = fill_tile_or_null<K, SamplesIn<double, X>>(),
    .diagonal = [](const void* kernel,
                   const X& x) { return mercer::diagonal(*static_cast<const K*>(kernel), x); },
    .check_domain = [](const void* kernel,
                       const X& x) { detail::check_domain(*static_cast<const K*>(kernel), x); },
    .describe = [](const void* kernel) { return detail::describe(*static_cast<const K*>(kernel)); },
    .loses_offset = loses_offset<K, X>,
    .precomputed = std::same_as<K, Precomputed>};

/// The view of the kernel that \p kernel holds.
/// Throws InvalidArgument if that kernel has no values for samples of the form X.
template <OwnedSamples X, HoldsKernel K>
[[nodiscard]] KernelView<X> view_of_held(const K& kernel);

}  // namespace detail

/// A kernel behind function pointers. A block of values takes one indirect call, whose cost is
/// negligible. Precomputed values have such a view too: row i of their "samples" holds the values
/// k(x_i, .).
/// The view of a kernel that holds another one is that of the kernel it holds.
/// Throws InvalidArgument if a kernel that was chosen at run time has no values for such samples.
/// Lifetime: refers to the kernel, which must outlive it. Copies refer to the same kernel.
template <OwnedSamples X>
class KernelView {
 public:
  using Scalar = typename X::Scalar;

  template <class K>
    requires(!std::same_as<K, KernelView> && KernelOrPrecomputed<K> && evaluates_on<K, X>)
  KernelView(const K& kernel) {  // NOLINT: implicit, as a reference would bind
    if constexpr (HoldsKernel<K>) {
      *this = detail::view_of_held<X>(kernel);
    } else {
      kernel_ = &kernel;
      table_ = &detail::kernel_table<K, X>;
    }
  }

  /// out = k(x_i, y_j) for i in \p rows and j in \p cols. For blocks of about tile_size.
  void fill(const X& x, detail::Range rows, const X& y, detail::Range cols,
            GramOut<Scalar> out) const {
    table_->fill(kernel_, x, rows, y, cols, out);
  }

  /// The same from samples in single precision; see to_single().
  void fill_single(const SamplesIn<float, X>& x, detail::Range rows, const SamplesIn<float, X>& y,
                   detail::Range cols, GramOut<float> out) const {
    MERCER_ASSERT(has_single());
    table_->fill_single(kernel_, x, rows, y, cols, out);
  }
  [[nodiscard]] bool has_single() const { return table_->fill_single != nullptr; }

  /// The same from samples in double precision.
  void fill_double(const SamplesIn<double, X>& x, detail::Range rows, const SamplesIn<double, X>& y,
                   detail::Range cols, GramOut<double> out) const {
    MERCER_ASSERT(has_double());
    table_->fill_double(kernel_, x, rows, y, cols, out);
  }
  [[nodiscard]] bool has_double() const { return table_->fill_double != nullptr; }

  /// Samples in single precision. Only differences of samples that were converted together are
  /// meaningful.
  [[nodiscard]] SamplesIn<float, X> to_single(const X& x) const {
    return detail::to_single(x, table_->loses_offset);
  }

  /// |x_i|^2 of the samples that to_single() rounds.
  [[nodiscard]] Vector<double> rounded_sizes(const X& x) const {
    return detail::rounded_sizes(x, table_->loses_offset);
  }

  /// k(x_i, x_i) for every row.
  [[nodiscard]] Vector<Scalar> diagonal(const X& x) const { return table_->diagonal(kernel_, x); }

  /// Throws InvalidArgument for samples outside the kernel's domain.
  void check_domain(const X& x) const { table_->check_domain(kernel_, x); }

  [[nodiscard]] std::string describe() const { return table_->describe(kernel_); }

  /// Whether the kernel is Precomputed. Then there are values, but no samples from which to
  /// evaluate others.
  [[nodiscard]] bool is_precomputed() const { return table_->precomputed; }

 private:
  const void* kernel_ = nullptr;
  const detail::KernelTable<X>* table_ = nullptr;
};

namespace detail {

template <OwnedSamples X, HoldsKernel K>
KernelView<X> view_of_held(const K& kernel) {
  return kernel.with_kernel([](const auto& held) -> KernelView<X> {
    if constexpr (evaluates_on<std::decay_t<decltype(held)>, X>)
      return held;
    else
      fail("mercer: the kernel ", describe(held), " takes no ",
           SparseSamples<X> ? "sparse samples; give it dense ones" : "samples of this scalar");
  });
}

/// The values k(x_i, y_j) for i in \p rows and every row of y, on the calling thread.
template <OwnedSamples X>
[[nodiscard]] Matrix<typename X::Scalar> kernel_rows(const KernelView<X>& kernel, const X& x,
                                                     Range rows, const X& y) {
  Matrix<typename X::Scalar> out(rows.size, y.rows());
  for (Index j = 0; j < tile_count(y.rows()); ++j) {
    const Range cols = Range::tile(j, y.rows());
    kernel.fill(x, rows, y, cols, out.middleCols(cols.begin, cols.size));
  }
  return out;
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_KERNELS_KERNEL_VIEW_HPP
