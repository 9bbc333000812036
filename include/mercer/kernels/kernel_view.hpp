// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Any kernel behind one type, so that what evaluates blocks of it is compiled once for all of
/// them.

#ifndef MERCER_KERNELS_KERNEL_VIEW_HPP
#define MERCER_KERNELS_KERNEL_VIEW_HPP

#include <concepts>
#include <string>

#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

/// A kernel seen through function pointers: one indirect call per block of values, which costs
/// nothing beside the block.
/// Lifetime: refers to the kernel, which must outlive it. Copies refer to the same kernel.
template <OwnedSamples X>
class KernelView {
 public:
  using Scalar = typename X::Scalar;

  template <class K>
    requires(!std::same_as<K, KernelView> && Kernel<K> && evaluates<K, X>)
  KernelView(const K& kernel)  // NOLINT: implicit, as a reference would bind
      : kernel_(&kernel),
        fill_(&fill_for<K>),
        diagonal_(&diagonal_for<K>),
        check_domain_(&check_domain_for<K>),
        describe_(&describe_for<K>) {}

  /// out = k(x_i, y_j) for i in \p rows, j in \p cols. For blocks of tile_size or so.
  void fill(const X& x, detail::Range rows, const X& y, detail::Range cols,
            GramOut<Scalar> out) const {
    fill_(kernel_, x, rows, y, cols, out);
  }

  /// k(x_i, x_i) for every row.
  [[nodiscard]] Vector<Scalar> diagonal(const X& x) const { return diagonal_(kernel_, x); }

  /// Throws InvalidArgument for samples outside the kernel's domain.
  void check_domain(const X& x) const { check_domain_(kernel_, x); }

  [[nodiscard]] std::string describe() const { return describe_(kernel_); }

 private:
  template <class K>
  static void fill_for(const void* kernel, const X& x, detail::Range rows, const X& y,
                       detail::Range cols, GramOut<Scalar>& out) {
    detail::fill_tile(*static_cast<const K*>(kernel), x, rows, y, cols, out);
  }
  template <class K>
  static Vector<Scalar> diagonal_for(const void* kernel, const X& x) {
    return mercer::diagonal(*static_cast<const K*>(kernel), x);
  }
  template <class K>
  static void check_domain_for(const void* kernel, const X& x) {
    detail::check_domain(*static_cast<const K*>(kernel), x);
  }
  template <class K>
  static std::string describe_for(const void* kernel) {
    return detail::describe(*static_cast<const K*>(kernel));
  }

  const void* kernel_;
  void (*fill_)(const void*, const X&, detail::Range, const X&, detail::Range, GramOut<Scalar>&);
  Vector<Scalar> (*diagonal_)(const void*, const X&);
  void (*check_domain_)(const void*, const X&);
  std::string (*describe_)(const void*);
};

namespace detail {

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
