// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Blocks of inner products, squared distances and coordinate sums: the loops under every kernel.

#ifndef MERCER_KERNELS_BLOCKS_HPP
#define MERCER_KERNELS_BLOCKS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer::detail {

/// One contiguous column of a Gram block, to be transformed in place.
template <Real S>
using Values = Eigen::Map<Eigen::Array<S, Eigen::Dynamic, 1>>;

template <Real S>
[[nodiscard]] Values<S> column_values(GramOut<S>& block, Index j) {
  return {block.data() + j * block.outerStride(), block.rows()};
}

/// out(i, j) = x_i . y_j by one matrix product.
template <DenseSamples X, DenseSamples Y>
void inner_products(const X& x, const Y& y, GramOut<typename X::Scalar> out) {
  out.noalias() = x * y.transpose();
}

/// out(i, j) = x_i . y_j for sparse rows. The rows of y are turned into columns once, so that each
/// non-zero of x meets just the rows of y that share its coordinate.
/// Cost: O(nnz(x) + nnz(y) + d + products of non-zeros that meet).
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

/// out(i, j) = reduction over the coordinates c of step(accumulator, x_ic, y_jc), from \p start.
/// A chunk of samples of x, one per vector lane, meets four samples of y at a time, with all
/// accumulators in registers. Cost: n m d steps; extra memory: one transposed copy of y.
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

/// Turns inner products into squared distances in place, |x|^2 + |y|^2 - 2 x.y, all of samples that
/// were shifted and scaled alike, and evaluates those anew in which more than 7 of the leading bits
/// cancelled, by \p anew(i, j) from the samples as they were given: there the shift, which is
/// rounded, would cost digits. Equal samples are so at distance exactly 0, and every squared
/// distance is good to about 2^7 d^(1/2) eps relative.
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

/// Up to this many coordinates, differences are summed directly: as fast as a matrix product of so
/// few columns, and no digits cancel.
inline constexpr Index direct_distance_limit = 16;

/// A factor in two parts: the power of two goes to the samples, which rounds nothing and keeps
/// squares in range, the square of the rest to the squared distances, where it is rounded once.
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

/// out(i, j) = |scale (x_i - y_j)|^2. Cost: one matrix product, or n m d operations for few
/// coordinates. In the product samples are taken relative to the first row of y, so that an offset
/// common to all samples does not make them all seem near.
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
    else  // differences first: of equal samples they are in range whatever the scale
      reduce_coordinates<S>(
          x, y, S(0),
          [&](auto& sum, const auto& a, S b) { sum += (split.power * (a - b)).square(); }, out);
  } else {
    const Eigen::Matrix<S, 1, Eigen::Dynamic> origin = y.row(0);
    const Matrix<S> x_scaled = split.power * (x.rowwise() - origin);
    const Matrix<S> y_scaled = split.power * (y.rowwise() - origin);
    inner_products(x_scaled, y_scaled, out);
    RowMajorMatrix<S> x_rows, y_rows;  // contiguous samples, made when the first pair is near
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

/// The same for sparse rows, which stay sparse and so are not shifted.
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

/// Throws unless every entry is at least zero; names row, column (from 0) and value.
template <class X>
void require_non_negative(std::string_view who, const X& x) {
  for (Index outer = 0; outer < x.outerSize(); ++outer)
    for (typename X::InnerIterator entry(x, outer); entry; ++entry)
      if (!(entry.value() >= 0))
        fail("mercer::", who, ": samples must be non-negative, got ", entry.value(), " at row ",
             entry.row(), ", column ", entry.col(), " (counted from 0)");
}

}  // namespace mercer::detail

#endif  // MERCER_KERNELS_BLOCKS_HPP
