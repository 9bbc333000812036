// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Blocks of squared distances, of samples as they are and of samples that are prepared once.

#ifndef MERCER_KERNELS_SQUARED_DISTANCES_HPP
#define MERCER_KERNELS_SQUARED_DISTANCES_HPP

#include <cmath>
#include <limits>
#include <type_traits>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/blocks.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/kernels/prepared_samples.hpp>

namespace mercer::detail {

/// Turns inner products into squared distances |x|^2 + |y|^2 - \p twice x.y in place, where twice
/// is 2, or 2 s^2 for norms of samples that were multiplied by s, and inner products of samples
/// that were not.
///
/// All samples must have been shifted and scaled in the same way. If more than 7 leading bits of a
/// distance cancelled, \p anew(i, j) computes it again from the given samples, because there the
/// rounding of the shift would cost digits. So equal samples have distance exactly 0.
/// Accuracy: relative error of about 2^7 d^(1/2) eps for every squared distance.
template <Real S, class Anew>
void distances_from_inner_products(const Eigen::Ref<const Vector<S>>& x_norms,
                                   const Eigen::Ref<const Vector<S>>& y_norms, S twice,
                                   const Anew& anew, GramOut<S> out) {
  const bool overflow = !std::isfinite(x_norms.sum() + y_norms.sum());
  for (Index j = 0; j < out.cols(); ++j) {
    const Values<S> column = column_values<S>(out, j);
    const S y_norm = y_norms(j);
    if (distances_to_one<S>(x_norms.data(), y_norm, twice, column) && !overflow) continue;
    for (Index i = 0; i < out.rows(); ++i)
      if (!(out(i, j) > kept_share<S> * (x_norms(i) + y_norm)) || overflow) out(i, j) = anew(i, j);
  }
}

/// Up to this many coordinates, differences are summed directly. This is as fast as a matrix
/// product with so few columns, and no digits cancel.
inline constexpr Index direct_distance_limit = 16;

/// A factor in two parts. Its leading power of two multiplies the samples: this rounds nothing and
/// keeps squares in range. The square of the rest multiplies the squared distances, where it is
/// rounded once.
template <Real S>
struct SplitScale {
  explicit SplitScale(double scale) {
    const auto in_range = static_cast<double>(parameter<S>(scale));
    const double leading = std::exp2(std::ilogb(in_range));
    power = static_cast<S>(leading);
    rest = static_cast<S>((in_range / leading) * (in_range / leading));
  }

  S power, rest;
};

/// Squared distances of single pairs of rows of two blocks, from contiguous copies of the rows.
/// Copies both blocks only if there are many such pairs.
template <class Rows>
class NearRows {
 public:
  using S = typename Rows::Scalar;

  NearRows(const Rows& x, const Rows& y) : x_(x), y_(y) {}

  /// |scale (x_i - y_j)|^2.
  [[nodiscard]] S squared_distance(Index i, Index j, S scale) {
    if constexpr (SparseSamples<Rows>) {
      return (scale * (x_.row(i) - y_.row(j))).squaredNorm();
    } else {
      constexpr Index few = 64;
      if (++pairs_ == few) {
        x_rows_ = x_;
        y_rows_ = y_;
      }
      const bool copied = pairs_ >= few;
      if (!copied) {
        x_row_ = x_.row(i);
        y_row_ = y_.row(j);
      }
      return copied ? (scale * (x_rows_.row(i) - y_rows_.row(j))).squaredNorm()
                    : (scale * (x_row_ - y_row_)).squaredNorm();
    }
  }

 private:
  using Row = Eigen::Matrix<S, 1, Eigen::Dynamic>;

  const Rows x_, y_;
  Index pairs_ = 0;
  RowMajorMatrix<S> x_rows_{}, y_rows_{};
  Row x_row_{}, y_row_{};
};

/// out(i, j) = |scale (x_i - y_j)|^2. Before a matrix product, the first row of y is subtracted
/// from all samples. Otherwise an offset common to all samples would make them all seem near to
/// each other.
/// Cost: one matrix product, or n m d operations if there are few coordinates.
template <DenseSamples X, DenseSamples Y>
void squared_distances(const X& x, const Y& y, double scale, GramOut<typename X::Scalar> out) {
  using S = typename X::Scalar;
  if (x.cols() == 0) out.setZero();
  if (out.size() == 0 || x.cols() == 0) return;
  const SplitScale<S> split(scale);
  if (x.cols() <= direct_distance_limit) {
    const Matrix<S> x_scaled = split.power * x, y_scaled = split.power * y;
    if (x_scaled.allFinite() && y_scaled.allFinite())
      sum_squared_differences<S>(x_scaled, y_scaled, out);
    else  // differences first: those of equal samples are in range for any scale
      reduce_coordinates<S>(
          x, y, S(0),
          [&](auto& sum, const auto& a, S b) { sum += (split.power * (a - b)).square(); }, out);
  } else {
    const Eigen::Matrix<S, 1, Eigen::Dynamic> origin = y.row(0);
    const Matrix<S> x_scaled = split.power * (x.rowwise() - origin);
    const Matrix<S> y_scaled = split.power * (y.rowwise() - origin);
    inner_products(x_scaled, y_scaled, out);
    NearRows<Points<S>> near(x, y);
    distances_from_inner_products<S>(
        squared_norms(x_scaled), squared_norms(y_scaled), S(2),
        [&](Index i, Index j) { return near.squared_distance(i, j, split.power); }, out);
  }
  out *= split.rest;
}

/// The same for sparse rows. They are not shifted, so that they stay sparse.
template <SparseSamples X, SparseSamples Y>
void squared_distances(const X& x, const Y& y, double scale, GramOut<typename X::Scalar> out) {
  using S = typename X::Scalar;
  if (out.size() == 0) return;
  const SplitScale<S> split(scale);
  const SparseMatrix<S> x_scaled = split.power * x, y_scaled = split.power * y;
  inner_products(x_scaled, y_scaled, out);
  NearRows<SparsePoints<S>> near(x, y);
  distances_from_inner_products<S>(
      squared_norms(x_scaled), squared_norms(y_scaled), S(2),
      [&](Index i, Index j) { return near.squared_distance(i, j, split.power); }, out);
  out *= split.rest;
}

/// squared_distances() for blocks of one form, as a member of a class. The names of class members
/// in object files do not depend on how a compiler spells the types of a template.
template <class X>
struct BlockDistances {
  static void squared(const X& x, const X& y, double scale, GramOut<typename X::Scalar> out);
};

template <class X>
void BlockDistances<X>::squared(const X& x, const X& y, double scale,
                                GramOut<typename X::Scalar> out) {
  squared_distances(x, y, scale, out);
}

/// Squared distances of samples that are prepared once. The copy that a shift needs is made only if
/// the samples are far from the origin for their spread, or near the ends of the range of numbers.
template <OwnedSamples X>
struct PreparedDistances {
  using S = typename X::Scalar;

  /// Sets norms to |scale' x|^2, where scale' is the leading power of two of \p scale. With few
  /// coordinates nothing is prepared.
  static void prepare(PreparedSamples<X>& p, double scale);
  /// out(i, j) = |scale (x_i - y_j)|^2, as squared_distances().
  static void squared(const PreparedRows<X>& x, const PreparedRows<X>& y, double scale,
                      GramOut<S> out);

 private:
  [[nodiscard]] static bool direct(const X& x) {
    return DenseSamples<X> && x.cols() <= direct_distance_limit;
  }
  [[nodiscard]] static typename PreparedSamples<X>::Form choose_form(const X& x,
                                                                     const Vector<S>& norms,
                                                                     S square);
};

/// Whether all samples are zero.
template <OwnedSamples X>
[[nodiscard]] bool all_zero(const X& x) {
  for (Index outer = 0; outer < x.outerSize(); ++outer)
    for (typename X::InnerIterator entry(x, outer); entry; ++entry)
      if (entry.value() != 0) return false;
  return true;
}

/// The squared norms of all samples, on all threads.
template <OwnedSamples X>
[[nodiscard]] Vector<typename X::Scalar> all_squared_norms(const X& x) {
  Vector<typename X::Scalar> norms(x.rows());
  parallel_for(tile_count(x.rows()), [&](Index tile) {
    const Range rows = Range::tile(tile, x.rows());
    norms.segment(rows.begin, rows.size) = squared_norms(rows_of(x, rows));
  });
  return norms;
}

template <OwnedSamples X>
auto PreparedDistances<X>::choose_form(const X& x, const Vector<S>& norms, S square) ->
    typename PreparedSamples<X>::Form {
  constexpr S smallest = (std::numeric_limits<S>::min)() * S(1e8),
              largest = (std::numeric_limits<S>::max)() / S(8);
  const auto in_range = [&](S value) { return value > smallest && value < largest; };
  const S norm = norms.size() > 0 ? norms.maxCoeff() : S(0);
  typename PreparedSamples<X>::Form form;
  // Norms of tiny samples underflow.
  const bool zero = norm == 0 && all_zero(x);
  form.copied = !zero && !(in_range(square) && in_range(norm) && in_range(square * norm));
  if constexpr (DenseSamples<X>) {
    const Middle<S> middle(x);
    const bool far = !(middle.point.squaredNorm() <= 2 * middle.spread);
    if (far && !zero) form = {.copied = true, .origin = middle.point};
    if (form.copied && !far) form.origin = Vector<S>::Zero(x.cols());
  }
  return form;
}

template <OwnedSamples X>
void PreparedDistances<X>::prepare(PreparedSamples<X>& p, double scale) {
  const X& x = *p.samples;
  if (direct(x)) return;
  const SplitScale<S> split(scale);
  const S square = split.power * split.power;
  Vector<S> norms = all_squared_norms(x);
  if (!p.form) p.form = choose_form(x, norms, square);
  if (!p.form->copied) {
    p.norms = square * norms;
    return;
  }
  if constexpr (SparseSamples<X>) {
    p.values = split.power * x;
  } else {
    p.values.resize(x.rows(), x.cols());
    parallel_for(tile_count(x.rows()), [&](Index tile) {
      const Range rows = Range::tile(tile, x.rows());
      p.values.middleRows(rows.begin, rows.size) =
          split.power *
          (x.middleRows(rows.begin, rows.size).rowwise() - p.form->origin.transpose());
    });
  }
  p.norms = all_squared_norms(p.values);
}

template <OwnedSamples X>
void PreparedDistances<X>::squared(const PreparedRows<X>& x, const PreparedRows<X>& y, double scale,
                                   GramOut<S> out) {
  if (direct(*x.all.samples)) {
    BlockDistances<std::remove_cvref_t<decltype(x.samples())>>::squared(x.samples(), y.samples(),
                                                                        scale, out);
    return;
  }
  if (out.size() == 0) return;
  const SplitScale<S> split(scale);
  const bool copied = x.all.form->copied;
  MERCER_ASSERT(copied == y.all.form->copied);
  if (copied)
    inner_products(x.values(), y.values(), out);
  else
    inner_products(x.samples(), y.samples(), out);
  NearRows<decltype(x.samples())> near(x.samples(), y.samples());
  distances_from_inner_products<S>(
      x.norms(), y.norms(), copied ? S(2) : S(2) * split.power * split.power,
      [&](Index i, Index j) { return near.squared_distance(i, j, split.power); }, out);
  out *= split.rest;
}

#define MERCER_DISTANCES(S)                                    \
  MERCER_INSTANTIATE_KERNELS(struct BlockDistances<Points<S>>) \
  MERCER_INSTANTIATE_KERNELS(struct BlockDistances<SparsePoints<S>>)
MERCER_FOR_TILE_SCALARS(MERCER_DISTANCES)
#undef MERCER_DISTANCES
#define MERCER_DISTANCES(X) MERCER_INSTANTIATE_KERNELS(struct PreparedDistances<X>)
MERCER_FOR_TILE_SAMPLES(MERCER_DISTANCES)
#undef MERCER_DISTANCES

}  // namespace mercer::detail

#endif  // MERCER_KERNELS_SQUARED_DISTANCES_HPP
