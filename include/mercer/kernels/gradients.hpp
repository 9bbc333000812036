// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Gradients of kernels by one of their samples, in sums over the other.

#ifndef MERCER_KERNELS_GRADIENTS_HPP
#define MERCER_KERNELS_GRADIENTS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <numbers>
#include <type_traits>

#include <mercer/core/errors.hpp>
#include <mercer/core/rows/row_blocks.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/blocks.hpp>
#include <mercer/kernels/composite.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/on_sphere.hpp>
#include <mercer/kernels/slope.hpp>

namespace mercer {

namespace detail {

/// The gradients of a kernel by its first sample, at samples x (q x d) and points p (m x d). It is
/// made of (kernel, x, points), and may refer to the samples and the points. The member
/// `sum(weights)` returns sum_j weights_ij grad k(x_i, p_j) in row i, q x d, for a q x m expression
/// of weights. `require(kernel, x)` throws InvalidArgument where there is no gradient. Not defined
/// for kernels whose gradients are not known.
template <class K, Real S>
class Gradients;

}  // namespace detail

/// Kernels whose gradients have a closed form: those with a slope, Cauchy, Cosine and ArcCosine,
/// and sums, products and multiples of these, and they on the sphere.
template <class K>
concept HasGradient = requires {
  sizeof(detail::Gradients<K, double>);
};

namespace detail {

/// Throws InvalidArgument for samples of zeros, where a kernel of directions is not continuous.
template <class K, Real S>
void require_directions(const K& kernel, const Matrix<S>& x) {
  for (Index i = 0; i < x.rows(); ++i)
    if ((x.row(i).array() == S(0)).all())
      fail("mercer: the kernel ", kernel.describe(), " has no gradient at row ", i,
           " of the samples, which is 0");
}

/// out(i, v) = sum_j weights_ij part(x_iv - p_jv), where part() takes and returns an array. Each
/// difference is computed by itself: a sum of weights times x_i, less that of weights times p_j,
/// would have rounding errors of the size of the samples, not of their differences. A chunk of
/// samples, one per vector lane, is combined with four coordinates of a point at a time.
/// Cost: q m d calls.
/// Memory: a transposed copy of the points, and copies of a few rows for each thread.
/// Threads: over blocks of rows; the result has the same bits for any number of threads.
template <Real S, class Part>
[[nodiscard]] Matrix<S> sum_differences(const Matrix<S>& weights, const Matrix<S>& x,
                                        const Matrix<S>& points, const Part& part) {
  constexpr Index lanes = 64 / Index{sizeof(S)}, width = 4;
  using Chunk = Eigen::Array<S, lanes, 1>;
  const Index d = x.cols(), m = points.rows();
  Matrix<S> out(x.rows(), d);
  if (out.size() == 0) return out;
  const Matrix<S> by_point = points.transpose();
  for_row_blocks(x.rows(), [&](Index, Index first, Index size) {
    // Lanes without a sample have the weight 0.
    Matrix<S> some_weights = Matrix<S>::Zero(lanes, m), some_x = Matrix<S>::Zero(lanes, d);
    for (Index i = first; i < first + size; i += lanes) {
      const Index used = (std::min)(lanes, first + size - i);
      if (used < lanes) some_weights.setZero();
      some_weights.topRows(used) = weights.middleRows(i, used);
      some_x.topRows(used) = x.middleRows(i, used);
      for (Index v = 0; v < d; v += width) {
        // The last coordinate again, where there are fewer than four.
        const auto at = [&](Index q) { return (std::min)(v + q, d - 1); };
        const Index v1 = at(1), v2 = at(2), v3 = at(3);
        const auto column = [&](Index c) { return Chunk(some_x.col(c).array()); };
        const Chunk x0 = column(v), x1 = column(v1), x2 = column(v2), x3 = column(v3);
        Chunk a0 = Chunk::Zero(), a1 = a0, a2 = a0, a3 = a0;
        for (Index j = 0; j < m; ++j) {
          const Eigen::Map<const Chunk> w(some_weights.data() + j * lanes);
          const S* p = by_point.data() + j * d;
          a0 += w * part(x0 - p[v]);
          a1 += w * part(x1 - p[v1]);
          a2 += w * part(x2 - p[v2]);
          a3 += w * part(x3 - p[v3]);
        }
        const std::array<const Chunk*, width> sums{&a0, &a1, &a2, &a3};
        for (Index q = 0; q < (std::min)(width, d - v); ++q)
          out.col(v + q).segment(i, used) = sums[static_cast<std::size_t>(q)]->head(used).matrix();
      }
    }
  });
  return out;
}

/// Gradients of kernels of the distance: with k = f of the squared distance, grad k(x, p) =
/// 2 f' (x - p), which is exactly 0 at x = p. What f' does not hold of the inverse square of the
/// length comes last.
template <HasDistanceSlope K, Real S>
class Gradients<K, S> {
 public:
  Gradients(const K& kernel, const Matrix<S>& x, const Matrix<S>& points)
      : x_(x),
        points_(points),
        slopes_(x.rows(), points.rows()),
        exponent_(scaled_slope<K, S>(kernel, x, points, slopes_)) {}
  static void require(const K& kernel, const Matrix<S>&) {
    static_cast<void>(slope_factor(kernel));
  }

  template <class W>
  [[nodiscard]] Matrix<S> sum(const Eigen::MatrixBase<W>& weights) const {
    const Matrix<S> weighted = slopes_.cwiseProduct(weights);
    Matrix<S> out =
        S(2) * sum_differences<S>(weighted, x_, points_, [](const auto& u) { return u; });
    multiply_by_power(out, exponent_);
    return out;
  }

 private:
  const Matrix<S>&x_, &points_;
  Matrix<S> slopes_;  ///< to be multiplied by 2^exponent_
  int exponent_;
};

/// With k = f of the inner product, grad k(x, p) = f' p.
template <HasInnerSlope K, Real S>
class Gradients<K, S> {
 public:
  Gradients(const K& kernel, const Matrix<S>& x, const Matrix<S>& points)
      : points_(points), slopes_(x.rows(), points.rows()) {
    slope<K, S>(kernel, x, points, slopes_);
  }
  static void require(const K&, const Matrix<S>&) {}

  template <class W>
  [[nodiscard]] Matrix<S> sum(const Eigen::MatrixBase<W>& weights) const {
    return multiply(slopes_.cwiseProduct(weights), points_);
  }

 private:
  const Matrix<S>& points_;
  Matrix<S> slopes_;
};

/// Those of Cauchy: dk(x, p) / dx_v = -2 gamma^2 u / (1 + gamma^2 u^2) k(x, p), u = x_v - p_v.
template <Real S>
class Gradients<Cauchy, S> {
 public:
  Gradients(const Cauchy& kernel, const Matrix<S>& x, const Matrix<S>& points)
      : gamma_(parameter<S>(kernel.gamma())),
        x_(x),
        points_(points),
        values_(x.rows(), points.rows()) {
    kernel.gram(Points<S>(x), Points<S>(points), values_);
  }
  static void require(const Cauchy&, const Matrix<S>&) {}

  template <class W>
  [[nodiscard]] Matrix<S> sum(const Eigen::MatrixBase<W>& weights) const {
    const Matrix<S> weighted = values_.cwiseProduct(weights);
    return S(-2) * gamma_ *
           sum_differences<S>(weighted, x_, points_, [gamma = gamma_](const auto& difference) {
             using Chunk = typename std::remove_cvref_t<decltype(difference)>::PlainObject;
             // Where u^2 is out of range the value of the kernel is 0, but infinity times 0 is not.
             constexpr S most = (std::numeric_limits<S>::max)();
             const Chunk u = (((gamma * difference).min)(most).max)(-most);
             return Chunk(u / (S(1) + u.square()));
           });
  }

 private:
  S gamma_;
  const Matrix<S>&x_, &points_;
  Matrix<S> values_;
};

/// Those of kernels of the angle theta: grad k(x, p) = a x / |x| + b p / |p|.
template <class K, Real S>
  requires std::same_as<K, Cosine> || std::same_as<K, ArcCosine>
class Gradients<K, S> {
 public:
  /// b = 1 / |x|, a = -b cos theta.
  Gradients(const Cosine&, const Matrix<S>& x, const Matrix<S>& points) : Gradients(x, points) {
    along_point_ = x_norms_.cwiseInverse().replicate(1, points.rows());
    along_sample_ = -along_sample_.cwiseProduct(along_point_).eval();
  }

  /// Order 1: a = |p| sin theta / pi, b = |p| (pi - theta) / pi.
  /// Order 2: a = 2 |x| |p|^2 (sin theta cos theta + pi - theta) / pi,
  ///          b = 4 |x| |p|^2 (sin theta + (pi - theta) cos theta) / pi.
  /// Where x = 0, theta counts as pi / 2: for order 1, which has no gradient there, this is the
  /// mean of the gradients around it.
  Gradients(const ArcCosine& kernel, const Matrix<S>& x, const Matrix<S>& points)
      : Gradients(x, points) {
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

  static void require(const K& kernel, const Matrix<S>& x) {
    if constexpr (std::same_as<K, Cosine>)
      require_directions(kernel, x);
    else if (kernel.order() == 0)  // at points themselves
      fail("mercer: the kernel ", kernel.describe(), " has no gradients; orders 1 and 2 have");
  }

  template <class W>
  [[nodiscard]] Matrix<S> sum(const Eigen::MatrixBase<W>& weights) const {
    const Vector<S> along_sample = along_sample_.cwiseProduct(weights).rowwise().sum();
    const Matrix<S> weighted = along_point_.cwiseProduct(weights);
    Matrix<S> out = along_sample.asDiagonal() * x_unit_;
    add_product(S(1), weighted, p_unit_, out);
    return out;
  }

 private:
  /// Leaves the cosines in along_sample_.
  Gradients(const Matrix<S>& x, const Matrix<S>& points)
      : x_norms_(row_norms(x)),
        p_norms_(row_norms(points)),
        x_unit_(unit_rows(x, x_norms_)),
        p_unit_(unit_rows(points, p_norms_)),
        along_sample_(
            multiply(x_unit_, Matrix<S>(p_unit_.transpose())).cwiseMax(S(-1)).cwiseMin(S(1))),
        along_point_(x.rows(), points.rows()) {}

  Vector<S> x_norms_, p_norms_;
  Matrix<S> x_unit_, p_unit_;
  Matrix<S> along_sample_, along_point_;  ///< a and b for each sample (row) and point (column)
};

/// grad (a + b) = grad a + grad b.
template <HasGradient A, HasGradient B, Real S>
class Gradients<Sum<A, B>, S> {
 public:
  Gradients(const Sum<A, B>& kernel, const Matrix<S>& x, const Matrix<S>& points)
      : first_(kernel.first(), x, points), second_(kernel.second(), x, points) {}

  static void require(const Sum<A, B>& kernel, const Matrix<S>& x) {
    Gradients<A, S>::require(kernel.first(), x);
    Gradients<B, S>::require(kernel.second(), x);
  }

  template <class W>
  [[nodiscard]] Matrix<S> sum(const Eigen::MatrixBase<W>& weights) const {
    return first_.sum(weights) + second_.sum(weights);
  }

 private:
  Gradients<A, S> first_;
  Gradients<B, S> second_;
};

/// grad (a b) = b grad a + a grad b.
template <HasGradient A, HasGradient B, Real S>
class Gradients<Product<A, B>, S> {
 public:
  Gradients(const Product<A, B>& kernel, const Matrix<S>& x, const Matrix<S>& points)
      : first_(kernel.first(), x, points),
        second_(kernel.second(), x, points),
        first_values_(mercer::gram(kernel.first(), x, points)),
        second_values_(mercer::gram(kernel.second(), x, points)) {}

  static void require(const Product<A, B>& kernel, const Matrix<S>& x) {
    Gradients<A, S>::require(kernel.first(), x);
    Gradients<B, S>::require(kernel.second(), x);
  }

  template <class W>
  [[nodiscard]] Matrix<S> sum(const Eigen::MatrixBase<W>& weights) const {
    return first_.sum(second_values_.cwiseProduct(weights)) +
           second_.sum(first_values_.cwiseProduct(weights));
  }

 private:
  Gradients<A, S> first_;
  Gradients<B, S> second_;
  Matrix<S> first_values_, second_values_;
};

template <HasGradient A, Real S>
class Gradients<Scaled<A>, S> {
 public:
  Gradients(const Scaled<A>& kernel, const Matrix<S>& x, const Matrix<S>& points)
      : scale_(parameter<S>(kernel.scale())), gradients_(kernel.kernel(), x, points) {}

  static void require(const Scaled<A>& kernel, const Matrix<S>& x) {
    Gradients<A, S>::require(kernel.kernel(), x);
  }

  template <class W>
  [[nodiscard]] Matrix<S> sum(const Eigen::MatrixBase<W>& weights) const {
    return scale_ * gradients_.sum(weights);
  }

 private:
  S scale_;
  Gradients<A, S> gradients_;
};

/// With u = x / |x|: (g - u u^T g) / |x| of the gradient g of the kernel at u.
template <HasGradient A, Real S>
class Gradients<OnSphere<A>, S> {
 public:
  Gradients(const OnSphere<A>& kernel, const Matrix<S>& x, const Matrix<S>& points)
      : norms_(row_norms(x)),
        x_unit_(unit_rows(x, norms_)),
        p_unit_(unit_rows(points, row_norms(points))),
        gradients_(kernel.kernel(), x_unit_, p_unit_) {}
  Gradients(const Gradients&) = delete;  // gradients_ may refer to the other members
  Gradients& operator=(const Gradients&) = delete;
  static void require(const OnSphere<A>& kernel, const Matrix<S>& x) {
    require_directions(kernel, x);
    Gradients<A, S>::require(kernel.kernel(), x);
  }

  template <class W>
  [[nodiscard]] Matrix<S> sum(const Eigen::MatrixBase<W>& weights) const {
    const Matrix<S> g = gradients_.sum(weights);
    const Vector<S> along = g.cwiseProduct(x_unit_).rowwise().sum();
    return norms_.cwiseInverse().asDiagonal() * (g - along.asDiagonal() * x_unit_);
  }

 private:
  Vector<S> norms_;
  Matrix<S> x_unit_, p_unit_;
  Gradients<A, S> gradients_;
};

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_KERNELS_GRADIENTS_HPP
