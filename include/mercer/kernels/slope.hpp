// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Derivatives of smooth kernels by the squared distance, or by the inner product, of two samples.

#ifndef MERCER_KERNELS_SLOPE_HPP
#define MERCER_KERNELS_SLOPE_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

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

namespace detail {

/// The constant in the derivative by |x - y|^2, -c scale^2 = factor * 2^exponent. The square may be
/// far outside the range of numbers where the derivative by a sample, which has one scale less, is
/// within it. So the exponent is what the middle half of that range does not hold, mostly 0.
template <Real S>
struct SlopeConstant {
  template <HasDistanceSlope K>
  explicit SlopeConstant(const K& kernel) {
    int half = 0;
    const double mantissa = std::frexp(kernel.inverse_length(), &half);
    constexpr int most = std::numeric_limits<S>::max_exponent / 2;
    const int kept = std::clamp(2 * half, -most, most);
    factor = static_cast<S>(std::ldexp(-slope_factor(kernel) * mantissa * mantissa, kept));
    exponent = 2 * half - kept;
  }

  S factor;
  int exponent;
};

/// values <- 2^exponent values.
template <class Derived>
void multiply_by_power(Eigen::DenseBase<Derived>& values, int exponent) {
  if (exponent == 0) return;
  using S = typename Derived::Scalar;
  values = values.derived().unaryExpr([exponent](S value) { return std::ldexp(value, exponent); });
}

/// slope() up to the power of two that it returns.
template <HasSlope K, Real S>
int scaled_slope(const K& kernel, const Matrix<S>& x, const Matrix<S>& y, GramOut<S> out) {
  if (out.size() == 0) return 0;
  if constexpr (HasDistanceSlope<K>) {
    const SlopeConstant<S> constant(kernel);
    for_row_blocks(x.rows(), [&](Index, Index first, Index size) {
      GramOut<S> values = out.middleRows(first, size);
      BlockDistances<Points<S>>::squared(rows_of(x, {first, size}), y, kernel.inverse_length(),
                                         values);
      for (Index j = 0; j < values.cols(); ++j) {
        Values<S> column = column_values<S>(values, j);
        kernel.template slope_from_squared_distances<S>(column);
        column *= constant.factor;
      }
    });
    return constant.exponent;
  } else {
    for_row_blocks(x.rows(), [&](Index, Index first, Index size) {
      const Points<S> some = rows_of(x, {first, size});
      GramOut<S> values = out.middleRows(first, size);
      inner_products(some, y, values);
      for (Index j = 0; j < values.cols(); ++j) inner_slope<S>(kernel, column_values<S>(values, j));
    });
    return 0;
  }
}

}  // namespace detail

/// The derivative of k(x_i, y_j) by |x_i - y_j|^2, or by x_i . y_j, in out(i, j).
/// Cost: as the kernel values.
/// Threads: over blocks of rows; the result has the same bits for any number of threads.
/// Throws InvalidArgument for Matern with nu <= 1.
template <HasSlope K, Real S>
void slope(const K& kernel, const Matrix<S>& x, const Matrix<S>& y, GramOut<S> out) {
  const int exponent = detail::scaled_slope<K, S>(kernel, x, y, out);
  detail::multiply_by_power(out, exponent);
}

}  // namespace mercer

#endif  // MERCER_KERNELS_SLOPE_HPP
