// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Gradients of kernels by one of their samples, in sums over the other.

#ifndef MERCER_KERNELS_GRADIENTS_HPP
#define MERCER_KERNELS_GRADIENTS_HPP

#include <cmath>
#include <concepts>
#include <numbers>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/blocks.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/slope.hpp>

namespace mercer {

namespace detail {

/// Gradients of kernels with a slope. With k = f of the squared distance, grad k(x, p) = 2 f' (x -
/// p); with k = f of the inner product, f' p.
/// Lifetime: refers to the samples and the points.
template <HasSlope K, Real S>
class SlopeGradients {
 public:
  SlopeGradients(const K& kernel, const Matrix<S>& x, const Matrix<S>& points)
      : x_(x), points_(points), slopes_(x.rows(), points.rows()) {
    slope<K, S>(kernel, x, points, slopes_);
  }

  /// sum_j w_j grad k(x_i, p_j) in row i.
  [[nodiscard]] Matrix<S> sum(const Eigen::Ref<const Vector<S>>& weights) const {
    const Matrix<S> weighted = slopes_ * weights.asDiagonal();
    Matrix<S> out(x_.rows(), x_.cols());
    out.noalias() = weighted * points_;
    if constexpr (HasDistanceSlope<K>) {
      // Not within the next expression, which would sum each row again for each column.
      const Vector<S> sums = weighted.rowwise().sum();
      out = S(2) * (sums.asDiagonal() * x_ - out);
    }
    return out;
  }

 private:
  const Matrix<S>&x_, &points_;
  Matrix<S> slopes_;
};

/// Those of Cauchy: dk(x, p) / dx_v = -2 gamma^2 u / (1 + gamma^2 u^2) k(x, p), u = x_v - p_v.
/// Lifetime: refers to the samples and the points.
template <Real S>
class CauchyGradients {
 public:
  CauchyGradients(const Cauchy& kernel, const Matrix<S>& x, const Matrix<S>& points)
      : gamma_(parameter<S>(kernel.gamma())),
        x_(x),
        points_(points),
        values_(x.rows(), points.rows()) {
    kernel.gram(Points<S>(x), Points<S>(points), values_);
  }

  /// As SlopeGradients::sum().
  [[nodiscard]] Matrix<S> sum(const Eigen::Ref<const Vector<S>>& weights) const {
    Matrix<S> out = Matrix<S>::Zero(x_.rows(), x_.cols());
    Eigen::Array<S, Eigen::Dynamic, 1> u(x_.rows());
    for (Index v = 0; v < x_.cols(); ++v)
      for (Index j = 0; j < points_.rows(); ++j) {
        u = gamma_ * (x_.col(v).array() - points_(j, v));
        // u / (1 + u^2), where u^2 may be too large.
        u = (u.abs() > S(1)).select((u + u.inverse()).inverse(), u / (S(1) + u.square()));
        out.col(v).array() -= 2 * gamma_ * weights(j) * values_.col(j).array() * u;
      }
    return out;
  }

 private:
  S gamma_;
  const Matrix<S>&x_, &points_;
  Matrix<S> values_;
};

/// Those of kernels of the angle theta: grad k(x, p) = a x / |x| + b p / |p|.
template <Real S>
class AngularGradients {
 public:
  /// b = 1 / |x|, a = -b cos theta.
  AngularGradients(const Cosine&, const Matrix<S>& x, const Matrix<S>& points)
      : AngularGradients(x, points) {
    along_point_ = x_norms_.cwiseInverse().replicate(1, points.rows());
    along_sample_ = -along_sample_.cwiseProduct(along_point_).eval();
  }

  /// Order 1: a = |p| sin theta / pi, b = |p| (pi - theta) / pi.
  /// Order 2: a = 2 |x| |p|^2 (sin theta cos theta + pi - theta) / pi,
  ///          b = 4 |x| |p|^2 (sin theta + (pi - theta) cos theta) / pi.
  /// Where x = 0, theta counts as pi / 2: for order 1, which has no gradient there, this is the
  /// mean of the gradients around it.
  /// Throws InvalidArgument for order 0, which has no gradient at a sample itself.
  AngularGradients(const ArcCosine& kernel, const Matrix<S>& x, const Matrix<S>& points)
      : AngularGradients(x, points) {
    constexpr S pi = std::numbers::pi_v<S>;
    for (Index j = 0; j < points.rows(); ++j)
      for (Index i = 0; i < x.rows(); ++i) {
        const S theta = angle(x_unit_.row(i), p_unit_.row(j), along_sample_(i, j));
        const S sine = std::sin(theta), cosine = std::cos(theta);
        if (kernel.order() == 1) {
          along_sample_(i, j) = p_norms_(j) * sine / pi;
          along_point_(i, j) = p_norms_(j) * (pi - theta) / pi;
        } else {
          const S scale = 2 * x_norms_(i) * p_norms_(j) * p_norms_(j) / pi;
          along_sample_(i, j) = scale * (sine * cosine + pi - theta);
          along_point_(i, j) = 2 * scale * (sine + (pi - theta) * cosine);
        }
      }
  }

  /// As SlopeGradients::sum().
  [[nodiscard]] Matrix<S> sum(const Eigen::Ref<const Vector<S>>& weights) const {
    const Vector<S> along_sample = along_sample_ * weights;
    const Matrix<S> weighted = along_point_ * weights.asDiagonal();
    Matrix<S> out = along_sample.asDiagonal() * x_unit_;
    out.noalias() += weighted * p_unit_;
    return out;
  }

 private:
  /// Leaves the cosines in along_sample_.
  AngularGradients(const Matrix<S>& x, const Matrix<S>& points)
      : x_norms_(row_norms(x)),
        p_norms_(row_norms(points)),
        x_unit_(unit_rows(x, x_norms_)),
        p_unit_(unit_rows(points, p_norms_)),
        along_sample_((x_unit_ * p_unit_.transpose()).cwiseMax(S(-1)).cwiseMin(S(1))),
        along_point_(x.rows(), points.rows()) {}

  Vector<S> x_norms_, p_norms_;
  Matrix<S> x_unit_, p_unit_;
  Matrix<S> along_sample_, along_point_;  ///< a and b for each sample (row) and point (column)
};

template <HasSlope K, Real S>
[[nodiscard]] SlopeGradients<K, S> gradients_at(const K& kernel, const Matrix<S>& x,
                                                const Matrix<S>& points) {
  return {kernel, x, points};
}
template <Real S>
[[nodiscard]] CauchyGradients<S> gradients_at(const Cauchy& kernel, const Matrix<S>& x,
                                              const Matrix<S>& points) {
  return {kernel, x, points};
}
template <class K, Real S>
  requires std::same_as<K, Cosine> || std::same_as<K, ArcCosine>
[[nodiscard]] AngularGradients<S> gradients_at(const K& kernel, const Matrix<S>& x,
                                               const Matrix<S>& points) {
  return {kernel, x, points};
}

/// Throws InvalidArgument if a kernel, whose like have gradients, has none: ArcCosine of order 0 at
/// points themselves, and Cosine at samples of zeros, where it is not continuous. (Matern is
/// refused with its slopes.)
template <class K, Real S>
void require_gradients(const K&, const Matrix<S>&) {}
template <Real S>
void require_gradients(const ArcCosine& kernel, const Matrix<S>&) {
  if (kernel.order() == 0)
    fail("mercer: the kernel ", kernel.describe(), " has no gradients; orders 1 and 2 have");
}
template <Real S>
void require_gradients(const Cosine& kernel, const Matrix<S>& x) {
  for (Index i = 0; i < x.rows(); ++i)
    if ((x.row(i).array() == S(0)).all())
      fail("mercer: the kernel ", kernel.describe(), " has no gradient at row ", i,
           " of the samples, which is 0");
}

}  // namespace detail

/// Kernels whose gradients have a closed form: those with a slope, Cauchy, Cosine and ArcCosine.
template <class K>
concept HasGradient = requires(const K& kernel, const Matrix<double>& x) {
  detail::gradients_at(kernel, x, x);
};

}  // namespace mercer

#endif  // MERCER_KERNELS_GRADIENTS_HPP
