// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The homogeneous kernel map: deterministic features of additive kernels.

#ifndef MERCER_FEATURES_HOMOGENEOUS_KERNEL_MAP_HPP
#define MERCER_FEATURES_HOMOGENEOUS_KERNEL_MAP_HPP

#include <cmath>
#include <cstdint>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/homogeneous_kernels.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

/// The homogeneous kernel map of one kernel. The settings are explained at HomogeneousKernelMap.
/// Models BoundFeatureMap; all blocks are the same.
template <Real S>
class BoundHomogeneousKernelMap {
 public:
  using Scalar = S;
  struct Block {};
  static constexpr bool deterministic = true;

  BoundHomogeneousKernelMap(const HomogeneousSpectrum& spectrum, Index orders, double step,
                            Index dimension)
      : factors_(orders + 1), step_(step), dimension_(dimension) {
    for (Index j = 0; j <= orders; ++j) {
      const double mass = step * spectrum.density(static_cast<double>(j) * step);
      factors_(j) = static_cast<S>(std::sqrt(j == 0 ? mass : 2 * mass));
    }
  }

  [[nodiscard]] Index columns() const { return (2 * factors_.size() - 1) * dimension_; }
  [[nodiscard]] Index dimension() const { return dimension_; }

  void draw(std::uint64_t, Block&) const {}

  /// The first d columns are of order 0. Then each order has d columns of cosines and d columns of
  /// sines.
  /// Cost: n d orders sines and cosines.
  void evaluate(const Block&, const Points<S>& x, GramOut<S> out) const {
    MERCER_ASSERT(out.rows() == x.rows() && out.cols() == columns() && x.cols() == dimension_);
    detail::for_coordinates(x.rows(), dimension_, [&](detail::Range rows, Index c) {
      const auto column = [&](Index part) {
        return out.col(part * dimension_ + c).segment(rows.begin, rows.size);
      };
      const detail::HomogeneousCoordinate<S> values(x.col(c).segment(rows.begin, rows.size));
      column(0) = factors_(0) * values.roots();
      for (Index j = 1; j < factors_.size(); ++j)
        values.features(static_cast<S>(static_cast<double>(j) * step_), factors_(j),
                        column(2 * j - 1), column(2 * j));
    });
  }

 private:
  Vector<S> factors_;  // one for each order
  double step_;
  Index dimension_;
};

/// Features of an additive kernel at fixed frequencies 0, L, ..., q L of its spectrum, where
/// AdditiveFeatures draw them at random. Each coordinate has 2 q + 1 features: (L kap(0) x)^(1/2),
/// and for each j = 1, ..., q, (2 L kap(j L) x)^(1/2) times the cosine and the sine of j L log x,
/// where kap is the density of the spectrum. For AdditiveChiSquare and Intersection. Samples must
/// be in their domain, x >= 0.
///
/// Accuracy: there are two sources of error. As a function of log(x_j / y_j), Z Z^T is periodic
///   with period 2 pi / L, and frequencies beyond q L are left out. The largest error for
///   AdditiveChiSquare and one coordinate in [0, 1] is 0.06 for q = 1, L = 0.8; 0.007 for q = 3, L
///   = 0.5; 1.2e-4 for q = 10, L = 0.3; 1e-12 for q = 100, L = 0.1. For Intersection, whose
///   spectrum has a heavy tail, it is 0.1 for q = 10, L = 0.3; there AdditiveFeatures are better.
/// Source: Vedaldi, Zisserman, Efficient additive kernels via explicit feature maps, 2012, eq. (9).
struct HomogeneousKernelMap {
  /// Far more than any spectrum needs, and small enough that the number of columns cannot overflow.
  static constexpr Index most_orders = 65536;

  Index orders = 3;   ///< q, from 0 to most_orders
  double step = 0.5;  ///< L, > 0

  template <class K>
  static constexpr bool maps = HasHomogeneousSpectrum<K>;
  /// False: it leaves out a part of the spectrum.
  [[nodiscard]] static constexpr bool unbiased() { return false; }

  [[nodiscard]] std::string describe() const {
    return "homogeneous-kernel-map(orders=" + detail::to_text(orders) +
           ", step=" + detail::to_text(step) + ")";
  }

  /// Throws InvalidArgument if a setting is out of range.
  template <Real S, class K>
  [[nodiscard]] BoundHomogeneousKernelMap<S> bind(const K& kernel, const SampleBounds& bounds,
                                                  std::uint64_t) const {
    static_assert(maps<K>,
                  "mercer::HomogeneousKernelMap: the kernel must be AdditiveChiSquare or "
                  "Intersection, or have a function homogeneous_spectrum(kernel)");
    detail::require_bounds("HomogeneousKernelMap", bounds);
    detail::require_at_least("HomogeneousKernelMap", "orders", orders, Index{0});
    if (orders > most_orders)
      detail::fail("mercer::HomogeneousKernelMap: orders must be at most ", most_orders, ", got ",
                   orders);
    detail::require_positive("HomogeneousKernelMap", "step", step);
    return {homogeneous_spectrum(kernel), orders, step, bounds.dimension};
  }
};

}  // namespace mercer

#endif  // MERCER_FEATURES_HOMOGENEOUS_KERNEL_MAP_HPP
