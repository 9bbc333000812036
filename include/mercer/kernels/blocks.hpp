// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Blocks of inner products, squared distances and coordinate sums: the inner loops of every
/// kernel.

#ifndef MERCER_KERNELS_BLOCKS_HPP
#define MERCER_KERNELS_BLOCKS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer::detail {

/// One contiguous column of a Gram block, for transformation in place.
template <Real S>
using Values = Eigen::Map<Eigen::Array<S, Eigen::Dynamic, 1>>;

template <Real S>
[[nodiscard]] Values<S> column_values(GramOut<S>& block, Index j) {
  return {block.data() + j * block.outerStride(), block.rows()};
}

/// out = X Y^T.
template <Real S>
void multiply_transposed(const Points<S>& x, const Points<S>& y, GramOut<S> out) {
  out.noalias() = x * y.transpose();
}

/// out(i, j) = x_i . y_j by one matrix product.
template <DenseSamples X, DenseSamples Y>
void inner_products(const X& x, const Y& y, GramOut<typename X::Scalar> out) {
  multiply_transposed<typename X::Scalar>(x, y, out);
}

/// out(i, j) = x_i . y_j for sparse rows. The rows of y are turned into columns once. So each
/// nonzero of x meets only the rows of y that share its coordinate.
/// Cost: O(nnz(x) + nnz(y) + d + number of pairs of nonzeros that meet).
template <SparseSamples X, SparseSamples Y>
void inner_products(const X& x, const Y& y, GramOut<typename X::Scalar> out) {
  using S = typename X::Scalar;
  const Eigen::SparseMatrix<S, Eigen::ColMajor> by_coordinate(y);
  RowMajorMatrix<S> products = RowMajorMatrix<S>::Zero(x.rows(), y.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    S* row = products.data() + i * y.rows();
    for (typename X::InnerIterator a(x, i); a; ++a)
      for (typename Eigen::SparseMatrix<S>::InnerIterator b(by_coordinate, a.col()); b; ++b)
        row[b.row()] += a.value() * b.value();
  }
  out = products;
}

template <DenseSamples X>
[[nodiscard]] Vector<typename X::Scalar> squared_norms(const X& x) {
  return x.rowwise().squaredNorm();
}

template <SparseSamples X>
[[nodiscard]] Vector<typename X::Scalar> squared_norms(const X& x) {
  Vector<typename X::Scalar> norms(x.rows());
  for (Index i = 0; i < x.rows(); ++i) norms(i) = x.row(i).squaredNorm();
  return norms;
}

/// out(i, j) = reduction over the coordinates c by step(accumulator, x_ic, y_jc). It starts from
/// \p start. A chunk of samples of x, one per vector lane, is combined with four samples of y at a
/// time. All accumulators stay in registers.
/// Cost: n m d steps.
/// Memory: one transposed copy of y.
template <Real S, class Step>
void reduce_coordinates(const Points<S>& x, const Points<S>& y, S start, const Step& step,
                        GramOut<S> out) {
  constexpr Index lanes = 128 / Index{sizeof(S)};
  constexpr Index width = 4;
  using Chunk = Eigen::Array<S, lanes, 1>;
  const Index d = x.cols(), n = x.rows(), m = y.rows();
  if (d == 0) {
    out.setConstant(start);
    return;
  }
  const Matrix<S> y_by_sample = y.transpose();
  Matrix<S> x_chunk(lanes, d);
  for (Index i = 0; i < n; i += lanes) {
    const Index used = (std::min)(lanes, n - i);
    x_chunk.topRows(used) = x.middleRows(i, used);
    if (used < lanes) x_chunk.bottomRows(lanes - used).rowwise() = x.row(i);
    for (Index j = 0; j < m; j += width) {
      std::array<const S*, width> y_rows;
      for (Index q = 0; q < width; ++q)
        y_rows[static_cast<std::size_t>(q)] = y_by_sample.data() + (std::min)(j + q, m - 1) * d;
      Chunk a0 = Chunk::Constant(start), a1 = a0, a2 = a0, a3 = a0;
      for (Index c = 0; c < d; ++c) {
        const Chunk xc = Eigen::Map<const Chunk>(x_chunk.data() + c * lanes);
        step(a0, xc, y_rows[0][c]);
        step(a1, xc, y_rows[1][c]);
        step(a2, xc, y_rows[2][c]);
        step(a3, xc, y_rows[3][c]);
      }
      const std::array<const Chunk*, width> sums{&a0, &a1, &a2, &a3};
      for (Index q = 0; q < (std::min)(width, m - j); ++q)
        out.col(j + q).segment(i, used) = sums[static_cast<std::size_t>(q)]->head(used).matrix();
    }
  }
}

/// Turns inner products into squared distances |x|^2 + |y|^2 - 2 x.y in place.
///
/// All samples must have been shifted and scaled in the same way. If more than 7 leading bits of a
/// distance cancelled, \p anew(i, j) computes it again from the given samples, because there the
/// rounding of the shift would cost digits. So equal samples have distance exactly 0.
/// Accuracy: relative error of about 2^7 d^(1/2) eps for every squared distance.
template <Real S, class Anew>
void distances_from_inner_products(const Vector<S>& x_norms, const Vector<S>& y_norms,
                                   const Anew& anew, GramOut<S> out) {
  constexpr S cancelled = S(1) / 128;
  const bool overflow = !std::isfinite(x_norms.sum() + y_norms.sum());
  for (Index j = 0; j < out.cols(); ++j) {
    Values<S> column = column_values<S>(out, j);
    const S y_norm = y_norms(j);
    column = (x_norms.array() + y_norm) - S(2) * column;
    if (!overflow && (column - cancelled * (x_norms.array() + y_norm)).minCoeff() > 0) continue;
    for (Index i = 0; i < out.rows(); ++i)
      if (!(column(i) > cancelled * (x_norms(i) + y_norm)) || overflow) column(i) = anew(i, j);
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
      reduce_coordinates<S>(
          x_scaled, y_scaled, S(0), [](auto& sum, const auto& a, S b) { sum += (a - b).square(); },
          out);
    else  // differences first: those of equal samples are in range for any scale
      reduce_coordinates<S>(
          x, y, S(0),
          [&](auto& sum, const auto& a, S b) { sum += (split.power * (a - b)).square(); }, out);
  } else {
    const Eigen::Matrix<S, 1, Eigen::Dynamic> origin = y.row(0);
    const Matrix<S> x_scaled = split.power * (x.rowwise() - origin);
    const Matrix<S> y_scaled = split.power * (y.rowwise() - origin);
    inner_products(x_scaled, y_scaled, out);
    RowMajorMatrix<S> x_rows, y_rows;  // contiguous samples, made for the first near pair
    distances_from_inner_products<S>(
        squared_norms(x_scaled), squared_norms(y_scaled),
        [&](Index i, Index j) {
          if (x_rows.size() == 0) {
            x_rows = x;
            y_rows = y;
          }
          return (split.power * (x_rows.row(i) - y_rows.row(j))).squaredNorm();
        },
        out);
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
  distances_from_inner_products<S>(
      squared_norms(x_scaled), squared_norms(y_scaled),
      [&](Index i, Index j) { return (split.power * (x.row(i) - y.row(j))).squaredNorm(); }, out);
  out *= split.rest;
}

/// Throws InvalidArgument unless every entry is at least zero. The message names row, column (from
///   0) and value.
template <class X>
void require_non_negative(std::string_view who, const X& x) {
  for (Index outer = 0; outer < x.outerSize(); ++outer)
    for (typename X::InnerIterator entry(x, outer); entry; ++entry)
      if (!(entry.value() >= 0))
        fail("mercer::", who, ": samples must be non-negative, got ", entry.value(), " at row ",
             entry.row(), ", column ", entry.col(), " (counted from 0)");
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

#define MERCER_BLOCKS(S)                                                           \
  MERCER_INSTANTIATE_KERNELS(                                                      \
      void multiply_transposed<S>(const Points<S>&, const Points<S>&, GramOut<S>)) \
  MERCER_INSTANTIATE_KERNELS(struct BlockDistances<Points<S>>)                     \
  MERCER_INSTANTIATE_KERNELS(struct BlockDistances<SparsePoints<S>>)
MERCER_FOR_SCALARS(MERCER_BLOCKS)
#undef MERCER_BLOCKS

}  // namespace mercer::detail

#endif  // MERCER_KERNELS_BLOCKS_HPP
