// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Derivatives of smooth kernels by the squared distance, or by the inner product, of two samples.

#ifndef MERCER_KERNELS_SLOPE_HPP
#define MERCER_KERNELS_SLOPE_HPP

#include <concepts>

#include <mercer/core/errors.hpp>
#include <mercer/core/rows/row_blocks.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/blocks.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/kernels/squared_distances.hpp>

namespace mercer {

namespace detail {

/// f'(d) = -c g(d) for k = f(d), d the scaled squared distance; g is the kernel's slope. This is c.
[[nodiscard]] inline double slope_factor(const Gaussian&) {
  return 0.5;
}
[[nodiscard]] inline double slope_factor(const RationalQuadratic&) {
  return 0.5;
}
/// M_nu'(t) = -t / (2 (nu - 1)) M_(nu-1)(t) for the Matern function M of t = d^(1/2).
/// Source: NIST Digital Library of Mathematical Functions, 10.29.4.
/// Throws InvalidArgument for nu <= 1, where there is no derivative at a sample itself.
[[nodiscard]] inline double slope_factor(const Matern& kernel) {
  const double nu = kernel.params().nu;
  if (!(nu > 1)) fail("mercer: the kernel matern has gradients for nu > 1, got ", nu);
  return 0.25 / (nu - 1);
}

/// t <- f'(t) for k = f(t), t the inner product.
template <Real S>
void inner_slope(const Linear&, Values<S> t) {
  t.setOnes();
}
template <Real S>
void inner_slope(const Polynomial& kernel, Values<S> t) {
  const auto& [gamma, coef0, degree] = kernel.params();
  t = parameter<S>(gamma) * t + parameter<S>(coef0);
  if (degree == 1)
    t.setOnes();
  else
    Polynomial::raise<S>(t, degree - 1);
  t *= parameter<S>(gamma) * static_cast<S>(degree);
}
template <Real S>
void inner_slope(const Sigmoid& kernel, Values<S> t) {
  kernel.from_inner_products<S>(t);
  t = parameter<S>(kernel.params().gamma) * (S(1) - t.square());
}
template <Real S>
void inner_slope(const ExponentialDot& kernel, Values<S> t) {
  kernel.from_inner_products<S>(t);
  t *= parameter<S>(kernel.gamma());
}
template <Real S>
void inner_slope(const InverseDot& kernel, Values<S> t) {
  kernel.from_inner_products<S>(t);
  t = parameter<S>(kernel.gamma()) * t.square();
}

}  // namespace detail

/// Kernels of the distance with a slope: Gaussian, RationalQuadratic and Matern.
template <class K>
concept HasDistanceSlope = requires(const K& k) {
  { detail::slope_factor(k) } -> std::same_as<double>;
};

/// Kernels of the inner product with a slope: Linear, Polynomial, Sigmoid, ExponentialDot and
/// InverseDot.
template <class K>
concept HasInnerSlope = requires(const K& k, detail::Values<double> t) {
  detail::inner_slope<double>(k, t);
};

/// Kernels whose gradients have a closed form.
template <class K>
concept HasSlope = HasDistanceSlope<K> || HasInnerSlope<K>;

/// The derivative of k(x_i, y_j) by |x_i - y_j|^2, or by x_i . y_j, in out(i, j).
/// Cost: as the kernel values.
/// Threads: over blocks of rows; the result has the same bits for any number of threads.
/// Throws InvalidArgument for Matern with nu <= 1.
template <HasSlope K, Real S>
void slope(const K& kernel, const Matrix<S>& x, const Matrix<S>& y, GramOut<S> out) {
  if (out.size() == 0) return;
  detail::for_row_blocks(x.rows(), [&](Index, Index first, Index size) {
    const Points<S> some = detail::rows_of(x, {first, size});
    GramOut<S> values = out.middleRows(first, size);
    if constexpr (HasDistanceSlope<K>) {
      const double scale = kernel.inverse_length();
      const S factor = detail::parameter<S>(-detail::slope_factor(kernel) * scale * scale);
      detail::BlockDistances<Points<S>>::squared(some, y, scale, values);
      for (Index j = 0; j < values.cols(); ++j) {
        detail::Values<S> column = detail::column_values<S>(values, j);
        kernel.template slope_from_squared_distances<S>(column);
        column *= factor;
      }
    } else {
      detail::inner_products(some, y, values);
      for (Index j = 0; j < values.cols(); ++j)
        detail::inner_slope<S>(kernel, detail::column_values<S>(values, j));
    }
  });
}

}  // namespace mercer

#endif  // MERCER_KERNELS_SLOPE_HPP
