// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The objective of the fixed-point pre-image, with its gradient, for radial and polynomial
/// kernels.

#ifndef MERCER_MODELS_PREIMAGE_PREIMAGE_OBJECTIVE_HPP
#define MERCER_MODELS_PREIMAGE_PREIMAGE_OBJECTIVE_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <utility>

#include <mercer/core/types.hpp>
#include <mercer/kernels/blocks.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/kernels/squared_distances.hpp>

namespace mercer {

/// Radial kernels k = f(|x - y|^2 / l^2) that provide -f' up to a positive factor.
template <class K, class S>
concept HasRadialSlope = requires(const K& kernel, detail::Values<S> values) {
  { kernel.inverse_length() } -> std::convertible_to<double>;
  kernel.from_squared_distances(values);
  kernel.slope_from_squared_distances(values);
};

/// Kernels whose pre-images solve polynomial equations.
template <class K>
concept PolynomialKernel = std::same_as<K, Polynomial> || std::same_as<K, Linear>;

namespace detail {

/// Radial kernels. The gradient of rho is sum_i c_i (z - x_i) with c_i = -g_i f', up to a factor.
template <class K>
class RadialForm {
 public:
  /// The objective does not change if z and all samples are translated together.
  static constexpr bool translation_invariant = true;

  explicit RadialForm(const K& kernel) : kernel_(kernel) {}

  /// The length scale against which steps are measured.
  [[nodiscard]] double length() const { return 1 / kernel_.inverse_length(); }

  /// A bound on sum_i |c_i|, given sum_i |g_i|, up to a small factor. It ignores slopes near a
  /// singularity at 0 (Matern with nu <= 1).
  template <Real S>
  [[nodiscard]] S weight_bound(S coefficients) const {
    S slope = 1;
    kernel_.slope_from_squared_distances(Values<S>(&slope, 1));
    return slope * coefficients;
  }

  template <class Block, class X, Real S = typename X::Scalar>
  void arguments(const Block& x, const X& z, GramOut<typename X::Scalar> out) const {
    BlockDistances<Block>::squared(x, z, kernel_.inverse_length(), out);
  }

  /// Both parameters hold arguments on entry. On exit, the first holds values of the kernel, and
  /// the second holds slopes.
  template <Real S>
  void apply(Values<S> values, Values<S> slopes) const {
    kernel_.from_squared_distances(values);
    kernel_.slope_from_squared_distances(slopes);
  }

  template <Real S>
  [[nodiscard]] S self_value(S) const {
    return 1;
  }
  /// The factor of z in the gradient.
  template <Real S>
  [[nodiscard]] S weight(S /*squared_norm*/, S sum_of_weights) const {
    return sum_of_weights;
  }

 private:
  const K& kernel_;
};

/// Polynomial kernels (gamma x . y + c0)^p. The gradient of rho is (gamma |z|^2 + c0)^(p-1)
/// z - sum_i c_i x_i with c_i = g_i (gamma z . x_i + c0)^(p-1), up to a factor. The linear kernel
/// is the case p = 1.
class PolynomialForm {
 public:
  static constexpr bool translation_invariant = false;

  explicit PolynomialForm(const Polynomial& kernel) : params_(kernel.params()) {}
  explicit PolynomialForm(const Linear&) : params_{.gamma = 1, .coef0 = 0, .degree = 1} {}

  /// Where one step is exact, points have no length of their own: only no residual is small.
  [[nodiscard]] double length() const { return closed_form() ? 0 : 1 / std::sqrt(params_.gamma); }

  template <Real S>
  [[nodiscard]] S weight_bound(S /*coefficients*/) const {
    return std::numeric_limits<S>::infinity();
  }

  template <class Block, class X>
  void arguments(const Block& x, const X& z, GramOut<typename X::Scalar> out) const {
    inner_products(x, z, out);
  }

  template <Real S>
  void apply(Values<S> values, Values<S> slopes) const {
    values = static_cast<S>(params_.gamma) * values + static_cast<S>(params_.coef0);
    slopes = values;
    Polynomial::raise(slopes, params_.degree - 1);
    values *= slopes;
  }

  template <Real S>
  [[nodiscard]] S self_value(S squared_norm) const {
    return std::pow(base(squared_norm), static_cast<S>(params_.degree));
  }
  template <Real S>
  [[nodiscard]] S weight(S squared_norm, S /*sum_of_weights*/) const {
    return std::pow(base(squared_norm), static_cast<S>(params_.degree - 1));
  }

  /// Whether rho is quadratic, so that one step from any point is exact.
  [[nodiscard]] bool closed_form() const { return params_.degree == 1; }

 private:
  template <Real S>
  [[nodiscard]] S base(S squared_norm) const {
    return static_cast<S>(params_.gamma) * squared_norm + static_cast<S>(params_.coef0);
  }

  Polynomial::Params params_;
};

template <class K>
[[nodiscard]] RadialForm<K> preimage_form(const K& kernel) {
  return RadialForm<K>(kernel);
}
template <PolynomialKernel K>
[[nodiscard]] PolynomialForm preimage_form(const K& kernel) {
  return PolynomialForm(kernel);
}

/// A point, with the values of the objective there.
template <Real S>
struct PreimageIterate {
  Vector<S> z;
  Vector<S> residual;  ///< weight z - sum_i c_i x_i, the gradient of rho up to a positive factor
  S rho = std::numeric_limits<S>::infinity();  ///< without the constant |P phi|^2
  S weight = 0;     ///< the fixed-point step is -residual / weight; downhill if weight > 0
  S magnitude = 0;  ///< sum_i |c_i|
  S bound = 0;      ///< approximate upper bound of magnitude where slopes are not singular
  S noise = 0;      ///< bound on the rounding error of rho

  /// Whether a fixed-point step is possible. A weight counts as zero if nothing but cancellation
  /// error is left.
  [[nodiscard]] bool has_step() const {
    return residual.allFinite() && std::isfinite(rho) && weight > S(1e-12) * magnitude;
  }
  /// Whether the remaining step is small. Far from all samples the weights are tiny, so the norms
  /// and the quotient are computed without underflow.
  [[nodiscard]] bool stationary(S tolerance, S length) const {
    const S scale = (std::min)(std::abs(weight), bound);
    return scale > 0 && residual.stableNorm() / scale <= tolerance * (length + z.stableNorm());
  }
};

/// rho(z) = k(z, z) - 2 sum_i g_i k(z, x_i) and its gradient, for a block of points at a time. For
/// radial kernels and dense samples, coordinates are relative to the mean of the samples. So a
/// common offset of all samples costs no accuracy.
/// Memory: a copy of the samples.
template <Kernel K, OwnedSamples X>
class PreimageObjective {
 public:
  using Scalar = typename X::Scalar;
  using Form = decltype(preimage_form(std::declval<const K&>()));

  PreimageObjective(const K& kernel, const X& samples)
      : form_(preimage_form(kernel)),
        samples_(moves ? moved_ : samples),
        origin_(Vector<Scalar>::Zero(samples.cols())),
        length_(static_cast<Scalar>(form_.length())) {
    if constexpr (moves) {
      origin_ = samples.colwise().mean().transpose();
      moved_ = samples.rowwise() - origin_.transpose();
    }
  }
  PreimageObjective(const PreimageObjective&) = delete;
  PreimageObjective& operator=(const PreimageObjective&) = delete;

  [[nodiscard]] const Form& form() const { return form_; }
  [[nodiscard]] const Vector<Scalar>& origin() const { return origin_; }
  [[nodiscard]] Scalar length() const { return length_; }

  /// Computes the members of each iterate from its z. Column j of \p g holds the coefficients of
  /// iterate j.
  /// Cost: O(n b d).
  template <class Iterates>
  void evaluate(const Eigen::Ref<const Matrix<Scalar>>& g, Iterates& iterates) const {
    const Index b = g.cols(), n = samples_.rows(), d = samples_.cols();
    Matrix<Scalar> rows(b, d);
    for (Index j = 0; j < b; ++j) rows.row(j) = iterates(j).z.transpose();
    const X points = to_owned<X>(rows);
    Matrix<Scalar> sums = Matrix<Scalar>::Zero(d, b);
    Eigen::Array<Scalar, 4, Eigen::Dynamic> totals(4, b);
    totals.setZero();
    Matrix<Scalar> values(tile_size, b), slopes(tile_size, b);
    for (Index tile = 0; tile < tile_count(n); ++tile) {
      const Range range = Range::tile(tile, n);
      values.resize(range.size, b);
      form_.arguments(rows_of(samples_, range), points, values);
      slopes = values;
      for (Index j = 0; j < b; ++j)
        form_.apply(Values<Scalar>(values.col(j).data(), range.size),
                    Values<Scalar>(slopes.col(j).data(), range.size));
      const auto part = g.middleRows(range.begin, range.size);
      values.array() *= part.array();
      slopes.array() *= part.array();
      sums.noalias() += rows_of(samples_, range).transpose() * slopes;
      totals.row(0) += values.colwise().sum().array();
      totals.row(1) += values.cwiseAbs().colwise().sum().array();
      totals.row(2) += slopes.colwise().sum().array();
      totals.row(3) += slopes.cwiseAbs().colwise().sum().array();
    }
    for (Index j = 0; j < b; ++j) {
      PreimageIterate<Scalar>& at = iterates(j);
      const Scalar square = at.z.squaredNorm(), self = form_.self_value(square);
      at.weight = form_.weight(square, totals(2, j));
      at.residual = at.weight * at.z - sums.col(j);
      at.rho = self - Scalar(2) * totals(0, j);
      at.magnitude = totals(3, j);
      at.bound = form_.weight_bound(g.col(j).template lpNorm<1>());
      at.noise = Scalar(64) * std::numeric_limits<Scalar>::epsilon() *
                 (std::abs(self) + Scalar(2) * totals(1, j));
    }
  }

 private:
  static constexpr bool moves = Form::translation_invariant && DenseSamples<X>;

  Form form_;
  X moved_;
  const X& samples_;
  Vector<Scalar> origin_;
  Scalar length_;
};

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_MODELS_PREIMAGE_PREIMAGE_OBJECTIVE_HPP
