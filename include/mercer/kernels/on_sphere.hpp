// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernels on the sphere: samples are divided by their norms first.

#ifndef MERCER_KERNELS_ON_SPHERE_HPP
#define MERCER_KERNELS_ON_SPHERE_HPP

#include <algorithm>
#include <string>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

/// k(x, y) = a(x / |x|, y / |y|): the kernel a between the directions of samples. If a does not
/// change when both samples are turned, k is a zonal kernel, a function of the angle alone. Accepts
/// the samples that a accepts.
///
/// \code
///   KernelPca pca{OnSphere{Gaussian{0.5}}, Auto{}, {.components = 10}};
/// \endcode
/// Cost: that of a, and O(d) for each sample of a tile.
/// Throws InvalidArgument, where samples are checked, for a sample of zeros: it has no direction.
template <Kernel A>
class OnSphere {
 public:
  explicit OnSphere(A kernel) : kernel_(std::move(kernel)) {}

  [[nodiscard]] const A& kernel() const { return kernel_; }

  template <class X, Real S = typename X::Scalar>
    requires evaluates<A, OwnedSamplesOf<X>>
  void gram(const X& x, const X& y, GramOut<typename X::Scalar> out) const {
    kernel_.gram(unit(x), unit(y), out);
  }

  template <class X, Real S = typename X::Scalar>
  void diagonal(const X& x, Eigen::Ref<Vector<typename X::Scalar>> out) const {
    for_tiles(x, [&](detail::Range rows, const OwnedSamplesOf<X>& directions) {
      out.segment(rows.begin, rows.size) = mercer::diagonal(kernel_, directions);
    });
  }

  /// That of one direction: k(x, x) is the same for all.
  template <class X>
  [[nodiscard]] double growth(const X& x) const {
    return mercer::growth(kernel_, unit(detail::rows_of(x, {0, (std::min)(Index{1}, x.rows())})));
  }

  template <class X>
  void check_domain(const X& x) const {
    const auto norms = detail::row_norms(x);
    for (Index i = 0; i < norms.size(); ++i)
      if (!(norms(i) > 0))
        detail::fail("mercer::OnSphere: a sample of zeros has no direction, got one at row ", i,
                     " (counted from 0)");
    if constexpr (HasDomain<A, OwnedSamplesOf<X>>) {
      try {
        for_tiles(x, [&](detail::Range, const OwnedSamplesOf<X>& directions) {
          kernel_.check_domain(directions);
        });
      } catch (const InvalidArgument&) {
        kernel_.check_domain(unit(x));  // its message counts rows among all samples
        throw;
      }
    }
  }

  [[nodiscard]] std::string describe() const {
    return "on-sphere(" + detail::describe(kernel_) + ")";
  }

 private:
  template <class X>
  [[nodiscard]] static OwnedSamplesOf<X> unit(const X& x) {
    return detail::unit_rows(x, detail::row_norms(x));
  }

  /// Calls task(rows, directions) for tiles of samples, so that the directions of all of them are
  /// never held at once.
  template <class X, class Task>
  static void for_tiles(const X& x, const Task& task) {
    parallel_for(detail::tile_count(x.rows()), [&](Index tile) {
      const auto rows = detail::Range::tile(tile, x.rows());
      task(rows, unit(detail::rows_of(x, rows)));
    });
  }

  A kernel_;
};

}  // namespace mercer

#endif  // MERCER_KERNELS_ON_SPHERE_HPP
